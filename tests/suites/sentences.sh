#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What documents and comments name is there: files, functions, links, options of the command line, targets of make. That a
# sentence is true no script can tell; but most of those that have become false name something that has gone.
. tests/tap.sh

case $BUILD in
/*) ;;
*) BUILD=$PWD/$BUILD ;;
esac
tests=$PWD/tests

# Names of what is not, and need not be, in this tree: examples to the reader, what the build or SPIN writes, what a program
# prints, what a patch of tests/timestamps says.
elsewhere='src/algorithms/szymanski.c docs/algorithms/szymanski.md outer/inner.c outer_with_inner folder/any.h program.c train_on_gpu
    variants.h timestamps.h pan.c WALL_SECONDS CPU_SECONDS PEAK_KIB --snapshots'

all_files() {
    find ./*.md Makefile setup .ci bench debian docs examples include packaging python src tests -type f ! -name "*.pyc" | sed 's|^\./||'
}

c_files() {
    all_files | grep '\.[ch]$'
}

# --- what people read, as "FILE:LINE: TEXT" -----------------------------------------------------------------------------

comments() {
    c_files | xargs awk -v want=comments -f "$tests/comments.awk"
    all_files | grep -E '\.(sh|bats|bash|mk|awk|py)$|^(Makefile|setup|tests/run|\.ci/run)$' |
        xargs awk '/^[ \t]*#/ { print FILENAME ":" FNR ": " $0 }'
}

documents() {
    all_files | grep -E '\.(md|[137])$'
}

# What stands between backquotes in a document, also across lines; and with `lines`, the lines of its blocks of code.
quoted() {
    documents | grep '\.md$' | xargs awk -v lines="${1:-}" '
        FNR == 1 { fence = open = 0; span = "" }
        /^ *```/ { fence = !fence; next }
        fence || /^    / {
            if (lines == "") next
            sub(/^ +/, "")
            sub(/^\$ /, "")
            block = block " " $0
            if (sub(/\\$/, "", block)) next
            print FILENAME ":" FNR ":" block
            block = ""
            next
        }
        /^ *$/ { open = 0; span = "" }
        {
            count = split($0, part, "`")
            for (p = 1; p <= count; p++) {
                if (p > 1) {
                    if (open) print FILENAME ":" FNR ": " span
                    open = !open
                    span = ""
                }
                if (open) span = span " " part[p]
            }
        }'
}

# --- files ----------------------------------------------------------------------------------------------------------------

# A file may be named by the end of its path, and a star stands for anything but a slash.
names_no_missing_file() {
    all_files >"$scratch/files"
    {
        comments
        documents | xargs awk '{ print FILENAME ":" FNR ": " $0 }'
    } | awk -v elsewhere="$elsewhere" '
        BEGIN { for (n = split(elsewhere, word, " "); n > 0; n--) there[word[n]] = 1 }
        FILENAME != "-" {
            file[files++] = $0
            for (path = $0; there[path] = 1; path = substr(path, RLENGTH + 1))
                if (!match(path, /^[^\/]*\//)) break
            next
        }
        function is_there(name,    n) {
            if (name in there) return 1
            if (!index(name, "*")) return 0
            gsub(/\./, "[.]", name)
            gsub(/\*/, "[^/]*", name)
            for (n = 0; n < files; n++) if (file[n] ~ ("(^|/)" name "$")) return 1
            return 0
        }
        {
            match($0, /^[^ ]*: /)
            where = substr($0, 1, RLENGTH)
            rest = substr($0, RLENGTH)
            while (match(rest, /[A-Za-z0-9_.*\/-]*[A-Za-z0-9_*][.](c|h|sh|md|bats|bash|mk|awk|pml|patch)/)) {
                name = substr(rest, RSTART, RLENGTH)
                before = substr(rest, RSTART - 1, 1)
                rest = substr(rest, RSTART + RLENGTH)
                # the rest of a longer word; a header of the system; one that stands for many; the one in checking.md
                if (rest ~ /^[A-Za-z0-9_]/ || before ~ /[<$}]/ || name ~ /NAME|ALGORITHM|SYSTEM|PAPER|XXXX|mine[.]c/) continue
                sub(/^([.][.]?\/)+/, "", name)
                if (!is_there(name)) { print where "there is no " name; missing = 1 }
            }
        }
        END { exit missing }' "$scratch/files" -
}

links_lead_somewhere() {
    documents | grep '\.md$' | while read -r file; do
        awk '
            /^ *```/ { fence = !fence }
            fence || /^    / { next }
            { line = $0; gsub(/`[^`]*`/, "", line) }
            line ~ /^\[[^]]*\]: / { print FNR, $2 }
            { while (match(line, /\]\([^) ]*\)/)) {
                print FNR, substr(line, RSTART + 2, RLENGTH - 3); line = substr(line, RSTART + RLENGTH) } }' "$file" |
            while read -r line target; do
                case $target in
                http*://*) continue ;;
                '#'*) path=$file ;;
                *) path=${file%"${file##*/}"}${target%%#*} ;;
                esac
                test -e "$path" || echo "$file:$line: a link leads to $target, which is not there"
                case $target in
                *'#'*) has_heading "${target##*#}" "$path" || echo "$file:$line: $path has no heading #${target##*#}" ;;
                esac
            done
    done >"$scratch/links"
    cat "$scratch/links"
    test ! -s "$scratch/links"
}

every_document_is_linked() {
    documents >"$scratch/documents"
    find docs -name '*.md' -o -name '*.svg' | while read -r document; do
        link="\\]\\(([^)]*/)?$(basename "$document" | sed 's/[.]/[.]/g')[)#]"
        grep -vxF "$document" "$scratch/documents" | xargs grep -qE "$link" || echo "no other document has a link to $document"
    done >"$scratch/unlinked"
    cat "$scratch/unlinked"
    test ! -s "$scratch/unlinked"
}

has_heading() {
    sed -n 's/^#* //p' "$2" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g' | grep -qxe "$1"
}

# --- names in the code ------------------------------------------------------------------------------------------------------

# Whatever has an underscore in it, in a comment or between backquotes, but for the indexes of mathematics (p_i).
names_nothing_forgotten() {
    {
        c_files | xargs awk -v want=code -f "$tests/comments.awk"
        all_files | grep -vE '\.([ch]|md|[137]|json)$|sentences\.sh$' | xargs cat
        all_files | tr '/.' '  '
    } | tr -cs 'A-Za-z0-9_' '\n' | sort -u >"$scratch/words"
    {
        comments | grep -E '^[^:]*\.[ch]:'
        quoted
    } | awk -v elsewhere="$elsewhere" '
        BEGIN { for (n = split(elsewhere, word, " "); n > 0; n--) there[word[n]] = 1 }
        FILENAME != "-" {
            there[$0] = 1
            # the beginning of some names, up to an underscore, stands for all of them
            for (at = 1; (found = index(substr($0, at), "_")) > 0; at += found) there[substr($0, 1, at + found - 1)] = 1
            next
        }
        {
            match($0, /^[^ ]*: /)
            where = substr($0, 1, RLENGTH)
            rest = substr($0, RLENGTH)
            while (match(rest, /[A-Za-z0-9_]+/)) {
                name = substr(rest, RSTART, RLENGTH)
                rest = substr(rest, RSTART + RLENGTH)
                if (index(name, "_") && name !~ /^([A-Za-z0-9]?_)/ && !(name in there) && !((name "_") in there)) {
                    print where "there is no " name
                    missing = 1
                }
            }
        }
        END { exit missing }' "$scratch/words" -
}

# --- the command line -------------------------------------------------------------------------------------------------------

# "SUB-COMMAND OPTION" for each that its help has, in the lines of usage or at the beginning of one of its own; and with
# `others` its other names, too: "-f, --force".
helped() {
    # The last one is for the completions of shells; admit --help does not have it.
    { "$BUILD/admit" --help | awk '/^  [a-z]+ / && $1 != "admit" { print $1 }' && echo complete; } | while read -r command; do
        echo "$command --help"
        { "$BUILD/admit" "$command" --help && { test "$command" != bound || "$BUILD/admit" bound values --help; }; } |
            awk -v others="${1:-}" '
                /^usage:/ { usage = 1 }
                /^$/ { usage = 0 }
                usage || /^ +-/ { print usage ? $0 : others != "" && $1 ~ /,$/ ? $1 " " $2 : $1 }' |
            tr ' |[' '\n\n\n' | sed -nE "s/^(--?[a-zA-Z][a-z-]*).*/$command \\1/p"
    done | sort -u
}

offers_no_missing_option() {
    helped others >"$scratch/helped"
    {
        quoted lines
        comments | awk -F '`' '{ match($0, /^[^ ]*: /); for (p = 2; p < NF; p += 2) print substr($0, 1, RLENGTH) $p }'
        sed -nE 's/^\.Dl |^admit /manual: &/p' docs/man/admit.[137] | sed 's/\.Dl //; s/\\-/-/g'
    } | awk -v elsewhere="$elsewhere" '
        BEGIN { for (n = split(elsewhere, word, " "); n > 0; n--) known[word[n]] = 1 }
        FILENAME != "-" { known[$1] = 1; known[$0] = 1; known[$2] = 1; next }
        {
            match($0, /^[^ ]*: /)
            where = substr($0, 1, RLENGTH)
            count = split(substr($0, RLENGTH), word, " ")
            command = ""
            w = 1
            if (word[1] ~ /^(build\/)?admit$/) {
                if (word[2] !~ /^[a-z]+$/ || word[2] == "help") next
                command = word[2]
                w = 3
                if (!(command in known)) { print where "there is no admit " command; missing = 1 }
            } else if (word[1] !~ /^--[a-z]/) next
            for (; w <= count && word[w] !~ /^(--|#|\|)$/; w++)
                if (match(word[w], /^--?[a-zA-Z][a-z-]*/)) {
                    option = substr(word[w], 1, RLENGTH)
                    if (!((command == "" ? option : command " " option) in known)) {
                        print where "there is no admit " command " " option
                        missing = 1
                    }
                }
        }
        END { exit missing }' "$scratch/helped" -
}

# The synopsis of the manual and the help texts have the same options.
manual_has_all_options() {
    helped | grep -v ' --help$' >"$scratch/helped"
    awk '
        /^\.Sh/ { synopsis = $2 == "SYNOPSIS" }
        !synopsis { next }
        $1 == ".Cm" { command = $2 }
        { for (w = 1; w < NF; w++) if (($w == "Fl" || $w == ".Fl") && $(w + 1) != "-")
            print command, "-" $(w + 1) }' docs/man/admit.1 | grep -v -e '-help$' -e '-version$' | sort -u >"$scratch/manual"
    diff "$scratch/helped" "$scratch/manual" | sed -n 's/^</not in the synopsis of admit(1):/p; s/^>/only there:/p' \
        >"$scratch/differ"
    cat "$scratch/differ"
    test -s "$scratch/manual" && test ! -s "$scratch/differ"
}

# Those that can be asked for, those that are defined, and those that the manual lists.
properties_are_the_same() {
    "$BUILD/admit" check --help | sed -n 's/^properties: //p' | tr -d ' ' | tr ',' '\n' | sort >"$scratch/asked"
    sed -n 's/^### (P[0-9]*) //p' docs/properties.md | sort >"$scratch/defined"
    test -s "$scratch/asked" && diff "$scratch/asked" "$scratch/defined" || return 1
    while read -r property; do
        grep -qE "^\.Cm (.* )?$property( |$)" docs/man/admit.1 || { echo "not in admit(1): $property" && return 1; }
    done <"$scratch/asked"
}

makes_no_missing_target() {
    cat Makefile tests/*.mk bench/*.mk packaging/*.mk | sed -nE 's/^([a-z][a-z -]*):.*/\1/p' | tr ' ' '\n' >"$scratch/targets"
    # What has a slash is a file of the build.
    quoted lines | sed -nE 's/^([^ ]*: ) ?(.*&& )?make ([a-z][a-z-]*)($|[^a-z\/-].*)/\1\3/p' | while read -r where target; do
        grep -qxe "$target" "$scratch/targets" || echo "$where there is no make $target"
    done >"$scratch/unmade"
    cat "$scratch/unmade"
    test ! -s "$scratch/unmade"
}

# --- each of them notices -----------------------------------------------------------------------------------------------------

# notices CHECK COMPLAINT SCRIPT FILE: in a copy of the tree in which sed has edited the file so.
notices() {
    rm -rf "$scratch/tree" && mkdir "$scratch/tree" || return 1
    cp -r ./*.md Makefile setup .ci bench debian docs examples include packaging python src tests "$scratch/tree"
    sed -i "$3" "$scratch/tree/$4"
    if cmp -s "$4" "$scratch/tree/$4"; then
        echo "$4 was not edited"
        return 1
    fi
    (cd "$scratch/tree" && "$1") >"$scratch/complaints" && echo "$4 was not noticed" && return 1
    grep -qe "$2" "$scratch/complaints" || { cat "$scratch/complaints" && return 1; }
}

false_sentences_are_noticed() {
    notices names_no_missing_file 'there is no numberz.h' 's/numbers[.]h/numberz.h/' CONTRIBUTING.md &&
        notices names_no_missing_file 'there is no src/checker/kernel.h' 's|checker/model/kernel|checker/kernel|' docs/properties.md &&
        notices names_no_missing_file 'there is no idol.h' '3s/idle[.]h/idol.h/' src/checker/reduce/idle.h &&
        notices links_lead_somewhere 'docs/gates.md' 's|(docs/gate[.]md)|(docs/gates.md)|' README.md &&
        notices every_document_is_linked 'docs/judges.md' 's|(docs/judges[.]md)|(docs/jobserver.md)|' README.md &&
        notices links_lead_somewhere '#states-that-differ' 's/#states-that-are-alike/#states-that-differ/' \
            docs/algorithms/afek.md &&
        notices names_nothing_forgotten 'there is no longest_walks' 's/longest_runs/longest_walks/' docs/properties.md &&
        notices names_nothing_forgotten 'there is no open_reducing' 's/open_reduced (/open_reducing (/' \
            src/checker/model/model.h &&
        notices offers_no_missing_option 'there is no admit check --faults' \
            's/check gate -n 2 -k 2 --fault /check gate -n 2 -k 2 --faults /' docs/checking.md &&
        notices offers_no_missing_option 'there is no admit  --passage$' 's/`--passages`/`--passage`/' docs/checking.md &&
        notices offers_no_missing_option 'there is no admit check --crash' 's/admit check --fault crash/admit check --crash/' \
            include/admit.h &&
        notices manual_has_all_options 'check --every-step' '/^.Op Fl -every-step/d' docs/man/admit.1 &&
        notices properties_are_the_same 'overtaking' 's/^### (P11) overtaking/### (P11) passing/' docs/properties.md &&
        notices makes_no_missing_target 'there is no make demonstration' 's/make demo$/make demonstration/' README.md
}

check "every file that is named is there" names_no_missing_file
check "every link leads somewhere" links_lead_somewhere
check "every document is linked from another" every_document_is_linked
check "every name in comments and documents is in the code" names_nothing_forgotten
check "every option that documents show is in the help" offers_no_missing_option
check "the manual's synopsis has the options of the help" manual_has_all_options
check "properties are asked for, defined and in the manual" properties_are_the_same
check "every target of make that documents show is there" makes_no_missing_target
check "a sentence that has become false is noticed" false_sentences_are_noticed
finish
