# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# Running gdrctl test in a guest, and reading what it says. After bench.sh.

CUDA=/gdrt/bin/cuda
SAID=/tmp/said

# selftest WORDS...: gdrctl test; its exit code is in RC
selftest()
{
	LD_LIBRARY_PATH=$CUDA/${VERSION:-13000} $AS gdrctl -o test "$@" >$SAID 2>/tmp/said.err
	RC=$?
	[ ! -s /tmp/said.err ] || diag "$(cat /tmp/said.err)"
}

# What failed: exit code, then case, stage and errno, each kind once
failed()
{
	echo "$RC" "$(sed -n 's/^verdict fail case \([^ ]*\) .* stage \([a-z-]*\) \(errno [0-9]* errno_name \([A-Z]*\) \)*\(means\|proven\) .*/\1 \2 \4/p' \
		$SAID | sort -u | tr -s ' \n' ' ' | sed 's/ $//')"
}

# passed CASE...: how many jobs of these passed
passed()
{
	for passed_c; do
		grep "^verdict pass case $passed_c " $SAID
	done | wc -l
}

# advice CASE: what it says to do
advice()
{
	sed -n "s/^verdict fail case $1 .* fix \"\(.*\)\" proven .*/\1/p" $SAID | head -n 1
}

# Nothing of the test is there any more; a process may need a moment.
no_process()
{
	! pidof gdrctl
}
nothing_left()
{
	wait_for 20 no_process || { echo "left: $(pidof gdrctl)"; return 1; }
	gdrt-compare attachments=0 mrs=0 pinned_bytes=0 || return
	# A file that someone has open keeps its buffer.
	selftest_n=$(grep -c '^buffer ' /sys/kernel/debug/gdrt_exporter/ledger)
	[ "$selftest_n" = 0 ] || { echo "$selftest_n buffers are left"; return 1; }
}

# test_registers BDF OFFSET BYTE...: of a simulated HCA (tests/sim/sim.h)
test_registers()
{
	test_bdf=$1 test_at=$2
	shift 2
	for test_b; do
		# shellcheck disable=SC2059 # a byte
		printf "\\$(printf '%03o' "$test_b")"
	done | dd of="/sys/bus/pci/devices/$test_bdf/config" bs=4 seek=$((test_at / 4)) \
		conv=notrunc 2>/dev/null || bail "the HCA takes no orders"
}
