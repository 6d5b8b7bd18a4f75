#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The kernel's own netlink client with our specification, against the module as
# it runs: every operation and the events, compared with what our test client
# reads; and the policy of the family, compared with the specification.
# In the Debian root.
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh

SPEC=/gdrt/source/Documentation/netlink/specs/gdr-telemetry.yaml

# Validating the specification against its schema takes long, and is done once.
NO_SCHEMA=''

ynl()
{
	# shellcheck disable=SC2086 # a word or none
	python3 /gdrt/source/tools/net/ynl/cli.py --spec $SPEC $NO_SCHEMA --output-json "$@"
}

# Sets of flags have no order; numbers and names stay as they are.
normal()
{
	jq -S 'walk(if type == "array" and all(.[]; type == "string") then sort else . end)'
}

# ours do|dump WORDS...: records as JSON; a dump is a list
ours()
{
	if [ "$1" = dump ]; then
		gdrt-nl -j "$@" | grep '^{' | jq -s . | normal
	else
		gdrt-nl -j "$@" | grep '^{' | normal
	fi
}

# same NAME do|dump OPERATION JSON SET WORDS...: both clients read the same. What was read is kept
# for a look at which attributes came.
same()
{
	same_name=$1 same_mode=$2 same_op=$3 same_json=$4
	shift 4
	if ynl "--$same_mode" "$same_op" ${same_json:+--json "$same_json"} >/tmp/raw 2>/tmp/ynl.err &&
	   normal </tmp/raw >/tmp/theirs && ours "$same_mode" "$@" >/tmp/ours &&
	   [ -s /tmp/ours ] && diff /tmp/ours /tmp/theirs >/tmp/diff; then
		cat /tmp/theirs >>"/tmp/seen.$same_op"
		pass "$same_name"
	else
		diag "$(cat /tmp/ynl.err /tmp/diff)"
		fail "$same_name"
	fi
}

# keys FILE: of all records in it
keys()
{
	jq -r 'if type == "array" then .[] else . end | keys[]' "$1" | sort -u
}

# replies OPERATION: attributes that the specification has in its reply
replies()
{
	awk -f /gdrt/tests/lib/spec.awk $SPEC | sed -n "s/^reply $1 //p" | sort
}

# What the specification says of requests, with the numbers of commands and attributes.
spec_policy()
{
	awk -f /gdrt/tests/lib/spec.awk $SPEC | awk '
		$1 == "attr" { number[$2] = $4 }
		$1 == "op" { op[$3] = $2; sub(" " $3, ""); print }
		$1 == "request" { request[++n] = $2 " " $3 " " $4 }
		$1 == "group"
		END {
			for (i = 1; i <= n; i++) {
				split(request[i], r, " ")
				print "request", op[r[1]], number[r[2]], r[3]
			}
		}' | sort
}

# The same from the kernel, which has one policy for do and dump.
kernel_policy()
{
	gdrt-nl family | awk '
		$1 == "op" || $1 == "group" { print }
		$1 == "op-policy" { ops[$4] = ops[$4] " " $2 }
		$1 == "policy" {
			n = split(ops[$2], o)
			for (i = 1; i <= n; i++)
				if (!seen[o[i], $3]++)
					print "request", o[i], $3, $4
		}' | sort
}

# A registration that the exporter refuses
refused()
{
	switch attach_errno 22
	tell h reg 0 "$A"
	switch attach_errno 0
}

plan 31
# shellcheck disable=SC2119 # no parameters
bench_up
A=$(hca_name 0)
A_BDF=$(hca_bdf "$A")
GPU0=$(bdfs 0x10de 0x03 | sed -n 1p)

# A scene in which every attribute is there; one process ends and leaves an orphan.
holder h
must h buffer $((4 * MIB)) gpu=0
INODE=$(field "$VALUE" inode)
must h reg 0 "$A"
must h attach 0 0 dynamic 2
must h map 1
holder o
must o buffer "$MIB" gpu=1
must o reg 0 "$A"
must o fork
CHILD=$VALUE
holder_kill o
orphan()
{
	[ "$(gt orphans)" = 1 ]
}
check "there is an orphan" wait_for 20 orphan

same "status-get" "do" status-get '' status
NO_SCHEMA=--no-schema
same "attachment-get, do" "do" attachment-get '{"id": 1}' attachment id=1
same "attachment-get, dump" dump attachment-get '' attachment
same "attachment-get, filters" dump attachment-get \
	"{\"importer\": \"$A_BDF\", \"exporter\": \"$GPU0\", \"pid\": $(holder_pid h), \"buffer\": $INODE}" \
	attachment importer="$A_BDF" exporter="$GPU0" pid="$(holder_pid h)" buffer="$INODE"
is "which leave one" "$(jq length /tmp/theirs)" 1
same "buffer-get, do" "do" buffer-get "{\"inode\": $INODE}" buffer inode="$INODE"
same "buffer-get, dump" dump buffer-get '' buffer
same "device-get, do" "do" device-get "{\"role\": \"exporter\", \"name\": \"$GPU0\"}" \
	device role=1 name="$GPU0"
same "device-get, dump" dump device-get '' device
same "device-get, filter" dump device-get '{"role": "importer"}' device role=0
same "pair-get, do" "do" pair-get "{\"exporter\": \"$GPU0\", \"importer\": \"$A_BDF\"}" \
	pair exporter="$GPU0" importer="$A_BDF"
same "pair-get, dump" dump pair-get '' pair
refused
same "failure-get, dump" dump failure-get '' failure
same "failure-log-get, dump" dump failure-log-get '' failure-log
same "latency-get, dump" dump latency-get '' latency
# An MR that is registered again is for the suite mr.
for op in status attachment buffer device pair failure failure-log latency; do
	is "$op-get: each attribute of the reply came, and no other" \
		"$(keys "/tmp/seen.$op-get" | tr '\n' ' ')" \
		"$(replies "$(echo $op | tr "[:lower:]-" "[:upper:]_")_GET" | grep -vx mr-changed | tr '\n' ' ')"
done
ynl --do attachment-get --json '{"id": 999999}' >/tmp/refused 2>&1
has "it shows why a request is refused" "$(cat /tmp/refused)" "no live attachment has this id"

# ---- events
gdrt-nl -j events >/tmp/ours.events &
PID_listener=$!
wait_for 10 grep -q joined /tmp/ours.events
ynl --subscribe events --sleep 12 >/tmp/theirs.events 2>/tmp/ynl.err &
PID_ynl=$!
# Both sockets are in a group of generic netlink, and no other is.
joined()
{
	[ "$(awk '$2 == 16 && $4 != "00000000"' /proc/net/netlink | wc -l)" -ge 2 ]
}
wait_for 120 joined || diag "ynl has not joined: $(cat /tmp/ynl.err /proc/net/netlink)"
must h attach 0 0 dynamic
must h map "$VALUE"
must h invalidate 0
must h attach 0 0 pinned
must h reg 0 "$A"
refused
wait $PID_ynl
kill $PID_listener
jq '.[] | select(.name == "event") | .msg' /tmp/theirs.events | jq -s . | normal >/tmp/theirs
grep '^{' /tmp/ours.events | jq -s . | normal >/tmp/ours
is "events: both clients hear the same" "$(diff /tmp/ours /tmp/theirs; cat /tmp/ynl.err)" ""
check "there were some" [ "$(jq length /tmp/theirs)" -ge 4 ]
is "with each attribute of an event, but those of an orphan and of an MR registered again" \
	"$(keys /tmp/theirs | tr '\n' ' ')" \
	"$(replies EVENT | grep -vx -e exited -e mr-changed | tr '\n' ' ')"

# ---- the specification and the policy of the module that runs
spec_policy >/tmp/spec.policy
kernel_policy >/tmp/kernel.policy
is "operations, groups and request attributes are those of the specification" \
	"$(diff /tmp/spec.policy /tmp/kernel.policy)" ""
check "there are some" [ "$(grep -c ^request /tmp/kernel.policy)" -ge 10 ]

kill -KILL "$CHILD"
holder_quit h
check "all gone" wait_for 20 gdrt-compare attachments=0
finish
