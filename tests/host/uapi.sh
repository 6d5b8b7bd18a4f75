#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The netlink spec is valid and the uAPI header is what it generates. With --write: write the header.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/host/check.sh

SPEC=Documentation/netlink/specs/gdr-telemetry.yaml
HEADER=include/uapi/linux/gdr_telemetry.h

tmp=$BUILD/check/uapi
mkdir -p "$tmp" || exit 1

# generate SPEC: prints the header that the generator of Debian's kernel source makes. It validates
# the spec against the schema beside the specs directory, and takes the directory with a MAINTAINERS
# file for the root of the names it prints.
generate()
{
	local source root=$tmp/root

	source=$(tests/vm/source-dir) || return
	rm -rf "$root"
	mkdir -p "$root/Documentation/netlink/specs"
	touch "$root/MAINTAINERS"
	cp "$1" "$root/$SPEC"
	cp "$source/Documentation/netlink/genetlink.yaml" "$root/Documentation/netlink/"
	/usr/bin/python3 "$source/tools/net/ynl/ynl-gen-c.py" --mode uapi --header --spec "$root/$SPEC"
}

same_header()
{
	generate "$SPEC" >"$tmp/header.h" && diff -u "$HEADER" "$tmp/header.h"
}

# A test of this test: a renamed attribute has to change the header.
renamed_attribute()
{
	sed 's/name: comm$/name: command/; s/- comm$/- command/' "$SPEC" >"$tmp/spec.yaml"
	generate "$tmp/spec.yaml" >"$tmp/header.h" && ! cmp -s "$HEADER" "$tmp/header.h"
}

# And a key that the schema does not know has to be refused.
unknown_key()
{
	sed 's/^doc: |/docs: |/' "$SPEC" >"$tmp/spec.yaml"
	! generate "$tmp/spec.yaml" >/dev/null
}

header_compiles()
{
	echo "#include \"$PWD/$HEADER\"" | gcc -xc -std=c99 -Wall -Wextra -Werror -fsyntax-only -
}

case ${1:-} in
--write)
	needs 6.12
	generate "$SPEC" >"$tmp/header.h" && cp "$tmp/header.h" "$HEADER" && echo "$HEADER written"
	exit
	;;
'') ;;
*)
	echo "uapi.sh: unknown word '$1'; the only one is --write" >&2
	exit 126
	;;
esac

needs 6.12
plan 4
check "header is what the spec generates" same_header
check "a renamed attribute would be noticed" renamed_attribute
check "a spec that the schema refuses would be noticed" unknown_key
check "header compiles as plain C99" header_compiles
finish
