// SPDX-License-Identifier: GPL-2.0
/*
 * Calls of the dma-buf core that are in flight.
 *
 * The core calls its own exported functions, and differs in that by version
 * and compiler: dma_buf_attach() into dma_buf_dynamic_attach(), the _unlocked
 * calls into the others, a failing attach into dma_buf_detach(), an unmap into
 * dma_buf_unpin(). Each must count once. So every probed call is listed from
 * its entry to its return, by what it works on; the innermost call of a kind
 * counts, since it is the one that runs under the reservation lock, and tells
 * the outer ones.
 *
 * A call record comes from a pool of its own rather than from the kretprobe
 * instance: an instance is used again if its task dies inside the call, and a
 * list must never run through such memory. All that such a death leaves here
 * is one record, which is freed with the table.
 */
#include <linux/hash.h>
#include <linux/slab.h>

#include "gdr_telemetry.h"

#define CALL_BITS	8

struct call_bucket {
	raw_spinlock_t		lock;
	struct hlist_head	calls;
};

static struct call_bucket *table;
static atomic64_t missed;

static struct call_bucket *bucket_of(const void *key)
{
	return &table[hash_ptr(key, CALL_BITS)];
}

static bool is_mine(const struct gdrt_call *c)
{
	return c->task == current && c->start == current->start_boottime;
}

/**
 * gdrt_call_begin() - a probed function was entered
 * @op: kind of the call
 * @key: what it works on
 *
 * Marks the calls of the same kind on the same thing that the task is inside
 * of, so that only this one counts.
 *
 * Context: entry handler.
 * Return: the call, or NULL if no record is free: then it counts as missed.
 */
struct gdrt_call *gdrt_call_begin(enum gdrt_op op, const void *key)
{
	struct call_bucket *b = bucket_of(key);
	struct gdrt_call *c, *outer;
	unsigned long flags;
	bool counts;

	c = gdrt_pool_get(&gdrt_pool_calls);
	if (c) {
		c->op = op;
		c->counted = false;
		c->gave_up = false;
		c->key = key;
		c->task = current;
		c->start = current->start_boottime;
	} else {
		atomic64_inc(&missed);
	}

	/* Without a record there is no return handler: only what counts on entry will count. */
	counts = c || op == GDRT_OP_UNMAP || op == GDRT_OP_DETACH;
	raw_spin_lock_irqsave(&b->lock, flags);
	hlist_for_each_entry(outer, &b->calls, node)
		if (outer->op == op && outer->key == key && is_mine(outer))
			outer->counted = counts;
	if (c)
		hlist_add_head(&c->node, &b->calls);
	raw_spin_unlock_irqrestore(&b->lock, flags);
	return c;
}

/**
 * gdrt_call_end() - a probed function returned
 * @c: the call; stays readable until gdrt_pool_put()
 *
 * Context: return handler.
 * Return: true if this call is the one to count.
 */
bool gdrt_call_end(struct gdrt_call *c)
{
	struct call_bucket *b = bucket_of(c->key);
	unsigned long flags;
	bool counts;

	raw_spin_lock_irqsave(&b->lock, flags);
	hlist_del(&c->node);
	counts = !c->counted;
	raw_spin_unlock_irqrestore(&b->lock, flags);
	return counts;
}

static bool call_find(enum gdrt_op op, const void *key, bool mine)
{
	struct call_bucket *b = bucket_of(key);
	struct gdrt_call *c;
	unsigned long flags;
	bool found = false;

	raw_spin_lock_irqsave(&b->lock, flags);
	hlist_for_each_entry(c, &b->calls, node) {
		if (c->op == op && c->key == key && (!mine || is_mine(c))) {
			found = true;
			break;
		}
	}
	raw_spin_unlock_irqrestore(&b->lock, flags);
	return found;
}

/**
 * gdrt_call_inside() - is the current task inside such a call?
 * @op: kind
 * @key: what it works on
 *
 * Context: a probe handler.
 * Return: true if so.
 */
bool gdrt_call_inside(enum gdrt_op op, const void *key)
{
	return call_find(op, key, true);
}

/**
 * gdrt_call_active() - is any task inside such a call?
 * @op: kind
 * @key: what it works on
 *
 * Context: a probe handler.
 * Return: true if so.
 */
bool gdrt_call_active(enum gdrt_op op, const void *key)
{
	return call_find(op, key, false);
}

/**
 * gdrt_call_gave_up() - the core gives up an attachment that no one knows
 * @dmabuf: its buffer
 *
 * If the current task is inside an attach of the buffer, that attach fails
 * after the exporter had agreed to it: in a pin or map that the core makes
 * inside attach (drivers/dma-buf/dma-buf.c before 7.x).
 *
 * Context: a probe handler.
 * Return: true if it is inside such an attach.
 */
bool gdrt_call_gave_up(const void *dmabuf)
{
	struct call_bucket *b = bucket_of(dmabuf);
	struct gdrt_call *c;
	unsigned long flags;
	bool found = false;

	raw_spin_lock_irqsave(&b->lock, flags);
	hlist_for_each_entry(c, &b->calls, node) {
		if (c->op == GDRT_OP_ATTACH && c->key == dmabuf && is_mine(c)) {
			c->gave_up = true;
			found = true;
		}
	}
	raw_spin_unlock_irqrestore(&b->lock, flags);
	return found;
}

/**
 * gdrt_call_reg() - the registration that the current task is in
 *
 * Context: a probe handler.
 * Return: it, or NULL. It stays as long as the task does not return from it,
 * and no one else changes it.
 */
struct gdrt_reg *gdrt_call_reg(void)
{
	struct call_bucket *b = bucket_of(current);
	struct gdrt_call *c, *found = NULL;
	unsigned long flags;

	raw_spin_lock_irqsave(&b->lock, flags);
	hlist_for_each_entry(c, &b->calls, node)
		if (c->op == GDRT_OP_REGISTER && c->key == current && is_mine(c))
			found = c;
	raw_spin_unlock_irqrestore(&b->lock, flags);
	return found ? &found->reg : NULL;
}

/**
 * gdrt_calls_missed() - calls that could not be listed
 *
 * Context: any.
 * Return: the number since the module was loaded.
 */
u64 gdrt_calls_missed(void)
{
	return atomic64_read(&missed);
}

/**
 * gdrt_calls_init() - make the table of calls
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int gdrt_calls_init(void)
{
	unsigned int i;

	table = kcalloc(1U << CALL_BITS, sizeof(*table), GFP_KERNEL);
	if (!table)
		return -ENOMEM;
	for (i = 0; i < 1U << CALL_BITS; i++)
		raw_spin_lock_init(&table[i].lock);
	return 0;
}

/**
 * gdrt_calls_exit() - drop the table and the calls that are still in it
 *
 * A call that is in flight while the probes are disarmed never gets its return
 * handler, so its record is still listed here.
 *
 * Context: process, may sleep; no probe is armed any more.
 */
void gdrt_calls_exit(void)
{
	struct hlist_node *tmp;
	struct gdrt_call *c;
	unsigned int i;

	for (i = 0; table && i < 1U << CALL_BITS; i++) {
		hlist_for_each_entry_safe(c, tmp, &table[i].calls, node) {
			hlist_del(&c->node);
			gdrt_pool_put(&gdrt_pool_calls, c);
		}
	}
	kfree(table);
	table = NULL;
}
