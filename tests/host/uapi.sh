#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The netlink spec is valid, the uAPI header is what it generates, and the module takes the requests
# that it describes. With --write: write the header.
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

# The requests of a specification, and what source files take, in the same words.
of_spec()
{
	awk -f tests/lib/spec.awk "$1" | sed -n 's/^op [0-9]* /op /p; s/^request [^ ]* /policy /p' | sort
}

of_kernel()
{
	awk -f tests/host/policy.awk "$@" | sort
}

same_policy()
{
	diff <(of_spec "$SPEC") <(of_kernel kmod/netlink*.c)
}

# differs SPEC_EXPRESSION KERNEL_EXPRESSION: sed changes one of them, which has to be noticed
differs()
{
	sed "$1" "$SPEC" >"$tmp/spec.yaml"
	sed "$2" kmod/netlink*.c >"$tmp/netlink.c"
	! cmp -s "$tmp/spec.yaml" "$SPEC" || ! cat kmod/netlink*.c | cmp -s - "$tmp/netlink.c" ||
		{ echo "nothing was changed"; return 1; }
	! diff <(of_spec "$tmp/spec.yaml") <(of_kernel "$tmp/netlink.c") >/dev/null
}


case ${1:-} in
--write)
	# shellcheck disable=SC2119 # no kernels
	needs
	generate "$SPEC" >"$tmp/header.h" && cp "$tmp/header.h" "$HEADER" && echo "$HEADER written"
	exit
	;;
'') ;;
*)
	echo "uapi.sh: unknown word '$1'; the only one is --write" >&2
	exit 126
	;;
esac

# shellcheck disable=SC2119
needs
plan 10
check "header is what the spec generates" same_header
check "a renamed attribute would be noticed" renamed_attribute
check "a spec that the schema refuses would be noticed" unknown_key
check "the module takes the requests that the spec describes" same_policy
check "a request attribute that the module does not know would be noticed" \
	differs 's/^            - cgroup$/            - cgroup\n            - uid/' ''
check "a filter that the spec does not know would be noticed" \
	differs '/^      dump:/,/reply:/{/^            - buffer$/d}' ''
check "another type in the module would be noticed" differs '' \
	's/A_ATTACHMENT_PID\] = { .type = NLA_U32/A_ATTACHMENT_PID] = { .type = NLA_U64/'
check "another type in the spec would be noticed" \
	differs '/name: role$/,/doc:/s/type: u32/type: u16/' ''
check "an operation open to all that should not be would be noticed" differs '' \
	's/.flags = GENL_ADMIN_PERM,//'
check "header compiles as plain C99" header_compiles
finish
