# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# KVM where it works, else TCG. Some machines have a /dev/kvm that never runs
# an instruction, so it is tried, once for each boot of the machine.

KVM_PROBE_SECONDS=5

# Does KVM run the firmware's first messages?
kvm_runs()
{
	local out pid i

	[ -w /dev/kvm ] || return 1
	out=$(mktemp)
	setsid "${QEMU[@]}" -accel kvm -machine q35 -m 64 -nodefaults -display none \
		-chardev "file,id=d,path=$out" \
		-device isa-debugcon,iobase=0x402,chardev=d </dev/null >/dev/null 2>&1 &
	pid=$!
	for ((i = 0; i < KVM_PROBE_SECONDS * 10; i++)); do
		[ ! -s "$out" ] || break
		kill -0 "$pid" 2>/dev/null || break
		sleep 0.1
	done
	# Not waited for: a process stuck in the kernel would never end.
	kill -KILL -- "-$pid" 2>/dev/null
	disown "$pid" 2>/dev/null
	i=1
	[ ! -s "$out" ] || i=0
	rm -f "$out"
	return "$i"
}

# Sets ACCEL (kvm or tcg)
find_accel()
{
	local boot file=$CACHE/accel

	boot=$(cat /proc/sys/kernel/random/boot_id)
	if [ "$(cut -d ' ' -f 1 "$file" 2>/dev/null)" != "$boot" ]; then
		mkdir -p "$CACHE"
		if kvm_runs; then
			echo "$boot kvm"
		else
			echo "$boot tcg"
		fi >"$file.$$"
		mv "$file.$$" "$file"
	fi
	# shellcheck disable=SC2034 # for run
	ACCEL=$(cut -d ' ' -f 2 "$file")
}
