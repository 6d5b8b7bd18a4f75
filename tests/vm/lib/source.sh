# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The parts of Debian's kernel source that the bench uses: scripts (checkpatch,
# get_abi, kernel-doc), ynl and the netlink specifications, kselftest's harness,
# the core of the RDMA stack.

SOURCE_KERNEL=6.12
SOURCE_SUITE=bookworm
SOURCE_PACKAGE=linux-source-$SOURCE_KERNEL
SOURCE_PARTS="scripts tools/net/ynl tools/docs Documentation/netlink Documentation/ABI"
SOURCE_PARTS+=" tools/testing/selftests/kselftest tools/testing/selftests/lib.mk"
SOURCE_PARTS+=" tools/testing/selftests/kselftest.h include/uapi LICENSES"
SOURCE_PARTS+=" drivers/infiniband/core drivers/infiniband/hw/mlx5"

# Prints the directory of the source in the cache.
source_dir()
{
	[ -e "$CACHE/source/$SOURCE_KERNEL" ] ||
		die "no kernel source in the cache; run tests/vm/prepare --source"
	readlink -f "$CACHE/source/$SOURCE_KERNEL"
}

fetch_source()
{
	local list key tarball dir=$CACHE/source part d parts=()

	apt_update "$SOURCE_SUITE"
	d=$(apt_dir "$SOURCE_SUITE")
	key=$(cat "$d"/lists/*Release "$VM_DIR/lib/source.sh" | sha256sum | cut -c1-16)
	[ "$(cat "$dir/stamp" 2>/dev/null)" != "$key" ] || return 0
	list=$(apt_closure "$SOURCE_SUITE" "$SOURCE_PACKAGE" |
	       awk -v p="$SOURCE_PACKAGE" '$3 == p') || return
	mkdir -p "$dir"
	part=$(sha256sum <<<"$list$SOURCE_PARTS" | cut -c1-12)
	if [ ! -e "$dir/$part" ]; then
		fetch_debs "$SOURCE_SUITE" "kernel source" "$dir/deb" <<<"$list" || return
		tarball=$dir/deb/usr/src/$SOURCE_PACKAGE.tar.xz
		say "kernel source: unpacking what is needed (half a minute)"
		mkdir -p "$dir/$part.part"
		# One that this version lacks is no error.
		for d in $SOURCE_PARTS; do
			parts+=("$SOURCE_PACKAGE/$d")
		done
		tar -C "$dir/$part.part" --strip-components=1 --no-same-owner -xJf "$tarball" \
			"${parts[@]}" 2>"$dir/tar.log"
		[ -e "$dir/$part.part/scripts/checkpatch.pl" ] ||
			{ cat "$dir/tar.log" >&2; return 1; }
		rm -rf "$dir/deb"
		mv "$dir/$part.part" "$dir/$part" || return
	fi
	ln -sfn "$part" "$dir/$SOURCE_KERNEL"
	for d in "$dir"/????????????; do
		[ "$d" = "$dir/$part" ] || rm -rf "$d"
	done
	echo "$key" >"$dir/stamp"
}
