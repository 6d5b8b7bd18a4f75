#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The netlink family: what each operation gives, filters, long and changing
# dumps, and what it says to requests that are wrong.
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh

SIZE=$((4 * MIB))
BUFFERS=200

# trailer FILE: what gdrt-nl said last
trailer()
{
	tail -n 1 "$1"
}

# count WORDS...: records of a dump that went well
count()
{
	gdrt-nl dump "$@" >/tmp/count
	case $(trailer /tmp/count) in
	"errno 0 messages "*" interrupted 0 extack ") grep -c "=" /tmp/count ;;
	*) trailer /tmp/count ;;
	esac
}

# refused NAME ERRNO TEXT ARGUMENTS...: no record, this errno, and a text that has TEXT
refused()
{
	refused_name=$1 refused_errno=$2 refused_text=$3
	shift 3
	got=$(gdrt-nl "$@")
	case $got in
	"errno $refused_errno messages 0 interrupted 0 extack "*"$refused_text"*)
		pass "$refused_name: errno $refused_errno, $refused_text" ;;
	*)
		diag "gdrt-nl $*: $got"
		fail "$refused_name: errno $refused_errno, $refused_text" ;;
	esac
}

# value SET NAME WORDS...: of the one record of a do
value()
{
	value_set=$1 value_name=$2
	shift 2
	gdrt-nl "do" "$value_set" "$@" | tr ' ' '\n' | sed -n "s/^$value_name=//p"
}

# each_once FILE: records that are in there twice, and steady ones that are missing
each_once()
{
	grep "=" "$1" | sed 's/[a-z]*=\([0-9]*\) .*/\1/' | sort >/tmp/sorted
	uniq -d /tmp/sorted | sed 's/^/twice: /'
	sort -u /tmp/sorted /tmp/steady >/tmp/both
	diff /tmp/sorted /tmp/both | grep '^[-+][^-+]' | sed 's/^/missing: /'
}

plan 91
# shellcheck disable=SC2119 # no parameters
bench_up
A=$(hca_name 0) B=$(hca_name 1)
A_BDF=$(hca_bdf "$A") B_BDF=$(hca_bdf "$B")
GPU0=$(bdfs 0x10de 0x03 | sed -n 1p) GPU1=$(bdfs 0x10de 0x03 | sed -n 2p)
OTHER=$(function_bdf 0)

# ---- a scene: five attachments
mkdir /sys/fs/cgroup/one
holder h
holder_pid h >/sys/fs/cgroup/one/cgroup.procs
must h buffer $SIZE gpu=1
INODE=$(field "$VALUE" inode)
must h reg 0 "$A"
must h reg 0 "$B"
holder g
must g buffer "$MIB" gpu=0
must g reg 0 "$B"
must g attach 0 0 dynamic 1
must g buffer "$MIB" system
must g attach 1 0 static 1
CGROUP=$(stat -c %i /sys/fs/cgroup/one)

# ---- one of each
START=$(awk '{ print $22 }' "/proc/$(holder_pid h)/stat")
is "attachment: buffer" "$(value attachment buffer id=1)" "$INODE"
is "attachment: size" "$(value attachment size id=1)" $SIZE
is "attachment: mechanism" "$(value attachment mechanism id=1)" dma-buf
is "attachment: flags" "$(value attachment flags id=1)" \
	mapped,pinned,importer-dynamic,peer2peer,exporter-gpu,importer-hca
is "attachment: importer" "$(value attachment importer id=1)" "$A_BDF"
is "attachment: its driver" "$(value attachment importer-driver id=1)" mlx5_core
is "attachment: its RDMA device" "$(value attachment importer-ibdev id=1)" "$A"
is "attachment: exporter is the GPU" "$(value attachment exporter id=1)" "$GPU1"
is "attachment: its module" "$(value attachment exporter-module id=1)" nvidia
is "attachment: its name" "$(value attachment exporter-name id=1)" nv_dmabuf
is "attachment: pid" "$(value attachment pid id=1)" "$(holder_pid h)"
is "attachment: comm" "$(value attachment comm id=1)" gdrt-reg
is "attachment: uid" "$(value attachment uid id=1)" 0
is "attachment: cgroup" "$(value attachment cgroup id=1)" "$CGROUP"
# /proc has ticks of 10 ms.
is "attachment: start of the process" "$(($(value attachment start-time id=1) / 10000000))" "$START"
is "attachment: no exit" "$(value attachment exited id=1)" ""
is "attachment: maps and pins" "$(value attachment maps id=1) $(value attachment pins id=1)" "1 0"
is "attachment: placement" "$(value attachment placement id=1)" peer-bar
is "attachment: no placement while there is no mapping" "$(value attachment placement id=5)" ""
is "attachment: the module exports until a mapping tells more" \
	"$(value attachment exporter id=5)" nvidia
is "buffer" "$(gdrt-nl "do" buffer inode="$INODE" | head -n 1)" \
	"inode=$INODE size=$SIZE exporter=$GPU1 exporter-module=nvidia exporter-name=nv_dmabuf attachments=2 mapped=2 pinned=2"
is "device: an importer" "$(gdrt-nl "do" device role=0 name="$B_BDF" | cut -d' ' -f-7)" \
	"role=importer name=$B_BDF flags=pci,present,gdr driver=mlx5_core ibdev=$B attachments=2 buffers=2
errno 0 messages 1 interrupted 0 extack"
is "device: an exporter" "$(gdrt-nl "do" device role=1 name="$GPU1" | cut -d' ' -f-7)" \
	"role=exporter name=$GPU1 flags=pci,present,gdr driver=nvidia bar1-bytes=268435456 attachments=2 buffers=1
errno 0 messages 1 interrupted 0 extack"
is "pair" "$(gdrt-nl "do" pair exporter="$GPU0" importer="$B_BDF" | head -n 1)" \
	"exporter=$GPU0 importer=$B_BDF importer-ibdev=$B attachments=1 buffers=1 mapped-bytes=$MIB pinned-bytes=$MIB pinned-pages=256 invalidate-total=0 failures-total=0 mrs=1 mr-bytes=$MIB"
is "status" "$(gdrt-nl status)" "errno 0 messages 1 interrupted 0 extack "

# ---- filters
is "attachments" "$(count attachment)" 5
is "by importer" "$(count attachment importer="$B_BDF")" 2
is "by another importer" "$(count attachment importer="$OTHER")" 2
is "by no importer" "$(count attachment importer=0000:ff:1f.7)" 0
is "by GPU" "$(count attachment exporter="$GPU1")" 2
is "by module" "$(count attachment exporter=nvidia)" 5
is "by pid" "$(count attachment pid="$(holder_pid g)")" 3
is "by pid of none" "$(count attachment pid=1)" 0
is "by pid 0" "$(count attachment pid=0)" 0
is "by cgroup" "$(count attachment cgroup="$CGROUP")" 2
is "by cgroup of none" "$(count attachment cgroup=999999)" 0
is "by buffer" "$(count attachment buffer="$INODE")" 2
is "by two filters" "$(count attachment buffer="$INODE" importer="$B_BDF")" 1
is "by all filters" "$(count attachment buffer="$INODE" importer="$B_BDF" exporter="$GPU1" \
	cgroup="$CGROUP" pid="$(holder_pid h)")" 1
is "by two that no one has" "$(count attachment cgroup="$CGROUP" pid="$(holder_pid g)")" 0
is "buffers" "$(count buffer)" 3
is "buffers of a GPU" "$(count buffer exporter="$GPU0")" 1
is "buffers of a module" "$(count buffer exporter=nvidia)" 3
is "devices" "$(count device)" 6
is "importers" "$(count device role=0)" 3
is "exporters" "$(count device role=1)" 3
is "pairs" "$(count pair)" 4
is "pairs of a GPU" "$(count pair exporter="$GPU1")" 2
is "pairs of an importer" "$(count pair importer="$B_BDF")" 2
is "pairs of both" "$(count pair importer="$B_BDF" exporter="$GPU1")" 1

# ---- errors, each with its reason
refused "attachment: no id" 22 "id of the attachment is missing" "do" attachment
refused "attachment: none of this id" 2 "no live attachment" "do" attachment id=999999
refused "attachment: short id" 22 "invalid attribute length" "do" attachment u16:id=1
refused "attachment: unknown attribute" 22 "Unknown attribute" "do" attachment id=1 200=1
refused "attachment: a known one that no request takes" 22 "" "do" attachment id=1 string:comm=x
refused "attachment: a filter with an id" 22 "" "do" attachment id=1 pid=1
refused "attachment: dump with an id" 22 "a dump takes no id" dump attachment id=1
refused "attachment: dump with a short pid" 22 "invalid attribute length" dump attachment u16:pid=1
refused "attachment: dump with an unknown attribute" 22 "Unknown attribute" dump attachment 200=1
refused "attachment: importer without end" 22 "policy" dump attachment raw:importer=x
refused "attachment: importer too long" 22 "policy" dump attachment \
	importer=0123456789012345678901234567890123456789012345678901234567890123456789
refused "buffer: no inode" 22 "inode number of the buffer is missing" "do" buffer
refused "buffer: none of this inode" 2 "no buffer" "do" buffer inode=999999
refused "buffer: short inode" 22 "invalid attribute length" "do" buffer u32:inode=1
refused "buffer: a filter with an inode" 22 "" "do" buffer inode="$INODE" exporter=x
refused "buffer: dump with an inode" 22 "a dump takes no inode" dump buffer inode=1
refused "buffer: dump with an unknown attribute" 22 "Unknown attribute" dump buffer 200=1
refused "device: no name" 22 "role and name" "do" device role=0
refused "device: no role" 22 "role and name" "do" device name="$GPU0"
refused "device: in the other role" 2 "no such device" "do" device role=0 name="$GPU0"
refused "device: no such role" 34 "" "do" device role=2 name="$GPU0"
refused "device: dump of no such role" 34 "" dump device role=2
refused "device: dump with a name" 22 "a dump takes no name" dump device name=x
refused "pair: half of it" 22 "exporter and importer" "do" pair exporter="$GPU0"
refused "pair: none" 2 "no such pair" "do" pair exporter="$GPU0" importer="$A_BDF"
refused "pair: dump with an unknown attribute" 22 "Unknown attribute" dump pair 200=1
refused "status: with an attribute" 22 "" "do" status version=1
refused "a command that is none" 95 "" "do" 77
is "what was refused changed nothing" "$(count attachment)" 5
holder_quit h
holder_quit g
rmdir /sys/fs/cgroup/one

# ---- long dumps, while the set changes. The command runs after the first part of the answer.
N=3000
holder l
must l buffer "$MIB"
must l attach 0 0 static $N
is "a dump has each of $N" "$(count attachment)" $N
gdrt-nl dump | grep -x '[0-9]*' | sort >/tmp/steady
is "exactly once" "$(uniq -d /tmp/steady)" ""
gdrt-nl -e 'gdrt-double -q alloc b : attach a b count=500 : detach a first=0 count=250 : attach c b count=100' \
	dump attachment >/tmp/dump
has "a dump during which others come and go is marked" "$(trailer /tmp/dump)" "interrupted 1"
is "and has each that stays exactly once" "$(each_once /tmp/dump)" ""
gdrt-nl -e true dump attachment >/tmp/dump
has "one during which nothing changes is not" "$(trailer /tmp/dump)" \
	"errno 0 messages $N interrupted 0"
touch /tmp/go
(printf 'buffer 1048576\n'; while [ -e /tmp/go ]; do
	printf 'attach 0 1 static 50\n'; sleep 0.1; done; echo quit) | gdrt-reg >/dev/null &
PID_other=$!
bad=''
for _ in 1 2 3 4 5; do
	gdrt-nl dump attachment >/tmp/dump
	bad="$bad$(each_once /tmp/dump | head -n 3)"
done
rm /tmp/go
wait $PID_other
is "while others come all the time, each that stays is there exactly once" "$bad" ""
holder_quit l

holder b
i=0
while [ $i -lt $BUFFERS ]; do
	must b buffer 65536
	must b attach $i 0 static 1
	i=$((i + 1))
done
is "a dump has each of $BUFFERS buffers" "$(count buffer)" $BUFFERS
gdrt-nl dump buffer | grep "=" | sed 's/[a-z]*=\([0-9]*\) .*/\1/' | sort >/tmp/steady
is "exactly once" "$(uniq -d /tmp/steady)" ""
gdrt-nl -e 'gdrt-double -q alloc b : attach a b : alloc c : attach d c : detach a' dump buffer >/tmp/dump
has "a dump during which buffers come and go is marked" "$(trailer /tmp/dump)" "interrupted 1"
is "and has each that stays exactly once" "$(each_once /tmp/dump)" ""
gdrt-nl -e true dump buffer >/tmp/dump
has "one during which nothing changes is not" "$(trailer /tmp/dump)" \
	"errno 0 messages $BUFFERS interrupted 0"
holder_quit b
compare "all gone" attachments=0 buffers=0
finish
