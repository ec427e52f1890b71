#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # scripts in quotes; variables of helper.bash
#
# What shells offer for a command line of admit: what `admit complete` prints, and what becomes of it in bash, zsh and fish.
load gates

COMPLETIONS=$BATS_TEST_DIRNAME/../../src/cli/completions

# offers WORD...: what may stand for the last one, without what is said of it.
offers() {
    "$ADMIT" complete -- "$@" | cut -f 1
}

# Line by line and sorted, from blanks between.
lines() {
    printf '%s\n' "$@" | LC_ALL=C sort -u
}

# same WHAT EXPECTED ACTUAL: of two lists.
same() {
    diff <(LC_ALL=C sort -u <<<"$2") <(LC_ALL=C sort -u <<<"$3") || {
        echo "(<: expected, >: offered) $1"
        return 1
    }
}

commands() {
    "$ADMIT" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'
}

# sub_commands: with what belongs to them, a line each; a few of them, where the build is slow.
sub_commands() {
    commands | grep -vx bound | if [ -n "${ADMIT_TEST_QUICK-}" ]; then grep -x -e jobs -e equivalent; else cat; fi
    printf 'bound %s\n' variables values
}

# As a person finds them in a help: in the lines of usage, and at the beginning of lines that are about an option.
options_of() {
    "$ADMIT" "$@" --help | awk '
        /^usage:/ { usage = 1 }
        /^$/ { usage = 0 }
        usage && /^ .* admit bound values/ { next }
        usage { print }
        !usage && /^ ? ? ? ? ? ?-/ { sub(/^ +/, ""); sub(/   *.*/, ""); print }' |
        tr ' |[],' '\n\n\n\n\n' | grep -E '^--?[a-zA-Z]'
    echo --help
}

@test "commands" {
    same commands "$(commands; echo help)" "$(offers "")"
    same "help of" "$(commands)" "$(offers help "")"
    same options $'--help\n--version' "$(offers -)"
    same "an unknown one" "" "$(offers frobnicate "")"
}

@test "options are those of each help, and all of them are known" {
    local words option
    while read -r words; do
        # shellcheck disable=SC2086 # words
        same "options of $words" "$(options_of $words)" "$(offers $words -)"
        # shellcheck disable=SC2086
        for option in $(offers $words -); do
            [ "$option" = --help ] && continue
            # If it takes a value it is this one; and nothing is done for --help.
            run "$ADMIT" $words "$option" 1 --help
            [[ $output != *"there is no option"* ]] || {
                echo "admit $words does not know $option"
                return 1
            }
        done
    done < <(sub_commands)
    same "help run" "$(offers run -)" "$(offers help run -)"
}

# What stands for a value in a help is known, or it is one of those for which nothing can be offered.
@test "values: each kind of them" {
    [ -z "${ADMIT_TEST_QUICK-}" ] || skip "where the build is slow"
    local words option value
    "$ADMIT" run -k 1 gpu -- true
    sub_commands | while read -r words; do
        # shellcheck disable=SC2086 # words
        "$ADMIT" $words --help | grep -oE '(^usage:| {2,6}|\[|, )--?[a-zA-Z][a-z-]* [A-Z]+' | sed 's/^[^-]*//' | sort -u |
            while read -r option value; do
                [ -n "$(offers $words "$option" "")" ] || echo "$value"
            done
    done >"$T/none"
    same "nothing is offered for" "$(lines CODE K MODE N P PID S SIZE TEXT TIME VAR)" "$(cat "$T/none")"
}

@test "values: what the laboratory knows" {
    same properties "$("$ADMIT" check --help | sed -n 's/^properties: //p' | tr -d ' ' | tr , '\n')" \
        "$(offers check bakery --property "")"
    run "$ADMIT" check bakery --fault none-of-them
    same faults "$(sed 's/.*--fault takes \(.*\), not .*/\1/; s/([^)]*)//; s/ or /,/' <<<"${lines[0]}" | tr -d ' ' | tr , '\n')" \
        "$(offers check bakery --fault "")"
    same algorithms "$("$ADMIT" algorithms --json | jq -r '.[].id')" "$(offers check "")"
    same "of both" "$(offers check "")" "$(offers equivalent bakery "")"
    same mutants "$("$ADMIT" algorithms --mutants --json | jq -r '.[].id' | grep ^test:)" "$(offers check test:)"
    same papers "$("$ADMIT" claims --help | sed -n 's/.*Without PAPER: all of \(.*\)\./\1/p' | tr -d ' ' | tr , '\n')" \
        "$(offers claims "")"
    same "of two papers" "$(offers claims "")" "$(offers claims bl93 "")"
    same registers "$(lines atomic regular safe)" "$(offers check bakery --registers "")"
    same orders "$(lines any native)" "$(offers check bakery --order "")"
    same parts "$(lines variables values)" "$(offers bound "")"
    same "of a part" "$(offers check "")" "$(offers bound values "")"
    same "in one word" $'--model=cc\n--model=cc-write-back\n--model=dsm' "$(offers count bakery --model=)"
}

@test "values: gates and jobs" {
    same "no gates" "" "$(offers status "")"
    "$ADMIT" run -k 1 gpu -- true
    "$ADMIT" run -k 1 db -- true
    local id ended
    ended=$("$ADMIT" run -b gpu -- true)
    "$ADMIT" wait "$ended"
    background run -b gpu -- sh -c "$LINGER"
    wait "$pid"
    id=$(grep '^@' "$T/background.out")
    same gates "$(lines db gpu)" "$(offers status "")"
    same "more gates" "$(lines db gpu)" "$(offers remove db "")"
    same "gates and jobs" "$(lines db gpu "$id" "$ended")" "$(offers wait "")"
    same jobs "$(lines "$id" "$ended")" "$(offers output "")"
    same "jobs that can be cancelled" "$id" "$(offers cancel "")"
    same "a path" :files "$(offers run ./)"
    same states "$(lines running,waiting running,done running,cancelled running,orphan running,killed \
        running,failed)" "$(offers jobs --state running,)"
    [[ "$("$ADMIT" complete -- cancel "")" == "$id"$'\trunning: sh -c'* ]]
    touch "$T/end"
    "$ADMIT" wait gpu
}

@test "values: files, and commands" {
    same "a file" :files "$(offers check bakery --trace "")"
    same "a file, in one word" :files "$(offers check bakery --trace=x)"
    same "a file behind a short option" :files "$(offers run -b -o "")"
    same "a directory" :directories "$(offers claims --traces "")"
    same "an argument" :files "$(offers report "")"
    same "another" :files "$(offers report x.log "")"
    same "behind a gate" -- "$(offers run -k 2 gpu "")"
    same "a command" ":command 4" "$(offers run gpu -- "")"
    same "of a build" ":command 6" "$(offers jobserver -k 2 gpu -- make -)"
    same "no command" "" "$(offers resize gpu -- "")"
}

@test "where nothing can be found out, nothing is said" {
    local word
    for word in "$T/none" /dev/null "$T/closed" ""; do
        export ADMIT_DIR=$word
        [ "$word" != "$T/closed" ] || mkdir -m 0 "$T/closed"
        exits 0 complete -- wait ""
        [ -z "$stderr" ]
        [ -n "$word" ] || break
        [ -z "$output" ]
        [ ! -e "$T/none" ]
    done
    exits 0 complete -- run --nonsense ""
    exits 0 complete -- bound nonsense ""
    exits 0 complete -- run ""
    exits 0 complete -- ""
    exits 2 complete
    exits 2 complete run
    exits 0 complete --help
    says "usage: admit complete"
}

# --- in the shells ---------------------------------------------------------------------------------------------------------

# What is typed before a tab, and what stands there afterwards.
TYPED='admit chec=admit check 
admit help cla=admit help claims 
admit check --prop=admit check --property 
admit check bakery --fault cra=admit check bakery --fault crash 
admit check test:wea=admit check test:wears_out 
admit check afek/lin=admit check afek/linear 
admit check bakery --trace my=admit check bakery --trace my.log 
admit claims --traces fol=admit claims --traces folder/
admit run -k 2 gp=admit run -k 2 gpu 
admit run gpu =admit run gpu -- 
admit run gpu -- stand_=admit run gpu -- stand_in_for_a_command 
admit run gpu -- cat my=admit run gpu -- cat my.log 
admit wait @=admit wait @1 
admit output @1=admit output @1 
admit jobs --state waiting,ru=admit jobs --state waiting,running 
admit nonsense x=admit nonsense x'

there_is() {
    command -v "$1" >/dev/null || skip "there is no $1"
}

# A directory with what can be completed.
to_complete() {
    mkdir "$T/here" "$T/here/folder" "$T/bin"
    ln -s "$(realpath "$ADMIT")" "$T/bin/admit"
    printf '#!/bin/sh\n' >"$T/bin/stand_in_for_a_command"
    chmod +x "$T/bin/stand_in_for_a_command"
    PATH=$T/bin:$PATH
    admit run -k 1 gpu -- true
    admit wait "$(admit run -b gpu -- true)"
    cd "$T/here" || return
    touch my.log
    cut -d = -f 1 <<<"$TYPED" >"$T/typed"
    cut -d = -f 2 <<<"$TYPED" >"$T/expected"
}

# Without blanks at the end: shells differ in where they add one.
typed_as_expected() {
    diff <(sed 's/ *$//' "$T/expected") <(sed 's/ *$//' "$T/shown")
}

# Bash, zsh: types what is in $T/typed, each line with a tab and a key that notes in $T/shown what stands there then.
@test "bash" {
    to_complete
    printf '%s\n' ". $COMPLETIONS/admit.bash" 'show() { printf "%s\n" "$READLINE_LINE" >>"$T/shown"; READLINE_LINE=; }' \
        'bind -x "\"\C-o\": show"' 'bind "set bell-style none"' >"$T/rc"
    { sed 's/$/\t\x0f/' "$T/typed" | tr -d '\n'; echo exit; } >"$T/keys"
    INPUTRC=/dev/null TERM=dumb timeout 60 script -qec "bash --noprofile --rcfile $T/rc -i" /dev/null \
        <"$T/keys" >"$T/screen" 2>&1 3>&- || cat "$T/screen"
    typed_as_expected
    # Where bash cuts words at = and :.
    printf '%s\n' 'compopt() { :; }' 'COMP_LINE="admit check bakery --fault=cr"; COMP_POINT=${#COMP_LINE}' \
        'COMP_WORDS=(admit check bakery --fault = cr); COMP_CWORD=5; _admit; echo "${COMPREPLY[@]}"' \
        'COMP_LINE="admit check bakery --fault="; COMP_POINT=${#COMP_LINE}' \
        'COMP_WORDS=(admit check bakery --fault =); COMP_CWORD=4; _admit; echo "${COMPREPLY[0]}"' >"$T/split"
    [ "$(bash --noprofile -c ". $COMPLETIONS/admit.bash; . $T/split")" = $'crash\ncrash' ]
}

@test "zsh" {
    there_is zsh
    to_complete
    mkdir "$T/functions"
    ln -s "$(realpath "$COMPLETIONS/admit.zsh")" "$T/functions/_admit"
    cat >"$T/type.zsh" <<'ZSH'
zmodload zsh/zpty
zpty z "TERM=dumb zsh -f -i"
zpty -w z "fpath=(\$T/functions \$fpath); autoload -Uz compinit; compinit -u -D"
zpty -w z "show() { print -r -- \"\$BUFFER\" >>\$T/shown; zle kill-whole-line }; zle -N show; bindkey '^O' show"
for line in "${(@f)$(<$T/typed)}"; do
    zpty -w -n z "$line"$'\t\x0f'
done
zpty -w z exit
while zpty -r z drained; do :; done
ZSH
    timeout 60 zsh -f "$T/type.zsh" 3>&-
    typed_as_expected
}

@test "fish" {
    there_is fish
    to_complete
    local typed
    export HOME=$T/home XDG_CONFIG_HOME=$T/home XDG_DATA_HOME=$T/home
    mkdir "$T/home"
    sed "s/'//g; s/.*/complete -C '&'; echo ./" "$T/typed" >"$T/type.fish"
    fish --no-config -c ". $COMPLETIONS/admit.fish; . $T/type.fish" 3>&- | cut -f 1 >"$T/offered"
    # The last word of the line is what is offered, each of which is alone.
    awk 'NR == FNR { if ($0 == ".") { n++ } else { offered[n + 0] = offered[n + 0] $0 }; next }
        { line = $0; if (offered[FNR - 1] != "") sub(/[^ ]*$/, offered[FNR - 1], line); print line }' \
        "$T/offered" "$T/typed" >"$T/shown"
    typed_as_expected
}
