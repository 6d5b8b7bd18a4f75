#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# gdrctl failure, explain, latency and metrics, after failures at five stages
# and some registrations that work: what they say is compared with what was
# done, and with sysfs.
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh

PAGE=4096
SIZE=$((4 * MIB))

# kv LINE KEY...: the values in one line of gdrctl -o, "-" without; not of texts
kv()
{
	kv_line=${1%% means *}
	shift
	for kv_k; do
		case " $kv_line " in
		*" $kv_k "*)
			kv_v=" $kv_line "
			kv_v=${kv_v#* "$kv_k" }
			printf '%s ' "${kv_v%% *}" ;;
		*) printf -- '- ' ;;
		esac
	done
}

# rows KEY...: the values in each line of the input
rows()
{
	while read -r rows_line; do
		kv "$rows_line" "$@"
		echo
	done
}

# metric NAME{LABELS}: its value in /tmp/metrics
metric()
{
	awk -v name="$1" '{ i = length($0) - length($NF) } substr($0, 1, i - 1) == name { print $NF }' \
		/tmp/metrics
}

# A registration that fails, of buffer $2 with HCA $1; the rest is for gdrt-fail.
try()
{
	try_hca=$1
	shift
	must f reg "$try_hca" "$@"
	RESULT="$RESULT $VALUE"
}

# Totals in sysfs that metrics does not agree with.
disagree()
{
	for disagree_f in "$GT"/*_total "$GT"/attachments "$GT"/buffers "$GT"/mrs "$GT"/mr_bytes \
			"$GT"/pinned_bytes "$GT"/mapped_bytes; do
		disagree_n=${disagree_f##*/}
		case $disagree_n in
		failures_total) continue ;;
		capability_queries_total) continue ;;
		esac
		[ "$(metric "gdr_telemetry_$disagree_n")" = "$(cat "$disagree_f")" ] ||
			echo "$disagree_n: '$(metric "gdr_telemetry_$disagree_n")', sysfs $(cat "$disagree_f")"
	done
	for disagree_n in probe_missed pool_exhausted unknown_detach events failure_records; do
		[ "$(metric "gdr_telemetry_lost_total{what=\"$disagree_n\"}")" = \
			"$(gt lost/${disagree_n}_total)" ] || echo "lost $disagree_n"
	done
}

# disagree_device KIND LABELS DIRECTORY: likewise, of one importer, exporter or pair
disagree_device()
{
	for disagree_n in attachments buffers mrs mr_bytes mapped_bytes pinned_bytes; do
		disagree_v=$(metric "gdr_telemetry_$1_$disagree_n{$2}")
		[ "$disagree_v" = "$(gt "$3/$disagree_n")" ] ||
			echo "$1 $2 $disagree_n: '$disagree_v', sysfs $(gt "$3/$disagree_n")"
	done
}

file_is_whole()
{
	cmp /tmp/metrics /tmp/prom/gdr_telemetry.prom && [ "$(ls /tmp/prom)" = gdr_telemetry.prom ]
}

plan 50
# shellcheck disable=SC2119 # no parameters
bench_up
A=$(hca_name 0) B=$(hca_name 1) A_BDF=$(hca_bdf "$A") B_BDF=$(hca_bdf "$B") FN=$(function_bdf 0)
GPU=$(gpu_bdf 0)

# ---- nothing has failed ----
gdrt-fail query >/dev/null
is "queries only: no failure" "$(gdrctl failure)" "No failures."
is "queries only: no record" "$(gdrctl failure log)" "No failures."
is "queries only: an empty array" "$(gdrctl -j failure log)" "[]"
is "queries are told to who asks" \
	"$(gdrctl -o failure show stage capability-query | rows importer errno_name count)" \
	"$(printf '%s EBADF 1 \n' "$A_BDF" "$B_BDF")"
is "queries only: last" "$(gdrctl explain last 2>&1; echo $?)" \
	"gdrctl: the log is empty: no registration has failed since the module was loaded
2"

# ---- eight failures at five stages ----
BEFORE=$(cut -d' ' -f1 /proc/uptime) BEFORE_S=$(date +%s)
holder_of gdrt-fail f
PID=$(holder_pid f)
must f buffer "$SIZE"
INODE=$(field "$VALUE" inode)
must f buffer "$SIZE" dynamic
DYNAMIC=$(field "$VALUE" inode)
RESULT=
try "$A" buffer=0 access=71
try "$A" fd=999 length="$PAGE" count=2
switch attach_errno 524
try "$B" buffer=0 offset="$PAGE" length="$PAGE" count=3
switch attach_errno 0
switch map_errno -1
try "$A" buffer=0
switch map_errno 0
switch pin_errno 16
must f attach 1 0
switch pin_errno 0
is "the program saw these errnos" "$RESULT $VALUE" " 22 9 524 12 16"
AFTER=$(cut -d' ' -f1 /proc/uptime) AFTER_S=$(date +%s)

# The buffer of the pin is dynamic, of which the importer double wants no range.
cat >/tmp/log <<-END
	1 verbs 22 $A_BDF - - $SIZE 0 71 $PID gdrt-fail 0 
	2 umem 9 $A_BDF - - $PAGE 0 7 $PID gdrt-fail 0 
	3 umem 9 $A_BDF - - $PAGE 0 7 $PID gdrt-fail 0 
	4 attach 524 $B_BDF nvidia $INODE $PAGE $PAGE 7 $PID gdrt-fail 0 
	5 attach 524 $B_BDF nvidia $INODE $PAGE $PAGE 7 $PID gdrt-fail 0 
	6 attach 524 $B_BDF nvidia $INODE $PAGE $PAGE 7 $PID gdrt-fail 0 
	7 map 12 $A_BDF nvidia $INODE $SIZE 0 7 $PID gdrt-fail 0 
	8 pin 16 $FN nvidia $DYNAMIC - - - $PID gdrt-fail 0 
END
gdrctl -o failure log >/tmp/said
is "log: each of them, as it was" "$(rows id stage errno importer exporter_module buffer length_bytes \
	offset_bytes access pid comm uid </tmp/said)" "$(cat /tmp/log)"
is "log: names of errnos" "$(rows errno_name </tmp/said | tr -d '\n')" \
	"EINVAL EBADF EBADF ENOTSUPP ENOTSUPP ENOTSUPP ENOMEM EBUSY "
is "log: RDMA devices" "$(rows importer_ibdevs </tmp/said | tr -d '\n')" \
	"$A $A $A $B $B $B $A - "
is "log: times since boot are of then" "$(rows time_boottime_ns </tmp/said |
	awk -v a="$BEFORE" -v b="$AFTER" '$1 / 1e9 < a - 0.01 || $1 / 1e9 > b + 0.02')" ""
is "log: so are those of the clock" "$(rows time_seconds </tmp/said |
	awk -v a="$BEFORE_S" -v b="$AFTER_S" '$1 < a - 1 || $1 > b + 1')" ""
has "log: a table for people" "$(gdrctl failure log)" "ENOTSUPP  $B_BDF"

none_since()
{
	[ "$(gdrctl -o failure log since "$1")" = "No failure matches." ]
}

# ids FILTER...: of the records that it leaves
ids()
{
	gdrctl -o failure log "$@" | rows id | tr -d '\n'
}
is "filter stage" "$(ids stage attach)" "4 5 6 "
is "filter errno" "$(ids errno enomem)" "7 "
is "filter hca" "$(ids hca "$B")" "4 5 6 "
is "filter exporter" "$(ids exporter nvidia)" "4 5 6 7 8 "
is "filter buffer" "$(ids buffer "$DYNAMIC")" "8 "
is "filter pid" "$(ids pid "$PID") $(gdrctl -o failure log pid 1)" \
	"1 2 3 4 5 6 7 8  No failure matches."
is "filter comm" "$(ids comm gdrt-fail)" "1 2 3 4 5 6 7 8 "
is "filter since" "$(ids since 1d)" "1 2 3 4 5 6 7 8 "
check "filter since: a second later they are older than that" wait_for 30 none_since 1s

# ---- counters ----
cat >/tmp/counters <<-END
	$A_BDF verbs EINVAL 1 
	$A_BDF umem EBADF 2 
	$A_BDF map ENOMEM 1 
	$B_BDF attach ENOTSUPP 3 
	$FN pin EBUSY 1 
END
sort /tmp/counters >/tmp/counters.sorted
gdrctl -o failure show >/tmp/said
is "show: by importer, stage and errno" "$(rows importer stage errno_name count </tmp/said | sort)" \
	"$(cat /tmp/counters.sorted)"
is "show: the sum is that of sysfs" "$(rows count </tmp/said | awk '{ n += $1 } END { print n }')" \
	"$(gt failures_total)"
is "show: each stage is that of sysfs" \
	"$(rows stage count </tmp/said | awk '{ n[$1] += $2 } END { for (s in n) print s, n[s] }' | sort)" \
	"$(for s in verbs umem attach map pin; do echo "$s $(gt failures/${s}_total)"; done | sort)"
is "show: filters" "$(gdrctl -o failure hca "$A" stage umem | rows errno count)" "9 2 "

# ---- explain ----
has "explain a record of verbs: the flag" "$(gdrctl -j explain id 1)" \
	'"verdict":"fits","evidence":"access flags 0x47"'
has "explain a record of umem" "$(gdrctl explain id 2)" "The file descriptor is not open."
attach=$(gdrctl -j explain id 4)
has "explain a record of attach: who" "$attach" \
	"\"stage\":\"attach\",\"errno\":524,\"errno_name\":\"ENOTSUPP\",\"importer\":\"$B_BDF\""
has "explain a record of attach: the importer of mlx5 rules a cause out" "$attach" \
	"\"cause\":\"the importer is not ready for peer-to-peer addresses\",\"verdict\":\"ruled-out\",\"evidence\":\"$B_BDF is an mlx5 function\""
map=$(gdrctl -j explain id 7)
has "explain a record of map: BAR1 of each GPU" "$map" \
	'"verdict":"possible","evidence":"the record names no GPU; BAR1 of '
has "explain a record of map: the exporter rules a cause out" "$map" \
	'"cause":"no memory for the mapping","verdict":"ruled-out","evidence":"the exporter is nvidia'
is "explain last is the last record" "$(gdrctl -o explain last | rows id stage errno importer)" \
	"8 pin 16 $FN "
is "explain an errno: first where it happened" \
	"$(gdrctl -o explain ENOMEM | rows stage count | head -n 2 | tr -d '\n')" "map 1 before 0 "
is "explain an errno: every user" "$(code gdrt-as-user gdrctl explain 524)" 0
is "explain a record: who may" "$(code gdrt-as-user gdrctl explain id 7)" 2
is "explain a record that is none" "$(gdrctl explain id 99 2>&1; echo $?)" \
	"gdrctl: id 99: no such record; the log has 1 to 8
2"

# ---- latency ----
must f reg "$A" buffer=0 count=3
must f reg "$A" buffer=0 keep
must f reg "$B" buffer=0 keep
wait_for 20 test -d "$GT/pairs/${GPU}_$A_BDF" || bail "no pair"
wait_for 20 test -d "$GT/pairs/${GPU}_$B_BDF" || bail "no pair"
gdrctl -o latency hca "$A" >/tmp/said
is "latency: registrations and deregistrations that worked" \
	"$(grep -E 'op (de)?register ' /tmp/said | rows importer op count)" \
	"$(printf '%s\n' "$A_BDF register 4 " "$A_BDF deregister 3 ")"
is "latency: as many as sysfs counts" "$(grep 'op register ' /tmp/said | rows count)" \
	"$(gt "importers/$A_BDF/register_total") "
is "latency: percentiles are in order, and the mean below the last" \
	"$(rows op p50_ns p90_ns p99_ns max_ns mean_ns sum_ns count </tmp/said | awk '
		!($2 > 0 && $2 <= $3 && $3 <= $4 && $4 <= $5 && $6 <= $5 && $6 <= $7) { print }')" ""
has "latency: a picture" "$(gdrctl -d latency hca "$A")" "####"

# ---- metrics ----
gdrctl metrics >/tmp/metrics
is "metrics: totals are those of sysfs" "$(disagree)" ""
is "metrics: failures by importer, stage and errno" "$(sed -n \
	's/^gdr_telemetry_failures_total{importer="\([^"]*\)",\(ibdev="[^"]*",\)*stage="\([^"]*\)",errno="\([^"]*\)"} \(.*\)/\1 \3 \4 \5 /p' \
	/tmp/metrics | sort)" "$(cat /tmp/counters.sorted)"
is "metrics: the two HCAs, the GPU and the pairs are those of sysfs" "$(
	disagree_device importer "importer=\"$A_BDF\",ibdev=\"$A\"" "importers/$A_BDF"
	disagree_device importer "importer=\"$B_BDF\",ibdev=\"$B\"" "importers/$B_BDF"
	disagree_device exporter "exporter=\"$GPU\"" "exporters/$GPU"
	disagree_device pair "exporter=\"$GPU\",importer=\"$A_BDF\",ibdev=\"$A\"" "pairs/${GPU}_$A_BDF"
	disagree_device pair "exporter=\"$GPU\",importer=\"$B_BDF\",ibdev=\"$B\"" "pairs/${GPU}_$B_BDF")" ""
is "metrics: what is pinned is known" "$(metric gdr_telemetry_pinned_bytes) \
$(metric gdr_telemetry_attachment_pinned_bytes)" "$SIZE $((2 * SIZE))"
is "metrics: durations" \
	"$(metric "gdr_telemetry_duration_seconds_count{importer=\"$A_BDF\",ibdev=\"$A\",op=\"register\"}")" 4
is "metrics: no process in it" "$(grep -cE 'pid|comm|gdrt-fail' /tmp/metrics)" 0
gdrt-as-user gdrctl metrics --openmetrics >/tmp/openmetrics
is "metrics: every user, as OpenMetrics" "$(tail -n 1 /tmp/openmetrics)" "# EOF"
mkdir /tmp/prom
gdrctl metrics --textfile /tmp/prom/gdr_telemetry.prom
check "metrics: the file is the same, and the only one" file_is_whole

holder_quit f
unload gdr_telemetry || bail "the module does not unload"
is "without the module: exit code 3" "$(code gdrctl metrics --textfile /tmp/prom/gdr_telemetry.prom)" 3
check "without the module: the old file stays" file_is_whole
finish
