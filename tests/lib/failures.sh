# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# Failures that are provoked, and what the module says of them; HCA B, which fails
# when asked to. After bench.sh. Who uses it sets A, B, A_BDF, B_BDF, RECORDS (how many
# there are), BLOCKS, FIRST (the size of buffer 0) and COMM; f is the process that
# registers.
# shellcheck disable=SC2034 # set here for those that read this file

TABLE=/gdrt/tests/errno-table.tsv
# The kernel of the table that this one is like
case $GDRT_KERNEL in
6.1 | 6.1-*) KERNEL=6.1 ;;
6.12* | debug*) KERNEL=6.12 ;;
*) KERNEL=7.3 ;;
esac
# shellcheck disable=SC2034 # for who uses it
ACCESS=7	# what is asked for: local write, remote read and write

# rows WORD: STAGE ERRNO CASE of this kernel, one a line, where CASE begins with WORD
rows()
{
	awk -F '\t' -v kernel="$KERNEL" -v word="^$1_" '
		/^#/ || !NF { next }
		{
			n = split($1, k, ",")
			for (i = 1; i <= n; i++)
				if (k[i] == kernel && $4 ~ word)
					print $2, $3, $4
		}' "$TABLE"
}

errno_of()
{
	case $1 in
	EIO) echo 5 ;;
	EBADF) echo 9 ;;
	EAGAIN) echo 11 ;;
	ENOMEM) echo 12 ;;
	EFAULT) echo 14 ;;
	EBUSY) echo 16 ;;
	ENODEV) echo 19 ;;
	EINVAL) echo 22 ;;
	ENOMSG) echo 42 ;;
	EBADR) echo 53 ;;
	EOPNOTSUPP) echo 95 ;;
	ENOLINK) echo 67 ;;
	ETIMEDOUT) echo 110 ;;
	ECANCELED) echo 125 ;;
	ENOTSUPP) echo 524 ;;
	*) bail "$TABLE: this suite does not know $1" ;;
	esac
}

# What the record of a registration with HCA $1 has to say beside stage and errno
try_words()
{
	IMPORTER=$(hca_bdf "$1") OFFSET=0 LENGTH=$SIZE WANT_ACCESS=$ACCESS
	for try_w; do
		case $try_w in
		offset=*) OFFSET=${try_w#*=} ;;
		length=*) LENGTH=${try_w#*=} ;;
		access=*) WANT_ACCESS=${try_w#*=} ;;
		esac
	done
	PID=$(holder_pid f)
}

# ---- the process that registers: gdrt-fail, unless the suite has another ----

# The process that registers, and buffer 0.
registrant()
{
	holder_of gdrt-fail f
	must f buffer "$FIRST"
}

try()
{
	try_words "$@"
	must f reg "$@"
	RESULT=$VALUE
}

# Before 7.x the attach of such a buffer maps it, which tells the GPU; from then on
# the key is made first.
mapped_by_attach()
{
	case $KERNEL in
	6.*) EXPORTER=$(gpu_bdf 0) ;;
	esac
}

# A buffer of its own; its size is one that no key in mlx5's cache has.
buffer()
{
	BLOCKS=$((BLOCKS + 1))
	SIZE=$((BLOCKS * PAGE))
	must f buffer "$SIZE" "$@"
	BUFFER=${VALUE%% *} INODE=$(field "$VALUE" inode)
}

# ---- HCA B, which fails when asked to (tests/sim/sim.h, PCI_TEST) ----

byte()
{
	# shellcheck disable=SC2059 # a byte in octal
	printf "\\$(printf %03o $(($1)))"
}

# test_registers OFFSET BYTE...: four of them
test_registers()
{
	test_at=$1
	shift
	for test_b; do byte "$test_b"; done |
		dd of="/sys/bus/pci/devices/$B_BDF/config" bs=4 seek=$((test_at / 4)) conv=notrunc \
			2>/dev/null || bail "the HCA takes no orders"
}

# command_fails COMMAND ERRNO: with a status of the firmware or of the delivery
# that mlx5_core makes this errno of (cmd_status_to_err, deliv_status_to_err)
command_fails()
{
	case $2 in
	5) test_status="1 0" ;;
	11) test_status="0xf 0" ;;
	12) test_status="8 0" ;;
	14) test_status="0 3" ;;
	16) test_status="6 0" ;;
	22) test_status="3 0" ;;
	42) test_status="0 7" ;;
	53) test_status="0 1" ;;
	*) bail "no status makes errno $2" ;;
	esac
	# shellcheck disable=SC2086 # two words
	test_registers 0xc0 $(($1 & 0xff)) $(($1 >> 8)) $test_status
}

# command_unanswered COMMAND: until command_works
command_unanswered()
{
	test_registers 0xc0 $(($1 & 0xff)) $(($1 >> 8)) 0 0x80
}

command_works()
{
	test_registers 0xc0 0 0 0 0
}

unbind_b()
{
	echo "$B_BDF" >/sys/bus/pci/drivers/mlx5_core/unbind || bail "unbind of HCA B"
}

bind_b()
{
	echo "$B_BDF" >/sys/bus/pci/drivers/mlx5_core/bind || bail "bind of HCA B"
	wait_for 60 rdma_devices 2 || bail "HCA B is gone"
	B=$(hca_at "$B_BDF")
}

# ---- what the module says ----

# The last record: how many there are, then the fields named.
last_record()
{
	gdrt-nl dump failure-log | awk -v names="$*" '
		/^errno / { next }
		{ n++; last = $0 }
		END {
			printf "records=%d", n
			split(last, word, " ")
			for (i in word)
				value[substr(word[i], 1, index(word[i], "=") - 1)] = word[i]
			k = split(names, name, " ")
			for (i = 1; i <= k; i++)
				printf " %s", name[i] in value ? value[name[i]] : name[i] "-"
		}'
}

# All counters of failures: NAME VALUE
counters()
{
	(
		cd "$GT" || exit
		grep -H . failures_total capability_queries_total failures/* importers/*/failures_total \
			importers/*/failures/* exporters/*/failures_total exporters/*/failures/* \
			pairs/*/failures_total 2>/dev/null | sed 's/:\([0-9]*\)$/ \1/'
	)
	gdrt-nl dump failure |
		sed -n 's/^importer=\([^ ]*\) stage=\([^ ]*\) error=\([^ ]*\) count=/kind:\1:\2:\3 /p'
}

# rise BEFORE AFTER: NAME+N of each that is not as before
rise()
{
	awk 'NR == FNR { was[$1] = $2; next } $2 != was[$1] { print $1 "+" $2 - was[$1] }' "$1" "$2" |
		sort
}

# What one failure adds to
expected_rise()
{
	{
		echo "failures_total+1"
		echo "failures/$1_total+1"
		echo "importers/$IMPORTER/failures_total+1"
		echo "importers/$IMPORTER/failures/$1_total+1"
		echo "kind:$IMPORTER:$1:$2+1"
		[ -z "$KNOWN" ] || {
			echo "exporters/$EXPORTER/failures_total+1"
			echo "exporters/$EXPORTER/failures/$1_total+1"
		}
		case $KNOWN:$EXPORTER in
		1:*:*) echo "pairs/${EXPORTER}_$IMPORTER/failures_total+1" ;;
		esac
	} | sort
}

# run STAGE ERRNO CASE: two results
run()
{
	run_errno=$(errno_of "$2")
	KNOWN='' EXPORTER=nvidia SIZE=$FIRST RESULT=none
	counters >/tmp/before
	"$3" "$run_errno" "$2"
	run_got="errno=$RESULT"
	if [ "$1" = before ]; then
		counters >/tmp/after
		is "${3#*_}: $2, which cannot be seen: no record" "$run_got $(last_record)" \
			"errno=$run_errno records=$RECORDS"
		is "${3#*_}: no counter" "$(rise /tmp/before /tmp/after)" ""
		return
	fi
	RECORDS=$((RECORDS + 1))
	run_want="errno=$run_errno records=$RECORDS stage=$1 error=$run_errno importer=$IMPORTER"
	if [ -n "$KNOWN" ]; then
		run_want="$run_want exporter=$EXPORTER exporter-module=nvidia buffer=$INODE"
	else
		run_want="$run_want exporter- exporter-module- buffer-"
	fi
	run_want="$run_want offset=$OFFSET length=$LENGTH access=$WANT_ACCESS \
pid=$PID comm=$COMM uid=0"
	is "${3#*_}: $2: one record, of stage $1" "$run_got $(last_record stage error importer \
exporter exporter-module buffer offset length access pid comm uid)" "$run_want"
	# Directories may follow within a second.
	case $KNOWN:$EXPORTER in
	1:*:*) wait_for 20 test -d "$GT/pairs/${EXPORTER}_$IMPORTER" ;;
	1:*) wait_for 20 test -d "$GT/exporters/$EXPORTER" ;;
	esac
	counters >/tmp/after
	is "${3#*_}: $2: each counter" "$(rise /tmp/before /tmp/after)" \
		"$(expected_rise "$1" "$run_errno")"
}
