#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The build does what an edit asks for, and no more: asked of `make -n`, which builds nothing, in a copy of the tree whose
# build directory is the one under test.
. tests/tap.sh

# As make starts it by hand; what the make above said is for itself.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES V MUTANTS TIMESTAMP_MUTANTS

tree=$scratch/tree
mkdir -p "$tree/$(dirname "$BUILD")"
cp -a Makefile include src tests bench examples packaging "$tree"
case $BUILD in
/*) ;;
*) ln -s "$PWD/$BUILD" "$tree/$BUILD" ;;
esac

# steps ARGUMENT...: what make would do, a line each.
steps() {
    make -C "$tree" --no-print-directory BUILD="$BUILD" --dry-run "$@" >"$scratch/said" || return 1
    grep -E '^(CC|PATCH|LIST|AR|LD) ' "$scratch/said" >"$scratch/steps"
    cat "$scratch/steps"
}

# compiled PATTERN N: of the files that the last steps compile, N are like this.
compiled() {
    test "$(grep '^CC ' "$scratch/steps" | grep -c "$1")" -eq "$2"
}
all_compiled() {
    compiled "$1" "$(grep -c '^CC ' "$scratch/steps")" && ! compiled "$1" 0
}

nothing_to_do() {
    steps test-binaries && ! [ -s "$scratch/steps" ]
}

an_algorithm() {
    steps all -W src/algorithms/one_bit.c && all_compiled '/one_bit' &&
        compiled mutants/one_bit "$(ls tests/mutants/one_bit.*.patch | wc -l)" && compiled ' src/algorithms/one_bit.c' 2
}

an_embedding() {
    steps all -W src/algorithms/embedding.h && all_compiled 'n_bit/\|n_factorial_bit/' &&
        compiled mutants "$(ls tests/mutants/n_bit/*.patch tests/mutants/n_factorial_bit/*.patch | wc -l)"
}

a_timestamp_system() {
    steps all -W src/timestamps/snapshot.h && all_compiled snapshot && compiled mutants/bakery 0
}

the_language() {
    steps all -W src/registers/language.h && compiled mutants "$(find tests/mutants -name '*.patch' | wc -l)"
}

a_mutant() {
    steps all -W tests/mutants/one_bit.lingers.patch && compiled mutants/one_bit.lingers 1 && compiled mutants 1 &&
        compiled algorithms 1
}

a_part_of_the_checker() {
    part=$(cd "$tree" && find src/checker -name explore.c)
    steps test-binaries -W "$part" && compiled "$part" 1 && compiled . 1
}

# A mutant that comes: it is made and listed.
a_new_mutant() {
    cp "$tree/tests/mutants/afek/linear.labels_first.patch" "$tree/tests/mutants/afek/linear.another.patch"
    steps all && grep variants.h "$scratch/steps" && compiled linear.another 1 && compiled mutants 1
}

# And one that goes, from a folder: it is listed no more, and the archive has no object of it.
a_mutant_gone() {
    rm "$tree"/tests/mutants/afek/linear.*.patch
    steps all && grep variants.h "$scratch/steps" && grep libchecker.a "$scratch/steps" && compiled mutants 0
}

# Of some mutants only those are made and listed; what is none is refused before anything is done.
some_mutants() {
    steps all MUTANTS='one_bit.lingers n_bit/%' && grep variants.h "$scratch/steps" && compiled mutants 0 || return 1
    grep "'one_bit.lingers n_bit/" "$scratch/said" && ! grep 'variants.sh.*queue\.' "$scratch/said" || return 1
    ! steps all MUTANTS='one_bit.lingers one_bit.nonsense' 2>"$scratch/complaint" &&
        grep 'there is no tests/mutants/one_bit.nonsense.patch' "$scratch/complaint"
}

# A patch that does not say of itself what the lists need.
a_mutant_without_words() {
    list() { (cd "$tree" && sh "$@" 2>"$scratch/complaint"); }
    patch=tests/mutants/one_bit.silent.patch
    for said in 'Brief: what is broken' 'Caught: -n 2 --property exclusion' 'Brief: both
Caught: --property exclusion'; do
        { echo "$said" && sed '/^\(Brief\|Caught\|Passes\):/d' tests/mutants/one_bit.lingers.patch; } >"$tree/$patch"
        ! list src/checker/model/variants.sh one_bit.silent tests/algorithms && grep "^$patch: before" "$scratch/complaint" ||
            return 1
    done
    rm "$tree/$patch"
    list src/checker/model/variants.sh one_bit.lingers tests/algorithms
}

# What the last build was made from is no more, and a new text is there instead.
a_text_moved() {
    (cd "$tree/src/algorithms" && sed 's/cycles\.h/rounds.h/' n_bit.c >"$scratch/n_bit.c" && cp "$scratch/n_bit.c" n_bit.c &&
        mv cycles.h rounds.h)
    steps all
}

# The texts that a mutant was compiled from are the edited ones wherever there is one.
nothing_unedited() {
    for patch in tests/mutants/*.patch tests/mutants/*/*.patch tests/timestamps/*.patch; do
        made=$BUILD/${patch#tests/}
        made=${made%.patch}
        for text in $(sed -n 's/^+++ \([^[:space:]]*\).*/\1/p' "$patch"); do
            grep -q " $made/$text" "$made.d" && ! grep -q " $text" "$made.d" || {
                echo "$patch: $text"
                return 1
            }
        done
    done
}

# Whoever edits a text is told which patch does not fit it any more, and what to do instead.
a_patch_that_does_not_fit() {
    mkdir -p "$scratch/other/src/algorithms"
    echo '/* another text */' >"$scratch/other/src/algorithms/one_bit.c"
    cp -r tests "$scratch/other"
    (cd "$scratch/other" && sh tests/edit.sh tests/mutants/one_bit.lingers.patch edited src/algorithms/one_bit.c) \
        >"$scratch/said" 2>&1 && return 1
    cat "$scratch/said"
    grep -q '^tests/mutants/one_bit.lingers.patch does not fit the text any more' "$scratch/said" &&
        grep -q 'make MUTANTS= TIMESTAMP_MUTANTS=' "$scratch/said" && ! [ -e "$scratch/other/edited/edited" ]
}

# What is left of a text that was broken on purpose is compiled, with a warning.
a_label_without_a_goto() {
    sed '/goto l;/d' src/algorithms/one_bit.c >"$tree/tests/algorithms/mine.c"
    make -C "$tree" --no-print-directory BUILD="$scratch/mine" "$scratch/mine/stepped/test.mine.o" >"$scratch/said" 2>&1 ||
        { cat "$scratch/said" && return 1; }
    grep -q 'unused-label' "$scratch/said"
    made=$?
    rm "$tree/tests/algorithms/mine.c"
    return $made
}

check "what is built needs nothing more" nothing_to_do
check "an edit of an algorithm: itself, what includes it, and their mutants" an_algorithm
check "an edit of what is included: those that include it, and their mutants" an_embedding
check "an edit of a timestamp system: what is built upon it, and their mutants" a_timestamp_system
check "an edit of the language: all mutants" the_language
check "an edit of a mutant: itself, and the catalogue" a_mutant
check "an edit of the checker: itself" a_part_of_the_checker
check "some mutants, and one that there is not" some_mutants
check "a mutant that does not say how it is caught" a_mutant_without_words
check "a mutant more" a_new_mutant
check "mutants that are gone" a_mutant_gone
check "a text that has another name" a_text_moved
check "mutants are compiled from the edited texts" nothing_unedited
check "a patch that does not fit is named, with what to do" a_patch_that_does_not_fit
check "a text that was broken on purpose is compiled" a_label_without_a_goto
finish
