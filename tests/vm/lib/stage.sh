# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Makes the two images a guest starts from, anew for each run, so that
# concurrent runs and builds never meet: WORK/initrd and WORK/gdrt.squashfs.

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

# The programs of this machine that the initramfs takes, and libibverbs'
# provider, which it loads by name.
initrd_programs()
{
	command -v kmod || echo /bin/kmod
	command -v ibv_devices ibv_devinfo
	ls /usr/lib/*/libibverbs/libmlx5-*.so 2>/dev/null
}

# make_base ROOT: all of the initramfs but the kernel's modules
make_base()
{
	local root=$1 f d

	mkdir -p "$root"/usr/{bin,sbin,lib,lib64} \
		"$root"/{proc,sys,dev,tmp,etc/libibverbs.d,run,gdrt,root,new}
	for d in bin sbin lib lib64; do ln -s "usr/$d" "$root/$d"; done
	cp "$(command -v busybox)" "$root/usr/bin/busybox"
	# One process for 400 links: to the path of the machine's busybox, which
	# is the same in the guest. The one at that path itself is refused.
	"$(command -v busybox)" --install -s "$root/usr/bin" 2>/dev/null
	[ "$(readlink "$root/usr/bin/sh")" = /usr/bin/busybox ] ||
		[ "$(readlink "$root/usr/bin/sh")" = /bin/busybox ] ||
		{ say "busybox is at an unusual place; /usr/bin/busybox is needed"; return 1; }
	for f in $(initrd_programs); do
		case $f in
		*.so) mkdir -p "$root${f%/*}"; cp -L "$f" "$root$f" ;;
		*) cp -L "$f" "$root/usr/bin/" ;;
		esac
	done
	# kmod's tools, as busybox's modprobe knows no soft dependencies.
	for f in modprobe insmod rmmod lsmod depmod modinfo; do
		ln -sf kmod "$root/usr/bin/$f"
		ln -sf ../bin/kmod "$root/usr/sbin/$f"
	done
	# The libraries of these and of the programs under test
	for f in $(initrd_programs) "$BUILD"/bin/*; do
		[ ! -f "$f" ] || copy_libs "$root" "$f"
	done
	# A program that is linked with the provider has to meet the one that libibverbs loads.
	for f in "$root"/usr/lib/*/libibverbs/libmlx5-*.so; do
		[ ! -e "${f%/*}/../libmlx5.so.1" ] || ln -sf ../libmlx5.so.1 "$f"
	done
	[ ! -e /etc/libibverbs.d/mlx5.driver ] ||
		cp -L /etc/libibverbs.d/mlx5.driver "$root/etc/libibverbs.d/"
	echo 'root:x:0:0:root:/tmp:/bin/sh' >"$root/etc/passwd"
	echo 'root:x:0:' >"$root/etc/group"
	cp "$VM_DIR/guest/init" "$root/init"
}

# keep_base WORK FILE
keep_base()
{
	local work=$1 base=$2

	# Another run may have made it meanwhile.
	[ ! -e "$base" ] || return 0
	mkdir -p "$BUILD/guest"
	make_base "$work/initrd.root" || return
	(cd "$work/initrd.root" && find . | cpio --quiet -o -H newc -R 0:0) \
		>"$work/base.cpio" || return
	rm -rf "$work/initrd.root"
	find "$BUILD/guest" -name '*.cpio' -mmin +120 -delete
	mv "$work/base.cpio" "$base.$$" && mv "$base.$$" "$base"
}

# stage_initrd WORK KERNELDIR: the base is kept, under a name made of what
# went into it, as making it takes seconds.
stage_initrd()
{
	local work=$1 kdir=$2 key base programs

	mapfile -t programs < <(initrd_programs)
	key=$(stat -L -c '%n %s %Y' "${programs[@]}" "$(command -v busybox)" \
		"$VM_DIR/guest/init" "$VM_DIR/lib/stage.sh" "$BUILD"/bin/* 2>/dev/null |
	      sha256sum | cut -c1-16)
	base=$BUILD/guest/$key.cpio
	[ -e "$base" ] || with_lock build/guest keep_base "$work" "$base" || return
	touch "$base"
	cat "$base" "$kdir/modules.cpio" >"$work/initrd"
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
	[ -z "$EXTRA" ] || cp -r "$EXTRA" "$root/extra" || return
	for d in kselftest lib demo; do
		[ ! -d "$TREE/tests/$d" ] || cp -r "$TREE/tests/$d" "$root/tests/"
	done
	cp "$TREE"/tests/*.tsv "$root/tests/"
	# Whose examples are run
	cp -r "$TREE/tools/gdrctl/man" "$root/man"
	# What the interfaces are compared with
	cp -r "$TREE/Documentation/ABI/testing" "$root/abi"
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
