// SPDX-License-Identifier: GPL-2.0
/*
 * DevX: user contexts, and memory that their queues would lie in (umem). Nothing
 * is made on top of a umem here.
 */
#include <stdlib.h>

#include "connectx.h"

#define LOG_PAGE_MAX	20

static bool uctx_there(const struct connectx *cx, uint32_t uid)
{
	return uid && uid < CX_UCTXS && cx->uctx[uid / 32] >> uid % 32 & 1;
}

int cx_create_uctx(struct connectx *cx, struct cx_cmd *c)
{
	uint32_t uid;

	for (uid = 1; uctx_there(cx, uid); uid++)
		;
	if (uid == CX_UCTXS)
		return ST_NO_RES;
	cx->uctx[uid / 32] |= 1U << uid % 32;
	bits_put(c->out, F_OUT_UID, uid);
	return ST_OK;
}

int cx_destroy_uctx(struct connectx *cx, struct cx_cmd *c)
{
	uint32_t uid = bits_get(c->in, F_IN_UCTX);

	if (!uctx_there(cx, uid))
		return ST_BAD_RES;
	cx->uctx[uid / 32] &= ~(1U << uid % 32);
	return ST_OK;
}

/* The command says whose it is, how long its list of pages is, and how long they are. */
int cx_create_umem(struct connectx *cx, struct cx_cmd *c)
{
	uint64_t entries;
	uint32_t n;

	if (c->in_len < IN_UMEM_MTT)
		return ST_BAD_PARAM;
	entries = bits_get(c->in + IN_CONTEXT, F_UMEM_ENTRIES);
	if (!uctx_there(cx, bits_get(c->in, F_IN_UID)) || !entries ||
	    entries > (c->in_len - IN_UMEM_MTT) / 8 ||
	    bits_get(c->in + IN_CONTEXT, F_UMEM_LOG_PAGE) > LOG_PAGE_MAX)
		return ST_BAD_PARAM;
	for (n = 1; n < CX_TABLE && cx->umem[n]; n++)
		;
	if (n == CX_TABLE)
		return ST_NO_RES;
	cx->umem[n] = entries << bits_get(c->in + IN_CONTEXT, F_UMEM_LOG_PAGE);
	if (sim_verbose)
		sim_log(cx->dev, "umem %#x made of %llu pages", n, (unsigned long long)entries);
	bits_put(c->out, F_OUT_HANDLE24, n);
	return ST_OK;
}

int cx_destroy_umem(struct connectx *cx, struct cx_cmd *c)
{
	uint32_t n = bits_get(c->in, F_IN_HANDLE24);

	if (n >= CX_TABLE || !cx->umem[n])
		return ST_BAD_RES;
	cx->umem[n] = 0;
	return ST_OK;
}
