#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The group of events: order, contents and numbers; nothing while no one
# listens; what is said when too much happens at once.
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh

BIG=$((256 * MIB))

# listen FILE OPTIONS... [COUNT]: returns when it has joined
listen()
{
	listen_file=$1
	shift
	gdrt-nl "$@" >"$listen_file" 2>&1 &
	eval "LISTENER_${listen_file##*/}=$!"
	wait_for 10 grep -q '^joined' "$listen_file" || bail "no listener: $(cat "$listen_file")"
}

# heard FILE: until the listener has ended
heard()
{
	eval "wait \$LISTENER_${1##*/}"
}

# of FILE NAME: a value of each event, in order
of()
{
	grep event-op "$1" | tr ' ' '\n' | sed -n "s/^$2=//p" | tr '\n' ' '
}

# story FILE: OP:ID of each event
story()
{
	sed -n 's/^id=\([0-9]*\) .*event-op=\([a-z]*\).*/\2:\1/p; s/^buffer=\([0-9]*\) .*event-op=\([a-z]*\).*/\2:buffer/p' "$1" |
		tr '\n' ' '
}

# number FILE WORD: "events", "gaps" or "overruns" of the last line
number()
{
	tail -n 1 "$1" | sed -n "s/.*$2 \([0-9]*\).*/\1/p"
}

# total OP: what sysfs counts
total()
{
	gt "$1_total"
}

# unordered FILE: numbers that do not follow the one before
unordered()
{
	of "$1" event-seq | tr ' ' '\n' | grep . | awk 'NR > 1 && $1 != last + 1 { print last, $1 } { last = $1 }'
}

plan 32
# shellcheck disable=SC2119 # no parameters
bench_up
A=$(hca_name 0)
A_BDF=$(hca_bdf "$A")
GPU0=$(bdfs 0x10de 0x03 | sed -n 1p)
OTHER=$(function_bdf 0)

# ---- a known scene
holder h
must h buffer "$MIB" gpu=0 dynamic
INODE=$(field "$VALUE" inode)
before=$(cut -d. -f1 /proc/uptime)
listen /tmp/ev -t 2 events
must h attach 0 0 dynamic
D=$VALUE
must h map "$D"
must h unmap "$D"
must h map "$D"
must h invalidate 0
must h detach "$D"
must h attach 0 0 pinned
P=$VALUE
must h map "$P"
must h unmap "$P"
must h detach "$P"
heard /tmp/ev
after=$(cut -d. -f1 /proc/uptime)
is "each event, in order, of the right attachment" "$(story /tmp/ev)" \
	"attach:1 map:1 unmap:1 map:1 invalidate:buffer unmap:1 detach:1 attach:2 pin:2 map:2 unmap:2 unpin:2 detach:2 "
is "numbered from 1 on" "$(of /tmp/ev event-seq)" "1 2 3 4 5 6 7 8 9 10 11 12 13 "
is "of one buffer" "$(of /tmp/ev buffer | tr ' ' '\n' | sort -u | grep .)" "$INODE"
is "of one importer" "$(of /tmp/ev importer | tr ' ' '\n' | sort -u | grep .)" "$OTHER"
is "of one process" "$(of /tmp/ev pid | tr ' ' '\n' | sort -u | grep .)" "$(holder_pid h)"
is "an invalidate names no importer and no process" \
	"$(sed -n 's/ event-seq=.*event-op=invalidate//p' /tmp/ev)" \
	"buffer=$INODE size=$MIB exporter=$GPU0 exporter-module=nvidia exporter-name=nv_dmabuf"
is "times do not go back" "$(of /tmp/ev event-time | tr ' ' '\n' | grep . | sort -nc 2>&1)" ""
first=$(of /tmp/ev event-time | cut -d' ' -f1)
check "and are those of the boot clock" \
	[ $((first / 1000000000)) -ge "$before" -a $((first / 1000000000)) -le "$after" ]
is "the exporter is the GPU from the first map on" "$(of /tmp/ev exporter | cut -d' ' -f1-2)" \
	"nvidia $GPU0"
is "its state is told as it was after the event" \
	"$(of /tmp/ev flags | tr ' ' '\n' | grep . | sed 's/^mapped.*/mapped/; t; s/.*/-/' | tr '\n' ' ')" \
	"- mapped - mapped - - - - mapped - - - "
listen /tmp/mr -t 2 events
must h reg 0 "$A"
must h dereg 0
heard /tmp/mr
# An unmap in between is a call of its own, which the core or the driver may make or not.
is "an MR: attached, mapped, registered, given up" "$(story /tmp/mr | sed 's/unmap:3 //')" \
	"attach:3 map:3 register:3 deregister:3 detach:3 "
is "from then on until it is given up it has its keys" \
	"$(sed -n 's/.*event-op=\([a-z]*\).* mr-lkey=[1-9][0-9]* mr-rkey=[1-9].*/\1/p' /tmp/mr | tr '\n' ' ')" \
	"register deregister "
is "an MR is of the HCA" "$(of /tmp/mr importer | tr ' ' '\n' | sort -u | grep .)" "$A_BDF"
listen /tmp/fail -t 2 events
switch attach_errno 22
tell h reg 0 "$A"
switch attach_errno 0
heard /tmp/fail
is "a failed registration is one event" "$(story /tmp/fail)" "fail:buffer "
is "which tells where and why" "$(of /tmp/fail stage)$(of /tmp/fail error)$(of /tmp/fail importer)" \
	"attach 22 $A_BDF "
is "and of which buffer, and whose" "$(of /tmp/fail buffer)$(of /tmp/fail pid)" "$INODE $(holder_pid h) "

# ---- no one listens
last=$(of /tmp/fail event-seq | awk '{ print $NF }')
must h attach 0 0 static 5
must h detach "$VALUE" 5
listen /tmp/next -t 1 events
must h attach 0 0 static
must h detach "$VALUE"
heard /tmp/next
is "nothing is numbered while no one listens" "$(of /tmp/next event-seq | cut -d' ' -f1)" \
	$((last + 1))
is "a user without CAP_NET_ADMIN may not listen" "$(gdrt-as-user gdrt-nl -t 1 events)" "errno 1"

# ---- two listeners
listen /tmp/one -t 2 events
listen /tmp/two -t 2 events
must h loop 0 "$A" 3
heard /tmp/one
heard /tmp/two
check "two listeners hear the same" cmp /tmp/one /tmp/two

# ---- many, but no more than fit: nothing is missing
lost=$(gt lost/events_total)
before="$(total attach) $(total detach) $(total map)"
listen /tmp/many -b $BIG -t 3 events
listen /tmp/slow -b 4096 -s 4 -t 1 events
must h attach 0 0 static 600
must h detach "$VALUE" 600
must h loop 0 "$A" 50
heard /tmp/many
heard /tmp/slow
is "many events: no gap" "$(unordered /tmp/many)" ""
for op in attach detach map; do
	is "as many ${op}s as sysfs counts" "$(of /tmp/many event-op | tr ' ' '\n' | grep -cx $op)" \
		$(($(total $op) - ${before%% *}))
	before=${before#* }
done
is "none was lost" "$(gt lost/events_total)" "$lost"
check "a listener that does not read is told by its socket" [ "$(number /tmp/slow overruns)" -ge 1 ]
check "and sees the gap in the numbers, or had heard nothing before it" \
	[ "$(number /tmp/slow events)" -lt "$(number /tmp/many events)" ]

# ---- more than fit: the ring holds 2048. Those who make the events come before the worker.
lost=$(gt lost/events_total)
for l in 1 2 3 4; do listen /tmp/burst$l -b $BIG -t 5 events; done
makers=''
for _ in 1 2 3; do
	gdrt-double -q alloc b size=4096 system : attach a b count=1000 : \
		repeat 10 : map a : unmap a &
	renice -n -20 $! >/dev/null
	makers="$makers $!"
done
# shellcheck disable=SC2086 # pids
wait $makers
sleep 1
must h attach 0 0 static
must h detach "$VALUE"
for l in 1 2 3 4; do heard /tmp/burst$l; done
lost=$(($(gt lost/events_total) - lost))
diag "$(tail -n 1 /tmp/burst1), lost $lost"
check "more events than fit are counted as lost" [ $lost -gt 0 ]
is "each as a gap in the numbers" "$(number /tmp/burst1 gaps)" $lost
is "for all listeners" "$(for l in 2 3 4; do number /tmp/burst$l gaps; done | sort -u)" $lost
is "no socket overran" "$(for l in 1 2 3 4; do number /tmp/burst$l overruns; done | sort -u)" 0
holder_quit h
compare "all gone" attachments=0 buffers=0
is "nothing else was lost" "$(gt lost/probe_missed_total) $(gt lost/unknown_detach_total) $(gt inexact)" "0 0 0"
finish
