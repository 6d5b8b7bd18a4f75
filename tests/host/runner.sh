#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests tests/run and its judgement with suites that are good and bad in known ways, in place of the
# real ones.
set -u
TESTS=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/ktap.sh
. "$TESTS/lib/ktap.sh"

T=$(mktemp -d) || exit 1
mkdir -p "$T"/{host,guest,vm,build}
export GDRT_BUILD=$T/build GDRT_TEST_TABLE=$T/table GDRT_TEST_SKIPS=$T/skips
export GDRT_TEST_HOST_DIR=$T/host GDRT_TEST_GUEST_DIR=$T/guest GDRT_TEST_VM=$T/vm

# suite NAME: its script comes on stdin
suite()
{
	{ printf '#!/bin/bash\n. %s/lib/ktap.sh\n' "$TESTS"; cat; } >"$T/host/$1.sh"
	chmod +x "$T/host/$1.sh"
}

TIER=check

# run SUITE...: OUT, RC and LAST, its last line
run()
{
	OUT=$("$TESTS/run" "$TIER" --no-prepare "$@" 2>&1)
	RC=$?
	LAST=${OUT##*$'\n'}
}

# wait_until SECONDS COMMAND...
wait_until()
{
	local i

	for ((i = $1 * 10; i > 0; i--)); do
		! "${@:2}" || return 0
		sleep 0.1
	done
	return 1
}

# outcome NAME RC LAST [PART]: of the last run
outcome()
{
	if [ "$RC" = "$2" ] && [ "$LAST" = "$3" ] && [[ $OUT == *"${4:-}"* ]]; then
		pass "$1"
	else
		diag "exit code $RC, expected $2; last line expected '$3'${4:+, before that: $4}"
		diag "$OUT"
		fail "$1"
	fi
}

# A guest: each suite passes, fails, or the guest dies in it.
cat >"$T/vm/kernels" <<'END'
#!/bin/bash
case $1 in
list) printf '%s\n' 1.0 2.0 ;;
list-debug) ;;
gone) [ -e "$(dirname "$0")/gone-$2" ] && echo "not available: no such kernel" ;;
*) exit 126 ;;
esac
END
cat >"$T/vm/run" <<'END'
#!/bin/bash
[ ! -e "$(dirname "$0")/no-$2" ] || { echo "run: no kernel $2" >&2; exit 126; }
while [ "$1" != -- ]; do shift; done
for s in "${@:4}"; do
	s=${s%:*}
	echo "### suite $s starts"
	printf 'TAP version 13\n1..2\nok 1 one\n'
	if [ "$s" = dies ]; then
		echo "run: the guest's kernel reported a failure" >&2
		exit 125
	fi
	echo "ok 2 two"
	echo "### suite $s ends 0 1"
done
[ "$s" != warns ] || exit 125
END
cat >"$T/vm/prepare" <<'END'
#!/bin/bash
[ "$2" != 2.0 ] || [ ! -e "$(dirname "$0")/no-prepare" ]
END
chmod +x "$T"/vm/*

cat >"$T/table" <<'END'
boot	b
boot	c
boot	d
suite	good	host	check-host	-	20
suite	fails	host	check-host	-	20
suite	early	host	check-host	-	20
suite	dies-early	host	check-host	-	20
suite	few	host	check-host	-	20
suite	many	host	check-host	-	20
suite	numbers	host	check-host	-	20
suite	no-plan	host	check-host	-	20
suite	silent	host	check-host	-	20
suite	bails	host	check-host	-	20
suite	bad-code	host	check-host	-	20
suite	lies	host	check-host	-	20
suite	slow	host	check-host	-	1
suite	skips	host	check-host	-	20
suite	all-skipped	host	check-host	-	20
suite	listed	host	check-host	-	20
suite	listed-gone	host	check-host	-	20
suite	waits	host	check-host	-	20
kernels	old	1.0
suite	quick	b	check	all	20
suite	named	b	check	old	20
suite	dies	c	check	all	20
suite	warns	d	check	all	20
END
cat >"$T/skips" <<'END'
skips: two | host | listed
listed: one | host | listed, but runs
listed-gone: zero | host | listed, but is no test
all-skipped: one | host | listed
quick: one | 3.0 | another kernel's
END
suite good <<'END'
plan 2
pass one
is two 1 1
finish
END
suite fails <<'END'
plan 2
pass one
is two 1 2
finish
END
suite early <<'END'
plan 2
pass one
exit 0
END
suite dies-early <<'END'
plan 2
pass one
kill -KILL $$
END
suite few <<'END'
plan 3
pass one
pass two
finish
END
suite many <<'END'
plan 1
pass one
pass two
finish
END
suite numbers <<'END'
printf 'TAP version 13\n1..2\nok 1 one\nok 3 two\n'
END
suite no-plan <<'END'
echo ok 1 one
END
suite silent <<'END'
exit 0
END
suite bails <<'END'
plan 2
pass one
bail nothing to test
END
suite bad-code <<'END'
printf 'TAP version 13\n1..1\nok 1 one\n'
exit 3
END
suite lies <<'END'
printf 'TAP version 13\n1..1\nnot ok 1 one\n'
exit 0
END
suite slow <<'END'
plan 1
sleep 30
pass one
END
suite skips <<'END'
plan 3
pass one
skip two "no reason"
skip three "no reason"
finish
END
suite waits <<'END'
plan 1
T=$(dirname "$0")/..
touch "$T/waiting"
n=0
until [ -e "$T/go-on" ] || [ $((n++)) = 150 ]; do sleep 0.1; done
check "told to go on" test -e "$T/go-on"
finish
END
suite all-skipped <<'END'
plan 1
skip one "no reason"
finish
END
suite listed <<'END'
plan 1
pass one
finish
END
suite listed-gone <<'END'
plan 1
pass one
finish
END

plan 32
run good
outcome "a good suite passes" 0 "2 passed, 0 failed, 0 skipped"
run fails
outcome "a failed test fails" 1 "1 passed, 1 failed, 0 skipped" "not ok: two"
outcome "and both values are shown" 1 "1 passed, 1 failed, 0 skipped" "got      '1'"
run early
outcome "a suite that ends early fails" 1 "1 passed, 1 failed, 0 skipped" "planned 2 tests, ran 1"
run dies-early
outcome "one that is killed fails" 1 "1 passed, 1 failed, 0 skipped" "planned 2 tests, ran 1"
run few
outcome "too few results fail" 1 "2 passed, 1 failed, 0 skipped" "planned 3 tests, ran 2"
run many
outcome "too many results fail" 1 "2 passed, 1 failed, 0 skipped" "planned 1 tests, ran 2"
run numbers
outcome "a result missing in between fails" 1 "2 passed, 1 failed, 0 skipped" "came where 2 was due"
run no-plan
outcome "no plan fails" 1 "1 passed, 1 failed, 0 skipped" "printed no plan"
run silent
outcome "a suite that prints nothing fails" 1 "0 passed, 1 failed, 0 skipped" "printed no plan"
run bails
outcome "a suite that cannot test fails" 1 "1 passed, 2 failed, 0 skipped" "Bail out! nothing to test"
run bad-code
outcome "an exit code without a failed test fails" 1 "1 passed, 1 failed, 0 skipped" "exit code 3"
run lies
outcome "a failed test with exit code 0 fails" 1 "0 passed, 2 failed, 0 skipped" "exit code 0"
run slow
outcome "a suite that takes too long fails" 1 "0 passed, 2 failed, 0 skipped" "took too long"
run skips
outcome "only a listed skip is one" 1 "1 passed, 1 failed, 1 skipped" "not listed in tests/skips.txt: three"
run all-skipped
outcome "a suite with only listed skips" 0 "0 passed, 0 failed, 1 skipped"
run listed
outcome "a listed skip that runs fails" 1 "0 passed, 1 failed, 0 skipped" "ran, although tests/skips.txt lists it"
run listed-gone
outcome "a listed skip that is no test fails" 1 "1 passed, 1 failed, 0 skipped" "does not exist: zero"
run quick
outcome "a suite in a guest runs on each kernel" 0 "4 passed, 0 failed, 0 skipped"
run quick --kernel 2.0
outcome "or on one" 0 "2 passed, 0 failed, 0 skipped"
run named
outcome "a set of kernels is those kernels" 0 "2 passed, 0 failed, 0 skipped"
TIER=check-full
run named
outcome "check-full takes the others too" 0 "4 passed, 0 failed, 0 skipped"
TIER=check
touch "$T/vm/gone-2.0"
run quick
outcome "a kernel that the archive has no more is a skip" 0 "2 passed, 0 failed, 1 skipped" \
	"kernel 2.0 is not available: no such kernel"
run quick --kernel 2.0
outcome "alone, too" 0 "0 passed, 0 failed, 1 skipped" "kernel 2.0 is not available"
rm "$T/vm/gone-2.0"
touch "$T/vm/no-prepare"
OUT=$("$TESTS/run" check quick 2>&1)
RC=$? LAST=${OUT##*$'\n'}
outcome "one that cannot be prepared is a failure" 1 "2 passed, 1 failed, 0 skipped" "prepare"
rm "$T/vm/no-prepare"
sed '/^suite/s/\told\t/\t1.0,9.9\t/' "$T/table" >"$T/table.bad"
OUT=$(GDRT_TEST_TABLE=$T/table.bad "$TESTS/run" check --no-prepare good 2>&1)
RC=$? LAST=''
outcome "a kernel of no table is named" 2 "" "suite named: '9.9' is no kernel"
run dies --kernel 1.0
outcome "a guest that dies in a suite fails" 1 "1 passed, 3 failed, 0 skipped" "did not end"
run warns --kernel 1.0
outcome "a guest that fails after its suites fails" 1 "2 passed, 1 failed, 0 skipped" "boot:d"
touch "$T/vm/no-2.0"
run quick
outcome "a kernel that does not run fails" 1 "2 passed, 3 failed, 0 skipped" "no kernel 2.0"
OUT=$("$TESTS/run" check --no-prepare nonsense 2>&1)
RC=$? LAST=''
outcome "an unknown suite is named" 2 "" "unknown suite 'nonsense'"
# What a file of this name says when the copy is changed under the run: nothing.
mkdir -p "$T/tree/tests/lib"
cp "$TESTS/run" "$T/tree/tests/" && cp "$TESTS/lib/judge.awk" "$T/tree/tests/lib/"
"$T/tree/tests/run" check --no-prepare waits >"$T/edited" 2>&1 &
wait_until 20 test -e "$T/waiting"
yes 'echo edited' | head -n 9999 >"$T/tree/tests/run"
touch "$T/go-on"
wait $!
RC=$? OUT=$(cat "$T/edited") LAST=$(tail -n 1 "$T/edited")
outcome "a change of the runner does not reach a run under way" 0 "1 passed, 0 failed, 0 skipped"
suite stray <<'END'
plan 1
pass one
finish
END
run good
outcome "a suite that is not in the table fails" 1 "2 passed, 1 failed, 0 skipped" "stray.sh is in no line"
rm -rf "$T"
finish
