#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Drivers come and go under the module, and the module comes and goes under
# registrations.
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh

LOADS=50
SIZE=$((4 * MIB))
ZERO="attachments=0 buffers=0 mapped=0 pinned_bytes=0 pinned_bytes_sum=0 preexisting=0"

zeros()
{
	zeros_name=$1
	shift
	# shellcheck disable=SC2086 # a list
	compare "$zeros_name" $ZERO "$@"
}

lost()
{
	echo "$(gt lost/probe_missed_total) $(gt lost/pool_exhausted_total) $(gt lost/unknown_detach_total)"
}

reload()
{
	unload gdr_telemetry && module_up
}

# The module comes and goes so often.
load_unload()
{
	load_n=$1
	while [ "$load_n" -gt 0 ]; do
		module_up && unload gdr_telemetry || return
		load_n=$((load_n - 1))
	done
}

# Readers that do not care whether the module is there, until the file is gone.
read_on()
{
	while [ -e "$1" ]; do
		cat $GT/* $GT/*/*
		gdrt-nl status
		gdrt-nl dump
	done >/dev/null 2>&1
}

plan 30
# shellcheck disable=SC2119 # no parameters
bench_up
A=$(hca_name 0) B=$(hca_name 1)
BDF=$(hca_bdf "$A")

# ---- the HCA's driver is unbound with an MR live
holder u
must u buffer $SIZE
must u reg 0 "$A"
must u reg 0 "$B"
compare "two HCAs hold a buffer" attachments=2
check "unbind of mlx5_core under an MR" sh -c "echo $BDF >/sys/bus/pci/drivers/mlx5_core/unbind"
compare "the other HCA's attachment is left" attachments=1 pinned_bytes=$SIZE
holder_kill u
zeros "its owner killed"
check "bind again" sh -c "echo $BDF >/sys/bus/pci/drivers/mlx5_core/bind"
check "both RDMA devices are back" wait_for 60 rdma_devices 2
for A in /sys/class/infiniband/*; do
	A=${A##*/}
	[ "$(hca_bdf "$A")" != "$BDF" ] || break
done
holder u
must u buffer $SIZE
check "a registration on it" tell u reg 0 "$A"
compare "is seen" attachments=1 importers_active=1 pinned_bytes=$SIZE
holder_quit u
zeros "and gone"

# ---- the whole IB stack
# What one removal takes along, the next does not find: only the outcome counts.
modprobe -r mlx5_ib mlx5_core ib_uverbs 2>/dev/null
is "mlx5 and the IB stack unloaded under the module" \
	"$(lsmod | grep -oE '^(mlx5_ib|mlx5_core|ib_uverbs|ib_core) ')" ""
zeros "without them"
check "and loaded" rdma_up
A=$(hca_name 0)
holder s
must s buffer $SIZE
must s reg 0 "$A"
compare "a registration after that" attachments=1 pinned_bytes=$SIZE
is "nothing was lost" "$(lost)" "0 0 0"

# ---- the module is reloaded under attachments
check "rmmod with an MR live, and insmod" reload
compare_out=$(gt attachments)
is "the MR is not known yet" "$compare_out" 0
holder_quit s
zeros "deregistered" inexact=0
is "no loss" "$(lost)" "0 0 0"

holder p
must p buffer "$MIB"
must p attach 0 0 static
ONE=$VALUE
must p attach 0 0 static
TWO=$VALUE
must p attach 0 1 static
THREE=$VALUE
check "rmmod and insmod under three attachments" reload
must p map "$ONE"
is "one is met in its map: preexisting, and inexact" \
	"$(gt attachments) $(gt preexisting) $(gt mapped) $(gt inexact) $(gt inexact_reasons)" \
	"1 1 1 1 8"
must p attach 0 0 static
FOUR=$VALUE
is "a new one is not" "$(gt attachments) $(gt preexisting) $(gt attach_total)" "2 1 1"
must p detach "$TWO"
is "one that was not met is detached: no loss" \
	"$(gt attachments) $(gt preexisting_detached_total) $(gt lost/unknown_detach_total)" "2 1 0"
must p detach "$ONE"
must p detach "$FOUR"
is "drained: exact again" "$(gt attachments) $(gt preexisting) $(gt inexact)" "0 0 0"
must p detach "$THREE"
holder_quit p
zeros "all gone"

# ---- the module goes while calls sleep in the exporter
switch delay_ms 50
touch /tmp/go
n=0
while [ $n -lt 8 ]; do
	while [ -e /tmp/go ]; do
		printf '%s\n' "buffer 1048576" "attach 0 0 static 5" "attach 0 1 dynamic 5" quit |
			gdrt-reg >/dev/null 2>&1
	done &
	n=$((n + 1))
done
unload gdr_telemetry
check "20 loads and unloads while calls are in flight" load_unload 20
wait_gone()
{
	! pidof gdrt-reg >/dev/null
}
rm /tmp/go
switch delay_ms 0
check "the callers end" wait_for 60 wait_gone
module_up
zeros "nothing is left"

# ---- under load, with readers
touch /tmp/go
read_on /tmp/go &
for hca in /sys/class/infiniband/*; do
	hca=${hca##*/}
	(printf 'buffer 1048576\n'; while [ -e /tmp/go ]; do echo "loop 0 $hca 20"; sleep 0.2; done
	 echo quit) | gdrt-reg >"/tmp/load.$hca" 2>&1 &
done
unload gdr_telemetry
check "$LOADS loads and unloads under registrations and readers" load_unload $LOADS
rm /tmp/go
wait
module_up
has "the registrations went on" "$(sort -u /tmp/load.* | tr '\n' ' ')" "ok 0 ok"
zeros "and nothing is left"
finish
