#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What others get: the sources that `make dist` packs, the packages for Debian that are made of them, and `make install`.
# The packages are built once, without optimization, and put into a root of their own by dpkg.
. tests/tap.sh

case $BUILD in
/*) ;;
*) BUILD=$PWD/$BUILD ;;
esac
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES PREFIX DESTDIR SOURCE_DATE_EPOCH LD_PRELOAD ADMIT_DIR
# Always the same directory, so that a cache of compilations knows it again.
made=$BUILD/tests/packages
debs=$made/debs
root=$scratch/root
version=$(sed -n 's/^#define ADMIT_VERSION_[A-Z]* //p' include/admit.h | paste -sd.)
sources=$made/admit-$version.tar.gz
mkdir -p "$made"

# skip WHY NAME COMMAND...: a case that cannot be run here.
skip() {
    cases=$((cases + 1))
    echo "ok $cases - $2 # SKIP $1"
}

# check_if WHY_NOT NAME COMMAND...
check_if() {
    if [ -z "$1" ]; then
        shift
        check "$@"
    else
        skip "$@"
    fi
}

# Files and links below a directory, in order.
files_below() {
    (cd "$1" && find . ! -type d | LC_ALL=C sort)
}

# --- the sources ----------------------------------------------------------------------------------------------------------

packs_the_sources() {
    sh packaging/dist.sh "$sources" && tar -xf "$sources" -C "$scratch" && files_below "$scratch/admit-$version" >"$scratch/packed"
    for file in Makefile include/admit.h debian/rules tests/run; do
        grep -qx "./$file" "$scratch/packed" || { echo "$file was not packed" && return 1; }
    done
    ! grep -E '^\./(\.git|build)/' "$scratch/packed" && test -x "$scratch/admit-$version/tests/run"
}

# Also without git, by whomever, and whatever was built there.
packs_the_same_again() {
    (cd "$scratch/admit-$version" && umask 077 && mkdir -p build && touch build/clutter &&
        sh packaging/dist.sh "$scratch/admit-$version.tar.gz") && cmp "$sources" "$scratch/admit-$version.tar.gz"
}

# Python's module is for one minor version.
versions_agree() {
    echo "include/admit.h: $version" && grep -q "^## $version - " CHANGELOG.md && grep -F "_NEEDED = \"${version%.*}.\"" python/admit.py &&
        sed -n '1s/-.*//; 1p' debian/changelog | grep -x "admit ($version"
}

# --- make install -----------------------------------------------------------------------------------------------------------

# By the rules of the Makefile, of what is built already. Where Debian would put it.
by_make() {
    make --no-print-directory --silent -o all BUILD="$BUILD" PREFIX=/usr LIBDIR="/usr/lib/$triplet" \
        PYTHONDIR=/usr/lib/python3/dist-packages "$@"
}

triplet=$(gcc -print-multiarch 2>/dev/null)
triplet=${triplet:-some-triplet}

installs_and_removes() {
    mkdir -p "$scratch/staged/usr/libexec/other" && echo mine >"$scratch/staged/usr/libexec/other/file" || return 1
    by_make install DESTDIR="$scratch/staged" && files_below "$scratch/staged" | grep -v other >"$scratch/installed" || return 1
    by_make uninstall DESTDIR="$scratch/staged" || return 1
    files_below "$scratch/staged"
    test "$(files_below "$scratch/staged")" = ./usr/libexec/other/file && test ! -e "$scratch/staged/usr/libexec/admit" &&
        grep -qx ./usr/bin/admit "$scratch/installed"
}

# GNU's names for directories are as good, and what admit.pc says follows.
takes_other_names() {
    by_make install DESTDIR="$scratch/named" PREFIX=/opt/admit bindir=/opt/tools INCLUDEDIR=/opt/headers LIBDIR=/opt/admit/lib64 &&
        files_below "$scratch/named" && test -x "$scratch/named/opt/tools/admit" &&
        grep -x "libdir=\${prefix}/lib64" "$scratch/named/opt/admit/lib64/pkgconfig/admit.pc" &&
        grep -x "includedir=/opt/headers" "$scratch/named/opt/admit/lib64/pkgconfig/admit.pc"
}

refuses_blanks() {
    for place in PREFIX DESTDIR LIBDIR; do
        by_make install "$place=$scratch/a b" 2>"$scratch/refused" && return 1
        grep -F "$place has a blank in it: '$scratch/a b'" "$scratch/refused" || return 1
    done
    test ! -e "$scratch/a"
}

# --- make deb ---------------------------------------------------------------------------------------------------------------

says_what_it_needs() {
    mkdir -p "$scratch/bin" && ln -sf "$(command -v basename)" "$scratch/bin" &&
        ! PATH=$scratch/bin /bin/sh packaging/deb.sh "$sources" "$scratch/none" 2>"$scratch/needs" &&
        grep 'apt-get install dpkg-dev debhelper dh-python' "$scratch/needs" && test ! -e "$scratch/none"
}

makes_packages() {
    DEB_BUILD_OPTIONS="noopt noautodbgsym parallel=$(nproc)" CC=${CC:-cc} sh packaging/deb.sh "$sources" "$debs" || return 1
    test ! -e "$debs/admit-$version"
}

# Whoever builds a program with a new symbol must get the library that has it.
knows_the_symbols() {
    for library in libadmit libadmit-etcd; do
        nm -D --defined-only "$BUILD/$library.so" | awk '{ print $3 }' | sort >"$scratch/exported"
        sed -n 's/^ \([a-z_]*\)@Base .*/\1/p' "debian/${library}0.symbols" | sort | diff - "$scratch/exported" || return 1
    done
}

# initial-upload-closes-no-bugs: they are not about to be uploaded.
pleases_lintian() {
    lintian --allow-root --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs "$debs"/*.changes
}

# All that `make install` installs, and nothing but what Debian asks for beside it.
has_what_is_installed() {
    for deb in "$debs"/*.deb; do
        dpkg-deb --fsys-tarfile "$deb" | tar -t | grep -v '/$'
    done | grep -v '^./usr/share/\(doc\|lintian\)/' | sed '/\/man\//s/\.gz$//; s|/zsh/vendor-completions/|/zsh/site-functions/|' |
        LC_ALL=C sort >"$scratch/in_packages"
    diff "$scratch/installed" "$scratch/in_packages"
}

# depend PACKAGE: on what it depends, without versions.
depend() {
    dpkg-deb -f "$debs/$1"_*.deb Depends | sed 's/ *([^)]*)//g'
}

needs_libc_alone() {
    depend admit
    depend libadmit0
    test "$(depend admit) $(depend libadmit0)" = "libc6 libc6"
}

# --- in a root of their own -------------------------------------------------------------------------------------------------

# The scripts of a package are run in that root: it has a shell, and what compiles Python there, which says so.
make_root() {
    mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" "$root/bin" "$root/dev" "$root/usr/bin" &&
        : >"$root/var/lib/dpkg/status" && : >"$root/dev/null" && cp /bin/sh "$root/bin/sh" || return 1
    ldd /bin/sh | grep -o '/[^ ]*' | while read -r library; do
        mkdir -p "$root/${library%/*}" && cp "$library" "$root/$library" || return 1
    done
    for tool in py3compile py3clean; do
        # shellcheck disable=SC2016 # for the script
        printf '#!/bin/sh\necho "${0##*/} $*" >>/scripts\n' >"$root/usr/bin/$tool" && chmod +x "$root/usr/bin/$tool" || return 1
    done
    : >"$root/scripts"
}

in_root() {
    PATH=$PATH:/usr/sbin:/sbin $as_root dpkg --root="$root" --force-depends --log="$scratch/dpkg.log" "$@"
}

# dpkg's own notes are no files of a package.
files_of_root() {
    files_below "$root" | grep -v '^./var/'
}

installs_packages() {
    make_root && files_of_root >"$scratch/before" && in_root --install "$debs"/*.deb || return 1
    test -x "$root/usr/bin/admit" && grep -x 'py3compile -p python3-admit' "$root/scripts"
}

# The helper finds no cluster: that it was found itself is what is asked.
runs_there() {
    test "$("$root/usr/bin/admit" run -k 1 "$scratch/gate" -- printenv ADMIT_SLOT)" = 0 &&
        test "$("$root/usr/bin/admit" --version)" = "admit $version" || return 1
    env -u ADMIT_ETCD LD_LIBRARY_PATH="$root/usr/lib/$triplet" "$root/usr/bin/admit" list etcd: 2>&1 | grep ADMIT_ETCD=
}

# What admit-etcd.pc requires is not in that root.
needed_too=$(pkg-config --variable pc_path pkg-config 2>/dev/null)

from_there() {
    PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_LIBDIR=$root/usr/lib/$triplet/pkgconfig:$needed_too pkg-config "$@"
}

program_is_built_with_it() {
    cat >"$scratch/program.c" <<'END'
#include <admit.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    admit_gate *gate = admit_gate_open(argv[argc - 1], 1);
    if (gate == NULL)
        return puts(admit_last_error_text()), 1;
    admit_gate_close(gate);
    return puts(admit_version()), 0;
}
END
    # shellcheck disable=SC2046 # words
    "${CC:-cc}" "$scratch/program.c" $(from_there --cflags --libs admit) -o "$scratch/program" &&
        "${CC:-cc}" -static "$scratch/program.c" $(from_there --cflags --static --libs admit) -o "$scratch/static" || return 1
    test "$(LD_LIBRARY_PATH=$root/usr/lib/$triplet "$scratch/program" "$scratch/gate")" = "$version" &&
        test "$("$scratch/static" "$scratch/gate")" = "$version" && test "$(from_there --modversion admit)" = "$version"
}

# By libadmit.so when it is needed; a program that has both libraries inside, by itself.
program_finds_gates_elsewhere() {
    LD_LIBRARY_PATH=$root/usr/lib/$triplet "$scratch/program" etcd:gpu | grep ADMIT_ETCD= || return 1
    # shellcheck disable=SC2046 # words
    "${CC:-cc}" "$scratch/program.c" $(from_there --cflags admit-etcd) -Wl,-Bstatic $(from_there --libs admit-etcd) -Wl,-Bdynamic \
        $(pkg-config --libs $(from_there --print-requires-private admit-etcd)) -lpthread -o "$scratch/inside" &&
        ! readelf -d "$scratch/inside" | grep libadmit && "$scratch/inside" etcd:gpu | grep ADMIT_ETCD=
}

module_is_there() {
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$root/usr/lib/python3/dist-packages LD_LIBRARY_PATH=$root/usr/lib/$triplet \
        env -u ADMIT_LIBRARY python3 -c 'import admit; print(admit.version())' | grep -x "$version"
}

leaves_nothing() {
    in_root --purge admit admit-etcd libadmit0 libadmit-dev libadmit-etcd0 libadmit-etcd-dev python3-admit || return 1
    grep -x 'py3clean -p python3-admit' "$root/scripts" && files_of_root | diff "$scratch/before" -
}

# --- what of this can be tried here -----------------------------------------------------------------------------------------

# Nothing, if packages can be built; else why not.
why_no_packages() {
    if ! command -v dpkg-checkbuilddeps >/dev/null; then
        echo "there is no dpkg-dev"
    elif ! dpkg-checkbuilddeps 2>/dev/null; then
        dpkg-checkbuilddeps 2>&1 | sed 's/.*: error: //'
    elif ! [ -e "$BUILD/libadmit-etcd.so" ]; then
        echo "this build has no gates on etcd"
    fi
}

check "make dist packs the sources" packs_the_sources
check "it packs the same bytes again, also where there is no git" packs_the_same_again
check "its version is said alike everywhere" versions_agree
check "make uninstall removes what make install has installed, and nothing else" installs_and_removes
check "directories can be named, as GNU names them" takes_other_names
check "a directory with a blank in it is refused" refuses_blanks
check "make deb says what it needs" says_what_it_needs

no_packages=$(why_no_packages)
check_if "$no_packages" "debian has the symbols of both libraries" knows_the_symbols
check_if "$no_packages" "the packages are built of the packed sources" makes_packages
no_lintian=$no_packages
command -v lintian >/dev/null || no_lintian="there is no lintian"
check_if "$no_lintian" "lintian finds no error and warns of nothing" pleases_lintian
check_if "$no_packages" "the packages have the files of make install" has_what_is_installed
check_if "$no_packages" "for gates of this machine they need libc alone" needs_libc_alone

as_root=
no_root=$no_packages
if [ "$(id -u)" -ne 0 ]; then
    as_root="unshare --map-root-user"
    $as_root true 2>/dev/null || no_root="one that is not root may not be root in a namespace of its own here"
fi
check_if "$no_root" "dpkg installs them in a root of their own" installs_packages
check_if "$no_root" "admit runs from there" runs_there
no_pkg_config=$no_root
command -v pkg-config >/dev/null || no_pkg_config="there is no pkg-config"
check_if "$no_pkg_config" "a program is built with the library there, and runs" program_is_built_with_it
check_if "$no_pkg_config" "it finds gates on etcd, and so does one that has them inside" program_finds_gates_elsewhere
check_if "$no_root" "Python finds its module there" module_is_there
check_if "$no_root" "purged, they leave nothing" leaves_nothing
finish
