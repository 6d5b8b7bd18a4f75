#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Where a mapping leads, and whose memory it is: two GPUs, system pages, buffers
# that move between them, with or without an IOMMU. The BDFs are those that the
# exporter double is bound to, and the numbers of every device and pair are
# compared with the ledgers.
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh

SIZE=$MIB

# attached INODE: "EXPORTER PLACEMENT p2p|no-p2p" of each attachment of a buffer; PLACEMENT is
# "-" if there is none
attached()
{
	gdrt-nl dump attachment buffer="$1" | grep '^id=' | while read -r at_line; do
		at_exporter=$(echo "$at_line" | sed -n 's/.* exporter=\([^ ]*\).*/\1/p')
		at_place=$(echo "$at_line" | sed -n 's/.* placement=\([^ ]*\).*/\1/p')
		at_flags=$(echo "$at_line" | sed -n 's/.* flags=\([^ ]*\).*/\1/p')
		case ,$at_flags, in *,peer2peer,*) at_p2p=p2p ;; *) at_p2p=no-p2p ;; esac
		echo "$at_exporter ${at_place:--} $at_p2p"
	done
}

# where NAME EXPORTER PLACEMENT p2p|no-p2p: of the one attachment of buffer INODE, and all numbers
where()
{
	is "$1" "$(attached "$INODE")" "$2 $3 $4"
	compare "$1: each device and pair" --counters
}

# buffer [WORDS of gdrt-reg]: a new one; sets BUFFER and INODE
buffer()
{
	must h buffer "$SIZE" "$@"
	BUFFER=${VALUE%% *} INODE=$(field "$VALUE" inode)
}

reg()	# HCA
{
	must h reg "$BUFFER" "$1"
	MR=$VALUE
}

attach()	# FUNCTION MODE
{
	must h attach "$BUFFER" "$1" "$2"
	HANDLE=$VALUE
}

# Is each importer behind a translating IOMMU, or none of them?
translated()
{
	for tr_f in "$(hca_bdf "$A")" "$(hca_bdf "$B")" "$FN0" "$FN1"; do
		tr_type=$(cat "/sys/bus/pci/devices/$tr_f/iommu_group/type" 2>/dev/null)
		case $tr_type in DMA*) echo yes ;; *) echo no ;; esac
	done | sort -u
}

plan 100
# shellcheck disable=SC2119 # no parameters
bench_up
A=$(hca_name 0) B=$(hca_name 1)
HCA=$(hca_bdf "$A")
G0=$(gpu_bdf 0) G1=$(gpu_bdf 1)
FN0=$(function_bdf 0)
FN1=$(function_bdf 1)
case "$G1/$FN1" in ?*/?*) ;; *) bail "two GPUs and two functions are needed" ;; esac
case $(cat /proc/cmdline) in *iommu=on*) IOMMU=yes ;; *) IOMMU=no ;; esac
is "a guest IOMMU translates: $IOMMU" "$(translated)" "$IOMMU"
holder h

# MRs: each HCA on each GPU, all of them live together
MRS=
for g in 0 1; do
	gpu=$(gpu_bdf $g)
	for hca in "$A" "$B"; do
		buffer gpu=$g
		reg "$hca"
		MRS="$MRS $MR"
		where "MR of $hca on GPU $g" "$gpu" peer-bar p2p
		wait_for 2 [ -d "$GT/pairs/${gpu}_$(hca_bdf "$hca")" ]
		is "its pair" "$(gt "pairs/${gpu}_$(hca_bdf "$hca")/attachments") $(gt \
			"pairs/${gpu}_$(hca_bdf "$hca")/pinned_bytes")" "1 $SIZE"
	done
done
is "two attachments on each GPU" \
	"$(gt exporters/"$G0"/attachments) $(gt exporters/"$G1"/attachments)" "2 2"
is "none under the module's name" "$(cat $GT/exporters/nvidia/attachments 2>/dev/null || echo 0)" 0
is "two exporters are active" "$(gt exporters_active)" 2
# One buffer of GPU 1, both HCAs
reg "$A"
is "the other HCA on the same buffer: same place" "$(attached "$INODE")" \
	"$G1 peer-bar p2p
$G1 peer-bar p2p"
compare "the other HCA on the same buffer: each device and pair" --counters \
	pinned_bytes=$((4 * SIZE)) pinned_bytes_sum=$((5 * SIZE))
for MR in $MRS $MR; do must h dereg "$MR"; done
compare "all given up" --counters attachments=0 exporters_active=0 importers_active=0

# System pages
buffer system
reg "$A"
where "system pages of the double" nvidia system-ram p2p
is "a pair needs a GPU" "$(echo $GT/pairs/nvidia*)" "$GT/pairs/nvidia*"
must h dereg "$MR"

# Importers of each kind
for mode in static dynamic pinned; do
	case $mode in static) p2p=no-p2p ;; *) p2p=p2p ;; esac
	for g in 0 1; do
		gpu=$(gpu_bdf $g)
		buffer gpu=$g
		attach $g $mode
		must h map "$HANDLE"
		where "$mode importer, GPU $g" "$gpu" peer-bar $p2p
		must h unmap "$HANDLE"
		must h detach "$HANDLE"
	done
done
buffer system
attach 1 nop2p
must h map "$HANDLE"
where "dynamic importer that is not ready for peer to peer" nvidia system-ram no-p2p
must h detach "$HANDLE"

# Before the first mapping nobody knows; after it, it stays known
buffer gpu=1
attach 0 static
where "attached only" nvidia - no-p2p
must h map "$HANDLE"
where "attached and mapped" "$G1" peer-bar no-p2p
must h unmap "$HANDLE"
where "and unmapped" "$G1" - no-p2p
must h detach "$HANDLE"

# A buffer that moves
inv=$(gt exporters/"$G1"/invalidate_total)
buffer gpu=1 dynamic
attach 1 dynamic
must h map "$HANDLE"
where "dynamic buffer" "$G1" peer-bar p2p
must h invalidate "$BUFFER"
where "invalidated" "$G1" - p2p
must h map "$HANDLE"
where "mapped again" "$G1" peer-bar p2p
must h move "$BUFFER" system
must h map "$HANDLE"
where "moved to system pages and mapped again" "$G1" system-ram p2p
must h move "$BUFFER" bar
must h map "$HANDLE"
where "moved back and mapped again" "$G1" peer-bar p2p
is "three invalidations, of the GPU, the importer and their pair" \
	"$(($(gt exporters/"$G1"/invalidate_total) - inv)) $(gt \
		"importers/$FN1/invalidate_total") $(gt "pairs/${G1}_$FN1/invalidate_total")" "3 3 3"
must h detach "$HANDLE"
must h move "$BUFFER" system
attach 0 dynamic
must h map "$HANDLE"
where "mapped in system pages first: no GPU is known" nvidia system-ram p2p
must h move "$BUFFER" bar
must h map "$HANDLE"
where "moved to BAR1 and mapped again: now one is" "$G1" peer-bar p2p
must h detach "$HANDLE"

# An MR that moves: mlx5_ib maps it again when the HCA faults, or is asked to
buffer gpu=0 dynamic
reg "$B"
where "MR on a dynamic buffer" "$G0" peer-bar p2p
must h invalidate "$BUFFER"
where "MR, invalidated" "$G0" - p2p
case $GDRT_KERNEL in 6.1 | 6.1-*) faults='' ;; *) faults=yes ;; esac
if [ -z "$faults" ]; then
	for what in "MR, mapped again" "MR, moved to system pages and mapped again" \
		"MR, moved back and mapped again"; do
		skip "$what" "no page faults of dma-buf MRs"
		skip "$what: each device and pair" "no page faults of dma-buf MRs"
	done
else
	must h touch "$MR"
	where "MR, mapped again" "$G0" peer-bar p2p
	must h move "$BUFFER" system
	must h touch "$MR"
	where "MR, moved to system pages and mapped again" "$G0" system-ram p2p
	must h move "$BUFFER" bar
	must h touch "$MR"
	where "MR, moved back and mapped again" "$G0" peer-bar p2p
fi

# The RDMA device has another name, at once
is "the RDMA device of an importer" "$(gt importers/"$HCA"/ibdev)" "$A"
check "it is renamed" gdrt-rename "$A" gdrt_renamed
is "ibdev follows" "$(gt importers/"$HCA"/ibdev)" gdrt_renamed
has "and so does the device's record" \
	"$(gdrt-nl dump device | grep "role=importer name=$HCA ")" "ibdev=gdrt_renamed"
check "it gets its name back" gdrt-rename gdrt_renamed "$A"
is "ibdev follows again" "$(gt importers/"$HCA"/ibdev)" "$A"
must h dereg "$MR"

# A GPU leaves, with an attachment
buffer gpu=1
attach 0 static
must h map "$HANDLE"
where "before GPU 1 leaves" "$G1" peer-bar no-p2p
inv=$(gt exporters/"$G1"/invalidate_total) total=$(gt attach_total)
echo 1 >"/sys/bus/pci/devices/$G1/remove"
check "GPU 1 is gone" gone "/sys/bus/pci/devices/$G1"
where "its attachment is not" "$G1" peer-bar no-p2p
is "its directory stays" "$(gt exporters/"$G1"/attachments)" 1
has "its record says that it is gone" "$(gdrt-nl dump device | grep "name=$G1 " |
	sed 's/flags=[^ ]*present[^ ]*/present/; s/flags=/gone=/')" "gone="
must h unmap "$HANDLE"
must h detach "$HANDLE"
check "nothing refers to it: its directory goes" wait_for 2 gone "$GT/exporters/$G1"
check "and that of the pair" wait_for 2 gone "$GT/pairs/${G1}_$FN0"
compare "the other numbers stay" --counters attachments=0 attach_total="$total"
echo 1 >/sys/bus/pci/rescan
check "GPU 1 is back" wait_for 5 [ -e "/sys/bus/pci/devices/$G1/driver" ]
check "and its directory" wait_for 2 [ -e "$GT/exporters/$G1/attachments" ]
is "which goes on counting" "$(cat "$GT/exporters/$G1/invalidate_total")" "$inv"
buffer gpu=1
reg "$A"
where "an MR on GPU 1" "$G1" peer-bar p2p
must h dereg "$MR"
echo 1 >"/sys/bus/pci/devices/$G1/remove"
check "it leaves, and nothing refers to it: its directory goes" wait_for 2 gone "$GT/exporters/$G1"
echo 1 >/sys/bus/pci/rescan
check "and comes back" wait_for 5 [ -e "$GT/exporters/$G1/attachments" ]

# Exporters of the kernel itself: the ledger knows nothing of their calls
for kind in udmabuf heap; do
	case $kind in
	udmabuf) m=udmabuf dev=/dev/udmabuf name=udmabuf ;;
	heap) m=system_heap dev=/dev/dma_heap/system name=system ;;
	esac
	modprobe -q "$m"
	[ ! -e /sys/module/system_heap/initstate ] || [ $kind = udmabuf ] || name=system_heap
	if [ ! -e "$dev" ]; then
		for what in "an MR" "an MR: each device and pair" "track=all, no HCA" \
			"track=all, no HCA: each device and pair"; do
			skip "$kind: $what" "no $dev"
		done
		continue
	fi
	buffer $kind
	reg "$A"
	is "$kind: an MR" "$(attached "$INODE")" "$name system-ram p2p"
	compare "$kind: an MR: each device and pair" --devices attachments=1 \
		"exporters/$name/attachments=1" "importers/$HCA/attachments=1"
	must h dereg "$MR"
	echo all >$GT/track
	attach 0 static
	must h map "$HANDLE"
	is "$kind: track=all, no HCA" "$(attached "$INODE")" "$name system-ram no-p2p"
	compare "$kind: track=all, no HCA: each device and pair" --devices attachments=1 \
		"exporters/$name/attachments=1" "importers/$FN0/attachments=1"
	must h unmap "$HANDLE"
	must h detach "$HANDLE"
	echo gdr >$GT/track
done

holder_quit h
compare "nothing is left" --devices attachments=0 buffers=0 exporters_active=0
is "nothing was lost" "$(gt lost/probe_missed_total) $(gt lost/pool_exhausted_total) \
$(gt lost/unknown_detach_total) $(gt lost/events_total)" "0 0 0 0"
finish
