#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# gdrctl test on an HCA that does not carry out what fills memory keys (UMR). The
# driver warns with a call trace then, so this is in a guest where that is allowed.
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh
# shellcheck source=tests/lib/selftest.sh
. /gdrt/tests/lib/selftest.sh

plan 5
# shellcheck disable=SC2119 # no parameters
bench_up
A=$(hca_name 0) A_BDF=$(hca_bdf "$A") GPU=$(gpu_bdf 0)
AS=''

selftest hca "$A" gpu "$GPU" source cuda case register case write
is "all is well" "$(failed)" "0 "
test_registers "$A_BDF" 0xc0 255 255 4 0
selftest hca "$A" gpu "$GPU" source cuda case register case write
is "UMR fails" "$(failed)" "5 register hw EFAULT"
has "UMR fails: what to do" "$(advice register)" "devlink health recover"
test_registers "$A_BDF" 0xc0 0 0 0 0
selftest hca "$A" gpu "$GPU" source cuda case register case write
is "all is well again" "$(failed)" "0 "
check "nothing is left" nothing_left
finish
