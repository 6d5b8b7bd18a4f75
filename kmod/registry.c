// SPDX-License-Identifier: GPL-2.0
/*
 * The registry: every live attachment that is tracked.
 *
 * A hash table of fixed size, made at load, with a raw lock a bucket. An
 * attachment is found by the address of the kernel's own structure, from its
 * attach's return to its detach's entry: while that address cannot be used
 * again.
 */
#include <linux/hash.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>

#include "gdr_telemetry.h"

#define ATTACHMENT_BITS	14

static struct gdrt_bucket *attachments;
static atomic64_t next_id;
static atomic_t generation;	/* changes with the set of attachments */

/**
 * gdrt_attachment_bucket() - the bucket that an attachment is in
 * @key: the kernel's attachment
 *
 * Context: any.
 * Return: the bucket.
 */
struct gdrt_bucket *gdrt_attachment_bucket(const struct dma_buf_attachment *key)
{
	return &attachments[hash_ptr(key, ATTACHMENT_BITS)];
}

/**
 * gdrt_attachment_bucket_at() - one bucket
 * @i: which, from 0 on
 *
 * Context: any.
 * Return: the bucket; NULL after the last.
 */
struct gdrt_bucket *gdrt_attachment_bucket_at(u32 i)
{
	return i < 1U << ATTACHMENT_BITS ? &attachments[i] : NULL;
}

/**
 * gdrt_registry_generation() - has the set of attachments changed?
 *
 * Context: any.
 * Return: a number that differs after a change; never 0.
 */
u32 gdrt_registry_generation(void)
{
	return atomic_read(&generation) ?: 1;
}

/* ---- attachments -------------------------------------------------------- */

/**
 * gdrt_attachment_find() - the record of an attachment
 * @b: its bucket, locked
 * @key: the kernel's attachment
 *
 * Context: any; a probe handler.
 * Return: the record, or NULL.
 */
struct gdrt_attachment *gdrt_attachment_find(struct gdrt_bucket *b,
					     const struct dma_buf_attachment *key)
{
	struct gdrt_attachment *a;

	hlist_for_each_entry(a, &b->head, node)
		if (a->key == key)
			return a;
	return NULL;
}

/**
 * gdrt_attachment_copy() - copy an attachment and what it refers to
 * @a: the attachment, its bucket locked
 * @s: filled in
 *
 * Context: any; a probe handler.
 */
void gdrt_attachment_copy(const struct gdrt_attachment *a, struct gdrt_snapshot *s)
{
	const struct gdrt_buffer *buf = a->share->buf;

	s->att = *a;
	s->has_owner = a->owner;
	if (a->owner)
		s->owner = *a->owner;
	s->importer = a->share->importer;
	/* These do not change while the buffer has an attachment, but for the exporter. */
	s->inode = buf->inode;
	s->size = buf->size;
	s->ident = buf->ident;
	s->exporter = READ_ONCE(buf->exporter);
}

/**
 * gdrt_attachment_event() - something happened to an attachment
 * @op: what
 * @a: the attachment, its bucket locked
 *
 * Context: any; a probe handler.
 */
void gdrt_attachment_event(enum gdr_telemetry_event_op op, const struct gdrt_attachment *a)
{
	struct gdrt_event e;

	gdrt_trace_attachment(op, a);
	if (!gdrt_events_wanted())
		return;
	e.op = op;
	gdrt_attachment_copy(a, &e.snap);
	gdrt_events_push(&e);
}

/*
 * Take a record out of the registry, its bucket locked. Returns true if it was
 * the last one.
 */
static bool attachment_forget(struct gdrt_attachment *a)
{
	gdrt_total_add(GDRT_T_UNMAP, a->mapped);
	gdrt_mr_forget(a);
	gdrt_account_state(a, 0, 0);
	hlist_del(&a->node);
	if (a->preexisting)
		gdrt_total_add(GDRT_T_PREEXISTING, -1);
	gdrt_owner_put(a->owner);
	gdrt_share_put(a->share);
	gdrt_pool_put(&gdrt_pool_attachments, a);
	atomic_inc(&generation);
	return gdrt_total_dec_to_zero(GDRT_T_ATTACHMENTS);
}

/* A mapping was made, the attachment's bucket locked. */
static void attachment_map(struct gdrt_attachment *a, struct device *dev,
			   const struct sg_table *sgt)
{
	struct gdrt_device *gpu = NULL;

	a->placement = gdrt_place(dev, sgt, &gpu);
	/* Only NVIDIA's exporter gives out what is in an NVIDIA GPU. */
	if (gpu && a->share->buf->ident->is_gdr)
		gdrt_buffer_told(a->share->buf, gpu);
	a->maps++;
	gdrt_total_add(GDRT_T_MAP, 1);
	gdrt_account_state(a, a->mapped + 1, a->pins);
}

/*
 * Make the record of an attachment that the caller owns, its bucket locked.
 * @reg is the registration that it was made in, or NULL. Returns NULL if no
 * record is free.
 */
static struct gdrt_attachment *attachment_new(struct gdrt_bucket *b,
					      struct dma_buf_attachment *attach,
					      const struct gdrt_reg *reg, bool preexisting)
{
	struct gdrt_device *importer = gdrt_device_importer(attach->dev);
	struct gdrt_ident *ident = gdrt_ident_exporter(attach->dmabuf);
	struct gdrt_attachment *a;
	bool none = false;

	a = gdrt_pool_get(&gdrt_pool_attachments);
	if (!a)
		return NULL;
	memset(a, 0, sizeof(*a));
	if (!preexisting)
		a->owner = gdrt_owner_get(&none);
	if (none)
		goto err_put;
	a->share = gdrt_share_get(attach->dmabuf, ident, importer);
	if (!a->share)
		goto err_owner;

	a->key = attach;
	a->exp_dynamic = dma_buf_is_dynamic(attach->dmabuf);
	a->imp_dynamic = !!attach->importer_ops;
	a->peer2peer = attach->peer2peer;
	a->hca = gdrt_ident_is_hca(attach->dev);
	a->devx = reg && reg->devx;
	a->preexisting = preexisting;
	if (preexisting) {
		gdrt_total_add(GDRT_T_PREEXISTING, 1);
	} else {
		a->time = ktime_get_boot_fast_ns();
		gdrt_device_add(importer, GDRT_C_ATTACH, 1);
	}

	/* Under the lock, so that ids in a bucket go down from its head. */
	a->id = atomic64_inc_return(&next_id);
	hlist_add_head(&a->node, &b->head);
	atomic_inc(&generation);
	gdrt_total_peak(GDRT_T_ATTACHMENTS_PEAK, gdrt_total_add(GDRT_T_ATTACHMENTS, 1));
	if (!preexisting)
		gdrt_attachment_event(GDR_TELEMETRY_EVENT_OP_ATTACH, a);

	/* A static half and a dynamic one: the core mapped inside attach and keeps the table. */
	if (gdrt_attach_sgt(attach)) {
		a->cached = true;
		attachment_map(a, attach->dev, gdrt_attach_sgt(attach));
		if (!preexisting)
			gdrt_attachment_event(GDR_TELEMETRY_EVENT_OP_MAP, a);
	}
	return a;

err_owner:
	gdrt_owner_put(a->owner);
err_put:
	gdrt_pool_put(&gdrt_pool_attachments, a);
	return NULL;
}

static bool tracked(struct dma_buf *dmabuf, struct device *dev)
{
	return gdrt_tracked(gdrt_ident_is_hca(dev), gdrt_ident_exporter(dmabuf));
}

/*
 * Find the record of an attachment that the caller owns, its bucket locked, or
 * adopt it if it is older than the module. An attachment that is still in its
 * attach, or already in its detach, is known to the core's callbacks but has no
 * record, and gets none. Nor does any while attachments of our own time are
 * live without a record: it could be one of them.
 */
static struct gdrt_attachment *attachment_get(struct gdrt_bucket *b,
					      struct dma_buf_attachment *attach)
{
	struct gdrt_attachment *a = gdrt_attachment_find(b, attach);

	if (a || gdrt_exact_has_unrecorded() ||
	    gdrt_call_active(GDRT_OP_ATTACH, attach->dmabuf) ||
	    gdrt_call_active(GDRT_OP_DETACH, attach) ||
	    !tracked(attach->dmabuf, attach->dev))
		return a;

	gdrt_exact_lost(GDR_TELEMETRY_INEXACT_REASON_PREEXISTING);
	a = attachment_new(b, attach, NULL, true);
	if (!a)
		gdrt_total_add(GDRT_T_LOST_POOL, 1);
	return a;
}

/* ---- what the probes saw ------------------------------------------------ */

/**
 * gdrt_attached() - an attach returned an attachment
 * @attach: the attachment, which the caller of the core does not have yet
 * @ns: how long it took
 *
 * Context: return handler.
 */
void gdrt_attached(struct dma_buf_attachment *attach, u64 ns)
{
	struct gdrt_bucket *b = gdrt_attachment_bucket(attach);
	struct gdrt_attachment *stale, *a;
	struct gdrt_reg *reg;
	unsigned long flags;

	raw_spin_lock_irqsave(&b->lock, flags);
	/* Under the lock: a change of what is tracked goes through every bucket. */
	if (!tracked(attach->dmabuf, attach->dev)) {
		gdrt_total_add(GDRT_T_UNTRACKED, 1);
		goto out;
	}
	gdrt_total_add(GDRT_T_ATTACH, 1);
	reg = gdrt_call_reg();
	/* The address is in use again, so a detach was missed; that is counted already. */
	stale = gdrt_attachment_find(b, attach);
	if (stale)
		attachment_forget(stale);
	a = attachment_new(b, attach, reg, false);
	if (a)
		gdrt_latency_add(a->share->importer, GDR_TELEMETRY_LATENCY_OP_ATTACH, ns);
	else
		gdrt_exact_unrecorded();
	if (reg) {
		/* Even without a record it got as far as this. */
		reg->attach = attach;
		reg->id = a ? a->id : 0;
		gdrt_reg_buffer(reg, attach->dmabuf);
	}
out:
	raw_spin_unlock_irqrestore(&b->lock, flags);
}

static void unknown_detach(struct dma_buf *dmabuf, struct dma_buf_attachment *attach)
{
	/* A failing attach gives up its attachment, which nobody ever had. */
	if (gdrt_call_gave_up(dmabuf))
		return;
	if (!tracked(dmabuf, attach->dev))
		return;

	if (gdrt_exact_unrecorded_gone()) {
		gdrt_total_add(GDRT_T_LOST_DETACH, 1);
	} else if (gdrt_exact_any_loss()) {
		gdrt_total_add(GDRT_T_LOST_DETACH, 1);
		if (gdrt_total_read(GDRT_T_ATTACHMENTS))
			gdrt_exact_lost(GDR_TELEMETRY_INEXACT_REASON_UNKNOWN_DETACH);
	} else {
		gdrt_total_add(GDRT_T_PREEXISTING_DETACHED, 1);
	}
}

/**
 * gdrt_detached() - a detach was entered
 * @dmabuf: the buffer
 * @attach: the attachment; its memory may be used again once the detach returns
 *
 * Context: entry handler.
 */
void gdrt_detached(struct dma_buf *dmabuf, struct dma_buf_attachment *attach)
{
	struct gdrt_bucket *b = gdrt_attachment_bucket(attach);
	struct gdrt_attachment *a;
	unsigned long flags;
	bool drained = false;

	raw_spin_lock_irqsave(&b->lock, flags);
	a = gdrt_attachment_find(b, attach);
	if (a) {
		gdrt_total_add(GDRT_T_DETACH, 1);
		gdrt_device_add(a->share->importer, GDRT_C_DETACH, 1);
		gdrt_attachment_event(GDR_TELEMETRY_EVENT_OP_DETACH, a);
		drained = attachment_forget(a);
	}
	raw_spin_unlock_irqrestore(&b->lock, flags);

	if (!a)
		unknown_detach(dmabuf, attach);
	else if (drained)
		gdrt_exact_drained();
}

/**
 * gdrt_mapped() - a map returned a table
 * @attach: the attachment
 * @sgt: the table
 * @ns: how long it took
 *
 * Context: return handler.
 */
void gdrt_mapped(struct dma_buf_attachment *attach, const struct sg_table *sgt, u64 ns)
{
	struct gdrt_bucket *b = gdrt_attachment_bucket(attach);
	struct gdrt_attachment *a;
	struct gdrt_reg *reg;
	unsigned long flags;

	raw_spin_lock_irqsave(&b->lock, flags);
	a = attachment_get(b, attach);
	if (!a)
		goto out;
	if (gdrt_attach_sgt(attach) == sgt) {
		/* The kept table again: no new mapping. */
		if (a->cached)
			goto out;
		/* An exporter with cache_sgt_mapping: mapped from now on until detach. */
		a->cached = true;
	}
	attachment_map(a, attach->dev, sgt);
	/* What fails later in the registration fails on the device that this told. */
	reg = gdrt_call_reg();
	if (reg && reg->attach == attach)
		reg->exporter = READ_ONCE(a->share->buf->exporter);
	gdrt_latency_add(a->share->importer, GDR_TELEMETRY_LATENCY_OP_MAP, ns);
	gdrt_attachment_event(GDR_TELEMETRY_EVENT_OP_MAP, a);
out:
	raw_spin_unlock_irqrestore(&b->lock, flags);
}

/**
 * gdrt_unmapped() - an unmap was entered
 * @attach: the attachment
 * @sgt: the table that is given up
 *
 * Context: entry handler.
 */
void gdrt_unmapped(struct dma_buf_attachment *attach, const struct sg_table *sgt)
{
	struct gdrt_bucket *b = gdrt_attachment_bucket(attach);
	struct gdrt_attachment *a;
	unsigned long flags;

	raw_spin_lock_irqsave(&b->lock, flags);
	a = attachment_get(b, attach);
	/* The core keeps its own table until detach; a mapping made before the load is not held. */
	if (a && gdrt_attach_sgt(attach) != sgt && a->mapped) {
		gdrt_total_add(GDRT_T_UNMAP, 1);
		gdrt_account_state(a, a->mapped - 1, a->pins);
		gdrt_attachment_event(GDR_TELEMETRY_EVENT_OP_UNMAP, a);
	}
	raw_spin_unlock_irqrestore(&b->lock, flags);
}

/**
 * gdrt_pin_result() - an explicit pin returned
 * @attach: the attachment
 * @err: 0 or negative errno
 * @ns: how long it took
 *
 * Context: return handler.
 */
void gdrt_pin_result(struct dma_buf_attachment *attach, int err, u64 ns)
{
	struct gdrt_bucket *b = gdrt_attachment_bucket(attach);
	struct gdrt_attachment *a;
	unsigned long flags;

	if (err) {
		gdrt_pin_failed(attach, err);
		return;
	}
	raw_spin_lock_irqsave(&b->lock, flags);
	a = attachment_get(b, attach);
	if (!a)
		goto out;
	gdrt_total_add(GDRT_T_PIN, 1);
	gdrt_latency_add(a->share->importer, GDR_TELEMETRY_LATENCY_OP_PIN, ns);
	/* Without a pin operation dma_buf_pin() returns 0 and pins nothing. */
	if (a->exp_dynamic)
		gdrt_account_state(a, a->mapped, a->pins + 1);
	gdrt_attachment_event(GDR_TELEMETRY_EVENT_OP_PIN, a);
out:
	raw_spin_unlock_irqrestore(&b->lock, flags);
}

/**
 * gdrt_unpinned() - an explicit unpin was entered
 * @attach: the attachment
 *
 * Context: entry handler.
 */
void gdrt_unpinned(struct dma_buf_attachment *attach)
{
	struct gdrt_bucket *b = gdrt_attachment_bucket(attach);
	struct gdrt_attachment *a;
	unsigned long flags;

	raw_spin_lock_irqsave(&b->lock, flags);
	a = attachment_get(b, attach);
	if (a) {
		gdrt_total_add(GDRT_T_UNPIN, 1);
		if (a->pins)
			gdrt_account_state(a, a->mapped, a->pins - 1);
		gdrt_attachment_event(GDR_TELEMETRY_EVENT_OP_UNPIN, a);
	}
	raw_spin_unlock_irqrestore(&b->lock, flags);
}

/**
 * gdrt_invalidated() - an exporter tells its importers to drop their mappings
 * @dmabuf: the buffer
 *
 * Context: entry handler.
 */
void gdrt_invalidated(struct dma_buf *dmabuf)
{
	struct gdrt_buffer buf;
	struct gdrt_event e;

	if (!gdrt_buffer_invalidated(dmabuf, &buf))
		return;
	gdrt_total_add(GDRT_T_INVALIDATE, 1);
	gdrt_trace_invalidate(&buf);
	if (!gdrt_events_wanted())
		return;
	memset(&e, 0, sizeof(e));
	e.op = GDR_TELEMETRY_EVENT_OP_INVALIDATE;
	e.snap.inode = buf.inode;
	e.snap.size = buf.size;
	e.snap.ident = buf.ident;
	e.snap.exporter = buf.exporter;
	gdrt_events_push(&e);
}

/**
 * gdrt_registry_drop_untracked() - forget what the track setting leaves out
 *
 * Context: process.
 */
void gdrt_registry_drop_untracked(void)
{
	struct gdrt_attachment *a;
	struct hlist_node *tmp;
	unsigned long flags;
	bool drained = false;
	unsigned int i;

	for (i = 0; attachments && i < 1U << ATTACHMENT_BITS; i++) {
		raw_spin_lock_irqsave(&attachments[i].lock, flags);
		hlist_for_each_entry_safe(a, tmp, &attachments[i].head, node) {
			if (gdrt_tracked(a->hca, a->share->buf->ident))
				continue;
			gdrt_total_add(GDRT_T_UNTRACKED, 1);
			drained = attachment_forget(a);
		}
		raw_spin_unlock_irqrestore(&attachments[i].lock, flags);
	}
	if (drained)
		gdrt_exact_drained();
}

/* ---- life --------------------------------------------------------------- */

/**
 * gdrt_registry_init() - make the table
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int gdrt_registry_init(void)
{
	struct gdrt_bucket *table;
	unsigned int i;

	table = kvcalloc(1U << ATTACHMENT_BITS, sizeof(*table), GFP_KERNEL);
	if (!table)
		return -ENOMEM;
	for (i = 0; i < 1U << ATTACHMENT_BITS; i++)
		raw_spin_lock_init(&table[i].lock);
	/* The parameter "track" can be written from now on, and walks the table. */
	kernel_param_lock(THIS_MODULE);
	attachments = table;
	kernel_param_unlock(THIS_MODULE);
	return 0;
}

/**
 * gdrt_registry_exit() - give back every record and drop the table
 *
 * Context: process, may sleep; no probe is armed and no reader is left.
 */
void gdrt_registry_exit(void)
{
	struct gdrt_attachment *a;
	struct hlist_node *tmp;
	unsigned int i;

	/* The parameter "track" goes with the module only, and holds no reference to it. */
	kernel_param_lock(THIS_MODULE);
	for (i = 0; attachments && i < 1U << ATTACHMENT_BITS; i++)
		hlist_for_each_entry_safe(a, tmp, &attachments[i].head, node)
			attachment_forget(a);
	kvfree(attachments);
	attachments = NULL;
	kernel_param_unlock(THIS_MODULE);
}
