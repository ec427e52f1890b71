#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check-all.sh TABLE CLAIMS [ONLY] - runs the long explorations and writes what they found as a table, and all that the
# papers claim, with what was found of it, as another (make check-all).
#
# Each line below is a setting for `admit check`; without --property it checks all that the catalogue claims there. With
# ONLY, a pattern as grep has it, those that match are explored anew, the rows of the others stay as they are in the table,
# and so do the claims (make check-all ONLY=gate).
set -u
BUILD=${BUILD:-build}
table=$1
claims=$2
only=${3:-}
new=$(mktemp) || exit 1
result=$(mktemp) || exit 1
trap 'rm -f "$new" "$result"' EXIT

settings() {
    cat <<'END'
one_bit -n 2 --registers safe
one_bit -n 3 --registers safe
one_bit -n 4 --registers safe
one_bit -n 5 --registers safe
one_bit -n 6 --registers safe
one_bit -n 4 --registers regular
one_bit -n 5 --registers atomic
one_bit -n 6 --registers atomic
one_bit -n 7 --registers atomic
one_bit -n 4 --registers safe --fault crash:4
one_bit -n 3 --registers safe --property lockout-freedom
one_bit_stabilizing -n 5
one_bit_stabilizing -n 5 --registers safe
three_bit -n 2 --registers safe
three_bit -n 3 --registers safe --order any
three_bit -n 3 --fault crash:3
three_bit_stabilizing -n 3 --registers safe --order any
n_bit -n 2 --registers safe
n_bit -n 3 --registers safe --order any
n_bit/one_bit -n 2 --registers safe
n_bit/one_bit -n 3 --order any
n_bit/one_bit -n 3 --fault crash
n_factorial_bit -n 2 --registers safe
n_factorial_bit/one_bit -n 2 --registers safe
n_factorial_bit/one_bit_stabilizing -n 2 --registers safe
n_factorial_bit/one_bit_stabilizing -n 2 --fault transient --property deadlock-freedom
n_factorial_bit/one_bit_mending -n 2 --registers safe
n_factorial_bit/one_bit_mending -n 2 --fault transient
burns_lynch -n 4
burns_lynch -n 5
burns_lynch -n 6
burns_lynch -n 7
burns_lynch -n 4 --order any
burns_lynch -n 5 --order any
burns_lynch -n 5 --registers safe --property exclusion --property deadlock-freedom
burns_lynch -n 5 --fault crash:5
burns_lynch -n 3 --property lockout-freedom
bakery -n 2
bakery -n 3
bakery -n 4
bakery -n 2 --order any
bakery -n 3 --order any
bakery -n 2 --registers regular
bakery -n 3 --registers regular
bakery -n 3 --fault crash:3
bakery -n 4 --passages 1 --order any --property exclusion
bakery -n 3 --property local-spin --model cc
peterson -n 3
peterson -n 4
peterson -n 3 -k 2
peterson -n 4 -k 2
peterson -n 4 -k 2 --property lockout-freedom --property fife
peterson -n 4 -k 2 --fault crash
peterson -n 3 -k 2 --fault crash --property lockout-freedom
peterson -n 3 -k 2 --property local-spin
afek/ideal -n 2
afek/ideal -n 3
afek/ideal -n 3 -k 2
afek/ideal -n 3 -k 2 --fault crash
afek/unbounded -n 3 -k 2
afek/unbounded -n 3 -k 2 --fault crash
afek/snapshot -n 2
afek/linear -n 2
afek/linear -n 2 --fault crash
afek/linear -n 2 -k 2
afek/linear -n 2 -k 2 --fault crash
afek/linear -n 2 -k 2 --property strong-fife
zehavi/ideal -n 2
zehavi/ideal -n 2 -k 2
zehavi/ideal -n 3 -k 2 --property exclusion
zehavi/ideal -n 3 -k 2 --passages 1
zehavi/ideal -n 3 -k 2 --passages 1 --fault crash --property lockout-freedom --property fife
zehavi/unbounded -n 2
zehavi/snapshot -n 2
zehavi/linear -n 2
zehavi/linear -n 2 --fault crash
zehavi/linear -n 2 -k 2
zehavi/linear -n 2 -k 2 --fault crash
zehavi/linear -n 2 -k 2 --property strong-fife
semaphore -n 5 -k 3
semaphore -n 5 -k 3 --fault crash:2
semaphore -n 5 -k 2 --property lockout-freedom --property fifo-enabling
bank -n 5 -k 3
bank -n 4 -k 2 --property k-deadlock-avoidance
queue -n 6 -k 2
queue -n 6 -k 3
queue -n 5 -k 3 --fault crash:2
numbered_ticket -n 6 -k 2
numbered_ticket -n 6 -k 3
numbered_ticket -n 5 -k 3 --fault crash:2
unbounded_colored_ticket -n 6 -k 2
unbounded_colored_ticket -n 6 -k 3
unbounded_colored_ticket -n 5 -k 3 --fault crash:2
colored_ticket -n 4 -k 2
colored_ticket -n 5 -k 2
colored_ticket -n 5 -k 3
colored_ticket -n 6 -k 2
colored_ticket -n 4 -k 2 --fault crash
colored_ticket_stack -n 4 -k 3
colored_ticket_small -n 2 -k 1
colored_ticket_small -n 4 -k 2
colored_ticket_small -n 5 -k 2
colored_ticket_small -n 5 -k 3
colored_ticket_small -n 6 -k 3
gate -n 2 --fault recovery --fault abort
gate -n 2 -k 2 --fault recovery --fault abort
gate -n 2 --with try --fault recovery --fault abort
gate -n 2 -k 2 --with try --fault recovery --fault abort
gate -n 3
gate -n 3 -k 2
gate -n 3 --with try
gate -n 3 -k 2 --with try
gate -n 2 --with alone --fault recovery --fault abort
gate -n 2 -k 2 --with alone --fault recovery --fault abort
gate -n 2 --with alone --with try --fault recovery --fault abort
gate -n 2 -k 2 --with alone --with try --fault recovery --fault abort
gate -n 2 -k 2 --with resize --fault recovery --fault abort
gate -n 2 -k 2 --with alone --with resize --with try --fault recovery --fault abort
gate -n 2 --with heir --fault recovery --fault abort
gate -n 2 -k 2 --with heir --fault recovery --fault abort
gate -n 2 --with alone --with heir --with try --fault recovery --fault abort
gate -n 2 -k 2 --with alone --with heir --with resize --with try --fault recovery --fault abort
gate -n 1 --with removal --fault recovery --fault abort
gate -n 2 --with removal --fault recovery --fault abort
gate -n 2 -k 2 --with removal --fault recovery --fault abort
gate -n 2 --with removal --with try --fault recovery --fault abort
gate -n 2 --with alone --with removal --fault abort
gate -n 2 -k 2 --with removal --with resize --fault abort
gate -n 1 --with heir --with removal --fault recovery --fault abort
gate -n 2 --with heir --with removal
gate -n 3 --with removal
gate -n 3 --with heir
gate -n 3 -k 2 --passages 1 --with resize --fault recovery:1
gate -n 3 --with alone
gate -n 3 -k 2 --with resize --property exclusion --property no-slot-lost --property distinct-slots
test:gate_in_haste -n 2 --passages 3 --fault recovery:2 --fault abort
test:gate_in_haste -n 2 -k 2 --passages 3 --fault recovery:2 --fault abort
test:gate_in_haste -n 2 --passages 3 --fault recovery:1 --fault abort --with alone --with try
test:gate_in_haste -n 2 -k 2 --passages 3 --fault recovery:1 --fault abort --with alone --with try
test:gate_in_haste -n 3 -k 2 --passages 1 --fault recovery:1
etcd_gate -n 2
etcd_gate -n 2 -k 2
etcd_gate -n 3
etcd_gate -n 3 -k 2
etcd_gate -n 3 -k 3
etcd_gate -n 4
etcd_gate -n 4 -k 2
etcd_gate -n 4 -k 3
etcd_gate -n 3 --fault crash
etcd_gate -n 3 -k 2 --fault crash
etcd_gate -n 3 -k 2 --fault crash --property no-slot-lost
etcd_gate -n 3 --fault abort
etcd_gate -n 3 -k 2 --fault abort
etcd_gate -n 3 --fault lease
etcd_gate -n 3 -k 2 --fault lease
etcd_gate -n 3 --fault repeat
etcd_gate -n 3 -k 2 --fault repeat
etcd_gate -n 3 --fault watch
etcd_gate -n 3 -k 2 --fault watch
etcd_gate -n 3 --fault freeze
etcd_gate -n 3 -k 2 --fault freeze
etcd_gate -n 3 -k 2 --fault crash --fault lease --fault repeat
etcd_gate -n 3 -k 2 --fault freeze --fault repeat --fault watch
etcd_gate -n 3 --fault lease --fault repeat --fault abort
etcd_gate -n 3 -k 2 --fault lease --fault repeat --fault abort
etcd_gate -n 3 -k 2 --fault crash --fault lease --fault repeat --fault watch
etcd_gate -n 3 -k 3 --fault crash --fault lease --fault repeat
etcd_gate -n 2 --fault crash:2 --fault lease:2 --fault repeat:2 --fault watch:2
etcd_gate -n 2 -k 2 --fault crash:2 --fault lease:2 --fault repeat:2 --fault watch:2
etcd_gate -n 2 --fault crash --fault lease --fault repeat --fault watch --fault freeze --fault abort
etcd_gate -n 2 -k 2 --fault crash --fault lease --fault repeat --fault watch --fault freeze --fault abort
etcd_gate -n 4 -k 2 --fault crash
etcd_gate -n 4 -k 2 --fault lease
etcd_gate -n 4 -k 2 --fault repeat
etcd_gate -n 4 -k 3 --fault repeat
etcd_gate -n 4 -k 2 --fault watch
etcd_gate -n 4 -k 2 --fault freeze
gate -n 3 --fault recovery
gate -n 3 --fault recovery --fault abort
gate -n 3 -k 2 --fault abort
gate -n 3 -k 2 --passages 1 --fault recovery --fault abort
gate -n 3 -k 2 --fault recovery
gate -n 4
END
}

# Reads a number of the first kind of field in the result.
number() { sed -n "s/^  \"$1\": \([0-9.]*\),*$/\1/p" "$result" | head -n 1; }
grouped() { printf %s "$1" | sed -e ':a' -e 's/\([0-9]\)\([0-9]\{3\}\)\($\|,\)/\1,\2\3/' -e 'ta'; }
# "exclusion holds, fcfs holds ..." with the bounds found.
verdicts() {
    sed -n -e 's/^      "name": "\(.*\)",$/N \1/p' -e 's/^      "model": "\(.*\)",$/M \1/p' \
        -e 's/^      "verdict": "\(.*\)",$/V \1/p' \
        -e 's/^      "bound": \([0-9]*\),*$/B \1/p' "$result" |
        awk '$1 == "N" { name = $2 } $1 == "M" { name = name " (" $2 ")" }
             $1 == "V" { list = list (list == "" ? "" : ", ") name " " ($2 == "holds" ? "holds" : "**" $2 "**") }
             $1 == "B" { list = list " (" $2 ")" } END { print list }'
}

{
    echo '<!-- SPDX-License-Identifier: MIT -->'
    echo '# What has been explored'
    echo
    echo 'Written by `make check-all`. Every row is an exploration of the shipped code by the command in its first column;'
    echo 'without `--property` it checks all that the catalogue claims there. A number in brackets is the bound found. Rows with a star had'
    echo 'ambiguous steps (L4 in properties.md): what holds, holds, but some of the states counted may not exist.'
    echo
    echo '| `admit check ...` | states | transitions | found | seconds | MB |'
    echo '|---|---|---|---|---|---|'
} >"$new"
failed=0
broken=
settings >"$result.settings"
while read -r setting; do
    if ! printf '%s\n' "$setting" | grep -q -e "$only"; then
        grep -F "| \`$setting\` |" "$table" >>"$new" || echo "not explored, and not in $table: $setting" >&2
        continue
    fi
    printf '%-80s ' "$setting" >&2
    # shellcheck disable=SC2086 # a setting is several words
    "$BUILD/admit" check $setting --json >"$result" 2>/dev/null </dev/null
    status=$?
    echo "exit $status, $(number seconds) s" >&2
    [ $status -le 3 ] && [ $status -ne 2 ] || failed=1
    case $setting in
    *--property*) ;;
    *) [ $status -ne 1 ] || broken="$broken; $setting" ;; # it is claimed, and does not hold
    esac
    seconds=$(printf %.1f "$(number seconds)")
    megabytes=$(($(number memory_bytes) / 1000000))
    star=
    grep -q '"ambiguous_steps"' "$result" && star='*'
    echo "| \`$setting\` | $(grouped "$(number states)")$star | $(grouped "$(number transitions)") | $(verdicts) | $seconds | $megabytes |" >>"$new"
done <"$result.settings"
rm -f "$result.settings"
[ $failed -eq 0 ] || exit 1
mkdir -p "$(dirname "$table")"
cp "$new" "$table"
echo "$table is written." >&2
[ -z "$broken" ] || {
    echo "claimed, but violated: ${broken#; }" >&2
    exit 1
}

[ -z "$only" ] || exit 0

# One line for each row of `admit claims --full`.
"$BUILD/admit" claims --full --json >"$result" || [ $? -eq 3 ] || exit 1
jq -r '
    def grouped: tostring | until(test("^[0-9]{4,}") | not; sub("(?<head>[0-9]+)(?<tail>[0-9]{3})"; "\(.head),\(.tail)"));
    def cell: if . == null or . == "" then "-" else tostring | gsub("\\|"; "\\|") end;
    def number: if .measured == null then "" elif .bound == null then ": \(.measured)" else ": \(.measured) (\(.bound))" end;
    def says: if .published == null then "-" elif .published then "holds" else "does not" end;
    def row: "| \(.claim | cell) | \(.algorithm | cell) | \(.n | cell) | \(.k | cell) | \(.registers | cell) | \(.faults | join(", ") | cell)"
        + " | \(.property | cell) | \(says) | \(if .agrees == false then "**\(.found)**" else .found end)\(number)"
        + " | \(if .states == null then "-" else .states | grouped end) | \(.seconds * 10 | round / 10)"
        + " | \(.note // "") |";
    "<!-- SPDX-License-Identifier: MIT -->",
    "# What the papers claim, and what was found", "",
    "Written by `make check-all` from `admit claims --full --json`. A row is a sentence of a paper, in our words, for one",
    "setting: what the paper says, and what was found when the shipped code was explored. Bold: other than the paper says.",
    "Numbers are what was measured, and in brackets what the paper gives. Seconds are those of the whole exploration, which",
    "several rows may share. `admit claims --traces DIR` writes the counterexamples.", "",
    "\(length) rows: \(map(select(.agrees == true)) | length) agree, \(map(select(.agrees == false)) | length) disagree, \(map(select(.found == "undecided")) | length) undecided.",
    (group_by(.paper)[] | "", "## \(.[0].paper)", "",
        "| claim | algorithm | n | k | registers | faults | property | paper says | found | states | seconds | note |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|", (.[] | row))' "$result" >"$new" || exit 1
mkdir -p "$(dirname "$claims")"
cp "$new" "$claims"
echo "$claims is written." >&2
