#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# gdrctl test with a CUDA library that lacks one symbol, each in turn, or that does not know one
# attribute: what it says, and what it tests all the same.
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh
# shellcheck source=tests/lib/selftest.sh
. /gdrt/tests/lib/selftest.sh

# SYMBOL VERSION WITHOUT: the version of CUDA that has it first, and what goes without it:
# nothing of CUDA, no dma-buf of a GPU, all but cuMemCreate()'s memory, or everything.
SYMBOLS='cuInit 2.0 nothing
cuDriverGetVersion 2.2 nothing
cuDeviceGetCount 2.0 nothing
cuDeviceGet 2.0 nothing
cuDeviceGetAttribute 2.0 nothing
cuDeviceGetPCIBusId 4.1 nothing
cuDevicePrimaryCtxRetain 7.0 nothing
cuCtxSetCurrent 4.0 nothing
cuMemAlloc_v2 3.2 nothing
cuMemFree_v2 3.2 nothing
cuMemcpyHtoD_v2 3.2 nothing
cuMemcpyDtoH_v2 3.2 nothing
cuGetErrorName 6.0 everything
cuPointerSetAttribute 6.0 everything
cuMemGetAllocationGranularity 10.2 plain
cuMemCreate 10.2 plain
cuMemRelease 10.2 plain
cuMemAddressReserve 10.2 plain
cuMemAddressFree 10.2 plain
cuMemMap 10.2 plain
cuMemUnmap 10.2 plain
cuMemSetAccess 10.2 plain
cuMemGetHandleForAddressRange 11.7 no-dma-buf'
# ATTRIBUTE VERSION WITHOUT
ATTRIBUTES='124 11.7 no-dma-buf
102 10.2 plain
110 11.0 plain
6 6.0 everything'

# without LIBRARY TEXT: exit code, and jobs that passed of memory of cuMemAlloc() and of
# cuMemCreate(); then whether TEXT was said
without()
{
	LD_LIBRARY_PATH=$CUDA/$1 gdrctl test hca "$A" gpu "$GPU" source cuda source cuda-vmm \
		case register case read >$SAID 2>/tmp/said.err
	without_rc=$?
	WITHOUT="$without_rc $(grep -cE '^pass .* cuda0 ' $SAID)"
	WITHOUT="$WITHOUT $(grep -cE '^pass .* cuda0-vmm ' $SAID)"
	# Long lines are broken.
	case $(tr -s ' \n' ' ' <$SAID) in
	*"$2"*) WITHOUT="$WITHOUT said" ;;
	*) WITHOUT="$WITHOUT not said" ;;
	esac
}

# result NAME WORD: WITHOUT is as the word says
result()
{
	case $2 in
	nothing | no-dma-buf) result_want="4 0 0 said" ;;
	plain) result_want="0 2 0 said" ;;
	everything) result_want="0 2 2 not said" ;;
	esac
	[ "$WITHOUT" = "$result_want" ] || diag "$(cat $SAID /tmp/said.err)"
	is "$1" "$WITHOUT" "$result_want"
}

plan $(($(printf '%s\n' "$SYMBOLS" "$ATTRIBUTES" | wc -l) + 6))
# shellcheck disable=SC2119 # no parameters
bench_up
A=$(hca_name 0) GPU=$(gpu_bdf 0)
is "every symbol that is looked for is here" \
	"$(printf '%s\n' "$SYMBOLS" | cut -d ' ' -f 1 | sort)" \
	"$(cd $CUDA && printf '%s\n' without-* | sed 's/without-//' | sort)"
without 13000 "libcuda.so.1 has no"
result "with all symbols" everything
while read -r symbol version word; do
	without "without-$symbol" "libcuda.so.1 has no $symbol, which CUDA has from $version on"
	result "without $symbol" "$word"
done <<EOT
$SYMBOLS
EOT
while read -r attribute version word; do
	export GDRT_CUDA_NO_ATTRIBUTE="$attribute"
	case $word in
	no-dma-buf) text="exports no dma-buf (CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED is 0)" ;;
	*) text="this GPU has no GPUDirect RDMA of memory of cuMemCreate()" ;;
	esac
	without 13000 "$text"
	result "without attribute $attribute of CUDA $version" "$word"
done <<EOT
$ATTRIBUTES
EOT
unset GDRT_CUDA_NO_ATTRIBUTE
export GDRT_CUDA_INIT=100
without without-cuGetErrorName "cuInit: CUDA error 100"
is "an error without a name" "$WITHOUT" "4 0 0 said"
unset GDRT_CUDA_INIT
export GDRT_CUDA_VERSION_ERROR=1
without 13000 "cuDriverGetVersion: CUDA_ERROR_INVALID_VALUE"
is "no version is told" "$WITHOUT" "4 0 0 said"
unset GDRT_CUDA_VERSION_ERROR
# A library that cannot be loaded at all
without nowhere "libcuda.so.1: cannot open shared object file"
is "without the library" "$WITHOUT" "4 0 0 said"
check "nothing is left" nothing_left
finish
