#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Last of a debug kernel's guest: whether its checks were on all the time, and
# whether anything of what the suites before it did was never freed.
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh

KMEMLEAK=/sys/kernel/debug/kmemleak

configured()
{
	zcat /proc/config.gz | grep -qx "CONFIG_$1=y"
}

# Lockdep turns itself off at its first report, or when its tables are full.
lockdep_on()
{
	awk '$1 == "debug_locks:" { on = $2 } END { exit on != 1 }' /proc/lockdep_stats
}

# What one registration, its failure and its owner's death leave behind.
work()
{
	insmod "$MODULES/nvidia.ko" && insmod "$MODULES/gdrt_importer.ko" && module_up || return
	work_hca=$(hca_name 0)
	printf '%s\n' "buffer 1048576" "loop 0 $work_hca 20" "reg 0 $work_hca" quit | gdrt-reg
	gdrt-nl status && gdrt-nl dump || return
	cat "$GT"/* "$GT"/*/* "$GT"/*/*/* >/dev/null 2>&1
	bench_down
}

# The report, without the processes that an HCA was opened by: some of their tasks, signals and
# credentials are never freed, with or without the module (5 processes that register and end
# leave 2 behind on a 6.12 that never had it). Nothing of the module is allocated there.
leaks()
{
	awk '
		function flush() { if (object != "" && (object !~ known || object ~ /\[gdr/)) printf "%s", object }
		BEGIN { known = "(copy_process|prepare_creds)\\+" }
		/^unreferenced object/ { flush(); object = "" }
		{ object = object $0 "\n" }
		END { flush() }' $KMEMLEAK
}

scan()
{
	echo scan >$KMEMLEAK
}

plan 6
for check in PROVE_LOCKING DEBUG_ATOMIC_SLEEP; do
	check "the kernel has $check" configured $check
done
bench_down || bail "a module of an earlier suite does not unload"
check "drivers" rdma_up
check "loaded, used and unloaded" work

if [ -e $KMEMLEAK ]; then
	# An object is reported when it is 5 seconds old and no pointer to it was
	# found; a second scan has those that were on their way in the first.
	sleep 6
	scan
	sleep 7
	scan
	is "nothing leaked" "$(leaks)" ""
elif configured DEBUG_KMEMLEAK; then
	fail "nothing leaked: kmemleak is not there, see dmesg"
else
	skip "nothing leaked" "kmemleak is for the other debug kernel"
fi
check "lockdep is still on" lockdep_on
finish
