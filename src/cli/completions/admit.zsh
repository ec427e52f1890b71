#compdef admit
# SPDX-License-Identifier: MIT
#
# Completion of admit for zsh. What may stand where, admit itself says: `admit complete --help`.

local offer at files directories
local -a offers

for offer in "${(@f)$(${(Q)words[1]} complete -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}"; do
    case $offer in
    :files) files=1 ;;
    :directories) directories=1 ;;
    :command\ *) at=${offer#* } ;;
    ?*)
        # _describe wants "WORD:BRIEF", and a backslash before each colon of the word.
        if [[ $offer == *$'\t'* ]]; then
            offers+=("${${offer%%$'\t'*}//:/\\:}:${offer#*$'\t'}")
        else
            offers+=("${offer//:/\\:}")
        fi
        ;;
    esac
done

if [[ -n $at ]]; then
    shift $at words
    ((CURRENT -= at))
    _normal
    return
fi
local result=1
if ((${#offers})); then
    _describe -V 'admit' offers && result=0
fi
if [[ -n $files$directories ]]; then
    [[ $PREFIX != -* ]] || compset -P 1 '*='
    _files ${directories:+-/} && result=0
fi
return result
