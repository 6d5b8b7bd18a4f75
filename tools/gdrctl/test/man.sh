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

# keys GOLDEN PAGE: every key of the output is in the page
keys()
{
	local key

	for key in $(grep -o '"[a-z_0-9]*":' "$1" | tr -d '":' | sort -u); do
		grep -qw -- "$key" "$2" || echo "$2: no $key"
	done
}

examples()
{
	local line

	while read -r line; do
		# shellcheck disable=SC2086 # words
		"$GDRCTL" ${line#gdrctl} >/dev/null 2>&1
		# 3: no module here. The suites in guests run them with one.
		case $? in
		0 | 3) ;;
		*) echo "exit code $?: $line" ;;
		esac
	done < <(sed -n '/^\.EX/,/^\.EE/ { /^gdrctl/p }' man/*.8)
}

echo "TAP version 13"
echo "1..6"
result "man --warnings" "$(warnings)"
result "every option" "$(options)"
result "every object, command and filter" "$(words)"
result "keys of status" "$(keys test/golden/status-inexact.json man/gdrctl-status.8)"
result "keys of attachment" "$(keys test/golden/attachments-one.json man/gdrctl-attachment.8)"
result "every example is accepted" "$(examples)"
exit "$rc"
