# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# What kmemleak finds, in a guest of the debug kernel that has it. Its line on the console does not
# fail a guest: that kernel leaks a little of its own.

KMEMLEAK=/sys/kernel/debug/kmemleak

# leaks_scan: an object is reported when it is 5 seconds old and no pointer to it was found; a second
# scan has those that were on their way in the first.
leaks_scan()
{
	for leaks_s in 6 7; do
		sleep $leaks_s
		echo scan >$KMEMLEAK
	done
}

# leaks: the report, without the processes that an HCA was opened by: some of their tasks, signals and
# credentials are never freed, with or without the module (5 processes that register and end leave 2
# behind on a 6.12 that never had it). Nothing of the module is allocated there.
leaks()
{
	awk '
		function flush() { if (object != "" && (object !~ known || object ~ /\[gdr/)) printf "%s", object }
		BEGIN { known = "(copy_process|prepare_creds)\\+" }
		/^unreferenced object/ { flush(); object = "" }
		{ object = object $0 "\n" }
		END { flush() }' $KMEMLEAK
}
