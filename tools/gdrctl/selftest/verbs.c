// SPDX-License-Identifier: GPL-2.0
/* HCAs through libibverbs: what there is, and loops through one. */
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "selftest/verbs.h"

#define COMPLETION_S	20
#define SPINS		1000
#define NS		1000000000u

uint64_t st_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS + (uint64_t)t.tv_nsec;
}

static void find_port(struct st_hca *h, struct ibv_context *ctx)
{
	struct ibv_device_attr attr;
	struct ibv_port_attr port;

	if (ibv_query_device(ctx, &attr))
		attr.phys_port_cnt = 1;
	snprintf(h->link, sizeof(h->link), "it has no port");
	for (uint8_t i = 1; i && i <= attr.phys_port_cnt; i++) {
		if (ibv_query_port(ctx, i, &port))
			continue;
		if (!h->port)
			h->port = i;
		if (port.state == IBV_PORT_ACTIVE) {
			h->port = i;
			h->link[0] = 0;
			return;
		}
		if (i == h->port)
			snprintf(h->link, sizeof(h->link), "port %u is not active (%s); the others "
				 "neither, if there are any", i, ibv_port_state_str(port.state));
	}
}

static void add_hca(struct st_scene *s, struct ibv_device *d)
{
	struct st_hca *h = &s->hca[s->n_hcas];
	struct ibv_context *ctx;
	char driver[ST_NAME] = "";

	memset(h, 0, sizeof(*h));
	snprintf(h->name, sizeof(h->name), "%s", ibv_get_device_name(d));
	if (!names_ibdev_to_device(h->name, h->device))
		return;
	h->pci = names_bdf(h->device, h->device);
	if (names_link(driver, sizeof(driver), "/sys/class/infiniband/%s/device/driver", h->name))
		h->mlx5 = !strcmp(driver, "mlx5_core");
	ctx = ibv_open_device(d);
	if (ctx) {
		find_port(h, ctx);
		ibv_close_device(ctx);
	} else {
		snprintf(h->link, sizeof(h->link), "it cannot be opened: %s", strerror(errno));
	}
	s->n_hcas++;
}

int st_verbs_find(struct st_scene *s)
{
	int n = 0;
	struct ibv_device **list = ibv_get_device_list(&n);

	if (!list)
		return -errno;
	for (int i = 0; i < n && s->n_hcas < ST_HCAS; i++)
		add_hca(s, list[i]);
	ibv_free_device_list(list);
	return 0;
}

const char *st_verbs_open(struct st_verbs *v, const struct st_hca *h)
{
	struct ibv_device **list;
	const char *what = NULL;

	if (v->ctx)
		return NULL;
	list = ibv_get_device_list(NULL);
	if (!list)
		return "ibv_get_device_list";
	errno = ENODEV;
	for (int i = 0; list[i] && !v->ctx; i++)
		if (!strcmp(ibv_get_device_name(list[i]), h->name))
			v->ctx = ibv_open_device(list[i]);
	if (!v->ctx)
		what = "ibv_open_device";
	ibv_free_device_list(list);
	if (what)
		return what;
	v->pd = ibv_alloc_pd(v->ctx);
	if (!v->pd)
		what = "ibv_alloc_pd";
	else if ((errno = ibv_query_device(v->ctx, &v->attr)))
		what = "ibv_query_device";
	if (what) {
		int err = errno;

		st_verbs_close(v);
		errno = err;
	}
	return what;
}

void st_verbs_close(struct st_verbs *v)
{
	st_loop_close(v);
	if (v->pd)
		ibv_dealloc_pd(v->pd);
	if (v->ctx)
		ibv_close_device(v->ctx);
	memset(v, 0, sizeof(*v));
}

/* Of the port's addresses one of RoCE v2, which routers and ECN know, else the first. */
static int find_gid(struct ibv_context *ctx, uint8_t port, int n, union ibv_gid *gid)
{
	int found = -1;

	for (int i = 0; i < n; i++) {
		struct ibv_gid_entry e;

		if (ibv_query_gid_ex(ctx, port, (uint32_t)i, &e, 0))
			continue;
		if (found < 0 || e.gid_type == IBV_GID_TYPE_ROCE_V2) {
			found = i;
			*gid = e.gid;
		}
		if (e.gid_type == IBV_GID_TYPE_ROCE_V2)
			break;
	}
	return found;
}

static int connect_qp(struct st_verbs *v, struct ibv_qp *qp, uint32_t peer, uint8_t port,
		      const struct ibv_port_attr *p)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_INIT, .port_num = port, .qp_access_flags = ST_ACCESS,
	};
	int gid, err;

	err = ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			    IBV_QP_ACCESS_FLAGS);
	if (err)
		return err;
	memset(&a, 0, sizeof(a));
	a.qp_state = IBV_QPS_RTR;
	a.path_mtu = p->active_mtu < IBV_MTU_1024 ? p->active_mtu : IBV_MTU_1024;
	a.dest_qp_num = peer;
	a.max_dest_rd_atomic = 1;
	a.min_rnr_timer = 12;
	a.ah_attr.dlid = p->lid;
	a.ah_attr.port_num = port;
	if (p->link_layer == IBV_LINK_LAYER_ETHERNET) {
		gid = find_gid(v->ctx, port, p->gid_tbl_len, &a.ah_attr.grh.dgid);
		if (gid < 0)
			return EADDRNOTAVAIL;
		a.ah_attr.is_global = 1;
		a.ah_attr.grh.sgid_index = (uint8_t)gid;
		a.ah_attr.grh.hop_limit = 1;
	}
	err = ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			    IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
	if (err)
		return err;
	a.qp_state = IBV_QPS_RTS;
	a.timeout = 14;
	a.retry_cnt = 7;
	a.rnr_retry = 7;
	a.max_rd_atomic = 1;
	return ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			     IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
}

static const char *make_loop(struct st_verbs *v, const struct st_hca *h)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 16, .max_recv_wr = 1, .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};
	struct ibv_port_attr port;

	v->cq = ibv_create_cq(v->ctx, 16, NULL, NULL, 0);
	if (!v->cq)
		return "ibv_create_cq";
	init.send_cq = init.recv_cq = v->cq;
	for (int i = 0; i < 2; i++) {
		v->qp[i] = ibv_create_qp(v->pd, &init);
		if (!v->qp[i])
			return "ibv_create_qp";
	}
	errno = ibv_query_port(v->ctx, h->port, &port);
	if (errno)
		return "ibv_query_port";
	for (int i = 0; i < 2; i++) {
		errno = connect_qp(v, v->qp[i], v->qp[!i]->qp_num, h->port, &port);
		if (errno)
			return "ibv_modify_qp";
	}
	return NULL;
}

const char *st_loop_open(struct st_verbs *v, const struct st_hca *h)
{
	const char *what;
	int err;

	if (v->cq)
		return NULL;
	what = make_loop(v, h);
	err = errno;
	if (what)
		st_loop_close(v);
	errno = err;
	return what;
}

void st_loop_close(struct st_verbs *v)
{
	for (int i = 0; i < 2; i++) {
		if (v->qp[i])
			ibv_destroy_qp(v->qp[i]);
		v->qp[i] = NULL;
	}
	if (v->cq)
		ibv_destroy_cq(v->cq);
	v->cq = NULL;
}

int st_transfer(struct st_verbs *v, enum ibv_wr_opcode opcode, struct st_end local,
		struct st_end remote, uint32_t length, enum ibv_wc_status *status)
{
	struct ibv_sge sge = { .addr = local.address, .length = length, .lkey = local.key };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = opcode, .send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { .remote_addr = remote.address, .rkey = remote.key },
	};
	uint64_t end = st_now_ns() + (uint64_t)COMPLETION_S * NS;
	struct ibv_wc wc;
	int n, err;

	err = ibv_post_send(v->qp[0], &wr, &bad);
	if (err)
		return -err;
	for (unsigned int spin = 0; !(n = ibv_poll_cq(v->cq, 1, &wc)); spin++) {
		if (st_now_ns() > end)
			return -ETIMEDOUT;
		if (spin > SPINS)
			usleep(50);
	}
	if (n < 0)
		return -EIO;
	*status = wc.status;
	return 0;
}
