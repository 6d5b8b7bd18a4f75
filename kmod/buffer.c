// SPDX-License-Identifier: GPL-2.0
/*
 * The buffers that have a recorded attachment, and each importer's share in
 * them.
 *
 * A hash table of fixed size, made at load, with a raw lock a bucket. A buffer
 * is found by its address and inode number together, so that one whose
 * detaches were missed is never taken for a later one at the same address. It
 * lives from its first recorded attachment to its last; a share from the first
 * of its importer to the last.
 */
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "gdr_telemetry.h"

#define BUFFER_BITS	12

static struct gdrt_bucket *buffers;
static atomic64_t next_id;
static atomic_t generation;	/* changes with the set of buffers */

static struct gdrt_bucket *buffer_bucket(const struct dma_buf *dmabuf)
{
	return &buffers[hash_ptr(dmabuf, BUFFER_BITS)];
}

static u64 inode_of(const struct dma_buf *dmabuf)
{
	return file_inode(dmabuf->file)->i_ino;
}

/**
 * gdrt_buffer_lock() - the lock that guards the counts of a buffer
 * @buf: the buffer
 *
 * Context: the bucket of one of its attachments is locked, interrupts are off.
 * Return: the lock of its bucket.
 */
raw_spinlock_t *gdrt_buffer_lock(const struct gdrt_buffer *buf)
{
	return &buffer_bucket(buf->dmabuf)->lock;
}

static struct gdrt_buffer *buffer_find(struct gdrt_bucket *b, const struct dma_buf *dmabuf)
{
	struct gdrt_buffer *buf;

	hlist_for_each_entry(buf, &b->head, node)
		if (buf->dmabuf == dmabuf && buf->inode == inode_of(dmabuf))
			return buf;
	return NULL;
}

static struct gdrt_buffer *buffer_new(struct gdrt_bucket *b, struct dma_buf *dmabuf,
				      struct gdrt_ident *ident)
{
	struct gdrt_buffer *buf = gdrt_pool_get(&gdrt_pool_buffers);

	if (!buf)
		return NULL;
	memset(buf, 0, sizeof(*buf));
	buf->dmabuf = dmabuf;
	buf->inode = inode_of(dmabuf);
	buf->size = dmabuf->size;
	buf->ident = ident;
	buf->exporter = gdrt_ident_device(ident);
	gdrt_device_add(buf->exporter, GDRT_C_BUFFERS, 1);
	/* Under the lock, so that ids in a bucket go down from its head. */
	buf->id = atomic64_inc_return(&next_id);
	hlist_add_head(&buf->node, &b->head);
	gdrt_total_add(GDRT_T_BUFFERS, 1);
	atomic_inc(&generation);
	return buf;
}

static void buffer_free(struct gdrt_buffer *buf)
{
	hlist_del(&buf->node);
	gdrt_device_add(buf->exporter, GDRT_C_BUFFERS, -1);
	gdrt_total_add(GDRT_T_BUFFERS, -1);
	atomic_inc(&generation);
	gdrt_pool_put(&gdrt_pool_buffers, buf);
}

/* A share's part in the numbers of its pair comes or goes: 1 or -1. */
static void share_in_pair(struct gdrt_share *s, int sign)
{
	s64 size = sign * (s64)s->buf->size;

	gdrt_pair_add(s->pair, GDRT_C_ATTACHMENTS, sign * (s64)s->attachments);
	gdrt_pair_add(s->pair, GDRT_C_BUFFERS, sign);
	gdrt_pair_add(s->pair, GDRT_C_MAPPED_BYTES, s->mapped ? size : 0);
	gdrt_pair_add(s->pair, GDRT_C_PINNED_BYTES, s->pinned ? size : 0);
	gdrt_pair_add(s->pair, GDRT_C_MRS, sign * (s64)s->mrs);
	gdrt_pair_add(s->pair, GDRT_C_MR_BYTES, sign * (s64)s->mr_bytes);
}

static struct gdrt_share *share_new(struct gdrt_buffer *buf, struct gdrt_device *importer)
{
	struct gdrt_share *s = gdrt_pool_get(&gdrt_pool_shares);

	if (!s)
		return NULL;
	memset(s, 0, sizeof(*s));
	s->buf = buf;
	s->importer = importer;
	s->pair = gdrt_pair_get(buf->exporter, importer);
	hlist_add_head(&s->node, &buf->shares);
	gdrt_device_add(importer, GDRT_C_BUFFERS, 1);
	share_in_pair(s, 1);
	return s;
}

/**
 * gdrt_share_add() - add to a number of an importer and of its pair
 * @s: the importer's share
 * @c: which, below GDRT_C_STORED
 * @n: how much; negative for gauges only
 *
 * Context: the buffer's bucket is locked.
 */
void gdrt_share_add(struct gdrt_share *s, enum gdrt_count c, s64 n)
{
	gdrt_device_add(s->importer, c, n);
	gdrt_pair_add(s->pair, c, n);
}

/**
 * gdrt_share_get() - an importer's share in a buffer, for one more attachment
 * @dmabuf: the buffer, which the caller keeps alive
 * @ident: the software that exports it
 * @importer: the importer
 *
 * Context: an attachment bucket is locked, interrupts are off.
 * Return: the share, made if there was none, as is the record of the buffer;
 * NULL if no record is free.
 */
struct gdrt_share *gdrt_share_get(struct dma_buf *dmabuf, struct gdrt_ident *ident,
				  struct gdrt_device *importer)
{
	struct gdrt_bucket *b = buffer_bucket(dmabuf);
	struct gdrt_share *s = NULL, *i;
	struct gdrt_buffer *buf;

	raw_spin_lock(&b->lock);
	buf = buffer_find(b, dmabuf) ?: buffer_new(b, dmabuf, ident);
	if (!buf)
		goto out;
	/* As many as the machine has importers. */
	hlist_for_each_entry(i, &buf->shares, node)
		if (i->importer == importer)
			s = i;
	if (!s)
		s = share_new(buf, importer);
	if (!s) {
		if (!buf->attachments)
			buffer_free(buf);
		goto out;
	}
	buf->attachments++;
	s->attachments++;
	gdrt_device_attachments(buf->exporter, 1);
	gdrt_device_attachments(importer, 1);
	gdrt_pair_add(s->pair, GDRT_C_ATTACHMENTS, 1);
out:
	raw_spin_unlock(&b->lock);
	return s;
}

/**
 * gdrt_share_put() - an attachment, mapped and pinned no more, leaves a share
 * @s: the share; gone with the last one, and the buffer with the last share
 *
 * Context: an attachment bucket is locked, interrupts are off.
 */
void gdrt_share_put(struct gdrt_share *s)
{
	struct gdrt_buffer *buf = s->buf;
	struct gdrt_bucket *b = buffer_bucket(buf->dmabuf);

	raw_spin_lock(&b->lock);
	buf->attachments--;
	s->attachments--;
	gdrt_pair_add(s->pair, GDRT_C_ATTACHMENTS, -1);
	if (!s->attachments) {
		share_in_pair(s, -1);
		gdrt_device_add(s->importer, GDRT_C_BUFFERS, -1);
		hlist_del(&s->node);
	}
	/* Last, since a device that is gone may be shown no more after it. */
	gdrt_device_attachments(s->importer, -1);
	gdrt_device_attachments(buf->exporter, -1);
	if (!s->attachments)
		gdrt_pool_put(&gdrt_pool_shares, s);
	if (!buf->attachments)
		buffer_free(buf);
	raw_spin_unlock(&b->lock);
}

/**
 * gdrt_buffer_told() - a mapping told which device owns the memory of a buffer
 * @buf: the buffer
 * @exporter: the device
 *
 * What the buffer adds to its exporter and to its pairs moves to the new one.
 *
 * Context: the bucket of one of its attachments is locked, interrupts are off.
 */
void gdrt_buffer_told(struct gdrt_buffer *buf, struct gdrt_device *exporter)
{
	struct gdrt_bucket *b = buffer_bucket(buf->dmabuf);
	struct gdrt_device *old;
	struct gdrt_share *s;

	raw_spin_lock(&b->lock);
	old = buf->exporter;
	if (old == exporter)
		goto out;
	gdrt_device_attachments(exporter, buf->attachments);
	gdrt_device_add(exporter, GDRT_C_BUFFERS, 1);
	gdrt_device_add(old, GDRT_C_BUFFERS, -1);
	if (buf->mapped) {
		gdrt_device_add(exporter, GDRT_C_MAPPED_BYTES, buf->size);
		gdrt_device_add(old, GDRT_C_MAPPED_BYTES, -(s64)buf->size);
	}
	if (buf->pinned) {
		gdrt_device_add(exporter, GDRT_C_PINNED_BYTES, buf->size);
		gdrt_device_add(old, GDRT_C_PINNED_BYTES, -(s64)buf->size);
	}
	gdrt_device_attachments(old, -(s64)buf->attachments);
	WRITE_ONCE(buf->exporter, exporter);	/* snapshots read it without this lock */
	hlist_for_each_entry(s, &buf->shares, node) {
		gdrt_device_add(exporter, GDRT_C_MRS, s->mrs);
		gdrt_device_add(old, GDRT_C_MRS, -(s64)s->mrs);
		gdrt_device_add(exporter, GDRT_C_MR_BYTES, s->mr_bytes);
		gdrt_device_add(old, GDRT_C_MR_BYTES, -(s64)s->mr_bytes);
		share_in_pair(s, -1);
		s->pair = gdrt_pair_get(exporter, s->importer);
		share_in_pair(s, 1);
	}
out:
	raw_spin_unlock(&b->lock);
}

/**
 * gdrt_buffer_exporter() - who owns the memory of a buffer, as far as it is known
 * @dmabuf: the buffer, which the caller keeps alive
 * @ident: the software that exports it
 *
 * Context: any; a probe handler.
 * Return: the device that an earlier mapping told, while the buffer has an
 * attachment, else what stands for it.
 */
struct gdrt_device *gdrt_buffer_exporter(struct dma_buf *dmabuf, const struct gdrt_ident *ident)
{
	struct gdrt_bucket *b = buffer_bucket(dmabuf);
	struct gdrt_device *exporter = NULL;
	struct gdrt_buffer *buf;
	unsigned long flags;

	raw_spin_lock_irqsave(&b->lock, flags);
	buf = buffer_find(b, dmabuf);
	if (buf)
		exporter = buf->exporter;
	raw_spin_unlock_irqrestore(&b->lock, flags);
	return exporter ?: gdrt_ident_device(ident);
}

/**
 * gdrt_buffer_invalidated() - an exporter invalidates the mappings of a buffer
 * @dmabuf: the buffer, which the caller keeps alive
 * @copy: filled with a copy of its record
 *
 * Counts it for every importer that has a share.
 *
 * Context: any; a probe handler.
 * Return: false if the buffer has no recorded attachment.
 */
bool gdrt_buffer_invalidated(struct dma_buf *dmabuf, struct gdrt_buffer *copy)
{
	struct gdrt_bucket *b = buffer_bucket(dmabuf);
	struct gdrt_buffer *buf;
	struct gdrt_share *s;
	unsigned long flags;

	raw_spin_lock_irqsave(&b->lock, flags);
	buf = buffer_find(b, dmabuf);
	if (buf) {
		*copy = *buf;
		gdrt_device_add(buf->exporter, GDRT_C_INVALIDATE, 1);
		hlist_for_each_entry(s, &buf->shares, node)
			gdrt_share_add(s, GDRT_C_INVALIDATE, 1);
	}
	raw_spin_unlock_irqrestore(&b->lock, flags);
	return buf;
}

/* ---- for readers -------------------------------------------------------- */

/**
 * gdrt_buffers_generation() - has the set of buffers changed?
 *
 * Context: any.
 * Return: a number that differs after a change; never 0.
 */
u32 gdrt_buffers_generation(void)
{
	return atomic_read(&generation) ?: 1;
}

/**
 * gdrt_buffers_next() - walk over all buffers
 * @bucket: where the walk is; 0 at first
 * @last: id of the record before, U64_MAX at first
 * @copy: filled with a copy of the next buffer; its lists mean nothing
 *
 * A record that lives through the whole walk is met exactly once.
 *
 * Context: process; takes one bucket lock at a time.
 * Return: false at the end.
 */
bool gdrt_buffers_next(u32 *bucket, u64 *last, struct gdrt_buffer *copy)
{
	struct gdrt_buffer *buf;
	unsigned long flags;

	for (; *bucket < 1U << BUFFER_BITS; (*bucket)++, *last = U64_MAX) {
		struct gdrt_bucket *b = &buffers[*bucket];

		if (hlist_empty(&b->head))
			continue;
		raw_spin_lock_irqsave(&b->lock, flags);
		hlist_for_each_entry(buf, &b->head, node) {
			if (buf->id >= *last)
				continue;
			*last = buf->id;
			*copy = *buf;
			raw_spin_unlock_irqrestore(&b->lock, flags);
			return true;
		}
		raw_spin_unlock_irqrestore(&b->lock, flags);
	}
	return false;
}

/* ---- life --------------------------------------------------------------- */

/**
 * gdrt_buffers_init() - make the table
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int gdrt_buffers_init(void)
{
	unsigned int i;

	buffers = kvcalloc(1U << BUFFER_BITS, sizeof(*buffers), GFP_KERNEL);
	if (!buffers)
		return -ENOMEM;
	for (i = 0; i < 1U << BUFFER_BITS; i++)
		raw_spin_lock_init(&buffers[i].lock);
	return 0;
}

/**
 * gdrt_buffers_exit() - drop the table
 *
 * Context: process, may sleep; no attachment is recorded any more.
 */
void gdrt_buffers_exit(void)
{
	kvfree(buffers);
	buffers = NULL;
}
