#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The man pages: no warnings, every option, object, filter and JSON key described, and every
# example is a command line that gdrctl accepts.
set -u
cd "$(dirname "$0")/.." || exit 1
: "${GDRCTL:?path of gdrctl}"
n=0 rc=0

result()
{
	n=$((n + 1))
	if [ -z "$2" ]; then
		echo "ok $n $1"
	else
		rc=1
		echo "not ok $n $1"
		printf '%s\n' "$2" | sed 's/^/# /'
	fi
}

warnings()
{
	local page

	for page in man/*.8; do
		{ LC_ALL=C.UTF-8 MANROFFSEQ="" MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z \
			"$page" >/dev/null; } 2>&1
	done
}

options()
{
	local word

	for word in $("$GDRCTL" --complete --); do
		grep -qF -- "${word//-/\\-}" man/gdrctl.8 || echo "gdrctl.8: no $word"
	done
}

words()
{
	local object word

	for object in $("$GDRCTL" --complete ''); do
		[ "$object" = help ] || [ -e "man/gdrctl-$object.8" ] || echo "no page of $object"
		for word in $("$GDRCTL" --complete "$object" ''); do
			[ "$object" = help ] || [ "$word" = help ] ||
				grep -qw -- "$word" "man/gdrctl-$object.8" ||
				echo "gdrctl-$object.8: no $word"
		done
	done
}

# Every key of golden/OBJECT-*.json is in the page of that object; a report is made of others, too.
keys()
{
	local golden key page pages

	for golden in test/golden/*.json; do
		page=${golden##*/}
		page=man/gdrctl-${page%%-*}.8
		pages=("$page")
		[ "$page" != man/gdrctl-report.8 ] || pages=(man/*.8)
		for key in $(grep -o '"[a-z_0-9]*":' "$golden" | tr -d '":' | sort -u); do
			grep -qw -- "$key" "${pages[@]}" || echo "$page: no $key"
		done
	done
}

# Every object has a golden file, and is in the list of the main page.
covered()
{
	local object

	for object in $("$GDRCTL" --complete ''); do
		[ "$object" = help ] && continue
		# Of formats of its own.
		[ "$object" = metrics ] || [ "$object" = top ] || compgen -G "test/golden/$object-*.json" >/dev/null || echo "no JSON of $object"
		grep -qxF ".BR gdrctl-$object (8)." man/gdrctl.8 || echo "gdrctl.8: no $object"
	done
}

# In a directory with the files that examples name.
examples()
{
	local line dir

	dir=$(mktemp -d) || return
	cp test/golden/snapshot.saved "$dir/before.json"
	cp test/golden/snapshot.saved "$dir/after.json"

	while read -r line; do
		# shellcheck disable=SC2086 # words
		(cd "$dir" && exec "$GDRCTL" ${line#gdrctl}) >/dev/null 2>&1
		# 3: no module here. The suites in guests run them with one. 4: no HCA here.
		case $? in
		0 | 3 | 4) ;;
		*) echo "exit code $?: $line" ;;
		esac
	done < <(sed -n '/^\.EX/,/^\.EE/ { /^gdrctl/p }' man/*.8)
	rm -rf "$dir"
}

# In a guest: tests/kselftest/codes.sh.
codes()
{
	local code

	# shellcheck disable=SC2013 # words
	for code in $(sed -n '/^\.SH EXIT/,/^\.SH EXAMPLES/s/^\.B \([0-9]\)$/\1/p' man/gdrctl.8); do
		grep -qE "^(is|has) \"$code, " ../../tests/kselftest/codes.sh ||
			echo "tests/kselftest/codes.sh: nothing of exit code $code"
	done
}

echo "TAP version 13"
echo "1..7"
result "man --warnings" "$(warnings)"
result "every option" "$(options)"
result "every object, command and filter" "$(words)"
result "every key of JSON" "$(keys)"
result "every object is compared and listed" "$(covered)"
result "every example is accepted" "$(examples)"
result "every exit code has a test" "$(codes)"
exit "$rc"
