#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2016,SC2030,SC2031,SC2153,SC2154 # commands in quotes; variables of gates.bash
#
# The examples of the manual pages do what they say: each is run here, as it stands but for paths and groups that only root
# has. The commands in them are stand-ins.
load gates

setup() {
    ROOT=$PWD
    ADMIT=$(realpath "$ADMIT")
    T=$BATS_TEST_TMPDIR
    export T HOME=$T/home ADMIT_DIR=$T/gates
    mkdir -p -m 700 "$T/bin" "$T/work" "$HOME" "$ADMIT_DIR"
    ln -s "$ADMIT" "$T/bin/admit"
    PATH=$T/bin:$PATH
    cd "$T/work" || return
}

# examples PAGE [SECTION]: the blocks and the lines that stand out, of that section or of all, each in a file of its own.
examples() {
    mkdir "$T/examples"
    awk -v section="$2" -v into="$T/examples/" '
        function text(line) {
            gsub(/\\-/, "-", line)
            gsub(/\\\(dq/, "\"", line)
            gsub(/\\&/, "", line)
            gsub(/\\e/, "\\", line)
            return line
        }
        /^\.Sh / { here = section == "" || $2 == section }
        !here { next }
        /^\.Bd -literal/ { open = 1; file = into sprintf("%02d", ++count); next }
        /^\.Ed/ { open = 0; close(file) }
        open { print text($0) >file }
        /^\.Dl / { file = into sprintf("%02d", ++count); print text(substr($0, 5)) >file; close(file) }
        END { exit count == 0 }' "$ROOT/docs/man/$1"
}

# stand_in NAME [SHELL]: a command, here and in PATH.
stand_in() {
    printf '#!/bin/sh\n%s\n' "${2:-:}" >"$1"
    chmod +x "$1"
    ln -sf "$PWD/$1" "$T/bin/$1"
}

has_mutants() {
    [ "$(admit complete -- check one_bit: | wc -l)" -gt 0 ]
}

@test "admit(1): each example" {
    examples admit.1 EXAMPLES
    local name file expected
    stand_in train 'test -n "$CUDA_VISIBLE_DEVICES" || echo trained'
    stand_in shrink 'echo "$1" >>"$T/shrunk"'
    for name in collect post backup simulate; do
        stand_in $name
    done
    touch one.jpg two.jpg
    printf 'all:\n\t@echo built\n' >Makefile
    # Where the last command finds what it is asked for, that is no failure.
    for file in "$T"/examples/*; do
        sed -i "s|/usr/local/bin/|$T/bin/|; s|/srv/|$T/|; s|engineers|$(id -gn)|; s|2026-11-12|2000-01-01|" "$file"
        expected=0
        case $(tail -1 "$file") in
        *"--fault crash"* | *"--fault transient"* | "admit equivalent"* | "admit bound"*) expected=1 ;;
        "admit claims"*) has_mutants || continue ;;
        unset*) sed -i '1s/^/#!\/bin\/sh\n/; $s/$/\nadmit status nightly | grep -q "1 of 1 inside"/' "$file" && chmod +x "$file" ;;
        esac
        run "$([ -x "$file" ] && echo "$file" || echo sh)" "$file"
        [ "$status" -eq "$expected" ] || {
            echo "exit status $status of:"
            cat "$file"
            echo "$output"
            return 1
        }
    done
    [ "$(sort "$T/shrunk")" = $'one.jpg\ntwo.jpg' ]
    [ -s gpu.svg ] && [ -e today ] && [ -s lockout.json ]
    [ "$(stat -c %a "$T/licences/gate")" = 660 ]
    [ "$(admit status nightly --json | jq .entered)" -eq 1 ]
    [ "$(admit status backup --json | jq .entered)" -eq 1 ]
}

@test "admit(7): each example" {
    examples admit.7
    cat "$T"/examples/* >all
    run sh all
    [ "$status" -eq 0 ]
    says "slot 0"
    says "demo: 0 of 2 inside"
    says "owner died: 1"
    says 8000
}

@test "admit(3): each example is compiled and run" {
    [[ $BUILD != */asan ]] || skip "the library there needs what it was built with"
    local file number=0
    examples admit.3 EXAMPLES
    for file in "$T"/examples/*; do
        number=$((number + 1))
        mv "$file" "$number.c"
        "${CC:-cc}" -Wall -Wextra -Werror -I"$ROOT/include" "$number.c" "$(dirname "$ADMIT")/libadmit.a" -o "$number"
    done
    [ "$(./1)" = "slot 0 of 4" ]
    [ "$(./2)" = printed ]
    [ "$(./3)" = inside ]
    # As long as others are inside it waits, tells its place, and gives up.
    admit run licence -- true
    admit resize licence 1
    enter holder licence
    eventually inside holder
    sed -i 's/tv_sec += 2/tv_sec += 0/' 3.c
    "${CC:-cc}" -I"$ROOT/include" 3.c "$(dirname "$ADMIT")/libadmit.a" -o 3
    run ./3
    [ "$status" -eq 75 ]
    let_go holder
    ./4 | grep -q '^afek/linear: '
    ! ./4 | grep -q '^bakery: '
    [ "$number" -eq 4 ]
}
