// SPDX-License-Identifier: GPL-2.0
/*
 * How long calls take: a histogram of powers of two for each importer and
 * operation.
 */
#include <linux/log2.h>
#include <linux/vmalloc.h>

#include "gdr_telemetry.h"

/* Importers beyond that are not timed; their directory in sysfs still counts. */
#define LATENCY_MAX	256

static struct gdrt_latency *all;
static unsigned int used;
static DEFINE_RAW_SPINLOCK(lock);	/* guards @used and who has which */

static struct gdrt_latency *latency_of(struct gdrt_device *importer)
{
	struct gdrt_latency *l = READ_ONCE(importer->latency);
	unsigned long flags;

	if (l)
		return l;
	raw_spin_lock_irqsave(&lock, flags);
	if (!importer->latency && used < LATENCY_MAX)
		WRITE_ONCE(importer->latency, &all[used++]);
	l = importer->latency;
	raw_spin_unlock_irqrestore(&lock, flags);
	return l;
}

/**
 * gdrt_latency_add() - a call returned
 * @importer: whose
 * @op: what it was
 * @ns: how long it took
 *
 * Context: any; a probe handler.
 */
void gdrt_latency_add(struct gdrt_device *importer, enum gdr_telemetry_latency_op op, u64 ns)
{
	struct gdrt_latency *l = latency_of(importer);
	unsigned int n = min(ns ? ilog2(ns) : 0, GDRT_LATENCY_BUCKETS - 1);

	if (!l)
		return;
	atomic64_inc(&l->count[op][n]);
	atomic64_add(ns, &l->sum[op]);
}

/**
 * gdrt_latency_init() - make room for the histograms
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int gdrt_latency_init(void)
{
	all = vzalloc(array_size(LATENCY_MAX, sizeof(*all)));
	return all ? 0 : -ENOMEM;
}

/**
 * gdrt_latency_exit() - drop the histograms
 *
 * Context: process, may sleep; no probe is armed and no reader is left.
 */
void gdrt_latency_exit(void)
{
	vfree(all);
}
