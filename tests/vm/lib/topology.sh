# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# PCI layouts. Each function appends to the array QEMU_ARGS; HCAs come first,
# then GPUs, then importers, so that mlx5_0 is HCA 0 in every layout.

# Sockets of the device models, by kind and number
socket_of()
{
	echo "$WORK/$1$2.sock"
}

# endpoint KIND NUMBER BUS: one device on a port
endpoint()
{
	case $1 in
	importer) QEMU_ARGS+=(-device "pci-testdev,bus=$3") ;;
	*) QEMU_ARGS+=(-device "{\"driver\":\"vfio-user-pci\",\"bus\":\"$3\",\"socket\":{\"type\":\"unix\",\"path\":\"$(socket_of "$1" "$2")\"}}") ;;
	esac
}

# each_endpoint FUNCTION: FUNCTION KIND NUMBER COUNT-OF-KIND INDEX for each
each_endpoint()
{
	local i n=0

	for ((i = 0; i < HCAS; i++)); do "$1" hca "$i" "$HCAS" $((n++)); done
	for ((i = 0; i < GPUS; i++)); do "$1" gpu "$i" "$GPUS" $((n++)); done
	for ((i = 0; i < IMPORTERS; i++)); do "$1" importer "$i" "$IMPORTERS" $((n++)); done
}

on_switch()
{
	QEMU_ARGS+=(-device "xio3130-downstream,id=dn$4,bus=up0,chassis=2,slot=$4")
	endpoint "$1" "$2" "dn$4"
}

on_root_port()
{
	local slot

	# Slots 8.. of the root complex; the chipset has 0, 1 and 31. QEMU reads
	# slot numbers as hexadecimal.
	printf -v slot %x $(($4 + 8))
	QEMU_ARGS+=(-device "pcie-root-port,id=rp$4,bus=pcie.0,chassis=$(($4 + 1)),addr=$slot")
	endpoint "$1" "$2" "rp$4"
}

# The first half of each kind on node 0, the second on node 1; a lone GPU on
# node 1, so that it is across from a lone HCA.
on_node()
{
	local node=$(($2 * 2 / $3)) slot

	[ "$1/$3" != gpu/1 ] || node=1
	printf -v slot %x $(($4 + 1))
	QEMU_ARGS+=(-device "pcie-root-port,id=rp$4,bus=pxb$node,chassis=$(($4 + 1)),addr=$slot")
	endpoint "$1" "$2" "rp$4"
}

# topology_machine TOPOLOGY BYTES CPUS: CPUs and RAM, which the models map as a
# file
topology_machine()
{
	local half=$(($2 / 2)) half_cpus=$(($3 / 2))

	if [ "$1" = numa ]; then
		# A socket a node: Linux warns if a node splits a cache.
		QEMU_ARGS+=(-smp "$3,sockets=2,cores=$half_cpus,threads=1"
			    -object "memory-backend-memfd,id=m0,size=$half,share=on"
			    -object "memory-backend-memfd,id=m1,size=$half,share=on"
			    -numa "node,nodeid=0,memdev=m0,cpus=0-$((half_cpus - 1))"
			    -numa "node,nodeid=1,memdev=m1,cpus=$half_cpus-$(($3 - 1))")
	else
		QEMU_ARGS+=(-smp "$3"
			    -object "memory-backend-memfd,id=m0,size=$2,share=on"
			    -machine memory-backend=m0)
	fi
}

# topology_devices TOPOLOGY
topology_devices()
{
	case $1 in
	switch)
		QEMU_ARGS+=(-device "pcie-root-port,id=rp0,bus=pcie.0,chassis=1,addr=8"
			    -device "x3130-upstream,id=up0,bus=rp0")
		each_endpoint on_switch
		;;
	root-ports)
		each_endpoint on_root_port
		;;
	numa)
		# QEMU's tables list the bridges last one first, and guests look
		# for devices in that order: so bridge 0 is made last.
		QEMU_ARGS+=(-device "pxb-pcie,id=pxb1,bus=pcie.0,bus_nr=128,numa_node=1,addr=7"
			    -device "pxb-pcie,id=pxb0,bus=pcie.0,bus_nr=32,numa_node=0,addr=6")
		each_endpoint on_node
		;;
	esac
}
