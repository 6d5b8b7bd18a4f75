#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# pyverbs on the bench: each job of gdrctl test done with DmaBufMR, on a healthy scene and with
# faults planted, must end the same; rdma-core's own tests of MRs and QPs on the simulated HCA;
# and perftest, which moves host memory between two processes. In the Debian root.
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh
# shellcheck source=tests/lib/selftest.sh
. /gdrt/tests/lib/selftest.sh

LIB=/gdrt/tests/lib

# scene NAME [whole]: jobs of gdrctl test, then of pyverbs; comparisons are in /tmp/compared
scene()
{
	scene_name=$1
	shift
	diag "$scene_name"
	LD_LIBRARY_PATH=$CUDA/13000 gdrctl -j test source cuda >/tmp/jobs 2>/dev/null
	timeout 300 python3 $LIB/pyverbs_cases.py /tmp/cases /tmp/jobs "$@" >/tmp/part 2>&1 ||
		echo "fail pyverbs ends: $(tail -n 5 /tmp/part | tr '\n' ' ')" >>/tmp/part
	sed -n "s/^\(pass\|fail\) /\1 $scene_name: /p" /tmp/part >>/tmp/compared
}

# peer BITS: what goes wrong between HCA A and GPUs
peer()
{
	test_registers "$(hca_bdf "$A")" 0xc8 0 "$1" 0 0
}

# perftest SECONDS PROGRAM WORDS...: a server, and a client on it; prints the client's rate
perftest()
{
	perf_s=$1
	shift
	timeout "$perf_s" "$@" >/tmp/server 2>&1 &
	perf_pid=$!
	sleep 3
	if ! timeout "$perf_s" "$@" 127.0.0.1 >/tmp/client 2>&1 || ! wait "$perf_pid"; then
		cat /tmp/client /tmp/server
		return 1
	fi
	# size, iterations, peak, average, messages: something has to have been moved
	awk -v n=200 '$1 == 65536 && $2 == n && $4 > 0 { print $4 " MiB/s"; found = 1 }
		END { exit !found }' /tmp/client || { cat /tmp/client; return 1; }
}

# shellcheck disable=SC2119 # no parameters
bench_up
A=$(hca_name 0)
: >/tmp/compared
gdrctl -j test list >/tmp/cases
scene healthy whole
switch attach_errno 524
scene "attach fails"
switch attach_errno 0
switch map_errno -1
scene "map fails"
switch map_errno 0
switch bar1_limit_bytes $((2 * MIB))
scene "BAR1 is used up"
switch bar1_limit_bytes 0
peer 1
scene "wrong data written"
peer 8
scene "nothing can be read"
peer 0
timeout 300 python3 $LIB/rdma_core_tests.py $LIB/rdma-core-tests.not "$A" test_mr test_qp \
	>/tmp/part 2>&1 ||
	echo "fail the tests of rdma-core end: $(tail -n 5 /tmp/part | tr '\n' ' ')" >>/tmp/part
grep -E '^(pass|fail) ' /tmp/part >>/tmp/compared

plan $(($(wc -l </tmp/compared) + 5))
while read -r verdict text; do
	case $verdict in
	pass) pass "$text" ;;
	*) fail "$text" ;;
	esac
done </tmp/compared
check "each fault was seen by both" sh -c "! printf '%s\n' \
	'attach fails: .*: 524' 'map fails: .*: 12' 'BAR1 is used up: sizes .*: 12' \
	'wrong data written: write .*: data' 'nothing can be read: read .*: completion' |
	while read -r want; do
		grep \"^pass \$want\" /tmp/compared >/dev/null || echo \"\$want\"
	done | grep ."
check "all cases were compared" sh -c "[ \"\$(grep -c '^pass healthy: ' /tmp/compared)\" = 76 ]"
check "perftest: RDMA WRITE between two processes" \
	perftest 120 ib_write_bw -d "$A" -s 65536 -n 200 -F
check "perftest: RDMA READ" perftest 120 ib_read_bw -d "$A" -s 65536 -n 200 -F
check "nothing is left" nothing_left
finish
