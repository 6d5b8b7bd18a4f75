#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The Debian packages build from a clean clone in Debian 12 and 13, as "make deb" does it, and are what
# Debian expects of packages. That they install is for the suite "install".
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/host/check.sh
. tests/host/debian-root.sh

VERSION=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"$/\1/p' dkms.conf)
UNITS=packaging/systemd

builds()	# SUITE
{
	local p

	build_debs "$1" "$DEBS/clone" "$DEBS/$1" || return
	for p in gdr-telemetry-dkms gdrctl gdrctl-extra; do
		compgen -G "$DEBS/$1/${p}_${VERSION}_*.deb" >/dev/null || { echo "no $p"; return 1; }
	done
}

# lintian also fails of tags that are only information. One source serves two releases, and each has a
# version of the policy of its own.
lintian_clean()	# SUITE
{
	# shellcheck disable=SC2016 # for the inner shell
	in_build "$1" sh -c 'lintian --allow-root --display-info --fail-on error,warning,info \
		--suppress-tags out-of-date-standards-version,newer-standards-version \
		"$0"/*.changes' "$DEBS/$1"
}

# files_of SUITE PACKAGE
files_of()
{
	dpkg-deb -c "$DEBS/$1/$2_${VERSION}"_*.deb | awk '!/^d/ { print $6 }'
}

# has_files SUITE PACKAGE FILE...
has_files()
{
	local list f rc=0

	list=$(files_of "$1" "$2")
	for f in "${@:3}"; do
		grep -qxE "\./(usr/)?$f" <<<"$list" || { echo "$2 of $1: no $f"; rc=1; }
	done
	return "$rc"
}

contents()	# SUITE
{
	local s=$1 page pages=()

	for page in tools/gdrctl/man/*.8; do
		case $page in */gdrctl-top.8) ;; *) pages+=("share/man/man8/${page##*/}.gz") ;; esac
	done
	has_files "$s" gdrctl bin/gdrctl share/bash-completion/completions/gdrctl \
		share/gdr-telemetry/alerts.yml lib/systemd/system/gdrctl-textfile.{service,timer} "${pages[@]}" &&
		has_files "$s" gdrctl-extra bin/gdrctl-top share/man/man8/gdrctl-top.8.gz &&
		has_files "$s" gdr-telemetry-dkms "src/gdr-telemetry-$VERSION/"{dkms.conf,Kbuild,kmod/Kbuild,kmod/main.c} \
			lib/modules-load.d/gdr-telemetry.conf etc/kernel/{header_,}postinst.d/gdr-telemetry \
			share/doc/gdr-telemetry-dkms/examples/gdr-telemetry.conf
}

# One package of the module serves all of DKMS, so a node may take that of another Debian.
any_dkms()
{
	dpkg-deb -f "$DEBS/$1/gdr-telemetry-dkms_${VERSION}_all.deb" Depends | grep -x 'dkms (>= 2.8)'
}

# The units are Debian 12's systemd's to judge, the oldest here.
units()
{
	# shellcheck disable=SC2016 # for the inner shell
	tests/vm/in-root --name bookworm-node --suite bookworm --with "$NODE" -- sh -c '
		dpkg --force-depends -i "$1" && cp "$0"/* /etc/systemd/system/ && cd /etc/systemd/system &&
		out=$(systemd-analyze verify --man=no gdrctl-textfile.service gdrctl-textfile.timer 2>&1) || exit 1
		case $out in *gdrctl*) echo "$out"; exit 1 ;; esac
		systemd-analyze security --offline=true --threshold=20 gdrctl-textfile.service' \
		"$PWD/$UNITS" "$(echo "$DEBS"/bookworm/gdrctl_*.deb)"
}

# A warning of lintian fails this suite.
notices()
{
	local dir=$DEBS/bad

	rm -rf "$dir"
	mkdir -p "$dir/bad/DEBIAN" "$dir/bad/usr/bin"
	printf '%s\n' 'Package: gdr-bad' 'Version: 1' 'Architecture: all' 'Maintainer: x <x@example.org>' \
		'Description: bad' >"$dir/bad/DEBIAN/control"
	: >"$dir/bad/usr/bin/gdr-bad"
	dpkg-deb -b "$dir/bad" "$dir/bad.changes" >/dev/null && mv "$dir/bad.changes" "$dir/bad_1_all.deb"
	! in_build bookworm lintian --allow-root --fail-on error,warning,info "$dir/bad_1_all.deb" >/dev/null
}

mkdir -p "$DEBS"
plan 11
check "the tree can be cloned" clean_clone "$DEBS/clone"
for s in bookworm trixie; do
	check "$s: the packages build from a clean clone" builds $s
	check "$s: lintian finds nothing" lintian_clean $s
	check "$s: each file is in its package" contents $s
	check "$s: the module's package takes any DKMS from 2.8 on" any_dkms $s
done
check "lintian notices a bad package" notices
check "systemd takes the units, and calls the service safe" units
finish
