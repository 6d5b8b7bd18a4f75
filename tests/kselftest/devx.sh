#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Devx umems on dma-bufs: attachments that mlx5 pins, and that no MR is on. Shown as
# what they are, beside MRs on the same buffers; given up without a rest; and those
# that fail are recorded with the stage, as registrations of MRs are.
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh
# shellcheck source=tests/lib/failures.sh
. /gdrt/tests/lib/failures.sh

# shellcheck disable=SC2034 # for failures.sh
PAGE=4096 COMM=gdrt-devx

# The attachment on buffer $1: the fields that follow
attachment()
{
	attachment_b=$1
	shift
	gdrt-nl dump attachment | grep " buffer=$attachment_b " | each_line "$@"
}

# The fields that are named, of each line read
each_line()
{
	awk -v names="$*" '{
		n = split($0, word, " ")
		delete value
		for (i = 1; i <= n; i++)
			value[substr(word[i], 1, index(word[i], "=") - 1)] = word[i]
		k = split(names, name, " ")
		for (i = 1; i <= k; i++)
			printf "%s ", name[i] in value ? value[name[i]] : name[i] "-"
	}'
}

registrant()
{
	holder_of gdrt-devx f
	must f buffer "$FIRST"
}

# lives KIND PINS GPU WORD...: a umem on a buffer made with the words: 3 results
lives()
{
	lives_kind=$1 lives_pins=$2 lives_exporter=$3
	shift 3
	must f buffer "$MIB" "$@"
	lives_b=${VALUE%% *} lives_inode=$(field "$VALUE" inode)
	must f umem "$A" buffer="$lives_b" offset="$PAGE" length=$((2 * PAGE))
	lives_umem=$VALUE
	is "$lives_kind: an attachment of its importer and owner, and what it is" \
		"$(attachment "$lives_inode" kind importer exporter size pid comm uid pins maps \
			mr-number mr-lkey mr-rkey mr-length)" \
		"kind=devx-umem importer=$A_BDF exporter=$lives_exporter size=$MIB \
pid=$(holder_pid f) comm=gdrt-devx uid=0 pins=$lives_pins maps=1 \
mr-number- mr-lkey- mr-rkey- mr-length- "
	# The whole buffer, once.
	compare "$lives_kind: pinned, and no MR" --devices attachments=1 buffers=1 mapped=1 \
		pinned_bytes="$MIB" pinned_pages=$((MIB / PAGE)) mrs=0 mr_bytes=0 register_total=0 inexact=0
	must f dereg "$lives_umem"
	compare "$lives_kind: given up" --devices attachments=0 buffers=0 mapped=0 \
		pinned_bytes=0 mrs=0 inexact=0
}

try()
{
	try_words "$@"
	tell f umem "$@"
	RESULT=${ANSWER#error }
	RESULT=${RESULT%% *}
}

buffer()
{
	must f buffer "$FIRST" "$@"
	# shellcheck disable=SC2034 # for failures.sh
	BUFFER=${VALUE%% *} INODE=$(field "$VALUE" inode)
}

# Each is called with the number of the errno.
devx_remote_without_local_write()
{
	try "$A" buffer=0 access=2
}

devx_closed_fd()
{
	try "$A" fd=999 length="$PAGE" access="$ACCESS"
}

devx_other_file()
{
	try "$A" file=/dev/null length="$PAGE" access="$ACCESS"
}

devx_past_the_end()
{
	try "$A" buffer=0 offset="$PAGE" access="$ACCESS"
}

devx_attach()
{
	buffer
	switch attach_errno "$1"
	KNOWN=1
	try "$A" buffer="$BUFFER" access="$ACCESS"
	switch attach_errno 0
}

devx_map()
{
	buffer
	switch map_errno "$1"
	KNOWN=1
	try "$A" buffer="$BUFFER" access="$ACCESS"
	switch map_errno 0
}

# mlx5 pins before it maps, and whether the core would, too.
devx_pin()
{
	buffer dynamic
	switch pin_errno "$1"
	KNOWN=1
	try "$A" buffer="$BUFFER" access="$ACCESS"
	switch pin_errno 0
}

devx_map_dynamic()
{
	buffer dynamic
	switch map_errno "$1"
	KNOWN=1
	try "$A" buffer="$BUFFER" access="$ACCESS"
	switch map_errno 0
}

# The memory is pinned and mapped by then.
devx_firmware()
{
	buffer
	command_fails 0x0a08 "$1"	# CREATE_UMEM
	# shellcheck disable=SC2034 # for failures.sh
	KNOWN=1 EXPORTER=$(gpu_bdf 0)
	try "$B" buffer="$BUFFER" access="$ACCESS"
	command_works
}

plan 48
# shellcheck disable=SC2119 # no parameters
bench_up
A=$(hca_name 0) B=$(hca_name 1) A_BDF=$(hca_bdf "$A")
# shellcheck disable=SC2034 # for failures.sh
B_BDF=$(hca_bdf "$B")
FIRST=$((16 * PAGE)) RECORDS=0
registrant
is "joined with what registers" "$(field "$(gdrt-nl "do" status | head -n 1)" mr-join)" on

# ---- umems that live ----
lives static 0 "$(gpu_bdf 0)"
lives dynamic 1 "$(gpu_bdf 0)" dynamic
lives "the other GPU" 0 "$(gpu_bdf 1)" gpu=1
lives "system pages" 1 nvidia dynamic system

# Who needs no dma-buf is no one's business.
must f umem "$A" memory
must f dereg "$VALUE"
is "a umem of the process's memory is not seen" \
	"$(gt attachments) $(gt failures_total) $(gt untracked_total)" "0 0 0"

# ---- events, gdrctl and debugfs; MRs beside ----
gdrt-nl -t 60 events 3 >/tmp/events 2>&1 &
EVENTS=$!
wait_for 20 grep -q joined /tmp/events || bail "nobody listens"
must f buffer "$MIB" dynamic
BUFFER=${VALUE%% *}
must f umem "$A" buffer="$BUFFER"
UMEM=$VALUE
wait $EVENTS
is "events: attach, pin, map" "$(grep event-op /tmp/events | each_line event-op kind)" \
	"event-op=attach kind=devx-umem event-op=pin kind=devx-umem event-op=map kind=devx-umem "
must f mr "$A" "$BUFFER"
# Before 7.x the core pins what an MR maps, if the exporter can move it; from then on only mlx5's
# devx does.
case $KERNEL in
6.*) MR_PINS=$MIB ;;
*) MR_PINS=0 ;;
esac
compare "an MR on the same buffer" --devices attachments=2 buffers=1 mrs=1 mr_bytes="$MIB" \
	pinned_bytes="$MIB" pinned_bytes_sum=$((MIB + MR_PINS)) register_total=1
gdrt-nl dump attachment >/tmp/dump
is "each is what it is" "$(grep -h -e kind=devx -e kind=mr /tmp/dump | sort -t= -k 2n | each_line kind mr-length)" "kind=devx-umem mr-length- kind=mr mr-length=$MIB "
is "gdrctl: each is what it is" \
	"$(gdrctl -j attachment | grep -o '"kind":"[a-z-]*"' | sort | tr '\n' ' ')" \
	'"kind":"devx-umem" "kind":"mr" '
has "gdrctl -d: a line says so" "$(gdrctl -d attachment | tr -s ' ')" "kind devx-umem"
is "debugfs: one has an MR, one is devx's" \
	"$(awk 'NR > 1 { print $8 }' /sys/kernel/debug/gdr_telemetry/attachments | grep -c devx) \
$(awk 'NR > 1 { print $8 }' /sys/kernel/debug/gdr_telemetry/attachments | grep -c '^[0-9]')" "1 1"
must f dereg "$UMEM"
compare "without the umem" --devices attachments=1 mrs=1 pinned_bytes="$MR_PINS"
must f umem "$B" buffer="$BUFFER"
must f umem "$A" buffer="$BUFFER"
compare "two HCAs, an MR beside" --devices attachments=3 buffers=1 mrs=1 pinned_bytes="$MIB"
holder_kill f
compare "killed: nothing is left" --devices attachments=0 buffers=0 mrs=0 pinned_bytes=0 inexact=0

# ---- umems that fail ----
registrant
while read -r stage errno name <&3; do
	run "$stage" "$errno" "$name"
done 3<<EOT
verbs EINVAL devx_remote_without_local_write
umem EBADF devx_closed_fd
umem EINVAL devx_other_file
umem EINVAL devx_past_the_end
attach ENOTSUPP devx_attach
map ENOMEM devx_map
pin EBUSY devx_pin
pin ENOMEM devx_pin
map EBUSY devx_map_dynamic
hw EIO devx_firmware
hw EINVAL devx_firmware
EOT
compare "none of them left anything" --devices attachments=0 buffers=0 pinned_bytes=0 inexact=0

must f umem "$A" buffer=0
holder_quit f
compare "closed: nothing is left" --devices attachments=0 buffers=0 inexact=0
is "nothing was lost" "$(gt lost/probe_missed_total) $(gt lost/pool_exhausted_total) \
$(gt lost/unknown_detach_total)" "0 0 0"
finish
