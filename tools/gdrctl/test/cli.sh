#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The command line as users meet it. Needs no module; where one is loaded the exit codes differ.
set -u
: "${GDRCTL:?path of gdrctl}"
n=0 rc=0
plan=136
absent=3
[ ! -e /sys/module/gdr_telemetry ] || absent=0

# expect CODE PATTERN WORD...: gdrctl WORD... exits with CODE and prints something like PATTERN
expect()
{
	local code=$1 pattern=$2 out got
	shift 2

	out=$("$GDRCTL" "$@" 2>&1)
	got=$?
	n=$((n + 1))
	# shellcheck disable=SC2254 # a pattern
	case $got:$out in
	$code:$pattern) echo "ok $n gdrctl $*" ;;
	*)
		rc=1
		echo "not ok $n gdrctl $*"
		printf '# wanted %s, %s; got %s:\n' "$code" "$pattern" "$got"
		printf '%s\n' "$out" | sed 's/^/# | /'
		;;
	esac
}

# completes WORDS LINE...: the words after the tool's name complete to LINEs
completes()
{
	local words=$1 want out
	shift

	want=$(printf '%s\n' "$@")
	# shellcheck disable=SC2086 # words
	out=$("$GDRCTL" --complete $words | sort)
	n=$((n + 1))
	if [ "$out" = "$want" ]; then
		echo "ok $n completes $words"
	else
		rc=1
		echo "not ok $n completes $words"
		printf '%s\n' "$out" | sed 's/^/# | /'
	fi
}

echo "TAP version 13"
echo "1..$plan"
expect 1 '*Usage: gdrctl*'
expect 0 'gdrctl [0-9]*' -V
expect 0 'gdrctl [0-9]*' --version
expect 0 '*Usage: gdrctl*' -h
expect 0 '*Usage: gdrctl*' help
expect 0 '*Usage: gdrctl*attachment*Filters*' help attachment
expect 0 '*Usage: gdrctl*attachment*Filters*' attachment help
expect 0 '*Usage: gdrctl*attachment*Filters*' att show pid 1 -h
expect 0 '*Usage: gdrctl*status*' help st
expect 1 '*unknown object "frob"*status, attachment,*help*' frob
expect 1 '*unknown object "frob"*' help frob
expect 1 '*unknown object "Leak"; try gdrctl owner*snapshot*' Leak
expect 1 '*unknown object "pod"; try gdrctl owner cgroup*' help pod
expect 1 '*unknown object ""*' ''
expect 1 '*unknown option "-x"*' -x status
expect 1 '*unknown option "--jsn"*' status --jsn
expect 1 '*unknown command "frob"*show, help*' status frob
expect 1 '*takes no word, not "pid"*' status show pid
expect 1 '*"h" is ambiguous: help, hca*' attachment h
expect 1 '*unknown filter "frob"*' attachment show frob
expect 1 '*"i" is ambiguous: importer, id*' attachment show i
expect 1 '*pid needs a value: pid PID*' attachment pid
expect 1 '*pid "x": not a process id*' attachment pid x
expect 1 '*hca "81:00": neither a BDF*' attachment hca 81:00
expect 1 '*hca "mlx5_99": no such RDMA device*' attachment hca mlx5_99
expect 1 '*given twice*' attachment hca 81:00.0 importer 82:00.0
expect 1 '*goes with no other filter*' attachment id 1 pid 1
expect 1 '*unknown object "\\x1b*' $'\e[2J'
expect 1 '*cgroup "x": neither a path*' owner cgroup cgroup x
expect 1 '*unknown filter "pid"*possible: gpu, exporter*' exporter show pid 1
expect 1 '*gpu "99": no such GPU, by index or UUID*' pair gpu 99
expect 1 '*gpu "GPU-00": no such GPU*' owner gpu GPU-00
expect 1 '*cgroup "abc": neither a path*' owner show cgroup abc
expect 1 '*module "a.ko": not the name*' holders module a.ko
expect 1 '*unknown filter "id"*' buffer show id 1
expect 1 '*unknown command "pid"*' probe pid 1
expect 0 '*Usage: gdrctl*owner*cgroup*Filters*' owner cgroup -h
# A value may look like an option.
expect 1 '*pid "-1": not a process id*' attachment pid -1
expect 1 '*unknown command or word "frob"*gpu, hca, source, case, size*' test run frob
expect 1 '*unknown case "frob"*limit-fds, *gpu-to-gpu*' test case frob
expect 1 '*case "w" is ambiguous: wrong-fd, *write*' test case w
expect 1 '*unknown source "host"*cuda, cuda-vmm, cuda-pcie, udmabuf, dma-heap*' test source host
expect 1 '*size "1T": bytes*' test size 1T
expect 1 '*size "1": bytes*' test size 1
expect 1 '*hca needs a value*' test hca
expect 1 '*hca "mlx5_99": no such RDMA device*' test hca mlx5_99
expect 1 '*gpu "nvidia": neither*' test gpu nvidia
expect 1 '*--quick takes no value*' test --quick=1
expect 1 '*test list takes no word*' test list gpu
expect 0 '*CASE*limit-fds*gpu-to-gpu*' test list
completes "test s" size source
completes "test case wri" write write-from
completes "test source u" udmabuf
completes "test --k" --ktap
expect 1 '*"EFOO" is no errno and no stage*EOPNOTSUPP*524*verbs, umem*id ID*' explain EFOO
expect 1 '*"\\x1b*" is no errno*' explain $'\e[2J'
expect 1 '*"200" is no errno*' explain 200
expect 0 '*attach: ENOTSUPP (524)*' explain "Unknown error 524"
expect 0 '*map: ENOMEM (12)*' explain "ibv_reg_dmabuf_mr failed: Cannot allocate memory"
expect 0 '*verbs: EOPNOTSUPP (95)*' explain Operation not supported
expect 0 '*"errno_name":"ENOTSUPP"*' explain unknown error 524 -j
expect 0 'map: ENOMEM (12)*BAR1*' explain map "Cannot allocate memory"
expect 1 '*"Cannot" is no errno*"Unknown error 524"*' explain Cannot allocate
expect 1 '*several errnos*' explain "Bad address: Cannot allocate memory"
expect 1 '*explain what?*' explain
expect 1 '*explain what?*' explain show
expect 1 '*two errnos*' explain 12 14
expect 1 '*two stages*' explain map hw
expect 1 '*"u" is ambiguous: umem, unknown*' explain u
expect 1 '*id "x": not an id*' explain id x
expect 1 '*id "": not an id*' explain id
expect 1 '*go with no other word*' explain last 12
expect 0 '*before: EPROTONOSUPPORT (93)*older than 5.12*' explain 93
expect 0 '*attach: ENOTSUPP (524)*FORCE_PCIE*' explain enotsupp
expect 0 '*map: ENOMEM (12)*BAR1*' explain -- -12 m
expect 0 '*before: EFAULT (14)*verbs: EFAULT (14)*hw: EFAULT (14)*' explain EFAULT
expect 0 '*attach: EXDEV (18)*its own*' explain EXDEV
expect 1 '*stage "x"; possible: verbs*' failure stage x
expect 1 '*errno "EFOO": no errno*' failure errno EFOO
expect 1 '*since "10y": not a time*' failure log since 10y
expect 1 '*since "99999999999d": not a time*' failure log since 99999999999d
expect 1 '*unknown filter "pid"*' failure show pid 1
expect 1 '*unknown filter "pid"*' latency show pid 1
expect 1 '*metrics takes no word, not "x"*--textfile PATH*' metrics show x
expect 1 '*--textfile needs a value: --textfile PATH*' metrics --textfile
expect 1 '*--openmetrics takes no value*' metrics --openmetrics=1
expect 1 '*of the options only -n*' metrics -j
expect 1 '*unknown option "--textfile"*' --textfile x metrics
expect 1 '*unknown option "--textfile=x"*' status --textfile=x
golden=$(cd "$(dirname "$0")/golden" && pwd)
expect 0 '*Usage: gdrctl*snapshot save FILE*snapshot diff FILE*' help snapshot
expect 1 '*snapshot needs a command: save, diff*' snapshot
expect 1 '*unknown command "before"*save, diff*' snapshot before
expect 1 '*snapshot save needs a file*' snapshot save
expect 1 '*no more than 1 file: what is "y"?' snapshot save x y
expect 1 '*of the options only -n*' -j snapshot save x
expect 1 '*no more than 2 files: what is "z"?' snapshot diff x y z
expect 1 '*only one of the two can be standard input' snapshot diff - -
expect 2 '*cannot read "/nonexistent/x": No such file*' snapshot diff /nonexistent/x y
expect 2 '*/snapshot-list.json": it is JSON, but no snapshot*' \
	snapshot diff "$golden/snapshot-list.json" y
expect 0 'From *No difference.' snapshot diff "$golden/snapshot.saved" "$golden/snapshot.saved"
expect 0 'Report of gdrctl*== system*== status*' report
expect 0 '{"format":"gdrctl-report"*}' -j report --anonymous -
expect 0 '*Usage: gdrctl*report \[show\] \[FILE|-\]*--anonymous*' report -h
expect 1 '*one file: what is "y"?' report x y
expect 1 '*-o does not go with it' -o report
expect 2 '*cannot write "/nonexistent/x"*' report --anonymous /nonexistent/x
expect 0 '*Usage: gdrctl*top \[show\] \[KEY VALUE\]*--batch*Keys: q*' help top
if [ -x "${GDRCTL%/*}/gdrctl-top" ]; then
	expect 0 '*Objects*  top  *' help
	expect 0 '*Usage: gdrctl*top*--batch*' top -h
	expect 1 '*--batch "x": not a number*' top --batch x
	expect 1 '*unknown filter "frob"*' -n top show frob
	expect 1 '*of the options only -n and --bytes*' -j top
	expect "$absent" '*' --bytes top --batch 1 --view pair
else
	expect 0 '*' help
	for word in -h '--batch x' frob -j '--batch 1'; do
		# shellcheck disable=SC2086 # words
		expect 2 '*gdrctl-top is not installed: it is in the package gdrctl-extra*' top $word
	done
fi
# One that is nowhere: not beside this gdrctl, and not in PATH.
alone=$(mktemp -d)
cp "$GDRCTL" "$alone/gdrctl"
there=$GDRCTL GDRCTL=$alone/gdrctl path=$PATH
PATH=$alone
out=$("$GDRCTL" help)
expect 2 '*gdrctl-top is not installed: it is in the package gdrctl-extra*' top
PATH=$path
printf '#!/bin/sh\necho "$*"\nexit 7\n' >"$alone/gdrctl-top"
chmod +x "$alone/gdrctl-top"
expect 7 '--numeric --bytes a -h' -n --bytes top a -h
expect 7 'b' to b
GDRCTL=$there
rm -r "$alone"
n=$((n + 1))
case $out in
*'  top  '*)
	rc=1
	echo "not ok $n help on what is not there" ;;
*) echo "ok $n help on what is not there" ;;
esac
if [ "$absent" = 3 ]; then
	expect 3 '*is not loaded*' snapshot save /nonexistent/x
	expect 3 '*is not loaded*' snapshot diff /nonexistent/x
else
	expect 2 '*cannot write "/nonexistent/x"*' snapshot save /nonexistent/x
	expect 2 '*cannot read "/nonexistent/x"*' snapshot diff /nonexistent/x
fi
if [ "$absent" = 3 ]; then
	expect 3 '*is not loaded*' metrics --textfile /nonexistent/x -n
	expect 3 '*is not loaded*' explain last
	expect 3 '*is not loaded*' failure log since 10m stage map errno 12 pid 1
	expect 3 '*is not loaded*modprobe gdr_telemetry*' status
	expect 3 '*{"absent":"*","release":"*","fix":"*"*}*' -j status
	expect 3 '*is not loaded*modprobe gdr_telemetry*' -jp attachment comm -j hca 81:00.0 -d
else
	expect 0 '*' failure log since 10m stage map errno 12 pid 1
	expect 2 '*cannot write "/nonexistent/x"*' metrics --textfile /nonexistent/x -n
	expect 0 '*readings*' status
	expect 0 '*{"version":"*' -j status
	expect 0 '*' -jp attachment comm -j hca 81:00.0 -d
fi
for object in buffer importer exporter pair owner 'owner cgroup' 'owner pair' holders probe; do
	# shellcheck disable=SC2086 # words
	if [ "$absent" = 3 ]; then
		expect 3 '*is not loaded*' $object
	else
		expect 0 '*' $object
	fi
done
completes "st" status
completes "owner c" cgroup comm
completes "holders m" module
completes "attachment h" hca help
completes "--b" --bytes
completes "-j attachment show im" importer
completes "explain h" help hw
completes "explain EO" EOPNOTSUPP
completes "metrics --t" --textfile
completes "status --t" ''
exit "$rc"
