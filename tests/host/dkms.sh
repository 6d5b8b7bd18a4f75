#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Debian's dkms adds, builds, installs and removes the module through the Makefile's own targets. Its
# source, build and install trees are directories of the build, so the machine is not touched.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/host/check.sh

NAME=6.12
VERSION=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"$/\1/p' dkms.conf)
T=$BUILD/check/dkms
KVER=
KO=

# What dkms.conf may expand: DKMS documents these.
EXPANDS='kernel_source_dir|dkms_tree|PACKAGE_NAME|PACKAGE_VERSION'

# Whatever dkms sources on every command must run nothing: comments, blank lines and assignments of
# text to known names, expanding no more than what DKMS documents.
constants_only()
{
	local bad

	bad=$(grep -vE '^(#.*|[A-Z_]+(\[[0-9]+\])?="[^"`]*")?$' dkms.conf)
	[ -z "$bad" ] || { echo "not a constant: $bad"; return 1; }
	# A regular expression may end in "$".
	bad=$(sed -E -e '/^#/d' -e 's/\$"$/"/' -e "s/\\$\{($EXPANDS)\}//g" dkms.conf | grep -F '$')
	[ -z "$bad" ] || { echo "expands $bad"; return 1; }
}

# The floor is 5.12, where the kernel got dma-buf memory regions.
which_kernels()
{
	local v rc=0 BUILD_EXCLUSIVE_KERNEL

	eval "$(grep '^BUILD_EXCLUSIVE_KERNEL=' dkms.conf)"
	[ -n "$BUILD_EXCLUSIVE_KERNEL" ] || { echo "no BUILD_EXCLUSIVE_KERNEL"; return 1; }

	for v in 5.12.0 5.14.0-570.el9.x86_64 5.15.0-91-generic 6.1.0-57-amd64 6.17-rc1 \
		 7.3.4+deb13-amd64 10.0.1; do
		[[ $v =~ $BUILD_EXCLUSIVE_KERNEL ]] || { echo "leaves out $v"; rc=1; }
	done
	for v in 4.18.0-553.el8.x86_64 5.1.2 5.4.0-1 5.11.22-generic; do
		! [[ $v =~ $BUILD_EXCLUSIVE_KERNEL ]] || { echo "takes $v"; rc=1; }
	done
	return "$rc"
}

# run_make TARGET: as on a node, with dkms pointed at the directories here
run_make()
{
	tests/vm/in-tree --kernel "$NAME" --with dkms -- make "$1" "KVER=$KVER" \
		"DKMS_SRC=$T/src/gdr-telemetry-$VERSION" "MODULES_LOAD=$T/modules-load.d" \
		"DKMS=dkms --sourcetree $T/src --dkmstree $T/var --installtree $T/lib"
}

prepare_dkms()
{
	rm -rf "$T"
	mkdir -p "$T"/{src,var,"lib/$KVER",modules-load.d}
	tests/vm/in-tree --kernel "$NAME" --with dkms -- dkms --version
}

installs()
{
	run_make dkms-install || return
	KO=$(find "$T/lib/$KVER" -name 'gdr_telemetry.ko*')
	[ "$KO" ] || { echo "no module below $T/lib/$KVER"; find "$T/lib"; return 1; }
	case $KO in
	"$T/lib/$KVER/updates/dkms/"*) ;;
	*) echo "installed as $KO"; return 1 ;;
	esac
	[ "$(cat "$T/modules-load.d/gdr-telemetry.conf")" = gdr_telemetry ]
}

right_module()
{
	local ko

	ko=$(find "$T/lib/$KVER" -name 'gdr_telemetry.ko*')
	[ "$(modinfo -F version "$ko")" = "$VERSION" ] &&
		[ -z "$(modinfo -F depends "$ko")" ] &&
		[ "$(modinfo -F vermagic "$ko" | cut -d ' ' -f 1)" = "$KVER" ]
}

sources_only()
{
	none find "$T/src" \( -name '*.o' -o -name '*.ko' -o -name '*.mod*' -o -name '.*.cmd' \)
}

again()
{
	run_make dkms-install && right_module
}

removes()
{
	run_make dkms-uninstall || return
	none find "$T/lib" "$T/src" "$T/modules-load.d" -type f &&
		none find "$T/var" -path '*gdr-telemetry*' -name '*.ko*'
}

needs "$NAME"
KVER=$(tests/vm/kernels version "$NAME") || exit 1
plan 8
check "dkms.conf holds constants only" constants_only
check "dkms.conf takes 5.12 and later" which_kernels
check "dkms and the headers of $KVER are there" prepare_dkms
check "make dkms-install adds, builds and installs" installs
check "the installed module is this version, for this kernel" right_module
check "only sources were copied" sources_only
check "make dkms-install over an installed one works" again
check "make dkms-uninstall leaves nothing" removes
finish
