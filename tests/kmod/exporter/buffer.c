// SPDX-License-Identifier: GPL-2.0
/* Buffers: made by the ioctl, gone with the last reference to their dma-buf. */
#include <linux/dma-resv.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "exporter.h"

#define GDRT_EXP_SYSTEM_MAX	(4ULL << 30)

/*
 * Held while a buffer is invalidated, and by its release: the dma-buf stays
 * valid for as long as its release operation has not returned.
 */
static DEFINE_MUTEX(gdrt_exp_invalidate_lock);

static void free_pages_array(struct page **pages, unsigned long n)
{
	while (n)
		__free_page(pages[--n]);
	kvfree(pages);
}

static int alloc_system(struct gdrt_exp_buffer *b)
{
	unsigned long i, n = b->size >> PAGE_SHIFT;
	struct page **pages;

	pages = kvmalloc_array(n, sizeof(*pages), GFP_KERNEL);
	if (!pages)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		if (fatal_signal_pending(current))
			break;
		pages[i] = alloc_page(GFP_KERNEL | __GFP_ZERO);
		if (!pages[i])
			break;
		cond_resched();
	}
	if (i < n) {
		free_pages_array(pages, i);
		return -ENOMEM;
	}
	b->pages = pages;
	b->in_pages = true;
	return 0;
}

static int alloc_bar1(struct gdrt_exp_buffer *b, u32 index)
{
	struct gdrt_exp_gpu *gpu;

	gpu = gdrt_exp_gpu_get(index);
	if (!gpu)
		return -ENODEV;
	b->start = gdrt_exp_gpu_alloc(gpu, b->size);
	if (!b->start) {
		gdrt_exp_gpu_put(gpu);
		return -ENOSPC;
	}
	b->gpu = gpu;
	return 0;
}

static void free_memory(struct gdrt_exp_buffer *b)
{
	if (b->pages)
		free_pages_array(b->pages, b->size >> PAGE_SHIFT);
	if (!b->gpu)
		return;
	gdrt_exp_gpu_free(b->gpu, b->start, b->size);
	gdrt_exp_gpu_put(b->gpu);
}

static int check(const struct gdrt_export *arg)
{
	const u32 known = GDRT_EXPORT_DYNAMIC | GDRT_EXPORT_SYSTEM | GDRT_EXPORT_CACHE_SGT;
	const u32 both = GDRT_EXPORT_DYNAMIC | GDRT_EXPORT_CACHE_SGT;

	if (arg->flags & ~known || (arg->flags & both) == both)
		return -EINVAL;
	if (!arg->size || !PAGE_ALIGNED(arg->size))
		return -EINVAL;
	if (arg->flags & GDRT_EXPORT_SYSTEM && arg->size > GDRT_EXP_SYSTEM_MAX)
		return -EINVAL;
	if (arg->flags & GDRT_EXPORT_CACHE_SGT && !GDRT_CAN_CACHE_SGT)
		return -EOPNOTSUPP;
	return 0;
}

/**
 * gdrt_exp_buffer_create - make a buffer and its dma-buf
 * @arg: what user space asked for
 *
 * Return: the buffer, which belongs to its dma-buf, or an ERR_PTR().
 */
struct gdrt_exp_buffer *gdrt_exp_buffer_create(const struct gdrt_export *arg)
{
	DEFINE_DMA_BUF_EXPORT_INFO(info);
	struct gdrt_exp_buffer *b;
	struct dma_buf *dmabuf;
	int ret;

	ret = check(arg);
	if (ret)
		return ERR_PTR(ret);
	b = kzalloc(sizeof(*b), GFP_KERNEL);
	if (!b)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&b->attachments);
	b->size = arg->size;
	b->flags = arg->flags;
	b->generation = gdrt_exp_generation();
	ret = b->flags & GDRT_EXPORT_SYSTEM ? alloc_system(b) : alloc_bar1(b, arg->gpu);
	if (ret)
		goto free_buffer;

	/* Older drivers leave exp_name at the macro's default, "nvidia". */
	if (b->generation >= 1)
		info.exp_name = "nv_dmabuf";
	info.ops = gdrt_exp_ops(b->flags, b->generation >= 1 || gdrt_exp_attach_errno());
	info.size = b->size;
	info.flags = O_RDWR | O_CLOEXEC;
	info.priv = b;
	dmabuf = dma_buf_export(&info);
	if (IS_ERR(dmabuf)) {
		ret = PTR_ERR(dmabuf);
		goto free_memory;
	}
	b->dmabuf = dmabuf;
	b->inode = file_inode(dmabuf->file)->i_ino;
	gdrt_exp_ledger_add(b);
	return b;

free_memory:
	free_memory(b);
free_buffer:
	kfree(b);
	return ERR_PTR(ret);
}

/**
 * gdrt_exp_buffer_release - the release operation
 * @dmabuf: the dma-buf that goes
 *
 * The core puts the module's reference only afterwards, so the module cannot
 * go away under this.
 */
void gdrt_exp_buffer_release(struct dma_buf *dmabuf)
{
	struct gdrt_exp_buffer *b = dmabuf->priv;

	mutex_lock(&gdrt_exp_invalidate_lock);
	gdrt_exp_ledger_remove(b);
	mutex_unlock(&gdrt_exp_invalidate_lock);
	free_memory(b);
	kfree(b);
}

/**
 * gdrt_exp_buffer_mmap - the mmap operation
 * @dmabuf: the dma-buf
 * @vma: where to; the core has checked its range
 *
 * Return: 0 or a negative errno.
 */
int gdrt_exp_buffer_mmap(struct dma_buf *dmabuf, struct vm_area_struct *vma)
{
	struct gdrt_exp_buffer *b = dmabuf->priv;

	if (READ_ONCE(b->in_pages))
		return vm_map_pages(vma, b->pages, b->size >> PAGE_SHIFT);
	if (!READ_ONCE(b->gpu->bound))
		return -ENODEV;
	/* The memory type of resource1 in sysfs, as a page can have only one. */
	vma->vm_page_prot = pgprot_noncached(vma->vm_page_prot);
	return vm_iomap_memory(vma, b->start, b->size);
}

/**
 * gdrt_exp_buffer_invalidate - tell the importers to drop their mappings
 * @inode: inode number of the dma-buf
 *
 * Return: 0, or -ENOENT if there is no such buffer.
 */
int gdrt_exp_buffer_invalidate(u64 inode)
{
	struct gdrt_exp_buffer *b;
	int ret = -ENOENT;

	mutex_lock(&gdrt_exp_invalidate_lock);
	b = gdrt_exp_ledger_find(inode);
	if (b) {
		dma_resv_lock(b->dmabuf->resv, NULL);
		gdrt_exp_ledger_count(GDRT_EXP_CALL_INVALIDATE);
		gdrt_invalidate_mappings(b->dmabuf);
		dma_resv_unlock(b->dmabuf->resv);
		ret = 0;
	}
	mutex_unlock(&gdrt_exp_invalidate_lock);
	return ret;
}

/* The buffer's reservation lock is held, its release held up. */
static int move_held(struct gdrt_exp_buffer *b, bool system)
{
	int ret;

	gdrt_exp_ledger_count(GDRT_EXP_CALL_INVALIDATE);
	gdrt_invalidate_mappings(b->dmabuf);
	if (!gdrt_exp_ledger_idle(b))
		return -EBUSY;
	if (system && !b->pages) {
		ret = alloc_system(b);
		if (ret)
			return ret;
	}
	WRITE_ONCE(b->in_pages, system);
	return 0;
}

/**
 * gdrt_exp_buffer_move - let the next mappings of a buffer lead elsewhere
 * @inode: inode number of the dma-buf
 * @system: to system pages, else to BAR1
 *
 * Return: 0 or a negative errno, see GDRT_MOVE.
 */
int gdrt_exp_buffer_move(u64 inode, bool system)
{
	struct gdrt_exp_buffer *b;
	int ret;

	mutex_lock(&gdrt_exp_invalidate_lock);
	b = gdrt_exp_ledger_find(inode);
	if (!b) {
		ret = -ENOENT;
	} else if (!(b->flags & GDRT_EXPORT_DYNAMIC) || !b->gpu) {
		ret = -EINVAL;
	} else {
		dma_resv_lock(b->dmabuf->resv, NULL);
		ret = move_held(b, system);
		dma_resv_unlock(b->dmabuf->resv);
	}
	mutex_unlock(&gdrt_exp_invalidate_lock);
	return ret;
}
