# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Makes the two images a guest starts from, anew for each run (it takes well
# under a second), so that concurrent runs and builds never meet:
# WORK/initrd and WORK/gdrt.squashfs.

# copy_libs ROOT FILE...: copies the libraries FILEs are linked with
copy_libs()
{
	local root=$1 l
	shift

	{ ldd "$@" 2>/dev/null || :; } | grep -o '/[^ :)]*\.so[^ :)]*' | sort -u |
		while read -r l; do
			mkdir -p "$root$(dirname "$l")"
			[ -e "$root$l" ] || cp -L "$l" "$root$l"
		done
}

# stage_initrd WORK KERNELDIR
stage_initrd()
{
	local work=$1 kdir=$2 root=$1/initrd.root bb f d

	bb=$(command -v busybox) || die "no busybox: run tests/vm/prepare"
	mkdir -p "$root"/usr/{bin,sbin,lib,lib64} \
		"$root"/{proc,sys,dev,tmp,etc,run,gdrt,root,new}
	for d in bin sbin lib lib64; do ln -s "usr/$d" "$root/$d"; done
	cp "$bb" "$root/usr/bin/busybox"
	for f in $(busybox --list | grep -vx busybox); do
		ln -sf busybox "$root/usr/bin/$f"
	done
	# kmod's tools, as busybox's modprobe knows no soft dependencies.
	cp -L "$(command -v kmod || echo /bin/kmod)" "$root/usr/bin/kmod"
	for f in modprobe insmod rmmod lsmod depmod modinfo; do
		ln -sf kmod "$root/usr/bin/$f"
		ln -sf ../bin/kmod "$root/usr/sbin/$f"
	done
	copy_libs "$root" "$root/usr/bin/kmod"
	echo 'root:x:0:0:root:/tmp:/bin/sh' >"$root/etc/passwd"
	echo 'root:x:0:' >"$root/etc/group"

	# The libraries of the programs under test, and libibverbs' provider,
	# which it loads by name.
	mkdir -p "$root/etc/libibverbs.d"
	for f in /etc/libibverbs.d/mlx5.driver /usr/lib/*/libibverbs/libmlx5-*.so; do
		[ -e "$f" ] || continue
		mkdir -p "$root$(dirname "$f")"
		cp -L "$f" "$root$f"
		copy_libs "$root" "$f"
	done
	for f in "$BUILD"/bin/*; do
		[ ! -f "$f" ] || copy_libs "$root" "$f"
	done
	for f in ibv_devices ibv_devinfo; do
		f=$(command -v "$f") || continue
		cp -L "$f" "$root/usr/bin/"
		copy_libs "$root" "$f"
	done
	cp "$VM_DIR/guest/init" "$root/init"
	(cd "$root" && find . | cpio --quiet -o -H newc -R 0:0) >"$work/base.cpio" || return
	cat "$work/base.cpio" "$kdir/modules.cpio" >"$work/initrd" || return
	rm -rf "$root" "$work/base.cpio"
}

# stage_ynl DIR: the kernel's netlink tool with our specification beside its
# schemas, where it looks for them
stage_ynl()
{
	local src

	src=$(source_dir)
	mkdir -p "$1/tools/net" "$1/Documentation/netlink/specs"
	cp -r "$src/tools/net/ynl" "$1/tools/net/"
	cp "$src"/Documentation/netlink/*.yaml "$1/Documentation/netlink/"
	cp "$TREE"/Documentation/netlink/specs/*.yaml "$1/Documentation/netlink/specs/"
}

# stage_gdrt WORK NAME(version+variant) ROOT ENVLINES COMMAND...
stage_gdrt()
{
	local work=$1 name=$2 kind=$3 lines=$4 root=$1/gdrt d f
	shift 4

	mkdir -p "$root"/{bin,modules,tests,.run}
	[ ! -d "$BUILD/bin" ] || cp -rL "$BUILD/bin/." "$root/bin/"
	for f in "$BUILD/modules/$name"/*.ko; do
		[ -e "$f" ] || continue
		# Debug information would only make the image slow to read.
		strip -g -o "$root/modules/${f##*/}" "$f" || cp "$f" "$root/modules/"
	done
	for d in kselftest lib demo; do
		[ ! -d "$TREE/tests/$d" ] || cp -r "$TREE/tests/$d" "$root/tests/"
	done
	if [ "$kind" = debian ] && [ -e "$CACHE/source/$SOURCE_KERNEL" ]; then
		stage_ynl "$root/source"
	fi
	cp "$VM_DIR/guest/start" "$root/.run/start"
	printf '%s\n' "$lines" >"$root/.run/env"
	{
		printf 'exec'
		for f in "$@"; do
			printf " '%s'" "${f//\'/\'\\\'\'}"
		done
		echo
	} >"$root/.run/command"
	mksquashfs "$root" "$work/gdrt.squashfs" -quiet -no-progress -noappend \
		-all-root -comp gzip -noI -noD -noF -noX >/dev/null || return
	rm -rf "$root"
}
