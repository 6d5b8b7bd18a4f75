#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Under an ib_core, ib_uverbs and mlx5_ib that are not this kernel's (tests/vm/build-foreign makes them, with
# another layout of what is read of a registration): a module that was built for the kernel's own leaves
# them alone and says so; one that was built against their headers reads them, and only them.
# GDRT_JOIN is what the status has to say: foreign-rdma or on.
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh

FOREIGN=/gdrt/extra
SIZE=$((2 * MIB))
OFFSET=8192 LENGTH=65536

# load_rdma [own]: the drivers with the foreign core, or with the kernel's own
load_rdma()
{
	modprobe -r mlx5_ib mlx5_core ib_uverbs 2>/dev/null
	for load_m in ib_core ib_uverbs; do
		! is_loaded "$load_m" || modprobe -r "$load_m" || return
	done
	if [ "${1:-}" != own ]; then
		modprobe mlx5_core && insmod "$FOREIGN/ib_core.ko" && insmod "$FOREIGN/ib_uverbs.ko" &&
			insmod "$FOREIGN/mlx5_ib.ko" || return
	fi
	rdma_up
}

# taint MODULE: "O" if it was not built with the kernel
taint()
{
	tr -dc O <"/sys/module/$1/taint"
}

# value NAME: of the status or of the one attachment that came on stdin
value()
{
	sed -n "s/.*\"$1\": *\"\{0,1\}\([^\",}]*\).*/\1/p"
}

join()
{
	gdrt-nl -j "do" status | value mr-join
}

# The attachment of the buffer: what only an MR tells, or nothing.
mr_columns()
{
	gdrt-nl -j dump attachment >/tmp/records
	for mr_a in mr-offset mr-length mr-access; do
		value $mr_a </tmp/records
	done | paste -sd " " -
}

totals()
{
	echo "$(gt register_total) $(gt deregister_total) $(gt mrs) $(gt mr_bytes) $(gt attach_total) $(gt attachments)"
}

plan 13
check "drivers on the foreign core" load_rdma
is "they are marked as not the kernel's" "$(taint ib_core)$(taint ib_uverbs)$(taint mlx5_ib)" OOO
insmod $MODULES/nvidia.ko || bail "insmod nvidia.ko"
module_up || bail "insmod gdr_telemetry.ko"
is "status: MR join" "$(join)" "$GDRT_JOIN"
A=$(hca_name 0)
holder f
must f buffer $SIZE
check "a registration" tell f reg 0 "$A" $OFFSET $LENGTH
case $GDRT_JOIN in
on)
	is "columns of the MR" "$(mr_columns)" "$OFFSET $LENGTH 7"
	is "totals" "$(totals)" "1 0 1 $LENGTH 1 1"
	;;
*)
	is "columns of the MR are absent" "$(mr_columns)" ""
	is "the registration is counted, and its attachment" "$(totals)" "1 0 0 0 1 1"
	;;
esac
tell f reg 0 "$A" 0 $((4 * SIZE))
is "one out of range fails" "$ANSWER" "error 22 Invalid argument"
FAILED=$(gt failures_total)
# shellcheck disable=SC2016 # for that shell
check "8 processes register and deregister" sh -c '
	for i in 1 2 3 4 5 6 7 8; do
		printf "%s\n" "buffer 65536" "loop 0 $0 20" quit | gdrt-reg &
	done >/tmp/loops; wait; [ "$(grep -c "^ok 0$" /tmp/loops)" = 8 ]' "$A"
holder_quit f
compare "nothing is left" attachments=0 buffers=0 mapped=0 pinned_bytes=0 inexact=0
is "counted" "$(gt attach_total) $(gt register_total) $(gt mrs) $FAILED" "161 161 0 1"
check "the kernel's own again, under the module" load_rdma own
case $GDRT_JOIN in
on) is "they are foreign to this build" "$(join)" foreign-rdma ;;
*) is "MR join again" "$(join)" on ;;
esac
holder f
must f buffer $SIZE
must f reg 0 "$(hca_name 0)" $OFFSET $LENGTH
case $GDRT_JOIN in
on) is "and left alone" "$(mr_columns)" "" ;;
*) is "columns of the MR again" "$(mr_columns)" "$OFFSET $LENGTH 7" ;;
esac
holder_quit f
finish
