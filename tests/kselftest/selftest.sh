#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# gdrctl test on two GPUs and two HCAs: all that is well passes, and of each
# fault that is planted the right case fails, at the right stage; nothing stays
# behind, whichever way it ends.
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh
# shellcheck source=tests/lib/selftest.sh
. /gdrt/tests/lib/selftest.sh

# peer BITS: what goes wrong between HCA B and GPUs
peer()
{
	test_registers "$B_BDF" 0xc8 0 "$1" 0 0
}

# lacks BIT: HCA B without this capability; 0: with all
lacks()
{
	echo "$B_BDF" >/sys/bus/pci/drivers/mlx5_core/unbind || bail "unbind of HCA B"
	echo 1 >"/sys/bus/pci/devices/$B_BDF/reset" || bail "reset of HCA B"
	test_registers "$B_BDF" 0xc4 $(($1 & 0xff)) $(($1 >> 8)) 0 0
	echo "$B_BDF" >/sys/bus/pci/drivers/mlx5_core/bind || bail "bind of HCA B"
	wait_for 60 rdma_devices 2 || bail "HCA B is gone"
	B=$(hca_at "$B_BDF")
}

# limited WORDS...: selftest, as no user, with the limit that LIMIT sets
limited()
{
	# shellcheck disable=SC2086 # words
	(ulimit $LIMIT && LD_LIBRARY_PATH=$CUDA/13000 gdrt-as-user gdrctl -o test "$@" \
		>$SAID 2>/tmp/said.err)
	RC=$?
}

# killed_after TENTHS: the test, killed then, leaves nothing
killed_after()
{
	LD_LIBRARY_PATH=$CUDA/13000 gdrctl test >/dev/null 2>&1 &
	killed_pid=$!
	sleep "$(($1 / 10)).$(($1 % 10))"
	kill -KILL "$killed_pid"
	wait "$killed_pid" 2>/dev/null
	nothing_left
}

registered()
{
	! gdrt-compare attachments=0 >/dev/null
}

# ended_by SIGNAL CODE: likewise, and its exit code
ended_by()
{
	LD_LIBRARY_PATH=$CUDA/13000 gdrctl test >/dev/null 2>&1 &
	ended_pid=$!
	wait_for 20 registered || { echo "it registers nothing"; return 1; }
	kill "-$1" "$ended_pid"
	wait "$ended_pid" 2>/dev/null
	ended_rc=$?
	[ "$ended_rc" = "$2" ] || { echo "exit code $ended_rc"; return 1; }
	nothing_left
}

plan 55
case $GDRT_KERNEL in
# Debian builds it without udmabuf and heaps.
6.1 | 6.1-*) HOST=0 LACKS=' source udmabuf ' ;;
*)
	modprobe -a udmabuf system_heap 2>/dev/null
	HOST=2 LACKS='^$' ;;
esac
# shellcheck disable=SC2119 # no parameters
bench_up
A=$(hca_name 0) B=$(hca_name 1) B_BDF=$(hca_bdf "$B")
GPU=$(gpu_bdf 0)
AS=''

# ---- all is well ----
selftest
is "healthy: no case fails" "$(failed)" "0 "
is "healthy: all that is skipped is a mapping that these GPUs, or a function that HCAs, have not" \
	"$(grep '^verdict skip' $SAID | grep -v -e ' case data-direct ' -e "$LACKS" | grep -cv cuda.-pcie)" 0
is "healthy: each registration, with each HCA" "$(passed register)" $((2 * (4 + HOST)))
is "healthy: each of these was compared with the module's records" \
	"$(grep -c '^verdict pass case register .* proven true' $SAID)" $((2 * (4 + HOST)))
is "healthy: each GPU by each HCA in each direction" \
	"$(grep -E '^verdict pass case (write|read|write-from|read-into) ' $SAID | grep -cE ' source cuda[01] ')" 16
is "healthy: all cases" "$(sed -n 's/^verdict pass case \([^ ]*\) .*/\1/p' $SAID | sort -u | wc -l)" \
	"$(gdrctl -o test list | grep -vc '^case data-direct ')"
is "healthy: from each GPU to the other" "$(passed gpu-to-gpu)" 4
check "healthy: nothing is left" nothing_left
export GDRT_CUDA_COHERENT=1
selftest source cuda-pcie
is "coherent GPUs: the PCIe mapping, too" "$(failed)$(passed register write)" "0 8"
unset GDRT_CUDA_COHERENT
selftest --quick hca "$A" gpu "$GPU"
is "quick, one GPU, one HCA" "$(failed)$(passed register write read)" "0 6"
LD_LIBRARY_PATH=$CUDA/13000 gdrctl test --ktap hca "$A" gpu "$GPU" >$SAID 2>/dev/null
is "KTAP: as many results as planned" "$(grep -cE '^(not )?ok ' $SAID)" \
	"$(sed -n 's/^1\.\.//p' $SAID)"
is "JSON: as many records" \
	"$(LD_LIBRARY_PATH=$CUDA/13000 gdrctl -j test hca "$A" gpu "$GPU" 2>/dev/null | grep -o '"verdict":"' | wc -l)" \
	"$(sed -n 's/^1\.\.//p' $SAID)"

# ---- without something ----
VERSION=11060
selftest source cuda hca "$A"
is "CUDA 11.6: cannot be tested" "$RC $(passed register)" "4 0"
has "CUDA 11.6: and why" "$(cat $SAID)" \
	"cuMemGetHandleForAddressRange() is of CUDA 11.7; this driver has 11.6"
VERSION=10010
selftest source cuda-vmm hca "$A"
is "CUDA 10.1: cannot be tested" "$RC $(passed register)" "4 0"
VERSION=12070
selftest hca "$A" gpu "$GPU" case register
is "CUDA 12.7: without the PCIe mapping" "$(failed)$(passed register)" "0 2"
has "CUDA 12.7: and why" "$(cat $SAID)" "the PCIe mapping is of CUDA 12.8; this driver has 12.7"
VERSION=13000
export GDRT_CUDA_NO_DMA_BUF=1
selftest source cuda hca "$A"
has "no dma-buf of the GPU: why" "$RC $(cat $SAID)" "open kernel modules"
unset GDRT_CUDA_NO_DMA_BUF
export GDRT_CUDA_INIT=100
LD_LIBRARY_PATH=$CUDA/13000 gdrctl test --quick hca "$A" >$SAID 2>/dev/null
has "no GPU: why" "$(cat $SAID)" "cuInit: CUDA_ERROR_NO_DEVICE (100)"
unset GDRT_CUDA_INIT
VERSION=none
selftest hca "$A"
if [ $HOST = 0 ]; then
	is "no CUDA, no memory of the host: the HCA alone" "$(failed)$(passed register)" "0 0"
else
	is "no CUDA: all cases with memory of the host" "$(failed)$(passed sizes killed)" "0 2"
fi
VERSION=13000
selftest gpu "$GPU" source cuda hca "$A" case limit-fds
is "no case of an HCA: nothing proven" "$RC" 4

# ---- what is wrong is what fails ----
switch attach_errno 524
selftest gpu "$GPU" source cuda hca "$A"
is "exporter's attach: 524" "$(failed)" "5 register attach ENOTSUPP"
has "exporter's attach: what to do" "$(advice register)" "Export without the PCIe flag"
switch attach_errno 0
switch map_errno -1
selftest gpu "$GPU" source cuda hca "$A"
is "exporter's map: none" "$(failed)" "5 register map ENOMEM"
has "exporter's map: what to do" "$(advice register)" "EnableResizableBar"
switch map_errno 0
switch bar1_limit_bytes $((2 * MIB))
selftest gpu "$GPU" source cuda hca "$A"
is "BAR1 is used up" "$(failed)" "5 sizes map ENOMEM"
has "BAR1 is used up: from this size on" "$(grep '^verdict fail' $SAID)" '"4.0 MiB: the registration failed'
has "BAR1 is used up: what to do" "$(advice sizes)" "EnableResizableBar"
switch bar1_limit_bytes 0
lacks 0x227	# pg
selftest gpu "$GPU" source cuda hca "$B"
case $GDRT_KERNEL in
6.1 | 6.1-*)
	is "no paging in the HCA: not needed here" "$(failed)" "0 "
	is "no paging in the HCA: registered" "$(passed register)" 1 ;;
*)
	is "no paging in the HCA" "$(failed)" "5 register hw EOPNOTSUPP"
	has "no paging in the HCA: what to do" "$(advice register)" "Use a function that has it" ;;
esac
lacks 0
peer 1
selftest gpu "$GPU" source cuda hca "$B"
is "wrong data written to the GPU" "$(failed)" "5 read-into data write data"
is "wrong data written: the other direction works" "$(passed control read write-from)" 3
has "wrong data written: what to do" "$(advice write)" "do not use this pair"
peer 2
selftest gpu "$GPU" source cuda hca "$B"
is "wrong data read from the GPU" "$(failed)" "5 read data write-from data"
is "wrong data read: the other direction works" "$(passed control write read-into)" 3
peer 8
selftest gpu "$GPU" source cuda hca "$B"
is "nothing can be read from the GPU" "$(failed)" "5 read completion write-from completion"
is "nothing can be read: the other direction works" "$(passed control write read-into)" 3
has "nothing can be read: what to do" "$(advice read)" "lspci -t"
peer 4
selftest gpu "$GPU" source cuda hca "$B"
is "nothing can be written to the GPU" "$(failed)" "5 read-into completion write completion"
is "nothing can be written: the other direction works" "$(passed control read write-from)" 3
peer 17
selftest gpu "$GPU" source cuda hca "$B"
is "wrong data everywhere: the control" "$(failed)" "5 control data"
is "wrong data everywhere: the rest is not tried" "$(passed write read)" 0
peer 0
check "after all that nothing is left" nothing_left
chmod 0666 /dev/gdrt_exporter /dev/infiniband/uverbs* "/sys/bus/pci/devices/$GPU/resource1"
AS=gdrt-as-user
selftest gpu "$GPU" source cuda hca "$A"
is "every user: works" "$(failed)" "0 "
is "every user: not compared with the module's records" "$(grep -c 'proven true' $SAID)" 0
AS=''
LIMIT='-l 64'
limited gpu "$GPU" source cuda hca "$A"
is "little may be locked" "$(failed)" "5 limit-memlock memlock ENOMEM"
has "little may be locked: what to do" "$(advice limit-memlock)" "ulimit -l"
is "little may be locked: no transfer is tried, registrations work" \
	"$(passed write read) $(passed register)" "0 1"
LIMIT='-n 24'
limited gpu "$GPU" source cuda hca "$A"
is "few files may be open" "$(failed)" "5 limit-fds fds EMFILE"
has "few files may be open: what to do" "$(advice limit-fds)" "ulimit -n"
export GDRT_CUDA_HANG=1
selftest gpu "$GPU" source cuda hca "$A" case register
is "no answer" "$(failed)" "5 register time-out"
unset GDRT_CUDA_HANG

# ---- nothing stays, whichever way it ends ----
check "killed" killed_after 30
check "killed earlier" killed_after 12
check "killed later" killed_after 75
check "interrupted" ended_by INT 130
finish
