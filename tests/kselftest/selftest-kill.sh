#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# gdrctl test, killed when each of its cases begins, and at 50 times that a seed
# gives: no process, attachment, MR or file stays behind.
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh
# shellcheck source=tests/lib/selftest.sh
. /gdrt/tests/lib/selftest.sh

RANDOM_KILLS=50
SEED=${1:-20261203}

start()
{
	rm -f /tmp/said
	mkfifo /tmp/said
	gdrctl test --ktap hca "$A" gpu "$GPU" source cuda >/tmp/said 2>/dev/null &
	PID=$!
}

# /tmp/ended is 137 if it was still at work: what checks is a process of its own.
end()
{
	kill -KILL "$PID"
	wait "$PID" 2>/dev/null
	echo $? >/tmp/ended
	nothing_left
}

# killed_at NUMBER: when the result of the job before it has come
killed_at()
{
	start
	{
		killed_n=-2	# the first two lines are the plan
		while [ "$killed_n" -lt "$1" ] && read -r _; do
			killed_n=$((killed_n + 1))
		done
		end || return
		[ "$(cat /tmp/ended)" = 137 ] || { echo "it had ended before"; return 1; }
	} </tmp/said
}

killed_after()	# MILLISECONDS
{
	start
	{
		usleep $(($1 * 1000))
		end
	} </tmp/said
}

now_ms()
{
	read -r now_up _ </proc/uptime
	echo "${now_up%.*}${now_up#*.}0"
}

# Numbers below $1, as POSIX's example of rand() makes them
random()
{
	SEED=$(((SEED * 1103515245 + 12345) & 0x7fffffff))
	RANDOM_N=$((SEED / 65536 % $1))
}

CASES=$(gdrctl -o test list | sed -n 's/^case \([^ ]*\) .*/\1/p' |
	grep -vE '^(two-hcas|gpu-to-gpu)$')
# shellcheck disable=SC2086 # words
plan $(($(printf '%s\n' $CASES | wc -l) + RANDOM_KILLS + 2))
diag "seed $SEED"
# shellcheck disable=SC2119 # no parameters
bench_up
A=$(hca_name 0) GPU=$(gpu_bdf 0)
export LD_LIBRARY_PATH="$CUDA/13000"
# Delays are of no use beyond its end.
n=$(now_ms)
check "all is well" gdrctl test hca "$A" gpu "$GPU" source cuda
TOOK=$(($(now_ms) - n))
diag "it takes $TOOK ms"
n=0
for c in $CASES; do
	check "killed when $c begins" killed_at $n
	n=$((n + 1))
done
n=0 met=0
while [ $n -lt $RANDOM_KILLS ]; do
	n=$((n + 1))
	random "$TOOK"
	check "killed at random, $n" killed_after "$RANDOM_N"
	[ "$(cat /tmp/ended)" != 137 ] || met=$((met + 1))
done
diag "$met of $RANDOM_KILLS met it at work"
check "most of these met it at work" [ $met -ge $((RANDOM_KILLS * 3 / 4)) ]
finish
