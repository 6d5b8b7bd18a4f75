// SPDX-License-Identifier: GPL-2.0
/*
 * Why registrations fail: the one table, by stage and errno.
 *
 * Documentation/failures.rst is written from it (test/test_causes.c), and each
 * errno of tests/errno-table.tsv, which names the functions of the kernel, has
 * an entry. A comment says where an entry comes from: kernel sources are those
 * of Debian's 6.1, 6.12 and 7.3, "NVIDIA's driver" is kernel-open/nvidia of
 * NVIDIA/open-gpu-kernel-modules, 515.43.04 to 595.45.04.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <linux/gdr_telemetry.h>

#include "causes.h"

/* The kernel's; user space has no name for it. */
#define ENOTSUPP	524

#define STAGE(s)	GDR_TELEMETRY_STAGE_##s

const struct cause causes[] = {
	/* ---- verbs: uverbs_std_types_mr.c, ib_check_mr_access(), mlx5_ib's mr.c ---- */
	{
		/* Also mlx5r_umr_can_load_pas(), for the length. */
		STAGE(VERBS), { EINVAL },
		"The arguments are wrong: offset and iova differ in their place within a page; or an "
		"access flag that dma-buf MRs do not have, as on demand; or remote write without local "
		"write; or a length of 256 MiB or more on an HCA without "
		"umr_extended_translation_offset.",
		"Pass an iova with the same offset in its page as offset has; of the access flags only "
		"local write, remote read, write and atomic, and relaxed ordering; and parts below "
		"256 MiB on such an HCA.",
	}, {
		/* mlx5_ib_reg_user_mr_dmabuf(); drivers without reg_user_mr_dmabuf. */
		STAGE(VERBS), { EOPNOTSUPP },
		"This HCA's driver has no dma-buf MRs, or the kernel was built without "
		"CONFIG_INFINIBAND_ON_DEMAND_PAGING, which those of mlx5 need.",
		"Use a kernel with that option; or else nvidia-peermem.",
	}, {
		/* mlx5r_umr_resource_init(), 6.12 and later; mlx5_core's cmd.c. */
		STAGE(VERBS), { EIO, ENOMEM, EAGAIN, EBUSY, EFAULT, EBADR },
		"The first registration on an HCA makes queues in it for changes to memory keys (UMR). "
		"Its firmware refused one.",
		"dmesg has a line of mlx5_core with the command, its status and its syndrome. Reset "
		"the HCA; if it stays, its firmware is to be updated.",
	}, {
		STAGE(VERBS), { ENOMSG, ENOLINK, ETIMEDOUT, ECANCELED },
		"The HCA took no command: its firmware does not answer, or it has failed.",
		"dmesg has lines of mlx5_core. Reset the HCA (devlink dev reload, or bind its driver "
		"again).",
	}, {
		STAGE(VERBS), { 0 },
		"The registration was refused before the buffer was looked at.",
		"dmesg may say more; so does mlx5_ib with dynamic debug.",
	},

	/* ---- umem: dma_buf_get(), ib_umem_dmabuf_get() ---- */
	{
		STAGE(UMEM), { EBADF },
		"The file descriptor is not open. (With -1 it is a question whether dma-buf is "
		"supported, and counted as that.)",
		"Close it only after the registration: the MR keeps the buffer, not the descriptor.",
	}, {
		STAGE(UMEM), { EINVAL },
		"The file descriptor is no dma-buf, or the range is not in it, or empty.",
		"offset counts from the start of the dma-buf, not of the allocation; offset and length "
		"must lie in what was exported.",
	}, {
		STAGE(UMEM), { ENOMEM },
		"The kernel has no memory for its own records.",
		"Free memory of the host.",
	}, {
		STAGE(UMEM), { 0 },
		"The buffer of this file descriptor could not be used.",
		"See whether it is one that the exporter made for this process.",
	},

	/* ---- attach: the exporter's attach operation ---- */
	{
		/* NVIDIA's nv-dmabuf.c, from 580.65.06 on; field reports call it "Unknown error 524". */
		STAGE(ATTACH), { ENOTSUPP },
		"NVIDIA's driver refused this HCA (ENOTSUPP, 524, which programs print as an unknown "
		"error): the buffer was exported with the PCIe mapping on a GPU that is not coherent or "
		"is in another IOMMU group; or the chipset cannot carry peer-to-peer traffic between "
		"the two; or the importer is not ready for peer-to-peer addresses.",
		"dmesg has a line \"NVRM: dma-buf attach failed\" or \"NVRM: ... topology not "
		"supported\" that says which. Export without the PCIe flag, use an HCA behind the same "
		"switch; the driver's parameter NVreg_GrdmaPciTopoCheckOverride overrides what it "
		"thinks of the topology (2 refuses always).",
	}, {
		/* xe_dma_buf_attach(), vfio_pci_dma_buf_attach() (7.x) */
		STAGE(ATTACH), { EOPNOTSUPP },
		"The exporter, which is not NVIDIA's, cannot share this memory with this device: there "
		"is no peer-to-peer path.",
		"Put both behind one PCIe switch or root complex; a kernel without CONFIG_PCI_P2PDMA "
		"has no such path for these exporters.",
	}, {
		/* vfio_pci_dma_buf_attach() (7.x) */
		STAGE(ATTACH), { ENODEV },
		"The device that owns the memory is gone or takes it back.",
		"Export it again when the device is back.",
	}, {
		/* dma_buf_dynamic_attach(), system_heap_attach() and others */
		STAGE(ATTACH), { ENOMEM },
		"No memory for the attachment.",
		"Free memory of the host.",
	}, {
		STAGE(ATTACH), { EBUSY, EINVAL },
		"The exporter refused: it cannot move the memory to where this device reaches it, or "
		"does not know the device.",
		"The exporter's documentation, and dmesg.",
	}, {
		STAGE(ATTACH), { 0 },
		"The exporter refused this device; the errno is its own.",
		"dmesg, and the source of the exporter's attach operation.",
	},

	/* ---- map: the exporter's map, and pin where the core pins before it maps ---- */
	{
		/*
		 * NVIDIA's nv-dmabuf.c: each failure is a bare NULL, of which the core makes
		 * ENOMEM. BAR1 of 256 MiB: Mellanox/nv_peer_memory#101, NVIDIA/gdrcopy#301.
		 */
		STAGE(MAP), { ENOMEM },
		"NVIDIA's driver says no more than this, whatever the reason. Most often the GPU's "
		"BAR1 is used up: cards with 256 MiB of it take some 220 MiB of registrations. Else: "
		"the file descriptor was not given all of its memory, the IOMMU cannot map it, or, with "
		"drivers before 580, the topology is not supported.",
		"Compare \"BAR1 Memory Usage\" of nvidia-smi -q with what is pinned now; register less "
		"at once, or turn on resizable BAR. dmesg: a line of NVRM. Drivers from 535 to 575 fail "
		"on large buffers behind an IOMMU: take 580.65.06 or later.",
	}, {
		/* amdgpu_dma_buf_map(), xe_dma_buf_map(); dma_map_sgtable() gives EIO, EINVAL */
		STAGE(MAP), { EIO, EINVAL, EBUSY },
		"The exporter, which is not NVIDIA's, could not map the memory for this device, or not "
		"pin it.",
		"dmesg; EIO is mostly the IOMMU's.",
	}, {
		STAGE(MAP), { EOPNOTSUPP, ENODEV },
		"The exporter cannot let this device reach its memory any more: there is no "
		"peer-to-peer path, or its own device is gone.",
		"See the topology; export it again when the device is back.",
	}, {
		STAGE(MAP), { 0 },
		"The exporter gave no mapping, or, where the core pins on the way there, did not pin; "
		"the errno is its own.",
		"dmesg, and the source of the exporter's map and pin operations.",
	},

	/* ---- pin: dma_buf_pin(), of devx umems, data direct, irdma, bnxt_re, efa ---- */
	{
		STAGE(PIN), { ENOMEM, EINVAL, EBUSY },
		"The exporter cannot keep the memory where the device reaches it: no room there, or it "
		"is in use. Never NVIDIA's: it has no pin operation.",
		"Free memory of that kind; importers that can give a mapping up, as plain MRs of mlx5, "
		"need no pin.",
	}, {
		STAGE(PIN), { 0 },
		"The exporter did not pin the memory; the errno is its own.",
		"dmesg, and the source of the exporter's pin operation.",
	},

	/* ---- hw: mlx5_ib's mr.c, umr.c, odp.c; mlx5_core's cmd.c ---- */
	{
		/* cmd_status_to_err(): limits; kvzalloc() */
		STAGE(HW), { ENOMEM },
		"The HCA has no memory keys left of this size, or the kernel no memory for the "
		"translation.",
		"Count the MRs (rdma resource); register fewer and larger ones. dmesg: a line of "
		"mlx5_core with the syndrome, if it was the HCA.",
	}, {
		/* cmd_status_to_err(), deliv_status_to_err(); mlx5_cmd_invoke() of 7.3 */
		STAGE(HW), { EAGAIN, EBUSY },
		"The HCA has no resource free for a memory key at the moment, or its command queue is "
		"full.",
		"Try again; dmesg has a line of mlx5_core with the syndrome.",
	}, {
		STAGE(HW), { EIO, EINVAL, EBADR, ENOMSG, EHWPOISON },
		"The HCA's firmware refused a memory key or the queue of page faults. EINVAL also: the "
		"mapping is not in whole pages.",
		"dmesg has a line of mlx5_core with the command, its status and its syndrome. Update "
		"the firmware; reset the HCA.",
	}, {
		/* mlx5r_odp_create_eq(), 6.12 and later */
		STAGE(HW), { EOPNOTSUPP },
		"This HCA, or this virtual function, cannot page on demand, which dma-buf MRs of mlx5 "
		"need from 6.12 on.",
		"Turn on-demand paging on for the function (in the firmware's settings, or at its "
		"hypervisor); or use nvidia-peermem.",
	}, {
		/* mlx5r_umr_post_send_wait(), umr_check_mkey_mask() */
		STAGE(HW), { EFAULT, EPERM },
		"The HCA did not carry out the work request that fills the memory key (UMR).",
		"dmesg: \"reg umr failed\" and a call trace. An IOMMU or ACS that keeps the HCA from "
		"its own memory, or a firmware error: reset the HCA.",
	}, {
		STAGE(HW), { ENOLINK, ETIMEDOUT, ECANCELED },
		"The HCA took no command: its firmware does not answer, or it has failed.",
		"dmesg has lines of mlx5_core. Reset the HCA (devlink dev reload, or bind its driver "
		"again).",
	}, {
		STAGE(HW), { 0 },
		"The buffer was attached, then the HCA's driver or the HCA refused.",
		"dmesg: lines of mlx5_core or of the other HCA's driver.",
	},

	/* ---- capability-query: NCCL's and UCX's question at their start ---- */
	{
		STAGE(CAPABILITY_QUERY), { EBADF },
		"Supported: the driver looked at file descriptor -1, and that is all that was wrong.",
		"Nothing.",
	}, {
		STAGE(CAPABILITY_QUERY), { EOPNOTSUPP },
		"Not supported by this HCA's driver, or by this kernel.",
		"Use a kernel with CONFIG_INFINIBAND_ON_DEMAND_PAGING; or nvidia-peermem.",
	}, {
		STAGE(CAPABILITY_QUERY), { 0 },
		"The question failed for another reason, so programs may take it for a no.",
		"What stage verbs says of this errno.",
	},

	/* ---- unknown: mr-join of the status is foreign-rdma ---- */
	{
		STAGE(UNKNOWN), { 0 },
		"A registration failed that the module could not look into, as ib_core or ib_uverbs is "
		"not the kernel's own (OFED).",
		"Build the module against OFED's headers.",
	},
};

const size_t causes_n = sizeof(causes) / sizeof(causes[0]);

static int has_errno(const struct cause *c, int err)
{
	for (size_t i = 0; i < CAUSE_ERRNOS && c->err[i]; i++)
		if (c->err[i] == err)
			return 1;
	return 0;
}

const struct cause *cause_find(uint32_t stage, int err)
{
	for (size_t i = 0; i < causes_n; i++)
		if (causes[i].stage == stage && (!causes[i].err[0] || has_errno(&causes[i], err)))
			return &causes[i];
	return NULL;
}

const char *cause_errno(int err, char *buf, size_t size)
{
	const char *name;

	if (err == ENOTSUPP)
		return "ENOTSUPP";
	if (err == EOPNOTSUPP)		/* not ENOTSUP, which is the same number */
		return "EOPNOTSUPP";
	name = strerrorname_np(err);
	if (name)
		return name;
	snprintf(buf, size, "%d", err);
	return buf;
}
