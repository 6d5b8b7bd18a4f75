#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The documents parse, and what they point at exists.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/host/check.sh
. tests/host/docs-picture.sh
. tests/host/docs-licences.sh

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

sphinx()
{
	sphinx-build -W --keep-going -n -q -b html -d "$OUT/doctrees" "$1" "$OUT/html"
}

# A warning has to fail: a reference to nothing.
sphinx_notices()
{
	rm -rf "$OUT/warned"
	cp -r Documentation "$OUT/warned" && cp dkms.conf "$OUT/" || return
	echo 'See nowhere_.' >>"$OUT/warned/index.rst"
	! sphinx "$OUT/warned" >"$OUT/warned.log" 2>&1 && grep -q 'nowhere' "$OUT/warned.log"
}

same_picture()
{
	picture README.md >"$OUT/picture"
	[ "$(wc -l <"$OUT/picture")" -gt 20 ] || { echo "README.md: no picture"; return 1; }
	diff "$OUT/picture" <(picture Documentation/index.rst)
}

whole_picture()
{
	patterns README.md >"$OUT/patterns"
	none unpictured "$OUT/patterns" < <(pictured_files)
}

picture_notices()
{
	local got want='in the picture, and no file: kmod/main.c
not in the picture: kmod/other.c
not in the picture: tools/gdrctl/new/other.c'

	got=$({ pictured_files | grep -vx kmod/main.c; printf '%s\n' kmod/other.c tools/gdrctl/new/other.c; } |
		unpictured "$OUT/patterns" | sort)
	[ "$got" = "$want" ] || { echo "$got"; return 1; }
}

# suites_not_in FILE: those of the table whose name is not there as a name
suites_not_in()
{
	awk '$1 == "suite" { print $2 }' tests/suites | sort -u |
		while read -r suite; do grep -qF "\`\`$suite\`\`" "$1" || echo "$1: no $suite"; done
}

suite_missing()
{
	sed 's/snapshot/the one/' Documentation/testing.rst >"$OUT/testing.rst"
	[ "$(suites_not_in "$OUT/testing.rst")" = "$OUT/testing.rst: no snapshot" ]
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

	for doc in README.md CHANGELOG.md CONTRIBUTING.md Documentation/*.rst; do
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
	done < <(tr -s '\140' '\n' <<<"$(cat README.md CONTRIBUTING.md Documentation/*.rst)" |
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

OUT=$BUILD/check/docs
rm -rf "$OUT"
mkdir -p "$OUT"
needs 6.12
plan 17
check "man pages have no warning" man_pages
check "Sphinx builds them without a warning" sphinx Documentation
check "a warning of Sphinx would be noticed" sphinx_notices
check "README.md and the index have the same picture" same_picture
check "each file of module and tool is in the picture, and no other" whole_picture
check "a file that is not in the picture would be noticed" picture_notices
check "testing.rst names each suite" none suites_not_in Documentation/testing.rst
check "a suite that it does not name would be noticed" suite_missing
check "reuse finds a licence for each file, and its text" licences
check "a licence without text, or that nothing uses, would be noticed" licences_noticed
check "the ABI file is valid" abi_valid
check "the ABI file has a text for every value of the status" abi_knows_status
check "what the documents link to exists" links
check "the make targets that the documents name exist" targets
check "the files in MAINTAINERS exist" maintained
check "each errno of mlx5 is a row that says how, and where it comes from" errno_table
check "each cause of a failure says where it comes from" causes_have_sources
finish
