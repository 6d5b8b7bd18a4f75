# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Debian roots in which packages are installed by dpkg and apt themselves, as on a machine: with
# dpkg's database, and with a directory of packages for an apt that needs no network.

# To be raised when what is made of the packages changes
ROOT_FORMAT=1

# need_root: dpkg gives files to other users, which one user's namespace has not.
need_root()
{
	[ "$(id -u)" = 0 ] || die "a Debian root that packages are installed in needs root"
}

# deb_files SUITE WHAT DIR < closure lines: downloads into DIR
deb_files()
{
	local DEB_FILES

	get_debs "$1" "$2" || return
	mkdir -p "$3" && mv "${DEB_FILES[@]}" "$3/"
}

# configure_root DIR: what only dpkg in the root itself can do. It waits for the disk after each step,
# so it works in memory, and the result comes out as an archive.
configure_root()
{
	# shellcheck disable=SC2016 # for the inner shell
	in_tree "$1/debs" "$1/root" env DEBIAN_FRONTEND=noninteractive sh -c '
		dpkg --force-depends --force-unsafe-io --install /debs/*.deb >&2 &&
		exec tar -C / -c --one-file-system --exclude=./debs .'
}

# make_root DIR SUITE < closure lines
make_root()
{
	local dir=$1 suite=$2 part=$1.part

	rm -rf "$part"
	mkdir -p "$part"/{debs,root,new}
	deb_files "$suite" "Debian root" "$part/debs/debs" || return
	say "$suite: making a Debian root"
	unpack_debs "$part/root" "$part"/debs/debs/*.deb || return
	mkdir -p "$part/root"/{proc,sys,dev,tmp,run,root,var/lib/dpkg,etc/apt}
	chmod 1777 "$part/root/tmp"
	: >"$part/root/var/lib/dpkg/status"
	# Nothing starts in it.
	printf '#!/bin/sh\nexit 101\n' >"$part/root/usr/sbin/policy-rc.d"
	chmod +x "$part/root/usr/sbin/policy-rc.d"
	configure_root "$part" 2>"$dir.log" | tar -C "$part/new" -x
	if [ "${PIPESTATUS[*]}" != '0 0' ]; then
		tail -n 40 "$dir.log" >&2
		say "dpkg failed; its whole output is in $dir.log"
		return 1
	fi
	rm -rf "$dir"
	mv "$part/new" "$dir" && rm -rf "$part"
}

# fetch_root NAME SUITE PACKAGE...: CACHE/roots/NAME then has these, and what is essential
fetch_root()
{
	local suite=$2 dir=$CACHE/roots/$1 list key
	shift 2

	list=$(apt_closure "$suite" '?essential' apt "$@") || return
	key=$(sha256sum <<<"$ROOT_FORMAT $list")
	[ "$(cat "$dir.key" 2>/dev/null)" != "$key" ] || return 0
	mkdir -p "$CACHE/roots"
	make_root "$dir" "$suite" <<<"$list" || return
	echo "$key" >"$dir.key"
}

# index_debs DIR: what apt reads of a directory of packages
index_debs()
{
	local deb

	# In a name "%" would mean something to apt.
	for deb in "$1"/*%3a*.deb; do
		[ ! -e "$deb" ] || mv "$deb" "${deb//%3a/.}"
	done
	for deb in "$1"/*.deb; do
		dpkg-deb -f "$deb" || return
		printf 'Filename: ./%s\nSize: %s\nSHA256: %s\n\n' "${deb##*/}" "$(stat -c %s "$deb")" \
			"$(sha256sum <"$deb" | cut -d ' ' -f 1)"
	done >"$1/Packages"
}

# fetch_repo NAME SUITE PACKAGE... [-- SUITE PACKAGE...]...: CACHE/repos/NAME/debs then is a source of
# packages for apt, with these and what they need
fetch_repo()
{
	local dir=$CACHE/repos/$1 part=$CACHE/repos/$1.part key suite words lists=() suites=() i
	shift

	while [ $# -gt 0 ]; do
		suite=$1 words=()
		shift
		while [ $# -gt 0 ] && [ "$1" != -- ]; do words+=("$1"); shift; done
		[ $# = 0 ] || shift
		suites+=("$suite")
		lists+=("$(apt_closure "$suite" "${words[@]}")") || return
	done
	key=$(sha256sum <<<"$ROOT_FORMAT ${lists[*]}")
	[ "$(cat "$dir.key" 2>/dev/null)" != "$key" ] || return 0
	rm -rf "$part"
	for ((i = 0; i < ${#suites[@]}; i++)); do
		deb_files "${suites[i]}" "packages to install" "$part/debs" <<<"${lists[i]}" || return
	done
	index_debs "$part/debs" || return
	rm -rf "$dir"
	mv "$part" "$dir"
	echo "$key" >"$dir.key"
}
