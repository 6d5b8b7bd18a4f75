#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Drivers come and go under the module, and the module comes and goes under
# registrations.
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh

# How often the module comes and goes under how many callers. On a debug kernel, which is many times
# as slow, each load is a test of its own and more callers leave it no time.
case $GDRT_KERNEL in
debug*) CALLERS=2 CALLED_LOADS=4 LOADS=4 ;;
*) CALLERS=8 CALLED_LOADS=20 LOADS=15 ;;
esac
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
		cat $GT/* $GT/*/* $GT/*/*/* $GT/*/*/*/* /sys/kernel/debug/gdr_telemetry/*
		gdrt-nl status
		for read_set in attachment buffer device pair; do
			gdrt-nl dump $read_set
		done
		# A dump and an open file of debugfs hold the module: it has to be idle at times.
		sleep 0.3
	done >/dev/null 2>&1
}

listen_on()
{
	while [ -e "$1" ]; do
		gdrt-nl -t 1 events 1000
	done >/dev/null 2>&1
}

# Attachments of all kinds that come and go, through a function of the importer double.
churn_on()	# FILE FUNCTION
{
	while [ -e "$1" ]; do
		printf '%s\n' "buffer 65536 gpu=0" "buffer 65536 gpu=1 dynamic" "attach 0 $2 static 20" \
			"attach 1 $2 dynamic 20" "attach 1 $2 pinned 5" "invalidate 1" quit | gdrt-reg
	done >/dev/null 2>&1
}

dir()	# importers|exporters|pairs NAME FILE: its value, or "none"
{
	cat "$GT/$1/$2/$3" 2>/dev/null || echo none
}

plan 63
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
is "the directory of an HCA without a driver" \
	"$(dir importers "$BDF" attachments) '$(dir importers "$BDF" driver)' '$(dir importers "$BDF" ibdev)'" \
	"0 '' ''"
holder_kill u
zeros "its owner killed"
SO_FAR=$(dir importers "$BDF" attach_total)
check "bind again" sh -c "echo $BDF >/sys/bus/pci/drivers/mlx5_core/bind"
check "both RDMA devices are back" wait_for 60 rdma_devices 2
A=$(hca_at "$BDF")
holder u
must u buffer $SIZE
check "a registration on it" tell u reg 0 "$A"
compare "is seen" attachments=1 importers_active=1 pinned_bytes=$SIZE
is "its directory has gone on counting" \
	"$(dir importers "$BDF" attach_total) $(dir importers "$BDF" driver) $(dir importers "$BDF" ibdev)" \
	"$((SO_FAR + 1)) mlx5_core $A"
holder_quit u
zeros "and gone"

# ---- the HCA is pulled out with an MR live
GPU=$(gpu_bdf 0)
PAIR=${GPU}_$BDF
SO_FAR=$(dir importers "$BDF" attach_total)
holder u
must u buffer $SIZE
must u reg 0 "$A"
check "the pair has its directory" wait_for 2 [ -e "$GT/pairs/$PAIR" ]
check "removal of an HCA under an MR" sh -c "echo 1 >/sys/bus/pci/devices/$BDF/remove"
compare "it takes its attachment along" attachments=0 pinned_bytes=0
check "its directory goes" wait_for 3 gone "$GT/importers/$BDF"
check "and the pair's" wait_for 3 gone "$GT/pairs/$PAIR"
holder_kill u
check "rescan" sh -c "echo 1 >/sys/bus/pci/rescan"
check "both RDMA devices are back after it" wait_for 60 rdma_devices 2
check "and its directory" wait_for 3 [ -e "$GT/importers/$BDF" ]
check "and the pair's again" wait_for 3 [ -e "$GT/pairs/$PAIR" ]
A=$(hca_at "$BDF")
holder u
must u buffer $SIZE
must u reg 0 "$A"
is "the counters went on" "$(dir importers "$BDF" attach_total) $(dir importers "$BDF" attachments)" \
	"$((SO_FAR + 2)) 1"
holder_quit u
zeros "and gone again"

# ---- a function is unbound while it is attached through
FN=$(function_bdf 1)
touch /tmp/go
churn_on /tmp/go 0 &
churn_on /tmp/go 1 &
seen_all()
{
	[ "$(dir importers "$FN" attach_total)" -gt 0 ]
}
check "a function that attaches has a directory" wait_for 20 seen_all
churn_unbind()
{
	for _ in 1 2 3 4 5; do
		echo "$FN" >/sys/bus/pci/drivers/gdrt_importer/unbind || return
		sleep 0.3
		echo "$FN" >/sys/bus/pci/drivers/gdrt_importer/bind || return
		sleep 0.3
	done
}
check "unbound and bound while it attaches" churn_unbind
churn_replug()
{
	for _ in 1 2 3; do
		echo 1 >"/sys/bus/pci/devices/$FN/remove" || return
		wait_for 5 gone "$GT/importers/$FN" || return
		sleep 0.3
		echo 1 >/sys/bus/pci/rescan
		wait_for 5 [ -e "/sys/bus/pci/devices/$FN/driver" ] || return
		sleep 0.5
	done
}
check "pulled out and put back while it attaches" churn_replug
rm /tmp/go
churned()
{
	! pidof gdrt-reg >/dev/null
}
check "the churn ends" wait_for 30 churned
zeros "nothing of it is left"
is "no loss by it" "$(lost)" "0 0 0"

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

# ---- what was made since the load matches exactly
GPU1=$(gpu_bdf 1)
A=$(hca_name 0) B=$(hca_name 1)
FA=$(hca_bdf "$A") FB=$(hca_bdf "$B")
holder o
must o buffer $SIZE
must o reg 0 "$A"
must o reg 0 "$A"
must o reg 0 "$B"
must o attach 0 0 static 3
OLD=$VALUE
check "rmmod and insmod under three MRs and three attachments" reload
holder n
must n buffer $SIZE
must n buffer $((2 * SIZE)) gpu=1
must n reg 0 "$A"
must n reg 0 "$B"
must n reg 1 "$B"
since()	# NAME
{
	is "$1: devices" "$(for since_d in importers/$FA importers/$FB exporters/$GPU exporters/$GPU1; do
		echo "$(gt "$since_d/attachments") $(gt "$since_d/buffers") $(gt "$since_d/pinned_bytes")"; done)" \
		"$(printf '%s\n' "1 1 $SIZE" "2 2 $((3 * SIZE))" "2 1 $SIZE" "1 1 $((2 * SIZE))")"
	is "$1: pairs" "$(for since_p in "${GPU}_$FA" "${GPU}_$FB" "${GPU1}_$FB"; do
		echo "$(dir pairs "$since_p" attachments) $(dir pairs "$since_p" mapped_bytes)"; done)" \
		"$(printf '%s\n' "1 $SIZE" "1 $SIZE" "1 $((2 * SIZE))")"
	is "$1: no more is live, or ever was" "$(gt attach_total) $(gt attachments) $(gt buffers) $(gt mapped) $(gt pinned_bytes) $(gt pinned_bytes_sum)" \
		"3 3 2 3 $((3 * SIZE)) $((4 * SIZE))"
}
pairs_there()
{
	[ "$(dir pairs "${GPU1}_$FB" attachments)" = 1 ]
}
wait_for 3 pairs_there
since "since the load"
is "nothing older was met" \
	"$(gt preexisting) $(gt inexact) $(gt map_total) $(gt pinned_bytes_peak)" "0 0 3 $((3 * SIZE))"
must o detach "$OLD"
is "an older attachment is detached: counted, no error" \
	"$(gt preexisting_detached_total) $(lost)" "1 0 0 0"
must o map $((OLD + 1))
is "another is met: preexisting" "$(gt preexisting) $(gt inexact_reasons) $(gt attachments)" "1 8 4"
must o unmap $((OLD + 1))
must o detach $((OLD + 1)) 2
is "and detached with one that never was" \
	"$(gt preexisting) $(gt preexisting_detached_total)" "0 2"
must o dereg 0
must o dereg 1
must o dereg 2
is "older MRs are gone: no loss" "$(gt preexisting) $(lost)" "0 0 0 0"
since "after that"
holder_quit o
holder_quit n
zeros "both gone" inexact=0
is "all numbers of the devices are back" \
	"$(cat $GT/*/*/attachments $GT/*/*/buffers $GT/*/*/mapped_bytes $GT/*/*/pinned_bytes | sort -u)" 0

# ---- the module goes while calls sleep in the exporter
switch delay_ms 50
touch /tmp/go
n=0
while [ $n -lt $CALLERS ]; do
	while [ -e /tmp/go ]; do
		printf '%s\n' "buffer 1048576" "attach 0 0 static 5" "attach 0 1 dynamic 5" quit |
			gdrt-reg >/dev/null 2>&1
	done &
	n=$((n + 1))
done
unload gdr_telemetry
check "$CALLED_LOADS loads and unloads while calls are in flight" load_unload $CALLED_LOADS
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
listen_on /tmp/go &
churn_on /tmp/go 0 &
churn_on /tmp/go 1 &
for hca in /sys/class/infiniband/*; do
	hca=${hca##*/}
	(printf 'buffer 1048576\n'; while [ -e /tmp/go ]; do echo "loop 0 $hca 20"; sleep 0.2; done
	 echo quit) | gdrt-reg >"/tmp/load.$hca" 2>&1 &
done
unload gdr_telemetry
check "$LOADS loads and unloads under registrations, attachments, readers and listeners" load_unload $LOADS
rm /tmp/go
wait
module_up
has "the registrations went on" "$(sort -u /tmp/load.* | tr '\n' ' ')" "ok 0 ok"
zeros "and nothing is left"
finish
