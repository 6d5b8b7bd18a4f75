#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What gdrctl reads from the kernel, from files and from its command line, with libFuzzer: each
# parser over its corpus and inputs made from that, the same ones each time.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/host/check.sh

TARGETS=()
for f in tools/gdrctl/fuzz/*.c; do
	f=${f##*/}
	[ "$f" = planted.c ] || TARGETS+=("${f%.c}")
done

# run TARGET: with the planted fault before it, which has to be found each time
run()
{
	tools/gdrctl/fuzz/run "$BUILD/obj/gdrctl-fuzz/fuzz" "$1"
}

has_corpus()
{
	local t rc=0

	for t in "${TARGETS[@]}"; do
		[ -n "$(ls "tools/gdrctl/fuzz/corpus/$t" 2>/dev/null)" ] ||
			{ echo "nothing in tools/gdrctl/fuzz/corpus/$t"; rc=1; }
	done
	return "$rc"
}

# The count of targets is fixed here, so that none gets lost.
plan 13
check "the targets build" make -s -C tools/gdrctl fuzz
check "each has a corpus" has_corpus
for t in "${TARGETS[@]}"; do
	check "$t" run "$t"
done
finish
