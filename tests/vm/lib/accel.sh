# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# KVM where it works, else TCG. Some machines have a /dev/kvm that never runs an instruction, or that
# runs the firmware and gives up in the kernel's first code ("KVM internal error"): so a kernel is
# booted with it, once for each boot of the machine.

KVM_PROBE_SECONDS=20
# By then it has printed something.
KVM_FIRST_SECONDS=5

# kvm_runs VMLINUZ: does the kernel get to its end, the panic for want of a root?
kvm_runs()
{
	local dir pid i rc=1

	[ -w /dev/kvm ] || return 1
	dir=$(mktemp -d)
	setsid "${QEMU[@]}" -accel kvm -cpu host -machine q35 -m 512 -nodefaults -display none \
		-no-reboot -kernel "$1" -append "console=ttyS0 earlyprintk=ttyS0 panic=-1" \
		-chardev "file,id=out,path=$dir/out" -serial chardev:out \
		</dev/null >/dev/null 2>"$dir/err" &
	pid=$!
	for ((i = 0; i < KVM_PROBE_SECONDS * 10; i++)); do
		! grep -qsa 'Kernel panic - not syncing: VFS' "$dir/out" || { rc=0; break; }
		# QEMU stays, with its CPUs stopped.
		! grep -qsa 'KVM internal error' "$dir/err" || break
		[ -s "$dir/out" ] || [ "$i" -lt $((KVM_FIRST_SECONDS * 10)) ] || break
		kill -0 "$pid" 2>/dev/null || break
		sleep 0.1
	done
	# Not waited for: a process stuck in the kernel would never end.
	kill -KILL -- "-$pid" 2>/dev/null
	disown "$pid" 2>/dev/null
	# It may have written its last line and ended between two looks.
	! grep -qsa 'Kernel panic - not syncing: VFS' "$dir/out" || rc=0
	rm -rf "$dir"
	return "$rc"
}

# find_accel VMLINUZ: sets ACCEL (kvm or tcg)
find_accel()
{
	local key file=$CACHE/accel

	# What another version of this file found is not what this one would.
	key=$(cat /proc/sys/kernel/random/boot_id "$VM_DIR/lib/accel.sh" | sha256sum | cut -c1-16)
	if [ "$(cut -d ' ' -f 1 "$file" 2>/dev/null)" != "$key" ]; then
		mkdir -p "$CACHE"
		if kvm_runs "$1"; then
			echo "$key kvm"
		else
			echo "$key tcg"
		fi >"$file.$$"
		mv "$file.$$" "$file"
	fi
	# shellcheck disable=SC2034 # for run
	ACCEL=$(cut -d ' ' -f 2 "$file")
}
