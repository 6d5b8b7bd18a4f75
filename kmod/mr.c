// SPDX-License-Identifier: GPL-2.0
/*
 * Registrations, and the MRs that they make.
 *
 * The attachment that the current task makes between the entry and the return
 * of a registration belongs to it: an mlx5 registration attaches once. The MR
 * is kept in the record of the attachment; a table finds it by the address of
 * the kernel's MR, from the registration's return to the deregistration's
 * entry, while that address cannot be used again.
 */
#include <linux/dma-buf.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "gdr_telemetry.h"

#define MR_BITS	12

static struct gdrt_bucket *mrs;

static struct gdrt_bucket *mr_bucket(const void *key)
{
	return &mrs[hash_ptr(key, MR_BITS)];
}

/* The MR of an attachment comes to the numbers or leaves them: 1 or -1. */
static void account(struct gdrt_attachment *a, s64 n)
{
	struct gdrt_share *s = a->share;
	raw_spinlock_t *lock = gdrt_buffer_lock(s->buf);
	s64 bytes = n * (s64)a->mr.length;

	gdrt_total_add(GDRT_T_MRS, n);
	gdrt_total_add(GDRT_T_MR_BYTES, bytes);
	/* The exporter and the pair of a share change under this lock. */
	raw_spin_lock(lock);
	s->mrs += n;
	s->mr_bytes += bytes;
	gdrt_share_add(s, GDRT_C_MRS, n);
	gdrt_share_add(s, GDRT_C_MR_BYTES, bytes);
	gdrt_device_add(s->buf->exporter, GDRT_C_MRS, n);
	gdrt_device_add(s->buf->exporter, GDRT_C_MR_BYTES, bytes);
	raw_spin_unlock(lock);
}

/* The attachment's bucket is locked. */
static void link(struct gdrt_attachment *a, const struct gdrt_mr *mr)
{
	struct gdrt_bucket *b = mr_bucket(mr->key);

	a->mr = *mr;
	raw_spin_lock(&b->lock);
	hlist_add_head(&a->mr_node, &b->head);
	raw_spin_unlock(&b->lock);
	account(a, 1);
}

static void unlink(struct gdrt_attachment *a)
{
	struct gdrt_bucket *b = mr_bucket(a->mr.key);

	raw_spin_lock(&b->lock);
	hlist_del(&a->mr_node);
	raw_spin_unlock(&b->lock);
	account(a, -1);
	a->mr.key = NULL;
}

/**
 * gdrt_mr_forget() - an attachment goes, and its MR with it
 * @a: the attachment, its bucket locked
 *
 * Context: any; a probe handler.
 */
void gdrt_mr_forget(struct gdrt_attachment *a)
{
	if (a->mr.key)
		unlink(a);
}

/* Find an MR by its address. Returns false if it is on no recorded attachment. */
static bool find(const void *key, const struct dma_buf_attachment **attach, u64 *id)
{
	struct gdrt_bucket *b = mr_bucket(key);
	struct gdrt_attachment *a;
	unsigned long flags;
	bool found = false;

	raw_spin_lock_irqsave(&b->lock, flags);
	hlist_for_each_entry(a, &b->head, mr_node) {
		if (a->mr.key == key) {
			*attach = a->key;
			*id = a->id;
			found = true;
			break;
		}
	}
	raw_spin_unlock_irqrestore(&b->lock, flags);
	return found;
}

static struct gdrt_attachment *attachment_of(struct gdrt_bucket *b,
					     const struct dma_buf_attachment *attach, u64 id)
{
	struct gdrt_attachment *a = gdrt_attachment_find(b, attach);

	return a && a->id == id ? a : NULL;
}

static bool reg_tracked(const struct gdrt_reg *r)
{
	return gdrt_track_get() == GDR_TELEMETRY_TRACK_ALL || r->hca ||
	       (r->known && r->ident->is_gdr);
}

/**
 * gdrt_reg_buffer() - a registration came to its buffer
 * @r: the registration
 * @dmabuf: the buffer, which the caller keeps alive
 *
 * Context: any; a probe handler.
 */
void gdrt_reg_buffer(struct gdrt_reg *r, struct dma_buf *dmabuf)
{
	r->known = true;
	r->ident = gdrt_ident_exporter(dmabuf);
	r->exporter = gdrt_buffer_exporter(dmabuf, r->ident);
	r->inode = file_inode(dmabuf->file)->i_ino;
}

/**
 * gdrt_registered() - a registration made an MR
 * @r: the registration
 * @mr: the MR; the registration's part is filled in here
 * @ns: how long it took
 *
 * Context: return handler.
 */
void gdrt_registered(const struct gdrt_reg *r, struct gdrt_mr *mr, u64 ns)
{
	struct gdrt_device *importer;
	struct gdrt_attachment *a;
	struct gdrt_bucket *b;
	unsigned long flags;

	if (!reg_tracked(r))
		return;
	importer = gdrt_device_importer(r->dev);
	gdrt_total_add(GDRT_T_REGISTER, 1);
	gdrt_device_add(importer, GDRT_C_REGISTER, 1);
	gdrt_latency_add(importer, GDR_TELEMETRY_LATENCY_OP_REGISTER, ns);
	if (!r->id)
		return;
	mr->offset = r->offset;
	mr->length = r->length;
	mr->iova = r->iova;
	mr->access = r->access;
	mr->pd = r->pd;
	b = gdrt_attachment_bucket(r->attach);
	raw_spin_lock_irqsave(&b->lock, flags);
	a = attachment_of(b, r->attach, r->id);
	if (a && !a->mr.key) {
		link(a, mr);
		gdrt_attachment_event(GDR_TELEMETRY_EVENT_OP_REGISTER, a);
	}
	raw_spin_unlock_irqrestore(&b->lock, flags);
}

/**
 * gdrt_register_failed() - a registration returned an error
 * @r: the registration
 * @err: negative errno that it returned
 *
 * A registration makes one record: where a call inside failed, that is the
 * stage, and the errno is that of that call. A capability query makes none.
 *
 * Context: return handler.
 */
void gdrt_register_failed(const struct gdrt_reg *r, int err)
{
	struct gdrt_failure f = {};

	if (!reg_tracked(r))
		return;
	if (r->fd == -1) {
		gdrt_failure_query(gdrt_device_importer(r->dev), err);
		return;
	}
	if (r->err)
		f.stage = r->stage;
	else if (r->attach)
		f.stage = GDR_TELEMETRY_STAGE_HW;
	else if (r->looked_up)
		f.stage = GDR_TELEMETRY_STAGE_UMEM;
	else
		f.stage = GDR_TELEMETRY_STAGE_VERBS;
	f.err = r->err ?: err;
	f.importer = gdrt_device_importer(r->dev);
	f.known = r->known;
	f.ident = r->ident;
	f.exporter = r->exporter;
	f.inode = r->inode;
	f.registration = true;
	f.offset = r->offset;
	f.length = r->length;
	f.access = r->access;
	f.has_owner = gdrt_owner_describe(&f.owner);
	gdrt_failure_add(&f);
}

/**
 * gdrt_register_unread() - a registration returned whose arguments cannot be read
 * @err: 0 or negative errno that it returned
 *
 * Context: return handler.
 */
void gdrt_register_unread(int err)
{
	struct gdrt_failure f = { .stage = GDR_TELEMETRY_STAGE_UNKNOWN, .err = err };

	if (!err) {
		gdrt_total_add(GDRT_T_REGISTER, 1);
		return;
	}
	f.has_owner = gdrt_owner_describe(&f.owner);
	gdrt_failure_add(&f);
}

/**
 * gdrt_deregister_begin() - a deregistration was entered
 * @key: the kernel's MR; its memory may be used again once this returns
 * @d: what gdrt_deregister_end() needs
 *
 * Context: entry handler.
 */
void gdrt_deregister_begin(const void *key, struct gdrt_dereg *d)
{
	struct gdrt_attachment *a;
	struct gdrt_bucket *b;
	unsigned long flags;

	d->attach = NULL;
	if (!find(key, &d->attach, &d->id))
		return;
	b = gdrt_attachment_bucket(d->attach);
	raw_spin_lock_irqsave(&b->lock, flags);
	a = attachment_of(b, d->attach, d->id);
	if (a && a->mr.key == key) {
		d->mr = a->mr;
		d->importer = a->share->importer;
		gdrt_attachment_event(GDR_TELEMETRY_EVENT_OP_DEREGISTER, a);
		unlink(a);
		gdrt_total_add(GDRT_T_DEREGISTER, 1);
	} else {
		d->attach = NULL;
	}
	raw_spin_unlock_irqrestore(&b->lock, flags);
}

/**
 * gdrt_deregister_end() - a deregistration returned
 * @d: what gdrt_deregister_begin() left
 * @err: 0 or negative errno: then the MR lives on
 * @ns: how long it took
 *
 * Context: return handler.
 */
void gdrt_deregister_end(const struct gdrt_dereg *d, int err, u64 ns)
{
	struct gdrt_attachment *a;
	struct gdrt_bucket *b;
	unsigned long flags;

	if (!d->attach)
		return;
	if (!err) {
		gdrt_latency_add(d->importer, GDR_TELEMETRY_LATENCY_OP_DEREGISTER, ns);
		return;
	}
	b = gdrt_attachment_bucket(d->attach);
	raw_spin_lock_irqsave(&b->lock, flags);
	a = attachment_of(b, d->attach, d->id);
	if (a && !a->mr.key) {
		link(a, &d->mr);
		gdrt_attachment_event(GDR_TELEMETRY_EVENT_OP_REGISTER, a);
	}
	raw_spin_unlock_irqrestore(&b->lock, flags);
}

/**
 * gdrt_reregistered() - an MR was registered again in place
 * @key: the kernel's MR
 * @r: what changed
 *
 * Context: return handler.
 */
void gdrt_reregistered(const void *key, const struct gdrt_rereg *r)
{
	const struct dma_buf_attachment *attach;
	struct gdrt_attachment *a;
	struct gdrt_bucket *b;
	unsigned long flags;
	u64 id;

	if (!find(key, &attach, &id))
		return;
	b = gdrt_attachment_bucket(attach);
	raw_spin_lock_irqsave(&b->lock, flags);
	a = attachment_of(b, attach, id);
	if (a && a->mr.key == key) {
		a->mr.changed = true;
		if (r->has_access)
			a->mr.access = r->access;
		if (r->has_pd)
			a->mr.pd = r->pd;
	}
	raw_spin_unlock_irqrestore(&b->lock, flags);
}

/**
 * gdrt_mrs_init() - make the table
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int gdrt_mrs_init(void)
{
	unsigned int i;

	mrs = kvcalloc(1U << MR_BITS, sizeof(*mrs), GFP_KERNEL);
	if (!mrs)
		return -ENOMEM;
	for (i = 0; i < 1U << MR_BITS; i++)
		raw_spin_lock_init(&mrs[i].lock);
	return 0;
}

/**
 * gdrt_mrs_exit() - drop the table
 *
 * Context: process, may sleep; no attachment is recorded any more.
 */
void gdrt_mrs_exit(void)
{
	kvfree(mrs);
	mrs = NULL;
}
