# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The kernel modules of the guests: the closure of guest/modules, unpacked
# once for each kernel of the cache and kept as a cpio archive.

# decompress FILE TO
decompress()
{
	case $1 in
	*.xz) xz -dc "$1" >"$2" ;;
	*.zst) zstd -qdc "$1" >"$2" ;;
	*.gz) gzip -dc "$1" >"$2" ;;
	*) cp "$1" "$2" ;;
	esac
}

# make_guest_modules NAME: makes modules.cpio in the kernel's directory
make_guest_modules()
{
	local dir ver out root f to key

	dir=$(kernel_dir "$1") || return
	ver=$(cat "$dir/version")
	key=$(cat "$VM_DIR/guest/modules" "$VM_DIR/lib/guest.sh" | sha256sum)
	[ "$(cat "$dir/modules.key" 2>/dev/null)" != "$key" ] || return 0

	say "$ver: choosing the guest's modules (half a minute)"
	[ -e "$dir/usr/lib/modules/$ver/modules.dep.bin" ] ||
		quietly "$dir/depmod.log" depmod -b "$dir" "$ver" || return
	root=$dir/guest.part
	out=$root/usr/lib/modules/$ver
	rm -rf "$root"
	mkdir -p "$out"
	while read -r f; do
		to=$out/${f#"$dir"/*lib/modules/"$ver"/}
		to=${to%.xz} to=${to%.zst} to=${to%.gz}
		[ ! -e "$to" ] || continue
		mkdir -p "${to%/*}"
		decompress "$f" "$to" || return
	done < <(sed 's/#.*//' "$VM_DIR/guest/modules" | grep . |
		 while read -r f; do
			modprobe -d "$dir" -S "$ver" --show-depends "$f" 2>/dev/null
		 done | awk '$1 == "insmod" { print $2 }')
	cp "$dir/usr/lib/modules/$ver"/modules.{builtin,builtin.modinfo,order} "$out/"
	ln -s usr/lib "$root/lib"
	quietly "$dir/depmod.log" depmod -b "$root" "$ver" || return
	rm "$root/lib"
	(cd "$root" && find . | cpio --quiet -o -H newc -R 0:0) >"$dir/modules.cpio.new" ||
		return
	mv "$dir/modules.cpio.new" "$dir/modules.cpio"
	rm -rf "$root"
	echo "$key" >"$dir/modules.key"
}
