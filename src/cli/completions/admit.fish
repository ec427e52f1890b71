# SPDX-License-Identifier: MIT
#
# Completion of admit for fish. What may stand where, admit itself says: `admit complete --help`.

function __admit_complete
    set -l words (commandline -opc)
    set -l last (commandline -ct)
    set -l prefix (string match -r -- '^-[^=]*=' $last; or echo)
    for offer in ($words[1] complete -- $words[2..] "$last" 2>/dev/null)
        switch $offer
            case :files
                printf '%s\n' $prefix(__fish_complete_path (string replace -- "$prefix" '' $last))
            case :directories
                printf '%s\n' $prefix(__fish_complete_directories (string replace -- "$prefix" '' $last) '')
            case ':command *'
                set -l at (string split -f 2 ' ' $offer)
                complete -C (string join ' ' -- (string escape -- $words[(math $at + 1)..]) $last)
            case '*'
                echo $offer
        end
    end
end

complete -c admit -f -a '(__admit_complete)'
