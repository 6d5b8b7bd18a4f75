#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The demo, run in the guest: two applications register GPU memory with two HCAs; gdrctl shows who
# holds what. Every number it talks about is checked; the first that is wrong ends it with exit code 1.
set -u

SYSFS=/sys/kernel/gdr_telemetry
BUFINFO=/sys/kernel/debug/dma_buf/bufinfo
MIB=1048576

title() { printf '\n== %s\n\n' "$*"; }
text() { printf '%s\n' "$*"; }
show() { printf '$ %s\n' "$*"; "$@" 2>&1 || fail "'$*' ended with exit code $?"; }

fail()
{
	printf '\nThe demo failed: %s\n' "$*" >&2
	exit 1
}

# expect FILE VALUE: what a sysfs file has to say
expect()
{
	is=$(cat "$SYSFS/$1") || fail "cannot read $SYSFS/$1"
	[ "$is" = "$2" ] || fail "$SYSFS/$1 is $is, and should be $2"
}

# expect_bufinfo N: attachments in the kernel's own list, which knows nothing of gdr_telemetry
expect_bufinfo()
{
	n=$(awk '/^Total [0-9]+ devices attached/ { n += $2 } END { print n + 0 }' "$BUFINFO")
	[ "$n" = "$1" ] || fail "the kernel's bufinfo lists $n attachments, and should list $1"
	text "The kernel's own list ($BUFINFO) agrees: $n attached."
}

# await SECONDS COMMAND...: until the command succeeds
await()
{
	i=$(($1 * 10))
	shift
	until "$@" >/dev/null 2>&1; do
		[ "$i" -gt 0 ] || return 1
		i=$((i - 1))
		sleep 0.1
	done
}

# start NAME ARG...: gdrt-demo as a process called NAME, up to "ready"; PID_NAME is its pid
start()
{
	name=$1
	shift
	ln -sf "$(command -v gdrt-demo)" "./$name"
	"./$name" "$@" >"$name.out" 2>&1 &
	eval "PID_$name=$!"
	await 30 grep -q ready "$name.out" || fail "$name did not register: $(cat "$name.out")"
	sed "/^ready$/d; s/^/  $name ($!): /" "$name.out"
}

# The PCI functions of one vendor (and class): BDF, ids, driver.
functions()
{
	for d in /sys/bus/pci/devices/*; do
		[ "$(cat "$d/vendor")" = "$1" ] || continue
		driver=$(readlink "$d/driver") || driver=none
		printf '  %-8s %s  %s:%s  driver %s\n' "$2" "${d##*/}" "$(cut -c 3- "$d/vendor")" \
			"$(cut -c 3- "$d/device")" "${driver##*/}"
	done
}

title "gdr-telemetry: who holds GPU memory for RDMA?"
text "Kernel $(uname -r), unmodified, with its own mlx5_core, mlx5_ib and ib_uverbs."
text "The HCAs and GPUs are simulated PCI devices; a test double stands in for NVIDIA's driver."
text ""
for m in mlx5_ib ib_uverbs; do
	modprobe "$m" || fail "modprobe $m"
done
insmod /gdrt/modules/nvidia.ko || fail "insmod nvidia.ko"
for d in mlx5_0 mlx5_1; do
	await 30 test -e "/sys/class/infiniband/$d" || fail "no $d after 30 s"
	eval "HCA_$d=$(basename "$(readlink "/sys/class/infiniband/$d/device")")"
done
functions 0x10de GPU
functions 0x15b3 HCA

title "1. Load the module: nothing is registered yet"
show insmod /gdrt/modules/gdr_telemetry.ko
text ""
show gdrctl status
expect attachments 0
expect pinned_bytes 0

title "2. Two applications register GPU memory with libibverbs"
text "trainer:  64 MiB of GPU 0, with both HCAs.  kvcache:  96 MiB of GPU 1, with the second HCA."
text ""
start trainer 0 64 mlx5_0 mlx5_1
start kvcache 1 96 mlx5_1
text ""
show gdrctl status
expect attachments 3
expect buffers 2
expect mapped 3
expect importers_active 2
expect pinned_bytes $((160 * MIB))
expect pinned_bytes_sum $((224 * MIB))
text ""
text "Pinned: 64 + 96 = 160 MiB of GPU memory, each buffer once; 2 x 64 + 96 = 224 MiB summed over"
text "the attachments, since two HCAs hold the trainer's buffer."
expect_bufinfo 3

title "3. Which HCA, which GPU, which process, how much, pinned or not"
show gdrctl attachment
text ""
text "And what the second HCA holds, for programs:"
# shellcheck disable=SC2154 # set above by eval
show gdrctl -j -p attachment importer "$HCA_mlx5_1"

title "4. A registration fails"
text "The GPU driver refuses the attach with errno 524, as NVIDIA's does on the wrong PCI topology."
text ""
echo 524 >/sys/module/nvidia/parameters/attach_errno
./trainer 0 8 mlx5_0 && fail "the registration should have failed"
echo 0 >/sys/module/nvidia/parameters/attach_errno
text ""
show grep -r . $SYSFS/failures
expect failures/attach_total 1
expect attachments 3

title "5. kvcache is killed; the kernel takes its registration back"
# shellcheck disable=SC2154
kill -KILL "$PID_kvcache"
wait "$PID_kvcache" 2>/dev/null
show gdrctl attachment
expect attachments 2
expect pinned_bytes $((64 * MIB))
expect_bufinfo 2

title "6. trainer deregisters and ends"
# shellcheck disable=SC2154
kill -TERM "$PID_trainer"
wait "$PID_trainer" || fail "trainer ended with exit code $?"
show gdrctl status
expect attachments 0
expect buffers 0
expect mapped 0
expect pinned_bytes 0
expect pinned_bytes_sum 0
expect pinned_bytes_peak $((160 * MIB))
expect attach_total 3
expect detach_total 3
expect inexact 0
expect_bufinfo 0

title "Every number was as expected."
