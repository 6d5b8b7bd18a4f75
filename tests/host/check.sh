# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# For the host suites, which run at the top of the tree: KTAP, paths, and what tests/vm fetched.

. tests/lib/ktap.sh
BUILD=${GDRT_BUILD:-$PWD/build}
mkdir -p "$BUILD/check" && BUILD=$(cd "$BUILD" && pwd) || exit 1

# none COMMAND...: passes if the command prints nothing; prints it otherwise
none()
{
	local out

	out=$("$@")
	[ -z "$out" ] || { printf '%s\n' "$out"; return 1; }
}

# passes NAME [WORDS...]: the run() of the caller, whose output goes to $OUT/NAME.log
passes()
{
	run "$@" || { grep -A 3 '^not ok' "$OUT/$1.log"; tail -n 20 "$OUT/$1.log"; return 1; }
}

# results_of FILE COUNT [BEFORE]: the results in FILE, another suite's, as results of this one, with
# BEFORE in front of their names; false, and says so, if they are not COUNT
results_of()
{
	local line n=0

	while IFS= read -r line; do
		case $line in
		'ok '*) pass "${3-}${line#ok * }"; n=$((n + 1)) ;;
		'not ok '*) fail "${3-}${line#not ok * }"; n=$((n + 1)) ;;
		*) echo "# ${line#'# '}" ;;
		esac
	done <"$1"
	[ "$n" = "$2" ] || { echo "# ${3-}$n results of $2"; return 1; }
}

# needs [NAME...]: gets the kernels, if any are named, and Debian's kernel source. The rest cannot be
# tested without them.
needs()
{
	local words=(--source) name log=$BUILD/check/prepare-$$.log

	for name; do words+=(--kernel "$name"); done
	[ $# -gt 0 ] || words=(--source-only)
	if ! tests/vm/prepare "${words[@]}" >"$log" 2>&1; then
		tail -n 20 "$log" | sed 's/^/# /'
		echo "Bail out! tests/vm/prepare ${words[*]} failed"
		exit 1
	fi
	rm -f "$log"
}
