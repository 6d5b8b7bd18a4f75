#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs suites in the guest, one after the other, each within its time:
#	suites.sh SUITE:SECONDS...
# with a line before and after each that tests/run splits the output at.
for s in "$@"; do
	name=${s%:*} seconds=${s##*:}
	echo "### suite $name starts"
	start=$(cut -d. -f1 /proc/uptime)
	timeout -k 5 "$seconds" sh "/gdrt/tests/kselftest/$name.sh" 2>&1
	rc=$?
	end=$(cut -d. -f1 /proc/uptime)
	echo
	echo "### suite $name ends $rc $((end - start))"
done
