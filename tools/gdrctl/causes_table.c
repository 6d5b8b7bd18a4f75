// SPDX-License-Identifier: GPL-2.0
/*
 * Why registrations fail: the one table, by stage and errno.
 *
 * Documentation/failures.rst is written from it (test/test_causes.c), and each
 * errno of tests/errno-table.tsv, which names the functions of the kernel, has
 * an entry. The comment before an entry says where it and its advice come from:
 * FILE:FUNCTION of the sources of Debian's 6.1, 6.12 and 7.3, Documentation/ of
 * the same; "NVIDIA's" is kernel-open/nvidia of NVIDIA/open-gpu-kernel-modules,
 * 515.43.04 to 595.45.04; OWNER/REPOSITORY#N a report on GitHub.
 */
#include <errno.h>

#include <linux/gdr_telemetry.h>

#include "causes.h"

/* The kernel's; user space has no name for it. */
#define ENOTSUPP	524

#define STAGE(s)	GDR_TELEMETRY_STAGE_##s

#define DMESG_SYNDROME                                                                           \
	"dmesg has a line of mlx5_core with the command, its status and its syndrome"
#define RECOVER                                                                                  \
	"\"devlink health recover pci/BDF reporter fw_fatal\" loads its driver anew and resets "  \
	"its firmware if that is needed."

const struct cause causes[] = {
	/* ---- before: what is no failure of a dma-buf registration that the module sees ---- */
	{
		/*
		 * uverbs_ioctl.c:ib_uverbs_cmd_verbs. linux-rdma/perftest#280, openucx/ucx#9908.
		 * The method is of 5.12; perplexityai/pplx-garden#3 for 5.10.
		 */
		CAUSE_BEFORE, { EPROTONOSUPPORT },
		"ib_uverbs of this host has no method for dma-buf MRs.",
		{ { FACT_NONE, "the kernel is older than 5.12", "uname -r." },
		  { FACT_NONE, "ib_uverbs is that of an OFED too old for it",
		    "modinfo -F filename ib_uverbs: a path with /updates/ or /extra/ is not the "
		    "kernel's own." } },
		"A newer kernel or OFED on the host; packages in a container change nothing. Or "
		"nvidia-peermem.",
	}, {
		/* rdma-core, libibverbs/dummy_ops.c:reg_dmabuf_mr: providers without it. */
		CAUSE_BEFORE, { EOPNOTSUPP },
		"The library's provider for this HCA has no dma-buf MRs, and did not ask the "
		"kernel.",
		{ { FACT_NONE, "rdma-core is too old, perhaps in a container only",
		    "the version of the package libibverbs1 or rdma-core where the program runs; "
		    "mlx5 has them from v34 on." },
		  { FACT_NOT_MLX5, "it is an HCA whose provider has none",
		    "ls -l /sys/class/infiniband/HCA/device/driver." } },
		"A newer rdma-core where the program runs; or nvidia-peermem.",
	}, {
		/*
		 * umem.c:ib_umem_get. NVIDIA/nccl-tests#245, linux-rdma/perftest#126,
		 * Mellanox/nv_peer_memory#121; ROCm/rocm-systems#9540 for a symbol without a
		 * client.
		 */
		CAUSE_BEFORE, { EFAULT },
		"No dma-buf: ibv_reg_mr() of an address that is the GPU's. The kernel finds no "
		"memory of the process there, as nobody told it that the GPU has some.",
		{ { FACT_NONE, "nvidia-peermem is not loaded",
		    "/sys/module/nvidia_peermem is missing." },
		  { FACT_NONE, "it is loaded, and has not registered with ib_core",
		    "/sys/kernel/mm/memory_peers/ is missing or empty." },
		  { FACT_NONE, "it does not take this memory: from cuMemCreate() or a pool",
		    "memory of cudaMalloc() works." },
		  { FACT_NONE, "the GPU has no GPUDirect RDMA, as GeForce",
		    "CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED." } },
		"Register it by dma-buf (cuMemGetHandleForAddressRange() and ibv_reg_dmabuf_mr()), "
		"or load nvidia-peermem.",
	}, {
		/*
		 * umem.c:ib_umem_get; umem_dmabuf.c asks for no such limit. NVIDIA/nccl-tests#206.
		 */
		CAUSE_BEFORE, { ENOMEM },
		"No dma-buf: ibv_reg_mr() of memory of the host, which counts against the limit of "
		"locked memory. dma-buf MRs do not. Or the kernel has no memory for the handle.",
		{ { FACT_NONE, "the limit is low in a container or under mpirun",
		    "\"Max locked memory\" in /proc/PID/limits." } },
		"Raise the limit where the process is started (ulimit -l, LimitMEMLOCK=).",
	}, {
		/*
		 * uverbs' alloc_uobj (rdma_core.c) and kernel/cgroup/rdma.c:rdmacg_try_charge;
		 * Documentation/admin-guide/cgroup-v2.rst, RDMA.
		 */
		CAUSE_BEFORE, { EAGAIN },
		"The limit of the rdma cgroup is reached: no more HCA objects for this cgroup.",
		{ { FACT_NONE, "", "rdma.current and rdma.max in the directory of the cgroup." } },
		"Raise hca_object in rdma.max, or give objects up.",
	}, {
		/* uverbs_ioctl.c:ib_uverbs_ioctl; uverbs_main.c:ib_uverbs_free_hw_resources */
		CAUSE_BEFORE, { EIO },
		"The HCA has been removed, or its driver unbound, since the program opened it.",
		{ { FACT_NONE, "", "dmesg; the RDMA device has another number now." } },
		"Open the HCA again. mlx5_ib lets an HCA go although programs have it open: look "
		"beforehand who they are, by gdrctl holders hca NAME.",
	}, {
		/* rdma_core.c:rdma_lookup_get_uobject, uverbs_try_lock_object, alloc_uobj */
		CAUSE_BEFORE, { 0 },
		"A handle that does not exist or is being given up, or no memory for one.",
		{ { FACT_NONE, NULL, NULL } },
		"Look at the order in which the program frees its objects.",
	},

	/* ---- verbs: uverbs_std_types_mr.c, mlx5_ib's mr.c ---- */
	{
		/*
		 * uverbs_std_types_mr.c:UVERBS_METHOD_REG_DMABUF_MR, ib_verbs.h:ib_check_mr_access,
		 * umr.h:mlx5r_umr_can_load_pas, mr.c:reg_user_mr_dmabuf_by_data_direct
		 */
		STAGE(VERBS), { EINVAL },
		"The arguments are wrong, or are too much for this HCA.",
		{ { FACT_FLAGS, "an access flag that dma-buf MRs do not have, as on demand",
		    "access of the record: 0x1, 0x2, 0x4, 0x8 and 0x100000 are all there are." },
		  { FACT_REMOTE, "remote write or atomic without local write",
		    "access of the record: 0x2 or 0x8 without 0x1." },
		  { FACT_LONG, "256 MiB or more, on an HCA without umr_extended_translation_offset",
		    "a shorter one works." },
		  { FACT_NONE, "offset and iova differ in their place within a page",
		    "print both where the program registers; a record has no iova." },
		  { FACT_MLX5, "data direct was asked for, and this HCA has none",
		    "the program passes MLX5DV_REG_DMABUF_ACCESS_DATA_DIRECT." } },
		"Pass an iova with the same offset in its page as offset has; of the access flags "
		"only local write, remote read, write and atomic, and relaxed ordering; and parts "
		"below 256 MiB on such an HCA.",
	}, {
		/*
		 * uverbs_std_types_mr.c:UVERBS_METHOD_REG_DMABUF_MR;
		 * mr.c:mlx5_ib_reg_user_mr_dmabuf and reg_user_mr_dmabuf_by_data_direct
		 */
		STAGE(VERBS), { EOPNOTSUPP },
		"The HCA's driver has no dma-buf MRs in this kernel.",
		{ { FACT_MLX5, "the kernel was built without CONFIG_INFINIBAND_ON_DEMAND_PAGING",
		    "grep ON_DEMAND_PAGING /boot/config-$(uname -r)." },
		  { FACT_NOT_MLX5, "the driver of this HCA has none at all",
		    "ls -l /sys/class/infiniband/HCA/device/driver." },
		  { FACT_MLX5, "data direct was asked for, with an iova that is not a whole page",
		    "print it where the program registers." } },
		"Use a kernel with that option; or else nvidia-peermem.",
	}, {
		/*
		 * umr.c:mlx5r_umr_resource_init, 6.12 and later; cmd.c:cmd_status_to_err,
		 * deliv_status_to_err, mlx5_cmd_out_err; Documentation/networking/devlink/mlx5.rst
		 */
		STAGE(VERBS), { EIO, ENOMEM, EAGAIN, EBUSY, EFAULT, EBADR },
		"The first registration on an HCA makes queues in it for changes to memory keys "
		"(UMR). Its firmware refused one.",
		{ { FACT_NONE, "the HCA is out of such queues, or its firmware is in trouble",
		    DMESG_SYNDROME "; \"devlink health diagnose pci/BDF reporter fw\"." } },
		RECOVER,
	}, {
		/*
		 * cmd.c:wait_func, mlx5_internal_err_ret_value, deliv_status_to_err;
		 * Documentation/networking/devlink/mlx5.rst
		 */
		STAGE(VERBS), { ENOMSG, ENOLINK, ETIMEDOUT, ECANCELED },
		"The HCA took no command: its firmware does not answer, or it has failed.",
		{ { FACT_NONE, "", "dmesg has lines of mlx5_core, with its health buffer." } },
		RECOVER,
	}, {
		/* mr.c: mlx5_ib_dbg(); Documentation/admin-guide/dynamic-debug-howto.rst */
		STAGE(VERBS), { 0 },
		"The registration was refused before the buffer was looked at.",
		{ { FACT_NONE, NULL, NULL } },
		"dmesg may say more; so does mlx5_ib with dynamic debug.",
	},

	/* ---- umem: dma-buf.c, umem_dmabuf.c ---- */
	{
		/*
		 * dma-buf.c:dma_buf_get; umem_dmabuf.c:ib_umem_dmabuf_get, which holds the buffer
		 */
		STAGE(UMEM), { EBADF },
		"The file descriptor is not open. (With -1 it is a question whether dma-buf is "
		"supported, and counted as that.)",
		{ { FACT_NONE, "it was closed before the registration",
		    "strace -e trace=close,ioctl of the program." } },
		"Close it only after the registration: the MR keeps the buffer, not the "
		"descriptor.",
	}, {
		/* dma-buf.c:dma_buf_get, dma_buf_show_fdinfo; umem_dmabuf.c:ib_umem_dmabuf_get */
		STAGE(UMEM), { EINVAL },
		"The file descriptor is no dma-buf, or the range is not in it.",
		{ { FACT_EMPTY, "the length is 0", NULL },
		  { FACT_OVERFLOW, "offset and length together are beyond the highest "
		    "address", NULL },
		  { FACT_RANGE, "the range ends beyond the buffer",
		    "its size in /proc/PID/fdinfo/FD, against offset and length of the record." },
		  { FACT_RANGE, "the file descriptor is of something else",
		    "ls -l /proc/PID/fd: that of a dma-buf is /dmabuf:." } },
		"offset counts from the start of the dma-buf, not of the allocation; offset and "
		"length must lie in what was exported.",
	}, {
		/* umem_dmabuf.c:ib_umem_dmabuf_get */
		STAGE(UMEM), { ENOMEM },
		"The kernel has no memory for its own records.",
		{ { FACT_NONE, NULL, NULL } },
		"Free memory of the host.",
	}, {
		/* dma-buf.c:dma_buf_get, umem_dmabuf.c:ib_umem_dmabuf_get give no other */
		STAGE(UMEM), { 0 },
		"The buffer of this file descriptor could not be used.",
		{ { FACT_NONE, NULL, NULL } },
		"See whether it is one that the exporter made for this process.",
	},

	/* ---- attach: the exporter's attach operation ---- */
	{
		/*
		 * NVIDIA's nv-dmabuf.c:nv_dma_buf_attach, nv-pci.c, from 580.65.06 on, with its
		 * lines in dmesg; mlx5_ib accepts peer-to-peer addresses
		 * (mr.c:mlx5_ib_dmabuf_attach_ops). meta-pytorch/torchcomms#160 for "Unknown error
		 * 524".
		 */
		STAGE(ATTACH), { ENOTSUPP },
		"NVIDIA's driver refused this HCA (ENOTSUPP, 524, which programs print as an "
		"unknown error): it cannot reach this memory.",
		{ { FACT_NV_NEW, "exported with the PCIe mapping, and the GPU is not coherent or "
		    "is in another IOMMU group than the HCA",
		    "dmesg: \"dma-buf attach failed: topology not supported for mapping type "
		    "FORCE_PCIE\"." },
		  { FACT_NV_NEW, "the chipset cannot carry peer-to-peer traffic between the two",
		    "dmesg: \"PCI topology not supported for dma-buf\"; GrdmaPciTopoCheckOverride "
		    "in /proc/driver/nvidia/params, of which 2 refuses always." },
		  { FACT_NVIDIA_STATIC, "the importer is not ready for peer-to-peer addresses",
		    "dmesg: \"importer unable to handle MMIO without struct page\"." },
		  { FACT_NOT_NVIDIA, "another exporter's own reason", "its source, and dmesg." } },
		"Export without the PCIe flag; use an HCA behind the same switch. "
		"NVreg_GrdmaPciTopoCheckOverride=1 turns off the driver's check of the topology, "
		"which keeps peers apart that the platform may not route between: hangs and loss of "
		"data are possible. Prove the path with gdrctl test before it is used.",
	}, {
		/*
		 * xe_dma_buf.c:xe_dma_buf_attach; vfio_pci_dmabuf.c:vfio_pci_dma_buf_attach (7.x)
		 */
		STAGE(ATTACH), { EOPNOTSUPP },
		"The exporter, which is not NVIDIA's, cannot share this memory with this device: "
		"there is no peer-to-peer path.",
		{ { FACT_NOT_NVIDIA, "no path, or a kernel without CONFIG_PCI_P2PDMA",
		    "lspci -t; grep PCI_P2PDMA /boot/config-$(uname -r)." } },
		"Put both behind one PCIe switch or root complex; use a kernel with that option.",
	}, {
		/* vfio_pci_dmabuf.c:vfio_pci_dma_buf_attach (7.x) */
		STAGE(ATTACH), { ENODEV },
		"The device that owns the memory is gone or takes it back.",
		{ { FACT_NONE, NULL, NULL } },
		"Export it again when the device is back.",
	}, {
		/* dma-buf.c:dma_buf_dynamic_attach; system_heap.c:system_heap_attach and others */
		STAGE(ATTACH), { ENOMEM },
		"No memory for the attachment.",
		{ { FACT_NONE, NULL, NULL } },
		"Free memory of the host.",
	}, {
		/* dma-buf.c:dma_buf_dynamic_attach, the text before it; the exporters' own */
		STAGE(ATTACH), { EBUSY, EINVAL },
		"The exporter refused: it cannot move the memory to where this device reaches it, "
		"or does not know the device.",
		{ { FACT_NONE, NULL, NULL } },
		"The exporter's documentation, and dmesg.",
	}, {
		/* dma-buf.c:dma_buf_dynamic_attach passes on what the exporter's attach returns */
		STAGE(ATTACH), { 0 },
		"The exporter refused this device; the errno is its own.",
		{ { FACT_NONE, NULL, NULL } },
		"dmesg, and the source of the exporter's attach operation.",
	},

	/* ---- map: the exporter's map, and pin where the core pins before it maps ---- */
	{
		/*
		 * NVIDIA's nv-dmabuf.c: each failure is a bare NULL, of which dma-buf.c:
		 * dma_buf_map_attachment makes ENOMEM. BAR1 of 256 MiB:
		 * Mellanox/nv_peer_memory#101, NVIDIA/gdrcopy#301;
		 * docs.nvidia.com/cuda/gpudirect-rdma, "Displaying GPU BAR space". Larger: NVIDIA's
		 * nv-reg.h, EnableResizableBar, NVIDIA/open-gpu-kernel-modules#510.
		 */
		STAGE(MAP), { ENOMEM },
		"The exporter gave no mapping. NVIDIA's driver says no more than this, whatever "
		"the reason.",
		{ { FACT_BAR1, "the GPU's BAR1 is used up: with 256 MiB of it, some 220 MiB can be "
		    "registered",
		    "\"BAR1 Memory Usage\" of nvidia-smi -q, against the size of the buffer." },
		  { FACT_NV_IOMMU, "a large buffer behind an IOMMU, with a driver from 535 to 575",
		    "a smaller one works." },
		  { FACT_NV_OLD, "the topology is not supported, with a driver before 580",
		    "dmesg: \"NVRM: failed to map dynamic attachment with no P2P support\" or "
		    "\"topology not supported for mapping type FORCE_PCIE\"." },
		  { FACT_NVIDIA, "the file descriptor was not given all of its memory, or the "
		    "IOMMU cannot map it", "dmesg has a line of NVRM, or none for the former." },
		  { FACT_NOT_NVIDIA, "no memory for the mapping", "dmesg." } },
		"Register less at once, or give up what is not needed; NVreg_EnableResizableBar=1 "
		"makes BAR1 larger where the machine has room for that. Take NVIDIA's driver "
		"580.65.06 or later.",
	}, {
		/*
		 * amdgpu_dma_buf.c:amdgpu_dma_buf_map, xe_dma_buf.c; dma_map_sgtable(): EIO, EINVAL
		 */
		STAGE(MAP), { EIO, EINVAL, EBUSY },
		"The exporter, which is not NVIDIA's, could not map the memory for this device, or "
		"not pin it.",
		{ { FACT_NOT_NVIDIA, "the IOMMU, if it is EIO", "dmesg." } },
		"dmesg, and the source of the exporter's map and pin operations.",
	}, {
		/* xe_dma_buf.c:xe_dma_buf_map; vfio_pci_dmabuf.c:vfio_pci_dma_buf_map (7.x) */
		STAGE(MAP), { EOPNOTSUPP, ENODEV },
		"The exporter cannot let this device reach its memory any more: there is no "
		"peer-to-peer path, or its own device is gone.",
		{ { FACT_NOT_NVIDIA, "no path, if it is EOPNOTSUPP", "lspci -t." } },
		"Export it again when the device is back.",
	}, {
		/* dma-buf.c:dma_buf_map_attachment passes on what the exporter returns */
		STAGE(MAP), { 0 },
		"The exporter gave no mapping, or, where the core pins on the way there, did not "
		"pin; the errno is its own.",
		{ { FACT_NONE, NULL, NULL } },
		"dmesg, and the source of the exporter's map and pin operations.",
	},

	/* ---- pin: dma_buf_pin(), of devx umems, data direct, irdma, bnxt_re, efa ---- */
	{
		/* dma-buf.c:dma_buf_pin; umem_dmabuf.c:ib_umem_dmabuf_get_pinned; amdgpu and xe */
		STAGE(PIN), { ENOMEM, EINVAL, EBUSY },
		"The exporter cannot keep the memory where the device reaches it: no room there, "
		"or it is in use. Never NVIDIA's: it has no pin operation.",
		{ { FACT_NOT_NVIDIA, "no room in the part of the memory that peers reach",
		    "the exporter's own counters." } },
		"Free memory of that kind; importers that can give a mapping up, as plain MRs of "
		"mlx5, need no pin.",
	}, {
		/* dma-buf.c:dma_buf_pin passes on what the exporter returns */
		STAGE(PIN), { 0 },
		"The exporter did not pin the memory; the errno is its own.",
		{ { FACT_NONE, NULL, NULL } },
		"dmesg, and the source of the exporter's pin operation.",
	},

	/* ---- hw: mlx5_ib's mr.c, umr.c, odp.c; mlx5_core's cmd.c ---- */
	{
		/*
		 * cmd.c:cmd_status_to_err: limits; umr.c:mlx5r_umr_create_xlt; main.c: max_mr is
		 * log_max_mkey; rdma-resource(8)
		 */
		STAGE(HW), { ENOMEM },
		"The HCA has no memory keys left of this size, or the kernel no memory for the "
		"translation.",
		{ { FACT_MLX5, "the limit of memory keys",
		    DMESG_SYNDROME "; mr of \"rdma resource show\", against max_mr of ibv_devinfo "
		    "-v." },
		  { FACT_NONE, "no memory of the host", "free; no line of mlx5_core in dmesg." } },
		"Register fewer and larger ones.",
	}, {
		/* cmd.c:cmd_status_to_err: 0xf, busy; 7.3's cmd.c:mlx5_cmd_invoke */
		STAGE(HW), { EAGAIN, EBUSY },
		"The HCA has no resource free for a memory key at the moment, or its command queue "
		"is full.",
		{ { FACT_MLX5, "memory keys are used up (\"no resources(0xf)\")",
		    DMESG_SYNDROME "; mr of \"rdma resource show\"." } },
		"Try again; register fewer and larger ones.",
	}, {
		/*
		 * cmd.c:cmd_status_to_err, deliv_status_to_err, verify_signature;
		 * odp.c:pagefault_dmabuf_mr; Documentation/networking/devlink/mlx5.rst
		 */
		STAGE(HW), { EIO, EINVAL, EBADR, ENOMSG, EHWPOISON },
		"The HCA's firmware refused a memory key or the queue of page faults. EINVAL also: "
		"the mapping is not in whole pages.",
		{ { FACT_MLX5, "", DMESG_SYNDROME "." } },
		RECOVER,
	}, {
		/* odp.c:mlx5r_odp_create_eq, 6.12 and later; rdma-core's devinfo.c */
		STAGE(HW), { EOPNOTSUPP },
		"This HCA, or this virtual function, cannot page on demand, which dma-buf MRs of "
		"mlx5 need from 6.12 on.",
		{ { FACT_MLX5, "", "general_odp_caps of ibv_devinfo -v lacks ODP_SUPPORT." } },
		"Use a function that has it, or nvidia-peermem.",
	}, {
		/*
		 * umr.c:mlx5r_umr_post_send_wait, umr_check_mkey_mask;
		 * uverbs_ioctl.c:uverbs_copy_to; Documentation/networking/devlink/mlx5.rst
		 */
		STAGE(HW), { EFAULT, EPERM },
		"The HCA did not carry out the work request that fills the memory key (UMR).",
		{ { FACT_MLX5, "", "dmesg: \"reg umr failed\" and a call trace." } },
		RECOVER,
	}, {
		/*
		 * cmd.c:wait_func, mlx5_internal_err_ret_value;
		 * Documentation/networking/devlink/mlx5.rst
		 */
		STAGE(HW), { ENOLINK, ETIMEDOUT, ECANCELED },
		"The HCA took no command: its firmware does not answer, or it has failed.",
		{ { FACT_NONE, "", "dmesg has lines of mlx5_core, with its health buffer." } },
		RECOVER,
	}, {
		/*
		 * mr.c:mlx5_ib_reg_user_mr_dmabuf and the other drivers, after ib_umem_dmabuf_get()
		 */
		STAGE(HW), { 0 },
		"The buffer was attached, then the HCA's driver or the HCA refused.",
		{ { FACT_NONE, NULL, NULL } },
		"dmesg: lines of mlx5_core or of the other HCA's driver.",
	},

	/* ---- capability-query: NCCL's and UCX's question at their start ---- */
	{
		/* dma-buf.c:dma_buf_get is the last that is asked; NCCL's net_ib, UCX's ib_md.c */
		STAGE(CAPABILITY_QUERY), { EBADF },
		"Supported: the driver looked at file descriptor -1, and that is all that was "
		"wrong.",
		{ { FACT_NONE, NULL, NULL } },
		"Nothing.",
	}, {
		/* mr.c:mlx5_ib_reg_user_mr_dmabuf; drivers without reg_user_mr_dmabuf */
		STAGE(CAPABILITY_QUERY), { EOPNOTSUPP },
		"Not supported by this HCA's driver, or by this kernel.",
		{ { FACT_MLX5, "the kernel was built without CONFIG_INFINIBAND_ON_DEMAND_PAGING",
		    "grep ON_DEMAND_PAGING /boot/config-$(uname -r)." },
		  { FACT_NOT_MLX5, "the driver of this HCA has none at all",
		    "ls -l /sys/class/infiniband/HCA/device/driver." } },
		"Use a kernel with that option; or nvidia-peermem.",
	}, {
		/* as stage verbs; NVIDIA/nccl#778: 2.13 knows EOPNOTSUPP only */
		STAGE(CAPABILITY_QUERY), { 0 },
		"The question failed for another reason, so programs may take it for a no.",
		{ { FACT_NONE, NULL, NULL } },
		"What stage verbs says of this errno.",
	},

	/* ---- unknown: mr-join of the status is foreign-rdma ---- */
	{
		/* kmod/probe_rdma.c; Documentation/design.rst */
		STAGE(UNKNOWN), { 0 },
		"A registration failed that the module could not look into, as ib_core or "
		"ib_uverbs is not the kernel's own (OFED).",
		{ { FACT_NONE, "", "\"MR join\" of gdrctl status is foreign-rdma." } },
		"Build the module against OFED's headers: make module "
		"OFED=/usr/src/ofa_kernel/default.",
	},
};

const size_t causes_n = sizeof(causes) / sizeof(causes[0]);
