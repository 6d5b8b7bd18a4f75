#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The test of the tests: with each fault of tests/mutants built into the module, a suite has to
# fail, by a test of its own and not because something does not build or boot. It is the suite core,
# or what a line "# Caught by: SUITE" of the patch names, in its first boot of tests/suites.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/ktap.sh
. tests/lib/ktap.sh

KERNEL=6.12
BUILD=${GDRT_BUILD:-$PWD/build}
OUT=$BUILD/check/mutants
mkdir -p "$OUT"

# catcher PATCH: the suite that has to catch it
catcher()
{
	local suite

	suite=$(sed -n 's/^# Caught by: //p' "$1")
	echo "${suite:-core}"
}

# caught NAME SUITE: the suite fails with this mutant
caught()
{
	local log=$OUT/$1.log boot seconds options

	read -r _ _ boot _ _ seconds < <(grep -E "^suite[[:space:]]+$2[[:space:]]" tests/suites)
	[ -n "${seconds:-}" ] || { echo "no suite '$2' in tests/suites"; return 1; }
	options=$(sed -n "s/^boot[[:space:]]*${boot}[[:space:]]*//p" tests/suites)
	# shellcheck disable=SC2086 # a list
	tests/vm/run --kernel $KERNEL --variant "$1" $options --timeout $((seconds + 100)) \
		--log "$OUT/$1" -- sh /gdrt/tests/lib/suites.sh "$2:$seconds" >"$log" 2>&1 ||
		{ tail -n 20 "$log"; return 1; }
	grep -q "^### suite $2 ends 1 " "$log" || { tail -n 20 "$log"; return 1; }
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
	suite=$(catcher "$p")
	check "$name applies and builds" tests/vm/build-modules --kernel $KERNEL --variant "$name" \
		--patch "$p" --quiet
	check "$name is caught by the suite $suite" caught "$name" "$suite"
done
finish
