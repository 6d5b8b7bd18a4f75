/* SPDX-License-Identifier: GPL-2.0 */
/* HCAs through libibverbs. */
#ifndef GDRT_HCA_H
#define GDRT_HCA_H

#include <infiniband/verbs.h>

#include "buffers.h"

#define HCA_ACCESS (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE)

struct hca {
	char name[64];
	struct ibv_context *context;
	struct ibv_pd *pd;
};

/*
 * The HCA of that name, opened once. NULL with errno set if there is none.
 */
struct hca *hca_get(const char *name);
/* Those opened from now on are opened by this, not by ibv_open_device(). */
void hca_open_by(struct ibv_context *(*open)(struct ibv_device *dev));
/* The PCI function under an RDMA device, "" if it has none. Names may change, it does not. */
void hca_bdf(const char *name, char *bdf, size_t size);
/* Closes all of them. */
void hca_close_all(void);
/* NULL with errno set. */
struct ibv_mr *hca_reg(struct hca *hca, const struct buffer *b, uint64_t offset, uint64_t length);

#endif /* GDRT_HCA_H */
