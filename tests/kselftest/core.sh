#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Registrations by libibverbs and the stock mlx5 drivers, good and bad ones.
# After each step the module's totals are compared with bufinfo and the
# exporter's ledger, and with what the step should have made of them.
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh

plan 41
# shellcheck disable=SC2119 # no parameters
bench_up
A=$(hca_name 0) B=$(hca_name 1)
SIZE=$((4 * MIB))
ZERO="attachments=0 buffers=0 mapped=0 pinned_bytes=0 pinned_bytes_sum=0 mapped_bytes=0
	importers_active=0 exporters_active=0 preexisting=0"

# zeros NAME [expectations]: nothing is left
zeros()
{
	zeros_name=$1
	shift
	# shellcheck disable=SC2086 # a list
	compare "$zeros_name" --counters $ZERO "$@"
}

failures()
{
	echo $(($(gt failures/attach_total) + $(gt failures/map_total)))
}

zeros "nothing is registered"

# One HCA
holder h
must h buffer $SIZE
compare "a buffer alone is no attachment" --counters attachments=0 buffers=0
must h reg 0 "$A"
compare "one MR" --counters attachments=1 buffers=1 mapped=1 importers_active=1 \
	exporters_active=1 pinned_bytes=$SIZE pinned_bytes_sum=$SIZE mapped_bytes=$SIZE \
	attach_total=1 map_total=1
must h close 0
compare "its fd closed" --counters attachments=1 buffers=1 pinned_bytes=$SIZE
must h dereg 0
zeros "deregistered" attach_total=1 detach_total=1 map_total=1 unmap_total=1 \
	pinned_bytes_peak=$SIZE attachments_peak=1

must h buffer $SIZE
must h reg 1 "$A" "$MIB" 65536
compare "an MR of a part pins the whole buffer" --counters attachments=1 pinned_bytes=$SIZE
must h dereg 1

# Two HCAs, two GPUs
must h reg 1 "$A"
must h reg 1 "$B"
compare "two HCAs on one buffer: unique once, sum twice" --counters attachments=2 buffers=1 \
	mapped=2 importers_active=2 pinned_bytes=$SIZE pinned_bytes_sum=$((2 * SIZE)) \
	mapped_bytes=$SIZE
must h reg 1 "$A"
compare "two MRs of one HCA on it" --counters attachments=3 buffers=1 importers_active=2 \
	pinned_bytes=$SIZE pinned_bytes_sum=$((3 * SIZE))
must h buffer "$MIB" gpu=1
must h reg 2 "$B"
compare "another GPU's buffer" --counters attachments=4 buffers=2 \
	pinned_bytes=$((SIZE + MIB)) pinned_bytes_sum=$((3 * SIZE + MIB)) \
	pinned_bytes_peak=$((SIZE + MIB))
must h dereg 2
compare "first HCA's first MR deregistered" --counters attachments=3 importers_active=2 \
	pinned_bytes=$((SIZE + MIB))
must h dereg 4
compare "first HCA's second MR deregistered" --counters attachments=2 importers_active=1 \
	pinned_bytes=$((SIZE + MIB)) pinned_bytes_sum=$((SIZE + MIB))
holder_quit h
zeros "all given up in order" attachments_peak=4

# The owner dies
holder k
must k buffer $SIZE
must k reg 0 "$A"
must k reg 0 "$B"
holder_kill k
zeros "kill -9 of the owner"

holder p
must p buffer $SIZE
must p reg 0 "$A"
must p fork
CHILD=$VALUE
holder_kill p
compare "kill -9 of the owner whose child has the context" --counters attachments=1 \
	pinned_bytes=$SIZE
kill -KILL "$CHILD"
wait_for 20 gdrt-compare attachments=0
zeros "the child killed as well"

# The exporter refuses
holder f
must f buffer $SIZE
for errno in 524 16 22; do
	n=$(gt failures/attach_total) t=$(gt attach_total)
	switch attach_errno "$errno"
	tell f reg 0 "$A"
	switch attach_errno 0
	has "attach refused with errno $errno: the program sees it" "$ANSWER" "error $errno "
	zeros "attach refused with errno $errno: a failure, no attachment" \
		failures/attach_total=$((n + 1)) failures/map_total=0 attach_total="$t"
done
must f reg 0 "$A"
compare "a registration after that" --counters attachments=1 pinned_bytes=$SIZE
must f dereg 0

n=$(failures)
switch map_errno -1
tell f reg 0 "$A"
switch map_errno 0
has "map returns NULL: the program sees ENOMEM" "$ANSWER" "error 12 "
zeros "map returns NULL: nothing is left" failures_total=$((n + 1))
is "map returns NULL: one failure" "$(failures)" $((n + 1))

n=$(failures)
must f reg 0 "$B"
must f buffer $SIZE
switch bar1_limit_bytes "$SIZE"
tell f reg 1 "$A"
switch bar1_limit_bytes 0
has "BAR1 used up: the program sees ENOMEM" "$ANSWER" "error 12 "
compare "BAR1 used up: what was there stays" --counters attachments=1 buffers=1 \
	pinned_bytes=$SIZE failures_total=$((n + 1))
must f dereg 1
zeros "and goes"

switch generation 0
must f buffer $SIZE
switch generation 1
must f reg 2 "$A"
compare "a driver before 580.65.06: no attach operation, another name" --counters \
	attachments=1 pinned_bytes=$SIZE
must f dereg 2

# An exporter that may move memory
must f buffer $SIZE dynamic
must f reg 3 "$A"
compare "a dynamic exporter" --counters attachments=1 mapped=1
n=$(gt invalidate_total)
must f invalidate 3
compare "invalidated: unmapped, still attached" --counters attachments=1 mapped=0 \
	pinned_bytes=0 invalidate_total=$((n + 1))
must f dereg 3
zeros "and deregistered"

t=$(gt attach_total)
must f loop 0 "$A" 100
is "100 registrations one after the other" "$VALUE" 0
zeros "and nothing left" attach_total=$((t + 100))

# A static importer, by the calls that take the reservation lock themselves: the core
# makes each of them by another that is probed as well
t=$(gt attach_total) m=$(gt map_total) u=$(gt unmap_total)
must f attach 0 0 static
HANDLE=$VALUE
must f map "$HANDLE"
compare "a nested attach and a nested map count once" --counters attachments=1 mapped=1 \
	attach_total=$((t + 1)) map_total=$((m + 1)) pinned_bytes=$SIZE
must f unmap "$HANDLE"
compare "a nested unmap counts once" --counters attachments=1 mapped=0 \
	unmap_total=$((u + 1)) pinned_bytes=0
must f detach "$HANDLE"
zeros "and nothing left of it" attach_total=$((t + 1)) map_total=$((m + 1))

# Exporters of the kernel itself: bufinfo is the only other reading
t=$(gt attach_total)
for kind in udmabuf heap; do
	case $kind in udmabuf) m=udmabuf dev=/dev/udmabuf ;; heap) m=system_heap dev=/dev/dma_heap/system ;; esac
	modprobe -q "$m"
	if [ ! -e "$dev" ]; then
		skip "$kind: an MR is tracked for its importer" "no $dev"
		continue
	fi
	must f buffer $SIZE $kind
	must f reg "${VALUE%% *}" "$A"
	compare "$kind: an MR is tracked for its importer" attachments=1 mapped=1 \
		pinned_bytes=$SIZE attach_total=$((t + 1))
	must f dereg "$VALUE"
	t=$((t + 1))
done
holder_quit f
# shellcheck disable=SC2086
compare "all programs gone" $ZERO attach_total="$t" detach_total="$t"
is "nothing was lost" "$(gt lost/probe_missed_total) $(gt lost/pool_exhausted_total) \
$(gt lost/unknown_detach_total) $(gt preexisting_detached_total)" "0 0 0 0"
finish
