#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In a guest: the scene, then what gdrctl says of it, object by object and format by format:
#	### OBJECT.FORMAT	what it printed
#	### answers		QUERY <tab> VALUE: a query to Prometheus, and what sysfs says of it
#	### names		a sed script that gives names to what is different in each guest
#	### end
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh
# shellcheck source=tests/lib/scene.sh
. /gdrt/tests/lib/scene.sh

OBJECTS='status probe importer exporter pair owner owner-cgroup owner-pair attachment buffer failure
	failure-log latency holders explain-last'

print()	# NAME WORDS...
{
	echo "### $1"
	shift
	gdrctl "$@" || bail "gdrctl $*"
}

answer()
{
	printf '%s\t%s\n' "$1" "$2"
}

answers()
{
	for n in attachments buffers mrs mr_bytes pinned_bytes mapped_bytes attach_total register_total \
			orphans; do
		answer "gdr_telemetry_$n" "$(gt $n)"
	done
	answer 'sum(gdr_telemetry_failures_total)' "$(gt failures_total)"
	answer 'sum(gdr_telemetry_capability_queries_total)' "$(gt capability_queries_total)"
	answer "gdr_telemetry_failures_total{stage=\"attach\",errno=\"ENOTSUPP\",importer=\"$H2\"}" \
		"$(gt "importers/$H2/failures/attach_total")"
	for h in "$N0" "$N1" "$N2" "$N3"; do
		answer "gdr_telemetry_importer_pinned_bytes{ibdev=\"$h\"}" \
			"$(gt "importers/$(hca_bdf "$h")/pinned_bytes")"
		answer "gdr_telemetry_duration_seconds_count{ibdev=\"$h\",op=\"register\"}" \
			"$(gt "importers/$(hca_bdf "$h")/register_total")"
	done
	for p in "$G0 $H0" "$G0 $H1" "$G1 $H2" "$G1 $H3"; do
		answer "gdr_telemetry_pair_pinned_bytes{exporter=\"${p% *}\",importer=\"${p#* }\"}" \
			"$(gt "pairs/${p% *}_${p#* }/pinned_bytes")"
	done
	for g in "$G0" "$G1"; do
		answer "gdr_telemetry_exporter_bar1_bytes{exporter=\"$g\"}" \
			"$(gt "exporters/$g/bar1_bytes")"
	done
}

cgroup_name()	# CGROUP NAME
{
	id=$(stat -c %i "$CGROUPS$1")
	printf '%s\n' "s/(cgroup|cgroup id|\"cgroup\":)( *)$id\\b/\\1\\2$2/" "s/^ *$id /$2 /"
}

names()
{
	cgroup_name "$CONTAINER" POD
	cgroup_name "$BATCH" BATCH
	for n in PA PB PC PD BCHILD CCHILD; do
		eval "printf 's/\\\\b%s\\\\b/%s/g\\n' \$$n $n"
	done
}

# shellcheck disable=SC2119 # no parameters
bench_up
scene_up
wait_for 30 orphaned 2 || bail "no orphans"
scene_failures
for p in "${G0}_$H0" "${G0}_$H1" "${G1}_$H2" "${G1}_$H3"; do
	wait_for 20 test -d "$GT/pairs/$p" || bail "no pair $p"
done
for object in $OBJECTS; do
	words=$(echo "$object" | tr - ' ')
	# shellcheck disable=SC2086 # words
	{
		print "$object.txt" --bytes $words
		print "$object-details.txt" -d $words
		print "$object.json" -j $words
	}
done
print metrics.prom metrics
print metrics.openmetrics metrics --openmetrics
echo "### answers"
answers
echo "### names"
names
echo "### end"
