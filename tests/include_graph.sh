#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tests/include_graph.sh [files] [ROOT]
#
# Which folder of src includes from which: a line "FROM TO" for each pair, in order; with `files`, which file includes
# which. What the build writes (variants.h, timestamps.h) is in no folder. An include of a macro counts as one of every
# file that the macro is defined as, in a text or on the compiler's command line in the Makefile.
set -eu
by=folders
if [ "${1:-}" = files ]; then
    by=files
    shift
fi
cd "${1:-.}"
find src include -name '*.[ch]' | LC_ALL=C sort >"${TMPDIR:-/tmp}/include_graph.$$"
trap 'rm -f "${TMPDIR:-/tmp}/include_graph.$$"' EXIT
awk -v by="$by" '
    function folder(path) { sub(/\/[^\/]*$/, "", path); sub(/^src\//, "", path); return path }
    function edge(from, path,    to) {
        to = ("src/" path) in there ? "src/" path : ("include/" path) in there ? "include/" path : ""
        if (to == "") return
        if (by == "folders") { from = folder(from); to = folder(to) }
        if (from != to) print from, to
    }
    BEGIN { quote = sprintf("%c", 39) }
    FILENAME ~ /include_graph/ { there[$0] = 1; ARGV[ARGC++] = $0; next }
    FILENAME == "Makefile" {
        # -DNAME=..."folder/any.h": the last part may be a name of make; then every file of the folder is meant
        while (match($0, "-D[A-Z_]+=" quote "\"[a-z_/]+/")) {
            split(substr($0, RSTART + 2, RLENGTH - 2), part, "=" quote "\"")
            sub(/\/$/, "", part[2])
            for (path in there)
                if (folder(path) == part[2]) meant[part[1]] = meant[part[1]] " " substr(path, 5)
            $0 = substr($0, RSTART + RLENGTH)
        }
        next
    }
    /^#[ \t]*include "/ { split($0, part, "\""); edge(FILENAME, part[2]); next }
    /^#[ \t]*include <admit.h>/ { edge(FILENAME, "admit.h"); next }
    /^#[ \t]*include [A-Z_]+$/ { by_macro[FILENAME] = $2; next }
    /^#[ \t]*define [A-Z_]+ ".*\/.*\.[ch]"$/ { split($0, part, "\""); meant[$2] = meant[$2] " " part[2]; edge(FILENAME, part[2]); next }
    END {
        for (file in by_macro) {
            count = split(meant[by_macro[file]], part, " ")
            for (p = 1; p <= count; p++) edge(file, part[p])
        }
    }' "${TMPDIR:-/tmp}/include_graph.$$" Makefile | LC_ALL=C sort -u
