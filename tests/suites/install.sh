#!/bin/sh
# SPDX-License-Identifier: MIT
#
# make install: each thing where it is looked for, and make uninstall takes all of it away. (The module of Python has cases of
# its own, in python.sh.)
. tests/tap.sh

case $BUILD in
/*) ;;
*) BUILD=$PWD/$BUILD ;;
esac
unset MAKEFLAGS MFLAGS MAKELEVEL
usr=$scratch/usr

# By the rules of the Makefile, of what is built already.
by_make() {
    make --no-print-directory --silent -o all BUILD="$BUILD" PREFIX="$usr" PYTHONDIR="$usr/python" DESTDIR= "$@"
}

is_installed() {
    by_make install || return 1
    for file in bin/admit include/admit.h lib/libadmit.a lib/libadmit.so lib/libadmit.so.0 lib/pkgconfig/admit.pc \
        python/admit.py share/man/man1/admit.1 share/man/man3/admit.3 share/man/man7/admit.7 \
        share/bash-completion/completions/admit share/zsh/site-functions/_admit share/fish/vendor_completions.d/admit.fish; do
        test -s "$usr/$file" || { echo "there is no $file" && return 1; }
    done
    "$usr/bin/admit" --version
}

# A place that means something else wherever it is read: nothing is installed, and nothing is made.
relative_places_are_refused() {
    for place in PREFIX LIBDIR PYTHONDIR; do
        by_make install DESTDIR="$scratch/other" "$place=some/where" 2>"$scratch/complaint" && return 1
        grep "must begin with /: 'some/where" "$scratch/complaint" && ! test -e "$scratch/other" || return 1
    done
}

# Each function leads to the page in which it is.
manual_has_all_functions() {
    sed -n 's/^ADMIT_API .*[ *]\(admit_[a-z_]*\)(.*/\1/p' include/admit.h >"$scratch/functions"
    test -s "$scratch/functions" || return 1
    while read -r function; do
        cmp "$usr/share/man/man3/$function.3" docs/man/admit.3 || return 1
    done <"$scratch/functions"
}

shells_read_completions() {
    bash --noprofile --norc -c ". $usr/share/bash-completion/completions/admit && complete -p admit" || return 1
    ! command -v zsh >/dev/null ||
        zsh -fc "fpath=($usr/share/zsh/site-functions \$fpath); autoload -Uz compinit; compinit -u -D; test -n \$_comps[admit]" ||
        return 1
    ! command -v fish >/dev/null || fish --no-config -n "$usr/share/fish/vendor_completions.d/admit.fish"
}

# Programs are compiled by what pkg-config would say: where its file is, that is read.
programs_are_compiled() {
    libs=$(sed -n "s|\${libdir}|$usr/lib|g; s|^Libs: ||p" "$usr/lib/pkgconfig/admit.pc")
    printf '#include <admit.h>\n#include <stdio.h>\nint main(void) { return puts(admit_version()) < 0; }\n' >"$scratch/program.c"
    # shellcheck disable=SC2086 # words
    "${CC:-cc}" -I"$usr/include" "$scratch/program.c" $libs -Wl,-rpath,"$usr/lib" -o "$scratch/program" && "$scratch/program"
}

is_removed() {
    by_make uninstall || return 1
    find "$usr" ! -type d
    test -z "$(find "$usr" ! -type d)"
}

check "all of it is there" is_installed
check "a place that does not begin at the root is refused" relative_places_are_refused
check "the manual has each function of admit.h" manual_has_all_functions
check "bash, zsh and fish read the completions" shells_read_completions
check "a program is compiled with it" programs_are_compiled
check "nothing is left when it is taken away" is_removed
finish
