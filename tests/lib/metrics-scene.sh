#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In a guest: MRs of two GPUs on two HCAs and some failures, then what gdrctl
# metrics prints of it, and queries with the answers that sysfs gives:
#	### prometheus	the text
#	### openmetrics	the text
#	### answers	QUERY <tab> VALUE
#	### end
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh

answer()
{
	printf '%s\t%s\n' "$1" "$2"
}

# shellcheck disable=SC2119 # no parameters
bench_up
A=$(hca_name 0) B=$(hca_name 1) A_BDF=$(hca_bdf "$A") B_BDF=$(hca_bdf "$B")
gdrt-fail query >/dev/null
holder_of gdrt-fail f
must f buffer $((4 * MIB))
must f buffer $((8 * MIB)) gpu=1
must f reg "$A" buffer=0 keep
must f reg "$A" buffer=1 keep
must f reg "$B" buffer=0 keep
must f reg "$A" buffer=0 length=0 count=2
must f buffer $((4 * MIB))
switch attach_errno 524
must f reg "$B" buffer=2 count=3
switch attach_errno 0
for g in 0 1; do
	wait_for 20 test -d "$GT/pairs/$(gpu_bdf $g)_$A_BDF" || bail "no pair"
done

echo "### prometheus"
gdrctl metrics || bail "no metrics"
echo "### openmetrics"
gdrctl metrics --openmetrics || bail "no OpenMetrics"
echo "### answers"
for n in attachments buffers mrs mr_bytes pinned_bytes mapped_bytes attach_total register_total; do
	answer "gdr_telemetry_$n" "$(gt $n)"
done
answer 'sum(gdr_telemetry_failures_total)' "$(gt failures_total)"
answer 'sum(gdr_telemetry_capability_queries_total)' "$(gt capability_queries_total)"
answer "gdr_telemetry_failures_total{stage=\"attach\",errno=\"ENOTSUPP\",importer=\"$B_BDF\"}" \
	"$(gt "importers/$B_BDF/failures/attach_total")"
for h in "$A" "$B"; do
	answer "gdr_telemetry_importer_pinned_bytes{ibdev=\"$h\"}" \
		"$(gt "importers/$(hca_bdf "$h")/pinned_bytes")"
	answer "gdr_telemetry_duration_seconds_count{ibdev=\"$h\",op=\"register\"}" \
		"$(gt "importers/$(hca_bdf "$h")/register_total")"
done
for g in 0 1; do
	answer "gdr_telemetry_pair_pinned_bytes{exporter=\"$(gpu_bdf $g)\",importer=\"$A_BDF\"}" \
		"$(gt "pairs/$(gpu_bdf $g)_$A_BDF/pinned_bytes")"
	answer "gdr_telemetry_exporter_bar1_bytes{exporter=\"$(gpu_bdf $g)\"}" \
		"$(gt "exporters/$(gpu_bdf $g)/bar1_bytes")"
done
echo "### end"
holder_quit f
