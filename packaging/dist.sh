#!/bin/sh
# SPDX-License-Identifier: MIT
#
# packaging/dist.sh FILE.tar.gz    packs the sources, below a directory that is called FILE
#
# What git knows of, as it stands here. Where there is no git, as in what this has packed: all but build directories. The same
# bytes for the same sources: names in order, owner 0, one time for all, which is SOURCE_DATE_EPOCH, or that of the last
# commit, or that of what was unpacked.
set -eu

tarball=$1
name=$(basename "$tarball" .tar.gz)

known_to_git() {
    # A repository around this directory is another one.
    test "$(git rev-parse --show-toplevel 2>/dev/null)" = "$(pwd -P)"
}

if known_to_git; then
    sources() { git ls-files -z; }
    epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
    test -z "$(git status --porcelain)" || echo "$tarball: with changes that are not committed; new files only if git knows of them" >&2
else
    sources() { find . \( -path ./build -o -name __pycache__ \) -prune -o ! -type d -printf '%P\0'; }
    epoch=${SOURCE_DATE_EPOCH:-$(stat -c %Y include/admit.h)}
fi

mkdir -p "$(dirname "$tarball")"
sources | LC_ALL=C sort -z | tar --create --file="$tarball.part" --format=ustar --no-recursion \
    --transform="s|^|$name/|" --mtime="@$epoch" --owner=0 --group=0 --numeric-owner --mode='u=rwX,go=rX' --null --files-from=-
gzip -n9 <"$tarball.part" >"$tarball.new"
rm "$tarball.part"
mv "$tarball.new" "$tarball"
echo "$tarball"
