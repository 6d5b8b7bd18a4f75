#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# gdrctl with a module of another version (tests/lib/other-version.patch): what it tells more is left
# out, what it tells less is unknown, and the mismatch is named.
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh

bench_down
plan 22
# shellcheck disable=SC2119 # no parameters
bench_up
TOOL=$(gdrctl -V | cut -d' ' -f2)

status()
{
	gdrctl "$@" status | tr -s ' '
}
TEXT=$(status)
JSON=$(status -j)
has "both versions, in text" "$TEXT" "module 99.1, gdrctl is $TOOL, loaded"
has "and for programs" "$JSON" "\"version\":\"99.1\",\"tool_version\":\"$TOOL\","
has "a value without a word" "$TEXT" "dma-buf core unknown-99"
has "for programs" "$JSON" '"core":"unknown-99"'
has "a reason without a word" "$TEXT" "unknown-1073741824 (a newer module's reason)"
has "for programs" "$JSON" '"inexact_reasons":["unknown-1073741824"]'
has "a total that is not told" "$TEXT" "mapped, unique unknown"
is "is absent for programs" "$(status -j | grep -c '"mapped_bytes"')" 0
has "in one line, too" "$(status -o)" "version 99.1 tool_version $TOOL start_time_seconds"
has "the totals beside it" "$TEXT" "pinned, unique 0 B (each"

holder h
must h buffer "$MIB" gpu=0
must h reg 0 "$(hca_name 0)"
has "a column that is not told" "$(gdrctl --bytes buffer | tr -s ' ')" " $MIB 1 - 1"
is "is absent for programs" "$(gdrctl -j buffer | grep -c '"mapped"')" 0
has "what is beside it is not" "$(gdrctl -j buffer)" '"attachments":1'
for object in attachment pair importer exporter owner failure holders; do
	is "$object" "$(code gdrctl $object)" 0
done
is "a list that it does not know" "$(code gdrctl latency) $(cat /tmp/code.err)" \
	"2 gdrctl: latency: this module does not know it: it is older than this tool, $TOOL"
is "metrics without it" "$(code gdrctl metrics) $(grep -c '^gdr_telemetry_pinned_bytes [1-9]' \
	/tmp/code.out) $(grep -cE '^gdr_telemetry_(duration_seconds|mapped_bytes)' /tmp/code.out)" "0 1 0"
holder_quit h
finish
