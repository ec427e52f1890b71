#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Every example builds (make did that) and prints what it should: tests/examples/NAME.expected. And what the documents show of
# a program is one, once a reader has added the part that does the work.
. tests/tap.sh

case $BUILD in
/*) ;;
*) BUILD=$PWD/$BUILD ;;
esac
export ADMIT_DIR="$scratch/gates"
mkdir -m 700 "$ADMIT_DIR"

prints_what_it_should() {
    "$BUILD/examples/$1" >"$scratch/printed" && diff "tests/examples/$1.expected" "$scratch/printed"
}

# block LANGUAGE DOCUMENT: its first block of code in this language.
block() {
    awk -v begin="\`\`\`$1" '$0 == begin { inside = 1; next } /^```/ { if (inside) exit } inside' "$2"
}

# is_a_program DOCUMENT WORK: a C program whose function WORK prints its slot.
is_a_program() {
    block c "$1" >"$scratch/block"
    {
        printf '#include <admit.h>\n#include <err.h>\n#include <stdio.h>\n'
        grep '^#' "$scratch/block"
        printf 'static void %s(unsigned slot) { printf("in slot %%u\\n", slot); }\nint main(void)\n{\n' "$2"
        grep -v '^#' "$scratch/block"
        echo '}'
    } >"$scratch/program.c"
    cc -Wall -Wextra -Werror "$scratch/program.c" -Iinclude "$BUILD/libadmit.a" -o "$scratch/program" || return 1
    test "$("$scratch/program")" = "in slot 0"
}

is_a_script() {
    {
        printf 'import admit\ndef %s(slot):\n    print("in slot", slot)\n' "$2"
        block python "$1"
    } >"$scratch/script.py"
    test "$(PYTHONPATH=python ADMIT_LIBRARY=$BUILD/libadmit.so PYTHONDONTWRITEBYTECODE=1 python3 "$scratch/script.py")" = "in slot 0"
}

for example in examples/*.c; do
    name=$(basename "$example" .c)
    check "examples/$name" prints_what_it_should "$name"
done
check "the C program of README.md" is_a_program README.md train
check "the C program of docs/using.md" is_a_program docs/using.md train_on_gpu
if command -v python3 >/dev/null; then
    check "the Python program of README.md" is_a_script README.md train
    check "the Python program of docs/using.md" is_a_script docs/using.md train_on_gpu
fi
finish
