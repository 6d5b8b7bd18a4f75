#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What ibv_reg_dmabuf_mr() returns when the HCA's firmware does not answer, or the HCA
# fails: errno-table.tsv says which errno, and which function here provokes it. In a
# guest of its own, as mlx5 warns of some with a call trace; that there are no other
# warnings is a result, too. The HCA has the driver wait for some seconds, not for 60.
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh
# shellcheck source=tests/lib/failures.sh
. /gdrt/tests/lib/failures.sh

# shellcheck disable=SC2034 # for failures.sh
PAGE=4096 COMM=gdrt-fail
WAIT=5
ALLOC_PD=0x0800 CREATE_MKEY=0x0200 CREATE_CQ=0x0400 UMR=0xffff
# One has the slot; the next waits for it in the driver's worker for one time-out, and the last
# one after it for another. What comes behind them before the first of these ends is not reached
# within its own.
# Half a minute in the kernel is one to within 2 s (kernel/time/timer.c), so they are begun apart.
OTHERS="o1 o2 o3" LONG=30 APART=3

# rebind LOG_SLOTS SECONDS: the driver anew, no queue made and no key in its cache yet;
# of two slots the driver keeps one for pages. 0: as usual.
rebind()
{
	holder_quit f
	unbind_b
	echo 1 >"/sys/bus/pci/devices/$B_BDF/reset" || bail "reset of HCA B"
	test_registers 0xc4 0 0 "$1" 0
	test_registers 0xc8 "$2" 0 0 0
	bind_b
	registrant
}

# A buffer for an MR that would be the second one of this HCA
second()
{
	must f reg "$B" buffer=0
	# shellcheck disable=SC2119 # no words
	buffer
	mapped_by_attach
	# shellcheck disable=SC2034 # for failures.sh
	KNOWN=1
}

# A thread of process $1 waits in the kernel for what no signal ends.
waits()
{
	cat "/proc/$(holder_pid "$1")/task"/*/stat | grep -q ') D '
}

# occupy PROCESS...: each wants a command to be carried out, of which none is answered
occupy()
{
	for o; do
		holder_of gdrt-fail "$o"
		must "$o" pd "$B"
		rm -f "/tmp/answer.$o"
	done
	command_unanswered "$ALLOC_PD"
	for o; do
		[ "$o" = "$1" ] || sleep "$APART"
		(tell "$o" pd "$B"; echo "$ANSWER" >"/tmp/answer.$o") &
		eval "OCCUPY_$o=$!"
		wait_for 60 waits "$o" || bail "$o does not wait"
	done
}

# The answers to the others come, late
leave()
{
	command_works
	for o; do
		eval "wait \$OCCUPY_$o"
		holder_quit "$o"
	done
}

# ---- the cases ----

# The slot of the command is the driver's again once it is answered.
firmware_mkey_unanswered()
{
	rebind 0 "$WAIT"
	second
	command_unanswered "$CREATE_MKEY"
	try "$B" buffer="$BUFFER"
	command_works
}

firmware_queue_unanswered()
{
	rebind 0 "$WAIT"
	command_unanswered "$CREATE_CQ"
	try "$B" buffer=0
	command_works
}

# Another's command has the one slot.
firmware_slot_taken()
{
	rebind 1 "$WAIT"
	second
	occupy o1
	try "$B" buffer="$BUFFER"
	leave o1
}

firmware_queue_slot_taken()
{
	rebind 1 "$WAIT"
	must f pd "$B"
	occupy o1
	try "$B" buffer=0
	leave o1
}

# Others' commands wait for it, too, and the worker that waits for them comes to this one too late.
firmware_worker_busy()
{
	rebind 1 "$LONG"
	second
	# shellcheck disable=SC2086 # names
	occupy $OTHERS
	try "$B" buffer="$BUFFER"
	# shellcheck disable=SC2086 # names
	leave $OTHERS
}

firmware_queue_worker_busy()
{
	rebind 1 "$LONG"
	must f pd "$B"
	# shellcheck disable=SC2086 # names
	occupy $OTHERS
	try "$B" buffer=0
	# shellcheck disable=SC2086 # names
	leave $OTHERS
}

# The driver has given up another's command, which has the one slot.
firmware_stalled()
{
	rebind 1 "$WAIT"
	second
	occupy o1
	wait_for 60 test -s /tmp/answer.o1 || bail "o1 waits without end"
	try "$B" buffer="$BUFFER"
	leave o1
}

# breaks: once the process waits for an answer the HCA fails, which the driver polls for
breaks()
{
	wait_for 60 waits f
	test_registers 0xc4 0 0 0 1
}

mend()
{
	wait "$BREAKS"
	test_registers 0xc4 0 0 0 0
	command_works
	# The driver may bring it back by itself, while it is taken from it.
	wait_for 60 rdma_devices 2 || bail "HCA B does not come back"
	rebind 0 0
}

firmware_fails_with_mkey()
{
	rebind 0 0
	second
	command_unanswered "$CREATE_MKEY"
	breaks &
	BREAKS=$!
	try "$B" buffer="$BUFFER"
	mend
}

firmware_fails_with_queue()
{
	rebind 0 0
	command_unanswered "$CREATE_CQ"
	breaks &
	BREAKS=$!
	try "$B" buffer=0
	mend
}

# The work request completes with an error.
firmware_umr()
{
	rebind 0 0
	second
	command_fails "$UMR" 5
	# The mapping was made by then, whatever the kernel.
	EXPORTER=$(gpu_bdf 0)
	try "$B" buffer="$BUFFER"
	command_works
}

rows firmware >/tmp/rows
ROWS=$(wc -l </tmp/rows)
plan $((ROWS * 2 + 4))

# shellcheck disable=SC2119 # no parameters
bench_up
# shellcheck disable=SC2034 # for failures.sh
A=$(hca_name 0) A_BDF=$(hca_bdf "$(hca_name 0)")
B=$(hca_name 1) B_BDF=$(hca_bdf "$(hca_name 1)")
is "the table knows each case of this suite" \
	"$(sed -n 's/^\(firmware_[a-z0-9_]*\)()$/\1/p' "$0" | sort)" \
	"$(awk -F '\t' '$4 ~ /^firmware_/ { print $4 }' $TABLE | sort -u)"

# shellcheck disable=SC2034 # for failures.sh
BLOCKS=16 RECORDS=0 FIRST=$((16 * PAGE))
registrant
while read -r stage errno name <&3; do
	run "$stage" "$errno" "$name"
done 3</tmp/rows

rebind 0 0
must f reg "$B" buffer=0
is "and it registers again" "$VALUE" 0
holder_quit f
compare "nothing is left" attachments=0 buffers=0 inexact=0
# What the driver says of a UMR that fails
is "the kernel warned of nothing else" "$(dmesg | grep 'WARNING: ' | grep -v umr)" ""
finish
