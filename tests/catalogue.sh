#!/bin/sh
# SPDX-License-Identifier: MIT
#
# catalogue.sh DOCUMENT - prints the document with its table of the catalogue made anew, between the two lines of it that say
# where the table begins and ends (make catalogue).
#
# All columns but the last are what `admit algorithms` says; the last is from docs/checked.md: of the explorations of all
# that is claimed, every passage, the one with the most states.
set -eu
BUILD=${BUILD:-build}
document=$1

table() {
    "$BUILD/admit" algorithms --json | jq -r --rawfile checked docs/checked.md \
        --arg pages "$(cd docs && find algorithms -name '*.md')" '
        ($pages | split("\n")) as $pages |
        [$checked | split("\n")[]
            | capture("^\\| `(?<id>[^ ]+) (?<setting>[^`]+)` \\| (?<states>[0-9,]+[*]?) \\|[^|]*\\| (?<found>[^|]*) \\|")
            | select((.setting | test("--property|--passages") | not) and (.found | test("violated|undecided") | not))
            | .size = (.states | gsub("[^0-9]"; "") | tonumber)] as $explored |

        def page: "algorithms/\(.).md" as $own | if $pages | index([$own]) then $own else "algorithms/\(sub("/.*"; "")).md" end;
        def tolerated(properties): [.claims[] | select(.property | IN(properties)) | .faults[]];
        def survives: tolerated("deadlock-freedom", "lockout-freedom") as $progress
            | [.claims[] | select(.property == "exclusion" or .property == "fcfs")][0].faults
            | map(select(IN($progress[]))) | join(", ");
        def explored: .id as $id | [$explored[] | select(.id == $id)] | max_by(.size)
            | if . == null then "" else "`\(.setting)`: \(.states)" end;

        "| algorithm | printed in | k | registers | shared bits | order | survives | explored: states |",
        "|---|---|---|---|---|---|---|---|",
        (.[] | "| [\(.id)](\(.id | page)) | \(.printed_in // "here")"
            + " | \(.k // "any") | \(.registers)"
            + " | \(.bits_formula | if . == "unbounded" then . else "`\(.)`" end)\(if .max_n then ", n up to \(.max_n)" else "" end)"
            + " | \(.fairness) | \(survives) | \(explored) |")'
}

table=$(table)
TABLE=$table awk '
    /^<!-- The table of the catalogue ends/ { writing = 0 }
    !writing { print }
    /^<!-- The table of the catalogue begins/ { writing = 1; print ""; print ENVIRON["TABLE"]; print "" }' "$document"
