# SPDX-License-Identifier: MIT
#
# For tests/mutate/without and tests/mutate/try: which suites can notice a mutant of the native layers, and how they are
# built and run.
#
# Two worlds: `plain`, as the library ships; and `strict`, with sanitizers and debug checks, in which nobody looks by
# itself (ADMIT_NO_LOOKS), so that a wake-up that is left out is a hang.
of_world() { local world=$1 name; shift; for name; do echo "$world:tests/$name"; done; }

strict_ones=(native/{gate_woken,gate_outside,gate_age} faults/{woken,records,closing,contended_killed})
gate_suites() { # what is new is here by itself
    of_world plain $(cd tests && ls native/gate_*.c native/run_killed.c faults/*.c | sed 's/\.c$//' |
        grep -vxF "$(printf '%s\n' "${strict_ones[@]}")") cli/{gates,run,owner,nested}.bats
    of_world strict "${strict_ones[@]}" native/{gate_world,gate_owner,gate_line,gate_file,gate_image,gate_storm}
}
# Locks of the catalogue sleep by the same means. Some of them look on and on: on a busy machine that takes long.
lock_suites() { of_world plain native/{api,wake,debug,timestamps,stopped,thrift,stress}; of_world strict native/api; }
suites_for() { # FILE
    gate_suites
    [[ $1 != src/native/* ]] || lock_suites
    [[ $1 != src/gate/sleep/* ]] || of_world plain native/{wake,thrift}
}

# --- building ---------------------------------------------------------------------------------------------------------
with_plain=(CFLAGS=-O2)
with_strict=(CFLAGS=-O1 NO_LOOKS= 'CPPFLAGS=-DADMIT_DEBUG -DADMIT_NO_LOOKS'
    'SANITIZE=-fsanitize=address,undefined -fno-sanitize-recover=all')
# The strict world has no command line: no suite there runs it.
make_in() { # WORLD FOLDER ARGUMENT...
    local -n with=with_$1
    local folder=$2 without=()
    [[ $1 == plain ]] || without=(-o "$2/admit" -o "$2/libadmit.so")
    shift 2
    "$MAKE" --no-print-directory -s MUTANTS= TIMESTAMP_MUTANTS= "BUILD=$folder" "${with[@]}" "${without[@]}" "$@"
}
libraries_of() { echo "$2/libadmit.a"; [[ $1 != plain ]] || echo "$2/libadmit.so $2/admit"; } # WORLD FOLDER
programs_of() { # WORLD FOLDER SUITE...
    local world=$1 folder=$2 suite
    shift 2
    for suite; do [[ $suite != "$world":* || $suite == *.bats ]] || echo "$folder/${suite#*:}"; done
}

# --- running ----------------------------------------------------------------------------------------------------------
file_name_of() { echo "${1//[:\/]/_}"; } # SUITE
now_ms() { echo $((${EPOCHREALTIME/./} / 1000)); }

# Of FOLDER, which has the worlds in it, a suite, for so many seconds at most; none of its processes stays. One that
# fails does so at its first case. Its process group is in the folder $groups as long as it runs. Seconds are counted one by
# one: those in which this machine, or the group that this runs in, stands still are not counted.
HUNG=124
run_suite() { # SECONDS FOLDER SUITE LOG
    local build=$2/${3%%:*} group status watch command
    command=("$build/${3#*:}")
    [[ $3 == *.bats ]] && command=(bats --tap "${3#*:}")
    set -m # a group, but no session of its own: in one that nobody outside belongs to, nobody is stopped by SIGTSTP
    BUILD=$build ADMIT_TEST_QUICK=1 TMPDIR=$build/tmp CMOCKA_TEST_ABORT=1 \
        "${command[@]}" >"$4" 2>&1 </dev/null &
    group=$!
    set +m
    : >"$groups/$group"
    {
        for ((second = 0; second < $1; second++)); do sleep 1 && [[ -e $groups/$group ]] || exit; done
        : >"$groups/$group.hung"
        kill -KILL -- -$group
    } >/dev/null 2>&1 </dev/null &
    watch=$!
    wait $group 2>/dev/null
    status=$?
    kill $watch 2>/dev/null
    wait $watch 2>/dev/null
    [[ ! -e $groups/$group.hung ]] || status=$HUNG
    rm -f "$groups/$group" "$groups/$group.hung"
    kill -KILL -- -$group 2>/dev/null
    return $status
}
is_hang() { (($1 == HUNG)); } # STATUS

# How long it takes without a mutant, in ms, and how long it may take, in seconds: so many times as long.
took() { head -n 1 "$place/took/$(file_name_of "$1")"; }
limit_of() { echo $((($(took "$1") * 3 / 1000 + 5) * $2)); } # SUITE TIMES

# What the suite is made of, to tell whether it is the one that a mutant has survived.
version_of() { # SUITE
    local path=${1#*:}
    [[ $path == *.bats ]] || path=$place/${1%%:*}/$path.o
    cksum <"$path" | tr ' ' -
}
