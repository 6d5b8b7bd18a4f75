#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Unit tests of the device models and of gdrctl, plain and with sanitizers.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/host/check.sh

SANITIZE='-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined'

# Objects of their own, so that they never meet those of the plain build.
sanitized()
{
	GDRT_BUILD=$BUILD/check/sanitize make -s -C "$1" check CFLAGS="$SANITIZE"
}

plan 4
check "device models" make -s -C tests/sim check
check "device models, with sanitizers" sanitized tests/sim
check "gdrctl" make -s -C tools/gdrctl check WERROR=1
check "gdrctl, with sanitizers" make -s -C tools/gdrctl check-sanitize
finish
