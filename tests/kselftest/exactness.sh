#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# When the module cannot count it says so, and why; and it is exact again once
# nothing is left that it could have missed.
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh

MISSED=1 POOL=2 OFF=16

# reason BIT: 1 if it is among the reasons
reason()
{
	[ $(($(gt inexact_reasons) & $1)) = 0 ] && echo 0 || echo 1
}

# An attachment made and gone: the registry drains.
drain()
{
	must h attach 0 0 static
	must h detach "$VALUE"
}

# Sum over the directories of importers, exporters or pairs
sum()	# DIRECTORY FILE
{
	cat "$GT/$1"/*/"$2" | awk '{ n += $1 } END { print n + 0 }'
}

plan 36

# ---- records run out
N=200
# shellcheck disable=SC2119
bench_up max_attachments=1
holder h
must h buffer "$MIB"
must h attach 0 0 static $N
FIRST=$VALUE
lost=$(gt lost/pool_exhausted_total)
check "a pool of one record runs out" [ "$lost" -gt 0 ]
is "each attachment is recorded or counted as lost" $(($(gt attachments) + lost)) $N
is "attach_total has them all" "$(gt attach_total)" $N
is "inexact, for this reason" "$(gt inexact) $(gt inexact_reasons)" "1 $POOL"
must h map "$FIRST" $N
is "mapping those without a record adopts none" "$(gt preexisting) $(gt inexact_reasons)" "0 $POOL"
must h detach "$FIRST" $N
is "detached: nothing left" "$(gt attachments) $(gt mapped) $(gt pinned_bytes)" "0 0 0"
is "detaches of what had no record are counted" "$(gt lost/unknown_detach_total)" "$lost"
is "the loss stays counted" "$(gt lost/pool_exhausted_total)" "$lost"
compare "drained: exact" attachments=0
holder_quit h

# ---- records run out for a moment: a burst, each attachment with a buffer of its own
bench_up pool=4
holder_of gdrt-scale h
must h buffers $N 65536 2
# The worker that refills the pool is kept to a CPU that it does not get meanwhile; else it may
# keep up.
CPUMASK=$(cat /sys/devices/virtual/workqueue/cpumask)
echo 2 >/sys/devices/virtual/workqueue/cpumask
must h hog 1
must h attach 1 0 2
must h unhog
echo "$CPUMASK" >/sys/devices/virtual/workqueue/cpumask
lost=$(gt lost/pool_exhausted_total) live=$(gt attachments)
diag "of $N attachments $lost were lost"
check "a small pool runs out in a burst" [ "$lost" -gt 0 ]
is "each is recorded or counted as lost, none half" \
	"$((live + lost)) $(gt buffers) $(sum importers attachments) $(sum importers buffers) $(sum exporters attachments) $(sum exporters buffers)" \
	"$N $live $live $live $live $live"
is "inexact, for this reason" "$(gt inexact) $(gt inexact_reasons)" "1 $POOL"
must h map
is "maps are counted where there is a record" "$(gt mapped) $(gt map_total) $(gt preexisting)" "$live $live 0"
is "and in each pair" "$(sum pairs attachments) $(sum pairs mapped_bytes)" "$live $((live * 65536))"
must h detach
is "detaches of what had no record are counted" "$(gt lost/unknown_detach_total)" "$lost"
compare "drained: exact" attachments=0 buffers=0 mapped_bytes=0 pinned_bytes_sum=0
is "no device and no pair has anything left" \
	"$(for d in importers exporters pairs; do for f in attachments buffers mapped_bytes pinned_bytes; do sum $d $f; done; done | sort -u)" 0
must h attach 1 0 2
must h detach
is "attaches are seen again" "$(gt attach_total) $(gt detach_total)" \
	"$((2 * N)) $((2 * N - $(gt lost/pool_exhausted_total)))"
holder_quit h

# ---- kretprobe instances run out
bench_up instances=1
holder h
must h buffer "$MIB"
switch delay_ms 300
n=0
while [ $n -lt 4 ]; do
	(printf 'buffer 1048576\nattach 0 0 static\n'; until [ -e /tmp/release.$n ]; do sleep 0.2; done
	 echo quit) | gdrt-reg >/dev/null &
	n=$((n + 1))
done
# all_live N: so many attachments are live
all_live()
{
	[ "$(awk '$1 == "live" { print $3; exit }' /sys/kernel/debug/gdrt_importer/ledger)" = "$1" ]
}
wait_for 30 all_live 4
switch delay_ms 0
check "calls in flight beyond the instances are counted as missed" \
	[ "$(gt lost/probe_missed_total)" -gt 0 ]
is "inexact, for this reason" "$(gt inexact) $(reason $MISSED)" "1 1"
# One after the other: a detach that is missed leaves a record that never goes.
for n in 0 1 2 3; do
	: >/tmp/release.$n
	wait_for 20 all_live $((3 - n))
done
drain
compare "drained: exact" attachments=0 pinned_bytes=0
check "the loss stays counted" [ "$(gt lost/probe_missed_total)" -gt 0 ]
holder_quit h

# ---- probes switched off behind the module's back
# shellcheck disable=SC2119
bench_up
holder h
must h buffer "$MIB"
for file in /proc/sys/kernel/ftrace_enabled /sys/kernel/debug/kprobes/enabled; do
	name=${file##*/}
	[ "$name" = enabled ] && name=kprobes/enabled
	compare "before $name is 0" attachments=0
	if ! sh -c "echo 0 >$file" 2>/dev/null; then
		skip "$name is 0: inexact, for this reason" "this kernel refuses it"
		skip "$name is 0: status says so" "this kernel refuses it"
		skip "$name is 1 again, but one was missed: still inexact" "this kernel refuses it"
		drain
		compare "$name, drained: exact" attachments=0 pinned_bytes=0
		continue
	fi
	is "$name is 0: inexact, for this reason" "$(gt inexact) $(reason $OFF)" "1 1"
	has "$name is 0: status says so" "$(gdrctl -j status)" probes-off
	must h attach 0 0 static
	handle=$VALUE
	echo 1 >"$file"
	is "$name is 1 again, but one was missed: still inexact" "$(gt inexact) $(reason $OFF)" "1 1"
	must h detach "$handle"
	drain
	compare "$name, drained: exact" attachments=0 pinned_bytes=0
done
holder_quit h

# ---- what is tracked
echo all >$GT/track
holder h
must h buffer "$MIB"
must h attach 0 0 static
is "track=all" "$(gt track) $(gt attachments)" "all 1"
echo gdr >$GT/track
is "track=gdr keeps an NVIDIA exporter's" "$(gt track) $(gt attachments)" "gdr 1"
check_not "another word is refused" sh -c "echo some >$GT/track"
holder_quit h
compare "all gone" attachments=0
finish
