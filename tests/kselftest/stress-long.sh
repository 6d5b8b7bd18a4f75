#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# As the suite stress, with ten seeds and a minute for each.
#	stress-long.sh [SEEDS [SECONDS]]
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh
# shellcheck source=tests/lib/stress.sh
. /gdrt/tests/lib/stress.sh

SEEDS=${1:-10}
SECONDS_EACH=${2:-60}

plan "$SEEDS"
n=0
while [ $n -lt "$SEEDS" ]; do
	n=$((n + 1))
	stress "seed $n of $SEEDS: no difference at any quiet point" - --seconds "$SECONDS_EACH"
done
finish
