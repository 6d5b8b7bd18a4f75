#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Many processes do at random what can be done with buffers, devices and the module, all at once;
# when they rest, no number may differ from what others say.
#	stress.sh [SEED [SECONDS]]
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh
# shellcheck source=tests/lib/stress.sh
. /gdrt/tests/lib/stress.sh

plan 1
stress "no difference at any quiet point" "${1:--}" --rounds 12 --seconds "${2:-20}"
finish
