// SPDX-License-Identifier: GPL-2.0
/*
 * Sends between reliable queue pairs of one HCA, and the receive queues that take them.
 *
 * A receive queue that is empty ends a send as if it had been tried as often as it may: requests
 * have to be posted before what they are for.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "connectx.h"

#define LKEY_NONE	0x100		/* ends a list of segments */

/* Where a message goes to, and how far it is. */
struct sink {
	struct cx_segment	s[SEGMENTS_MAX];
	unsigned int	n, at;
	uint32_t	done;		/* bytes of the segment at @at */
	uint64_t	room;
};

/* The request at the consumer index of a receive queue; false if none is posted. */
static bool receive_fetch(struct connectx *cx, const struct cx_qp *q, struct sink *k)
{
	unsigned int n = 1U << (q->log_rq_stride - 4);
	uint32_t at = (q->rq_ci & ((1U << q->log_rq) - 1)) << q->log_rq_stride;
	uint8_t db[4], raw[SEGMENTS_MAX * SEGMENT];
	unsigned int i;

	memset(k, 0, sizeof(*k));
	if (!q->has_rq || n > SEGMENTS_MAX || dma_read(cx->dev, q->dbr, db, sizeof(db)) ||
	    (uint16_t)be32_get(db) == q->rq_ci ||
	    cx_buf_read(cx, &q->buf, at, raw, n * SEGMENT))
		return false;
	for (i = 0; i < n; i++) {
		struct cx_segment *s = &k->s[k->n];

		s->len = be32_get(raw + i * SEGMENT);
		s->lkey = be32_get(raw + i * SEGMENT + 4);
		s->addr = be64_get(raw + i * SEGMENT + 8);
		if (s->lkey == LKEY_NONE)
			break;
		k->room += s->len;
		k->n++;
	}
	return true;
}

/* The request is used up, and its owner told how. */
static void receive_done(struct connectx *cx, struct cx_qp *q, struct cx_done w)
{
	if (w.syndrome) {
		w.kind = CQE_RESP_ERR;
		q->state = QP_ERR;
	}
	w.counter = q->rq_ci++;
	cx_cqe(cx, q, q->cqn_rcv, &w);
}

/* Into the memory that was posted for it. Returns a syndrome of the receiver. */
static int deliver(struct connectx *cx, struct cx_qp *q, const struct cx_qp *peer, struct sink *k,
		   uint8_t *buf, uint32_t len)
{
	while (len) {
		const struct cx_segment *s = &k->s[k->at];
		uint32_t n = s->len - k->done;
		int syn;

		if (!n) {
			k->at++;
			k->done = 0;
			continue;
		}
		if (n > len)
			n = len;
		syn = cx_reach(cx, q, peer->pd, s->lkey, s->addr + k->done, buf, n, true, MKEY_LW,
			       SYN_LOCAL_PROT);
		if (syn)
			return syn;
		k->done += n;
		buf += n;
		len -= n;
	}
	return SYN_OK;
}

/* One segment, in parts. Returns a syndrome; @theirs says that it is the receiver's. */
static int pass_on(struct connectx *cx, struct cx_qp *q, const struct cx_qp *peer, struct sink *k,
		   const struct cx_segment *s, uint8_t *buf, bool *theirs)
{
	uint32_t at = 0;

	while (at < s->len) {
		uint32_t n = s->len - at < PART ? s->len - at : PART;
		int syn = SYN_OK;

		if (s->data)
			memcpy(buf, s->data + at, n);
		else
			syn = cx_reach(cx, q, q->pd, s->lkey, s->addr + at, buf, n, false, 0,
				       SYN_LOCAL_PROT);
		if (syn)
			return syn;
		syn = deliver(cx, q, peer, k, buf, n);
		if (syn) {
			*theirs = syn != SYN_FAULT;
			return syn;
		}
		at += n;
	}
	return SYN_OK;
}

/**
 * cx_send() - carry out a send
 * @cx: the HCA
 * @q: the queue pair that sends
 * @wqe: the work request
 * @len: its bytes
 * @bytes: set to the bytes sent
 *
 * Return: a syndrome of the sender, SYN_FAULT while a page is being brought in.
 */
int cx_send(struct connectx *cx, struct cx_qp *q, const uint8_t *wqe, size_t len, uint32_t *bytes)
{
	static uint8_t buf[PART];
	struct cx_qp *peer = cx_peer(cx, q);
	struct cx_done w = { .kind = CQE_RESP_SEND };
	struct cx_segment s[SEGMENTS_MAX];
	int n, i, syn = SYN_OK;
	bool theirs = false;
	struct sink k;
	uint64_t total;

	n = cx_segments(wqe, len, SEGMENT, s, &total);
	if (n < 0 || total > MESSAGE_MAX)
		return SYN_LOCAL_QP;
	if (!peer || peer->st != QP_ST_RC)
		return SYN_RETRY;
	if (!receive_fetch(cx, peer, &k))
		return SYN_RNR;
	if (total > k.room) {
		receive_done(cx, peer, (struct cx_done){ .syndrome = SYN_LOCAL_LENGTH });
		return SYN_REM_INVALID;
	}
	for (i = 0; i < n && !syn; i++)
		syn = pass_on(cx, q, peer, &k, &s[i], buf, &theirs);
	if (theirs) {
		receive_done(cx, peer, (struct cx_done){ .syndrome = (uint8_t)syn });
		return SYN_REM_OP;
	}
	if (syn)
		return syn;
	if (wqe[3] != OP_SEND)
		memcpy(w.imm, wqe + 12, sizeof(w.imm));
	if (wqe[3] == OP_SEND_IMM)
		w.kind = CQE_RESP_SEND_IMM;
	if (wqe[3] == OP_SEND_INV) {
		w.kind = CQE_RESP_SEND_INV;
		if (cx_mkey_invalidate(cx, peer->pd, be32_get(wqe + 12))) {
			receive_done(cx, peer, (struct cx_done){ .syndrome = SYN_LOCAL_QP });
			return SYN_REM_OP;
		}
	}
	*bytes = (uint32_t)total;
	w.bytes = *bytes;
	receive_done(cx, peer, w);
	return SYN_OK;
}

/**
 * cx_write_imm() - the end of an RDMA WRITE that tells the other side
 * @cx: the HCA
 * @q: the queue pair that has written
 * @wqe: the work request
 * @bytes: bytes written
 *
 * Return: a syndrome.
 */
int cx_write_imm(struct connectx *cx, struct cx_qp *q, const uint8_t *wqe, uint32_t bytes)
{
	struct cx_done w = { .kind = CQE_RESP_WRITE_IMM, .bytes = bytes };
	struct cx_qp *peer = cx_peer(cx, q);
	struct sink k;

	if (!peer)
		return SYN_RETRY;
	if (!receive_fetch(cx, peer, &k))
		return SYN_RNR;
	memcpy(w.imm, wqe + 12, sizeof(w.imm));
	receive_done(cx, peer, w);
	return SYN_OK;
}
