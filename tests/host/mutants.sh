#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The test of the tests: with each fault of tests/mutants built into the module, the core suite has to
# fail, by a test of its own and not because something does not build or boot.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/ktap.sh
. tests/lib/ktap.sh

KERNEL=6.12
BUILD=${GDRT_BUILD:-$PWD/build}
OUT=$BUILD/check/mutants
BOOT=$(sed -n 's/^boot[[:space:]]*plain[[:space:]]*//p' tests/suites)
mkdir -p "$OUT"

# caught NAME: the core suite with this mutant
caught()
{
	local log=$OUT/$1.log

	# shellcheck disable=SC2086 # a list
	tests/vm/run --kernel $KERNEL --variant "$1" $BOOT --timeout 400 --log "$OUT/$1" -- \
		sh /gdrt/tests/lib/suites.sh core:300 >"$log" 2>&1 || { tail -n 20 "$log"; return 1; }
	grep -q '^### suite core ends 1 ' "$log" || { tail -n 20 "$log"; return 1; }
	# An assertion: the suite ran to its end, and some of its tests did not pass.
	[ "$(grep -cE '^(not )?ok ' "$log")" = "$(sed -n 's/^1\.\.//p' "$log")" ] ||
		{ echo "the suite did not run to its end"; tail -n 20 "$log"; return 1; }
	grep -q '^not ok ' "$log"
}

PATCHES=(tests/mutants/*.patch)
plan $((2 * ${#PATCHES[@]}))
tests/vm/prepare --kernel $KERNEL >"$OUT/prepare.log" 2>&1 || bail "tests/vm/prepare: see $OUT/prepare.log"
for p in "${PATCHES[@]}"; do
	name=$(basename "$p" .patch)
	check "$name applies and builds" tests/vm/build-modules --kernel $KERNEL --variant "$name" \
		--patch "$p" --quiet
	check "$name is caught by the core suite" caught "$name"
done
finish
