#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What gdrctl metrics prints, as the tools that read it see it: promtool, the OpenMetrics parser of
# Prometheus's Python client, and a Prometheus that scrapes a node_exporter. Of a model made by hand
# (the golden files) and of a guest. The alert rules.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/host/check.sh
OUT=$BUILD/check/metrics
. tests/host/prometheus.sh
. tests/host/scene-parts.sh

KERNEL=6.12
GOLDEN=tools/gdrctl/test/golden
RULES=tools/gdrctl/prometheus

# promtool says nothing of what is well.
accepted()
{
	none promtool check metrics <"$1" 2>&1
}

# samples FORMAT FILE: NAME {LABELS} VALUE of each, sorted, as the parser of Prometheus's client
# understands them
samples()
{
	local module=prometheus_client.parser

	[ "$1" != openmetrics ] || module=prometheus_client.openmetrics.parser
	PYTHONPATH=$ROOT/usr/lib/python3/dist-packages python3 -c "
import sys
from $module import text_string_to_metric_families as families
for f in families(open(sys.argv[1]).read()):
    for s in f.samples:
        print(s.name, sorted(s.labels.items()), float(s.value))" "$2" | sort
}

same_samples()	# PROMETHEUS OPENMETRICS
{
	samples prometheus "$1" >"$OUT/a" && samples openmetrics "$2" >"$OUT/b" || return
	[ "$(wc -l <"$OUT/a")" -gt 50 ] || { echo "too few"; return 1; }
	diff "$OUT/a" "$OUT/b"
}

names()
{
	grep -oE '\bgdr_telemetry_[a-z0-9_]+' "$@" | sort -u
}

# Each family of the golden file is documented, and the other way round.
documented()
{
	diff <(sed -n 's/^# TYPE \([^ ]*\) .*/\1/p' "$GOLDEN/metrics.prom" | sort -u) \
		<(sed -n 's/^\x60\x60\(gdr_telemetry_[a-z0-9_]*\)\x60\x60.*/\1/p' Documentation/metrics.rst | sort)
}

# A rule about a metric that does not exist never fires.
rules_know_metrics()
{
	none comm -23 <(names -h "$RULES/alerts.yml") \
		<(sed -n 's/^\(gdr_telemetry_[a-z0-9_]*\).*/\1/p' "$GOLDEN/metrics.prom" | sort -u)
}

# Each rule has a test in which it fires.
rules_tested()
{
	none comm -23 <(sed -n 's/.*- alert: //p' "$RULES/alerts.yml" | sort) \
		<(awk '/alertname:/ { name = $2 } /exp_alerts:$/ { print name }' \
			"$RULES/alerts_test.yml" | sort -u)
}

rules_hold()
{
	(cd "$RULES" && promtool test rules alerts_test.yml) >"$OUT/rules" 2>&1 ||
		{ cat "$OUT/rules"; return 1; }
}

printed()
{
	scene "$KERNEL" || return
	part metrics.prom >"$OUT/real.prom"
	part metrics.openmetrics >"$OUT/real.openmetrics"
	part answers >"$OUT/answers"
}

# value QUERY: that of the one sample it has, as a number without exponent
value()
{
	promtool query instant "$URL" "$1" 2>/dev/null |
		awk 'sub(/.*=> /, "") { sub(/ @.*/, ""); printf "%.0f\n", $0 }'
}

# What Prometheus says is what sysfs said in the guest.
answered()
{
	local query want got rc=0 n=0

	mkdir -p "$OUT/textfile"
	cp "$OUT/real.prom" "$OUT/textfile/gdr_telemetry.prom"
	start_prometheus "$ROOT" "$OUT" || return
	until [ -n "$(value gdr_telemetry_attachments)" ] || [ $((n += 1)) -gt 150 ]; do sleep 0.2; done
	while IFS=$'\t' read -r query want; do
		got=$(value "$query")
		[ "$got" = "$want" ] || { echo "$query: '$got', in sysfs $want"; rc=1; }
	done <"$OUT/answers"
	stop_prometheus
	[ "$(wc -l <"$OUT/answers")" -ge 25 ] || { echo "too few answers"; rc=1; }
	return "$rc"
}

rm -rf "$OUT"
mkdir -p "$OUT"
plan 12
needs $KERNEL
ROOT=$(fetch_prometheus 2>"$OUT/fetch.log") || { tail "$OUT/fetch.log"; bail "no Prometheus"; }
PATH=$ROOT/usr/bin:$PATH

check "golden: promtool" accepted "$GOLDEN/metrics.prom"
check "golden: promtool, without look-ups" accepted "$GOLDEN/metrics-numeric.prom"
check "golden: both formats have the same samples" same_samples "$GOLDEN/metrics.prom" \
	"$GOLDEN/metrics.openmetrics"
check "each metric is documented" documented
check "alert rules: promtool" promtool check rules --lint-fatal "$RULES/alerts.yml"
check "alert rules: each metric in them exists" rules_know_metrics
check "alert rules: each has a test that it fires" rules_tested
check "alert rules: the tests" rules_hold
check "a guest prints its metrics" printed
check "guest: promtool" accepted "$OUT/real.prom"
check "guest: both formats have the same samples" same_samples "$OUT/real.prom" \
	"$OUT/real.openmetrics"
check "guest: Prometheus answers with the numbers of sysfs" answered
finish
