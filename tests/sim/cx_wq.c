// SPDX-License-Identifier: GPL-2.0
/*
 * Send queues: work requests that loop back to the same HCA, and UMR.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "connectx.h"

#define WQEBB		64
#define WQE_MAX		1024
#define CE_MASK		0x0c		/* a completion is wanted */
#define EVENT_FAULT	0x0c
#define FAULT_RDMA	0x01

static void page_fault(struct connectx *cx, struct cx_qp *q, uint32_t key, uint64_t va, uint32_t len)
{
	struct cx_fault *f = calloc(1, sizeof(*f));
	uint8_t data[28] = { 0 };

	if (!f)
		return;
	f->token = ++cx->fault_token & 0xffffff;
	f->qpn = q->qpn;
	f->next = cx->faults;
	cx->faults = f;
	q->pending = true;
	sim_log(cx->dev, "page fault: mkey %#x address %#llx length %u token %u", key,
		(unsigned long long)va, len, f->token);
	be32_put(data + 4, key);
	be16_put(data + 10, 4096);
	be32_put(data + 12, len);
	be64_put(data + 16, va);
	be32_put(data + 24, 6U << 24 | f->token);
	cx_eqe(cx, cx->pf_eq, EVENT_FAULT, FAULT_RDMA, data, sizeof(data));
}

/**
 * cx_reach() - copy between a queue pair's message and memory
 * @cx: the HCA
 * @q: the queue pair that waits if a page has to be brought in
 * @pd: protection domain of the side whose memory it is
 * @key: lkey or rkey
 * @addr: virtual address
 * @buf: the data
 * @len: bytes
 * @write: into the memory, else out of it
 * @right: MKEY_* that is needed
 * @refused: syndrome if it cannot be
 *
 * Return: SYN_OK, SYN_FAULT while a page is being brought in, or @refused.
 */
int cx_reach(struct connectx *cx, struct cx_qp *q, uint32_t pd, uint32_t key, uint64_t addr,
	     uint8_t *buf, uint32_t len, bool write, unsigned int right, int refused)
{
	uint64_t fault = 0;
	int err = cx_mkey_reach(cx, pd, key, addr, buf, len, write, right, &fault);

	if (!err)
		return SYN_OK;
	if (err == EFAULT && cx->pf_eq >= 0) {
		page_fault(cx, q, key, fault, len);
		return SYN_FAULT;
	}
	sim_log(cx->dev, "RDMA: %s %#x address %#llx length %u: %s",
		right & (MKEY_RR | MKEY_RW) ? "rkey" : "lkey", key, (unsigned long long)addr, len,
		strerror(err));
	return refused;
}

/**
 * cx_peer() - the other side of a queue pair
 * @cx: the HCA
 * @q: the queue pair
 *
 * Return: the queue pair that it is connected to, if that can answer; NULL otherwise, also if it
 * is one of another HCA, as there is no wire.
 */
struct cx_qp *cx_peer(struct connectx *cx, const struct cx_qp *q)
{
	struct cx_qp *p = q->lid == cx->index + 1 && q->peer < CX_TABLE ? cx->qp[q->peer] : NULL;

	return p && (p->state == QP_RTR || p->state == QP_RTS) ? p : NULL;
}

/**
 * cx_segments() - where the data of a work request is
 * @wqe: the work request
 * @len: its bytes
 * @at: bytes before the first segment
 * @s: room for SEGMENTS_MAX
 * @total: set to the bytes they have
 *
 * Return: how many, or -1 if one has more data than there is.
 */
int cx_segments(const uint8_t *wqe, size_t len, size_t at, struct cx_segment *s, uint64_t *total)
{
	int n = 0;

	*total = 0;
	while (at + SEGMENT <= len && n < SEGMENTS_MAX) {
		uint32_t bytes = be32_get(wqe + at);

		s[n] = (struct cx_segment){ .data = NULL };
		if (bytes >> 31) {
			bytes &= 0x7fffffff;
			if (bytes > len - at - 4)
				return -1;
			s[n].data = wqe + at + 4;
			at += (4 + bytes + 15) & ~15U;
		} else {
			s[n].lkey = be32_get(wqe + at + 4);
			s[n].addr = be64_get(wqe + at + 8);
			at += SEGMENT;
		}
		s[n++].len = bytes;
		*total += bytes;
	}
	return n;
}

/*
 * One piece of an RDMA work request. Returns a syndrome, SYN_FAULT while a
 * page is being brought in.
 */
static int move(struct connectx *cx, struct cx_qp *q, const struct cx_qp *peer, bool to_remote,
		uint32_t rkey, uint64_t raddr, uint32_t lkey, uint64_t laddr,
		const uint8_t *inline_data, uint32_t len)
{
	uint8_t test = cx->dev->cfg[PCI_TEST + 9];
	uint8_t *buf = malloc(len ? len : 1);
	int syn = SYN_OK;

	if (!buf)
		return SYN_LOCAL_QP;
	/* The source is read before the other side is touched. */
	if (!to_remote)
		syn = cx_reach(cx, q, peer->pd, rkey, raddr, buf, len, false, MKEY_RR,
			       SYN_REM_ACCESS);
	else if (inline_data)
		memcpy(buf, inline_data, len);
	else
		syn = cx_reach(cx, q, q->pd, lkey, laddr, buf, len, false, 0, SYN_LOCAL_PROT);
	if (syn)
		goto out;
	if (to_remote && test & PEER_ALL && test & PEER_WRITE_WRONG && len)
		buf[len / 2] ^= 1;
	if (to_remote)
		syn = cx_reach(cx, q, peer->pd, rkey, raddr, buf, len, true, MKEY_RW,
			       SYN_REM_ACCESS);
	else
		syn = cx_reach(cx, q, q->pd, lkey, laddr, buf, len, true, MKEY_LW,
			       SYN_LOCAL_PROT);
out:
	free(buf);
	return syn;
}

static int rdma(struct connectx *cx, struct cx_qp *q, const uint8_t *wqe, size_t len, uint8_t op,
		uint32_t *bytes)
{
	const struct cx_qp *peer = cx_peer(cx, q);
	uint64_t raddr = be64_get(wqe + 16), total;
	uint32_t rkey = be32_get(wqe + 24);
	struct cx_segment s[SEGMENTS_MAX];
	int n, i, syn;

	if (!peer)
		return SYN_RETRY;
	n = cx_segments(wqe, len, 32, s, &total);
	if (n < 0)
		return SYN_LOCAL_QP;
	for (i = 0; i < n; i++) {
		uint64_t laddr = s[i].addr;
		uint32_t left = s[i].len;

		if (left > MESSAGE_MAX || (s[i].data && op == OP_READ))
			return SYN_LOCAL_QP;
		do {
			uint32_t part = left < PART ? left : PART;

			syn = move(cx, q, peer, op != OP_READ, rkey, raddr, s[i].lkey, laddr,
				   s[i].data, part);
			if (syn)
				return syn;
			raddr += part;
			laddr += part;
			*bytes += part;
			left -= part;
		} while (left);
	}
	return SYN_OK;
}

/* Read the work request at the consumer index. Returns its bytes, 0 if it cannot be read. */
static size_t fetch(struct connectx *cx, struct cx_qp *q, uint8_t *wqe)
{
	uint32_t mask = (1U << q->log_sq) - 1;
	size_t i, blocks, len;

	if (cx_buf_read(cx, &q->buf, q->sq_off + (q->ci & mask) * WQEBB, wqe, WQEBB))
		return 0;
	len = (be32_get(wqe + 4) & 0x3f) * 16;
	blocks = len ? (len + WQEBB - 1) / WQEBB : 1;
	for (i = 1; i < blocks; i++)
		if (cx_buf_read(cx, &q->buf, q->sq_off + ((q->ci + i) & mask) * WQEBB,
				wqe + i * WQEBB, WQEBB))
			return 0;
	return blocks * WQEBB;
}

/**
 * cx_sq_run() - work off a send queue
 * @cx: the HCA
 * @qpn: the queue pair
 *
 * Stops at a page fault; PAGE_FAULT_RESUME goes on. After an error the queue
 * pair is in the error state and what is posted is flushed.
 */
void cx_sq_run(struct connectx *cx, uint32_t qpn)
{
	struct cx_qp *q = qpn < CX_TABLE ? cx->qp[qpn] : NULL;
	uint8_t wqe[WQE_MAX], db[4];
	uint16_t pi;

	if (!q || q->pending || (q->state != QP_RTS && q->state != QP_ERR))
		return;
	if (dma_read(cx->dev, q->dbr + 4, db, sizeof(db))) {
		sim_log(cx->dev, "doorbell record of queue pair %#x cannot be read", qpn);
		return;
	}
	pi = be32_get(db);
	if ((uint16_t)(pi - q->ci) > 1U << q->log_sq) {
		sim_log(cx->dev, "doorbell of %#x: %u requests in a queue of %u", qpn,
			(uint16_t)(pi - q->ci), 1U << q->log_sq);
		q->state = QP_ERR;
		return;
	}
	while (q->ci != pi) {
		size_t len = fetch(cx, q, wqe);
		uint16_t counter = q->ci;
		uint32_t bytes = 0;
		uint8_t op;
		int syn;

		if (!len) {
			sim_log(cx->dev, "send queue of %#x cannot be read", qpn);
			q->state = QP_ERR;
			return;
		}
		op = wqe[3];
		if (q->state == QP_ERR)
			syn = SYN_FLUSH;
		else if (q->fault_failed)
			syn = SYN_REM_ACCESS;
		else if (op == OP_UMR)
			syn = cx_mkey_umr(cx, be32_get(wqe + 12), wqe, len);
		else if (op == OP_WRITE || op == OP_WRITE_IMM || op == OP_READ)
			syn = rdma(cx, q, wqe, (be32_get(wqe + 4) & 0x3f) * 16, op, &bytes);
		else if (q->st == QP_ST_RC &&
			 (op == OP_SEND || op == OP_SEND_IMM || op == OP_SEND_INV))
			syn = cx_send(cx, q, wqe, (be32_get(wqe + 4) & 0x3f) * 16, &bytes);
		else
			syn = SYN_OK;	/* a datagram: nobody is there to receive it */
		if (!syn && op == OP_WRITE_IMM)
			syn = cx_write_imm(cx, q, wqe, bytes);
		if (syn == SYN_FAULT)
			return;
		/* The guest may have destroyed the queue while the machine was asked for data. */
		if (cx->qp[qpn] != q)
			return;
		q->ci = counter + len / WQEBB;
		if (syn) {
			q->state = QP_ERR;
			q->fault_failed = false;
		}
		if (syn || wqe[11] & CE_MASK)
			cx_cqe(cx, q, q->cqn, &(struct cx_done){
				.kind = syn ? CQE_REQ_ERR : CQE_REQ, .opcode = op, .syndrome = syn,
				.counter = counter, .bytes = bytes });
	}
}
