# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Runs a command in a kernel's own compiler tree: the tree and the kernel's
# headers as one root, the repository and the build directory at the same
# paths as outside. Whatever else the command writes is gone afterwards.

# Ends the script when trees cannot be entered here. To be called once, where
# its message is not part of a command's output.
need_namespaces()
{
	local map=() err

	[ "$(id -u)" = 0 ] || map=(--map-root-user)
	err=$(unshare --mount "${map[@]}" true 2>&1) ||
		die "cannot make a mount namespace ($err); needed are root or user namespaces," \
			"and a root directory that is a mount point"
}

# in_tree KERNELDIR TREEDIR COMMAND...
in_tree()
{
	local kdir=$1 tdir=$2 map=() env=() v
	shift 2

	[ "$(id -u)" = 0 ] || map=(--map-root-user)
	mkdir -p "$BUILD"
	for v in TERM CI GDRT_KCFLAGS MAKEFLAGS; do
		[ -z "${!v:-}" ] || env+=("$v=${!v}")
	done
	unshare --mount "${map[@]}" "$VM_DIR/lib/enter-tree" \
		"$(readlink -f "$kdir"):$(readlink -f "$tdir")" "$PWD" "$TREE" "$BUILD" -- \
		/usr/bin/env -i PATH=/usr/sbin:/usr/bin HOME=/root LC_ALL=C "${env[@]}" "$@"
}
