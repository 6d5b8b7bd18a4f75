#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Last of a debug kernel's guest: whether its checks were on all the time, and
# whether anything of what the suites before it did was never freed.
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh
# shellcheck source=tests/lib/kmemleak.sh
. /gdrt/tests/lib/kmemleak.sh

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

plan 6
for check in PROVE_LOCKING DEBUG_ATOMIC_SLEEP; do
	check "the kernel has $check" configured $check
done
bench_down || bail "a module of an earlier suite does not unload"
check "drivers" rdma_up
check "loaded, used and unloaded" work

if [ -e $KMEMLEAK ]; then
	leaks_scan
	is "nothing leaked" "$(leaks)" ""
elif configured DEBUG_KMEMLEAK; then
	fail "nothing leaked: kmemleak is not there, see dmesg"
else
	skip "nothing leaked" "kmemleak is for the other debug kernel"
fi
check "lockdep is still on" lockdep_on
finish
