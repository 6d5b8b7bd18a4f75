#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The demo passes, and the README shows what it prints.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/host/check.sh

OUT=$BUILD/check/demo.out

demo_passes()
{
	make demo >"$OUT" 2>&1 || { tail -n 40 "$OUT"; return 1; }
}

# What differs from run to run: times, pids, keys, and the width of columns.
normal()
{
	tr -d '\r' | sed -E -e 's/loaded 20.*/loaded TIME/' -e 's/ \([0-9]+\):/ (PID):/' \
		-e 's/lkey 0x[0-9a-f]+/lkey KEY/' -e 's/ +[0-9]+[smh] +([0-9]+) +[0-9]+ +/ AGE \1 PID /' \
		-e 's/ +/ /g' -e 's/ $//'
}

# Every line of the transcript, in this order; "[...]" stands for lines left out.
readme_shows_it()
{
	awk '/^```$/ { on = 0 } on { print } /^  GPU  .*0000:/ && !on { print; on = 1 }' README.md |
		grep -vxF '[...]' | normal >"$OUT.readme"
	[ "$(wc -l <"$OUT.readme")" -gt 20 ] || { echo "README.md: no transcript"; return 1; }
	normal <"$OUT" | awk -v readme="$OUT.readme" '
		BEGIN { while ((getline line < readme) > 0) want[++n] = line; i = 1 }
		i <= n && $0 == want[i] { i++ }
		END { if (i <= n) { print "README.md: the demo does not print, in this place: " want[i]; exit 1 } }'
}

plan 2
check "the demo passes" demo_passes
check "README.md shows what it prints" readme_shows_it
finish
