#!/bin/busybox sh
# SPDX-License-Identifier: MIT
#
# The first process of the emulated machine (arm64.sh): runs the suites that are there, and tells what they say on the
# console, each between two lines that begin with "===".
/bin/busybox --install -s /bin
export PATH=/bin
mkdir -p /proc /sys /dev /tmp /var/tmp /etc
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/shm
mount -t tmpfs shm /dev/shm
mount -t tmpfs tmp /tmp
mount -t tmpfs tmp /var/tmp
chmod 1777 /tmp /var/tmp /dev/shm
printf 'root:x:0:0:root:/:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n' >/etc/passwd
cd /admit || poweroff -f
uname -srm
for suite in build/tests/*/*; do
    echo "=== begins $suite"
    BUILD=build ADMIT_TEST_QUICK=1 timeout 600 "$suite" </dev/null 2>&1
    echo "=== ended $?"
done
poweroff -f
