// SPDX-License-Identifier: GPL-2.0
/*
 * Commands that make, change and destroy queue pairs.
 */
#include <stdlib.h>
#include <string.h>

#include "connectx.h"

int cx_create_qp(struct connectx *cx, struct cx_cmd *c)
{
	uint32_t want = cx_in_bits(c, 0, F_IN_HANDLE24);
	unsigned int log_rq = cx_in_bits(c, IN_QPC, F_QPC_LOG_RQ_SIZE);
	unsigned int log_stride = cx_in_bits(c, IN_QPC, F_QPC_LOG_RQ_STRIDE);
	bool has_rq = !cx_in_bits(c, IN_QPC, F_QPC_RQ_TYPE) && (log_rq || log_stride);
	int n = want ? (int)want : cx_free_index((void **)cx->qp, 0x80, CX_TABLE);
	struct cx_qp *q;

	if (n < 0 || n >= CX_TABLE || cx->qp[n])
		return ST_NO_RES;
	q = calloc(1, sizeof(*q));
	if (!q || !cx_buf_init(c, &q->buf, cx_in_bits(c, IN_QPC, F_QPC_LOG_PAGE),
			    cx_in_bits(c, IN_QPC, F_QPC_PAGE_OFFSET))) {
		free(q);
		return ST_BAD_PARAM;
	}
	q->qpn = n;
	q->log_sq = cx_in_bits(c, IN_QPC, F_QPC_LOG_SQ_SIZE);
	q->sq_off = has_rq ? (1U << log_rq) << (log_stride + 4) : 0;
	q->cqn = cx_in_bits(c, IN_QPC, F_QPC_CQN_SND);
	q->dbr = cx_in_bits(c, IN_QPC, F_QPC_DBR);
	q->cqn_rcv = cx_in_bits(c, IN_QPC, F_QPC_CQN_RCV);
	q->pd = cx_in_bits(c, IN_QPC, F_QPC_PD);
	q->has_rq = has_rq;
	q->log_rq = log_rq;
	q->log_rq_stride = log_stride + 4;
	memcpy(q->created, c->in + IN_QPC, QPC_SIZE);
	memcpy(q->context, q->created, QPC_SIZE);
	q->st = cx_in_bits(c, IN_QPC, F_QPC_ST);
	q->uidx = cx_in_bits(c, IN_QPC, F_QPC_USER_INDEX);
	q->user = q->uidx && q->uidx != 0xffffff;
	cx->qp[n] = q;
	cx_out_bits(c, F_OUT_HANDLE24, n);
	return ST_OK;
}

/* The answers to page faults of a queue pair that is gone or reset find nothing. */
static void faults_forget(struct connectx *cx, uint32_t qpn)
{
	struct cx_fault **p = &cx->faults, *f;

	while ((f = *p)) {
		if (f->qpn == qpn) {
			*p = f->next;
			free(f);
		} else {
			p = &f->next;
		}
	}
}

/**
 * cx_qp_free() - destroy a queue pair, if it is there
 * @cx: the HCA
 * @n: its number
 */
void cx_qp_free(struct connectx *cx, unsigned int n)
{
	if (!cx->qp[n])
		return;
	faults_forget(cx, n);
	cx_buf_free(&cx->qp[n]->buf);
	free(cx->qp[n]);
	cx->qp[n] = NULL;
}

int cx_destroy_qp(struct connectx *cx, struct cx_cmd *c)
{
	uint32_t n = cx_in_bits(c, 0, F_IN_HANDLE24);

	if (n >= CX_TABLE || !cx->qp[n])
		return ST_BAD_RES;
	cx_qp_free(cx, n);
	return ST_OK;
}

/*
 * What a command says of a queue pair, for those who ask later. What is 0 in it is taken for not
 * said: from one reset to the next each field is said once, but for what RTS2RTS takes back.
 */
static void learn(struct cx_qp *q, const struct cx_cmd *c)
{
	size_t i;

	if (c->op == 0x50a)
		memcpy(q->context, q->created, QPC_SIZE);
	else if (c->in_len >= IN_QPC + QPC_SIZE)
		for (i = 0; i < QPC_SIZE; i++)
			if (c->in[IN_QPC + i])
				q->context[i] = c->in[IN_QPC + i];
	q->peer = bits_get(q->context, F_QPC_REMOTE_QPN);
	q->lid = bits_get(q->context, F_QPC_LID);
}

int cx_modify_qp(struct connectx *cx, struct cx_cmd *c)
{
	uint32_t n = cx_in_bits(c, 0, F_IN_HANDLE24);
	struct cx_qp *q = n < CX_TABLE ? cx->qp[n] : NULL;

	if (!q)
		return ST_BAD_RES;
	learn(q, c);
	switch (c->op) {
	case 0x502: case 0x50e:
		q->state = QP_INIT;
		break;
	case 0x503:
		q->state = QP_RTR;
		break;
	case 0x504: case 0x505: case 0x506:
		q->state = QP_RTS;
		break;
	case 0x507:
		q->state = QP_ERR;
		q->pending = false;	/* flushed, not brought in */
		faults_forget(cx, n);
		break;
	case 0x50a:
		q->state = QP_RST;
		q->ci = 0;
		q->rq_ci = 0;
		q->pending = false;
		q->fault_failed = false;
		faults_forget(cx, n);
		break;
	}
	/* What was posted before the state allowed it, or is to be flushed now. */
	if (q->state == QP_RTS || q->state == QP_ERR) {
		cx->sq_pending[n / 32] |= 1U << n % 32;
		cx->sq_any = true;
	}
	return ST_OK;
}

int cx_query_qp(struct connectx *cx, struct cx_cmd *c)
{
	uint32_t n = cx_in_bits(c, 0, F_IN_HANDLE24);

	if (n >= CX_TABLE || !cx->qp[n])
		return ST_BAD_RES;
	if (c->out_len < OUT_QPC + QPC_SIZE)
		return ST_BAD_PARAM;
	memcpy(c->out + OUT_QPC, cx->qp[n]->context, QPC_SIZE);
	bits_put(c->out + OUT_QPC, F_QPC_STATE, cx->qp[n]->state);
	return ST_OK;
}
