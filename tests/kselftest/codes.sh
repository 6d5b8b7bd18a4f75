#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Each exit code of gdrctl(8), and the three ways in which a list can show nothing: the module is
# absent, it is there and this user may not ask it, it is there and there is nothing.
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh

LISTS='attachment buffer importer exporter pair owner holders probe latency failure failure+log'
PRIVATE='attachment owner owner+cgroup holders failure+log explain+last'
EMPTY='attachment buffer pair owner holders+module+nvidia failure failure+log'

# result COMMAND...: how it ends, and what it says; the former in /tmp/ends, too
result()
{
	code "$@" >/tmp/ends
	echo "$(cat /tmp/ends) $(cat /tmp/code.out /tmp/code.err)"
}

words()
{
	echo "$1" | tr + ' '
}

bench_down
for m in mlx5_ib mlx5_core; do
	modprobe -rq $m
done
plan 42

# ---- each code
has "4, skipped: no HCA to test" "$(result gdrctl test)" "No HCA: libibverbs finds none"
is "ends with 4" "$(cut -c1 /tmp/ends)" 4
has "5, found: a case that fails" "$(result sh -c 'ulimit -n 40; gdrctl test case limit-fds')" \
	"0 passed, 1 failed"
is "ends with 5" "$(cut -c1 /tmp/ends)" 5
is "1, usage: an unknown object" "$(code gdrctl frob)" 1
has "3, absent" "$(result gdrctl status)" "3 gdrctl: module gdr_telemetry is not loaded"
has "absent, for programs" "$(result gdrctl -j status)" '3 {"absent":"'

# ---- not visible: absent
for list in $LISTS; do
	# shellcheck disable=SC2046,SC2086 # words
	has "$(words $list), the module absent" "$(result gdrctl $(words $list))" \
		"3 gdrctl: module gdr_telemetry is not loaded"
done

# shellcheck disable=SC2119 # no parameters
bench_up
is "0, done" "$(code gdrctl status)" 0
has "2, system: no such record" "$(result gdrctl attachment id 999999)" "2 gdrctl: kernel: "
has "2, system: what cannot be written" "$(result sh -c 'gdrctl status >/dev/full')" \
	"2 gdrctl: cannot write"

# ---- not visible: not permitted
for list in $PRIVATE; do
	# shellcheck disable=SC2046,SC2086 # words
	has "$(words $list), not permitted" "$(result gdrt-as-user gdrctl $(words $list))" \
		"not permitted: it names processes and needs CAP_NET_ADMIN; run it as root"
	is "ends with 2" "$(cat /tmp/ends)" 2
done
has "root of a user namespace is told why" "$(result unshare -r gdrctl attachment)" \
	"2 gdrctl: attachment: not permitted: it names processes and needs CAP_NET_ADMIN of the host"

# ---- not visible: nothing here
for list in $EMPTY; do
	# shellcheck disable=SC2046,SC2086 # words
	has "$(words $list), nothing here" "$(result gdrctl $(words $list))" "0 No "
done
is "nothing here, for programs" "$(result gdrctl -j attachment)" "0 []"
finish
