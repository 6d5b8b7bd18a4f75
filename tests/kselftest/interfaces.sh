#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What users see: sysfs and debugfs are what Documentation/ABI says, both ways,
# keep their permissions, agree with netlink and with gdrctl.
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh

TOTALS="buffers attachments mapped preexisting importers_active exporters_active
	pinned_bytes pinned_pages pinned_bytes_sum pinned_bytes_peak mapped_bytes attachments_peak
	attach_total detach_total map_total unmap_total pin_total unpin_total invalidate_total
	untracked_total preexisting_detached_total"
ABI=/gdrt/abi
DEBUG=/sys/kernel/debug/gdr_telemetry
SIZE=$((4 * MIB))

# json NAME: the number of a key at the top of a JSON object on stdin
json()
{
	tr -d ' \n' | sed -n "s/.*\"$1\":\\([0-9]*\\)[,}].*/\\1/p"
}

# ---- the trees and their description

# All paths of both trees.
tree()
{
	find $GT $DEBUG
}

files()
{
	find $GT -type f
}

# undocumented ABI: paths that no line of it describes
undocumented()
{
	sed -e 's/^[a-z]* //' -e 's/[.]/\\./g' -e 's/<NAME>/[^\/]+/' \
		-e 's/<BDF>/[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\\.[0-7]/' "$1" >/tmp/patterns
	tree | grep -vxE -f /tmp/patterns
}

# The directories that a pattern of the description stands for.
stands_for()
{
	case $1 in
	"$GT/importers/<NAME>"*) names importers ;;
	"$GT/exporters/<NAME>"*) names exporters ;;
	"$GT/exporters/<BDF>"*) bdfs 0x10de 0x03 ;;
	"$GT/pairs/<BDF>_<NAME>"*) names pairs ;;
	esac
}

# missing ABI: what it describes and is not there, in any directory that should have it
missing()
{
	while read -r _ path; do
		case $path in
		*'<'*)
			dirs=$(stands_for "$path")
			[ -n "$dirs" ] || echo "$path: there is none"
			for d in $dirs; do
				f="${path%%<*}$d${path##*>}"
				[ -e "$f" ] || echo "$f"
			done ;;
		*) [ -e "$path" ] || echo "$path" ;;
		esac
	done <"$1"
}

# Files of sysfs that do not hold one value and a newline.
bad_values()
{
	files | while read -r f; do
		if ! { IFS= read -r v && ! IFS= read -r _; } <"$f"; then
			echo "$f: not one line"
		fi
		case $f in
		*/version | */track) ;;
		*/driver | */ibdev)
			case $v in *[!A-Za-z0-9_\ -]*) echo "$f: '$v'" ;; esac ;;
		*)
			case $v in
			'' | *[!0-9]* | 0?*) echo "$f: '$v'" ;;
			esac ;;
		esac
	done
}

# Files whose mode is not what the description says.
bad_modes()
{
	tree | while read -r f; do
		[ -f "$f" ] || continue
		case $f in
		"$GT/track") want=644 ;;
		$GT/*) want=444 ;;
		*) want=400 ;;
		esac
		mode=$(stat -c %a "$f")
		[ "$mode" = $want ] || echo "$f: $mode"
	done
}

# as_user ABI: files that another user can read or not, against the description
as_user()
{
	find $DEBUG -type f >/tmp/list
	files >>/tmp/list
	# No list of patterns may be empty.
	{ echo none; sed -n 's/^root //p' "$1"; } >/tmp/secret
	# The directory above keeps users out; look at the files' own modes.
	chmod 755 /sys/kernel/debug
	# shellcheck disable=SC2016 # that shell's variables
	gdrt-as-user sh -c 'while read -r f; do
		cat "$f" >/dev/null 2>&1 && echo "$f"; done </tmp/list' >/tmp/readable
	chmod 700 /sys/kernel/debug
	grep -vxF -f /tmp/secret /tmp/list | sort >/tmp/open
	sort /tmp/readable | diff /tmp/open -
}

# Numbers in the directories that netlink does not give for the same device or pair.
disagree_dirs()
{
	{
		gdrt-nl dump device | sed -n 's/^role=\([a-z]*\) name=\([^ ]*\) /\1s\/\2 /p'
		gdrt-nl dump pair | sed -n 's/^exporter=\([^ ]*\) importer=\([^ ]*\) /pairs\/\1_\2 /p'
	} | while read -r dir rest; do
		for word in $rest; do
			name=$(echo "${word%%=*}" | tr - _) value=${word#*=}
			case $name in
			flags | ibdev | importer_ibdev) continue ;;
			*_failures_total) name=failures/${name%_failures_total}_total ;;
			esac
			case $dir$name in pairs*driver) continue ;; esac
			got=$(cat "$GT/$dir/$name" 2>&1)
			[ "$got" = "$value" ] || echo "$dir/$name: netlink $value, sysfs $got"
		done
		echo "$dir" >>/tmp/dirs
	done
}

names()
{
	find "$GT/$1" -mindepth 1 -maxdepth 1 | sed 's|.*/||' | words
}

words()
{
	tr ' ' '\n' | grep . | sort | tr '\n' ' '
}

# Totals that gdrctl's JSON and sysfs do not agree on.
disagree()
{
	text=$(gdrctl -j status)
	for f in $TOTALS; do
		a=$(echo "$text" | json "$f") b=$(gt "$f")
		[ "$a" = "$b" ] || echo "$f: gdrctl '$a', sysfs '$b'"
	done
}

plan 67

# ---- before the module is there
bench_down
is "gdrctl without the module" "$(code gdrctl status)" 3
has "says so" "$(cat /tmp/code.err)" gdr_telemetry
is "netlink without the module" "$(code gdrt-nl status)" 3
BEFORE=$(date +%s)
# shellcheck disable=SC2119 # no parameters
bench_up
AFTER=$(date +%s)
A=$(hca_name 0) B=$(hca_name 1)

# ---- sysfs
awk -f /gdrt/tests/lib/abi.awk $ABI/* >/tmp/abi
GPUS=$(bdfs 0x10de 0x03) HCAS=$(bdfs 0x15b3 0x02)
is "each HCA has a directory from the start" "$(names importers)" "$(echo "$HCAS" | words)"
is "so has each GPU" "$(names exporters)" "$(echo "$GPUS" | words)"
BAR1=$(sed -n '1s/.*size //p' /sys/kernel/debug/gdrt_exporter/gpus)
is "there is no pair yet" "$(names pairs)" ""
is "all numbers of devices are 0" \
	"$(cat $GT/importers/*/attachments $GT/*porters/*/*_bytes $GT/*porters/*/*_total | grep -v "^$BAR1$" |
	sort -u)" 0

# A scene in which everything exists: two GPUs, an HCA and another importer.
holder s
must s buffer $SIZE gpu=1
must s reg 0 "$A"
must s attach 0 0 dynamic 2
must s map 1 2
must s buffer "$MIB" gpu=0
must s reg 1 "$A"
must s buffer "$MIB" system
must s reg 2 "$B"
GPU0=$(echo "$GPUS" | sed -n 1p) GPU1=$(echo "$GPUS" | sed -n 2p)
OTHER=$(function_bdf 0)
PAIRS="${GPU0}_$(hca_bdf "$A") ${GPU1}_$(hca_bdf "$A") ${GPU1}_$OTHER"
pairs_are()
{
	[ "$(names pairs)" = "$(echo "$1" | words)" ]
}
check "pairs have directories within a second" wait_for 1 pairs_are "$PAIRS"
is "importers" "$(names importers)" "$(echo "$HCAS $OTHER" | words)"
is "exporters" "$(names exporters)" "$(echo "$GPUS nvidia" | words)"
is "each file and directory is described" "$(undocumented /tmp/abi)" ""
is "each that is described is there" "$(missing /tmp/abi)" ""
is "modes are as described" "$(bad_modes)" ""
is "each file has one value, numbers are decimal" "$(bad_values)" ""
is "every user can read what is not for root only" "$(as_user /tmp/abi)" ""
rm -f /tmp/dirs
is "directories and netlink agree" "$(disagree_dirs)" ""
is "on each device and pair" "$(words </tmp/dirs)" \
	"$(cd $GT && echo importers/* exporters/* pairs/* | words)"
is "RDMA device of the HCA" "$(cat "$GT/importers/$(hca_bdf "$A")/ibdev")" "$A"
is "other importers have none" "$(cat "$GT/importers/$OTHER/ibdev")" ""
is "driver" "$(cat "$GT/importers/$OTHER/driver") $(cat "$GT/exporters/$GPU1/driver")" \
	"gdrt_importer nvidia"
is "size of BAR 1" "$(cat "$GT/exporters/$GPU1/bar1_bytes")" \
	"$(sed -n "s/.* bdf $GPU1 .*size //p" /sys/kernel/debug/gdrt_exporter/gpus)"
is "a GPU's bytes are unique" "$(cat "$GT/exporters/$GPU1/pinned_bytes")" $SIZE
is "the pair's as well" "$(cat "$GT/pairs/${GPU1}_$OTHER/pinned_bytes")" $SIZE
is "its attachments are not" "$(cat "$GT/pairs/${GPU1}_$OTHER/attachments")" 2

# Tests of these tests
grep -v '/lost/events_total$' /tmp/abi >/tmp/abi.less
is "a file without description would be noticed" "$(undocumented /tmp/abi.less)" \
	$GT/lost/events_total
{ cat /tmp/abi; echo "all $GT/pairs/<BDF>_<NAME>/nonsense"; } >/tmp/abi.more
is "a description without file would be noticed" "$(missing /tmp/abi.more | wc -l)" 3
sed 's/^root/all/' /tmp/abi >/tmp/abi.open
is "a file that users cannot read would be noticed" "$(as_user /tmp/abi.open | grep -c '^[-+][^-+]')" 5

# ---- debugfs
is "a line for each attachment" "$(tail -n +2 $DEBUG/attachments | awk '{ print $1 }' | words)" \
	"$(gdrt-nl dump | grep -x '[0-9]*' | words)"
MR=$(gdrt-nl dump attachment importer="$(hca_bdf "$A")" | sed -n "s/.* size=$SIZE .* mr-number=\([0-9]*\) .*/\1/p")
has "with its devices, placement, state, MR, process" "$(tr -s ' ' <$DEBUG/attachments)" \
	" $SIZE $GPU1 $(hca_bdf "$A") peer-bar mpx-- $MR $(holder_pid s) gdrt-reg"
is "a line for each buffer" "$(tail -n +2 $DEBUG/buffers | awk '{ print $1, $2, $4, $5, $6 }' | sort)" \
	"$(gdrt-nl dump buffer | sed -n 's/inode=\([0-9]*\) size=\([0-9]*\) .*attachments=\([0-9]*\) mapped=\([0-9]*\) pinned=\([0-9]*\)/\1 \2 \3 \4 \5/p' | sort)"
is "a line for each probe" "$(tail -n +2 $DEBUG/probes | awk '{ print $1 }')" \
	"$(gdrt-nl "do" status | grep -o 'symbol=[^ ]*' | cut -d= -f2)"
switch attach_errno 22
tell s reg 0 "$A"
switch attach_errno 0
is "a line for each kind of failure" \
	"$(sed '1d; /^$/,$d' $DEBUG/failures | tr -s ' ')" "$(hca_bdf "$A") attach 22 1"
has "and one for each failure, with its process" "$(sed '1,/^RECORD/d' $DEBUG/failures | tr -s ' ')" \
	" attach 22 $GPU1 $(hca_bdf "$A") $(gdrt-nl dump failure-log | sed -n 's/.* buffer=\([0-9]*\) .*/\1/p') $SIZE $(holder_pid s) gdrt-reg"
is "each registration is in the latencies" \
	"$(awk -v hca="$(hca_bdf "$A")" '$1 == hca && $2 == "register" { n += $4 } END { print n + 0 }' $DEBUG/latency)" \
	"$(cat "$GT/importers/$(hca_bdf "$A")/register_total")"
# A line of headings has nothing else.
is "each column is described" "$(grep -hxE '[A-Z_]+( +[A-Z_]+)+' $DEBUG/* | tr -s ' ' '\n' | while read -r w; do
	grep -q "^		$w  *[A-Za-z]" $ABI/debugfs-gdr_telemetry || echo "$w"; done)" ""
holder_quit s
is "an importer that is still there keeps its directory" "$(names importers)" \
	"$(echo "$HCAS $OTHER" | words)"

# ---- the rest of sysfs
check_not "no other user can write track" gdrt-as-user sh -c "echo all >$GT/track"
is "version is modinfo's" "$(gt version)" "$(modinfo -F version $MODULES/gdr_telemetry.ko)"
START=$(gt start_time_seconds)
check "start time is that of the load" [ "$BEFORE" -le "$START" -a "$START" -le "$AFTER" ]
is "the module depends on none" "$(modinfo -F depends $MODULES/gdr_telemetry.ko)" ""

# ---- values
holder h
must h buffer $SIZE gpu=1
INODE=$(field "$VALUE" inode)
must h reg 0 "$A"
must h buffer "$MIB"
must h reg 1 "$B"
PID=$(holder_pid h)
is "gdrctl status and sysfs agree" "$(disagree)" ""
is "status is open to every user" "$(code gdrt-as-user gdrctl status)" 0
text=$(gdrctl -j -p attachment importer "$(hca_bdf "$A")")
is "importer" "$(echo "$text" | grep -o "\"importer\": *\"[^\"]*\"" | cut -d'"' -f4)" "$(hca_bdf "$A")"
is "RDMA device" "$(echo "$text" | tr -d ' \n' | grep -o "\"importer_ibdevs\":\[[^]]*\]")" \
	"\"importer_ibdevs\":[\"$A\"]"
is "driver" "$(echo "$text" | grep -o "\"importer_driver\": *\"[^\"]*\"" | cut -d'"' -f4)" mlx5_core
is "exporter's module" "$(echo "$text" | grep -o "\"exporter_module\": *\"[^\"]*\"" | cut -d'"' -f4)" \
	nvidia
is "exporter's name" "$(echo "$text" | grep -o "\"exporter_name\": *\"[^\"]*\"" | cut -d'"' -f4)" \
	nv_dmabuf
is "size" "$(echo "$text" | json size_bytes)" $SIZE
is "pid" "$(echo "$text" | json pid)" "$PID"
is "comm" "$(echo "$text" | grep -o "\"comm\": *\"[^\"]*\"" | cut -d'"' -f4)" gdrt-reg
is "buffer is the inode" "$(echo "$text" | json buffer)" "$INODE"
has "mapped" "$(echo "$text" | tr -d ' ')" '"mapped":true'
has "pinned" "$(echo "$text" | tr -d ' ')" '"pinned":true'

# ---- filters
count()
{
	gdrctl -j attachment "$@" | grep -o '"id":' | wc -l
}
is "no filter" "$(count)" 2
is "importer by RDMA device" "$(count importer "$B")" 1
is "exporter by module" "$(count exporter nvidia)" 2
is "pid" "$(count pid "$PID")" 2
is "another pid" "$(count pid 1)" 0
is "buffer" "$(count buffer "$INODE")" 1
is "two filters" "$(count buffer "$INODE" importer "$B")" 0
ID=$(gdrt-nl dump | head -n 1)
is "id" "$(count id "$ID")" 1

# ---- exit codes of gdrctl
is "no permission" "$(code gdrt-as-user gdrctl attachment)" 2
is "an object that is none" "$(code gdrctl nonsense)" 1
is "a filter that is none" "$(code gdrctl attachment nonsense 1)" 1
is "a filter without a value" "$(code gdrctl attachment pid)" 1
is "a word that begins several filters" "$(code gdrctl attachment i 1)" 1
holder_quit h

compare "all gone" attachments=0
finish
