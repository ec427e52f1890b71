#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The folders of src/gate are layers, from the lowest to the highest. What is in one includes and calls only what is in it
# or below it, and whoever includes a layer's header has those below. Calls are looked up in the objects of the build.
#
# In src/cluster the client of etcd is the lower layer: it knows nothing of gates, and of it others know etcd.h alone.
. tests/tap.sh

LAYERS='words file life sleep protocol calls'

# Lines "FILE LAYER LAYER WHAT": of two different layers, the second above the first.
leads_up() {
    awk -v layers="$LAYERS" '
        BEGIN { for (n = split(layers, name, " "); n > 0; n--) height[name[n]] = n }
        !($2 in height) || !($3 in height) { print $1 ": " $2 " or " $3 " is no layer"; next }
        height[$3] > height[$2] { print $1 ": " $2 " is below " $3 ", of which it has " $4 }'
}

all_have_a_layer() {
    find src/gate -type f | sed 's|^src/gate/||; s|/[^/]*$||' | LC_ALL=C sort -u >"$scratch/found"
    printf '%s\n' $LAYERS | LC_ALL=C sort | diff - "$scratch/found" || return 1
    for layer in $LAYERS; do
        test -f "src/gate/$layer/$layer.h" || return 1
    done
}

# upward_includes ROOT: those that lead up.
upward_includes() {
    sh tests/include_graph.sh files "$1" |
        sed -n 's|^\(src/gate/\([a-z]*\)/[^ ]*\) src/gate/\([a-z]*\)/\(.*\)$|\1 \2 \3 \4|p' >"$scratch/includes"
    test -s "$scratch/includes" || echo "no includes were found"
    leads_up <"$scratch/includes"
}

includes_lead_down() {
    upward_includes . >"$scratch/upward"
    cat "$scratch/upward"
    test ! -s "$scratch/upward"
}

an_upward_include_is_noticed() {
    mkdir -p "$scratch/tree" && cp -r src include Makefile "$scratch/tree" || return 1
    echo '#include "gate/protocol/protocol.h"' >>"$scratch/tree/src/gate/life/anchor.c"
    upward_includes "$scratch/tree" >"$scratch/upward"
    cat "$scratch/upward"
    grep -q 'life/anchor.c: life is below protocol' "$scratch/upward" && test "$(wc -l <"$scratch/upward")" -eq 1
}

# "LAYER OBJECT" for every file of every layer.
objects() {
    for layer in $LAYERS; do
        for source in src/gate/"$layer"/*.c; do
            [ -f "$source" ] || continue # a layer may have headers only
            object=$BUILD/native/${source#src/}
            echo "$layer ${object%.c}.o"
        done
    done
}

# upward_calls: of the objects in the input, those that lead up. What no layer has is libc's, or of another room.
upward_calls() {
    while read -r layer object; do
        nm -P "$object" | awk -v at="$object $layer" '{ print at, ($2 == "U" ? "needs" : "has"), $1 }' || return 1
    done >"$scratch/symbols"
    awk '$3 == "has" { layer[$4] = $2 }
        $3 == "needs" { file[++needs] = $1; from[needs] = $2; what[needs] = $4 }
        END { for (n = 1; n <= needs; n++) if (what[n] in layer) print file[n], from[n], layer[what[n]], what[n] }' \
        "$scratch/symbols" >"$scratch/calls"
    test -s "$scratch/calls" || echo "no calls were found"
    leads_up <"$scratch/calls"
}

calls_lead_down() {
    objects | upward_calls >"$scratch/upward"
    cat "$scratch/upward"
    test ! -s "$scratch/upward"
}

# By a file that declares for itself what it must not know.
an_upward_call_is_noticed() {
    echo 'void admit_gate_close(void *gate); void admit_test(void *gate); void admit_test(void *gate) { admit_gate_close(gate); }' \
        >"$scratch/upward.c"
    ${CC:-gcc} -c "$scratch/upward.c" -o "$scratch/upward.o" || return 1
    {
        objects
        echo "sleep $scratch/upward.o"
    } | upward_calls >"$scratch/upward"
    cat "$scratch/upward"
    grep -q 'sleep is below calls, of which it has admit_gate_close' "$scratch/upward" &&
        test "$(wc -l <"$scratch/upward")" -eq 1
}

# inside_and_out ROOT: the files of the client, which are those that include one of its own headers, include nothing but
# these and etcd.h; and the headers each only those before it.
inside_and_out() {
    sh tests/include_graph.sh files "$1" | awk '
        BEGIN {
            count = split("etcd base64 message response lookup curl http transport client", name, " ")
            for (n = 1; n <= count; n++) place["src/cluster/" name[n] ".h"] = n
        }
        function height(file) { return file in place ? place[file] : 0 }
        { from[NR] = $1; to[NR] = $2 }
        height($2) > 1 { of_client[$1] = 1; parts++ }
        END {
            for (edge = 1; edge <= NR; edge++) {
                if ((from[edge] in of_client || height(from[edge])) && !height(to[edge]))
                    print from[edge] ": the client of etcd knows " to[edge]
                if (height(from[edge]) && height(to[edge]) > height(from[edge])) print from[edge] ": is below " to[edge]
                if (height(to[edge]) > 1 && from[edge] !~ /^src\/cluster\//) print from[edge] ": knows " to[edge]
            }
            if (parts < 10) print "no client was found"
        }'
}

client_knows_no_gates() {
    inside_and_out . >"$scratch/known"
    cat "$scratch/known"
    test ! -s "$scratch/known"
}

a_client_that_does_is_noticed() {
    for line in 'cluster/txn.c gate/calls/calls.h' 'cluster/client.h cluster/participant.h' 'cluster/http.h cluster/client.h' \
        'native/lock.c cluster/http.h'; do
        rm -rf "$scratch/tree" && mkdir "$scratch/tree" && cp -r src include Makefile "$scratch/tree" || return 1
        echo "#include \"${line#* }\"" >>"$scratch/tree/src/${line% *}"
        inside_and_out "$scratch/tree" >"$scratch/known"
        grep -q "^src/${line% *}: .*${line#* }$" "$scratch/known" || { echo "$line was not noticed" && return 1; }
    done
}

check "every file of the gate is in a layer, and every layer has its header" all_have_a_layer
check "no layer includes from one above it" includes_lead_down
check "an include that leads up is noticed" an_upward_include_is_noticed
check "no layer calls one above it" calls_lead_down
check "a call that leads up is noticed" an_upward_call_is_noticed
check "the client of etcd knows nothing of gates, and others its header alone" client_knows_no_gates
check "one that knows more is noticed" a_client_that_does_is_noticed
finish
