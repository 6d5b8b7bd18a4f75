#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# RDMA WRITE and READ into the memory of each GPU by each HCA, data compared,
# peer to peer through BAR1 and through system pages.
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh

GPUS=$(bdfs 0x10de 0x03 | wc -l)
HCAS=$(bdfs 0x15b3 0x02 | wc -l)

plan $((GPUS * HCAS * 2 + 6))
# shellcheck disable=SC2119
bench_up
h=0
while [ $h -lt "$HCAS" ]; do
	A=$(hca_name $h) g=0
	while [ $g -lt "$GPUS" ]; do
		check "HCA $h, GPU $g: 64 KiB of BAR1" gdrt-rdma "$A" $g 65536
		check "HCA $h, GPU $g: 4 KiB of BAR1" gdrt-rdma "$A" $g 4096
		g=$((g + 1))
	done
	h=$((h + 1))
done
check "1 MiB of system pages" gdrt-rdma "$A" 0 1048576 system
# mlx5_ib of 6.1 makes no event queue for page faults of dma-buf MRs.
if [ "$GDRT_KERNEL" = 6.1 ]; then
	skip "invalidated before each transfer: page faults" "no page fault events"
	skip "three mappings, three ends of one" "no page fault events"
else
	maps=$(gt map_total) unmaps=$(gt unmap_total)
	check "invalidated before each transfer: page faults" gdrt-rdma "$A" 0 65536 moving
	is "three mappings, three ends of one" \
		"$(($(gt map_total) - maps)) $(($(gt unmap_total) - unmaps))" "3 3"
fi
holder h
must h buffer "$MIB"
must h reg 0 "$A"
check "beside another registration" gdrt-rdma "$A" 0 65536
compare "which is all that is left" --counters attachments=1 pinned_bytes="$MIB"
holder_quit h
compare "nothing is left" --counters attachments=0 pinned_bytes=0
finish
