# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# KTAP for shell suites; busybox sh is enough.
#
#	. /gdrt/tests/lib/ktap.sh
#	plan 3
#	check "module loads" insmod ...
#	is "attachments after it" "$(gt attachments)" 0
#	skip "needs two GPUs" "there is one"
#	finish
#
# A suite that ends before its plan is done, in whatever way, fails: the results
# are then fewer than the plan, and the exit code is not 0.

KTAP_PLAN=0 KTAP_DONE=0 KTAP_FAILED=0 KTAP_SKIPPED=0

plan()
{
	KTAP_PLAN=$1
	echo "TAP version 13"
	echo "1..$1"
	trap ktap_exit EXIT
}

diag()
{
	printf '%s\n' "$*" | sed 's/^/# /'
}

pass()
{
	KTAP_DONE=$((KTAP_DONE + 1))
	printf 'ok %d %s\n' "$KTAP_DONE" "$*"
}

fail()
{
	KTAP_DONE=$((KTAP_DONE + 1)) KTAP_FAILED=$((KTAP_FAILED + 1))
	printf 'not ok %d %s\n' "$KTAP_DONE" "$*"
}

# skip NAME WHY: the runner wants each skip listed in tests/skips.txt
skip()
{
	KTAP_DONE=$((KTAP_DONE + 1)) KTAP_SKIPPED=$((KTAP_SKIPPED + 1))
	printf 'ok %d %s # SKIP %s\n' "$KTAP_DONE" "$1" "$2"
}

# check NAME COMMAND...: passes if the command does; its output is shown if not
check()
{
	ktap_name=$1
	shift
	if ktap_out=$("$@" 2>&1); then
		pass "$ktap_name"
	else
		ktap_rc=$?
		diag "'$*' ended with $ktap_rc${ktap_out:+:}"
		[ -z "$ktap_out" ] || diag "$ktap_out"
		fail "$ktap_name"
	fi
}

# check_not NAME COMMAND...: passes if the command fails
check_not()
{
	ktap_name=$1
	shift
	if ktap_out=$("$@" 2>&1); then
		diag "'$*' should have failed${ktap_out:+:}"
		[ -z "$ktap_out" ] || diag "$ktap_out"
		fail "$ktap_name"
	else
		pass "$ktap_name"
	fi
}

# is NAME GOT WANTED
is()
{
	if [ "$2" = "$3" ]; then
		pass "$1"
	else
		diag "got      '$2'"
		diag "expected '$3'"
		fail "$1"
	fi
}

# has NAME TEXT PART: TEXT has PART in it
has()
{
	case $2 in
	*"$3"*) pass "$1" ;;
	*)
		diag "got              '$2'"
		diag "expected in there '$3'"
		fail "$1" ;;
	esac
}

# Something without which nothing can be tested; ends the suite.
bail()
{
	echo "Bail out! $*"
	exit 1
}

finish()
{
	if [ "$KTAP_FAILED" = 0 ] && [ "$KTAP_SKIPPED" = "$KTAP_PLAN" ] && [ "$KTAP_PLAN" != 0 ]; then
		exit 4
	fi
	exit 0
}

ktap_exit()
{
	ktap_rc=$?
	trap - EXIT
	if [ "$KTAP_DONE" != "$KTAP_PLAN" ]; then
		echo "# planned $KTAP_PLAN tests, ran $KTAP_DONE"
		exit 1
	fi
	[ "$KTAP_FAILED" = 0 ] || exit 1
	exit "$ktap_rc"
}
