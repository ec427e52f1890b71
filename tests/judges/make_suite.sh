#!/bin/sh
# SPDX-License-Identifier: MIT
#
# make_suite.sh [K]
#
# GNU make's own test suite, every call of make inside a pool of K jobs (1): once a pipe's, once `admit jobserver`'s.
# Nobody here wrote the suite, and with a pool from outside some hundred of its comparisons fail, whatever the pool: a
# test counts as the same if it passes in both or fails in both. Those that differ run five times more on both sides; what
# then has gone both ways is the suite's own chance. Exits 1 if a test differs that always goes one way here, another there.
#
# The sources are those of this Debian's make, by `apt-get source` with a state of its own below $BUILD/judges, or unpacked
# in $MAKE_SOURCE: they must be of the version of $JUDGE_MAKE (make). Skips, with the reason, where they cannot be had.
set -u
k=${1:-1} BUILD=${BUILD:-build} make=$(command -v "${JUDGE_MAKE:-make}")
unset MAKEFLAGS MFLAGS MAKELEVEL ADMIT_GATE ADMIT_LOG
judges=$BUILD/judges
mkdir -p "$judges" && judges=$(cd "$judges" && pwd) || exit 1
admit=$(cd "$BUILD" && pwd)/admit

skip() {
    echo "make_suite.sh: skipped: $1" >&2
    exit 0
}

# --- the sources ------------------------------------------------------------------------------------------------------
# With one line in the log for each comparison, and with what is to stand before make's path.
prepare() {
    cp -a "$1" "$judges/source.new" && cd "$judges/source.new/tests" || return 1
    sed 's/@[A-Z_]*@//' config-flags.pm.in >config-flags.pm
    # shellcheck disable=SC2016 # perl's variables
    perl -0pi -e '
        s/^(\@make_command = \(\);\n)/$1our \@POOL = split(" ", \$ENV{JUDGED_POOL});\nour \$RESULTS = \$ENV{JUDGED_RESULTS};\n/m;
        s/\@make_command = \(\$make_path\);/\@make_command = (\@POOL, \$make_path);/' run_make_tests.pl
    # shellcheck disable=SC2016
    perl -0pi -e '
        s/^sub compare_output\n\{/sub compare_output\n{
  my \$passed = compared(\@_);
  open(my \$log, ">>", \$main::RESULTS) or die "\$main::RESULTS: \$!";
  print \$log "\$testname \$tests_run ", (\$passed ? "passes" : "fails"), "\\n";
  close(\$log);
  return \$passed;
}

sub compared\n{/m' test_driver.pl
    grep -q JUDGED_POOL run_make_tests.pl && grep -q 'sub compared' test_driver.pl && mv "$judges/source.new" "$judges/source"
}

# From where this machine has its packages, with lists of its own.
fetch() {
    apt=$judges/apt
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/parts"
    for list in /etc/apt/sources.list.d/*.sources; do
        [ -e "$list" ] && sed 's/^Types:.*/Types: deb-src/' "$list" >"$apt/parts/${list##*/}"
    done
    for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [ -e "$list" ] && sed -n 's/^deb /deb-src /p' "$list" >"$apt/parts/${list##*/}.list"
    done
    cat >"$apt/conf" <<END
APT::Sandbox::User "";
Dir::Etc::SourceList "/dev/null";
Dir::Etc::SourceParts "$apt/parts";
Dir::State::Lists "$apt/lists";
Dir::Cache "$apt/cache";
END
    (cd "$apt" && export APT_CONFIG="$apt/conf" && { apt-get -q update || true; } && apt-get -q source make-dfsg) >"$apt/log" 2>&1 ||
        skip "apt-get source make-dfsg failed: $(tail -n 1 "$apt/log")"
    MAKE_SOURCE=$(echo "$apt"/make-dfsg-*/)
}

if [ ! -d "$judges/source" ]; then
    [ -n "${MAKE_SOURCE:-}" ] || fetch
    [ -e "$MAKE_SOURCE/tests/run_make_tests.pl" ] || skip "no tests/run_make_tests.pl in $MAKE_SOURCE"
    rm -rf "$judges/source.new"
    (prepare "$MAKE_SOURCE") || skip "the suite in $MAKE_SOURCE is not the one that is known here"
fi

# --- a run ------------------------------------------------------------------------------------------------------------
gates=$(mktemp -d /tmp/make_suite.XXXXXX) || exit 1
trap 'rm -rf "$gates"' EXIT

pool_of() {
    case $1 in
    pipe) echo "$judges/carry $judges/pool $k --carry" ;;
    admit) echo "$judges/carry $admit jobserver -k $k $gates/gate -- --carry" ;;
    esac
}

# suite SIDE RUN [TEST...]: its log is $judges/SIDE.RUN
suite() {
    pool=$(pool_of "$1") results=$judges/$1.$2 place=$judges/$1
    shift 2
    rm -rf "$place" "$results" && cp -a "$judges/source" "$place" || return 1
    (cd "$place/tests" && JUDGED_POOL=$pool JUDGED_RESULTS=$results perl ./run_make_tests.pl -make "$make" "$@") >"$results.out" 2>&1 </dev/null
    [ -s "$results" ] || { tail -n 5 "$results.out"; return 1; }
}

for side in pipe admit; do
    echo "# $side pool of $k ..." >&2
    suite $side 0 || exit 1
    echo "$side: $(grep -c ' passes$' "$judges/$side.0") of $(grep -c . "$judges/$side.0") pass"
done

# --- what differs -----------------------------------------------------------------------------------------------------
# A test that has a verdict on one side only differs, too: test and number, and both verdicts.
sort "$judges/pipe.0" >"$judges/pipe.sorted"
sort "$judges/admit.0" >"$judges/admit.sorted"
different=$(comm -3 "$judges/pipe.sorted" "$judges/admit.sorted" | awk '{ print $1 }' | sort -u)
[ -n "$different" ] || { echo "the same, test by test"; exit 0; }
echo "# once more, five times: $(echo "$different" | tr '\n' ' ')" >&2
for run in 1 2 3 4 5; do
    for side in pipe admit; do
        # shellcheck disable=SC2086 # each a word
        suite $side $run $different || exit 1
    done
done
for side in pipe admit; do
    for run in 0 1 2 3 4 5; do
        sed "s/^/$side /" "$judges/$side.$run"
    done
done | awk -v tests="$different" '
    BEGIN { split(tests, name, "\n"); for (i in name) asked[name[i]] = 1 }
    asked[$2] { count[$2 " " $3, $1, $4]++; seen[$2 " " $3] = 1 }
    END {
        for (test in seen) {
            p = count[test, "pipe", "passes"] + 0; pf = count[test, "pipe", "fails"] + 0
            a = count[test, "admit", "passes"] + 0; af = count[test, "admit", "fails"] + 0
            if ((p && af && !pf && !a) || (pf && a && !p && !af) || !(p + pf) || !(a + af)) { verdict = "DIFFERENT"; wrong++ }
            else if ((p && pf) || (a && af)) verdict = "either way"
            else continue
            printf "%-10s %-34s pipe passes %d of %d, admit %d of %d\n", verdict, test, p, p + pf, a, a + af
        }
        exit wrong > 0
    }'
