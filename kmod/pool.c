// SPDX-License-Identifier: GPL-2.0
/*
 * Pools of records. A probe handler may not allocate, not even atomically on
 * PREEMPT_RT, so it takes records from a list that a worker keeps filled.
 *
 * When a list runs low, or too long after a burst, the worker is asked for.
 */
#include <linux/slab.h>

#include "gdr_telemetry.h"

struct gdrt_pool gdrt_pool_attachments;
struct gdrt_pool gdrt_pool_buffers;
struct gdrt_pool gdrt_pool_shares;
struct gdrt_pool gdrt_pool_owners;
struct gdrt_pool gdrt_pool_calls;

static struct gdrt_pool *const pools[] = {
	&gdrt_pool_attachments, &gdrt_pool_buffers, &gdrt_pool_shares, &gdrt_pool_owners,
	&gdrt_pool_calls,
};

static bool pool_low(const struct gdrt_pool *p)
{
	return p->nfree < p->target - p->target / 4 && READ_ONCE(p->total) < p->limit;
}

static bool pool_high(const struct gdrt_pool *p)
{
	return p->nfree > 2 * p->target;
}

static void pool_push(struct gdrt_pool *p, void *record)
{
	*(void **)record = p->free;
	p->free = record;
	p->nfree++;
}

static void *pool_pop(struct gdrt_pool *p)
{
	void *record = p->free;

	if (record) {
		p->free = *(void **)record;
		p->nfree--;
	}
	return record;
}

/* Fill up to the target, or give back what is above it, a record at a time. */
static int pool_adjust(struct gdrt_pool *p)
{
	unsigned long flags;
	unsigned int n;
	void *record;

	for (;;) {
		raw_spin_lock_irqsave(&p->lock, flags);
		n = p->nfree;
		record = n > p->target ? pool_pop(p) : NULL;
		raw_spin_unlock_irqrestore(&p->lock, flags);
		if (record) {
			kmem_cache_free(p->cache, record);
			WRITE_ONCE(p->total, p->total - 1);
			continue;
		}
		if (n >= p->target || p->total >= p->limit)
			return 0;

		record = kmem_cache_zalloc(p->cache, GFP_KERNEL);
		if (!record)
			return -ENOMEM;
		WRITE_ONCE(p->total, p->total + 1);
		raw_spin_lock_irqsave(&p->lock, flags);
		pool_push(p, record);
		raw_spin_unlock_irqrestore(&p->lock, flags);
	}
}

static void pool_work(struct work_struct *work)
{
	unsigned int i;

	/* Out of memory: records run out and are counted; the next one kicks again. */
	for (i = 0; i < ARRAY_SIZE(pools); i++)
		pool_adjust(pools[i]);
}

/**
 * gdrt_pool_get() - take a record
 * @p: the pool
 *
 * Context: any; a probe handler.
 * Return: the record, with the content that it was given back with (zeros at
 * first), or NULL if none is free.
 */
void *gdrt_pool_get(struct gdrt_pool *p)
{
	unsigned long flags;
	void *record;
	bool low;

	raw_spin_lock_irqsave(&p->lock, flags);
	record = pool_pop(p);
	low = pool_low(p);
	raw_spin_unlock_irqrestore(&p->lock, flags);
	if (low)
		gdrt_later_kick(&gdrt_later_pools);
	return record;
}

/**
 * gdrt_pool_put() - give a record back
 * @p: the pool
 * @record: the record; must be on no list
 *
 * Context: any; a probe handler.
 */
void gdrt_pool_put(struct gdrt_pool *p, void *record)
{
	unsigned long flags;
	bool high;

	raw_spin_lock_irqsave(&p->lock, flags);
	pool_push(p, record);
	high = pool_high(p);
	raw_spin_unlock_irqrestore(&p->lock, flags);
	if (high)
		gdrt_later_kick(&gdrt_later_pools);
}

static int pool_init(struct gdrt_pool *p, const char *name, size_t size, unsigned int target,
		     unsigned int limit)
{
	raw_spin_lock_init(&p->lock);
	p->target = target;
	p->limit = limit ?: UINT_MAX;
	p->cache = kmem_cache_create(name, size, 0, 0, NULL);
	if (!p->cache)
		return -ENOMEM;
	return pool_adjust(p);
}

/**
 * gdrt_pools_init() - make the pools and fill them
 * @records: attachments, buffers and shares to keep ready; a sixteenth as many
 *	owners
 * @limit: how many there may be of each at most; 0 for no limit
 * @calls: calls in flight to keep ready
 *
 * Context: process, may sleep.
 * Return: 0, or -ENOMEM; call gdrt_pools_exit() in either case.
 */
int gdrt_pools_init(unsigned int records, unsigned int limit, unsigned int calls)
{
	int err;

	gdrt_later_start(&gdrt_later_pools, pool_work);
	err = pool_init(&gdrt_pool_attachments, "gdrt_attachment",
			sizeof(struct gdrt_attachment), records, limit);
	if (err)
		return err;
	err = pool_init(&gdrt_pool_buffers, "gdrt_buffer", sizeof(struct gdrt_buffer), records,
			limit);
	if (err)
		return err;
	err = pool_init(&gdrt_pool_shares, "gdrt_share", sizeof(struct gdrt_share), records,
			limit);
	if (err)
		return err;
	err = pool_init(&gdrt_pool_owners, "gdrt_owner", sizeof(struct gdrt_owner),
			max(records / 16, 4U), limit);
	if (err)
		return err;
	return pool_init(&gdrt_pool_calls, "gdrt_call", sizeof(struct gdrt_call), calls, 0);
}

/**
 * gdrt_pools_exit() - free the free records
 *
 * Context: process, may sleep; every record is back.
 */
void gdrt_pools_exit(void)
{
	unsigned int i;
	void *record;

	gdrt_later_stop(&gdrt_later_pools);
	for (i = 0; i < ARRAY_SIZE(pools); i++) {
		if (!pools[i]->cache)
			continue;
		while ((record = pool_pop(pools[i])))
			kmem_cache_free(pools[i]->cache, record);
		kmem_cache_destroy(pools[i]->cache);
		pools[i]->cache = NULL;
	}
}
