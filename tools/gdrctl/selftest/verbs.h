/* SPDX-License-Identifier: GPL-2.0 */
/* HCAs through libibverbs: what there is, and loops through one. */
#ifndef GDRCTL_ST_VERBS_H
#define GDRCTL_ST_VERBS_H

#include <infiniband/verbs.h>

#include "selftest.h"

#define ST_ACCESS (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE)

/**
 * struct st_verbs - an open HCA
 * @ctx: its context; NULL: it is not open
 * @pd: a protection domain
 * @cq: of both queue pairs; NULL: there is no loop
 * @qp: two reliable queue pairs that are connected to each other
 * @attr: what it can do
 */
struct st_verbs {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp[2];
	struct ibv_device_attr attr;
};

/** st_verbs_find - add the HCAs to a scene. Return: 0 or a negative errno */
int st_verbs_find(struct st_scene *s);

/** st_verbs_open - open an HCA. Return: NULL, or the call that failed, with errno */
const char *st_verbs_open(struct st_verbs *v, const struct st_hca *h);

/** st_verbs_close - close it, if it is open */
void st_verbs_close(struct st_verbs *v);

/** st_loop_open - make the queue pairs, unless they are there. Return: as st_verbs_open() */
const char *st_loop_open(struct st_verbs *v, const struct st_hca *h);

/** st_loop_close - give them up */
void st_loop_close(struct st_verbs *v);

/** struct st_end - one end of a transfer: an address and the key that goes with it */
struct st_end {
	uint64_t address;
	uint32_t key;
};

/**
 * st_transfer - one work request, until it is done
 * @v: the HCA, with a loop
 * @opcode: IBV_WR_RDMA_WRITE or IBV_WR_RDMA_READ
 * @local: the end with an lkey
 * @remote: the end with an rkey
 * @length: bytes
 * @status: its completion
 *
 * Return: 0; -ETIMEDOUT without a completion; another negative errno if it was not posted
 */
int st_transfer(struct st_verbs *v, enum ibv_wr_opcode opcode, struct st_end local,
		struct st_end remote, uint32_t length, enum ibv_wc_status *status);

/** st_now_ns - CLOCK_MONOTONIC */
uint64_t st_now_ns(void);

#endif
