// SPDX-License-Identifier: GPL-2.0
/*
 * The buffers that have a recorded attachment.
 *
 * A hash table of fixed size, made at load, with a raw lock a bucket. A buffer
 * is found by its address and inode number together, so that one whose
 * detaches were missed is never taken for a later one at the same address. It
 * lives from its first recorded attachment to its last.
 */
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "gdr_telemetry.h"

#define BUFFER_BITS	12

static struct gdrt_bucket *buffers;

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

/**
 * gdrt_buffer_get() - the record of a buffer, for one more attachment
 * @dmabuf: the buffer, which the caller keeps alive
 * @exporter: its exporter
 *
 * Context: an attachment bucket is locked, interrupts are off.
 * Return: the record, made if there was none; NULL if none is free.
 */
struct gdrt_buffer *gdrt_buffer_get(struct dma_buf *dmabuf, struct gdrt_ident *exporter)
{
	struct gdrt_bucket *b = buffer_bucket(dmabuf);
	struct gdrt_buffer *buf;

	raw_spin_lock(&b->lock);
	buf = buffer_find(b, dmabuf);
	if (!buf) {
		buf = gdrt_pool_get(&gdrt_pool_buffers);
		if (!buf)
			goto out;
		memset(buf, 0, sizeof(*buf));
		buf->dmabuf = dmabuf;
		buf->inode = inode_of(dmabuf);
		buf->size = dmabuf->size;
		buf->exporter = exporter;
		hlist_add_head(&buf->node, &b->head);
		gdrt_total_add(GDRT_T_BUFFERS, 1);
	}
	buf->attachments++;
out:
	raw_spin_unlock(&b->lock);
	return buf;
}

/**
 * gdrt_buffer_put() - an attachment leaves a buffer
 * @buf: the record; gone when the last one left
 *
 * Context: an attachment bucket is locked, interrupts are off.
 */
void gdrt_buffer_put(struct gdrt_buffer *buf)
{
	struct gdrt_bucket *b = buffer_bucket(buf->dmabuf);
	bool last;

	raw_spin_lock(&b->lock);
	last = !--buf->attachments;
	if (last)
		hlist_del(&buf->node);
	raw_spin_unlock(&b->lock);
	if (last) {
		gdrt_total_add(GDRT_T_BUFFERS, -1);
		gdrt_pool_put(&gdrt_pool_buffers, buf);
	}
}

/**
 * gdrt_buffer_known() - has a buffer a recorded attachment?
 * @dmabuf: the buffer, which the caller keeps alive
 *
 * Context: any; a probe handler.
 * Return: true if so.
 */
bool gdrt_buffer_known(struct dma_buf *dmabuf)
{
	struct gdrt_bucket *b = buffer_bucket(dmabuf);
	unsigned long flags;
	bool known;

	raw_spin_lock_irqsave(&b->lock, flags);
	known = buffer_find(b, dmabuf);
	raw_spin_unlock_irqrestore(&b->lock, flags);
	return known;
}

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
