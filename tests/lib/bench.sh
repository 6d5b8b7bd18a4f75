# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# The bench inside a guest: drivers, doubles and the module up and down, the
# devices' names, processes that hold registrations, and readings.
# After ktap.sh.

GT=/sys/kernel/gdr_telemetry
MODULES=/gdrt/modules
# shellcheck disable=SC2034
MIB=1048576

# How many functions of a PCI vendor and class (a prefix) the guest has, or their BDFs.
bdfs()
{
	for bench_d in /sys/bus/pci/devices/*; do
		[ "$(cat "$bench_d/vendor")" = "$1" ] || continue
		case $(cat "$bench_d/class") in "$2"*) echo "${bench_d##*/}" ;; esac
	done
}

# wait_for SECONDS COMMAND...: until the command succeeds
wait_for()
{
	bench_n=$(($1 * 10))
	shift
	until "$@" >/dev/null 2>&1; do
		bench_n=$((bench_n - 1))
		[ "$bench_n" -gt 0 ] || return 1
		sleep 0.1
	done
}

# RDMA devices of all HCAs are there.
rdma_devices()
{
	# shellcheck disable=SC2012 # mlx5_N
	[ "$(ls /sys/class/infiniband 2>/dev/null | wc -l)" = "$1" ]
}

rdma_up()
{
	bench_hcas=$(bdfs 0x15b3 0x02 | wc -l)
	modprobe mlx5_core && modprobe mlx5_ib && modprobe ib_uverbs || return
	wait_for 60 rdma_devices "$bench_hcas" ||
		{ echo "no $bench_hcas RDMA devices after 60 s"; return 1; }
}

module_up()
{
	insmod $MODULES/gdr_telemetry.ko "$@"
}

is_loaded()
{
	[ -d "/sys/module/$1" ]
}

# A module whose last reference may go a moment later.
unload()
{
	is_loaded "$1" || return 0
	bench_n=200
	until bench_out=$(rmmod "$1" 2>&1); do
		bench_n=$((bench_n - 1))
		[ "$bench_n" -gt 0 ] || break
		sleep 0.1
	done
	[ "$bench_n" = 0 ] || return 0
	echo "$bench_out"
	return 1
}

# bench_up [MODULE PARAMETER...]: everything loaded anew, all ledgers and totals at 0
bench_up()
{
	bench_down || bail "an earlier module does not unload"
	rdma_up || bail "no RDMA devices"
	insmod $MODULES/nvidia.ko || bail "insmod nvidia.ko"
	insmod $MODULES/gdrt_importer.ko || bail "insmod gdrt_importer.ko"
	module_up "$@" || bail "insmod gdr_telemetry.ko $*"
}

bench_down()
{
	for bench_m in gdr_telemetry gdrt_importer nvidia; do
		unload $bench_m || return
	done
}

# switch NAME VALUE: of the exporter double (tests/kmod/gdrt_exporter.h)
switch()
{
	echo "$2" >"/sys/module/nvidia/parameters/$1"
}

# gt NAME: a total of the module
gt()
{
	cat "$GT/$1"
}

hca_name()	# INDEX
{
	# shellcheck disable=SC2012
	ls /sys/class/infiniband | sed -n "$(($1 + 1))p"
}

hca_bdf()	# NAME
{
	basename "$(readlink -f "/sys/class/infiniband/$1/device")"
}

hca_at()	# BDF: its name, which may be another one after a driver was bound again
{
	for bench_d in /sys/class/infiniband/*; do
		[ "$(hca_bdf "${bench_d##*/}")" != "$1" ] || echo "${bench_d##*/}"
	done
}

gpu_bdf()	# INDEX, as the exporter double counts
{
	sed -n "s/^gpu $1 bdf \([^ ]*\) .*/\1/p" /sys/kernel/debug/gdrt_exporter/gpus
}

function_bdf()	# INDEX, as the importer double counts
{
	sed -n "s/^function $1 bdf //p" /sys/kernel/debug/gdrt_importer/functions
}

# code COMMAND...: how it ends; what it says is in /tmp/code.out and /tmp/code.err
code()
{
	"$@" >/tmp/code.out 2>/tmp/code.err
	echo $?
}

gone()
{
	[ ! -e "$1" ]
}

# compare NAME [gdrt-compare's arguments]: one result
compare()
{
	bench_name=$1
	shift
	check "$bench_name" gdrt-compare "$@"
}

# ---- processes that hold registrations: gdrt-reg ----

# holder_of PROGRAM NAME: starts one; PROGRAM takes commands as gdrt-reg does
holder_of()
{
	rm -f "/tmp/$2.in" "/tmp/$2.out"
	mkfifo "/tmp/$2.in" "/tmp/$2.out"
	"$1" "/tmp/$2.in" "/tmp/$2.out" &
	eval "PID_$2=$!"
}

# holder NAME
holder()
{
	holder_of gdrt-reg "$1"
}

holder_pid()
{
	eval "echo \$PID_$1"
}

# tell NAME COMMAND...: the answer is in ANSWER, and what follows "ok" in VALUE;
# false if it is an error
tell()
{
	bench_h=$1
	shift
	ANSWER='error: the process is gone' VALUE=''
	kill -0 "$(holder_pid "$bench_h")" 2>/dev/null || return 1
	# Open before it answers: what it says last is not lost when it ends.
	{
		echo "$*" >"/tmp/$bench_h.in"
		read -r ANSWER
	} <"/tmp/$bench_h.out"
	case $ANSWER in
	ok*)
		VALUE=${ANSWER#ok}
		VALUE=${VALUE# }
		;;
	*) return 1 ;;
	esac
}

# ask NAME COMMAND...: one that has to work, and prints the value
ask()
{
	tell "$@" || { echo "'$*': $ANSWER"; return 1; }
	echo "$VALUE"
}

# must NAME COMMAND...: one that has to work, or the suite cannot go on
must()
{
	tell "$@" || bail "'$*': $ANSWER"
}

# field TEXT NAME: the value in "NAME=VALUE"
field()
{
	bench_v=" $1 "
	bench_v=${bench_v#* "$2"=}
	echo "${bench_v%% *}"
}

# holder_kill NAME: kill -9, until it is gone
holder_kill()
{
	kill -KILL "$(holder_pid "$1")"
	wait "$(holder_pid "$1")" 2>/dev/null
	return 0
}

holder_quit()
{
	tell "$1" quit
	wait "$(holder_pid "$1")"
}
