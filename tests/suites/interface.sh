#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The public header stands alone and describes exactly what the shared library exports.
. tests/tap.sh

header=include/admit.h

stands_alone_in_c() {
    "${CC:-cc}" -std=c99 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -x c "$header"
}

stands_alone_in_cxx() {
    clang -Wall -Wextra -Wpedantic -Werror -Wno-pragma-once-outside-header -fsyntax-only -x c++ "$header"
}

exports_what_it_declares() {
    sed -n 's/^ADMIT_API .*[ *]\(admit_[a-z_]*\)(.*/\1/p' "$header" | sort >"$scratch/declared"
    nm -D --defined-only "$BUILD/libadmit.so" | awk '{ print $3 }' | sort >"$scratch/exported"
    diff "$scratch/declared" "$scratch/exported" && test -s "$scratch/declared"
}

needs_libc_alone() {
    needed=$(objdump -p "$BUILD/libadmit.so" | awk '$1 == "NEEDED" && $2 !~ /^ld-linux/ { print $2 }')
    echo "needed: $needed"
    test "$needed" = libc.so.6
}

# It is loaded for TLS, and takes longer than all the rest of a start. Where there is no client of etcd there is nothing to see.
nothing_needs_libcurl() {
    for file in "$BUILD/admit-etcd" "$BUILD/libadmit-etcd.so"; do
        ! objdump -p "$file" 2>/dev/null | grep 'NEEDED.*curl' || return 1
    done
}

# Without this a program that has started cannot load it: "cannot allocate memory in static TLS block".
keeps_little_for_each_thread() {
    size=$(readelf -lW "$BUILD/libadmit.so" | awk '$1 == "TLS" { print $6 }')
    echo "bytes for each thread: $size"
    test "$((size))" -lt 100
}

stays_loaded() {
    readelf -dW "$BUILD/libadmit.so" | grep NODELETE
}

# By its soname, which is not the name that it was linked by.
is_found_where_it_was_built() {
    printf '#include <admit.h>\n#include <stdio.h>\nint main(void) { return puts(admit_version()) < 0; }\n' >"$scratch/program.c"
    "${CC:-cc}" -Iinclude "$scratch/program.c" -L"$BUILD" -ladmit -Wl,-rpath,"$BUILD" -o "$scratch/program" &&
        ldd "$scratch/program" | grep -F "libadmit.so.0 => $BUILD/libadmit.so.0" && "$scratch/program"
}

check "admit.h compiles alone as C99" stands_alone_in_c
check "admit.h compiles alone as C++" stands_alone_in_cxx
check "libadmit.so exports what admit.h declares, and nothing else" exports_what_it_declares
check "libadmit.so needs libc alone" needs_libc_alone
check "nothing is linked with libcurl" nothing_needs_libcurl
check "libadmit.so has less than 100 bytes of variables for each thread" keeps_little_for_each_thread
check "a program that is linked with the build's libadmit.so starts" is_found_where_it_was_built
check "libadmit.so stays loaded, for threads that have used it" stays_loaded
finish
