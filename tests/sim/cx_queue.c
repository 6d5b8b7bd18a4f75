// SPDX-License-Identifier: GPL-2.0
/*
 * Event and completion queues: the entries that the model writes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "connectx.h"

#define EQE_SIZE	64
#define CQE_SIZE	64
#define EVENT_COMP	0x00

static int buf_access(struct connectx *cx, const struct cx_buf *b, uint32_t off, void *p,
		      size_t len, bool write)
{
	uint64_t at = (uint64_t)off + b->off;
	uint64_t mask = (1ULL << b->shift) - 1;
	uint8_t *c = p;

	while (len) {
		size_t page = at >> b->shift, n = mask + 1 - (at & mask);
		uint64_t addr;
		int err;

		if (page >= b->n)
			return ERANGE;
		if (n > len)
			n = len;
		addr = b->pas[page] + (at & mask);
		err = write ? dma_write(cx->dev, addr, c, n) : dma_read(cx->dev, addr, c, n);
		if (err)
			return err;
		at += n;
		c += n;
		len -= n;
	}
	return 0;
}

/**
 * cx_buf_read() - read from a queue in guest memory
 * @cx: the HCA
 * @b: the queue
 * @off: offset in it
 * @p: where to
 * @len: bytes
 *
 * Return: 0 or a positive errno.
 */
int cx_buf_read(struct connectx *cx, const struct cx_buf *b, uint32_t off, void *p, size_t len)
{
	return buf_access(cx, b, off, p, len, false);
}

/**
 * cx_buf_write() - write to a queue in guest memory
 * @cx: the HCA
 * @b: the queue
 * @off: offset in it
 * @p: where from
 * @len: bytes
 *
 * Return: 0 or a positive errno.
 */
int cx_buf_write(struct connectx *cx, const struct cx_buf *b, uint32_t off, const void *p,
		 size_t len)
{
	return buf_access(cx, b, off, (void *)p, len, true);
}

/**
 * cx_buf_free() - forget the pages of a queue
 * @b: the queue
 */
void cx_buf_free(struct cx_buf *b)
{
	free(b->pas);
	b->pas = NULL;
	b->n = 0;
}

/* The last byte says whose the entry is, so it is written last. */
static int entry_write(struct connectx *cx, const struct cx_buf *b, uint32_t off,
		       const uint8_t *e, size_t len)
{
	int err = cx_buf_write(cx, b, off, e, len - 1);

	__sync_synchronize();
	return err ?: cx_buf_write(cx, b, off + len - 1, e + len - 1, 1);
}

/**
 * cx_eqe() - write an event and raise the interrupt of its queue
 * @cx: the HCA
 * @eqn: the event queue
 * @type: event type
 * @sub: subtype
 * @data: event data, 32 bytes into the entry
 * @len: bytes of it, at most 28
 */
void cx_eqe(struct connectx *cx, int eqn, uint8_t type, uint8_t sub, const uint8_t *data,
	    size_t len)
{
	struct cx_eq *q = eqn >= 0 && eqn < 256 ? cx->eq[eqn] : NULL;
	uint8_t e[EQE_SIZE] = { 0 };

	if (!q) {
		sim_log(cx->dev, "event %#x for event queue %d, which is not there", type, eqn);
		return;
	}
	e[1] = type;
	e[3] = sub;
	memcpy(e + 32, data, len);
	e[63] = q->pi >> q->log & 1;
	if (entry_write(cx, &q->buf, (q->pi & ((1U << q->log) - 1)) * EQE_SIZE, e, sizeof(e)))
		sim_log(cx->dev, "event queue %d cannot be written", eqn);
	q->pi++;
	vu_irq(cx->dev, q->vector);
}

static void cq_event(struct connectx *cx, const struct cx_cq *cq, uint32_t cqn)
{
	uint8_t data[28] = { 0 };

	be32_put(data + 24, cqn);
	cx_eqe(cx, cq->eqn, EVENT_COMP, 0, data, sizeof(data));
}

/**
 * cx_cq_arm() - a consumer asks for an event: note it
 * @cx: the HCA
 * @cqn: completion queue
 * @ci: consumer index, 24 bits
 */
void cx_cq_arm(struct connectx *cx, uint32_t cqn, uint32_t ci)
{
	if (cqn >= CX_TABLE || !cx->cq[cqn])
		return;
	cx->cq[cqn]->arm_pending = true;
	cx->cq[cqn]->arm_ci = ci;
	cx->arm_any = true;
}

/**
 * cx_cq_arm_run() - carry out what cx_cq_arm() noted
 * @cx: the HCA
 *
 * A completion that the consumer had not seen when it asked makes its event at
 * once. The driver relies on that: it may have missed the completion between
 * its last look and asking.
 */
void cx_cq_arm_run(struct connectx *cx)
{
	uint32_t n;

	cx->arm_any = false;
	for (n = 0; n < CX_TABLE; n++) {
		struct cx_cq *cq = cx->cq[n];

		if (!cq || !cq->arm_pending)
			continue;
		cq->arm_pending = false;
		cq->armed = (cq->pi & 0xffffff) == cq->arm_ci;
		if (!cq->armed)
			cq_event(cx, cq, n);
	}
}

/**
 * cx_cqe() - write a completion and, if someone asked for it, its event
 * @cx: the HCA
 * @q: queue pair
 * @cqn: its completion queue for this
 * @w: what it says
 */
void cx_cqe(struct connectx *cx, const struct cx_qp *q, uint32_t cqn, const struct cx_done *w)
{
	struct cx_cq *cq = cqn < CX_TABLE ? cx->cq[cqn] : NULL;
	uint8_t e[CQE_SIZE] = { 0 };

	if (!cq) {
		sim_log(cx->dev, "completion for queue %#x, which is not there", cqn);
		return;
	}
	if (q->user)
		be32_put(e + 32, q->uidx);
	memcpy(e + 36, w->imm, sizeof(w->imm));
	be32_put(e + 44, w->bytes);
	e[55] = w->syndrome;
	be32_put(e + 56, (uint32_t)w->opcode << 24 | q->qpn);
	be16_put(e + 60, w->counter);
	e[63] = w->kind << 4 | (cq->pi >> cq->log & 1);
	if (entry_write(cx, &cq->buf,
			(cq->pi & ((1U << cq->log) - 1)) * cq->cqe_size + cq->cqe_size - CQE_SIZE,
			e, sizeof(e)))
		sim_log(cx->dev, "completion queue %#x cannot be written", cqn);
	cq->pi++;
	if (cq->armed) {
		cq->armed = false;
		cq_event(cx, cq, cqn);
	}
}
