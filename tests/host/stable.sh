#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What Documentation/stability.rst promises to programs, against what was promised before, in
# tests/host/stable/: what is gone or means something else fails as incompatible, and what is new
# fails until it is recorded.
#	tests/host/stable.sh --write	records what is new
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/host/check.sh

SNAPSHOT=$PWD/tests/host/stable
TAG=SPDX-License-Identifier:
READER=$PWD/tests/host/stable.py
INTERFACES='netlink sysfs json metrics exit-codes command-line'
OUT=$BUILD/check/stable
GDRCTL=$BUILD/bin/gdrctl
export LC_ALL=C

command_line()
{
	local object word

	for word in $("$GDRCTL" --complete -); do printf 'option %s\tyes\n' "$word"; done
	for object in $("$GDRCTL" --complete ''); do
		printf 'object %s\tyes\n' "$object"
		for word in $("$GDRCTL" --complete "$object" '') $("$GDRCTL" --complete "$object" --); do
			printf 'word %s %s\tyes\n' "$object" "$word"
		done
	done
}

# present INTERFACE: what it is now, in the tree of the current directory
present()
{
	case $1 in
	command-line) command_line ;;
	*) "$READER" "$1" ;;
	esac | sort
}

# compare INTERFACE FILE: FILE is what it is now; prints what differs from the snapshot
compare()
{
	awk -F '\t' -v what="$1" '
		/^# / { next }
		side == 1 { was[$1] = $2; next }
		{ n++; is[$1] = 1 }
		!($1 in was) { print "not in the snapshot: " what ": " $1 " (" $2 ")"; next }
		was[$1] != $2 { print "incompatible: " what ": " $1 " was \"" was[$1] "\", is \"" $2 "\"" }
		END {
			for (k in was) if (!(k in is)) print "incompatible: " what ": " k " is gone"
			if (!n) print "incompatible: " what ": nothing is there"
		}' side=1 "$SNAPSHOT/$1" side=2 "$2" | sort
}

same()	# INTERFACE
{
	local bad

	present "$1" >"$OUT/$1" || return
	bad=$(compare "$1" "$OUT/$1")
	[ -n "$bad" ] || return 0
	head -n 20 <<<"$bad"
	! grep -q '^not in the snapshot' <<<"$bad" || echo "new ones are recorded by: tests/host/stable.sh --write"
	return 1
}

write()
{
	local i rc=0

	for i in $INTERFACES; do
		touch "$SNAPSHOT/$i"
		present "$i" >"$OUT/$i" && [ -s "$OUT/$i" ] || return
		if compare "$i" "$OUT/$i" | grep '^incompatible'; then
			echo "$i: not written; Documentation/stability.rst says what an incompatible change takes"
			rc=1
			continue
		fi
		{ printf '# %s GPL-2.0\n' "$TAG"; cat "$OUT/$i"; } >"$SNAPSHOT/$i"
	done
	return "$rc"
}

# Of the numbers this reads the header itself, not what it is made from.
header_numbers()
{
	{
		echo "#include \"$PWD/include/uapi/linux/gdr_telemetry.h\""
		awk -F '\t' '
			function name(s) { gsub(/[- ]/, "_", s); return toupper(s) }
			function number(c, v) {
				sub(/ .*/, "", v)
				printf "_Static_assert(GDR_TELEMETRY_%s == %s, \"%s\");\n", name(c), v, c
			}
			sub(/^attribute /, "A ") || sub(/^(enum|flags) /, "") { number($1, $2) }
			/^operation [a-z-]+\t/ { sub(/^operation/, "CMD"); number($1, $2) }' "$SNAPSHOT/netlink"
	} >"$OUT/numbers.c"
	[ "$(grep -c Static "$OUT/numbers.c")" -gt 200 ] || { echo "too few numbers"; return 1; }
	gcc -std=c11 -Wall -Werror -fsyntax-only "$OUT/numbers.c"
}

# changed INTERFACE WORD FILES EXPRESSION: a copy in which sed changed FILES; what differs then has
# WORD in it
changed()
{
	local interface=$1 word=$2 files=$3 expression=$4 tree=$OUT/tree f bad

	rm -rf "$tree"
	for f in Documentation/netlink/specs Documentation/ABI/testing tests/host/golden \
		 tools/gdrctl/test/golden tools/gdrctl/man tools/gdrctl/gdrctl.h; do
		mkdir -p "$tree/$(dirname "$f")"
		cp -r "$f" "$tree/$f"
	done
	# shellcheck disable=SC2086 # a pattern
	(cd "$tree" && sed -i -E "$expression" $files && present "$interface") >"$OUT/changed" || return
	! cmp -s "$OUT/changed" "$OUT/$interface" || { echo "nothing was changed"; return 1; }
	bad=$(compare "$interface" "$OUT/changed")
	grep -qF -- "$word" <<<"$bad" || { echo "not said: '$word', but: $(head -n 20 <<<"$bad")"; return 1; }
}

without_word()	# WORD: a command line that has it no more
{
	grep -vF "$1" "$OUT/command-line" >"$OUT/changed"
	compare command-line "$OUT/changed" | grep -qxF "incompatible: command-line: $1 is gone"
}

# What a writer must not do by mistake: the copy has a snapshot of its own.
write_refuses()
{
	rm -rf "$OUT/snapshot"
	cp -r "$SNAPSHOT" "$OUT/snapshot"
	printf '6\tforetold\n' >>"$OUT/snapshot/exit-codes"
	! (SNAPSHOT=$OUT/snapshot; write) >"$OUT/refused" || { echo "written"; return 1; }
	grep -qF 'exit-codes: 6 is gone' "$OUT/refused" && grep -q '^6' "$OUT/snapshot/exit-codes"
}

mkdir -p "$OUT"
make -s tools || exit 1
case ${1:-} in
--write) write; exit ;;
'') ;;
*) echo "stable.sh: unknown word '$1'; the only one is --write" >&2; exit 126 ;;
esac

SPEC=Documentation/netlink/specs/gdr-telemetry.yaml
ABI=Documentation/ABI/testing/sysfs-kernel-gdr_telemetry
GOLDEN='tests/host/golden/* tools/gdrctl/test/golden/*'
PAGE=tools/gdrctl/man/gdrctl-attachment.8

plan 27
for i in $INTERFACES; do
	check "compatible, and all of it recorded: $i" same "$i"
done
check "the uAPI header has these numbers" header_numbers

check "noticed: an attribute with another type" changed netlink \
	'incompatible: netlink: attribute attachment mr-lkey was "27 u32", is "27 u64"' "$SPEC" \
	'/name: mr-lkey$/,/doc:/s/u32/u64/'
check "noticed: an attribute in another's place" changed netlink \
	'incompatible: netlink: attribute attachment mr-rkey was "28 u32", is "29 u32"' "$SPEC" \
	's/^( *)name: mr-rkey$/\1name: other\n\1type: u32\n      -\n\1name: mr-rkey/'
check "noticed: a value that is gone" changed netlink \
	'incompatible: netlink: enum placement iommu is gone' "$SPEC" 's/name: iommu$/name: smmu/'
check "noticed: a flag with another bit" changed netlink \
	'incompatible: netlink: flags device-flag present was "2", is "4"' "$SPEC" \
	'/name: device-flag/,/name: present/s/^( *)name: pci$/\1name: pci\n      -\n\1name: other/'
check "noticed: an operation with another number" changed netlink \
	'incompatible: netlink: operation failure-get was "7 of failure", is "6 of failure"' "$SPEC" \
	'/^      name: event$/,/^      name: failure-get/{/failure-get/!d}'
check "noticed: an operation that is closed to users" changed netlink \
	'incompatible: netlink: operation pair-get was "5 of pair", is "5 of pair admin-perm"' "$SPEC" \
	's/^      attribute-set: pair$/&\n      flags: [admin-perm]/'
check "noticed: an attribute that a reply has no more" changed netlink \
	'incompatible: netlink: reply attachment-get do cgroup is gone' "$SPEC" '/^            - cgroup$/d'
check "noticed: a new attribute" changed netlink \
	'not in the snapshot: netlink: attribute latency other (6 u64)' "$SPEC" \
	's/^operations:/      -\n        name: other\n        type: u64\n\noperations:/'
check "noticed: a sysfs file with another name" changed sysfs \
	'incompatible: sysfs: /sys/kernel/gdr_telemetry/orphans is gone' "$ABI" 's/\/orphans$/&_live/'
check "noticed: a sysfs file with another unit" changed sysfs \
	'pinned_pages was "gauge pages", is "gauge Bytes by its text, not by its name"' "$ABI" \
	's/pinned_bytes divided by .*/Bytes of them./'
check "noticed: a sysfs file for root only" changed sysfs \
	'/gdr_telemetry/mrs was "gauge", is "gauge root"' "$ABI" 's/(MRs on top of live .*)/\1 Readable by root only./'
check "noticed: a JSON key with another name" changed json \
	'incompatible: json: attachment[].mr_lkey is gone' "$GOLDEN" 's/"mr_lkey":/"lkey":/'
check "noticed: a JSON number that is text" changed json \
	'incompatible: json: status.buffers was "integer", is "string"' 'tests/host/golden/status.json
	tools/gdrctl/test/golden/status-*.json' 's/("buffers": *)([0-9]+)/\1"\2"/'
check "noticed: a JSON number with a fraction" changed json \
	'incompatible: json: latency[].p50_ns was "integer", is "number"' tools/gdrctl/test/golden/latency-list.json \
	's/("p50_ns": *)([0-9]+)/\1\2.5/'
check "noticed: a key that its page describes no more" changed json \
	'incompatible: json: page attachment placement is gone' "$PAGE" 's/^\.B placement$/.B place/'
check "noticed: a metric of another type" changed metrics \
	'incompatible: metrics: gdr_telemetry_orphans was "gauge", is "counter"' "$GOLDEN" \
	's/(TYPE gdr_telemetry_orphans) gauge/\1 counter/'
check "noticed: a label with another name" changed metrics \
	'incompatible: metrics: gdr_telemetry_lost_total was "counter what", is "counter reason"' "$GOLDEN" \
	's/(gdr_telemetry_lost_total\{)what=/\1reason=/'
check "noticed: an exit code that means something else" changed exit-codes \
	'incompatible: exit-codes: 4 was "skipped", is "found"' tools/gdrctl/gdrctl.h \
	's/(EXIT_SKIPPED =) 4/\1 6/; s/(EXIT_FOUND =) 5/\1 4/'
check "noticed: a word of the command line that is gone" without_word 'word attachment importer'
check "--write leaves a snapshot that it would break" write_refuses
finish
