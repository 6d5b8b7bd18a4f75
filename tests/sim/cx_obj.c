// SPDX-License-Identifier: GPL-2.0
/*
 * Commands that make, change and destroy objects.
 */
#include <stdlib.h>
#include <string.h>

#include "connectx.h"

#define MKEY_FIRST	0x1000U		/* below are the special ones, see QUERY_SPECIAL_CONTEXTS */

/**
 * cx_in_bits() - a field of a command's input
 * @c: the command
 * @base: bytes before the structure that has it
 * @off: offset of its first bit
 * @width: its width
 *
 * Return: its value; 0 if the input ends before it.
 */
uint64_t cx_in_bits(const struct cx_cmd *c, size_t base, unsigned int off, unsigned int width)
{
	return base + (off + width + 7) / 8 <= c->in_len ? bits_get(c->in + base, off, width) : 0;
}

/**
 * cx_out_bits() - set a field of a command's output, if it is that long
 * @c: the command
 * @off: offset of its first bit
 * @width: its width
 * @v: its value
 */
void cx_out_bits(struct cx_cmd *c, unsigned int off, unsigned int width, uint64_t v)
{
	if ((off + width + 7) / 8 <= c->out_len)
		bits_put(c->out, off, width, v);
}

/**
 * cx_buf_init() - the queue that the page list at the end of the input describes
 * @c: the command
 * @b: filled in
 * @log_page: log2 of the size of a page, in pages of 4 KiB
 * @page_offset: where the queue starts in the first page, in 1/64 page
 *
 * Return: false if there is no such list.
 */
bool cx_buf_init(const struct cx_cmd *c, struct cx_buf *b, unsigned int log_page,
		 unsigned int page_offset)
{
	size_t i, n = c->in_len > IN_PAS ? (c->in_len - IN_PAS) / 8 : 0;

	if (!n || log_page > 20)
		return false;
	b->pas = calloc(n, sizeof(*b->pas));
	if (!b->pas)
		return false;
	for (i = 0; i < n; i++)
		b->pas[i] = be64_get(c->in + IN_PAS + 8 * i);
	b->n = n;
	b->shift = 12 + log_page;
	b->off = page_offset << (b->shift - 6);		/* unit: 1/64 page */
	return true;
}

/**
 * cx_free_index() - the first free place of a table
 * @table: the table
 * @from: where to begin
 * @to: where to end
 *
 * Return: the place, or -1.
 */
int cx_free_index(void *const *table, int from, int to)
{
	for (; from < to; from++)
		if (!table[from])
			return from;
	return -1;
}

int cx_alloc_handle(struct connectx *cx, struct cx_cmd *c)
{
	cx_out_bits(c, F_OUT_HANDLE24, cx->next_handle++ & 0xffffff);
	return ST_OK;
}

/* ---- event queues --------------------------------------------------------- */

int cx_create_eq(struct connectx *cx, struct cx_cmd *c)
{
	int n = cx_free_index((void **)cx->eq, 4, 256);
	uint64_t mask = cx_in_bits(c, 0, F_EQ_MASK);
	struct cx_eq *q;

	if (n < 0)
		return ST_NO_RES;
	q = calloc(1, sizeof(*q));
	if (!q || !cx_buf_init(c, &q->buf, cx_in_bits(c, IN_CONTEXT, F_EQC_LOG_PAGE), 0)) {
		free(q);
		return ST_BAD_PARAM;
	}
	q->log = cx_in_bits(c, IN_CONTEXT, F_EQC_LOG_SIZE);
	q->vector = cx_in_bits(c, IN_CONTEXT, F_EQC_INTR);
	cx->eq[n] = q;
	if (mask & 1ULL << 0x0a)
		cx->cmd_eq = n;
	if (mask & 1ULL << 0x0c)
		cx->pf_eq = n;
	cx_out_bits(c, F_OUT_EQN, n);
	return ST_OK;
}

static void eq_free(struct connectx *cx, unsigned int n)
{
	if (!cx->eq[n])
		return;
	cx_buf_free(&cx->eq[n]->buf);
	free(cx->eq[n]);
	cx->eq[n] = NULL;
	if (cx->cmd_eq == (int)n)
		cx->cmd_eq = -1;
	if (cx->pf_eq == (int)n)
		cx->pf_eq = -1;
}

int cx_destroy_eq(struct connectx *cx, struct cx_cmd *c)
{
	unsigned int n = cx_in_bits(c, 0, F_IN_EQN);

	if (!cx->eq[n])
		return ST_BAD_RES;
	eq_free(cx, n);
	return ST_OK;
}

/* ---- completion queues ---------------------------------------------------- */

int cx_create_cq(struct connectx *cx, struct cx_cmd *c)
{
	int n = cx_free_index((void **)cx->cq, 0x40, CX_TABLE);
	struct cx_cq *q;

	if (n < 0)
		return ST_NO_RES;
	q = calloc(1, sizeof(*q));
	if (!q || !cx_buf_init(c, &q->buf, cx_in_bits(c, IN_CONTEXT, F_CQC_LOG_PAGE),
			    cx_in_bits(c, IN_CONTEXT, F_CQC_PAGE_OFFSET))) {
		free(q);
		return ST_BAD_PARAM;
	}
	q->log = cx_in_bits(c, IN_CONTEXT, F_CQC_LOG_SIZE);
	q->eqn = cx_in_bits(c, IN_CONTEXT, F_CQC_EQN) & 0xff;
	q->cqe_size = cx_in_bits(c, IN_CONTEXT, F_CQC_CQE_SZ) ? 128 : 64;
	cx->cq[n] = q;
	cx_out_bits(c, F_OUT_HANDLE24, n);
	return ST_OK;
}

static void cq_free(struct connectx *cx, unsigned int n)
{
	if (!cx->cq[n])
		return;
	cx_buf_free(&cx->cq[n]->buf);
	free(cx->cq[n]);
	cx->cq[n] = NULL;
}

int cx_destroy_cq(struct connectx *cx, struct cx_cmd *c)
{
	uint32_t n = cx_in_bits(c, 0, F_IN_HANDLE24);

	if (n >= CX_TABLE || !cx->cq[n])
		return ST_BAD_RES;
	cq_free(cx, n);
	return ST_OK;
}

/* ---- memory keys ----------------------------------------------------------- */

int cx_create_mkey(struct connectx *cx, struct cx_cmd *c)
{
	uint32_t i, n = cx->mkey_next, octwords = cx_in_bits(c, 0, F_MKEY_OCTWORDS);
	struct cx_mkey *k;
	size_t have;

	/* Numbers go round, so that a key is not soon another's. */
	for (i = 0; i < CX_MKEYS && n < cx->mkey_cap && cx->mkey[n]; i++)
		n = n + 1 < CX_MKEYS ? n + 1 : MKEY_FIRST;
	if (i == CX_MKEYS)
		return ST_NO_RES;
	if (n >= cx->mkey_cap) {
		uint32_t cap = cx->mkey_cap ? cx->mkey_cap : MKEY_FIRST;
		struct cx_mkey **t;

		while (cap <= n)
			cap *= 2;
		t = realloc(cx->mkey, cap * sizeof(*t));

		if (!t)
			return ST_NO_RES;
		memset(t + cx->mkey_cap, 0, (cap - cx->mkey_cap) * sizeof(*t));
		cx->mkey = t;
		cx->mkey_cap = cap;
	}
	k = calloc(1, sizeof(*k));
	if (!k)
		return ST_NO_RES;
	k->free = cx_in_bits(c, IN_CONTEXT, F_MKC_FREE);
	k->pa = cx_in_bits(c, IN_CONTEXT, F_MKC_LENGTH64) || !cx_in_bits(c, IN_CONTEXT, F_MKC_MODE);
	k->shift = cx_in_bits(c, IN_CONTEXT, F_MKC_LOG_PAGE);
	k->start = cx_in_bits(c, IN_CONTEXT, F_MKC_START);
	k->len = cx_in_bits(c, IN_CONTEXT, F_MKC_LEN);
	k->rinval = cx_in_bits(c, IN_CONTEXT, F_MKC_RINVAL);
	k->pd = cx_in_bits(c, IN_CONTEXT, F_MKC_PD);
	k->rights = (cx_in_bits(c, IN_CONTEXT, F_MKC_RW) ? MKEY_RW : 0) |
		    (cx_in_bits(c, IN_CONTEXT, F_MKC_RR) ? MKEY_RR : 0) |
		    (cx_in_bits(c, IN_CONTEXT, F_MKC_LW) ? MKEY_LW : 0) |
		    (cx_in_bits(c, IN_CONTEXT, F_MKC_LR) ? MKEY_LR : 0);
	have = c->in_len > IN_PAS ? (c->in_len - IN_PAS) / 8 : 0;
	if (octwords && cx_in_bits(c, IN_CONTEXT, F_MKC_MODE) == 1 && have) {
		k->nmtt = (size_t)octwords * 2 < have ? (size_t)octwords * 2 : have;
		k->mtt = calloc(k->nmtt, sizeof(*k->mtt));
		for (i = 0; k->mtt && i < k->nmtt; i++)
			k->mtt[i] = be64_get(c->in + IN_PAS + 8 * i);
		if (!k->mtt)
			k->nmtt = 0;
	}
	cx->mkey[n] = k;
	if (sim_verbose)
		sim_log(cx->dev, "mkey %#x made", n);
	cx->mkey_next = n + 1 < CX_MKEYS ? n + 1 : MKEY_FIRST;
	cx_out_bits(c, F_OUT_HANDLE24, n);
	return ST_OK;
}

int cx_destroy_mkey(struct connectx *cx, struct cx_cmd *c)
{
	uint32_t n = cx_in_bits(c, 0, F_IN_HANDLE24);

	if (n >= cx->mkey_cap || !cx->mkey[n]) {
		sim_log(cx->dev, "mkey %#x to destroy is not there", n);
		return ST_BAD_RES;
	}
	cx_mkey_free(cx->mkey[n]);
	cx->mkey[n] = NULL;
	return ST_OK;
}

/* ---- page faults ----------------------------------------------------------- */

int cx_page_fault_resume(struct connectx *cx, struct cx_cmd *c)
{
	uint32_t token = be32_get(c->in + 12) & 0xffffff;
	bool error = c->in[8] >> 7;
	struct cx_fault **p, *f;

	for (p = &cx->faults; (f = *p); p = &f->next) {
		if (f->token != token)
			continue;
		*p = f->next;
		if (f->qpn < CX_TABLE && cx->qp[f->qpn]) {
			cx->qp[f->qpn]->pending = false;
			if (error)
				cx->qp[f->qpn]->fault_failed = true;
			cx->sq_pending[f->qpn / 32] |= 1U << f->qpn % 32;
			cx->sq_any = true;
		}
		free(f);
		break;
	}
	if (sim_verbose)
		sim_log(cx->dev, "page fault %u resumed%s", token, error ? " with an error" : "");
	return ST_OK;
}

/**
 * cx_objects_free() - destroy every object
 * @cx: the HCA
 */
void cx_objects_free(struct connectx *cx)
{
	struct cx_fault *f;
	uint32_t i;

	for (i = 0; i < 256; i++)
		eq_free(cx, i);
	for (i = 0; i < CX_TABLE; i++) {
		cq_free(cx, i);
		cx_qp_free(cx, i);
	}
	for (i = 0; i < cx->mkey_cap; i++)
		if (cx->mkey[i])
			cx_mkey_free(cx->mkey[i]);
	free(cx->mkey);
	cx->mkey = NULL;
	cx->mkey_cap = 0;
	cx->mkey_next = MKEY_FIRST;
	while ((f = cx->faults)) {
		cx->faults = f->next;
		free(f);
	}
	memset(cx->sq_pending, 0, sizeof(cx->sq_pending));
	cx->sq_any = false;
	memset(cx->uctx, 0, sizeof(cx->uctx));
	memset(cx->umem, 0, sizeof(cx->umem));
	cx->cmd_eq = -1;
	cx->pf_eq = -1;
	cx->next_handle = 0x20;
}
