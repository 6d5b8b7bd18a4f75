# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Gets one kernel of the table: image, modules and headers into
# CACHE/kernels/VERSION_PACKAGEVERSION, its compiler into CACHE/trees.

# What a module build needs besides the compiler; the closure adds libraries.
# With W=1 it runs kernel-doc, which is Perl or Python.
TREE_BASE="make bash dash coreutils findutils diffutils grep sed mawk gzip xz-utils tar"
TREE_BASE+=" binutils pahole perl python3"

# names_like REGEX < closure lines
lines_like()
{
	awk -v r="$1" '$3 ~ r'
}

# fetch_tree SUITE PACKAGE...: prints the root directory of a tree that holds
# these packages; fetched if it is not there.
fetch_tree()
{
	local suite=$1 list key
	shift

	list=$(apt_closure "$suite" "$@" |
	       awk '$3 !~ /^linux-(headers|kbuild|image|binary|modules|base)/') || return
	key=$(sha256sum <<<"$list" | cut -c1-12)
	if [ ! -e "$CACHE/trees/$suite-$key" ]; then
		mkdir -p "$CACHE/trees"
		fetch_debs "$suite" "compiler and tools" \
			"$CACHE/trees/$suite-$key" <<<"$list" || return
		finish_tree "$CACHE/trees/$suite-$key"
	fi
	echo "$CACHE/trees/$suite-$key"
}

# What maintainer scripts would have linked.
finish_tree()
{
	local t=$1

	[ -e "$t/usr/bin/sh" ] || ln -s dash "$t/usr/bin/sh"
	[ -e "$t/usr/bin/awk" ] || ln -s mawk "$t/usr/bin/awk"
	mkdir -p "$t"/{proc,dev,tmp,etc,var/tmp}
	chmod 1777 "$t/tmp" "$t/var/tmp"
	[ -e "$t/etc/passwd" ] || echo 'root:x:0:0:root:/root:/bin/sh' >"$t/etc/passwd"
	[ -e "$t/etc/group" ] || echo 'root:x:0:' >"$t/etc/group"
}

# row_versions SUITE PATTERN: what the "*" of PATTERN stands for in the suite
row_versions()
{
	local before=${2%%\**} after=${2#*\*} re

	re=$(sed 's/[.+]/\\&/g; s/\*/[^-]+/' <<<"$2")
	private_apt "$1" apt-cache search --names-only "^$re\$" | cut -d ' ' -f 1 |
		while read -r name; do
			name=${name#"$before"}
			echo "${name%"$after"}"
		done | sort -V
}

# Replaces a "*" in ROW_IMAGE and ROW_HEADERS by the newest version that the
# suite has both of; false if there is none.
resolve_row()
{
	local newest

	[[ $ROW_IMAGE == *'*'* ]] || return 0
	# Nothing at all would mean broken lists and not a missing kernel.
	[ -n "$(row_versions "$ROW_SUITE" 'linux-image-*-amd64')" ] ||
		die "the package lists of $ROW_SUITE name no kernel; run tests/vm/prepare --refresh"
	newest=$(grep -xFf <(row_versions "$ROW_SUITE" "$ROW_HEADERS") \
		<(row_versions "$ROW_SUITE" "$ROW_IMAGE") | tail -n 1)
	[ -n "$newest" ] || return
	ROW_IMAGE=${ROW_IMAGE/'*'/"$newest"}
	ROW_HEADERS=${ROW_HEADERS/'*'/"$newest"}
}

# fetch_kernel NAME: CACHE/rows/NAME then links to the kernel's directory, or
# CACHE/rows/NAME.gone says why there is none.
fetch_kernel()
{
	local name=$1 d lists image headers key stamp dir gcc vmlinuz tree meta gone

	kernel_row "$name"
	apt_update "$ROW_SUITE"
	d=$(apt_dir "$ROW_SUITE")
	# Resolving takes a second or two: not again while the lists and the
	# table are the same.
	lists=$(cat "$d"/lists/*Release | cat - "$TABLE" "$VM_DIR/lib/kernel.sh" | sha256sum)
	stamp=$CACHE/rows/$name.stamp gone=$CACHE/rows/$name.gone
	if [ -e "$stamp" ] && [ "$(cat "$stamp")" = "$lists" ] && { [ -e "$gone" ] ||
	   { [ -e "$CACHE/rows/$name/version" ] && [ -e "$CACHE/rows/$name/tree/usr" ]; }; }; then
		return 0
	fi
	mkdir -p "$CACHE/rows"
	rm -f "$stamp" "$gone"
	# A metapackage is not the kernel, a package of one version is.
	meta="^(${ROW_IMAGE}|${ROW_HEADERS})_"
	[[ $ROW_IMAGE != *'*'* ]] || meta='^$'
	if ! resolve_row; then
		echo "$ROW_SUITE has no $ROW_IMAGE with headers" >"$gone"
		echo "$lists" >"$stamp"
		rm -f "$CACHE/rows/$name"
		purge_cache
		return 0
	fi

	image=$(apt_closure "$ROW_SUITE" "$ROW_IMAGE" |
		lines_like '^linux-(image|binary|modules|base)-[0-9]') || return
	headers=$(apt_closure "$ROW_SUITE" "$ROW_HEADERS") || return
	gcc=$(lines_like '^(gcc-[0-9]+(-for-host)?|lib(elf1|ssl3|dw1|bpf1).*)$' \
		<<<"$headers" | cut -d ' ' -f 3)
	headers=$(lines_like '^linux-(headers|kbuild)-[0-9]' <<<"$headers" | grep -vE "$meta")
	image=$(grep -vE "$meta" <<<"$image")
	[ -n "$image" ] || headers=''
	[ -n "$headers" ] ||
		die "$ROW_SUITE: $ROW_IMAGE or $ROW_HEADERS names no kernel"

	# shellcheck disable=SC2086 # lists of package names
	tree=$(fetch_tree "$ROW_SUITE" $TREE_BASE $gcc) || return

	key=$(printf '%s\n' "$image" "$headers" | sha256sum | cut -c1-8)
	dir=$CACHE/kernels/$(awk '$3 ~ /^linux-image/ { sub(/^linux-image-/, "", $3)
		gsub(/:/, ".", $4); print $3 "_" $4; exit }' <<<"$image")_$key
	if [ ! -e "$dir/version" ]; then
		mkdir -p "$CACHE/kernels"
		fetch_debs "$ROW_SUITE" "kernel $name" "$dir" \
			< <(printf '%s\n' "$image" "$headers") || return
		for vmlinuz in "$dir"/boot/vmlinuz-* "$dir"/usr/lib/modules/*/vmlinuz; do
			[ ! -e "$vmlinuz" ] || break
		done
		[ -e "$vmlinuz" ] || { say "no vmlinuz in $dir"; return 1; }
		ln -s "${vmlinuz#"$dir"/}" "$dir/vmlinuz"
		set -- "$dir"/usr/lib/modules/*/kernel
		basename "$(dirname "$1")" >"$dir/version"
	fi
	ln -sfn "$tree" "$dir/tree"
	echo "$TREE_BASE $gcc" | tr '\n' ' ' >"$dir/tree.packages"
	ln -sfn "$dir" "$CACHE/rows/$name"
	echo "$lists" >"$stamp"
	purge_cache
}

# Removes kernels, trees and whatever hangs on them that no row uses.
purge_cache()
{
	local d used

	used=$(readlink -f "$CACHE"/rows/* "$CACHE"/rows/*/tree "$CACHE"/uses/* 2>/dev/null)
	for d in "$CACHE"/kernels/* "$CACHE"/trees/*; do
		[ -e "$d" ] || continue
		grep -qxF "$(readlink -f "$d")" <<<"$used" && continue
		case $d in *.part.*) continue ;; esac
		say "removing $d: no longer used"
		rm -rf "$d"
	done
}
