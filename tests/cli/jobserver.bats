#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # commands in quotes; variables of gates.bash
#
# admit jobserver: one pool of jobs for all builds. The builds are make's, of jobs that note when they begin and end; some
# talk the protocol themselves.
load gates

setup() {
    export ADMIT_DIR=$BATS_TEST_TMPDIR/gates T=$BATS_TEST_TMPDIR TMPDIR=$BATS_TEST_TMPDIR
    mkdir -m 700 "$ADMIT_DIR"
    case $ADMIT in
    /*) ;;
    *) ADMIT=$PWD/$ADMIT ;;
    esac
    unset MAKEFLAGS MFLAGS GNUMAKEFLAGS MAKELEVEL CARGO_MAKEFLAGS ADMIT_POOL ADMIT_INSIDE
    cd "$T" || return
    printf '#!/bin/sh\necho "begin $*" >>"$T/noted"\n%s\necho "end $*" >>"$T/noted"\n' \
        'eval "$DOES"' >job
    chmod +x job
}

# makefile FILE NUMBER [NAME]: so many jobs.
makefile() {
    printf 'all: $(patsubst %%,job%%,$(shell seq %s))\njob%%: ; @./job %s $*\n' "$2" "${3:-a}" >"$1"
}

# At most this many were ever between begin and end.
at_most() {
    awk -v most="$1" '/^begin/ { now++ } /^end/ { now-- } now > most { over = 1 } END { exit over || NR == 0 }' noted
}

begun() {
    grep -c "^begin${1:+ $1 }" noted
}

at_least() {
    [ "$("${@:2}" 2>/dev/null)" -ge "$1" ]
}

# A job that ends when the file go is there, and is not ended by SIGTERM; one that ends when so many have begun.
STAYS='trap "" TERM; until test -e $T/go -o -e $T/all.end -o ! -e $T; do sleep 0.05; done'
together() {
    printf 'until test "$(grep -c ^begin $T/noted)" -ge %s -o -e $T/all.end -o ! -e $T; do sleep 0.02; done' "$1"
}

# Client: functions for a build that speaks the protocol itself.
CLIENT='auth=${MAKEFLAGS##*--jobserver-auth=}
case $auth in
fifo:*) exec 8<>"${auth#fifo:}"; R=8 W=8 ;;
*) R=${auth%%,*} W=${auth##*,} ;;
esac
take() { head -c "$1" <&"$R" | wc -c; }
give() { printf "%*s" "$1" "" | tr " " "+" >&"$W"; }
'

# client SCRIPT [OPTION...]: runs it in the background at the gate, as a build.
client() {
    local script=$1
    shift
    background jobserver "$@" -- bash -c "$CLIENT$script"
}

# --- how many ----------------------------------------------------------------------------------------------------------

@test "one build has as many jobs as there are slots, and never more" {
    makefile Makefile 12
    DOES=$(together 3) exits 0 jobserver -k 3 pool -- make
    at_most 3
    [ "$(begun)" -eq 12 ]
    free pool 3
}

@test "three builds, and commands of admit run, together" {
    makefile Makefile 10
    export DOES='sleep 0.02'
    local pids=() i
    for i in 1 2 3; do
        background jobserver -k 4 pool -- make
        pids+=("$pid")
    done
    for i in 1 2 3; do
        "$ADMIT" run -q -k 4 pool -- ./job run
    done
    for i in "${pids[@]}"; do
        ends 0 "$i"
    done
    at_most 4
    [ "$(begun)" -eq 33 ]
    free pool 4
}

@test "k = 1: one job at a time, and builds one after the other" {
    makefile Makefile 3
    background jobserver -k 1 pool -- make
    exits 0 jobserver -k 1 pool -- make
    ends 0 "$pid"
    at_most 1
    [ "$(begun)" -eq 6 ]
    free pool 1
}

@test "a build beside one that would take everything has its turn" {
    makefile greedy.mk 500 greedy
    makefile late.mk 2 late
    DOES='test -e $T/done || sleep 0.02' background jobserver -k 3 pool -- make -f greedy.mk
    eventually at_least 5 begun greedy
    # Its two jobs wait for each other.
    DOES='until test "$(grep -c "^begin late" $T/noted)" -ge 2 -o -e $T/all.end; do sleep 0.02; done' \
        exits 0 jobserver pool -- make -f late.mk
    [ "$(begun greedy)" -lt 500 ]
    touch done
    ends 0 "$pid"
    at_most 3
    free pool 3
}

@test "tokens that come back are for those in line, also if the build wants them again" {
    client 'take 2 >$T/first; until test -e $T/go; do sleep 0.05; done; give 2; take 2 >$T/second; '"$LINGER" -k 3 pool
    local build=$pid
    eventually is 2 cat first
    enter one pool
    eventually is 2 waiters pool # with the build, whose request is the first
    touch go
    eventually inside one
    is 3 holders pool
    [ ! -s second ]
    let_go one
    eventually is 2 cat second
    touch end
    ends 0 "$build"
    free pool 3
}

@test "a build ends while its request stands in line" {
    enter one pool -k 2
    eventually inside one
    background jobserver pool -- sh -c "$LINGER"
    eventually is 1 waiters pool
    touch end
    ends 0 "$pid"
    is 1 holders pool
    is 0 waiters pool
    let_go one
    free pool 2
}

@test "what a build does not want keeps nobody out" {
    background jobserver -k 3 pool -- sh -c "$LINGER"
    local build=$pid
    eventually is 3 holders pool # on offer
    enter one pool
    enter two pool
    eventually inside one
    eventually inside two
    let_go one
    let_go two
    touch end
    ends 0 "$build"
    free pool 3
}

@test "no room in line: builds wait for it, and are made" {
    makefile Makefile 4
    DOES='sleep 0.01' background jobserver -k 2 --capacity 3 pool -- make
    DOES='sleep 0.01' exits 0 jobserver -k 2 pool -- make
    ends 0 "$pid"
    at_most 2
    [ "$(begun)" -eq 8 ]
}

# --- who is killed -------------------------------------------------------------------------------------------------------

@test "the wrapper is killed: the jobs that run hold their slots, and then all are back" {
    makefile Makefile 9
    DOES=$STAYS background jobserver -k 3 pool -- make
    eventually is 3 begun
    kill -KILL "$pid"
    eventually ended "$pid"
    exits 75 run --try pool -- touch never
    [ "$(begun)" -eq 3 ]
    touch go
    free pool 3
    [ "$(begun)" -eq 3 ]
    [ ! -e never ]
}

@test "the wrapper is killed: the build is told to end" {
    background jobserver -k 1 pool -- sh -c 'trap "echo >$T/told; exit" TERM; echo >$T/ready; '"$LINGER"
    eventually test -e ready
    kill -KILL "$pid"
    eventually test -e told
    free pool 1
}

@test "make is killed: the same, and its status is told" {
    makefile Makefile 9
    DOES=$STAYS background jobserver -k 3 pool -- make
    eventually is 3 begun
    kill -KILL "$(cat "/proc/$pid/task/$pid/children")"
    eventually grep -q "runs on, in its slots" background.err
    exits 75 run --try pool -- touch never
    touch go
    ends 137 "$pid"
    [ "$(begun)" -eq 3 ]
    [ ! -e never ]
    free pool 3
}

@test "both are killed at once" {
    makefile Makefile 9
    DOES=$STAYS background jobserver -k 2 pool -- make
    eventually is 2 begun
    kill -KILL "$(cat "/proc/$pid/task/$pid/children")" "$pid"
    eventually ended "$pid"
    exits 75 run --try pool -- true
    touch go
    free pool 2
}

@test "a part of the build ends with tokens: they come back at the end" {
    exits 0 jobserver -k 3 pool -- bash -c "$CLIENT"'take 2'
    [ "$output" -eq 2 ]
    free pool 3
}

@test "what is left running after an end as it should be holds nothing, and is not waited for" {
    exits 0 jobserver -k 2 pool -- sh -c "($LINGER) >/dev/null 2>&1 3>&- & setsid sh -c '$LINGER' >/dev/null 2>&1 3>&- &"
    free pool 2
}

@test "SIGTERM is passed on; the end by a signal is told" {
    background jobserver -k 2 pool -- sh -c 'trap "echo ended >$T/trapped; exit 5" TERM; echo >$T/ready; '"$LINGER"
    eventually test -e ready
    kill -TERM "$pid"
    ends 5 "$pid"
    [ "$(cat trapped)" = ended ]
    exits 143 jobserver pool -- sh -c 'kill -TERM $$'
    free pool 2
}

@test "Ctrl-C ends the build and all of its jobs" {
    makefile Makefile 9
    DOES='until test -e $T/all.end -o ! -e $T; do sleep 0.05; done' at_terminal "$ADMIT jobserver -k 2 pool -- make"
    eventually is 2 begun
    printf '\003' >&8
    exec 8>&-
    wait "$terminal" || true
    [ "$(begun)" -eq 2 ]
    free pool 2
}

@test "Ctrl-Z: what the build does not use is others' meanwhile" {
    makefile Makefile 1
    export DOES=$STAYS
    exits 0 run -k 3 pool -- true
    echo "$ADMIT jobserver pool -- make; echo >$T/stopped; until test -e $T/go -o ! -e $T; do sleep 0.05; done; fg; echo \$? >$T/ended" >script
    at_terminal "bash -im ./script"
    eventually is 1 begun
    eventually is 3 holders pool
    printf '\032' >&8
    eventually test -e stopped
    is 1 holders pool
    is 0 waiters pool
    touch go
    exec 8>&-
    wait "$terminal" || true
    [ "$(cat ended)" -eq 0 ]
    free pool 3
}

# --- the protocol --------------------------------------------------------------------------------------------------------

@test "a client that returns more than it took gets no more than there are" {
    client 'take 3 >$T/first; give 9; take 3 >$T/second; until test -e $T/go; do sleep 0.05; done
        read -t 0.3 -n 1 -u "$R" && echo too many >$T/third; give 3; echo $? >$T/end' -k 4 pool
    eventually is 3 cat second
    [ "$(holders pool)" -eq 4 ]
    touch go
    ends 0 "$pid"
    [ "$(cat first)" -eq 3 ] && [ ! -e third ]
    free pool 4
}

@test "by a fifo: taken, returned, taken again, and not more than there are" {
    client 'take 2 >$T/first; give 2; take 2 >$T/second; until test -e $T/go; do sleep 0.05; done
        read -t 0.3 -n 1 -u "$R" && echo too many >$T/third; give 2' --fifo -k 3 pool
    eventually is 2 cat second
    [ "$(holders pool)" -eq 3 ]
    [ "$(find . -type p | wc -l)" -eq 1 ]
    touch go
    ends 0 "$pid"
    [ ! -e third ]
    [ "$(find . -type p | wc -l)" -eq 0 ]
    free pool 3
}

@test "by a fifo: what is returned goes to others who wait" {
    client 'take 2 >$T/first; until test -e $T/go; do sleep 0.05; done; give 2; '"$LINGER" --fifo -k 3 pool
    local build=$pid
    eventually is 2 cat first
    enter one pool
    enter two pool
    eventually is 3 waiters pool # with one of the build itself
    outside one
    touch go
    eventually inside one
    eventually inside two
    let_go one
    let_go two
    touch end
    ends 0 "$build"
    free pool 3
}

@test "the fifo of a wrapper that was killed is swept away when nobody uses it any more" {
    client 'trap "" TERM; echo >$T/ready; '"$LINGER" --fifo -k 2 pool
    eventually test -e ready
    kill -KILL "$pid"
    eventually ended "$pid"
    exits 0 jobserver --fifo -k 2 other -- true
    [ "$(find . -type p | wc -l)" -eq 1 ] # it has it open
    touch end
    free pool 2
    exits 0 jobserver --fifo other -- true
    [ "$(find . -type p | wc -l)" -eq 0 ]
}

@test "the command has no descriptor below 100 that the caller did not have" {
    exits 0 run -k 2 other -- sh -c 'ls /proc/$$/fd'
    local before=$output
    exits 0 jobserver -k 2 pool -- sh -c 'ls /proc/$$/fd'
    comm -13 <(sort <<<"$before") <(sort <<<"$output") >more
    [ "$(wc -l <more)" -eq 3 ]
    [ "$(sort -n more | head -n 1)" -ge 100 ]
}

@test "MAKEFLAGS: the caller's flags and variables are kept, numbers of jobs and other pools are not" {
    seen() {
        sed 's/[0-9]*,[0-9]*/R,W/' <<<"$output"
    }
    exits 0 jobserver -q -k 2 pool -- sh -c 'echo "$MAKEFLAGS"'
    [ "$(seen)" = " -j --jobserver-auth=R,W" ]
    MAKEFLAGS='ks -j8 --no-print-directory -- A=1 B=-j2' exits 0 jobserver pool -- sh -c 'echo "$MAKEFLAGS"'
    [ "$(seen)" = "ks --no-print-directory -j --jobserver-auth=R,W -- A=1 B=-j2" ]
    says_error "admit jobserver: ignoring -j8 in MAKEFLAGS: gate 'pool' says how many jobs there may be"
    for flags in kj8 -kj8 '-j 8' --jobs=8 '--jobs 8'; do
        MAKEFLAGS="$flags" exits 0 jobserver pool -- true
        case $flags in *kj8) flags=-j8 ;; esac
        [ "$stderr" = "admit jobserver: ignoring $flags in MAKEFLAGS: gate 'pool' says how many jobs there may be" ]
    done
    MAKEFLAGS=' -j4 --jobserver-auth=3,4 -l 2' exits 0 jobserver pool -- sh -c 'echo "$MAKEFLAGS"'
    [ "$(seen)" = " -l 2 -j --jobserver-auth=R,W" ]
    [ -z "$stderr" ]
    local flags
    for flags in j8 kj -j '-j 8' --jobs=8 '--jobs 8' -kj8 '--jobserver-auth=fifo:/x -k'; do
        MAKEFLAGS=$flags GNUMAKEFLAGS=$flags exits 0 jobserver pool -- sh -c 'echo "$MAKEFLAGS,$GNUMAKEFLAGS"'
        [[ $(seen) =~ ^(k|-k|'  -k'| -k|)' -j --jobserver-auth=R,W,'(k|-k| -k|)$ ]] || { seen; false; }
    done
    MAKEFLAGS='k A=a\ -j2' exits 0 jobserver pool -- sh -c 'echo "$MAKEFLAGS"'
    [ "$(seen)" = 'k A=a\ -j2 -j --jobserver-auth=R,W' ]
    CMAKE_BUILD_PARALLEL_LEVEL=7 CARGO_MAKEFLAGS=x exits 0 jobserver pool -- \
        sh -c 'echo "${CMAKE_BUILD_PARALLEL_LEVEL-none} ${CARGO_MAKEFLAGS-none}"'
    [ "$output" = "none none" ]
    says_error "ignoring CMAKE_BUILD_PARALLEL_LEVEL=7: gate 'pool' says how many jobs"
}

# --- a number of its own -----------------------------------------------------------------------------------------------

@test "a number of jobs in the command is refused, with the reason" {
    local command
    while read -r command; do
        # shellcheck disable=SC2086 # words
        exits 125 jobserver -k 2 pool -- $command
        says_error "a pool of its own" || { echo "$command"; return 1; }
    done <<'END'
make -j
make -j6
make -j 6 all
make -kj6
make --jobs
gmake --jobs=6 all
/usr/bin/make -C dir -sj2
make --jobserver-auth=3,4
make MAKEFLAGS=-j4
env -u A B=1 make -j
env MAKEFLAGS=-j4 make
nice -n 5 timeout -k 3 10m make -j
ninja -j6
ninja -C dir -j 6
samu -vj2
cargo build -j4
cargo +nightly build --jobs 4
cmake --build dir --parallel
cmake --build dir -j 4
cmake --build dir -- -j4
meson compile -C dir -j 2
meson compile --job=2
meson compile --ninja-args=['-j4']
make -O -j4
make -kO -j4
make -l -j4
make -l 2 -j4
make --load-average -j4
make MAKEFLAGS+=-j4
make all MAKEFLAGS:=-j4
make MAKEFLAGS::=-kj4
make MAKEFLAGS?=j4
make -- all MAKEFLAGS=-j4
make -f -- -j4
make --file -- -j4
make --fil -- -j4
env CMAKE_BUILD_PARALLEL_LEVEL=4 cmake --build dir
END
    # Words with blanks in them.
    for command in 'MAKEFLAGS = -j4' 'MAKEFLAGS != echo -j4' ' MAKEFLAGS	+= -k -j4'; do
        exits 125 jobserver -k 2 pool -- make "$command"
        says_error "a pool of its own"
    done
    [ ! -e "$ADMIT_DIR/pool" ]
}

@test "a number of jobs behind commands that run others, whatever their options are" {
    local command
    while read -r command; do
        # shellcheck disable=SC2086 # words
        exits 125 jobserver -k 2 pool -- $command
        says_error "a pool of its own" || { echo "$command"; return 1; }
    done <<'END'
env --unset X make -j4
env --uns X make -j4
env --chdir . -u X -- A=b make -j4
env - make -j4
env -a name make -j4
env --of-a-later-version make -j4
env --of-a-later-version value make -j4
env --of-a-later-version timeout make -j4
env --of-a-later-version=value make -j4
env -Z value make -j4
nice --adjustment 3 make -j4
nice --adj 3 make -j4
nice -5 make -j4
ionice --class 3 --classdata 1 make -j4
ionice -tc 3 make -j4
nohup -- make -j4
setsid --wait -c make -j4
stdbuf --output L -e 0 make -j4
timeout --signal KILL --kill-after 3 9 make -j4
timeout -s KILL -- 9 make -j4
time --format %e -o x make -j4
chrt --batch 0 make -j4
chrt --batch make -j4
chrt -d --sched-runtime 100 -P 3 0 make -j4
taskset --cpu-list 0 make -j4
taskset -ac 0 make -j4
flock --timeout 3 x make -j4
flock --conflict-exit-code 3 -w 1 -n a=b make -j4
setpriv --reuid 0 --regid 0 --clear-groups make -j4
setpriv --bounding-set -all --no-new-privs make -j4
prlimit --nofile=100 -c0 make -j4
prlimit --output x make -j4
fakeroot --lib x -s y -- make -j4
unshare --root / --map-user 0 -f make -j4
unshare -w . --propagation slave make -j4
strace --output x -e trace=none make -j4
strace -b execve -X raw -I 1 make -j4
bear --output x -- make -j4
nice --adjustment 3 env --unset X timeout --signal KILL 9 make -j4
env --unset X MAKEFLAGS=-j4 nice make
END
    [ ! -e "$ADMIT_DIR/pool" ]
}

@test "a number of jobs in a command line that is one word" {
    refused() {
        exits 125 jobserver -k 2 pool -- "$@"
        says_error "a pool of its own" || { echo "$*"; return 1; }
    }
    refused env -S 'make -j3'
    refused env '-Smake -j3'
    refused env -vS 'make -j3'
    refused env '-vSmake -j3'
    refused env --split-string='make -j3'
    refused env --split 'nice  "make"\_-j3'
    refused env -S 'make -k' -j3
    refused env -S '-u X A=b MAKEFLAGS=-j3' make
    refused env --chdir . -S "-i 'make' '-j' 3"
    refused flock x -c 'make -j2'
    refused flock -w 1 x --command 'cd dir && nice make -C x -j2 >log'
    refused nice flock x -c 'true;make>log -j2'
    refused env --of-a-later-version value flock x -c 'make -j2'
    [ ! -e "$ADMIT_DIR/pool" ]
}

@test "words that only look like one are none" {
    local command
    mkdir -p bin
    for command in make cargo cmake; do
        printf '#!/bin/sh\nexit 7\n' >"bin/$command"
        chmod +x "bin/$command"
    done
    while read -r command; do
        # shellcheck disable=SC2086 # words
        PATH=$T/bin:$PATH exits 7 jobserver -k 2 pool -- $command || { echo "$command"; return 1; }
    done <<'END'
make -C j -f jobs.mk -Ij job
make -Cj6 --directory=j
make -l 4 CFLAGS=-j
cargo run --release -- -j4
cmake -S . -B jobs -G Ninja
env J=-j make
make -O -l 2 --directory j --file j --eval j
make XMAKEFLAGS=-j MAKEFLAGS=k MAKEFLAGS+=--no-print-directory
make -- -j
env --unset j -C . make j
nice --adjustment 3 -- make j
nice -5 env j=j make
timeout --signal KILL 9 make -C j
flock j make j
env -S make -C j
env CMAKE_BUILD_PARALLEL_LEVEL= make
END
    PATH=$T/bin:$PATH exits 7 jobserver -k 2 pool -- env --split-string='X=-j4 make -C j' -f j
    PATH=$T/bin:$PATH exits 7 jobserver -k 2 pool -- flock x -c 'echo -j; make'
}

@test "ninja: by a fifo; one that takes no part in a pool is refused" {
    mkdir bin
    printf '#!/bin/sh\nif [ "$1" = --version ]; then echo "$VERSION"; else echo "$MAKEFLAGS"; fi\n' >bin/ninja
    chmod +x bin/ninja
    export PATH=$T/bin:$PATH
    VERSION=1.11.1 exits 125 jobserver -k 2 pool -- ninja
    says_error "ninja 1.11.1 takes no part in a pool of jobs"
    says_error "ninja 1.13 or later takes part"
    mkdir dir
    : >dir/build.ninja
    VERSION=1.11.1 exits 125 jobserver -k 2 pool -- cmake --build dir
    says_error "1.13"
    VERSION=1.13.0 exits 0 jobserver -k 2 pool -- ninja
    says "--jobserver-auth=fifo:/"
    VERSION=1.11.1.git.kitware.jobserver-1 exits 0 jobserver pool -- env A=1 ninja
    says "--jobserver-auth=fifo:/"
    VERSION=1.13.0 exits 125 jobserver --pipe pool -- ninja
    says_error "fifo"
}

@test "make: by a fifo if it can" {
    mkdir bin
    printf '#!/bin/sh\nif [ "$1" = --version ]; then echo "GNU Make $VERSION"; sleep 0.1; echo; else echo "$MAKEFLAGS"; fi\n' \
        >bin/make
    chmod +x bin/make
    export PATH=$T/bin:$PATH
    VERSION=4.3 exits 125 jobserver -k 2 --fifo pool -- env A=1 make
    says_error "--fifo: make is GNU make 4.3, which takes no tokens from a fifo"
    VERSION=4.3 exits 0 jobserver -k 2 pool -- make
    VERSION=4.4.1 exits 0 jobserver -k 2 --fifo pool -- make
    says "--jobserver-auth=fifo:/"
}

# --- inside ---------------------------------------------------------------------------------------------------------------

@test "inside a build of the same pool: in that, or with the job's own slot" {
    makefile inner.mk 4
    printf 'all: with without\nwith: ; +@"%s" jobserver pool -- make -f inner.mk\nwithout: ; @"%s" jobserver pool -- make -f inner.mk\n' \
        "$ADMIT" "$ADMIT" >Makefile
    local k
    for k in 1 3; do
        rm -f noted
        DOES='sleep 0.02' exits 0 jobserver -k "$k" --resize pool -- make
        at_most "$k"
        [ "$(begun)" -eq 8 ]
        free pool "$k"
    done
}

@test "inside a build of the same pool admit run has nothing to wait for" {
    exits 125 jobserver -k 1 pool -- "$ADMIT" run pool -- true
    says_error "this job of a build has its slot at 'pool' already: leave out 'admit run pool --'"
    says_not --nested
    exits 0 jobserver -k 1 pool -- "$ADMIT" run -k 1 other -- true
    exits 0 jobserver -k 1 pool -- "$ADMIT" run -b pool -- touch later
    exits 0 wait pool
    [ -e later ]
    # In another gate inside of it, what that one allows stays so.
    exits 125 jobserver -k 1 pool -- "$ADMIT" run other -- "$ADMIT" run other -- true
    says_error "--nested allows it"
}

@test "inside a build of the same pool its tokens are used" {
    exits 0 jobserver -k 2 pool -- sh -c 'echo "$MAKEFLAGS"; exec "$0" jobserver pool -- sh -c "echo \"\$MAKEFLAGS\""' "$ADMIT"
    [ "${lines[0]}" = "${lines[1]}" ]
    # Not when they have been closed.
    exits 0 jobserver -k 2 pool -- bash -c "$CLIENT"'exec {R}<&- ; exec "$0" jobserver pool -- sh -c "echo \"\$MAKEFLAGS\""' "$ADMIT"
    says "--jobserver-auth="
    exits 0 run pool -- env MAKEFLAGS=--jobserver-auth=100,101 "$ADMIT" jobserver pool -- sh -c 'echo "$MAKEFLAGS"'
    [ "$(grep -c jobserver-auth <<<"$output")" -eq 1 ]
    free pool 2
}

@test "inside admit run, and with an empty environment" {
    makefile Makefile 3
    exits 0 run -k 1 pool -- "$ADMIT" jobserver pool -- make
    exits 0 run -k 1 pool -- env -i PATH="$PATH" T="$T" ADMIT_DIR="$ADMIT_DIR" "$ADMIT" jobserver pool -- make
    at_most 1
    [ "$(begun)" -eq 6 ]
    exits 3 run -k 1 pool -- "$ADMIT" jobserver pool -- sh -c 'exit 3'
    free pool 1
}

@test "in another gate's pool: the inner one is the pool of what it runs" {
    makefile Makefile 4
    DOES=$(together 2) exits 0 jobserver -k 1 outer -- "$ADMIT" jobserver -k 2 inner -- make
    at_most 2
    free outer 1
    free inner 2
}

# --- the gate meanwhile -------------------------------------------------------------------------------------------------

@test "fewer slots meanwhile: they go as they are returned; more: they are offered" {
    client 'take 3 >$T/first; until test -e $T/go; do sleep 0.05; done; give 3
        until test -e $T/more; do sleep 0.05; done; take 3 >$T/second; '"$LINGER" -k 4 pool
    eventually is 3 cat first
    exits 0 resize pool 2
    [ "$(holders pool)" -eq 4 ]
    touch go
    eventually is 2 holders pool
    exits 0 resize pool 4
    touch more
    eventually is 3 cat second
    [ "$(holders pool)" -eq 4 ]
    touch end
    ends 0 "$pid"
    free pool 4
}

@test "the gate is removed meanwhile: the build goes on with the jobs that it has" {
    client 'take 1 >$T/first; until test -e $T/go; do sleep 0.05; done; give 1; take 1 >$T/second' -k 2 pool
    eventually is 1 cat first
    exits 0 remove --force pool
    eventually grep -q "goes on with the jobs that it has" background.err
    touch go
    ends 0 "$pid"
    [ "$(cat second)" -eq 1 ]
}

@test "each slot's stay is in the log" {
    makefile Makefile 6
    DOES=$(together 3) exits 0 jobserver --log log -k 3 pool -- make
    [ "$(jq -s '[.[] | select(.event == "enter")] | length' log)" -ge 3 ]
    [ "$(jq -c 'select(.event == "enter") | [.ticket, .slot]' log | sort)" = \
        "$(jq -c 'select(.event == "exit") | [.ticket, .slot]' log | sort)" ]
}

@test "another user's build, at a gate that all may use" {
    [ "$(id -u)" -eq 0 ] || skip "needs root"
    chmod 755 "$BATS_RUN_TMPDIR" "$BATS_TEST_TMPDIR" 2>/dev/null
    as_nobody test -x "$ADMIT" -a -x "$T" || skip "another user cannot come here"
    mkdir -m 777 shared
    makefile Makefile 4
    : >noted
    chmod 666 noted
    export DOES='sleep 0.05'
    background jobserver -k 2 --mode 0666 "$T/shared/pool" -- make
    eventually test -e shared/pool
    as_nobody DOES="$DOES" "$ADMIT" jobserver "$T/shared/pool" -- make
    ends 0 "$pid"
    at_most 2
    [ "$(begun)" -eq 8 ]
}

# --- statuses -------------------------------------------------------------------------------------------------------------

@test "the exit status is the command's" {
    exits 0 jobserver -k 2 pool -- true
    exits 3 jobserver pool -- sh -c 'exit 3'
    exits 127 jobserver pool -- ./nothing
    exits 126 jobserver pool -- "$T"
    exits 137 jobserver pool -- sh -c 'kill -KILL $$'
    enter one pool
    enter two pool
    eventually inside one
    eventually inside two
    exits 75 jobserver --try pool -- true
    exits 124 jobserver -w 0.05 pool -- true
    exits 9 jobserver -w 0.05 -E 9 -q pool -- true
    let_go one
    let_go two
    free pool 2
}

@test "nonsense is refused" {
    exits 125 jobserver
    exits 125 jobserver pool
    exits 125 jobserver nowhere -- make
    says_error "-k K"
    exits 125 jobserver -k 0 pool -- make
    exits 125 jobserver --nested -k 1 pool -- make
    exits 125 jobserver pool make -- make
    exits 125 jobserver --pipe --fifo -k 1 pool -- make
    says_error "--pipe and --fifo: which one?"
    exits 125 jobserver -k 1 pool -- env A=1 make -j2
    says_error "admit jobserver: make: with '-j2'"
    exits 0 jobserver --help
    says "usage: admit jobserver"
}

# --- cargo --------------------------------------------------------------------------------------------------------------

@test "cargo: never more compilers than slots" {
    command -v cargo >/dev/null && command -v rustc >/dev/null || skip "needs cargo"
    local c way
    for c in a b c d; do
        mkdir -p "$c/src"
        printf '[package]\nname = "%s"\nversion = "0.1.0"\nedition = "2021"\n' "$c" >"$c/Cargo.toml"
        echo "pub fn $c() {}" >"$c/src/lib.rs"
    done
    printf '[workspace]\nmembers = ["a", "b", "c", "d"]\nresolver = "2"\n' >Cargo.toml
    cat >wrapper <<'END'
#!/bin/sh
case "$*" in
*"--crate-name ___"*) exec "$@" ;;
*--crate-name*) ;;
*) exec "$@" ;;
esac
echo "begin rustc" >>"$T/noted"
"$@"
status=$?
echo "end rustc" >>"$T/noted"
exit $status
END
    chmod +x wrapper
    for way in --pipe --fifo; do
        rm -rf target noted
        RUSTC_WRAPPER=$T/wrapper exits 0 jobserver -k 1 $way --resize pool -- cargo build --offline -q
        at_most 1
        [ "$(begun)" -ge 4 ]
    done
    free pool 1
}

@test "one that fails before there is a build has left its slot: nobody is told of a death" {
    limited() { # few descriptors: none from 100 on
        ulimit -n 50
        exec "$ADMIT" "$@"
    }
    run --separate-stderr limited jobserver -k 1 pool -- true
    [ "$status" -eq 125 ]
    says_error "Too many open files"
    TMPDIR=$T/nowhere exits 125 jobserver --fifo pool -- true
    exits 0 run pool -- sh -c 'echo "died: $ADMIT_OWNER_DIED"'
    [ "$output" = "died: " ]
    "$ADMIT" status pool --json | jq -e '.recovered == 0 and .dead == []'
}

@test "a build that ends with a request in line has not failed, and the report does not say so" {
    makefile Makefile 3
    exits 0 jobserver --log "$T/log" -k 1 pool -- make -s
    exits 0 report --json "$T/log"
    [ "$(jq -c '.gates[0].gave_up | add' <<<"$output")" = 0 ]
    [ "$(jq -r 'select(.event == "give_up") | .why' "$T/log")" = ended ]
}
