#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# As the suite stress, while the module comes and goes: exact for what was made since it was loaded.
#	stress-reload.sh [SEED [SECONDS]]
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh
# shellcheck source=tests/lib/stress.sh
. /gdrt/tests/lib/stress.sh

plan 1
stress "no difference at any quiet point, with reloads" "${1:--}" --rounds 8 --seconds "${2:-20}" \
	--reload $MODULES/gdr_telemetry.ko
finish
