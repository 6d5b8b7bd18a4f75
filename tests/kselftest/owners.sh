#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Many processes register and deregister at once, and some are killed in the
# middle of it. Whenever all is quiet, all totals equal the other readings.
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh

ROUNDS=3
ALL="1 2 3 4 5 6 7 8"
KILLED=3
SIZE=$MIB

# One process: keeps one registration, makes and gives up others, then rests.
owner()
{
	{
		printf 'buffer %d gpu=%d\nreg 0 %s\n' "$SIZE" $(($1 % 2)) "$2"
		for _ in $ALL; do printf 'loop 0 %s 10\nloop 0 %s 10\n' "$2" "$3"; done
		exec sleep 600
	} | gdrt-reg >"/tmp/owner.$1" 2>&1
}

is_running()
{
	[ "$(pidof gdrt-reg | wc -w)" = "$1" ]
}

# stop COUNT: kills so many of them; true when they are gone
stop()
{
	stop_left=$(($(pidof gdrt-reg | wc -w) - $1))
	# shellcheck disable=SC2046 # pids
	kill -KILL $(pidof gdrt-reg | tr ' ' '\n' | head -n "$1")
	wait_for 60 is_running $stop_left
}

# Each that lives has answered its last command.
at_rest()
{
	rest_n=0
	for rest_f in /tmp/owner.*; do
		[ "$(wc -l <"$rest_f")" != 18 ] || rest_n=$((rest_n + 1))
	done
	[ "$rest_n" -ge $((8 - KILLED)) ]
}

plan $((ROUNDS * 5 + 2))
# shellcheck disable=SC2119 # no parameters
bench_up
A=$(hca_name 0) B=$(hca_name 1)
round=1
while [ $round -le $ROUNDS ]; do
	rm -f /tmp/owner.*
	for i in $ALL; do
		case $((i % 2)) in 0) owner "$i" "$A" "$B" & ;; *) owner "$i" "$B" "$A" & ;; esac
	done
	sleep $((1 + round))
	check "round $round: $KILLED are killed" stop $KILLED
	check "round $round: the others come to rest" wait_for 100 at_rest
	n=$((8 - KILLED))
	compare "round $round: each of them holds one" --counters attachments=$n buffers=$n \
		mapped=$n pinned_bytes_sum=$((n * SIZE)) pinned_bytes=$((n * SIZE))
	is "round $round: no registration failed" \
		"$(cat /tmp/owner.* | grep -v '^ok 0 inode' | grep -v '^ok 0$')" ""
	stop $n
	compare "round $round: all killed" --counters attachments=0 buffers=0 mapped=0 \
		pinned_bytes=0 pinned_bytes_sum=0 mapped_bytes=0 importers_active=0
	round=$((round + 1))
done
diag "$(gt attach_total) attachments made"
is "each attachment was detached" "$(gt detach_total)" "$(gt attach_total)"
is "nothing was lost" "$(gt lost/probe_missed_total) $(gt lost/pool_exhausted_total) \
$(gt lost/unknown_detach_total)" "0 0 0"
finish
