/* SPDX-License-Identifier: GPL-2.0 */
/* The MRs that the kernel's RDMA core lists (RDMA_NLDEV_CMD_RES_MR_GET), without the module. */
#ifndef GDRT_RDMA_MRS_H
#define GDRT_RDMA_MRS_H

#include <stdint.h>
#include <sys/types.h>

#define RDMA_MRS_DEVICES	8

/**
 * struct rdma_mrs - MRs of one RDMA device
 * @index: the kernel's number of the device
 * @name: its name
 * @bdf: its PCI function
 * @mrs: how many
 * @bytes: their lengths, added up
 */
struct rdma_mrs {
	uint32_t index;
	char name[64];
	char bdf[64];
	uint64_t mrs;
	uint64_t bytes;
};

/* Reads all devices, but for MRs of @but (0: of none). Returns how many, or a negative errno. */
int rdma_mrs_read(struct rdma_mrs m[RDMA_MRS_DEVICES], pid_t but);

#endif /* GDRT_RDMA_MRS_H */
