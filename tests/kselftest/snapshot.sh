#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# gdrctl snapshot: a scene is saved, changed, and compared; each difference must be what was done,
# and what sysfs says. Then the module is loaded again, and nothing may be subtracted.
# In the Debian root.
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh
# shellcheck source=tests/lib/scene.sh
. /gdrt/tests/lib/scene.sh

cd /tmp || exit 1

# rows JQ FILE...: a line for each difference that the filter lets pass, of the values it names
rows()
{
	rows_jq=$1
	shift
	gdrctl -j snapshot diff "$@" | jq -r ".[] | $rows_jq | map(tostring) | join(\" \")"
}

# what WHAT VALUES [FILE...]: those of one kind
what()
{
	what_of=$1 what_values=$2
	shift 2
	rows "select(.what == \"$what_of\") | [$what_values]" "$@"
}

bench_down
plan 84

# ---- without the module
is "save without the module" "$(code gdrctl snapshot save s) $(grep -c 'is not loaded' /tmp/code.err)" \
	"3 1"
is "it leaves no file" "$(ls s s.* 2>/dev/null)" ""

# shellcheck disable=SC2119 # no parameters
bench_up
scene_names

# ---- before the job
check "save nothing" gdrctl snapshot save s0
is "for its owner alone" "$(stat -c %a s0)" 600
is "the file names itself" "$(jq -r '[.format, .format_version, .boot_id, .status.version] |
	map(tostring) | join(" ")' s0)" \
	"gdrctl-snapshot 1 $(cat /proc/sys/kernel/random/boot_id) $(gt version)"
holder a
holder b
PA=$(holder_pid a) PB=$(holder_pid b)
must a buffer $((4 * MIB)) gpu=0
must a reg 0 "$N0"
must a reg 0 "$N1"
must a buffer $((2 * MIB)) gpu=1
must a reg 1 "$N2"
must b buffer "$MIB" gpu=0
must b reg 0 "$N0"
switch attach_errno 22
tell b reg 0 "$N1"
switch attach_errno 0
check "save" gdrctl snapshot save s1
for part in status importers exporters pairs attachments buffers owners failures latencies; do
	case $part in
	status) words=status ;;
	latencies) words=latency ;;
	*) words=${part%s} ;;
	esac
	is "$part in it are what -j gives" \
		"$(jq -cS ".$part | walk(if type == \"object\" then
			with_entries(select(.key | test(\"age_ns\$|time_seconds\$\") | not)) else . end)" s1)" \
		"$(gdrctl -j "$words" | jq -cS "walk(if type == \"object\" then
			with_entries(select(.key | test(\"age_ns\$|time_seconds\$\") | not)) else . end)")"
done
is "the rest is there" "$(jq -r '[.cgroups, .failure_log] | map(length > 0) | join(" ")' s1)" "true true"
is "no difference, in words" "$(code gdrctl snapshot diff s1) $(tail -n 1 /tmp/code.out)" \
	"0 No difference."
is "and in JSON" "$(rows '[.what, .change]' s1)" "snapshot same-load"
is "up to a file" "$(rows '[.what, .change]' s1 s1)" "snapshot same-load"
is "from nothing" "$(what owner '.pid, .change, .attachments_after, .pinned_bytes_after' s0 s1 | sort)" \
	"$(sort <<-WANTED
	$PA new 3 $((6 * MIB))
	$PB new 1 $MIB
	WANTED
)"

# ---- the job: a gives up two; c registers, goes, and leaves a child; d and b fail
ID0=$(gdrctl -j attachment pid "$PA" hca "$N0" | jq '.[].id')
ID2=$(gdrctl -j attachment pid "$PA" hca "$N2" | jq '.[].id')
must a dereg 0
must a dereg 2
holder c
PC=$(holder_pid c)
must c buffer $((8 * MIB)) gpu=1
must c reg 0 "$N3"
ID3=$(gdrctl -j attachment pid "$PC" | jq '.[].id')
must c fork
CCHILD=$VALUE
holder_of gdrt-fail d
PD=$(holder_pid d)
must d buffer $((4 * MIB))
switch attach_errno 524
must d reg "$N2" buffer=0 count=3
switch attach_errno 22
tell b reg 0 "$N1"
switch attach_errno 0
holder_quit d
holder_kill c
check "the attachment of the one that ended is an orphan" wait_for 30 orphaned 1
check "save again" gdrctl snapshot save s2

is "what leaks" "$(what orphan '.change, .id, .exporter, .importer, .pid, .comm, .mrs_after,
	.pinned_bytes_after' s1)" "new $ID3 $G1 $H3 $PC gdrt-reg 1 $((8 * MIB))"
is "it is told first" "$(gdrctl -j snapshot diff s1 | jq -r '.[1].what')" orphan
is "by process" "$(what owner '.pid, .change, .attachments_before // "-", .attachments_after // "-",
	.pinned_bytes_before // "-", .pinned_bytes_after // "-", .new_failures // 0' s1 | sort)" \
	"$(sort <<-WANTED
	$PA changed 3 1 $((6 * MIB)) $((4 * MIB)) 0
	$PB changed 1 1 $MIB $MIB 1
	$PC new - 1 - $((8 * MIB)) 0
	$PD failed - - - - 3
	WANTED
)"
is "by pair" "$(what pair '.exporter, .importer, .change, .attachments_before // 0, .attachments_after,
	.mrs_after, .pinned_bytes_before // 0, .pinned_bytes_after, .failures_total_before // 0,
	.failures_total_after' s1 | sort)" "$(sort <<-WANTED
	$G0 $H0 changed 2 1 1 $((5 * MIB)) $MIB 0 0
	$G0 $H1 changed 1 1 1 $((4 * MIB)) $((4 * MIB)) 1 2
	$G1 $H2 changed 1 0 0 $((2 * MIB)) 0 0 0
	$G1 $H3 new 0 1 1 0 $((8 * MIB)) 0 0
	WANTED
)"
is "by errno" "$(what failure '.importer, .stage, .errno_name, .change, .count_before // 0,
	.count_after' s1 | sort)" "$(sort <<-WANTED
	$H1 attach EINVAL changed 1 2
	$H2 attach ENOTSUPP new 0 3
	WANTED
)"
is "by attachment" "$(what attachment '.id, .change, .importer, .pid, .pinned_bytes_before // 0,
	.pinned_bytes_after // 0' s1)" "$ID0 gone $H0 $PA $((4 * MIB)) 0
$ID2 gone $H2 $PA $((2 * MIB)) 0
$ID3 new $H3 $PC 0 $((8 * MIB))"
for name in attachments pinned_bytes mrs mr_bytes register_total deregister_total orphans; do
	is "$name of sysfs" "$(rows "select(.name == \"$name\") | [.value_after]" s1)" "$(gt $name)"
done
is "two files say what one and now say" "$(gdrctl -j snapshot diff s1 s2 | jq -cS '.[1:]')" \
	"$(gdrctl -j snapshot diff s1 | jq -cS '.[1:]')"
is "from standard input" "$(gdrctl -j snapshot diff - s2 <s1 | jq -cS .)" \
	"$(gdrctl -j snapshot diff s1 s2 | jq -cS .)"
is "one line a difference" "$(gdrctl -o snapshot diff s1 s2 | wc -l)" \
	"$(gdrctl -j snapshot diff s1 s2 | jq length)"
has "for people" "$(gdrctl --bytes snapshot diff s1 s2 | tr -s ' ')" \
	"$PA gdrt-reg changed -2 0 -2 -$((6 * MIB)) -$((2 * MIB)) -"
is "the older one comes first" "$(code gdrctl snapshot diff s2 s1) $(grep -c 'older one first' /tmp/code.err)" \
	"1 1"

# ---- files
head -c 2000 s1 >cut.json
is "one that is cut off" "$(code gdrctl snapshot diff cut.json s2) $(grep -c '"cut.json": it is cut off' /tmp/code.err)" \
	"2 1"
cp s1 kept
is "one that cannot be written" "$(code gdrctl snapshot save /proc/s1) $(ls /proc/s1* 2>/dev/null)" "2 "
check "one that is there already" gdrctl snapshot save kept
is "is replaced, and nothing else left" "$(jq '.attachments | length' kept) $(echo kept*)" "3 kept"
is "a user may not save" "$(code gdrt-as-user gdrctl snapshot save u) \
$(grep -c 'not permitted' /tmp/code.err) $(ls u 2>/dev/null)" "2 1 "
chmod 644 s1 s2
is "but compare" "$(code gdrt-as-user gdrctl snapshot diff s1 s2)" 0

# ---- another load: b and the orphan live on, and the module does not know them
unload gdr_telemetry || bail "it does not unload"
module_up || bail "it does not load again"
must b dereg 0
must b reg 0 "$N0"
is "loaded again" "$(rows '[.what, .change]' s2 | head -n 1)" "snapshot reloaded"
is "counters are those since" "$(rows 'select(.name == "register_total") | [.value_before // "-",
	.value_after]' s2)" "- $(gt register_total)"
is "attachments are not compared" "$(what attachment .id s2)" ""
is "processes are" "$(what owner '.pid, .change' s2 | grep -c "^$PC gone")" 1
has "for people" "$(gdrctl snapshot diff s2)" "THE MODULE WAS LOADED AGAIN"
sed 's/"boot_id":"./&x/' s2 >other
is "another boot" "$(rows '[.what, .change]' other | head -n 1)" "snapshot other-boot"

# ---- a report of all this
check "a report" gdrctl report report
is "for its owner alone" "$(stat -c %a report)" 600
has "names the machine" "$(cat report)" "$(uname -r)"
has "the HCAs" "$(cat report)" "$(cat "/sys/class/infiniband/$N0/node_guid")"
has "the GPUs" "$(cat report)" "GPU $G1"
has "the processes" "$(grep -A 3 '^== owners' report)" " gdrt-reg "
gdrctl -j report >report.json
is "it is JSON" "$(jq -r '[.format, .notes == [], .system[0].kernel, .module[0].version] |
	map(tostring) | join(" ")' report.json)" "gdrctl-report true $(uname -r) $(gt version)"
is "its lists are what -j gives" "$(jq -cS '[.pairs, .failures, .importers]' report.json)" \
	"$(for words in pair failure importer; do gdrctl -j $words; done | jq -csS .)"
is "its modules are loaded" "$(jq -r '.modules[] | select(.state == "live") | .module' report.json |
	sort | grep -xc -e nvidia -e mlx5_core -e mlx5_ib -e ib_core -e ib_uverbs)" \
	"$(lsmod | awk '{ print $1 }' | grep -xc -e nvidia -e mlx5_core -e mlx5_ib -e ib_core -e ib_uverbs)"
is "its HCAs are those there are" "$(jq -r '.hcas[].importer' report.json | sort)" \
	"$(printf '%s\n' "$H0" "$H1" "$H2" "$H3" | sort)"
hostname secret-host
must b name 0 secret-name
gdrctl report --anonymous >anonymous
gdrctl -j report --anonymous >anonymous.json
for secret in secret-host secret-name gdrt-reg "$PB" "$(cat "/sys/class/infiniband/$N0/node_guid")" \
	"$(gdrctl -j attachment pid "$PB" | jq '.[0].mr_rkey')" \
	"$(gdrctl -j attachment pid "$PB" | jq '.[0].start_boottime_ns')"; do
	is "anonymous, it has no $secret" "$(cat anonymous anonymous.json | grep -cw -e "$secret")" 0
done
is "but a label" "$(jq -r '[.owners[0].comm, .attachments[0].comm] | join(" ")' anonymous.json)" \
	"process-1 process-1"
is "a user's says what is not in it" "$(gdrt-as-user gdrctl -j report |
	jq -r '.notes[] | select(.why | test("not permitted")) | .part' | paste -sd' ' -)" \
	"owners cgroups failure_log attachments"

# ---- the live view
top_of()
{
	gdrctl --bytes top --batch 1 "$@" | tr -s ' '
}
has "top: owners" "$(top_of)" "$PB gdrt-reg no 0 $N0 1 1 1 $MIB "
has "top: its head" "$(top_of)" "$(gt attachments) attachments ($(gt attachments_peak) at peak) to \
$(gt buffers) buffers, $(gt mrs) MRs, $(gt orphans) orphans"
has "top: pairs" "$(top_of --view pair)" "$G0 $H0 $N0 0 1 1 1 $MIB $MIB "
has "top: attachments" "$(top_of --view attachment pid "$PB")" " $H0 $N0 $MIB mapped,pinned "
is "top: three looks" "$(gdrctl top --batch 3 --delay 0.1 | grep -c '^gdrctl top, ')" 3
is "top: a user sees pairs" "$(gdrt-as-user gdrctl top --batch 1 --view pair | grep -c "$N0") $(
	gdrt-as-user gdrctl top --batch 1 | grep -c 'not permitted')" "1 1"
is "top: without a terminal" "$(code gdrctl top </dev/null) $(grep -c 'needs a terminal' /tmp/code.err)" "1 1"

# on_terminal KEYS...: what a terminal shows of top while these are typed, a while apart, and what
# stty says of it before and after; the exit code last
on_terminal()
{
	# The first line is there once the screen is drawn; keys before that would be lost to cooked mode.
	cat >tty.sh <<-SCRIPT
		stty rows 30 cols 120
		stty -a >before
		gdrctl top --delay 0.5
		echo "exit \$?" >code
		stty -a >after
	SCRIPT
	rm -f typed before after code screen
	mkfifo typed
	TERM=xterm timeout 120 script -qefc 'sh tty.sh' screen <typed >/dev/null &
	on_script=$!
	exec 9>typed
	wait_for 30 grep -q PINNED screen
	for on_key; do
		case $on_key in
		TERM | INT | HUP) pkill -"$on_key" -x gdrctl-top ;;
		RESIZE) pkill -WINCH -x gdrctl-top ;;
		*) printf '%b' "$on_key" >&9 ;;
		esac
		sleep 1
	done
	wait "$on_script"
	exec 9>&-
}
on_terminal p a RESIZE s r '/gdrt\r' q
is "top: q ends it" "$(cat code)" "exit 0"
is "top: the terminal is as it was" "$(cat after)" "$(cat before)"
has "top: it showed attachments" "$(tr -d '\033' <screen)" "mapped,pinned"
is "top: it gave the screen back" "$(grep -c "$(printf '\033\\[?1049l')" screen)" 1
on_terminal TERM
is "top: a signal ends it" "$(cat code)" "exit $((128 + 15))"
is "top: the terminal is as it was" "$(cat after)" "$(cat before)"

kill -KILL "$CCHILD"
holder_quit a
holder_quit b
finish
