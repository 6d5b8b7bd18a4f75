#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# As many attachments as a large machine has: every interface stays right, no
# record is lost, and each costs little memory, which is given back.
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh

# Two processes at once, one for each CPU.
BUFFERS=500 EACH=100
N=$((2 * BUFFERS * EACH))
MRS_EACH=5
SIZE=65536
MAX_BYTES=512
# More than the default, and pauses: this guest's CPUs attach faster than drivers can, and its host
# may keep from running, for a while, the one that refills the pool.
POOL=16384
PAUSE_US=1000
SLAB=/sys/kernel/slab

# Bytes of slab and vmalloc in use, after all that is free in them was given back.
memory()
{
	sleep 1
	sync
	echo 3 >/proc/sys/vm/drop_caches
	for memory_s in "$SLAB"/*/shrink; do
		echo 1 >"$memory_s"
	done 2>/dev/null
	awk '$1 == "Slab:" || $1 == "VmallocUsed:" { kib += $2 } END { printf "%.0f\n", kib * 1024 }' \
		/proc/meminfo
}

# Bytes that a record of each kind takes.
record_bytes()
{
	record_sum=0
	for record_k in attachment buffer share owner; do
		record_sum=$((record_sum + $(cat "$SLAB/gdrt_$record_k/slab_size")))
	done
	echo $record_sum
}

# both COMMAND...: by both processes at the same time
both()
{
	both_start=$(cut -d. -f1 /proc/uptime)
	for both_h in a b; do
		echo "$*" >"/tmp/$both_h.in"
	done
	for both_h in a b; do
		read -r both_answer <"/tmp/$both_h.out"
		diag "$both_h: $*: $both_answer"
		case $both_answer in ok*) ;; *) bail "'$*': $both_answer" ;; esac
	done
	diag "$*: $(($(cut -d. -f1 /proc/uptime) - both_start)) s for both"
}

both_up()
{
	holder_of gdrt-scale a
	holder_of gdrt-scale b
	both buffers $BUFFERS $SIZE 2
}

both_quit()
{
	holder_quit a
	holder_quit b
}

# timed NAME COMMAND...: output in OUT, its duration as a diagnostic
timed()
{
	timed_name=$1
	shift
	timed_start=$(awk '{ print int($1 * 100) }' /proc/uptime)
	OUT=$("$@" 2>&1)
	timed_ms=$((($(awk '{ print int($1 * 100) }' /proc/uptime) - timed_start) * 10))
	diag "$timed_name: $timed_ms ms"
}

lost()
{
	echo "$(gt lost/probe_missed_total) $(gt lost/pool_exhausted_total) $(gt lost/unknown_detach_total)"
}

# each DIRECTORY FILE: "NAME VALUE" of all that are not 0
each()
{
	for each_d in "$GT/$1"/*; do
		each_v=$(cat "$each_d/$2")
		[ "$each_v" = 0 ] || echo "${each_d##*/} $each_v"
	done | sort
}

# The same from the ledgers, for all directories at once: "DIRECTORY FILE NAME VALUE".
# A device or a pair has a buffer once, however many attachments it has.
ledgers()
{
	# Lines that are the same, counted; busybox awk is slow at splitting.
	# shellcheck disable=SC2016 # awk's
	grep "^attachment" /sys/kernel/debug/gdrt_importer/ledger | cut -d " " -f 4,6,10 |
		awk '{ n[$0]++ } END { for (k in n) print n[k], k }' >/tmp/imports
	grep "^buffer" /sys/kernel/debug/gdrt_exporter/ledger >/tmp/exports
	awk '
	function add(dir, key, inode, n, mapped) {
		sum[dir " attachments " key] += n
		if (!((dir, key, inode) in seen)) {
			sum[dir " buffers " key]++
			sum[dir " mapped_bytes " key] += mapped ? size[inode] : 0
		}
		seen[dir, key, inode] = 1
	}
	FNR == 1 { file++ }
	file == 1 { size[$2] = $4; gpu[$2] = $6; next }
	{
		add("importers", $3, $2, $1, $4)
		add("exporters", gpu[$2], $2, $1, $4)
		add("pairs", gpu[$2] "_" $3, $2, $1, $4)
	}
	END { for (key in sum) printf "%s %.0f\n", key, sum[key] }' /tmp/exports /tmp/imports | sort >/tmp/ledgers
}

# ledger DIRECTORY FILE: "NAME VALUE" of all
ledger()
{
	sed -n "s/^$1 $2 //p" /tmp/ledgers | sort
}

# dump_is WHAT WANTED: a whole dump, in sum
dump_is()
{
	timed "dump of $1" gdrt-scale dump "$1"
	diag "$OUT"
	is "the dump of $1 has all, each once" "${OUT% ms=*}" "$2 interrupted=0"
}

debugfs_is()	# FILE COLUMN COUNT
{
	# shellcheck disable=SC2016 # awk's
	timed "debugfs $1" awk -v c="$2" 'FNR > 1 { n++; seen[$c] = 1 }
		END { for (k in seen) ids++; print n + 0, ids + 0 }' "/sys/kernel/debug/gdr_telemetry/$1"
	is "debugfs $1: a line for each, none twice" "$OUT" "$3 $3"
}

plan 39

# ---- the same load without the module
bench_down || bail "an earlier module does not unload"
rdma_up || bail "no RDMA devices"
doubles_up()
{
	insmod $MODULES/nvidia.ko || bail "insmod nvidia.ko"
	insmod $MODULES/gdrt_importer.ko || bail "insmod gdrt_importer.ko"
}
doubles_up
both_up
before=$(memory)
both attach $EACH 0 2 $PAUSE_US
both map
without=$(($(memory) - before))
diag "without the module: $without bytes for $N attachments"
both_quit
{ unload gdrt_importer && unload nvidia; } || bail "the doubles do not unload"

# ---- with it
doubles_up
both_up
before=$(memory)
module_up pool=$POOL || bail "insmod gdr_telemetry.ko"
loaded=$(memory)
diag "the module alone: $((loaded - before)) bytes"
both attach $EACH 0 2 $PAUSE_US
compare "$N attachments" --counters attachments=$N attachments_peak=$N buffers=$((2 * BUFFERS)) \
	mapped=0 importers_active=2 exporters_active=1
is "nothing was lost" "$(lost)" "0 0 0"
is "one exporter has them all, unmapped" "$(each exporters attachments)" "nvidia $N"
both map
with=$(memory)
more=$((with - loaded - without))
diag "with the module: $((with - loaded)) bytes for $N attachments, $((more / N)) bytes more for each"
diag "all that the module takes: $(((with - before - without) / N)) bytes for each"
check "all that the module takes is at most $MAX_BYTES bytes for each" \
	[ $(((with - before - without) / N)) -le $MAX_BYTES ]
check "and there is a difference to measure" [ $more -gt $((16 * N)) ]
diag "an attachment, a buffer, a share and an owner: $(record_bytes) bytes"
check "one that is alone in its buffer takes at most $MAX_BYTES bytes" \
	[ "$(record_bytes)" -le $MAX_BYTES ]
timed "gdrt-compare" gdrt-compare --counters
is "all mapped" "$OUT" ""
is "the totals of it" "$(gt attachments) $(gt mapped) $(gt mapped_bytes) $(gt pinned_bytes_sum)" \
	"$N $N $((2 * BUFFERS * SIZE)) $((N * SIZE))"
is "nothing was lost since" "$(lost)" "0 0 0"
timed "all totals in sysfs" sh -c "cat $GT/* $GT/*/* >/dev/null 2>&1"
timed "all directories in sysfs" sh -c "cat $GT/*/*/* >/dev/null 2>&1"
timed "ledgers" ledgers
for d in importers exporters pairs; do
	for f in attachments buffers mapped_bytes; do
		is "$d/*/$f" "$(each $d $f)" "$(ledger $d $f)"
	done
done
is "pairs/*/pinned_bytes" "$(each pairs pinned_bytes)" "$(ledger pairs mapped_bytes)"
bytes=$((2 * BUFFERS * SIZE))
held="attachments=$N buffers=$((2 * BUFFERS)) mapped_bytes=$bytes pinned_bytes=$bytes"
dump_is attachments "n=$N ids=$N mapped=$N pinned=$N"
dump_is buffers "n=$((2 * BUFFERS)) ids=$((2 * BUFFERS)) attachments=$N mapped=$N pinned=$N"
dump_is importers "n=4 $held"
dump_is exporters "n=3 $held"
dump_is pairs "n=4 $held"
debugfs_is attachments 1 $N
debugfs_is buffers 1 $((2 * BUFFERS))
timed "status" gdrctl -j status
has "status has the total" "$(echo "$OUT" | tr -d ' ')" "\"attachments\":$N"
timed "one attachment by its id" gdrt-nl get 100000
has "one attachment is found" "$OUT" "errno 0"
is "exact" "$(gt inexact)" 0
both unmap
is "unmapped" "$(gt attachments) $(gt mapped) $(gt pinned_bytes) $(gt pinned_bytes_sum)" "$N 0 0 0"
both detach
compare "detached" --counters attachments=0 buffers=0 importers_active=0 exporters_active=0
is "nothing was lost in the end" "$(lost)" "0 0 0"
after=$(memory)
slack=$((POOL * $(record_bytes)))
diag "after it: $((after - loaded)) bytes more than before; the pools may keep $POOL more of each record: $slack"
check "the memory is given back" [ $((after - loaded)) -le $slack ]
both_quit

# ---- MRs
# shellcheck disable=SC2119
bench_up
both_up
A=$(hca_name 0) B=$(hca_name 1)
MRS=$((2 * BUFFERS * 2 * MRS_EACH))
both reg $MRS_EACH "$A" "$B"
compare "$MRS MRs" attachments=$MRS buffers=$((2 * BUFFERS)) pinned_bytes=$bytes
is "half of them on each HCA" "$(each importers attachments)" \
	"$(printf '%s\n' "$(hca_bdf "$A") $((MRS / 2))" "$(hca_bdf "$B") $((MRS / 2))" | sort)"
dump_is attachments "n=$MRS ids=$MRS mapped=$MRS pinned=$MRS"
is "nothing was lost with MRs" "$(lost)" "0 0 0"
both dereg
compare "deregistered" attachments=0 buffers=0
is "detached by then" "$(gt attach_total) $(gt detach_total) $(lost)" "$MRS $MRS 0 0 0"
both_quit
finish
