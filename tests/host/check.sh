# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# KTAP for suites whose tests are commands: the command's output is shown when it fails.

CHECK_N=0 CHECK_FAILED=0 CHECK_PLAN=0

check_plan()
{
	CHECK_PLAN=$1
	printf 'TAP version 13\n1..%d\n' "$1"
}

# check NAME COMMAND...: passes if the command does
check()
{
	local name=$1 out
	shift

	CHECK_N=$((CHECK_N + 1))
	if out=$("$@" 2>&1 </dev/null); then
		printf 'ok %d %s\n' "$CHECK_N" "$name"
	else
		CHECK_FAILED=$((CHECK_FAILED + 1))
		[ -z "$out" ] || tail -n 60 <<<"$out" | sed 's/^/# /'
		printf 'not ok %d %s\n' "$CHECK_N" "$name"
	fi
}

# Ends the script: 0 if the whole plan ran and passed, else 1.
check_end()
{
	[ "$CHECK_N" = "$CHECK_PLAN" ] ||
		printf '# planned %d tests, ran %d\n' "$CHECK_PLAN" "$CHECK_N"
	[ "$CHECK_FAILED" = 0 ] && [ "$CHECK_N" = "$CHECK_PLAN" ]
	exit
}

# none COMMAND...: passes if the command prints nothing; prints it otherwise
none()
{
	local out

	out=$("$@")
	[ -z "$out" ] || { printf '%s\n' "$out"; return 1; }
}
