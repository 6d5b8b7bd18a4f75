# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Debian roots for the suites deb and install, and the packages that are built in them.

export DEBS=$BUILD/check/deb
# What a machine has that packages are installed on
export NODE="kmod systemd"

# What a build of the packages needs, by debian/control
build_needs()
{
	awk '/^Build-Depends:/ { on = 1; sub(/^[^:]*:/, "") }
		/^[A-Z]/ && !/^Build-Depends:/ { on = 0 }
		on { gsub(/debhelper-compat/, "debhelper"); gsub(/[(<][^)>]*[)>]/, ""); gsub(/,/, " "); print }' debian/control |
		tr -s ' \n' ' '
}

# in_build SUITE COMMAND...: in a root of SUITE with a compiler, lintian and what the packages need
in_build()
{
	local suite=$1
	shift

	tests/vm/in-root --name "$suite-build" --suite "$suite" --with "build-essential lintian $(build_needs)" -- "$@"
}

# clean_clone DIR: what a newcomer has of this tree; the tree itself where it is no clone
clean_clone()
{
	rm -rf "$1"
	if [ -e .git ]; then
		git -c advice.detachedHead=false clone -q . "$1"
	else
		mkdir -p "$1" && tar -c --exclude=./build . | tar -x -C "$1"
	fi
}

# bump DIR VERSION: the sources in DIR are then those of another version
bump()
{
	sed -i "s/^PACKAGE_VERSION=.*/PACKAGE_VERSION=\"$2\"/" "$1/dkms.conf" &&
		sed -i "1s/(.*)/($2)/" "$1/debian/changelog"
}

# build_debs SUITE SOURCES TO [COMMAND...]: "make deb", or COMMAND, in a root of SUITE, from a copy of
# SOURCES; into TO
build_debs()
{
	local suite=$1 from=$2 to=$3
	shift 3

	[ $# -gt 0 ] || set -- make deb

	rm -rf "$to"
	mkdir -p "$to"
	# shellcheck disable=SC2016 # for the inner shell
	in_build "$suite" sh -c 'to=$1; shift; cp -r "$0" /tmp/source && cd /tmp/source && "$@" &&
		cp build/deb/*.* "$to/"' "$from" "$to" "$@" >"$to.log" 2>&1 || { tail -n 40 "$to.log"; return 1; }
}
