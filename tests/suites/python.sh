#!/bin/sh
# SPDX-License-Identifier: MIT
#
# python/admit.py, by the python3 that is found first: that it compiles without a warning, its types if there is mypy, where
# it is installed, and the cases of tests/python. Without LD_PRELOAD.
. tests/tap.sh

command -v python3 >/dev/null || { echo "1..0 # SKIP there is no python3" && exit 0; }
python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' || { echo "1..0 # SKIP python3 is older than 3.9" && exit 0; }

case $BUILD in
/*) ;;
*) BUILD=$PWD/$BUILD ;;
esac
unset LD_PRELOAD MAKEFLAGS MFLAGS MAKELEVEL PYTHONPATH ADMIT_DIR
export PYTHONDONTWRITEBYTECODE=1

compiles() {
    for file in python/admit.py tests/python/*.py; do
        python3 -W error -c 'import sys; compile(sys.stdin.read(), sys.argv[1], "exec")' "$file" <"$file" || return 1
        awk -v file="$file" 'length > 120 { print file ":" FNR ": too long"; wrong = 1 } END { exit wrong }' "$file" || return 1
    done
}

# The one that has it, if there are several.
typed=
for python in python3 /usr/bin/python3; do
    "$python" -c 'import mypy' 2>/dev/null && typed=$python && break
done

types_agree() {
    "$typed" -m mypy --strict --cache-dir="$scratch/mypy" python/admit.py
}

# imported NAME=VALUE...: from where, and which library, by a Python that is told nothing else.
imported() {
    env -u ADMIT_LIBRARY "$@" python3 -c 'import admit; print(admit.__file__, admit.version())'
}

finds_the_build() {
    mkdir -p "$scratch/checkout/python" && cp python/admit.py "$scratch/checkout/python" &&
        ln -sf "$BUILD" "$scratch/checkout/build" &&
        test "$(imported PYTHONPATH="$scratch/checkout/python")" = "$scratch/checkout/python/admit.py $("$BUILD/admit" --version |
            sed 's/.* //')"
}

# By the rules of the Makefile, of what is built already.
by_make() {
    make --no-print-directory --silent -o all BUILD="$BUILD" "$@"
}

# In PREFIX, with whatever directory it chose there; PYTHONDIR names another.
is_installed_and_removed() {
    by_make install PREFIX="$scratch/usr" DESTDIR= "$@" || return 1
    file=$(find "$scratch/usr" -name admit.py)
    imported PYTHONPATH="${file%/*}" || return 1
    imported PYTHONPATH="${file%/*}" | grep -qF "$file " || return 1
    by_make uninstall PREFIX="$scratch/usr" DESTDIR= "$@" || return 1
    find "$scratch/usr" ! -type d
    test -z "$(find "$scratch/usr" ! -type d)"
}

# A word of what is needed, if Python does not look there; no line where it does.
says_where_python_does_not_look() {
    test "$(by_make install PREFIX="$scratch/usr" DESTDIR= PYTHONDIR="$scratch/usr/python")" = \
        "python3 does not look there: PYTHONPATH=$scratch/usr/python" &&
        test -z "$(PYTHONPATH=$scratch/usr/python by_make install PREFIX="$scratch/usr" DESTDIR= PYTHONDIR="$scratch/usr/python")" &&
        test -z "$(by_make install PREFIX="$scratch/usr" DESTDIR="$scratch/staged" PYTHONDIR=/usr/python)"
}

# By a home of one's own, which Python looks at without being told.
is_found_below_home() {
    HOME=$scratch/home by_make install PREFIX="$scratch/home/.local" || return 1
    imported HOME="$scratch/home" | grep -qF "$scratch/home/.local/lib/"
}

check "admit.py and its tests compile without a warning" compiles
if [ -n "$typed" ]; then
    check "mypy --strict has nothing to say" types_agree
else
    cases=$((cases + 1))
    echo "ok $cases - mypy --strict has nothing to say # SKIP there is no mypy (python3-mypy)"
fi
check "in a checkout it finds the library that was built there" finds_the_build
check "it is installed, finds the library, and is removed" is_installed_and_removed
check "it is installed where PYTHONDIR says" is_installed_and_removed PYTHONDIR="$scratch/usr/python"
check "where Python does not look, PYTHONPATH is said" says_where_python_does_not_look
check "below one's home Python finds it by itself" is_found_below_home

ADMIT_LIBRARY=$BUILD/libadmit.so PYTHONPATH=$PWD/python python3 -W error::ResourceWarning tests/python/tap.py test_layout \
    test_gates test_asyncio >"$scratch/cases" 2>"$scratch/said"
awk -v before="$cases" '/^1\.\./ { next } match($0, /^(not )?ok [0-9]+/) { sub(/ok [0-9]+/, "ok " ++before) } { print }' \
    "$scratch/cases"
cases=$((cases + $(sed -n 's/^1\.\.//p' "$scratch/cases")))

# Such as a hold that was garbage before it was left, or what could not be raised.
warned_of_nothing() {
    cat "$scratch/said"
    test ! -s "$scratch/said"
}
check "meanwhile there was nothing to warn of" warned_of_nothing
finish
