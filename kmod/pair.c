// SPDX-License-Identifier: GPL-2.0
/*
 * Pairs of an exporter whose device is known and an importer, each kept until
 * the module is unloaded, with the numbers that are told for it.
 */
#include <linux/hash.h>
#include <linux/rculist.h>
#include <linux/vmalloc.h>

#include "gdr_telemetry.h"

/* 16 GPUs by 64 functions; a pair beyond that is left out, its devices are not. */
#define PAIR_MAX	1024
#define PAIR_BITS	8

static struct gdrt_pair *pairs;
static unsigned int npairs;		/* written under the lock, released by its store */
static struct hlist_head table[1U << PAIR_BITS];
static DEFINE_RAW_SPINLOCK(lock);	/* guards insertion; readers use RCU */

static struct gdrt_pair *find(struct hlist_head *head, const struct gdrt_device *exporter,
			      const struct gdrt_device *importer)
{
	struct gdrt_pair *p;

	hlist_for_each_entry_rcu(p, head, node, lockdep_is_held(&lock))
		if (p->exporter == exporter && p->importer == importer)
			return p;
	return NULL;
}

/**
 * gdrt_pair_get() - the pair of two devices
 * @exporter: an exporter
 * @importer: an importer
 *
 * Context: any; a probe handler.
 * Return: the pair. NULL if the device of the exporter is not known, or if
 * there are too many pairs.
 */
struct gdrt_pair *gdrt_pair_get(struct gdrt_device *exporter, struct gdrt_device *importer)
{
	u32 hash = hash_ptr(exporter, 32) ^ hash_ptr(importer, 32);
	struct hlist_head *head = &table[hash & ((1U << PAIR_BITS) - 1)];
	struct gdrt_pair *p;
	unsigned long flags;

	if (!exporter->is_pci)
		return NULL;
	rcu_read_lock();
	p = find(head, exporter, importer);
	rcu_read_unlock();
	if (p)
		return p;

	raw_spin_lock_irqsave(&lock, flags);
	p = find(head, exporter, importer);
	if (!p && npairs < PAIR_MAX) {
		p = &pairs[npairs];
		p->exporter = exporter;
		p->importer = importer;
		hlist_add_head_rcu(&p->node, head);
		/* Who reads the number finds the pair filled in. */
		smp_store_release(&npairs, npairs + 1);
		gdrt_later_kick(&gdrt_later_dirs);
	}
	raw_spin_unlock_irqrestore(&lock, flags);
	return p;
}

/**
 * gdrt_pair_add() - add to a number of a pair
 * @p: the pair, or NULL
 * @c: which, below GDRT_C_STORED
 * @n: how much; negative for gauges only
 *
 * Context: any.
 */
void gdrt_pair_add(struct gdrt_pair *p, enum gdrt_count c, s64 n)
{
	if (p)
		atomic64_add(n, &p->count[c]);
}

/**
 * gdrt_pair_visible() - should a pair be shown?
 * @p: the pair
 *
 * Context: any.
 * Return: true while both of its devices are.
 */
bool gdrt_pair_visible(const struct gdrt_pair *p)
{
	return gdrt_device_visible(p->exporter) && gdrt_device_visible(p->importer);
}

/**
 * gdrt_pairs_count() - number of pairs, visible or not
 *
 * Context: any.
 * Return: the number; only grows.
 */
unsigned int gdrt_pairs_count(void)
{
	/* Pairs with the store in gdrt_pair_get(). */
	return smp_load_acquire(&npairs);
}

/**
 * gdrt_pair_at() - one pair
 * @i: which, below gdrt_pairs_count()
 *
 * Context: any.
 * Return: the pair.
 */
struct gdrt_pair *gdrt_pair_at(unsigned int i)
{
	return &pairs[i];
}

/**
 * gdrt_pairs_init() - make room for the pairs
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int gdrt_pairs_init(void)
{
	pairs = vzalloc(array_size(PAIR_MAX, sizeof(*pairs)));
	return pairs ? 0 : -ENOMEM;
}

/**
 * gdrt_pairs_exit() - drop the pairs
 *
 * Context: process, may sleep; nothing refers to one.
 */
void gdrt_pairs_exit(void)
{
	vfree(pairs);
}
