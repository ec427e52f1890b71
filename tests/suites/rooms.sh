#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The folders of src are rooms, one above the other: no includes lead round in a circle, and `admit run` has nothing of
# the checker in it. `make rooms` prints them from the lowest to the highest.
. tests/tap.sh

# Fails, naming the folders, if the includes of this tree lead round.
rooms_in_order() {
    sh tests/include_graph.sh "$1" >"$scratch/edges" && test -s "$scratch/edges" || return 2
    tsort "$scratch/edges"
}

has_no_circle() {
    rooms_in_order .
}

# One line too much: a room includes from one above it.
finds_a_circle() {
    for line in 'src/base/die.c checker/question.h' 'src/timestamps/ranks.h checker/model/process.h' \
        'src/registers/about.h algorithms/catalogue.h' 'src/checker/model/model.c checker/reduce/tickets.h'; do
        rm -rf "$scratch/tree" && mkdir "$scratch/tree" && cp -r src include Makefile "$scratch/tree"
        echo "#include \"${line#* }\"" >>"$scratch/tree/${line% *}"
        rooms_in_order "$scratch/tree" 2>"$scratch/complaint"
        if [ $? -ne 1 ] || ! grep -q loop "$scratch/complaint"; then
            echo "$line was not noticed"
            return 1
        fi
    done
}

# All files that these include, and so on.
reached_from() {
    sh tests/include_graph.sh files >"$scratch/includes"
    awk -v start="$1" '
        { to[$1] = to[$1] " " $2 }
        function go(file,    next_one, count, n) {
            if (seen[file]++) return
            print file
            count = split(to[file], next_one, " ")
            for (n = 1; n <= count; n++) go(next_one[n])
        }
        END { for (file in to) if (index(file, start) == 1) go(file) }' "$scratch/includes"
}

run_needs_no_laboratory() {
    reached_from src/cli/gates/ >"$scratch/reached"
    grep '^src/cli/usage.h$' "$scratch/reached" || return 1 # it does look
    ! grep -E '^src/(checker|claims|histories|counter|bounds|cli/laboratory)/' "$scratch/reached" &&
        ! xargs grep -l '<jansson.h>' <"$scratch/reached"
}

base_needs_nobody() {
    ! sh tests/include_graph.sh | grep '^base '
}

# What the build writes lies nowhere in the tree.
includes_what_is_there() {
    find src -name '*.[ch]' -exec grep -Ho '^#include "[^"]*"' {} + | sed 's/:#include "/ /; s/"$//' |
        while read -r file included; do
            case $included in
            variants.h | timestamps.h | admit.h) continue ;;
            esac
            test -f "src/$included" || echo "$file: there is no $included"
        done >"$scratch/missing"
    cat "$scratch/missing"
    test ! -s "$scratch/missing"
}

check "no includes between folders lead round in a circle" has_no_circle
check "a line that leads round is noticed" finds_a_circle
check "admit run includes neither the checker nor jansson" run_needs_no_laboratory
check "what everybody uses needs nobody" base_needs_nobody
check "every file that is included is there" includes_what_is_there
finish
