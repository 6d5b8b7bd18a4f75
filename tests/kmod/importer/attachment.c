// SPDX-License-Identifier: GPL-2.0
/* Attachments in each mode, and the exporter's invalidation of them. */
#include <linux/dma-resv.h>
#include <linux/fs.h>
#include <linux/slab.h>

#include "importer.h"

static void unmap_held(struct gdrt_imp_attachment *a)
{
	dma_buf_unmap_attachment(a->attach, a->sgt, DMA_BIDIRECTIONAL);
	a->sgt = NULL;
	gdrt_imp_ledger_unmap(a);
}

static void unpin_held(struct gdrt_imp_attachment *a)
{
	dma_buf_unpin(a->attach);
	gdrt_imp_ledger_unpin(a);
}

static int pin_held(struct gdrt_imp_attachment *a)
{
	int ret;

	if (a->revoked)
		return -ENODEV;
	ret = dma_buf_pin(a->attach);
	if (ret)
		gdrt_imp_ledger_count(GDRT_IMP_CALL_PIN_FAILED);
	else
		gdrt_imp_ledger_pin(a);
	return ret;
}

/* The core calls these with the reservation lock held. */
static void dynamic_invalidate(struct dma_buf_attachment *attach)
{
	struct gdrt_imp_attachment *a = attach->importer_priv;

	gdrt_imp_ledger_count(GDRT_IMP_CALL_INVALIDATE);
	a->invalidations++;
	if (a->sgt)
		unmap_held(a);
}

static void revocable_invalidate(struct dma_buf_attachment *attach)
{
	struct gdrt_imp_attachment *a = attach->importer_priv;

	dynamic_invalidate(attach);
	a->revoked = true;
	while (a->pins)
		unpin_held(a);
}

/* A pinned importer cannot give up its mapping; where it can, it does not ask. */
static void __maybe_unused pinned_invalidate(struct dma_buf_attachment *attach)
{
	gdrt_imp_ledger_count(GDRT_IMP_CALL_INVALIDATE);
}

static const struct dma_buf_attach_ops attach_ops[] = {
	[GDRT_IMPORT_DYNAMIC] = {
		.allow_peer2peer = true,
		GDRT_INVALIDATE_OP(dynamic_invalidate),
	},
	[GDRT_IMPORT_PINNED] = {
		.allow_peer2peer = true,
		GDRT_INVALIDATE_OP_IF_MANDATORY(pinned_invalidate),
	},
	[GDRT_IMPORT_REVOCABLE] = {
		.allow_peer2peer = true,
		GDRT_INVALIDATE_OP(revocable_invalidate),
	},
	[GDRT_IMPORT_DYNAMIC_NO_P2P] = {
		GDRT_INVALIDATE_OP(dynamic_invalidate),
	},
};

static int pin_now(struct gdrt_imp_attachment *a)
{
	int ret;

	dma_resv_lock(a->dmabuf->resv, NULL);
	ret = pin_held(a);
	dma_resv_unlock(a->dmabuf->resv);
	return ret;
}

/**
 * gdrt_imp_attach - attach a function to a buffer
 * @dmabuf: the buffer; this takes a reference of its own
 * @function: the function, likewise
 * @mode: enum gdrt_import_mode
 * @handle: its name for user space
 *
 * Return: the attachment, in the ledger, or an ERR_PTR().
 */
struct gdrt_imp_attachment *gdrt_imp_attach(struct dma_buf *dmabuf,
					    struct gdrt_imp_function *function, u32 mode,
					    u64 handle)
{
	struct dma_buf_attachment *attach;
	struct gdrt_imp_attachment *a;
	int ret;

	if (mode > GDRT_IMPORT_DYNAMIC_NO_P2P)
		return ERR_PTR(-EINVAL);
	a = kzalloc(sizeof(*a), GFP_KERNEL);
	if (!a)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&a->node);
	a->handle = handle;
	a->mode = mode;
	a->function = function;
	a->dmabuf = dmabuf;
	a->inode = file_inode(dmabuf->file)->i_ino;

	if (mode == GDRT_IMPORT_STATIC)
		attach = dma_buf_attach(dmabuf, &function->pdev->dev);
	else
		attach = dma_buf_dynamic_attach(dmabuf, &function->pdev->dev, &attach_ops[mode], a);
	if (IS_ERR(attach)) {
		gdrt_imp_ledger_count(GDRT_IMP_CALL_ATTACH_FAILED);
		ret = PTR_ERR(attach);
		goto free;
	}
	a->attach = attach;
	get_dma_buf(dmabuf);
	gdrt_imp_function_ref(function);
	gdrt_imp_ledger_attach(a);

	if (mode == GDRT_IMPORT_PINNED || mode == GDRT_IMPORT_REVOCABLE) {
		ret = pin_now(a);
		if (ret) {
			gdrt_imp_detach(a);
			return ERR_PTR(ret);
		}
	}
	return a;

free:
	kfree(a);
	return ERR_PTR(ret);
}

/**
 * gdrt_imp_detach - unmap, unpin and detach, as far as need be, and free
 * @a: the attachment
 */
void gdrt_imp_detach(struct gdrt_imp_attachment *a)
{
	dma_resv_lock(a->dmabuf->resv, NULL);
	if (a->sgt)
		unmap_held(a);
	while (a->pins)
		unpin_held(a);
	dma_resv_unlock(a->dmabuf->resv);
	dma_buf_detach(a->dmabuf, a->attach);
	gdrt_imp_ledger_detach(a);
	dma_buf_put(a->dmabuf);
	gdrt_imp_function_put(a->function);
	kfree(a);
}

static int may_map(const struct gdrt_imp_attachment *a)
{
	if (a->revoked)
		return -ENODEV;
	return a->sgt ? -EBUSY : 0;
}

static int check_sgt(struct gdrt_imp_attachment *a, struct sg_table *sgt)
{
	if (IS_ERR_OR_NULL(sgt)) {
		gdrt_imp_ledger_count(GDRT_IMP_CALL_MAP_FAILED);
		return sgt ? PTR_ERR(sgt) : -ENOMEM;
	}
	gdrt_imp_ledger_map(a);
	return 0;
}

/**
 * gdrt_imp_map_locked - map with the reservation lock taken here
 * @a: the attachment
 *
 * Return: 0 or a negative errno.
 */
int gdrt_imp_map_locked(struct gdrt_imp_attachment *a)
{
	struct sg_table *sgt;
	int ret;

	dma_resv_lock(a->dmabuf->resv, NULL);
	ret = may_map(a);
	if (ret)
		goto unlock;
	sgt = dma_buf_map_attachment(a->attach, DMA_BIDIRECTIONAL);
	ret = check_sgt(a, sgt);
	if (!ret)
		a->sgt = sgt;
unlock:
	dma_resv_unlock(a->dmabuf->resv);
	return ret;
}

/**
 * gdrt_imp_map - map with the call that takes the reservation lock itself
 * @a: the attachment
 *
 * An invalidation that comes before the mapping is stored finds nothing to
 * unmap, so that is made up for here, and the buffer mapped anew.
 *
 * Return: 0 or a negative errno.
 */
int gdrt_imp_map(struct gdrt_imp_attachment *a)
{
	unsigned int seen;
	struct sg_table *sgt;
	int ret;

	dma_resv_lock(a->dmabuf->resv, NULL);
	for (;;) {
		ret = may_map(a);
		if (ret)
			break;
		seen = a->invalidations;
		dma_resv_unlock(a->dmabuf->resv);
		sgt = dma_buf_map_attachment_unlocked(a->attach, DMA_BIDIRECTIONAL);
		ret = check_sgt(a, sgt);
		if (ret)
			return ret;
		dma_resv_lock(a->dmabuf->resv, NULL);
		a->sgt = sgt;
		if (a->invalidations == seen)
			break;
		unmap_held(a);
	}
	dma_resv_unlock(a->dmabuf->resv);
	return ret;
}

/**
 * gdrt_imp_unmap_locked - unmap with the reservation lock taken here
 * @a: the attachment
 *
 * Return: 0, or -EINVAL if it is not mapped.
 */
int gdrt_imp_unmap_locked(struct gdrt_imp_attachment *a)
{
	int ret = -EINVAL;

	dma_resv_lock(a->dmabuf->resv, NULL);
	if (a->sgt) {
		unmap_held(a);
		ret = 0;
	}
	dma_resv_unlock(a->dmabuf->resv);
	return ret;
}

/**
 * gdrt_imp_unmap - unmap with the call that takes the reservation lock itself
 * @a: the attachment
 *
 * Return: 0, or -EINVAL if it is not mapped.
 */
int gdrt_imp_unmap(struct gdrt_imp_attachment *a)
{
	struct sg_table *sgt;

	dma_resv_lock(a->dmabuf->resv, NULL);
	sgt = a->sgt;
	a->sgt = NULL;
	dma_resv_unlock(a->dmabuf->resv);
	if (!sgt)
		return -EINVAL;
	dma_buf_unmap_attachment_unlocked(a->attach, sgt, DMA_BIDIRECTIONAL);
	gdrt_imp_ledger_unmap(a);
	return 0;
}

/**
 * gdrt_imp_pin - pin explicitly
 * @a: the attachment
 *
 * Return: 0, -EINVAL for a static importer, -ENODEV once revoked, or the
 * exporter's error.
 */
int gdrt_imp_pin(struct gdrt_imp_attachment *a)
{
	return a->mode == GDRT_IMPORT_STATIC ? -EINVAL : pin_now(a);
}

/**
 * gdrt_imp_unpin - take one pin back
 * @a: the attachment
 *
 * Return: 0, or -EINVAL if there is none.
 */
int gdrt_imp_unpin(struct gdrt_imp_attachment *a)
{
	int ret = -EINVAL;

	dma_resv_lock(a->dmabuf->resv, NULL);
	if (a->pins) {
		unpin_held(a);
		ret = 0;
	}
	dma_resv_unlock(a->dmabuf->resv);
	return ret;
}
