#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# gdrctl with a module of another version.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/host/check.sh

KERNEL=6.12
OUT=$BUILD/check/version
mkdir -p "$OUT"

# run NAME [OPTIONS...]
run()
{
	local name=$1
	shift

	tests/vm/run --kernel "$KERNEL" "$@" --timeout 300 --log "$OUT/$name" -- \
		sh /gdrt/tests/kselftest/version.sh >"$OUT/$name.log" 2>&1
}

# The suite tells them apart.
fails()
{
	! run "$@" || { echo "passed"; return 1; }
	grep -q '^not ok 1 both versions' "$OUT/$1.log" || { tail -n 20 "$OUT/$1.log"; return 1; }
}

plan 3
needs $KERNEL
check "a module of another version builds" tests/vm/build-modules --kernel $KERNEL --variant other \
	--patch tests/lib/other-version.patch --quiet
check "gdrctl works with it" passes other --variant other
check "one of this version is told from it" fails own
finish
