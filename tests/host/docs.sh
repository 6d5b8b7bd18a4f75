#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The documents parse, and what they point at exists.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/host/check.sh

ABI=Documentation/ABI/testing/sysfs-kernel-gdr_telemetry

man_pages()
{
	local page out rc=0 n=0

	for page in tools/gdrctl/man/*.8; do
		[ -e "$page" ] || continue
		n=$((n + 1))
		out=$(LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" \
			2>&1 >/dev/null)
		[ -z "$out" ] || { printf '%s: %s\n' "$page" "$out"; rc=1; }
	done
	[ "$n" -gt 0 ] || { echo "no page in tools/gdrctl/man"; return 1; }
	return "$rc"
}

rst()
{
	local doc rc=0

	for doc in Documentation/*.rst; do
		/usr/bin/rst2html --report=2 --halt=2 "$doc" /dev/null || rc=1
	done
	return "$rc"
}

abi_valid()
{
	local source

	source=$(tests/vm/source-dir) || return
	none perl "$source/scripts/get_abi.pl" --dir Documentation/ABI validate 2>&1
}

status_attributes()
{
	sed -n '/^operations:/,/name: attachment-get/s/^ *- \([a-z][a-z-]*\)$/\1/p' \
		Documentation/netlink/specs/gdr-telemetry.yaml
}

# Every value of the status is in sysfs under the name the spec gives it, so each has its text there.
abi_knows_status()
{
	local name rc=0

	while read -r name; do
		case $name in
		core | mr-join | probe) continue ;;
		start-time) name=start_time_seconds ;;
		lost-*) name=lost/${name#lost-} ;;
		*-failures-total) name=failures/${name%-failures-total}-total ;;
		esac
		name=${name//-/_}
		grep -qE "^What:.*/gdr_telemetry/$name\$" "$ABI" || { echo "$ABI: no $name"; rc=1; }
	done < <(status_attributes)
	return "$rc"
}

# Relative links of Markdown, names of documents in ReST and paths in backquotes.
links()
{
	local doc to rc=0

	for doc in README.md CHANGELOG.md Documentation/*.rst; do
		while read -r to; do
			to=${to%%#*}
			case $to in "" | *://* | mailto:*) continue ;; esac
			[ -e "$to" ] || [ -e "${doc%/*}/$to" ] || { echo "$doc: no $to"; rc=1; }
		done < <(grep -oE '\]\([^)]+\)' "$doc" | sed 's/^](//; s/)$//'
			 tr -s '\140' '\n' <"$doc" | grep -xE '[A-Za-z0-9_/-]+\.rst'
			 tr -s '\140' '\n' <"$doc" |
				grep -xE '(tests|kmod|tools|include|Documentation)/[A-Za-z0-9_./-]+')
	done
	return "$rc"
}

# Each make target that a document names is one.
targets()
{
	local target rc=0

	while read -r target; do
		grep -qE "^([a-z-]+ )*$target( [a-z-]+)*:" Makefile ||
			{ echo "no make $target"; rc=1; }
	done < <(tr -s '\140' '\n' <<<"$(cat README.md Documentation/*.rst)" |
		 sed -nE 's/^ *(sudo )?make ([a-z][a-z-]*)( .*)?$/\2/p' | sort -u)
	return "$rc"
}

maintained()
{
	local pattern rc=0

	while read -r pattern; do
		[ -e "$pattern" ] || { echo "MAINTAINERS: no $pattern"; rc=1; }
	done < <(sed -n 's/^F:[[:space:]]*//p' MAINTAINERS)
	return "$rc"
}

# That the suite has each case is for the suite to say; that each errno has a cause, for gdrctl's
# unit tests.
errno_table()
{
	local bad

	bad=$(awk -F '\t' '
		/^#/ { next }
		NF != 6 || $1 !~ /^[0-9.]+(,[0-9.]+)*$/ ||
		$2 !~ /^(before|verbs|umem|attach|map|pin|hw)$/ || $3 !~ /^E[A-Z0-9]+$/ ||
		$4 !~ /^((case|firmware)_[a-z0-9_]+|not reachable)$/ ||
		$5 !~ /^(drivers|include)\/[a-z0-9_\/-]+\.[ch]:[A-Za-z0-9_]+$/ || $6 == "" ||
		seen[$1, $2, $3, $4, $5]++ { print FILENAME ":" FNR ": " $0 }
		{ n++ }
		END { if (n < 20) print FILENAME ": " n + 0 " rows" }' tests/errno-table.tsv)
	[ -z "$bad" ] || { echo "$bad"; return 1; }
}

# Each entry of the causes of failures says in a comment where it comes from.
causes_have_sources()
{
	local bad

	bad=$(awk '
		/^\t\t(STAGE\([A-Z_]+\)|CAUSE_BEFORE), \{/ { n++; if (before !~ /\*\/$/) print FILENAME ":" FNR ": " $0 }
		{ before = $0 }
		END { if (n < 30) print FILENAME ": " n + 0 " entries" }' tools/gdrctl/causes_table.c)
	[ -z "$bad" ] || { echo "$bad"; return 1; }
}

needs 6.12
plan 9
check "man pages have no warning" man_pages
check "ReST documents parse" rst
check "the ABI file is valid" abi_valid
check "the ABI file has a text for every value of the status" abi_knows_status
check "what the documents link to exists" links
check "the make targets that the documents name exist" targets
check "the files in MAINTAINERS exist" maintained
check "each errno of mlx5 is a row that says how, and where it comes from" errno_table
check "each cause of a failure says where it comes from" causes_have_sources
finish
