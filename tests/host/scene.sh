#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What gdrctl says of the scene of tests/lib/scene.sh, in a guest: text, blocks, JSON and metrics of each
# object, against tests/host/golden/. Times, process and cgroup numbers are left out; so are widths of
# columns, which depend on them.
#	GOLDEN_WRITE=1 tests/host/scene.sh	writes the files anew
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/host/check.sh
OUT=$BUILD/check/scene
. tests/host/scene-parts.sh

KERNEL=6.12
GOLDEN=tests/host/golden

times()
{
	sed -E '
		s/[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2} UTC/DATE/g
		s/("[a-z0-9_]*(_ns|time_seconds)": )[0-9]+/\1TIME/
		s/\b([0-9]+[hms]){1,2}\b( ago)?/AGE/g
		s/<?\b[0-9.]+ (ns|us|ms|s)\b/TIME/g
		s/^(gdr_telemetry_start_time_seconds|gdr_telemetry_duration_seconds_(bucket|sum)\{.*\}) .*/\1 TIME/
		s/\b'"$VERSION"'\b/VERSION/g' | grep -vE '^ *TIME-TIME [ #]*[0-9]+$'
}

# plain NAME: a part without what is different each time
plain()
{
	case $1 in
	*.json) part "$1" | jq 'walk(if type == "object" then del(.buckets) else . end)' ;;
	*-details.txt) part "$1" ;;
	*) part "$1" | sed -E 's/^ +//; s/ +/ /g; s/ $//' ;;
	esac | sed -E -f "$OUT/names" | times
}

parts()
{
	tr -d '\r' <"$OUT/scene" | sed -nE 's/^### ([a-z-]+\.[a-z]+)$/\1/p'
}

golden()	# NAME
{
	plain "$1" >"$OUT/$1"
	[ -s "$OUT/$1" ] || { echo "nothing printed"; return 1; }
	[ -z "${GOLDEN_WRITE-}" ] || cp "$OUT/$1" "$GOLDEN/$1"
	diff -u "$GOLDEN/$1" "$OUT/$1"
}

# Each part has a file, and no file is of a part that is printed no more.
all_there()
{
	diff <(ls "$GOLDEN") <(parts | sort)
}

rm -rf "$OUT"
mkdir -p "$OUT"
VERSION=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf | sed 's/\./\\./g')
plan 49
needs $KERNEL
check "a guest prints the scene" scene $KERNEL
part names >"$OUT/names"
for p in $(parts); do
	check "$p" golden "$p"
done
check "each file is of a part" all_there
finish
