#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The explorer on more threads than cores. The point is the build under ThreadSanitizer, which ends with another status,
# and says why, if two threads meet where they must not.
. tests/tap.sh

# gcc's ThreadSanitizer cannot place its memory where addresses are too random; some sandboxes forbid to change it.
fixed_addresses=
case $BUILD in
*tsan*) setarch -R true 2>/dev/null && fixed_addresses="setarch -R" ;;
esac

decides() { # COMMAND ARGUMENT...
    ADMIT_THREADS=4 $fixed_addresses "$BUILD/admit" "$@" 2>"$scratch/errors"
    [ $? -le 1 ] && ! [ -s "$scratch/errors" ]
}

check "exclusion, deadlock-freedom" decides check one_bit -n 5 --property exclusion --property deadlock-freedom
check "lockout-freedom that holds" decides check bakery -n 3 --property lockout-freedom
check "lockout-freedom that does not, with crashes" decides check burns_lynch -n 4 --fault crash --property lockout-freedom
check "fingerprints" decides check bakery -n 3 --fingerprints --property exclusion --property bounded-exit
check "order, bounds and the enabled relation" decides check test:ticket -n 3 -k 2 --property fcfs --property fife \
    --property strong-fife --property overtaking --property fifo-enabling --property k-deadlock-avoidance \
    --property bounded-waiting --property bounded-doorway
check "two systems in lock step" decides equivalent test:ticket test:ticket -n 4 -k 2
finish
