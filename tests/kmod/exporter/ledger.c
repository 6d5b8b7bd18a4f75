// SPDX-License-Identifier: GPL-2.0
/*
 * The ledger: a count of each operation, and what is in force now. One lock
 * covers it all, so that a reading never mixes two moments.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/dma-resv.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/slab.h>

#include "exporter.h"

static const char * const call_names[GDRT_EXP_CALLS] = {
	[GDRT_EXP_CALL_ATTACH] = "attach",
	[GDRT_EXP_CALL_ATTACH_FAILED] = "attach_failed",
	[GDRT_EXP_CALL_DETACH] = "detach",
	[GDRT_EXP_CALL_MAP] = "map",
	[GDRT_EXP_CALL_MAP_FAILED] = "map_failed",
	[GDRT_EXP_CALL_UNMAP] = "unmap",
	[GDRT_EXP_CALL_PIN] = "pin",
	[GDRT_EXP_CALL_PIN_FAILED] = "pin_failed",
	[GDRT_EXP_CALL_UNPIN] = "unpin",
	[GDRT_EXP_CALL_INVALIDATE] = "invalidate",
	[GDRT_EXP_CALL_EXPORT] = "export",
	[GDRT_EXP_CALL_RELEASE] = "release",
};

static DEFINE_MUTEX(ledger_lock);
static LIST_HEAD(buffers);
static u64 calls[GDRT_EXP_CALLS];
static struct dentry *debugfs_dir;

/**
 * gdrt_exp_ledger_count - count one call
 * @call: which
 */
void gdrt_exp_ledger_count(enum gdrt_exp_call call)
{
	mutex_lock(&ledger_lock);
	calls[call]++;
	mutex_unlock(&ledger_lock);
}

/**
 * gdrt_exp_ledger_add - enter a new buffer
 * @b: the buffer
 */
void gdrt_exp_ledger_add(struct gdrt_exp_buffer *b)
{
	mutex_lock(&ledger_lock);
	calls[GDRT_EXP_CALL_EXPORT]++;
	list_add_tail(&b->node, &buffers);
	mutex_unlock(&ledger_lock);
}

/**
 * gdrt_exp_ledger_remove - strike out a buffer that is released
 * @b: the buffer
 */
void gdrt_exp_ledger_remove(struct gdrt_exp_buffer *b)
{
	mutex_lock(&ledger_lock);
	calls[GDRT_EXP_CALL_RELEASE]++;
	list_del(&b->node);
	if (b->n_attachments || b->maps || b->pins)
		pr_err("buffer %llu released with %u attachments, %u mappings, %u pins\n",
		       b->inode, b->n_attachments, b->maps, b->pins);
	mutex_unlock(&ledger_lock);
}

/**
 * gdrt_exp_ledger_find - look up a buffer
 * @inode: inode number of its dma-buf
 *
 * The caller keeps the buffer from being released.
 *
 * Return: the buffer, NULL if there is none.
 */
struct gdrt_exp_buffer *gdrt_exp_ledger_find(u64 inode)
{
	struct gdrt_exp_buffer *b, *found = NULL;

	mutex_lock(&ledger_lock);
	list_for_each_entry(b, &buffers, node)
		if (b->inode == inode) {
			found = b;
			break;
		}
	mutex_unlock(&ledger_lock);
	return found;
}

/**
 * gdrt_exp_ledger_attachment - the record of an attachment, made if need be
 * @attach: the attachment
 *
 * Drivers without an attach operation learn of an attachment only when it is
 * first mapped or pinned.
 *
 * Return: the record, NULL if memory is short.
 */
struct gdrt_exp_attachment *gdrt_exp_ledger_attachment(struct dma_buf_attachment *attach)
{
	struct gdrt_exp_buffer *b = attach->dmabuf->priv;
	struct gdrt_exp_attachment *a;

	mutex_lock(&ledger_lock);
	a = attach->priv;
	if (a)
		goto unlock;
	a = kzalloc(sizeof(*a), GFP_KERNEL);
	if (!a)
		goto unlock;
	strscpy(a->importer, dev_name(attach->dev), sizeof(a->importer));
	list_add_tail(&a->node, &b->attachments);
	b->n_attachments++;
	attach->priv = a;
unlock:
	mutex_unlock(&ledger_lock);
	return a;
}

/**
 * gdrt_exp_ledger_detach - count a detach and strike out the attachment
 * @attach: the attachment
 */
void gdrt_exp_ledger_detach(struct dma_buf_attachment *attach)
{
	struct gdrt_exp_buffer *b = attach->dmabuf->priv;
	struct gdrt_exp_attachment *a;

	dma_resv_lock(b->dmabuf->resv, NULL);
	mutex_lock(&ledger_lock);
	calls[GDRT_EXP_CALL_DETACH]++;
	/* The core has taken this one off its list already. */
	if (list_empty(&b->dmabuf->attachments))
		b->told = false;
	a = attach->priv;
	if (a) {
		if (a->maps || a->pins)
			pr_err("buffer %llu: %s detached with %u mappings, %u pins\n",
			       b->inode, a->importer, a->maps, a->pins);
		attach->priv = NULL;
		list_del(&a->node);
		b->n_attachments--;
	}
	mutex_unlock(&ledger_lock);
	dma_resv_unlock(b->dmabuf->resv);
	kfree(a);
}

/**
 * gdrt_exp_ledger_idle - is a buffer neither mapped nor pinned?
 * @b: the buffer, its reservation lock held
 *
 * Return: true if so.
 */
bool gdrt_exp_ledger_idle(struct gdrt_exp_buffer *b)
{
	bool idle;

	mutex_lock(&ledger_lock);
	idle = !b->maps && !b->pins;
	mutex_unlock(&ledger_lock);
	return idle;
}

/**
 * gdrt_exp_ledger_charge - count a mapping to be made against its GPU's BAR1
 * @b: the buffer
 * @limit: bytes of BAR1 that can be mapped at once
 *
 * Return: false if BAR1 is used up.
 */
bool gdrt_exp_ledger_charge(struct gdrt_exp_buffer *b, u64 limit)
{
	bool ok = true;

	if (b->in_pages)
		return true;
	mutex_lock(&ledger_lock);
	if (!b->charges) {
		ok = b->size <= limit && b->gpu->charged <= limit - b->size;
		if (ok)
			b->gpu->charged += b->size;
	}
	if (ok)
		b->charges++;
	mutex_unlock(&ledger_lock);
	return ok;
}

static void uncharge_locked(struct gdrt_exp_buffer *b)
{
	if (!b->in_pages && !--b->charges)
		b->gpu->charged -= b->size;
}

/**
 * gdrt_exp_ledger_uncharge - undo gdrt_exp_ledger_charge()
 * @b: the buffer
 */
void gdrt_exp_ledger_uncharge(struct gdrt_exp_buffer *b)
{
	mutex_lock(&ledger_lock);
	uncharge_locked(b);
	mutex_unlock(&ledger_lock);
}

/**
 * gdrt_exp_ledger_map - enter the outcome of a map operation
 * @attach: the attachment
 * @ok: whether it was mapped
 */
void gdrt_exp_ledger_map(struct dma_buf_attachment *attach, bool ok)
{
	struct gdrt_exp_buffer *b = attach->dmabuf->priv;
	struct gdrt_exp_attachment *a;

	mutex_lock(&ledger_lock);
	if (ok) {
		a = attach->priv;
		a->maps++;
		b->maps++;
		b->told |= !b->in_pages;
		calls[GDRT_EXP_CALL_MAP]++;
	} else {
		calls[GDRT_EXP_CALL_MAP_FAILED]++;
	}
	mutex_unlock(&ledger_lock);
}

/**
 * gdrt_exp_ledger_unmap - enter an unmap operation
 * @attach: the attachment
 */
void gdrt_exp_ledger_unmap(struct dma_buf_attachment *attach)
{
	struct gdrt_exp_buffer *b = attach->dmabuf->priv;
	struct gdrt_exp_attachment *a;

	mutex_lock(&ledger_lock);
	calls[GDRT_EXP_CALL_UNMAP]++;
	a = attach->priv;
	if (a && a->maps) {
		a->maps--;
		b->maps--;
		uncharge_locked(b);
	} else {
		pr_err("buffer %llu: unmap of what is not mapped\n", b->inode);
	}
	mutex_unlock(&ledger_lock);
}

/**
 * gdrt_exp_ledger_pin - enter a pin operation that succeeded
 * @attach: the attachment
 */
void gdrt_exp_ledger_pin(struct dma_buf_attachment *attach)
{
	struct gdrt_exp_buffer *b = attach->dmabuf->priv;
	struct gdrt_exp_attachment *a;

	mutex_lock(&ledger_lock);
	a = attach->priv;
	a->pins++;
	b->pins++;
	calls[GDRT_EXP_CALL_PIN]++;
	mutex_unlock(&ledger_lock);
}

/**
 * gdrt_exp_ledger_unpin - enter an unpin operation
 * @attach: the attachment
 */
void gdrt_exp_ledger_unpin(struct dma_buf_attachment *attach)
{
	struct gdrt_exp_buffer *b = attach->dmabuf->priv;
	struct gdrt_exp_attachment *a;

	mutex_lock(&ledger_lock);
	calls[GDRT_EXP_CALL_UNPIN]++;
	a = attach->priv;
	if (a && a->pins) {
		a->pins--;
		b->pins--;
	} else {
		pr_err("buffer %llu: unpin of what is not pinned\n", b->inode);
	}
	mutex_unlock(&ledger_lock);
}

static bool is_pinned(const struct gdrt_exp_buffer *b)
{
	return b->flags & GDRT_EXPORT_DYNAMIC ? b->pins : b->maps;
}

static const char *kind(const struct gdrt_exp_buffer *b)
{
	if (b->flags & GDRT_EXPORT_DYNAMIC)
		return "dynamic";
	return b->flags & GDRT_EXPORT_SYSTEM ? "system" : "static";
}

static void show_calls(struct seq_file *s)
{
	int i;

	seq_puts(s, "calls");
	for (i = 0; i < GDRT_EXP_CALLS; i++)
		seq_printf(s, " %s %llu", call_names[i], calls[i]);
	seq_putc(s, '\n');
}

static void show_live(struct seq_file *s)
{
	u64 n = 0, attachments = 0, mapped = 0, pinned = 0;
	u64 mapped_bytes = 0, mapped_sum = 0, pinned_bytes = 0, bar1 = 0;
	struct gdrt_exp_buffer *b;

	list_for_each_entry(b, &buffers, node) {
		n++;
		attachments += b->n_attachments;
		mapped_sum += b->maps * b->size;
		if (b->maps) {
			mapped++;
			mapped_bytes += b->size;
			if (!b->in_pages)
				bar1 += b->size;
		}
		if (is_pinned(b)) {
			pinned++;
			pinned_bytes += b->size;
		}
	}
	seq_printf(s, "live buffers %llu attachments %llu mapped_buffers %llu mapped_bytes %llu",
		   n, attachments, mapped, mapped_bytes);
	seq_printf(s, " mapped_bytes_sum %llu pinned_buffers %llu pinned_bytes %llu bar1_bytes %llu\n",
		   mapped_sum, pinned, pinned_bytes, bar1);
}

static int ledger_show(struct seq_file *s, void *unused)
{
	struct gdrt_exp_attachment *a;
	struct gdrt_exp_buffer *b;

	mutex_lock(&ledger_lock);
	show_calls(s);
	show_live(s);
	list_for_each_entry(b, &buffers, node) {
		seq_printf(s, "buffer %llu size %llu gpu %s kind %s", b->inode, b->size,
			   b->in_pages ? "-" : pci_name(b->gpu->pdev), kind(b));
		seq_printf(s, " attachments %u maps %u pins %u told %s\n", b->n_attachments,
			   b->maps, b->pins, b->told ? pci_name(b->gpu->pdev) : "-");
		list_for_each_entry(a, &b->attachments, node)
			seq_printf(s, "attachment %llu importer %s maps %u pins %u\n", b->inode,
				   a->importer, a->maps, a->pins);
		/* The file is shown again in a larger buffer: go on only if it fits. */
		if (seq_has_overflowed(s))
			break;
	}
	mutex_unlock(&ledger_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(ledger);

static int gpus_show(struct seq_file *s, void *unused)
{
	gdrt_exp_gpu_show(s);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(gpus);

/**
 * gdrt_exp_ledger_init - show the ledger in debugfs
 */
void gdrt_exp_ledger_init(void)
{
	debugfs_dir = debugfs_create_dir("gdrt_exporter", NULL);
	debugfs_create_file("ledger", 0444, debugfs_dir, NULL, &ledger_fops);
	debugfs_create_file("gpus", 0444, debugfs_dir, NULL, &gpus_fops);
}

/**
 * gdrt_exp_ledger_exit - take the ledger out of debugfs
 */
void gdrt_exp_ledger_exit(void)
{
	debugfs_remove_recursive(debugfs_dir);
}
