#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The module under an ib_core and ib_uverbs that are not the kernel's own, as with OFED: built for the
# kernel's, built against theirs, and, to show that it matters, with the guard between the two removed.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/host/check.sh

KERNEL=6.12
OUT=$BUILD/check/foreign
mkdir -p "$OUT"

# run NAME JOIN [OPTIONS...]
run()
{
	local name=$1 join=$2
	shift 2

	tests/vm/run --kernel "$KERNEL" --gpus 1 --hcas 1 --extra "$FOREIGN" "$@" --timeout 400 --log "$OUT/$name" -- \
		env "GDRT_JOIN=$join" sh /gdrt/tests/kselftest/foreign.sh >"$OUT/$name.log" 2>&1
}

# It may also die of what it reads.
fails()
{
	! run "$@" || { echo "passed"; return 1; }
	grep -q '^ok 3 status: MR join' "$OUT/$1.log" && return 0
	tail -n 20 "$OUT/$1.log"
	return 1
}

build()	# VARIANT [WORDS]
{
	tests/vm/build-modules --kernel "$KERNEL" --variant "$1" ${2:+--make "$2"} --quiet
}

plan 7
needs "$KERNEL"
FOREIGN=$BUILD/foreign/$(tests/vm/kernels version "$KERNEL")
check "ib_core and ib_uverbs build outside of the kernel" tests/vm/build-foreign --kernel "$KERNEL"
check "a module built for the kernel's own leaves them alone" passes own foreign-rdma
check "the module builds against their headers" build ofed "GDRT_OFED=$FOREIGN"
check "and reads them" passes ofed on --variant ofed
GDRT_KCFLAGS=-DGDRT_OFED_HEADERS check "one that takes them for the kernel's own builds" build trusting
check "and is caught" fails trusting on --variant trusting
# shellcheck disable=SC2016 # for that shell
check "headers that are not there are named" sh -c '
	out=$(tests/vm/build-modules --kernel "$0" --variant ofed --make GDRT_OFED=/nowhere --quiet 2>&1) && exit 1
	case $out in *"/nowhere/include/rdma"*) ;; *) echo "$out"; exit 1 ;; esac' $KERNEL
finish
