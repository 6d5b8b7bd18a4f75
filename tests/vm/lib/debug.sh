# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Builds the kernels of debug.table, each once for a version of Debian's source
# and a configuration, into CACHE/kernels as if they had been fetched.

# What a kernel is built with besides the tools of a module build
DEBUG_PACKAGES="gcc libc6-dev flex bison bc libelf-dev libssl-dev kmod rsync cpio"

# debug_packages CONFIG: with what makes keys and certificates where the kernel has some built in
debug_packages()
{
	printf '%s' "$TREE_BASE $DEBUG_PACKAGES"
	! grep -qx 'CONFIG_MODULE_SIG=y' "$1" || printf ' openssl'
}

# bench_config BENCH CONFIG: BENCH without the lines of options that CONFIG sets otherwise
bench_config()
{
	awk '
	function option(line) {
		sub(/^# /, "", line)
		return line ~ /^CONFIG_/ && sub(/(=| is not set).*/, "", line) ? line : ""
	}
	{ o = option($0) }
	NR == FNR { if (o) want[o] = $0; next }
	!(o in want) || want[o] == $0' "$2" "$1"
}

# fetch_debug_parts DIR CONFIG: the source and the tree, before the build
fetch_debug_parts()
{
	local dir=$1 packages tree

	mkdir -p "$dir"
	packages=$(debug_packages "$2")
	# shellcheck disable=SC2086 # lists of package names
	tree=$(fetch_tree "$ROW_SUITE" $packages) || return
	mkdir -p "$CACHE/uses"
	# Held by the link: other runs purge what nothing uses.
	ln -sfn "$tree" "$CACHE/uses/$ROW_NAME-kernel"
	echo "$packages" >"$dir/tree.packages"
	[ ! -e "$dir/source/Makefile" ] || return 0
	fetch_debs "$ROW_SUITE" "kernel source" "$dir/deb" < <(debug_source) || return
	say "kernel source: unpacking (a minute or two, 1.7 GiB while it is built)"
	rm -rf "$dir/source.part"
	mkdir "$dir/source.part"
	tar -C "$dir/source.part" --strip-components=1 --no-same-owner -xJf \
		"$dir/deb/usr/src/$ROW_IMAGE.tar.xz" --exclude='*/Documentation/*.rst' \
		--exclude='*/drivers/gpu/drm/*.[ch]' || return
	rm -rf "$dir/deb"
	mv "$dir/source.part" "$dir/source"
}

# The line of the source package, as of apt_closure
debug_source()
{
	apt_closure "$ROW_SUITE" "$ROW_IMAGE" | awk -v p="$ROW_IMAGE" '$3 == p'
}

# in_debug_tree NAME PART COMMAND...: where kernel NAME is built
in_debug_tree()
{
	BUILD=$2 in_tree "$2/kernel" "$CACHE/uses/$1-kernel" "${@:3}"
}

# trusted_key NAME PART CONFIG: what CONFIG wants built in; its private half stays with the kernel
trusted_key()
{
	grep -q '^CONFIG_SYSTEM_TRUSTED_KEYS="certs/dkms.pem"$' "$3" || return 0
	quietly "$2/key.log" in_debug_tree "$1" "$2" "$VM_DIR/module-key" "$2/obj/certs" &&
		mkdir -p "$2/kernel/mok" && cp "$2/obj/certs"/dkms.{key,der} "$2/kernel/mok/"
}

# build_debug_kernel NAME: CACHE/rows/NAME then links to the kernel's directory.
build_debug_kernel()
{
	local name=$1 configs version key dir part start=$SECONDS

	kernel_row "$name"
	configs=("$TREE/tests/debug.config-bench" "$TREE/tests/$ROW_HEADERS")
	[ -r "${configs[1]}" ] || die "$DEBUG_TABLE: kernel '$name': no ${configs[1]}"
	with_lock prepare apt_update "$ROW_SUITE"
	version=$(debug_source | awk '{ print $4 }')
	[ -n "$version" ] || die "$ROW_SUITE has no $ROW_IMAGE"
	key=$(cat "${configs[@]}" "$VM_DIR/debug-kernel" | sha256sum | cut -c1-8)
	dir=$CACHE/kernels/gdrt-${name}_${version//:/.}_$key
	if [ ! -e "$dir/version" ]; then
		part=$CACHE/debug/$name
		with_lock prepare fetch_debug_parts "$part" "${configs[1]}" || return
		say "$name: building the kernel (an hour perhaps on 2 CPUs; log in $part/build.log)"
		rm -rf "$part/kernel"
		mkdir -p "$part/kernel"/usr/{bin,sbin,lib,lib64}
		for version in bin sbin lib lib64; do
			ln -s "usr/$version" "$part/kernel/$version"
		done
		need_namespaces
		trusted_key "$name" "$part" "${configs[1]}" || return
		bench_config "${configs[@]}" >"$part/bench.config" || return
		quietly "$part/build.log" in_debug_tree "$name" "$part" nice -n 19 \
			"$VM_DIR/debug-kernel" "$part/source" "$part/obj" "$part/kernel" \
			"$part/bench.config" "${configs[1]}" || return
		ln -s "$(readlink -f "$CACHE/uses/$name-kernel")" "$part/kernel/tree"
		mv "$part/tree.packages" "$part/kernel/tree.packages"
		with_lock prepare keep_debug_kernel "$part/kernel" "$dir" || return
		rm -rf "$part"
		say "$name: built in $((SECONDS - start)) s, $(du -sh "$dir" | cut -f 1)iB"
	fi
	ln -sfn "$dir" "$CACHE/rows/$name"
}

# keep_debug_kernel FROM DIR: into the cache, where nothing may purge it before
# the row has it; the row's last one goes.
keep_debug_kernel()
{
	mkdir -p "$CACHE/kernels" "$CACHE/rows"
	mv "$1" "$2" && ln -sfn "$2" "$CACHE/rows/$ROW_NAME" && purge_cache
}

is_debug_kernel()
{
	debug_kernel_names | grep -qxF -- "$1"
}
