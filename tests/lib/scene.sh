# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# The scene that gdrctl's answers are tested with: two GPUs, four HCAs, three processes in two
# cgroups, one of which has ended and left its registrations to a healthy child, and another with a
# child that only inherited. And failures at four stages. After bench.sh, in a guest with cgroups.
# shellcheck disable=SC2034 # set here for those that read this file

CGROUPS=/sys/fs/cgroup
POD=6c7b1f3e-0a1b-4c2d-8e9f-001122334455
ID=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
CONTAINER=/kubepods/burstable/pod$POD/$ID
BATCH=/batch.slice

# put NAME CGROUP: a holder's process into a cgroup
put()
{
	holder_pid "$1" >"$CGROUPS$2/cgroup.procs" || bail "$1 does not go into $2"
}

# orphaned COUNT: of attachments
orphaned()
{
	[ "$(gt orphans)" = "$1" ]
}

# GPUs and HCAs, by their names
scene_names()
{
	G0=$(gpu_bdf 0) G1=$(gpu_bdf 1)
	N0=$(hca_name 0) N1=$(hca_name 1) N2=$(hca_name 2) N3=$(hca_name 3)
	H0=$(hca_bdf "$N0") H1=$(hca_bdf "$N1") H2=$(hca_bdf "$N2") H3=$(hca_bdf "$N3")
}

# What is there, once the module is up.
scene_up()
{
	scene_names
	F0=$(function_bdf 0)
	mkdir -p "$CGROUPS$CONTAINER" "$CGROUPS$BATCH" || bail "no cgroups"
	for h in a b; do
		holder $h
		put $h "$CONTAINER"
	done
	holder c
	put c $BATCH
	PA=$(holder_pid a) PB=$(holder_pid b) PC=$(holder_pid c)

	must a buffer $((4 * MIB)) gpu=0
	A0=$(field "$VALUE" inode)
	must a name 0 'w"1'
	must a reg 0 "$N0"
	must a reg 0 "$N1"
	must a buffer $((2 * MIB)) gpu=1
	A1=$(field "$VALUE" inode)
	must a reg 1 "$N2" 0 "$MIB"
	must b buffer "$MIB" gpu=0
	B0=$(field "$VALUE" inode)
	must b name 0 kv-cache
	must b reg 0 "$N0"
	must b close 0
	must b fork
	BCHILD=$VALUE
	must c buffer $((8 * MIB)) gpu=1
	C0=$(field "$VALUE" inode)
	must c reg 0 "$N3"
	must c buffer "$MIB" system
	C1=$(field "$VALUE" inode)
	must c attach 1 0 dynamic
	must c map "$VALUE"
	must c fork
	CCHILD=$VALUE
	switch attach_errno 22
	must b buffer "$MIB" gpu=0
	tell b reg 1 "$N1"
	switch attach_errno 0
	must b close 1
	holder_kill c
}

# A fourth process, which registers nothing: its failures at the stages verbs, umem, attach and map.
scene_failures()
{
	gdrt-fail query >/dev/null
	holder_of gdrt-fail d
	PD=$(holder_pid d)
	must d buffer $((4 * MIB))
	D0=$(field "$VALUE" inode)
	must d reg "$N0" buffer=0 iova=1
	must d reg "$N1" fd=999 length=4096 count=2
	switch attach_errno 524
	must d reg "$N2" buffer=0 offset=4096 length=8192 count=3
	switch attach_errno 0
	switch map_errno -1
	must d reg "$N3" buffer=0
	switch map_errno 0
	holder_quit d
}
