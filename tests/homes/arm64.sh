#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What `make cross` does beside compiling. Nothing outside of the directories that are named is written.
#
#   arm64.sh needs                which of Debian's packages are missing here, if any
#   arm64.sh fetch DEBIAN         what arm64 programs are compiled with, a kernel and a busybox, unpacked below DEBIAN
#   arm64.sh process BUILD        runs the locks of this build, each program in an emulated process (qemu-user), where
#                                 the kernel is this machine's, and tells emulated programs of no robust lists
#   arm64.sh machine BUILD DEBIAN runs the gate's suites in an emulated machine (qemu-system) with a kernel of its own

set -u

needs() {
    missing=
    while read -r command package; do
        command -v "$command" >/dev/null || missing="$missing $package"
    done <<EOF
aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu
qemu-aarch64-static qemu-user-static
qemu-system-aarch64 qemu-system-arm
cpio cpio
EOF
    if command -v aarch64-linux-gnu-gcc >/dev/null &&
        ! echo '#include <stdio.h>' | aarch64-linux-gnu-gcc -E - >/dev/null 2>&1; then
        missing="$missing libc6-dev-arm64-cross"
    fi
    [ -z "$missing" ] && return 0
    echo "make cross needs: apt-get install --no-install-recommends$missing" >&2
    return 1
}

# By apt with a state of its own, so that nothing here becomes a system of two architectures.
fetch() {
    [ -e "$1/fetched" ] && return 0
    mkdir -p "$1/apt/lists/partial" "$1/apt/cache/archives/partial" && : >"$1/apt/status" || return 1
    debian=$(cd "$1" && pwd)
    cat >"$debian/apt/conf" <<EOF
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Sandbox::User "";
Dir::State::Lists "$debian/apt/lists";
Dir::State::status "$debian/apt/status";
Dir::Cache "$debian/apt/cache";
EOF
    export APT_CONFIG="$debian/apt/conf"
    apt-get update -q || return 1
    kernel=$(apt-cache depends linux-image-cloud-arm64 | sed -n 's/^ *Depends: \(linux-image-.*\)/\1/p' | head -n 1)
    [ -n "$kernel" ] || return 1
    (cd "$debian/apt" && apt-get download -q "$kernel" busybox-static libjansson-dev libxxhash-dev) || return 1
    for package in "$debian"/apt/*.deb; do
        dpkg-deb -x "$package" "$debian" || return 1
    done
    : >"$debian/fetched"
}

# The locks alone are run as processes. The faults that are left out give whoever waits so much of a processor, or of
# time, that a machine a hundred times as slow fails them.
suites_of_processes="api debug stress stopped thrift timestamps wake"
suites_of_machine="native/api native/debug native/gate_age native/gate_file native/gate_image native/gate_killed native/gate_line
    native/gate_owner native/gate_storm native/gate_world native/run_killed native/wake
    faults/boot faults/children faults/closing faults/deadlines faults/descriptors faults/making faults/many_holds
    faults/oom faults/places faults/records faults/texts faults/time_namespace faults/users"

process() {
    rm -rf "$1/process"
    mkdir -p "$1/process/tests/native" || return 1
    for program in $suites_of_processes; do
        script=$1/process/tests/native/$program
        printf '#!/bin/sh\nexec qemu-aarch64-static %s "$@"\n' "$1/tests/native/$program" >"$script" && chmod +x "$script"
    done
    SUITE_TIME_LIMIT=3000 tests/run BUILD="$1/process" ADMIT_TEST_QUICK=1 "$1"/process/tests/native/*
}

# What the suites of the machine said, each by a script that says it again: so that they are judged as all others. One
# that did not come to its end is there too, and fails.
repeat_each() { # DIRECTORY CONSOLE
    tr -d '\r' <"$2" | awk -v directory="$1" '
        function repeat(status) {
            if (script != "") print "EOF\nexit " status > script
            script = ""
        }
        /^=== begins build/ {
            repeat(124)
            script = directory substr($3, length("build") + 1)
            print "#!/bin/sh\ncat <<\\EOF" > script
            next
        }
        /=== ended [0-9]+$/ { repeat($NF); next } # perhaps after what a suite did not end a line with
        script != "" { print > script }
        END { repeat(124) }'
    chmod +x "$1"/tests/*/*
}

machine() {
    image=$1/machine/image
    rm -rf "$1/machine"
    mkdir -p "$image/bin" "$image/admit/build/tests/native" "$image/admit/build/tests/faults" \
        "$1/machine/tests/native" "$1/machine/tests/faults" || return 1
    cp "$2/bin/busybox" "$image/bin" && cp tests/homes/init.sh "$image/init" && cp "$1/admit" "$image/admit/build" ||
        return 1
    for suite in $suites_of_machine; do
        cp "$1/tests/$suite" "$image/admit/build/tests/${suite%/*}" || return 1
    done
    (cd "$image" && find . | cpio --create --format=newc --quiet) | gzip -1 >"$1/machine/image.gz" || return 1
    timeout --foreground 3600 qemu-system-aarch64 -M virt -cpu max -smp 2 -m 2G -nic none -nographic -no-reboot \
        -kernel "$2"/boot/vmlinuz-* -initrd "$1/machine/image.gz" -append "console=ttyAMA0 quiet panic=-1" \
        </dev/null >"$1/machine/console" 2>&1
    repeat_each "$1/machine" "$1/machine/console" && tests/run BUILD="$1/machine" "$1"/machine/tests/*/*
}

case ${1-} in
needs | fetch | process | machine)
    "$@"
    ;;
*)
    sed -n 's/^#   arm64.sh/arm64.sh/p' "$0" >&2
    exit 2
    ;;
esac
