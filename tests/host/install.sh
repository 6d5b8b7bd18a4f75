#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The Debian packages on machines: installed by apt before and after the headers, upgraded, upgraded to
# one that does not build, purged; and the module's package with the oldest DKMS.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/host/check.sh
. tests/host/debian-root.sh

VERSION=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"$/\1/p' dkms.conf)
NEXT=$VERSION.1
BROKEN=$VERSION.2
OUT=$BUILD/check/install
STEPS=11
TOOLS="dkms libnl-genl-3-200 libibverbs1 libjson-c5 libncursesw6"

# A version for each step: the next, and one that no compiler takes
sources()
{
	mkdir -p "$OUT"
	clean_clone "$OUT/first" && clean_clone "$OUT/next" && bump "$OUT/next" "$NEXT" &&
		clean_clone "$OUT/broken" && bump "$OUT/broken" "$BROKEN" &&
		echo '#error planted' >>"$OUT/broken/kmod/main.c"
}

# debs SUITE: the packages of all three
debs()
{
	local v

	for v in first next; do
		build_debs "$1" "$OUT/$v" "$OUT/$1/$v" env "DEB_BUILD_OPTIONS=nocheck noopt" packaging/deb/build -b || return
	done
	# The module alone
	build_debs "$1" "$OUT/broken" "$OUT/$1/broken" packaging/deb/build -A
}

# steps SUITE DEBS SERIES...: the results of install-steps.sh as results of this suite
steps()
{
	local suite=$1 debs=$2 log=$OUT/$1.log
	shift 2

	tests/vm/in-root --name "$suite-node" --suite "$suite" --with "$NODE" --debs "$debs" -- \
		bash tests/host/install-steps.sh "$OUT/$suite" "$VERSION" "$NEXT" "$@" >"$log" 2>&1
	results_of "$log" "$STEPS" "$suite: " || bail "$suite: not all results: see $log"
}

# Debian 11's DKMS, 2.8, and its kernel, which is too old; with one that is not, and its compiler
old_dkms()
{
	tests/vm/in-root --name bookworm-dkms28 --suite bookworm --with "$NODE" \
		--debs "bullseye dkms linux-headers-amd64 -- bookworm dkms linux-headers-amd64" -- \
		bash tests/host/dkms28-steps.sh "$OUT/bookworm/first" "$VERSION"
}

plan $((4 + 2 * STEPS))
check "there are three versions of the sources" sources
check "bookworm: the packages build" debs bookworm
steps bookworm "bookworm $TOOLS linux-headers-amd64 linux-headers-6.12-amd64" 6.1 6.12
check "trixie: the packages build" debs trixie
steps trixie "trixie $TOOLS linux-headers-amd64 -- trixie-backports linux-headers-amd64" 6.12 7.3
check "DKMS 2.8 builds for 6.1, leaves 5.10 out and says so" old_dkms
finish
