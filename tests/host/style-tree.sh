# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Compilers and checkers for a kernel of the table, from the suite the kernel comes from: the tree of
# tests/vm that builds its modules, with more packages in it.

PROG=check-host
. tests/vm/lib/common.sh
. tests/vm/lib/table.sh
. tests/vm/lib/apt.sh
. tests/vm/lib/kernel.sh
. tests/vm/lib/tree.sh

# make_check_tree NAME PACKAGE...: CACHE/uses/check-NAME then links to the tree
make_check_tree()
{
	local name=$1 tree
	shift

	kernel_row "$name"
	apt_update "$ROW_SUITE"
	# The headers' own dependencies are the compiler that the kernel wants.
	# shellcheck disable=SC2086 # TREE_BASE is a list
	tree=$(fetch_tree "$ROW_SUITE" $TREE_BASE "$ROW_HEADERS" "$@") || return
	mkdir -p "$CACHE/uses"
	ln -sfn "$tree" "$CACHE/uses/check-$name"
}

# check_tree NAME PACKAGE...: gets what in_check_tree needs
check_tree()
{
	kernel_dir "$1" >/dev/null && with_lock prepare make_check_tree "$@"
}

# in_check_tree NAME COMMAND...
in_check_tree()
{
	local name=$1 dir
	shift

	dir=$(kernel_dir "$name") || return
	in_tree "$dir" "$CACHE/uses/check-$name" "$@"
}

# copy_modules NAME DIR: the sources that build the modules, as BUILD/check/NAME/DIR
copy_modules()
{
	local to=$BUILD/check/$1/$2

	rm -rf "$to"
	mkdir -p "$to/tests"
	cp -r kmod include "$to/" && cp -r tests/kmod "$to/tests/" &&
		find "$to" \( -name '*.o' -o -name '*.ko' -o -name '*.mod' -o -name '*.mod.c' \
			-o -name '.*.cmd' \) -delete
}

# build_in DIR NAME WORD...: makes the modules of a copy with more words for make. A warning fails, be
# it of the compiler, sparse, objtool or modpost.
build_in()
{
	local dir=$1 name=$2 version d log
	shift 2

	version=$(kernel_version "$name") || return
	copy_modules "$name" "$dir" || return
	for d in kmod tests/kmod; do
		log=$BUILD/check/$name/$dir/build-${d//\//-}.log
		if ! LANG=C in_check_tree "$name" make -j2 -C "/usr/lib/modules/$version/build" \
		     "M=$BUILD/check/$name/$dir/$d" "$@" modules >"$log" 2>&1; then
			cat "$log"
			return 1
		fi
		! grep -E -A6 'warning:|WARNING:|error:' "$log" || return 1
	done
}
