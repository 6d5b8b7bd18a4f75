// SPDX-License-Identifier: GPL-2.0
/*
 * RDMA into GPU memory and back, over a QP that is connected to itself:
 *
 *	gdrt-rdma HCA GPU BYTES [system|moving]
 *
 * 1. RDMA WRITE from host memory to a dma-buf MR; the CPU reads the GPU's BAR1
 *    (or the system pages of the dma-buf) and compares.
 * 2. The CPU writes another pattern there; RDMA READ brings it to host memory.
 * 3. RDMA WRITE with a wrong key ends in an error completion.
 * With "moving" a dynamic exporter invalidates the mapping before 1 and 2, so
 * that the HCA faults and mlx5_ib maps again.
 * Prints a line for each; exit code 0 if all are as they should be.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "hca.h"

struct endpoint {
	struct ibv_cq *cq;
	struct ibv_qp *qp;
};

static int fail(const char *what)
{
	printf("%s: %s\n", what, strerror(errno));
	return 1;
}

static int to_rts(struct hca *hca, struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = HCA_ACCESS,
	};
	struct ibv_port_attr port;

	if (ibv_query_port(hca->context, 1, &port))
		return fail("ibv_query_port");
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			  IBV_QP_ACCESS_FLAGS))
		return fail("QP to INIT");
	memset(&attr, 0, sizeof(attr));
	attr.qp_state = IBV_QPS_RTR;
	attr.path_mtu = IBV_MTU_1024;
	attr.dest_qp_num = qp->qp_num;
	attr.max_dest_rd_atomic = 1;
	attr.min_rnr_timer = 12;
	attr.ah_attr.dlid = port.lid;
	attr.ah_attr.port_num = 1;
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			  IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			  IBV_QP_MIN_RNR_TIMER))
		return fail("QP to RTR");
	attr.qp_state = IBV_QPS_RTS;
	attr.timeout = 14;
	attr.retry_cnt = 7;
	attr.rnr_retry = 7;
	attr.max_rd_atomic = 1;
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			  IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC))
		return fail("QP to RTS");
	return 0;
}

static int endpoint_open(struct hca *hca, struct endpoint *e)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.cap = {
			.max_send_wr = 16, .max_recv_wr = 16,
			.max_send_sge = 1, .max_recv_sge = 1,
		},
	};

	e->cq = ibv_create_cq(hca->context, 16, NULL, NULL, 0);
	if (!e->cq)
		return fail("ibv_create_cq");
	init.send_cq = e->cq;
	init.recv_cq = e->cq;
	e->qp = ibv_create_qp(hca->pd, &init);
	if (!e->qp)
		return fail("ibv_create_qp");
	return to_rts(hca, e->qp);
}

/* Returns the completion's status, or -1. */
static int transfer(struct endpoint *e, enum ibv_wr_opcode opcode, struct ibv_mr *local,
		    uint32_t length, uint64_t remote, uint32_t rkey)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)local->addr, .length = length, .lkey = local->lkey,
	};
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { .remote_addr = remote, .rkey = rkey },
	};
	time_t end = time(NULL) + 20;
	struct ibv_wc wc;
	int n;

	if (ibv_post_send(e->qp, &wr, &bad))
		return -1;
	do {
		n = ibv_poll_cq(e->cq, 1, &wc);
	} while (!n && time(NULL) < end);
	if (n != 1) {
		printf("no completion\n");
		return -1;
	}
	return wc.status;
}

static uint64_t pattern(uint64_t seed, uint64_t i)
{
	return (seed << 32) + i * 0x9e3779b97f4a7c15ULL;
}

static int test(struct endpoint *e, struct ibv_mr *host, struct ibv_mr *gpu,
		volatile uint64_t *view, uint32_t length, const struct buffer *moving)
{
	uint64_t i, n = length / sizeof(uint64_t), *mem = host->addr;
	int status;

	for (i = 0; i < n; i++)
		mem[i] = pattern(1, i);
	if (moving && buffer_invalidate(moving))
		return fail("invalidate");
	status = transfer(e, IBV_WR_RDMA_WRITE, host, length, 0, gpu->rkey);
	if (status) {
		printf("RDMA WRITE: completion status %d, expected 0\n", status);
		return 1;
	}
	for (i = 0; i < n; i++)
		if (view[i] != pattern(1, i)) {
			printf("RDMA WRITE: word %llu is %llx, expected %llx\n",
			       (unsigned long long)i, (unsigned long long)view[i],
			       (unsigned long long)pattern(1, i));
			return 1;
		}
	printf("RDMA WRITE of %u bytes: data as sent\n", length);

	for (i = 0; i < n; i++)
		view[i] = pattern(2, i);
	memset(mem, 0, length);
	if (moving && buffer_invalidate(moving))
		return fail("invalidate");
	status = transfer(e, IBV_WR_RDMA_READ, host, length, 0, gpu->rkey);
	if (status) {
		printf("RDMA READ: completion status %d, expected 0\n", status);
		return 1;
	}
	for (i = 0; i < n; i++)
		if (mem[i] != pattern(2, i)) {
			printf("RDMA READ: word %llu is %llx, expected %llx\n",
			       (unsigned long long)i, (unsigned long long)mem[i],
			       (unsigned long long)pattern(2, i));
			return 1;
		}
	printf("RDMA READ of %u bytes: data as written\n", length);

	/* Last: the QP is in error then. */
	status = transfer(e, IBV_WR_RDMA_WRITE, host, length, 0, gpu->rkey ^ 0xff00);
	if (status <= 0) {
		printf("RDMA WRITE with a wrong key: completion status %d, expected an error\n",
		       status);
		return 1;
	}
	printf("RDMA WRITE with a wrong key: %s\n", ibv_wc_status_str(status));
	return 0;
}

int main(int argc, char **argv)
{
	struct ibv_mr *host = NULL, *gpu = NULL;
	struct endpoint e = {};
	struct buffer b;
	volatile uint64_t *view;
	struct hca *hca;
	void *mem;
	const char *kind;
	uint32_t length;
	bool moving;
	int err, rc;

	if (argc < 4) {
		fprintf(stderr, "usage: gdrt-rdma HCA GPU BYTES [system|moving]\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	length = strtoul(argv[3], NULL, 0);
	kind = argc > 4 ? argv[4] : "";
	moving = !strcmp(kind, "moving");
	hca = hca_get(argv[1]);
	if (!hca)
		return fail(argv[1]);
	err = buffer_export(&b, length, strtoul(argv[2], NULL, 0),
			    moving ? GDRT_EXPORT_DYNAMIC :
			    !strcmp(kind, "system") ? GDRT_EXPORT_SYSTEM : 0);
	if (err) {
		errno = -err;
		return fail("exporter");
	}
	view = buffer_map(&b);
	if (!view)
		return fail("mapping of the GPU's memory");
	mem = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	host = ibv_reg_mr(hca->pd, mem, length, IBV_ACCESS_LOCAL_WRITE);
	if (!host)
		return fail("ibv_reg_mr");
	gpu = hca_reg(hca, &b, 0, length);
	if (!gpu)
		return fail("ibv_reg_dmabuf_mr");
	rc = endpoint_open(hca, &e);
	if (!rc)
		rc = test(&e, host, gpu, view, length, moving ? &b : NULL);
	if (e.qp)
		ibv_destroy_qp(e.qp);
	if (e.cq)
		ibv_destroy_cq(e.cq);
	ibv_dereg_mr(gpu);
	ibv_dereg_mr(host);
	hca_close_all();
	return rc;
}
