#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# MRs as the module joins them with attachments, against what iproute2's rdma
# reads from the kernel, by device and number, and against what their owners
# asked for and were given: as they are made, after devices were renamed, after
# some were registered again and some deregistered, when their owners are
# killed, and when the IB stack was unloaded and loaded again.
# In the Debian root.
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh

GPUS=2
OWNERS="a b c d"
EACH=250

# each COMMAND...: all owners work on it at once; what they answered is added up in SUM
each()
{
	for o in $OWNERS; do
		(tell "$o" "$@"; echo "$ANSWER" >"/tmp/answer.$o") &
		eval "each_$o=$!"
	done
	SUM=0
	for o in $OWNERS; do
		eval "wait \$each_$o"
		case $(cat "/tmp/answer.$o") in
		ok*) SUM=$((SUM + $(sed 's/^ok //' "/tmp/answer.$o"))) ;;
		*) bail "$o: '$*': $(cat "/tmp/answer.$o")" ;;
		esac
	done
}

make_all()	# N: by each, with a seed of its own
{
	make_n=$1 make_seed=0
	for o in $OWNERS; do
		holder_of gdrt-mr "$o"
		make_seed=$((make_seed + 1))
		echo $make_seed >"/tmp/seed.$o"
	done
	for o in $OWNERS; do
		# shellcheck disable=SC2046 # a list of names
		(tell "$o" make "$make_n" "$(cat "/tmp/seed.$o")" $GPUS $(ls /sys/class/infiniband)
		 echo "$ANSWER" >"/tmp/answer.$o") &
		eval "each_$o=$!"
	done
	for o in $OWNERS; do
		eval "wait \$each_$o"
		[ "$(cat "/tmp/answer.$o")" = "ok $make_n" ] ||
			bail "$o: make: $(cat "/tmp/answer.$o")"
	done
}

# The owners' ledgers: "BDF LKEY RKEY OFFSET LENGTH IOVA ACCESS GPU PID KIND CHANGED"
ledgers()
{
	: >/tmp/ledger
	for o in $OWNERS; do
		must "$o" list "/tmp/ledger.$o"
		cat "/tmp/ledger.$o" >>/tmp/ledger
	done
}

# What the module shows, and what rdma shows: "DEVICE NUMBER LKEY RKEY LENGTH PD PID"; and
# MRs on memory of a process, which the module must not show, apart: "DEVICE LKEY".
readings()
{
	gdrt-nl -j dump attachment >/tmp/dump
	grep '^{' /tmp/dump >/tmp/records
	jq -r 'select(has("mr-number")) | [."importer-ibdev"[0], ."mr-number", ."mr-lkey",
		."mr-rkey", ."mr-length", ."mr-pd", .pid] | join(" ")' /tmp/records |
		sort >/tmp/ours
	rdma -d -j resource show mr >/tmp/rdma.json
	# What the kernel made for itself has no owner. Keys are hexadecimal, without a sign of it.
	jq -r '.[] | select(has("pid")) | [.ifname, .mrn, .lkey, .rkey, .mrlen, .pdn, .pid] |
		join(" ")' /tmp/rdma.json |
		awk '{ print $1, $2, strtonum("0x" $3), strtonum("0x" $4), $5, $6, $7 }' |
		sort >/tmp/rdma.all
	for readings_d in /sys/class/infiniband/*; do
		echo "device $(hca_bdf "${readings_d##*/}") ${readings_d##*/}"
	done >/tmp/devices
	awk --non-decimal-data '$1 == "device" { name[$2] = $3; next }
		$10 == "user" { print name[$1], $2 + 0 }' /tmp/devices /tmp/ledger >/tmp/user
	awk 'FILENAME == "/tmp/user" { user[$1, $2] = 1; next }
		!(($1, $3) in user)' /tmp/user /tmp/rdma.all >/tmp/rdma
}

# What the module shows of all that owners know, and the owners' word on it.
ours_in_full()
{
	jq -r 'select(has("mr-number")) | [.importer, ."mr-lkey", ."mr-rkey", ."mr-offset",
		."mr-length", ."mr-iova", ."mr-access", .exporter, .pid,
		(if ."mr-changed" then 1 else 0 end)] | join(" ")' /tmp/records | sort
}

ledger_in_full()
{
	awk --non-decimal-data -v gpu0="$(gpu_bdf 0)" -v gpu1="$(gpu_bdf 1)" '$10 == "dma-buf" {
		print $1, $2 + 0, $3 + 0, $4, $5, $6, $7, $8 ? gpu1 : gpu0, $9, $11
	}' /tmp/ledger | sort
}

# MRs and their bytes, in all and by device and pair: from the ledgers, and from the module.
ledger_sums()
{
	ledger_in_full | awk '
		function add(what, n) { mrs[what]++; bytes[what] += n }
		{ add("", $5); add("importers/" $1 "/", $5); add("exporters/" $8 "/", $5)
		  add("pairs/" $8 "_" $1 "/", $5) }
		END { for (w in mrs) print w "mrs=" mrs[w], w "mr_bytes=" bytes[w] }' | sort
}

our_sums()
{
	{
		echo ""
		(cd $GT && ls -d importers/*/ exporters/*/ pairs/*/)
	} | while read -r sums_d; do
		sums_n=$(gt "${sums_d}mrs") sums_b=$(gt "${sums_d}mr_bytes")
		# A device without an MR is in no ledger.
		[ "$sums_n $sums_b" = "0 0" ] || echo "${sums_d}mrs=$sums_n ${sums_d}mr_bytes=$sums_b"
	done | sort
}

first_lines()
{
	head -n 8 "$1"
}

# joined NAME MRS REGISTERED DEREGISTERED: 5 results
joined()
{
	ledgers
	readings
	has "$1: the dump is whole" "$(tail -n 1 /tmp/dump)" "errno 0 messages $(wc -l </tmp/records) interrupted 0"
	diff /tmp/rdma /tmp/ours >/tmp/diff
	is "$1: the same MRs in rdma and here, none missing in either" \
		"$(wc -l </tmp/ours) $(wc -l </tmp/rdma) $(first_lines /tmp/diff)" "$2 $2 "
	ours_in_full >/tmp/ours.full
	ledger_in_full >/tmp/ledger.full
	diff /tmp/ledger.full /tmp/ours.full >/tmp/diff
	is "$1: each is as its owner made it" \
		"$(wc -l </tmp/ours.full) $(first_lines /tmp/diff)" "$2 "
	is "$1: registrations and deregistrations" \
		"$(gt register_total) $(gt deregister_total)" "$3 $4"
	ledger_sums >/tmp/sums.ledger
	our_sums >/tmp/sums.ours
	diff /tmp/sums.ledger /tmp/sums.ours >/tmp/diff
	is "$1: sums of all devices and pairs" "$(first_lines /tmp/diff)" ""
}

# numbered FIRST: how many MRs of all owners one of 7 is, from that number on
numbered()
{
	echo $((4 * ((EACH - $1 + 6) / 7)))
}

join_state()
{
	field "$(gdrt-nl "do" status | head -n 1)" mr-join
}

pairs_there()
{
	# shellcheck disable=SC2012 # BDFs
	[ "$(ls "$GT/pairs" | wc -l)" -ge $((GPUS * HCAS)) ]
}

# What one removal takes along, the next does not find: only the outcome counts.
ib_gone()
{
	modprobe -r mlx5_ib mlx5_core ib_uverbs ib_core 2>/dev/null
	! lsmod | grep -E "^(mlx5_ib|mlx5_core|ib_uverbs|ib_core) "
}

no_mrs()
{
	[ "$(gt mrs)" = 0 ]
}

HCAS=$(bdfs 0x15b3 0x02 | wc -l)
ALL=$((4 * EACH))

plan 57
# shellcheck disable=SC2119 # no parameters
bench_up
is "four HCAs" "$HCAS" 4
is "attachments are joined with MRs" "$(join_state)" "on"

make_all $EACH
check "each pair has its directory" wait_for 10 pairs_there
joined "made by four processes" $ALL $ALL 0
is "there are MRs of all kinds: access flags, protection domains" \
	"$(cut -d' ' -f7 /tmp/ledger | sort -u | wc -l) $(cut -d' ' -f1,6 /tmp/ours | sort -u | wc -l)" \
	"8 $((4 * 2 * HCAS))"

# ---- attachments that no MR is on
holder r
must r buffer "$MIB"
must r attach 0 0 static
must r attach 0 0 dynamic
readings
is "attachments without an MR are shown, and as such" \
	"$(jq -r 'select(."importer-driver" == "gdrt_importer") | has("mr-number")' /tmp/records | tr '\n' ' ')" \
	"false false "
is "they are no MRs in the sums" "$(gt attachments) $(gt mrs)" "$((ALL + 2)) $ALL"

# ---- other names; two of them change places
check "devices are renamed" sh -ec '
	rdma dev set mlx5_0 name other
	rdma dev set mlx5_1 name mlx5_0
	rdma dev set other name mlx5_1
	rdma dev set mlx5_2 name second
	rdma dev set mlx5_3 name rocep3s0'
joined "renamed" $ALL $ALL 0
is "under the new names" "$(cut -d' ' -f1 /tmp/ours | sort -u | tr '\n' ' ')" \
	"mlx5_0 mlx5_1 rocep3s0 second "

# ---- registered again
each access 7 1
ACCESS=$SUM
each pd 7 2
PD=$SUM
# Newer kernels refuse this to each MR on a dma-buf: then nothing may change here either.
TAKES=1
[ "$ACCESS" != 0 ] || TAKES=0
is "MRs with other access flags, and in other protection domains" "$ACCESS $PD" \
	"$((TAKES * $(numbered 1))) $((TAKES * $(numbered 2)))"
joined "registered again in place" $ALL $ALL 0
is "those are marked, and no others" "$(grep -c '"mr-changed":true' /tmp/records)" \
	"$((ACCESS + PD))"
each more 7 3
MORE=$SUM
check "some were asked for with rights that they were made without" [ "$MORE" -ge 20 ]
joined "refused, or granted" $ALL $ALL 0

# On other memory: the kernel makes a new MR, which no dma-buf is under, and gives the old one up.
each move 7 4
MOVED=$SUM
is "MRs on other memory" "$MOVED" $((TAKES * $(numbered 4)))
LEFT=$((ALL - MOVED))
joined "moved to other memory" $LEFT $ALL "$MOVED"
is "the new ones are MRs in rdma only" "$(wc -l </tmp/user) $(wc -l </tmp/rdma.all)" "$MOVED $ALL"

# ---- a part goes
each dereg 7 0
GONE=$SUM
LEFT=$((LEFT - GONE))
joined "deregistered in part" $LEFT $ALL "$((MOVED + GONE))"

# ---- the owners are killed
for o in $OWNERS; do
	holder_kill "$o"
done
check "killed: no MR is left" wait_for 60 no_mrs
: >/tmp/ledger
readings
is "none in rdma and here" "$(cat /tmp/rdma /tmp/ours)" ""
our_sums >/tmp/sums.ours
is "killed: the sums are 0" "$(cat /tmp/sums.ours)" ""
is "killed: each was deregistered" "$(gt register_total) $(gt deregister_total)" "$ALL $ALL"
holder_quit r
compare "nothing is left" attachments=0 buffers=0 inexact=0

# ---- the IB stack goes and comes
check "the IB stack unloaded" wait_for 20 ib_gone
is "no MRs without it" "$(join_state)" "no-probe"
rdma_up || bail "no RDMA devices after that"
is "loaded again: joined again" "$(join_state)" "on"
make_all 20
joined "after that" 80 $((ALL + 80)) "$ALL"
for o in $OWNERS; do
	holder_quit "$o"
done
is "deregistered at their end" "$(gt mrs) $(gt deregister_total)" "0 $((ALL + 80))"
finish
