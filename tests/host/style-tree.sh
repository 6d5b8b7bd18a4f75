# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Builds copies of the modules with other compilers and checkers than tests/vm/build-modules.

# copy_modules DIR: the sources that build the modules
copy_modules()
{
	rm -rf "$1"
	mkdir -p "$1/tests"
	cp -r kmod include "$1/" && cp -r tests/kmod "$1/tests/" &&
		find "$1" \( -name '*.o' -o -name '*.ko' -o -name '*.mod' -o -name '*.mod.c' \
			-o -name '.*.cmd' \) -delete
}

# build_with PACKAGES NAME COPY WORD...: makes the modules for kernel NAME, as BUILD/check/NAME-COPY,
# with Debian's PACKAGES at hand and more words for make. Any warning fails, be it of the compiler,
# sparse, objtool or modpost.
build_with()
{
	local packages=$1 name=$2 to=$BUILD/check/$2-$3 d log
	shift 3

	copy_modules "$to" || return
	for d in kmod tests/kmod; do
		log=$to/build-${d//\//-}.log
		# shellcheck disable=SC2016 # GDRT_KVER is set in the tree
		if ! tests/vm/in-tree --kernel "$name" --with "$packages" -- \
		     sh -c 'exec make -j2 -C "/lib/modules/$GDRT_KVER/build" "$@" modules' \
		     make "M=$to/$d" "$@" >"$log" 2>&1; then
			cat "$log"
			return 1
		fi
		! grep -E -A6 'warning:|WARNING:|error:' "$log" || return 1
	done
}
