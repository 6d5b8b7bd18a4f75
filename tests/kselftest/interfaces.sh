#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What users see: sysfs, netlink and gdrctl agree with each other, keep their
# permissions, and say what is wrong.
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh

TOTALS="buffers attachments mapped preexisting importers_active exporters_active
	pinned_bytes pinned_pages pinned_bytes_sum pinned_bytes_peak mapped_bytes attachments_peak
	attach_total detach_total map_total unmap_total pin_total unpin_total invalidate_total
	untracked_total preexisting_detached_total"
FILES="$TOTALS version start_time_seconds track inexact inexact_reasons failures_total
	failures/attach_total failures/map_total failures/pin_total lost/probe_missed_total
	lost/pool_exhausted_total lost/unknown_detach_total"
SIZE=$((4 * MIB))

# json NAME: the number of a key at the top of a JSON object on stdin
json()
{
	tr -d ' \n' | sed -n "s/.*\"$1\":\\([0-9]*\\)[,}].*/\\1/p"
}

# Which of the files are missing, have another mode or hold no number.
bad_files()
{
	for f in $FILES; do
		[ -e "$GT/$f" ] || { echo "$f: missing"; continue; }
		mode=$(stat -c %a "$GT/$f")
		case $f in track) want=644 ;; *) want=444 ;; esac
		[ "$mode" = $want ] || echo "$f: mode $mode"
		case $f in version | track) continue ;; esac
		grep -qx '[0-9][0-9]*' "$GT/$f" || echo "$f: $(cat "$GT/$f")"
	done
}

other_files()
{
	(cd $GT && find . -type f) | sed 's|^\./||' | while read -r f; do
		case " $(echo "$FILES" | tr '\n\t' '  ') " in *" $f "*) ;; *) echo "$f" ;; esac
	done
}

unreadable()
{
	for f in $FILES; do
		gdrt-as-user cat "$GT/$f" >/dev/null || echo "$f"
	done
}

# Totals that gdrctl's JSON and sysfs do not agree on.
disagree()
{
	text=$(gdrctl -j status)
	for f in $TOTALS; do
		a=$(echo "$text" | json "$f") b=$(gt "$f")
		[ "$a" = "$b" ] || echo "$f: gdrctl '$a', sysfs '$b'"
	done
}

code()
{
	"$@" >/tmp/code.out 2>&1
	echo $?
}

# ids FILE: the ids that gdrt-nl printed
ids()
{
	grep -x '[0-9][0-9]*' "$1"
}

plan 51

# ---- before the module is there
bench_down
is "gdrctl without the module" "$(code gdrctl status)" 3
has "says so" "$(cat /tmp/code.out)" gdr_telemetry
is "netlink without the module" "$(code gdrt-nl status)" 3
# shellcheck disable=SC2119 # no parameters
bench_up
A=$(hca_name 0) B=$(hca_name 1)

# ---- sysfs
is "every file is there, read-only, decimal" "$(bad_files)" ""
is "no other file" "$(other_files)" ""
is "every user can read them" "$(unreadable)" ""
check_not "no other user can write track" gdrt-as-user sh -c "echo all >$GT/track"
is "version is modinfo's" "$(gt version)" "$(modinfo -F version $MODULES/gdr_telemetry.ko)"
now=$(date +%s)
check "start time is now" [ $((now - $(gt start_time_seconds))) -lt 60 ]
is "the module depends on none" "$(modinfo -F depends $MODULES/gdr_telemetry.ko)" ""

# ---- values
holder h
must h buffer $SIZE gpu=1
INODE=$(field "$VALUE" inode)
must h reg 0 "$A"
must h buffer "$MIB"
must h reg 1 "$B"
PID=$(holder_pid h)
is "gdrctl status and sysfs agree" "$(disagree)" ""
is "status is open to every user" "$(code gdrt-as-user gdrctl status)" 0
text=$(gdrctl -j -p attachment importer "$(hca_bdf "$A")")
is "importer" "$(echo "$text" | grep -o "\"importer\": *\"[^\"]*\"" | cut -d'"' -f4)" "$(hca_bdf "$A")"
is "RDMA device" "$(echo "$text" | tr -d ' \n' | grep -o "\"importer_ibdevs\":\[[^]]*\]")" \
	"\"importer_ibdevs\":[\"$A\"]"
is "driver" "$(echo "$text" | grep -o "\"importer_driver\": *\"[^\"]*\"" | cut -d'"' -f4)" mlx5_core
is "exporter's module" "$(echo "$text" | grep -o "\"exporter_module\": *\"[^\"]*\"" | cut -d'"' -f4)" \
	nvidia
is "exporter's name" "$(echo "$text" | grep -o "\"exporter_name\": *\"[^\"]*\"" | cut -d'"' -f4)" \
	nv_dmabuf
is "size" "$(echo "$text" | json size_bytes)" $SIZE
is "pid" "$(echo "$text" | json pid)" "$PID"
is "comm" "$(echo "$text" | grep -o "\"comm\": *\"[^\"]*\"" | cut -d'"' -f4)" gdrt-reg
is "buffer is the inode" "$(echo "$text" | json buffer)" "$INODE"
has "mapped" "$(echo "$text" | tr -d ' ')" '"mapped":true'
has "pinned" "$(echo "$text" | tr -d ' ')" '"pinned":true'

# ---- filters
count()
{
	gdrctl -j attachment "$@" | grep -o '"id":' | wc -l
}
is "no filter" "$(count)" 2
is "importer by RDMA device" "$(count importer "$B")" 1
is "exporter by module" "$(count exporter nvidia)" 2
is "pid" "$(count pid "$PID")" 2
is "another pid" "$(count pid 1)" 0
is "buffer" "$(count buffer "$INODE")" 1
is "two filters" "$(count buffer "$INODE" importer "$B")" 0
ID=$(gdrt-nl dump | head -n 1)
is "id" "$(count id "$ID")" 1

# ---- errors of netlink
is "the list needs CAP_NET_ADMIN" "$(gdrt-as-user gdrt-nl dump)" \
	"errno 1 messages 0 interrupted 0 extack "
is "one record does, too" "$(gdrt-as-user gdrt-nl get "$ID")" \
	"errno 1 messages 0 interrupted 0 extack "
is "status does not" "$(gdrt-as-user gdrt-nl status)" "errno 0 messages 1 interrupted 0 extack "
has "an id that is none" "$(gdrt-nl get 999999)" "errno 2 messages 0 interrupted 0 extack no "
has "no id" "$(gdrt-nl no-id)" "errno 22 messages 0 interrupted 0 extack the id"
# Each with a text.
for what in short-id unknown-attribute dump-unknown-attribute dump-short-pid; do
	text=$(gdrt-nl $what)
	case $text in
	*"extack ") diag "no text: $text"; fail "$what" ;;
	"errno 22 "* | "errno 34 "*) pass "$what is refused, with a reason" ;;
	*) diag "$text"; fail "$what is refused, with a reason" ;;
	esac
done
has "a command that is none" "$(gdrt-nl unknown-command)" "errno 95 "

# ---- exit codes of gdrctl
is "no permission" "$(code gdrt-as-user gdrctl attachment)" 2
is "an object that is none" "$(code gdrctl nonsense)" 1
is "a filter that is none" "$(code gdrctl attachment nonsense 1)" 1
is "a filter without a value" "$(code gdrctl attachment pid)" 1
is "a word that begins several filters" "$(code gdrctl attachment i 1)" 1
holder_quit h

# ---- a long list, while it changes
N=3000
holder l
must l buffer "$MIB"
must l attach 0 0 static $N
compare "$N attachments" attachments=$N
gdrt-nl dump >/tmp/dump
is "a dump has each" "$(ids /tmp/dump | wc -l)" $N
is "exactly once" "$(ids /tmp/dump | sort -n | uniq -d | wc -l)" 0
ids /tmp/dump | sort >/tmp/steady
touch /tmp/go
(printf 'buffer 1048576\n'; while [ -e /tmp/go ]; do
	printf 'attach 0 1 static 50\n'; sleep 0.1; done; echo quit) | gdrt-reg >/dev/null &
PID_other=$!
bad=''
for _ in 1 2 3 4 5; do
	gdrt-nl dump >/tmp/dump
	ids /tmp/dump | sort >/tmp/sorted
	[ -z "$(uniq -d /tmp/sorted)" ] || bad="$bad twice:$(uniq -d /tmp/sorted | wc -l)"
	missing=$(sort -u /tmp/sorted /tmp/steady | wc -l)
	[ "$missing" = "$(wc -l </tmp/sorted)" ] || bad="$bad missing"
done
rm /tmp/go
wait $PID_other
is "and while others come, each that stays exactly once" "$bad" ""
holder_quit l
compare "all gone" attachments=0
finish
