# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Licences, as reuse sees them. After check.sh.

# A colon after it, and reuse reads it as the licence of this file.
TAG=SPDX-License-Identifier

# licensed_copy DIR: what is written here, in the form that reuse knows. SPDX calls "GPL-2.0-only"
# what the kernel calls GPL-2.0, and wants one directory of texts that end in ".txt".
licensed_copy()
{
	local dir=$1 text name

	rm -rf "$dir"
	mkdir -p "$dir"
	find . \( -path ./.git -o -path ./build -o -path "$BUILD" \) -prune -o -type f ! -name '*.o' \
		! -name '*.ko' ! -name '*.mod' ! -name '*.mod.c' ! -name '*.cmd' ! -name Module.symvers \
		! -name modules.order ! -name '.checkpatch-camelcase.*' -print0 |
		tar -c --null -T - | tar -x -C "$dir" || return
	for text in "$dir"/LICENSES/*/*; do
		name=${text##*/}
		mv "$text" "$dir/LICENSES/${name/%GPL-2.0/GPL-2.0-only}.txt" || return
	done
	find "$dir/LICENSES" -mindepth 1 -type d -delete
	find "$dir" -type f -print0 |
		xargs -0 sed -i -E "s/($TAG: .*)\\bGPL-2\.0( |\)|\$)/\1GPL-2.0-only\2/"
}

licences()
{
	licensed_copy "$BUILD/check/licences" &&
		reuse --root "$BUILD/check/licences" lint
}

# Licences that reuse has to complain of, in that copy: one without text, one that nothing uses.
licences_noticed()
{
	local dir=$BUILD/check/licences word rc=0

	mv "$dir/LICENSES/BSD-3-Clause.txt" "$dir/LICENSES/MIT.txt" || return
	! reuse --root "$dir" lint >"$dir.out" || { echo "nothing noticed"; rc=1; }
	for word in 'Missing licenses: BSD-3-Clause' 'Unused licenses: MIT'; do
		grep -qxF "* $word" "$dir.out" || { echo "not said: $word"; cat "$dir.out"; rc=1; }
	done
	return "$rc"
}
