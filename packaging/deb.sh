#!/bin/sh
# SPDX-License-Identifier: MIT
#
# packaging/deb.sh SOURCES.tar.gz DIRECTORY    makes Debian packages of the sources, in that directory and nowhere else
set -eu

sources=$1 made=$2
name=$(basename "$sources" .tar.gz)

if ! command -v dpkg-buildpackage >/dev/null; then
    echo "make deb needs a Debian or its kin, with dpkg-dev: apt-get install dpkg-dev debhelper dh-python" >&2
    exit 1
fi

# dpkg-buildpackage writes to the directory above the one that it works in.
rm -rf "$made"
mkdir -p "$made"
tar -xf "$sources" -C "$made"
cd "$made/$name"

# It names those that are missing.
if ! dpkg-checkbuilddeps; then
    echo "make deb: ./setup installs these, and so does apt-get" >&2
    exit 1
fi
told=$(dpkg-parsechangelog -S Version)
if [ "admit-${told%-*}" != "$name" ]; then
    echo "make deb: debian/changelog is about version $told, and include/admit.h about ${name#admit-}" >&2
    exit 1
fi

: "${DEB_BUILD_OPTIONS=noautodbgsym parallel=$(nproc)}"
export DEB_BUILD_OPTIONS
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES PREFIX DESTDIR BUILD CFLAGS CPPFLAGS LDFLAGS SANITIZE
if ! dpkg-buildpackage --build=binary --no-sign >../log 2>&1; then
    tail -n 20 ../log | cut -c 1-240 >&2
    echo "make deb: failed; all of it is in $made/log" >&2
    exit 1
fi
cd - >/dev/null
rm -rf "${made:?}/$name"
ls "$made"/*.deb
