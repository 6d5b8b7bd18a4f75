#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The RPM packages build from a clean clone, install, upgrade and go, with Debian's rpm and DKMS: what
# their files and scripts do. That a Fedora or RHEL takes them is not tested.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/host/check.sh
. tests/host/debian-root.sh

VERSION=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"$/\1/p' dkms.conf)
NEXT=$VERSION.1
BROKEN=$VERSION.2
OUT=$BUILD/check/rpm
STEPS=10

# A version for each step: the next, and one that no compiler takes
sources()
{
	mkdir -p "$OUT"
	clean_clone "$OUT/first" && clean_clone "$OUT/next" && bump "$OUT/next" "$NEXT" &&
		clean_clone "$OUT/broken" && bump "$OUT/broken" "$BROKEN" &&
		echo '#error planted' >>"$OUT/broken/kmod/main.c"
}

plan $((1 + STEPS))
check "there are three versions of the sources" sources
tests/vm/in-root --name bookworm-rpm --suite bookworm --with \
	"kmod systemd rpm rpmlint build-essential dkms linux-headers-6.12-amd64 $(build_needs)" -- \
	bash tests/host/rpm-steps.sh "$OUT" "$VERSION" "$NEXT" "$BROKEN" >"$OUT/log" 2>&1
results_of "$OUT/log" "$STEPS" || bail "not all results: see $OUT/log"
finish
