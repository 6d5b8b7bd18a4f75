#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Each kind of exporter with each kind of importer: see lib/gdrt-matrix.c.
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh

# shellcheck disable=SC2119 # no parameters
bench_up
exec gdrt-matrix
