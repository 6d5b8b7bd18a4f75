# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# A QEMU with the vfio-user-pci device (10.1 or newer): the system's own, or
# one from Debian's backports that runs from the cache through its own loader.

QEMU_SUITE=trixie-backports
QEMU_LIB=usr/lib/x86_64-linux-gnu

# Sets QEMU (an array: command and its first arguments) or returns 1.
find_qemu()
{
	local q=$CACHE/qemu

	if [ -e "$q/usr/bin/qemu-system-x86_64" ]; then
		QEMU=("$q/$QEMU_LIB/ld-linux-x86-64.so.2" --library-path "$q/$QEMU_LIB"
		      "$q/usr/bin/qemu-system-x86_64"
		      -L "$q/usr/share/qemu" -L "$q/usr/share/seabios")
		return 0
	fi
	command -v qemu-system-x86_64 >/dev/null || return 1
	QEMU=(qemu-system-x86_64)
	# Not grep -q: QEMU would die of a broken pipe.
	[ "$(timeout 20 "${QEMU[@]}" -device help 2>/dev/null |
	     grep -c '"vfio-user-pci"')" -gt 0 ]
}

fetch_qemu()
{
	local list key stamp=$CACHE/qemu.stamp lists d

	if [ ! -e "$CACHE/qemu" ] && find_qemu; then
		return 0
	fi
	apt_update "$QEMU_SUITE"
	d=$(apt_dir "$QEMU_SUITE")
	lists=$(cat "$d"/lists/*Release | sha256sum)
	if [ -e "$stamp" ] && [ -e "$CACHE/qemu" ] && grep -qxF "$lists" "$stamp"; then
		return 0
	fi
	list=$(apt_closure "$QEMU_SUITE" qemu-system-x86) || return
	key=$(sha256sum <<<"$list")
	if [ ! -e "$CACHE/qemu" ] || ! grep -qxF "$key" "$stamp" 2>/dev/null; then
		fetch_debs "$QEMU_SUITE" "QEMU with vfio-user" "$CACHE/qemu" <<<"$list" || return
		find_qemu
		"${QEMU[@]}" --version >/dev/null || die "the QEMU in $CACHE/qemu does not run"
	fi
	printf '%s\n%s\n' "$lists" "$key" >"$stamp"
}
