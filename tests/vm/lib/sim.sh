# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Starts the device models: one process serves all devices of a guest, so that
# an HCA reaches a GPU's memory peer to peer.

# Sets SIM_PID; true when all sockets listen.
start_sim()
{
	local sim=${GDRT_SIM:-$BUILD/bin/gdrt-sim} args=() i

	[ $((HCAS + GPUS)) -gt 0 ] || return 0
	[ -x "$sim" ] || die "no device models in $sim; make builds them"
	for ((i = 0; i < HCAS; i++)); do
		args+=(--device "connectx,socket=$(socket_of hca "$i")${SIM:+",$SIM"}")
	done
	for ((i = 0; i < GPUS; i++)); do
		args+=(--device "gpu,socket=$(socket_of gpu "$i"),bar1=$BAR1")
	done
	setsid "$sim" --log "$LOG/sim.log" "${args[@]}" </dev/null >"$LOG/sim.out" 2>&1 &
	SIM_PID=$!
	for ((i = 0; i < 200; i++)); do
		! grep -qx ready "$LOG/sim.out" || return 0
		kill -0 "$SIM_PID" 2>/dev/null || break
		sleep 0.05
	done
	return 1
}
