#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# gdrctl's lists of a known scene: two GPUs, four HCAs, three processes in two
# cgroups, one of which has ended and left its registrations to a healthy child.
# What each list says must be what the scene was made of, and what bufinfo, the
# doubles' ledger and /sys/module say.
# In the Debian root.
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh
# shellcheck source=tests/lib/scene.sh
. /gdrt/tests/lib/scene.sh

LEDGER=/sys/kernel/debug/gdrt_exporter/ledger
BUFINFO=/sys/kernel/debug/dma_buf/bufinfo

# rows OBJECT... -- JQ: a line a record, of what the jq array has; sets of words have no order
rows()
{
	rows_words=''
	while [ "$1" != -- ]; do
		rows_words="$rows_words $1"
		shift
	done
	# shellcheck disable=SC2086 # words
	gdrctl -j $rows_words | jq -r ".[] | [$2] | map(tostring) | join(\" \")"
}

# What -o prints, from JSON. Ages are of the moment, and times of day are counted from them.
oneline_of_json()
{
	jq -r '.[] | to_entries | map(select(.key | test("age_ns$|time_seconds$") | not)) |
		map("\(.key) \(.value | if type == "array" then join(",") else tostring end)") |
		join(" ")'
}

oneline()
{
	gdrctl -o "$@" | sed -E 's/ [a-z_]*(age_ns|time_seconds) [0-9]*//g'
}

# formats OBJECT WORDS...: 3 results. Below an empty line there is more than the table.
formats()
{
	gdrctl -j "$@" >/tmp/json
	is "$1: one line a record says what JSON says" "$(oneline "$@")" "$(oneline_of_json </tmp/json)"
	is "$1: a table has a line a record, below its titles" \
		"$(gdrctl "$@" | sed '/^$/,$d' | wc -l)" $(($(jq length </tmp/json) + 1))
	is "$1: a block a record" "$(gdrctl -d "$@" | grep -c '^[^ ]')" "$(jq length </tmp/json)"
}

bench_down
plan 118

# ---- without the module
for object in buffer importer exporter pair owner 'owner cgroup' 'owner pair' holders probe; do
	# shellcheck disable=SC2086 # words
	is "$object without the module" "$(code gdrctl $object) $(grep -c 'is not loaded' /tmp/code.err)" \
		"3 1"
done

# shellcheck disable=SC2119 # no parameters
bench_up
for object in buffer pair owner holders; do
	is "$object: nothing yet, in words" "$(gdrctl $object exporter nvidia | head -n 1)" \
		"No $(echo $object | sed 's/s$//') matches."
done
is "nothing yet, in JSON" "$(gdrctl -j buffer)" "[]"
is "each idle device is there" "$(rows importer -- '.attachments, .pinned_bytes' | sort -u) \
$(rows importer -- 1 | wc -l) $(rows exporter -- 1 | wc -l)" "0 0 4 2"

# ---- the scene
scene_up
check "the attachments of the one that ended are orphans" wait_for 30 orphaned 2
check "the module and the ledgers agree on the scene" gdrt-compare --devices attachments=6 \
	buffers=5 mrs=5 pinned_bytes=$((16 * MIB)) pinned_bytes_sum=$((20 * MIB))

# ---- buffer
WANT="$A0 $((4 * MIB)) $G0 nvidia nv_dmabuf 2 2 2 w\"1
$A1 $((2 * MIB)) $G1 nvidia nv_dmabuf 1 1 1 -
$B0 $MIB $G0 nvidia nv_dmabuf 1 1 1 kv-cache
$C0 $((8 * MIB)) $G1 nvidia nv_dmabuf 1 1 1 -
$C1 $MIB nvidia nvidia nv_dmabuf 1 1 1 -"
is "buffers of the scene" "$(rows buffer -- '.buffer, .size_bytes, .exporter, .exporter_module,
	.exporter_name, .attachments, .mapped, .pinned, .buffer_name // "-"' | sort)" \
	"$(echo "$WANT" | sort)"
is "buffers of the ledger" "$(rows buffer -- '.buffer, .size_bytes, .attachments')" \
	"$(sed -n 's/^buffer \([0-9]*\) size \([0-9]*\) .*attachments \([1-9][0-9]*\) .*/\1 \2 \3/p' $LEDGER |
	sort -n)"
# size flags mode count exp_name inode name
is "buffers of bufinfo" "$(rows buffer -- '.buffer, .size_bytes, .attachments')" \
	"$(awk -F '\t' 'NF >= 6 && $5 == "nv_dmabuf" { ino = $6 + 0; size = $1 + 0 }
		/^Total [1-9]/ && ino { print ino, size, $0; ino = 0 }' $BUFINFO |
	sed 's/Total \([0-9]*\) devices.*/\1/' | sort -n)"
has "a table of them" "$(gdrctl --bytes buffer | tr -s ' ')" \
	"$A0 $G0 $((4 * MIB)) 2 2 2 w\\\"1"
has "sizes for people" "$(gdrctl buffer | tr -s ' ')" " $G0 4.0 MiB 2 2 2 "
has "a block" "$(gdrctl -d buffer buffer "$B0")" 'name                  kv-cache'
is "without names" "$(gdrctl -n -j buffer | grep -c buffer_name)" 0

# ---- pair
WANT="$G0 $H0 $N0 2 2 2 $((5 * MIB)) $((5 * MIB)) $((5 * MIB))
$G0 $H1 $N1 1 1 1 $((4 * MIB)) $((4 * MIB)) $((4 * MIB))
$G1 $H2 $N2 1 1 1 $MIB $((2 * MIB)) $((2 * MIB))
$G1 $H3 $N3 1 1 1 $((8 * MIB)) $((8 * MIB)) $((8 * MIB))"
PAIR='.exporter, .importer, (.importer_ibdevs | join(",")), .attachments, .buffers, .mrs, .mr_bytes,
	.pinned_bytes, .mapped_bytes'
is "pairs of the scene" "$(rows pair -- "$PAIR" | sort)" "$(echo "$WANT" | sort)"
is "pairs of the ledger" "$(rows pair -- '.exporter, .importer, .attachments, .pinned_bytes')" \
	"$(awk '$1 == "buffer" { size[$2] = $4; gpu[$2] = $6 }
	$1 == "attachment" && gpu[$2] != "-" && $6 {
		pair = gpu[$2] " " $4; n[pair]++
		if (!seen[pair, $2]++) bytes[pair] += size[$2]
	}
	END { for (p in n) print p, n[p], bytes[p] }' $LEDGER | sort)"
has "a table of them" "$(gdrctl --bytes pair gpu "$G1" hca "$N2" | tr -s ' ')" \
	"$G1 $H2 $N2 1 1 1 1 $((2 * MIB)) $((2 * MIB)) 0"
is "index of the GPU" "$(rows pair -- '.exporter, .gpu_index' | sort -u)" "$G0 0
$G1 1"

# ---- importer
IMPORTER='.importer, ((.importer_ibdevs // []) | join(",")), .importer_driver, .attachments, .buffers,
	.mrs, .pinned_bytes, .register_total, .attach_total, .detach_total'
WANT="$H0 $N0 mlx5_core 2 2 2 $((5 * MIB)) 2 2 0
$H1 $N1 mlx5_core 1 1 1 $((4 * MIB)) 1 1 0
$H2 $N2 mlx5_core 1 1 1 $((2 * MIB)) 1 1 0
$H3 $N3 mlx5_core 1 1 1 $((8 * MIB)) 1 1 0
$F0  gdrt_importer 1 1 0 $MIB 0 1 0"
is "importers of the scene" "$(rows importer -- "$IMPORTER" | sort)" "$(echo "$WANT" | sort)"
is "failures, by stage" "$(rows importer hca "$N1" -- \
	'.failures_total, .attach_failures_total, .map_failures_total')" "1 1 0"
has "a table of them" "$(gdrctl --bytes importer | tr -s ' ')" \
	"$H3 $N3 mlx5_core 1 1 1 $((8 * MIB)) $((8 * MIB)) 0"
is "kinds" "$(rows importer -- '.flags | join(",")' | sort -u)" "pci,present
pci,present,gdr"

# ---- exporter
EXPORTER='.exporter, .exporter_driver // "-", .gpu_index // "-", .attachments, .buffers, .mrs,
	.mr_bytes, .pinned_bytes, .mapped_bytes'
WANT="$G0 nvidia 0 3 2 3 $((9 * MIB)) $((5 * MIB)) $((5 * MIB))
$G1 nvidia 1 2 2 2 $((9 * MIB)) $((10 * MIB)) $((10 * MIB))
nvidia - - 1 1 0 0 $MIB $MIB"
is "exporters of the scene" "$(rows exporter -- "$EXPORTER" | sort)" "$(echo "$WANT" | sort)"
is "BAR 1 of the ledger" "$(rows exporter -- 'select(.bar1_bytes) | .exporter, .bar1_bytes' |
	grep . | sort)" \
	"$(sed -n 's/^gpu .* bdf \([^ ]*\) .* size \([0-9]*\)$/\1 \2/p' /sys/kernel/debug/gdrt_exporter/gpus |
	sort)"
has "a table of them" "$(gdrctl exporter gpu 1 | tr -s ' ')" "$G1 1 nvidia "

# ---- owner
OWNER='.pid, .comm, .uid, .exited, .attachments, .buffers, .orphans, .mrs, .mr_bytes, .pinned_bytes,
	.mapped_bytes, (.exporters | sort | join(",")), (.importers | sort | join(",")), .container // "-",
	.pod // "-", .cgroup_path'
sorted()
{
	echo "$@" | tr ' ' '\n' | sort | paste -sd, -
}
WANT="$PC gdrt-reg 0 true 2 2 2 1 $((8 * MIB)) $((9 * MIB)) $((9 * MIB)) $(sorted "$G1" nvidia) $(sorted "$H3" "$F0") - - $BATCH
$PA gdrt-reg 0 false 3 2 0 3 $((9 * MIB)) $((6 * MIB)) $((6 * MIB)) $(sorted "$G0" "$G1") $(sorted "$H0" "$H1" "$H2") $ID $POD $CONTAINER
$PB gdrt-reg 0 false 1 1 0 1 $MIB $MIB $MIB $G0 $H0 $ID $POD $CONTAINER"
is "owners of the scene, who pins most first" "$(rows owner -- "$OWNER")" "$WANT"
is "a child that uses what its parent made is no owner" "$(rows owner pid "$BCHILD" -- .pid)$(rows \
	owner pid "$CCHILD" -- .pid)" ""
has "a table of them" "$(gdrctl --bytes owner pid "$PB" | tr -s ' ')" \
	"$PB gdrt-reg no 0 $N0 1 1 1 $MIB "
has "with the pod" "$(gdrctl owner pid "$PB")" "pod $POD"
is "ages are of the boot" "$(rows owner -- \
	'.oldest_boottime_ns > .start_boottime_ns and .oldest_age_ns > 0 and .oldest_time_seconds > 0' |
	sort -u)" true
CGROUP='.cgroup, .processes, .attachments, .buffers, .orphans, .mrs, .pinned_bytes, .container // "-",
	.pod // "-", .cgroup_path'
is "the same by cgroup" "$(rows owner cgroup -- "$CGROUP")" \
	"$(stat -c %i "$CGROUPS$BATCH") 1 2 2 2 1 $((9 * MIB)) - - $BATCH
$(stat -c %i "$CGROUPS$CONTAINER") 2 4 3 0 4 $((7 * MIB)) $ID $POD $CONTAINER"
has "a table of them" "$(gdrctl owner cgroup | tr -s ' ')" \
	" 2 0,1 $N0,$N1,$N2 4 3 4 7.0 MiB "
is "the same by process, GPU and HCA" \
	"$(rows owner pair -- '.pid, .exporter, .importer, .attachments, .mrs, .pinned_bytes')" \
	"$PC $G1 $H3 1 1 $((8 * MIB))
$PA $G0 $H0 1 1 $((4 * MIB))
$PA $G0 $H1 1 1 $((4 * MIB))
$PA $G1 $H2 1 1 $((2 * MIB))
$PB $G0 $H0 1 1 $MIB
$PC nvidia $F0 1 0 $MIB"
is "without names" "$(gdrctl -n -j owner | grep -c -e cgroup_path -e ibdevs -e container)" 0

# ---- filters
buffers()
{
	rows buffer "$@" -- .buffer | sort -n | paste -sd' ' -
}
in_order()
{
	echo "$@" | tr ' ' '\n' | sort -n | paste -sd' ' -
}
is "buffers by HCA" "$(buffers hca "$N0")" "$(in_order "$A0" "$B0")"
is "by GPU's BDF" "$(buffers gpu "$G1")" "$(in_order "$A1" "$C0")"
is "by GPU's index" "$(buffers gpu 0)" "$(in_order "$A0" "$B0")"
is "by module" "$(buffers exporter nvidia)" "$(in_order "$A0" "$A1" "$B0" "$C0" "$C1")"
is "by process" "$(buffers pid "$PA")" "$(in_order "$A0" "$A1")"
is "by command" "$(buffers comm gdrt-reg hca "$H3")" "$C0"
is "by another command" "$(buffers comm gdrt)" ""
is "by inode" "$(buffers buffer "$A1")" "$A1"
is "by cgroup's path" "$(buffers cgroup $BATCH)" "$(in_order "$C0" "$C1")"
is "by a path above it" "$(buffers cgroup /kubepods gpu 0)" "$(in_order "$A0" "$B0")"
is "by a path that only begins so" "$(buffers cgroup /kube)" ""
is "by cgroup's id" "$(buffers cgroup "$(stat -c %i "$CGROUPS$BATCH")")" "$(in_order "$C0" "$C1")"
is "by container" "$(buffers cgroup 0123456789ab gpu 1)" "$A1"
is "by pod" "$(buffers cgroup $POD gpu 1)" "$A1"
is "attachments by cgroup" "$(rows attachment cgroup $BATCH -- .pid | sort -u)" "$PC"
is "owners by GPU" "$(rows owner show gpu 1 -- '.pid, .pinned_bytes')" "$PC $((8 * MIB))
$PA $((2 * MIB))"
is "owners by cgroup" "$(rows owner show cgroup /kubepods -- .pid)" "$PA
$PB"
is "cgroups by process" "$(rows owner cgroup pid "$PC" -- .cgroup_path)" $BATCH
is "an HCA by its BDF" "$(rows importer importer "$H2" -- .importer)" "$H2"
is "pairs of a GPU" "$(rows pair gpu 0 -- .importer | sort)" "$(printf '%s\n' "$H0" "$H1" | sort)"
is "a GPU that is none" "$(code gdrctl pair gpu 7) $(grep -c "0 ($G0), 1 ($G1)" /tmp/code.err)" "1 1"

# ---- holders
HOLDER='.pid, .attachments // 0, .mrs // 0, .pinned_bytes // 0, .files // 0, .exited // false'
is "who holds a GPU" "$(rows holders gpu 0 -- "$HOLDER" | sort)" "$(sort <<-WANTED
	$PA 2 2 $((4 * MIB)) 0 false
	$PB 1 1 $MIB 0 false
	WANTED
)"
is "who holds an HCA, by attachments and files" "$(rows holders hca "$N0" -- "$HOLDER" | sort)" \
	"$(sort <<-WANTED
	$PA 1 1 $((4 * MIB)) 1 false
	$PB 1 1 $MIB 1 false
	$BCHILD 0 0 0 1 false
	WANTED
)"
is "one that has ended, and its child" "$(rows holders hca "$N3" -- "$HOLDER" | sort)" "$(sort <<-WANTED
	$PC 1 1 $((8 * MIB)) 0 true
	$CCHILD 0 0 0 1 false
	WANTED
)"
is "references of a module" "$(rows holders module nvidia -- 'select(.references) | .references' | grep .)" \
	"$(cat /sys/module/nvidia/refcnt)"
is "its buffers" "$(rows holders module nvidia -- 'select(.buffers) | .buffers' | grep .)" 5
is "modules on top" "$(rows holders module mlx5-core -- 'select(.module) | .module' | grep . | sort)" \
	"$(ls /sys/module/mlx5_core/holders)"
is "processes with RDMA devices open" "$(rows holders module ib_uverbs -- 'select(.pid) | .pid' |
	grep . | sort)" "$(printf '%s\n' "$PA" "$PB" "$BCHILD" "$CCHILD" | sort)"
has "a table of them" "$(gdrctl holders hca "$N3" | tr -s ' ')" \
	"hca $H3 $N3 process $PC gdrt-reg has exited, 1 attachment, 1 MR, 8.0 MiB pinned"
is "without names" "$(gdrctl -n -j holders | grep -c ibdevs)" 0
held_by()	# MODULE
{
	rows holders module "$1" -- 'select(.pid) | .held, .name, .pid, .mrs // 0' | grep . | sort
}
is "who holds a GPU holds its driver" "$(held_by nvidia)" "$(sort <<-WANTED
	gpu $G0 $PA 2
	gpu $G0 $PB 1
	gpu $G1 $PA 1
	gpu $G1 $PC 1
	module nvidia $PC 0
	WANTED
)"
WANT=$(sort <<-WANTED
	hca $H0 $PA 1
	hca $H0 $PB 1
	hca $H0 $BCHILD 0
	hca $H1 $PA 1
	hca $H1 $PB 0
	hca $H2 $PA 1
	hca $H3 $PC 1
	hca $H3 $CCHILD 0
	WANTED
)
is "and an HCA's" "$(held_by mlx5_core)" "$WANT"
is "as that of its RDMA device" "$(held_by mlx5-ib)" "$WANT"
LOST="unloading mlx5_ib succeeds, and these MRs are lost"
is "that of an HCA goes nevertheless" "$(gdrctl holders module mlx5_ib | grep -c "$LOST")" 1
is "that of a GPU does not" "$(gdrctl holders module nvidia | grep -c "$LOST")" 0
is "an importer that is no HCA" "$(rows holders importer "$F0" -- '.held, .pid')" "importer $PC"
is "by its driver" "$(held_by gdrt_importer)" "importer $F0 $PC 0"
is "a module that is none" "$(code gdrctl holders module mlx6_ib) $(grep -c \
	'"mlx6_ib": no such module is loaded; .*nvidia,.*mlx5_ib' /tmp/code.err)" "1 1"
is "each file once" "$(rows holders module ib_uverbs pid "$PA" -- \
	'.files, (.paths | unique | length), .paths[0] == .path')" "3 3 true"
is "in words, too" "$(gdrctl holders pid "$PA" module ib_uverbs | grep -cE \
	' 3 open: /dev/infiniband/uverbs[0-9]+, uverbs[0-9]+, uverbs[0-9]+$')" 1

# ---- probe
is "probes of the status" "$(gdrctl -j probe | jq -cS .)" "$(gdrctl -j status | jq -cS .probes)"
is "probes of debugfs" "$(rows probe -- '.symbol, .state')" \
	"$(tail -n +2 /sys/kernel/debug/gdr_telemetry/probes | awk '{ print $1, $3 }')"
has "a table of them" "$(gdrctl probe | tr -s ' ' | tail -n +2)" "dma_buf_detach armed yes 0"

# ---- every format
formats buffer -n
formats importer
formats exporter
formats pair
formats owner
formats holders
formats probe

# ---- who may
for object in buffer importer exporter pair probe; do
	is "$object is open to every user" "$(code gdrt-as-user gdrctl $object)" 0
done
for object in owner holders; do
	is "$object is not" "$(code gdrt-as-user gdrctl $object) $(grep -c 'not permitted' /tmp/code.err)" \
		"2 1"
done

# ---- the end: what held the driver has gone, and it unloads
kill -KILL "$BCHILD" "$CCHILD"
holder_quit a
holder_quit b
check "all gone" wait_for 30 gdrt-compare attachments=0
is "nothing holds it" "$(gdrctl -j holders module nvidia)" "[]"
check "it unloads" unload nvidia
finish
