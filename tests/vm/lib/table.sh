# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Reader of the kernel table.

TABLE=${GDRT_KERNELS:-$VM_DIR/kernels.table}
# Kernels that are built here; named, but in no list of all kernels
DEBUG_TABLE=$VM_DIR/debug.table

kernel_names()
{
	awk '!/^#/ && NF { print $1 }' "$TABLE"
}

debug_kernel_names()
{
	awk '!/^#/ && NF { print $1 }' "$DEBUG_TABLE"
}

# kernel_row NAME: sets ROW_NAME ROW_SUITE ROW_IMAGE ROW_HEADERS
kernel_row()
{
	local line

	line=$(awk -v n="$1" '!/^#/ && $1 == n { print; exit }' "$TABLE" "$DEBUG_TABLE")
	[ -n "$line" ] ||
		die "no kernel '$1' in $TABLE; known: $(kernel_names | paste -sd ' ')"
	read -r ROW_NAME ROW_SUITE ROW_IMAGE ROW_HEADERS <<<"$line"
	[ -n "$ROW_HEADERS" ] || die "$TABLE: kernel '$1' needs four columns"
	export ROW_NAME ROW_SUITE ROW_IMAGE ROW_HEADERS
}

# kernel_gone NAME: true if the archive has no such kernel, when last asked;
# prints the words for it
kernel_gone()
{
	[ -e "$CACHE/rows/$1.gone" ] || return
	echo "not available: $(cat "$CACHE/rows/$1.gone")"
}

# The directory that holds what was fetched for kernel NAME.
kernel_dir()
{
	local words

	! words=$(kernel_gone "$1") || die "kernel $1 is $words"
	[ -e "$CACHE/rows/$1" ] ||
		die "kernel $1 is not in the cache; run tests/vm/prepare --kernel $1"
	readlink -f "$CACHE/rows/$1"
}

# uname -r of kernel NAME
kernel_version()
{
	local d

	d=$(kernel_dir "$1") || return
	cat "$d/version"
}
