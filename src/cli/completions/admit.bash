# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Completion of admit for bash. What may stand where, admit itself says: `admit complete --help`.

# What another command completes, which begins at this word of COMP_WORDS.
_admit_command() {
    if declare -F _comp_command_offset >/dev/null; then
        _comp_command_offset "$1"
    elif declare -F _command_offset >/dev/null; then
        _command_offset "$1"
    elif [ "$COMP_CWORD" -eq "$1" ]; then
        mapfile -t COMPREPLY < <(compgen -c -- "${COMP_WORDS[COMP_CWORD]}")
    else
        compopt -o default
    fi
}

_admit() {
    local line=${COMP_LINE:0:COMP_POINT} rest piece w words=() begins=()
    # Bash cuts at : and = too. Pieces without blanks between them are one word.
    for ((w = 0; w <= COMP_CWORD; w++)); do
        piece=${COMP_WORDS[w]}
        rest=${line#"${line%%[![:blank:]]*}"}
        [ "$w" -lt "$COMP_CWORD" ] || piece=$rest # up to the cursor
        if [ "$w" -eq 0 ] || [ "$rest" != "$line" ]; then
            words+=("$piece")
            begins+=("$w")
        else
            words[-1]+=$piece
        fi
        line=${rest#"$piece"}
    done
    # Of the last word, what readline replaces is the last piece.
    [ "$piece" != = ] && [ "$piece" != : ] || piece=
    local word=${words[-1]} before=${words[-1]%"$piece"} offer
    # An @ readline replaces, too, though bash cuts there.
    before=${before%@}
    COMPREPLY=()
    while IFS= read -r offer; do
        case $offer in
        :files) compopt -o default ;;
        :directories) compopt -o dirnames ;;
        :command\ *) _admit_command "${begins[${offer#* }]}" ;;
        *)
            offer=${offer%%$'\t'*}
            [[ $offer != "$word"* ]] || COMPREPLY+=("${offer#"$before"}")
            ;;
        esac
    done < <("${words[0]}" complete -- "${words[@]:1}" 2>/dev/null)
}

complete -o nosort -F _admit admit
