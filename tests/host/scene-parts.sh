# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What tests/lib/scene-print.sh printed in a guest, in parts. After check.sh; OUT is a directory.

SCENE_BOOT=$(sed -n 's/^boot[[:space:]]*mrs[[:space:]]*//p' tests/suites)

# scene KERNEL: runs it
scene()
{
	# shellcheck disable=SC2086 # a list
	tests/vm/run --kernel "$1" $SCENE_BOOT --timeout 400 --log "$OUT/vm" -- \
		sh /gdrt/tests/lib/scene-print.sh >"$OUT/scene" 2>"$OUT/scene.err" ||
		{ tail -n 20 "$OUT/scene" "$OUT/scene.err"; return 1; }
	grep -q '^### end' "$OUT/scene" || { tail -n 20 "$OUT/scene"; return 1; }
}

# part NAME
part()
{
	tr -d '\r' <"$OUT/scene" |
		awk -v begin="### $1" '/^### / { on = $0 == begin; next } on { print }'
}
