#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Style and static checks of everything that is written here.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/host/check.sh
. tests/host/style-tree.sh

# What is written here, as against built here.
files()
{
	find . \( -name .git -o -path ./build \) -prune -o -type f \
		! -name '*.o' ! -name '*.ko' ! -name '*.mod' ! -name '*.mod.c' ! -name '.*.cmd' \
		! -name Module.symvers ! -name modules.order "$@" -print | sort
}

kernel_c()
{
	files -path "./kmod/*.[ch]"
	files -path "./tests/kmod/*.[ch]"
}

scripts()
{
	files | xargs grep -lIE '^#!.*/(ba|da)?sh( |$)|^# shellcheck shell='
}

# run_checkpatch IGNORE...: reads file names. What concerns mails and patches is left out.
run_checkpatch()
{
	local source list

	source=$(tests/vm/source-dir) || return
	mapfile -t list < <(xargs -r realpath)
	[ "${#list[@]}" -gt 0 ] || { echo "no source found"; return 1; }
	# It leaves a list of names in the current directory.
	(cd "$BUILD/check" && "$source/scripts/checkpatch.pl" --root "$source" --strict --no-tree \
		--file --terse --quiet --no-summary --show-types --max-line-length=100 \
		--ignore "FILE_PATH_CHANGES$1" "${list[@]}")
}

# Headers that programs include, too, cannot use BIT().
with_checkpatch()
{
	local rc=0

	kernel_c | grep -v '/gdrt_[a-z]*\.h$' | grep -v /user/ | grep -v /trace.h | run_checkpatch '' || rc=1
	# The macros of a tracepoint have a layout of their own (include/trace/events).
	files -path './kmod/trace.h' | run_checkpatch ,OPEN_ENDED_LINE,PARENTHESIS_ALIGNMENT || rc=1
	files \( -path './include/*.h' -o -path './tests/kmod/gdrt_*.h' \) |
		run_checkpatch ,BIT_MACRO || rc=1
	return "$rc"
}

# make goes on without sparse if it finds none that suits, so the log must show that it ran.
gcc_and_sparse()
{
	local rc=0

	build_with sparse "$1" sparse W=1 C=2 KCFLAGS=-Werror || return
	for log in "$BUILD/check/$1-sparse"/build-*.log; do
		grep -q '^ *CHECK ' "$log" || { echo "$log: sparse did not run"; rc=1; }
	done
	return "$rc"
}

gcc_alone()
{
	build_with gcc "$1" gcc W=1 KCFLAGS=-Werror
}

# Without objtool: it looks for code that the configured compiler makes.
with_clang()
{
	build_with clang 6.12 clang W=1 objtool-enabled= "CC=$PWD/tests/host/style-clang" &&
		readelf -p .comment "$BUILD/check/6.12-clang/kmod/main.o" | grep -q clang
}

# The module must load, and let them reload, without the RDMA and GPU drivers.
no_depends()
{
	local name version ko depends rc=0

	for name in $(tests/vm/kernels fetched); do
		version=$(tests/vm/kernels version "$name") || return
		tests/vm/build-modules --kernel "$name" --quiet || return
		ko=$BUILD/modules/$version/gdr_telemetry.ko
		depends=$(modinfo -F depends "$ko") || return
		[ -z "$depends" ] || { echo "$ko depends on $depends"; rc=1; }
	done
	return "$rc"
}

# A module from outside the kernel says so in the kernel's taint.
no_intree()
{
	none grep -rn 'MODULE_INFO(intree' kmod tests/kmod
}

# Features are found by struct members and symbols: distributions backport.
no_version_tests()
{
	none grep -rnE '\<(LINUX_VERSION_CODE|KERNEL_VERSION|RHEL_RELEASE)' kmod include tests/kmod
}

# too_long MAX: reads file names
too_long()
{
	xargs -r wc -l | awk -v max="$1" '$2 != "total" && $1 >= max'
}

sizes()
{
	local rc=0

	kernel_c | none too_long 600 || rc=1
	files -path './tools/*.[ch]' | none too_long 500 || rc=1
	echo ./Makefile | none too_long 151 || rc=1
	return "$rc"
}

shell()
{
	scripts | xargs shellcheck
}

# Licence texts say it themselves; golden output, captured data, corpora and some of Debian's files
# hold no comment.
spdx_everywhere()
{
	local f rc=0

	while read -r f; do
		case $f in ./debian/changelog | ./debian/copyright | ./debian/source/format | \
			./debian/*.dkms | ./debian/*.examples) continue ;; esac
		case $f in ./LICENSES/* | */golden/* | */data/* | */corpus/* | ./.git*) continue ;; esac
		head -n 4 "$f" | grep -q 'SPDX-License-Identifier:' || { echo "$f"; rc=1; }
	done < <(files)
	return "$rc"
}

# The archive is whatever the machine's apt uses.
no_archive()
{
	local hosts='([a-z0-9-]+\.)?(deb|ftp|archive|security|snapshot|ports)(\.[a-z0-9-]+)?\.(debian|ubuntu)\.(org|com)'
	local u

	while read -r u; do
		u=${u#*://}
		hosts="$hosts|${u%%/*}"
	done < <(apt-get update --print-uris 2>/dev/null | sed -n "s/^'\([^']*\)'.*/\1/p" | sort -u)
	none grep -rnIE --exclude-dir=.git --exclude-dir=build "$hosts" .
}

# The version is that of dkms.conf.
one_version()
{
	local version module gdrctl

	version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"$/\1/p' dkms.conf)
	[ -n "$version" ] || { echo "no PACKAGE_VERSION in dkms.conf"; return 1; }
	tests/vm/build-modules --kernel 6.12 --quiet || return
	module=$(modinfo -F version "$BUILD/modules/$(tests/vm/kernels version 6.12)/gdr_telemetry.ko")
	[ "$module" = "$version" ] || { echo "dkms.conf: $version; module: $module"; return 1; }
	grep -qF "## [$version]" CHANGELOG.md || { echo "CHANGELOG.md: no [$version]"; return 1; }
	make -s tools || return
	gdrctl=$("$BUILD/bin/gdrctl" -V) || return
	case $gdrctl in
	*"$version") ;;
	*) echo "dkms.conf: $version; gdrctl -V: $gdrctl"; return 1 ;;
	esac
}

# A failing check has to fail this suite: feed it bad input once.
notices()
{
	local dir rc=0

	dir=$(mktemp -d) || return
	echo "[ \"\$1\" == x ]" >"$dir/bad.sh"
	! shellcheck -s sh "$dir/bad.sh" >/dev/null || { echo "shellcheck found nothing"; rc=1; }
	yes | head -n 600 >"$dir/long.c"
	! echo "$dir/long.c" | run_checkpatch '' >/dev/null || { echo "checkpatch found nothing"; rc=1; }
	! echo "$dir/long.c" | none too_long 600 >/dev/null || { echo "no file is too long"; rc=1; }
	rm -rf "$dir"
	return "$rc"
}

needs 6.1 6.12 7.3
plan 13
check "checkpatch --strict finds nothing in the kernel code" with_checkpatch
check "gcc W=1 and sparse find nothing: kernel 6.12" gcc_and_sparse 6.12
# Debian's sparse is too old for 7.x, whose headers say __typeof_unqual__.
check "gcc W=1 finds nothing: kernel 7.3" gcc_alone 7.3
check "clang builds the module: kernel 6.12" with_clang
check "the module depends on no other, on any kernel" no_depends
check "the module does not claim to be in tree" no_intree
check "no code asks for a kernel version" no_version_tests
check "no source file is longer than it may be" sizes
check "shellcheck finds nothing in the scripts" shell
check "every file names its licence" spdx_everywhere
check "no file names a package archive" no_archive
check "module, tool and packaging have one version" one_version
check "the checks notice what they look for" notices
finish
