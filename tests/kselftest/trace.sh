#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The tracepoints gdr_telemetry:* through Debian's trace-cmd and bpftrace: what
# they show of one registration, of its deregistration, and of a registration
# that fails.
# In the Debian root.
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh

SIZE=$((4 * MIB))
LENGTH=12288
TOO_LONG=$((SIZE + 4096))

# What is traced, on one CPU, as bpftrace does not sort what comes from several. It notes who it
# was, and what it was told, beside itself.
scene()	# FILE
{
	printf '%s\n' "buffer $SIZE gpu=1" "reg 0 $A 4096 $LENGTH" "dereg 0" \
		"reg 0 $A 0 $TOO_LONG" quit >"$1.in"
	cat >"$1" <<-END
		#!/bin/sh
		taskset -c 0 gdrt-reg <$1.in >$1.out &
		echo \$! >$1.pid
		wait \$!
	END
	chmod +x "$1"
}

# fields EVENT FILE FIELD...: their values where the report tells of it; all of them if it does
# so more than once
fields()
{
	fields_e=$1 fields_f=$2
	shift 2
	sed -n "s/.*[ :]gdrt_$fields_e: *//p" "$fields_f" | while read -r fields_line; do
		for fields_n in "$@"; do
			field "$fields_line" "$fields_n"
		done
	done | tr '\n' ' '
}

# told NAME SCENE REPORT PLACEMENT STAGE: 9 results; the latter as the program shows them
told()
{
	told_pid=$(cat "$2.pid") told_inode=$(field "$(head -n 1 "$2.out")" inode)
	for told_e in attach map register deregister detach; do
		# Which GPU it is, is known from the first mapping on.
		told_exporter=$GPU told_mr=0
		case $told_e in
		attach) told_exporter=nvidia ;;
		register | deregister) told_mr=$LENGTH ;;
		esac
		is "$1: gdrt_$told_e" \
			"$(fields $told_e "$3" inode size exporter importer pid mr_length)" \
			"$told_inode $SIZE $told_exporter $BDF $told_pid $told_mr "
	done
	is "$1: where the mapping leads" "$(fields map "$3" placement)" "$4 "
	is "$1: gdrt_fail" "$(fields fail "$3" stage importer error length pid)" \
		"$5 $BDF -22 $TOO_LONG $told_pid "
	is "$1: in this order" \
		"$(grep -oE 'gdrt_(attach|map|register|deregister|detach|fail):' "$3" | tr '\n' ' ')" \
		"gdrt_attach: gdrt_map: gdrt_register: gdrt_deregister: gdrt_detach: gdrt_fail: "
	is "$1: all of one attachment" \
		"$(for told_e in attach map register deregister detach; do
			fields $told_e "$3" id; done | xargs -rn 1 | sort -u | wc -l)" 1
}

# Each tracepoint of an attachment has the same fields.
script()
{
	script_sep=''
	for script_e in attach map register deregister detach; do
		printf '%stracepoint:gdr_telemetry:gdrt_%s' "$script_sep" $script_e
		script_sep=', '
	done
	cat <<-'END'
		 {
			printf("%s: id=%llu inode=%llu size=%llu exporter=%s importer=%s placement=%u pid=%d mr_length=%llu\n",
			       probe, args->id, args->inode, args->size, args->exporter,
			       args->importer, args->placement, args->pid, args->mr_length);
		}
		tracepoint:gdr_telemetry:gdrt_fail {
			printf("%s: stage=%u error=%d importer=%s length=%llu pid=%d\n",
			       probe, args->stage, args->error, args->importer, args->length,
			       args->pid);
		}
	END
}

plan 23
# shellcheck disable=SC2119 # no parameters
bench_up
A=$(hca_name 0)
BDF=$(hca_bdf "$A")
GPU=$(gpu_bdf 1)
WELL="ok 0 ok 0 ok error 22 Invalid argument ok "

is "trace-cmd lists the tracepoints" \
	"$(trace-cmd list -e '^gdr_telemetry:' | grep -o 'gdrt_.*' | sort | tr '\n' ' ')" \
	"gdrt_attach gdrt_deregister gdrt_detach gdrt_fail gdrt_invalidate gdrt_map gdrt_pin gdrt_register gdrt_unmap gdrt_unpin "

scene /tmp/one
check "trace-cmd records a registration" \
	trace-cmd record -q -e gdr_telemetry -o /tmp/trace.dat /tmp/one
is "which went as it should" "$(sed 's/ inode=.*//' /tmp/one.out | tr '\n' ' ')" "$WELL"
trace-cmd report -q -i /tmp/trace.dat >/tmp/report
diag "$(cat /tmp/report)"
told "trace-cmd" /tmp/one /tmp/report peer-bar umem

scene /tmp/two
script >/tmp/script.bt
# It starts the command when it listens, and ends with it.
check "bpftrace prints a registration" bpftrace -o /tmp/printed -c "/usr/bin/sh /tmp/two" /tmp/script.bt
is "which went so, too" "$(sed 's/ inode=.*//' /tmp/two.out | tr '\n' ' ')" "$WELL"
diag "$(cat /tmp/printed)"
told "bpftrace" /tmp/two /tmp/printed 1 2
finish
