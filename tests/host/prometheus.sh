# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Prometheus, promtool, node_exporter and the Python client, from Debian's packages in the cache:
# installed as packages they would start services.

# Debian 12's: they run on it and on what is newer.
PROMETHEUS_SUITE=bookworm
PROMETHEUS_PACKAGES='prometheus prometheus-node-exporter python3-prometheus-client'

# fetch_prometheus: prints where they are
fetch_prometheus()
(
	# shellcheck disable=SC2034 # of the parts
	PROG=prometheus
	. tests/vm/lib/common.sh
	. tests/vm/lib/apt.sh
	root=$CACHE/prometheus

	fetch()
	{
		[ ! -e "$root" ] || return 0
		apt_update "$PROMETHEUS_SUITE" || return
		# What they depend on besides is the machine's, or web pages.
		# shellcheck disable=SC2086 # a list
		apt_closure "$PROMETHEUS_SUITE" $PROMETHEUS_PACKAGES |
			awk -v wanted=" $PROMETHEUS_PACKAGES " 'index(wanted, " " $3 " ")' >"$root.debs"
		[ "$(wc -l <"$root.debs")" = 3 ] || die "not all of $PROMETHEUS_PACKAGES"
		fetch_debs "$PROMETHEUS_SUITE" Prometheus "$root" <"$root.debs" && rm -f "$root.debs"
	}
	with_lock prometheus fetch >&2 && echo "$root"
)

# start_prometheus ROOT DIR: a node_exporter that serves DIR/textfile and a Prometheus that scrapes
# it each second; sets URL. stop_prometheus ends both.
start_prometheus()
{
	local root=$1 dir=$2 try port i

	# A port may be taken; what listens there is then not ours, so both have to stay alive.
	for try in 1 2 3 4 5; do
		port=$((20000 + RANDOM % 20000))
		rm -rf "$dir/data"
		cat >"$dir/prometheus.yml" <<-END
			global: { scrape_interval: 1s }
			scrape_configs:
			  - job_name: node
			    static_configs: [ { targets: [ "127.0.0.1:$((port + 1))" ] } ]
		END
		"$root/usr/bin/prometheus-node-exporter" --web.listen-address="127.0.0.1:$((port + 1))" \
			--collector.disable-defaults --collector.textfile \
			--collector.textfile.directory="$dir/textfile" >"$dir/exporter.log" 2>&1 &
		EXPORTER_PID=$!
		"$root/usr/bin/prometheus" --web.listen-address="127.0.0.1:$port" \
			--config.file="$dir/prometheus.yml" --storage.tsdb.path="$dir/data" \
			--web.console.templates="$dir" --web.console.libraries="$dir" \
			>"$dir/prometheus.log" 2>&1 &
		PROMETHEUS_PID=$!
		URL=http://127.0.0.1:$port
		for ((i = 0; i < 300; i++)); do
			! "$root/usr/bin/promtool" query instant "$URL" up >/dev/null 2>&1 || break
			kill -0 "$PROMETHEUS_PID" 2>/dev/null || break
			sleep 0.2
		done
		! kill -0 "$PROMETHEUS_PID" "$EXPORTER_PID" 2>/dev/null || [ "$i" = 300 ] || return 0
		stop_prometheus
	done
	echo "Prometheus does not start ($try times):"
	tail -n 5 "$dir"/*.log
	return 1
}

stop_prometheus()
{
	kill "${PROMETHEUS_PID:-}" "${EXPORTER_PID:-}" 2>/dev/null
	wait "${PROMETHEUS_PID:-}" "${EXPORTER_PID:-}" 2>/dev/null
	return 0
}
