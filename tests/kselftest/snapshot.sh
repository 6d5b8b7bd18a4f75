#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# gdrctl snapshot: a scene is saved, changed, and compared; each difference must be what was done,
# and what sysfs says. Then the module is loaded again, and nothing may be subtracted.
# In the Debian root.
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh

cd /tmp || exit 1

# rows JQ FILE...: a line for each difference that the filter lets pass, of the values it names
rows()
{
	rows_jq=$1
	shift
	gdrctl -j snapshot diff "$@" | jq -r ".[] | $rows_jq | map(tostring) | join(\" \")"
}

# what WHAT VALUES [FILE...]: those of one kind
what()
{
	what_of=$1 what_values=$2
	shift 2
	rows "select(.what == \"$what_of\") | [$what_values]" "$@"
}

orphaned()
{
	[ "$(gt orphans)" = "$1" ]
}

bench_down
plan 52

# ---- without the module
is "save without the module" "$(code gdrctl snapshot save s) $(grep -c 'is not loaded' /tmp/code.err)" \
	"3 1"
is "it leaves no file" "$(ls s s.* 2>/dev/null)" ""

# shellcheck disable=SC2119 # no parameters
bench_up
G0=$(gpu_bdf 0) G1=$(gpu_bdf 1)
N0=$(hca_name 0) N1=$(hca_name 1) N2=$(hca_name 2) N3=$(hca_name 3)
H0=$(hca_bdf "$N0") H1=$(hca_bdf "$N1") H2=$(hca_bdf "$N2") H3=$(hca_bdf "$N3")

# ---- before the job
check "save nothing" gdrctl snapshot save s0
is "for its owner alone" "$(stat -c %a s0)" 600
is "the file names itself" "$(jq -r '[.format, .format_version, .boot_id, .status.version] |
	map(tostring) | join(" ")' s0)" \
	"gdrctl-snapshot 1 $(cat /proc/sys/kernel/random/boot_id) $(gt version)"
holder a
holder b
PA=$(holder_pid a) PB=$(holder_pid b)
must a buffer $((4 * MIB)) gpu=0
must a reg 0 "$N0"
must a reg 0 "$N1"
must a buffer $((2 * MIB)) gpu=1
must a reg 1 "$N2"
must b buffer "$MIB" gpu=0
must b reg 0 "$N0"
switch attach_errno 22
tell b reg 0 "$N1"
switch attach_errno 0
check "save" gdrctl snapshot save s1
for part in status importers exporters pairs attachments buffers owners failures latencies; do
	case $part in
	status) words=status ;;
	latencies) words=latency ;;
	*) words=${part%s} ;;
	esac
	is "$part in it are what -j gives" \
		"$(jq -cS ".$part | walk(if type == \"object\" then
			with_entries(select(.key | test(\"age_ns\$|time_seconds\$\") | not)) else . end)" s1)" \
		"$(gdrctl -j "$words" | jq -cS "walk(if type == \"object\" then
			with_entries(select(.key | test(\"age_ns\$|time_seconds\$\") | not)) else . end)")"
done
is "the rest is there" "$(jq -r '[.cgroups, .failure_log] | map(length > 0) | join(" ")' s1)" "true true"
is "no difference, in words" "$(code gdrctl snapshot diff s1) $(tail -n 1 /tmp/code.out)" \
	"0 No difference."
is "and in JSON" "$(rows '[.what, .change]' s1)" "snapshot same-load"
is "up to a file" "$(rows '[.what, .change]' s1 s1)" "snapshot same-load"
is "from nothing" "$(what owner '.pid, .change, .attachments_after, .pinned_bytes_after' s0 s1 | sort)" \
	"$(sort <<-WANTED
	$PA new 3 $((6 * MIB))
	$PB new 1 $MIB
	WANTED
)"

# ---- the job: a gives up two; c registers, goes, and leaves a child; d and b fail
ID0=$(gdrctl -j attachment pid "$PA" hca "$N0" | jq '.[].id')
ID2=$(gdrctl -j attachment pid "$PA" hca "$N2" | jq '.[].id')
must a dereg 0
must a dereg 2
holder c
PC=$(holder_pid c)
must c buffer $((8 * MIB)) gpu=1
must c reg 0 "$N3"
ID3=$(gdrctl -j attachment pid "$PC" | jq '.[].id')
must c fork
CCHILD=$VALUE
holder_of gdrt-fail d
PD=$(holder_pid d)
must d buffer $((4 * MIB))
switch attach_errno 524
must d reg "$N2" buffer=0 count=3
switch attach_errno 22
tell b reg 0 "$N1"
switch attach_errno 0
holder_quit d
holder_kill c
check "the attachment of the one that ended is an orphan" wait_for 30 orphaned 1
check "save again" gdrctl snapshot save s2

is "what leaks" "$(what orphan '.change, .id, .exporter, .importer, .pid, .comm, .mrs_after,
	.pinned_bytes_after' s1)" "new $ID3 $G1 $H3 $PC gdrt-reg 1 $((8 * MIB))"
is "it is told first" "$(gdrctl -j snapshot diff s1 | jq -r '.[1].what')" orphan
is "by process" "$(what owner '.pid, .change, .attachments_before // "-", .attachments_after // "-",
	.pinned_bytes_before // "-", .pinned_bytes_after // "-", .new_failures // 0' s1 | sort)" \
	"$(sort <<-WANTED
	$PA changed 3 1 $((6 * MIB)) $((4 * MIB)) 0
	$PB changed 1 1 $MIB $MIB 1
	$PC new - 1 - $((8 * MIB)) 0
	$PD failed - - - - 3
	WANTED
)"
is "by pair" "$(what pair '.exporter, .importer, .change, .attachments_before // 0, .attachments_after,
	.mrs_after, .pinned_bytes_before // 0, .pinned_bytes_after' s1 | sort)" "$(sort <<-WANTED
	$G0 $H0 changed 2 1 1 $((5 * MIB)) $MIB
	$G1 $H2 changed 1 0 0 $((2 * MIB)) 0
	$G1 $H3 new 0 1 1 0 $((8 * MIB))
	WANTED
)"
is "by errno" "$(what failure '.importer, .stage, .errno_name, .change, .count_before // 0,
	.count_after' s1 | sort)" "$(sort <<-WANTED
	$H1 attach EINVAL changed 1 2
	$H2 attach ENOTSUPP new 0 3
	WANTED
)"
is "by attachment" "$(what attachment '.id, .change, .importer, .pid, .pinned_bytes_before // 0,
	.pinned_bytes_after // 0' s1)" "$ID0 gone $H0 $PA $((4 * MIB)) 0
$ID2 gone $H2 $PA $((2 * MIB)) 0
$ID3 new $H3 $PC 0 $((8 * MIB))"
for name in attachments pinned_bytes mrs mr_bytes register_total deregister_total orphans; do
	is "$name of sysfs" "$(what total .value_after s1 2>/dev/null | wc -l | grep -c '[1-9]') $(
		gdrctl -j snapshot diff s1 | jq ".[] | select(.name == \"$name\") | .value_after")" \
		"1 $(gt $name)"
done
is "two files say what one and now say" "$(gdrctl -j snapshot diff s1 s2 | jq -cS '.[1:]')" \
	"$(gdrctl -j snapshot diff s1 | jq -cS '.[1:]')"
is "from standard input" "$(gdrctl -j snapshot diff - s2 <s1 | jq -cS .)" \
	"$(gdrctl -j snapshot diff s1 s2 | jq -cS .)"
is "one line a difference" "$(gdrctl -o snapshot diff s1 s2 | wc -l)" \
	"$(gdrctl -j snapshot diff s1 s2 | jq length)"
has "for people" "$(gdrctl --bytes snapshot diff s1 s2 | tr -s ' ')" \
	"$PA gdrt-reg changed -2 0 -2 -$((6 * MIB)) -$((2 * MIB)) -"
is "the older one comes first" "$(code gdrctl snapshot diff s2 s1) $(grep -c 'older one first' /tmp/code.err)" \
	"1 1"

# ---- files
head -c 2000 s1 >cut
is "one that is cut off" "$(code gdrctl snapshot diff cut s2) $(grep -c '"cut": it is cut off' /tmp/code.err)" \
	"2 1"
cp s1 kept
is "one that cannot be written" "$(code gdrctl snapshot save /proc/s1) $(ls /proc/s1* 2>/dev/null)" "2 "
check "one that is there already" gdrctl snapshot save kept
is "is replaced, and nothing else left" "$(jq '.attachments | length' kept) $(echo kept*)" "3 kept"
is "a user may not save" "$(code gdrt-as-user gdrctl snapshot save u) \
$(grep -c 'not permitted' /tmp/code.err) $(ls u 2>/dev/null)" "2 1 "
chmod 644 s1 s2
is "but compare" "$(code gdrt-as-user gdrctl snapshot diff s1 s2)" 0

# ---- another load: b and the orphan live on, and the module does not know them
unload gdr_telemetry || bail "it does not unload"
module_up || bail "it does not load again"
must b dereg 0
must b reg 0 "$N0"
is "loaded again" "$(rows '[.what, .change]' s2 | head -n 1)" "snapshot reloaded"
is "counters are those since" "$(what total 'select(.name == "register_total") | .name,
	.value_before // "-", .value_after' s2)" "register_total - $(gt register_total)"
is "attachments are not compared" "$(what attachment .id s2)" ""
is "processes are" "$(what owner '.pid, .change' s2 | grep -c "^$PC gone")" 1
has "for people" "$(gdrctl snapshot diff s2)" "THE MODULE WAS LOADED AGAIN"
sed 's/"boot_id":"./&x/' s2 >other
is "another boot" "$(rows '[.what, .change]' other | head -n 1)" "snapshot other-boot"

kill -KILL "$CCHILD"
holder_quit a
holder_quit b
finish
