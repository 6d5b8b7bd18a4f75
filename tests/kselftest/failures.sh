#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Each errno that ibv_reg_dmabuf_mr() can return on mlx5, as far as the bench
# can make it: errno-table.tsv says which, and which function here does it. One
# record for each, with the right stage, errno, importer, exporter, buffer,
# range and owner, and one more in each counter that it belongs to.
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh
# shellcheck source=tests/lib/failures.sh
. /gdrt/tests/lib/failures.sh

RING=1024
PAGE=4096 COMM=gdrt-fail

# ---- the cases: each is called with the number and the name of the errno ----

case_iova()
{
	try "$A" buffer=0 iova=1
}

# On demand: for memory of the process only.
case_flags()
{
	try "$A" buffer=0 access=$((ACCESS | 64))
}

case_remote_without_local_write()
{
	try "$A" buffer=0 access=2
}

# A command of HCA B fails, as the firmware has it: the errno says with which status.
case_umr_queue()
{
	command_fails 0x0400 "$1"	# CREATE_CQ
	try "$B" buffer=0
	command_works
}

case_umr_queue_pair()
{
	command_fails 0x0500 "$1"	# CREATE_QP
	try "$B" buffer=0
	command_works
}

case_closed_fd()
{
	try "$A" fd=999 length="$PAGE"
}

case_other_file()
{
	try "$A" file=/dev/null length="$PAGE"
}

case_past_the_end()
{
	buffer
	try "$A" buffer="$BUFFER" offset="$PAGE"
}

case_overflow()
{
	try "$A" buffer=0 offset="$PAGE" length=18446744073709547520
}

case_no_length()
{
	try "$A" buffer=0 length=0
}

case_attach()
{
	buffer
	switch attach_errno "$1"
	KNOWN=1
	try "$A" buffer="$BUFFER"
	switch attach_errno 0
}

# One that an MR is on already, so that the GPU is known.
case_attach_of_known_gpu()
{
	buffer
	must f reg "$A" buffer="$BUFFER" keep
	switch attach_errno "$1"
	KNOWN=1 EXPORTER=$(gpu_bdf 0)
	try "$A" buffer="$BUFFER"
	switch attach_errno 0
}

# As NVIDIA's driver does on every failure.
case_map_null()
{
	buffer
	switch map_errno -1
	KNOWN=1
	try "$A" buffer="$BUFFER"
	switch map_errno 0
}

case_map()
{
	buffer
	switch map_errno "$1"
	KNOWN=1
	try "$A" buffer="$BUFFER"
	switch map_errno 0
}

# The core maps outside of the attach.
case_map_dynamic()
{
	buffer dynamic
	switch map_errno "$1"
	KNOWN=1
	try "$A" buffer="$BUFFER"
	switch map_errno 0
}

case_bar1_full()
{
	buffer
	switch bar1_limit_bytes "$PAGE"
	KNOWN=1
	try "$A" buffer="$BUFFER" offset="$PAGE" length="$PAGE"
	switch bar1_limit_bytes 0
}

case_gpu_unbound()
{
	buffer gpu=1
	unbound=$(gpu_bdf 1)
	echo "$unbound" >/sys/bus/pci/drivers/nvidia/unbind || bail "unbind of the GPU"
	KNOWN=1
	try "$A" buffer="$BUFFER"
	echo "$unbound" >/sys/bus/pci/drivers/nvidia/bind || bail "bind of the GPU"
}

# The core pins before it maps.
case_pin_on_map()
{
	buffer dynamic
	switch pin_errno "$1"
	KNOWN=1
	try "$A" buffer="$BUFFER"
	switch pin_errno 0
}

case_mkey()
{
	buffer
	mapped_by_attach
	command_fails 0x0200 "$1"	# CREATE_MKEY
	KNOWN=1
	try "$B" buffer="$BUFFER"
	command_works
}

case_page_fault_queue()
{
	buffer
	mapped_by_attach
	command_fails 0x0301 "$1"	# CREATE_EQ
	KNOWN=1
	try "$B" buffer="$BUFFER"
	command_works
}

case_long()
{
	rebind 0x118	# umr_extended_translation_offset
	try "$B" fd=999 length=$((256 * MIB))
	rebind
}

case_no_paging()
{
	rebind 0x227	# pg
	buffer
	mapped_by_attach
	KNOWN=1
	try "$B" buffer="$BUFFER"
	rebind
}

# The method that is probed is not reached.
case_device_gone()
{
	must f reg "$B" buffer=0
	unbind_b
	try "$B" buffer=0
	bind_b
	# One that opens the new device
	holder_quit f
	registrant
}

# The rdma controller allows this process no object more.
case_object_limit()
{
	limit=/sys/fs/cgroup/objects
	must f reg "$A" buffer=0
	echo +rdma >/sys/fs/cgroup/cgroup.subtree_control || bail "no rdma controller"
	mkdir "$limit" || bail "no cgroup"
	echo "$A hca_object=0" >"$limit/rdma.max" || bail "no limit"
	holder_pid f >"$limit/cgroup.procs" || bail "the process is in no cgroup"
	try "$A" buffer=0
	# A cgroup that goes with a limit takes a list along that the HCA is still in.
	echo "$A hca_object=max" >"$limit/rdma.max"
	holder_pid f >/sys/fs/cgroup/cgroup.procs || bail "the process stays"
	rmdir "$limit" || bail "the cgroup stays"
}

# rebind [BIT]: the driver anew, with no key in its cache and no queue made yet,
# and a process that has not opened the HCA; it lacks the capability at BIT.
rebind()
{
	holder_quit f
	unbind_b
	echo 1 >"/sys/bus/pci/devices/$B_BDF/reset" || bail "reset of HCA B"
	test_registers 0xc4 $((${1:-0} & 0xff)) $((${1:-0} >> 8)) 0 0
	bind_b
	registrant
}

rows case >/tmp/rows
ROWS=$(wc -l </tmp/rows)
plan $((ROWS * 2 + 12))

# shellcheck disable=SC2119 # no parameters
bench_up
A=$(hca_name 0) B=$(hca_name 1) A_BDF=$(hca_bdf "$A") B_BDF=$(hca_bdf "$B")

is "the table knows each case of this suite" \
	"$(sed -n 's/^\(case_[a-z0-9_]*\)()$/\1/p' "$0" | sort)" \
	"$(awk -F '\t' '$4 ~ /^case_/ { print $4 }' $TABLE | sort -u)"
check "the table has cases of this kernel" test "$ROWS" -gt 20

# ---- what NCCL does when it starts ----
gdrt-nl -t 60 events 1 >/tmp/events 2>&1 &
EVENTS=$!
wait_for 20 grep -q joined /tmp/events || bail "nobody listens"
for i in 1 2 3 4 5 6 7 8; do gdrt-fail query >"/tmp/query.$i" 2>&1 & eval "q$i=$!"; done
for i in 1 2 3 4 5 6 7 8; do eval "wait \$q$i"; done
is "queries of 8 processes: each answer is EBADF" "$(cat /tmp/query.* | sort | uniq -c |
	awk '{ print $1, $2, $3 }')" "8 $(printf '%s 9\n' "$A" "$B" | sort | sed '2s/^/8 /')"
is "queries: no failure" "$(gt failures_total) $(last_record)" "0 records=0"
is "queries: counted as such, each HCA's" "$(gt capability_queries_total) \
$(gt "importers/$A_BDF/capability_queries_total") $(gt "importers/$B_BDF/capability_queries_total")" \
	"16 8 8"
is "queries: by errno" "$(gdrt-nl dump failure | grep -v ^errno | sort)" \
	"$(printf 'importer=%s stage=capability-query error=9 count=8\n' "$A_BDF" "$B_BDF" | sort)"

# ---- each errno ----
BLOCKS=16 RECORDS=1 FIRST=$((16 * PAGE))
registrant
must f reg "$A" fd=999 length="$PAGE"
# It ends with the first event, which is none of the queries.
wait $EVENTS
has "queries: no event; the first failure is one" "$(sed -n 2p /tmp/events)" "event-op=fail"
# A query makes the queues of UMR too.
rebind
while read -r stage errno name <&3; do
	run "$stage" "$errno" "$name"
done 3</tmp/rows

# ---- what no registration makes ----
FN=$(function_bdf 0)
counters >/tmp/before
must f buffer "$PAGE" dynamic
buffer=${VALUE%% *} INODE=$(field "$VALUE" inode)
switch pin_errno 16
must f attach "$buffer" 0
switch pin_errno 0
RECORDS=$((RECORDS + 1))
is "an explicit pin fails: a record of stage pin" "errno=$VALUE $(last_record stage error importer \
exporter-module buffer offset pid)" "errno=16 records=$RECORDS stage=pin error=16 importer=$FN \
exporter-module=nvidia buffer=$INODE offset- pid=$(holder_pid f)"
counters >/tmp/after
KNOWN=1 EXPORTER=nvidia IMPORTER=$FN
is "an explicit pin fails: each counter" "$(rise /tmp/before /tmp/after)" "$(expected_rise pin 16)"

# ---- more of them than the ring holds ----
more=$((RING + 10 - RECORDS))
must f reg "$A" buffer=0 length=0 count=$more
is "$((RING + 10)) failures: each is counted" "$(gt failures_total)" $((RING + 10))
is "$((RING + 10)) failures: the last $RING are kept, 10 are counted as lost" \
	"$(last_record seq stage) $(gt lost/failure_records_total)" \
	"records=$RING seq=$((RING + 10)) stage=umem 10"
is "nothing else was lost" "$(gt lost/probe_missed_total) $(gt lost/pool_exhausted_total) \
$(gt lost/unknown_detach_total)" "0 0 0"
holder_quit f
finish
