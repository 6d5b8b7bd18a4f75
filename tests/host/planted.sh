#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The test of the debug kernels: each has to report the faults of tests/kmod/planted.c that are its
# business, by the message that is meant for it, and the run has to fail because of that.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/ktap.sh
. tests/lib/ktap.sh

BUILD=${GDRT_BUILD:-$PWD/build}
OUT=$BUILD/check/planted
mkdir -p "$OUT"

# Loads it; for the leak, ends as the suite "debug" does when something leaked.
# shellcheck disable=SC2016 # for the guest's shell
GUEST='insmod /gdrt/modules/planted.ko fault=$0 || exit 2
[ $0 = leak ] || exit 0
. /gdrt/tests/lib/kmemleak.sh
leaks_scan
leaks
[ -z "$(leaks)" ]'

# reported KERNEL FAULT TEXT [CODE]: CODE is 125 where the console alone makes a guest fail
reported()
{
	local dir=$OUT/$1-$2 want=${4-125} rc

	mkdir -p "$dir"
	tests/vm/run --kernel "$1" --gpus 0 --hcas 0 --memory 2G --timeout 400 --log "$dir" -- \
		sh -c "$GUEST" "$2" >"$dir/out" 2>"$dir/err"
	rc=$?
	[ "$rc" = "$want" ] || { echo "the run ended with $rc, not $want"; tail -n 5 "$dir/err"; return 1; }
	# The text, and where it comes from: the report is not about something else.
	grep -qE "$3" "$dir/console.log" || { echo "not reported: $3"; tail -n 20 "$dir/err"; return 1; }
	cat "$dir/console.log" "$dir/out" | grep -q '\[planted\]' ||
		{ echo "the report is not about the planted fault"; tail -n 20 "$dir/err"; return 1; }
}

plan 8
for k in debug debug-rt; do
	tests/vm/prepare --kernel $k >"$OUT/prepare-$k.log" 2>&1 ||
		bail "tests/vm/prepare --kernel $k: see $OUT/prepare-$k.log"
	if [ $k = debug ]; then
		check "$k: a use after free" reported $k use-after-free \
			'BUG: KASAN: slab-use-after-free in .*\[planted\]'
		check "$k: a leak" reported $k leak 'kmemleak: [0-9]+ new suspected memory leaks' 1
	fi
	check "$k: a probe handler that sleeps" reported $k sleep \
		'BUG: sleeping function called from invalid context'
	check "$k: locks in two orders" reported $k lock-order \
		'possible circular locking dependency detected'
	check "$k: an RCU pointer without its lock" reported $k rcu 'suspicious RCU usage'
done
finish
