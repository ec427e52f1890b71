#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What a script does with a gate: a batch in the background, one job that must not run twice at a time, and several commands
# under one hold. It needs admit in PATH.
set -eu

# So that this example leaves nothing behind. Yours does without: your gates have a directory of their own.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export ADMIT_DIR="$dir"
cd "$dir"

# --- a batch: two at a time, in the order of the loop ---------------------------------------------------------------------

# Each call returns as soon as its job has its place in line, and prints the job's id. The jobs outlive this shell.
jobs=$(for page in 1 2 3 4 5 6; do
    admit run -b -k 2 printers -- sh -c 'echo "page $0"; test "$0" != 5' "$page"
done)

# The status is that of the first job that has failed.
# shellcheck disable=SC2086 # they are several
admit wait $jobs || echo "a job has failed with status $?"
for job in $jobs; do
    admit output "$job"
done

# --- not twice at a time: who finds somebody there goes away --------------------------------------------------------------

# As if cron had started the one, which is not done yet, and now starts the other.
backup='until test -e enough; do sleep 0.05; done; echo "backed up"'
first=$(admit run -b -k 1 nightly -- sh -c "$backup")
admit run -k 1 --try nightly -- sh -c "$backup" || echo "status $?: somebody is at it"
touch enough
admit wait "$first"
admit output "$first"

# --- several commands under one hold: the slot is this shell's, and comes back if it is killed ----------------------------

slot=$(admit enter -k 2 --pid $$ printers) && eval "$slot" || exit
[ "${ADMIT_OWNER_DIED:-0}" = 0 ] || echo "who was here before was killed: clean up printer $ADMIT_SLOT first"
echo "the cover, on printer $ADMIT_SLOT"
echo "the index, on printer $ADMIT_SLOT"
admit leave printers
