# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The Debian root: a read-only image of the suite that the build results were
# made on, so that they find the libraries they were linked with.

DEBIAN_LIST=$VM_DIR/guest/debian-packages

# The suite of this machine; elsewhere one that is newer than most.
debian_suite()
{
	local id='' codename=''

	# shellcheck source=/dev/null
	. /etc/os-release
	id=${ID:-} codename=${VERSION_CODENAME:-}
	[ "$id" = debian ] || codename=trixie
	echo "$codename"
}

# Sets DEBIAN_IMAGE
debian_image()
{
	DEBIAN_IMAGE=$CACHE/debian/$(debian_suite).squashfs
	[ -e "$DEBIAN_IMAGE" ]
}

# What the packages' own scripts would have done, as far as it is needed here.
finish_debian_root()
{
	local r=$1 f

	mkdir -p "$r"/{proc,sys,dev,run,tmp,gdrt,root,var/tmp} "$r"/usr/lib/modules
	[ -e "$r/usr/bin/sh" ] || ln -s dash "$r/usr/bin/sh"
	[ -e "$r/usr/bin/awk" ] || ln -s gawk "$r/usr/bin/awk"
	[ -e "$r/usr/bin/which" ] || ln -s which.debianutils "$r/usr/bin/which"
	for f in passwd group; do
		[ -e "$r/etc/$f" ] || cp "$r/usr/share/base-passwd/$f.master" "$r/etc/$f"
	done
	# The tests of rdma-core are there.
	find "$r/usr/share/doc" -mindepth 1 -maxdepth 1 ! -name rdma-core -exec rm -rf {} +
	rm -rf "$r"/usr/share/{man,locale,info,lintian,bug} "$r"/var/cache/*
	ldconfig -r "$r" 2>/dev/null || /sbin/ldconfig -r "$r"
}

fetch_debian_root()
{
	local suite list lists key d dir=$CACHE/debian names

	suite=$(debian_suite)
	apt_update "$suite"
	d=$(apt_dir "$suite")
	lists=$(cat "$d"/lists/*Release "$DEBIAN_LIST" "$VM_DIR/lib/debian.sh" | sha256sum)
	[ "$(head -n 1 "$dir/$suite.key" 2>/dev/null)" != "$lists" ] || return 0
	names=$(sed 's/#.*//' "$DEBIAN_LIST" | grep . | tr '\n' ' ')
	# shellcheck disable=SC2086 # a list of package names
	list=$(apt_closure "$suite" $names) || return
	key=$(cat "$VM_DIR/lib/debian.sh" - <<<"$list" | sha256sum)
	if [ "$(tail -n 1 "$dir/$suite.key" 2>/dev/null)" != "$key" ]; then
		mkdir -p "$dir"
		fetch_debs "$suite" "Debian root" "$dir/root" <<<"$list" || return
		finish_debian_root "$dir/root"
		say "Debian root: making the image"
		quietly "$dir/mksquashfs.log" mksquashfs "$dir/root" "$dir/$suite.new" -noappend \
			-no-progress -all-root -comp lz4 || return
		rm -rf "$dir/root"
		mv "$dir/$suite.new" "$dir/$suite.squashfs" || return
	fi
	printf '%s\n%s\n' "$lists" "$key" >"$dir/$suite.key"
}
