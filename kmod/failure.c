// SPDX-License-Identifier: GPL-2.0
/*
 * What went wrong: counted by importer, stage and errno, and the last ones kept
 * with all that is known of them.
 */
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/vmalloc.h>

#include "gdr_telemetry.h"

#define RING_SIZE	1024U	/* a power of two */
#define COUNTS		1024U

static struct gdrt_failure *ring;
static u64 seq;				/* of the newest; guarded by the ring lock */
static DEFINE_RAW_SPINLOCK(ring_lock);

static struct gdrt_failure_count *counts;
static unsigned int ncounts;		/* written under the lock, released by its store */
static DEFINE_RAW_SPINLOCK(count_lock);	/* guards insertion */

static struct gdrt_failure_count *count_find(unsigned int from, unsigned int to,
					     const struct gdrt_device *importer,
					     enum gdr_telemetry_stage stage, int err)
{
	unsigned int i;

	for (i = from; i < to; i++)
		if (counts[i].importer == importer && counts[i].stage == stage &&
		    counts[i].err == err)
			return &counts[i];
	return NULL;
}

/* There are few kinds of failures; when there are not, the rest is in the totals only. */
static void count(struct gdrt_device *importer, enum gdr_telemetry_stage stage, int err)
{
	unsigned int n = gdrt_failure_counts();
	struct gdrt_failure_count *c = count_find(0, n, importer, stage, err);
	unsigned long flags;

	if (!c) {
		raw_spin_lock_irqsave(&count_lock, flags);
		c = count_find(n, ncounts, importer, stage, err);
		if (!c && ncounts < COUNTS) {
			c = &counts[ncounts];
			c->importer = importer;
			c->stage = stage;
			c->err = err;
			/* Who reads the number finds the kind filled in. */
			smp_store_release(&ncounts, ncounts + 1);
		}
		raw_spin_unlock_irqrestore(&count_lock, flags);
	}
	if (c)
		atomic64_inc(&c->count);
}

static void count_devices(const struct gdrt_failure *f, enum gdrt_count c)
{
	if (f->importer)
		gdrt_device_add(f->importer, c, 1);
	if (!f->known)
		return;
	gdrt_device_add(f->exporter, c, 1);
	if (f->importer)
		gdrt_pair_add(gdrt_pair_get(f->exporter, f->importer), c, 1);
}

/**
 * gdrt_failure_add() - something went wrong
 * @f: what; its number and time are filled in
 *
 * Context: any; a probe handler.
 */
void gdrt_failure_add(struct gdrt_failure *f)
{
	unsigned int nth = f->stage - GDR_TELEMETRY_STAGE_UNKNOWN;
	unsigned long flags;
	struct gdrt_event e;

	count(f->importer, f->stage, -f->err);
	gdrt_total_add(GDRT_T_FAIL_UNKNOWN + nth, 1);
	count_devices(f, GDRT_C_FAIL_UNKNOWN + nth);

	raw_spin_lock_irqsave(&ring_lock, flags);
	f->seq = ++seq;
	f->time = ktime_get_boot_fast_ns();
	if (seq > RING_SIZE)
		gdrt_total_add(GDRT_T_LOST_FAILURES, 1);
	ring[seq & (RING_SIZE - 1)] = *f;
	raw_spin_unlock_irqrestore(&ring_lock, flags);

	gdrt_trace_fail(f);
	if (!gdrt_events_wanted())
		return;
	memset(&e, 0, sizeof(e));
	e.op = GDR_TELEMETRY_EVENT_OP_FAIL;
	e.failure = *f;
	gdrt_events_push(&e);
}

/*
 * A call failed. Inside a registration it is that which fails, and this is
 * where: the first call to fail is the innermost one. What is undone after it
 * adds nothing.
 */
static void failed(struct dma_buf *dmabuf, struct device *dev,
		   const struct dma_buf_attachment *attach, enum gdr_telemetry_stage stage, int err)
{
	struct gdrt_ident *ident = gdrt_ident_exporter(dmabuf);
	struct gdrt_reg *r = gdrt_call_reg();
	struct gdrt_failure f = {};
	struct gdrt_attachment *a;
	struct gdrt_bucket *b;
	unsigned long flags;

	if (!gdrt_tracked(gdrt_ident_is_hca(dev), ident))
		return;
	if (r) {
		if (r->err)
			return;
		gdrt_reg_buffer(r, dmabuf);
		r->stage = stage;
		r->err = err;
		return;
	}
	f.stage = stage;
	f.err = err;
	f.known = true;
	f.importer = gdrt_device_importer(dev);
	f.ident = ident;
	f.exporter = gdrt_buffer_exporter(dmabuf, ident);
	f.inode = file_inode(dmabuf->file)->i_ino;
	if (attach) {
		/* A worker may map again on behalf of who attached. */
		b = gdrt_attachment_bucket(attach);
		raw_spin_lock_irqsave(&b->lock, flags);
		a = gdrt_attachment_find(b, attach);
		if (a && a->owner) {
			f.has_owner = true;
			f.owner = a->owner->desc;
		}
		raw_spin_unlock_irqrestore(&b->lock, flags);
	}
	if (!f.has_owner)
		f.has_owner = gdrt_owner_describe(&f.owner);
	gdrt_failure_add(&f);
}

/**
 * gdrt_attach_failed() - an attach returned an error
 * @dmabuf: the buffer
 * @dev: the importing device
 * @err: negative errno
 * @gave_up: the exporter had agreed: a pin or map inside the attach failed
 *
 * Context: return handler.
 */
void gdrt_attach_failed(struct dma_buf *dmabuf, struct device *dev, int err, bool gave_up)
{
	failed(dmabuf, dev, NULL,
	       gave_up ? GDR_TELEMETRY_STAGE_MAP : GDR_TELEMETRY_STAGE_ATTACH, err);
}

/**
 * gdrt_map_failed() - a map returned an error
 * @attach: the attachment
 * @err: negative errno
 *
 * Context: return handler.
 */
void gdrt_map_failed(struct dma_buf_attachment *attach, int err)
{
	failed(attach->dmabuf, attach->dev, attach, GDR_TELEMETRY_STAGE_MAP, err);
}

/**
 * gdrt_pin_failed() - an explicit pin returned an error
 * @attach: the attachment
 * @err: negative errno
 *
 * Context: return handler.
 */
void gdrt_pin_failed(struct dma_buf_attachment *attach, int err)
{
	failed(attach->dmabuf, attach->dev, attach, GDR_TELEMETRY_STAGE_PIN, err);
}

/**
 * gdrt_failure_query() - a capability query returned
 * @importer: whose capability
 * @err: negative errno; EBADF means supported
 *
 * Context: any; a probe handler.
 */
void gdrt_failure_query(struct gdrt_device *importer, int err)
{
	gdrt_total_add(GDRT_T_QUERIES, 1);
	gdrt_device_add(importer, GDRT_C_QUERIES, 1);
	count(importer, GDR_TELEMETRY_STAGE_CAPABILITY_QUERY, -err);
}

/**
 * gdrt_failure_counts() - number of kinds of failures
 *
 * Context: any.
 * Return: the number; only grows.
 */
unsigned int gdrt_failure_counts(void)
{
	/* Pairs with the store in count(). */
	return smp_load_acquire(&ncounts);
}

/**
 * gdrt_failure_count_at() - one kind of failure
 * @i: which, below gdrt_failure_counts()
 *
 * Context: any.
 * Return: it.
 */
const struct gdrt_failure_count *gdrt_failure_count_at(unsigned int i)
{
	return &counts[i];
}

/**
 * gdrt_failure_next() - walk over the failures that are kept, oldest first
 * @last: number of the one before, 0 at first
 * @f: filled with a copy of the next one
 *
 * Context: process.
 * Return: false at the end.
 */
bool gdrt_failure_next(u64 *last, struct gdrt_failure *f)
{
	unsigned long flags;
	bool some;

	raw_spin_lock_irqsave(&ring_lock, flags);
	if (seq > RING_SIZE && *last < seq - RING_SIZE)
		*last = seq - RING_SIZE;
	some = *last < seq;
	if (some)
		*f = ring[++*last & (RING_SIZE - 1)];
	raw_spin_unlock_irqrestore(&ring_lock, flags);
	return some;
}

/**
 * gdrt_failures_init() - make the ring and the counters
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM; call gdrt_failures_exit() in either case.
 */
int gdrt_failures_init(void)
{
	ring = vzalloc(array_size(RING_SIZE, sizeof(*ring)));
	counts = vzalloc(array_size(COUNTS, sizeof(*counts)));
	return ring && counts ? 0 : -ENOMEM;
}

/**
 * gdrt_failures_exit() - drop them
 *
 * Context: process, may sleep; no probe is armed and no reader is left.
 */
void gdrt_failures_exit(void)
{
	vfree(counts);
	vfree(ring);
}
