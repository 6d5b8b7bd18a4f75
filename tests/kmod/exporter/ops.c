// SPDX-License-Identifier: GPL-2.0
/* The dma-buf operations: NVIDIA's rules, the injected failures, the ledger. */
#include <linux/err.h>

#include "exporter.h"

/* Without struct pages, a dynamic importer has to be ready for peer to peer. */
static bool importer_fits(struct gdrt_exp_buffer *b, struct dma_buf_attachment *attach)
{
	return READ_ONCE(b->in_pages) || !attach->importer_ops || attach->peer2peer;
}

static int gdrt_exp_attach(struct dma_buf *dmabuf, struct dma_buf_attachment *attach)
{
	struct gdrt_exp_buffer *b = dmabuf->priv;
	int ret;

	gdrt_exp_delay();
	ret = gdrt_exp_attach_errno();
	if (!ret && b->generation >= 1 && !importer_fits(b, attach)) {
		dev_dbg(attach->dev, "attach refused: dynamic importer without peer2peer, memory without struct page\n");
		/* Not an errno for user space, but what NVIDIA's driver returns. */
		ret = -ENOTSUPP;
	}
	if (!ret && !gdrt_exp_ledger_attachment(attach))
		ret = -ENOMEM;
	gdrt_exp_ledger_count(ret ? GDRT_EXP_CALL_ATTACH_FAILED : GDRT_EXP_CALL_ATTACH);
	return ret;
}

static void gdrt_exp_detach(struct dma_buf *dmabuf, struct dma_buf_attachment *attach)
{
	gdrt_exp_ledger_detach(attach);
}

static int gdrt_exp_pin(struct dma_buf_attachment *attach)
{
	int ret;

	gdrt_exp_delay();
	ret = gdrt_exp_pin_errno();
	if (!ret && !gdrt_exp_ledger_attachment(attach))
		ret = -ENOMEM;
	if (ret)
		gdrt_exp_ledger_count(GDRT_EXP_CALL_PIN_FAILED);
	else
		gdrt_exp_ledger_pin(attach);
	return ret;
}

static void gdrt_exp_unpin(struct dma_buf_attachment *attach)
{
	gdrt_exp_ledger_unpin(attach);
}

/* As in NVIDIA's driver, each failure that is not injected is a bare NULL. */
static struct sg_table *try_map(struct dma_buf_attachment *attach, enum dma_data_direction dir)
{
	struct gdrt_exp_buffer *b = attach->dmabuf->priv;
	struct sg_table *sgt;
	int ret = gdrt_exp_map_errno();

	if (ret)
		return ret < 0 ? ERR_PTR(ret) : NULL;
	if (!importer_fits(b, attach)) {
		dev_dbg(attach->dev, "map refused: dynamic importer without peer2peer, memory without struct page\n");
		return NULL;
	}
	if (!b->in_pages && !READ_ONCE(b->gpu->bound))
		return NULL;
	if (!gdrt_exp_ledger_attachment(attach))
		return NULL;
	if (!gdrt_exp_ledger_charge(b, gdrt_exp_bar1_limit()))
		return NULL;
	sgt = gdrt_exp_sg_map(b, attach->dev, dir);
	if (!sgt)
		gdrt_exp_ledger_uncharge(b);
	return sgt;
}

static struct sg_table *gdrt_exp_map(struct dma_buf_attachment *attach,
				     enum dma_data_direction dir)
{
	struct sg_table *sgt;

	gdrt_exp_delay();
	sgt = try_map(attach, dir);
	gdrt_exp_ledger_map(attach, !IS_ERR_OR_NULL(sgt));
	return sgt;
}

static void gdrt_exp_unmap(struct dma_buf_attachment *attach, struct sg_table *sgt,
			   enum dma_data_direction dir)
{
	gdrt_exp_sg_unmap(attach->dmabuf->priv, attach->dev, sgt, dir);
	gdrt_exp_ledger_unmap(attach);
}

#define GDRT_EXP_OPS_ALL \
	.detach = gdrt_exp_detach, \
	.map_dma_buf = gdrt_exp_map, \
	.unmap_dma_buf = gdrt_exp_unmap, \
	.release = gdrt_exp_buffer_release, \
	.mmap = gdrt_exp_buffer_mmap

#define GDRT_EXP_OPS_PIN \
	.pin = gdrt_exp_pin, \
	.unpin = gdrt_exp_unpin

/* By whether there is an attach operation. */
static const struct dma_buf_ops static_ops[] = {
	{ GDRT_EXP_OPS_ALL },
	{ GDRT_EXP_OPS_ALL, .attach = gdrt_exp_attach },
};

static const struct dma_buf_ops dynamic_ops[] = {
	{ GDRT_EXP_OPS_ALL, GDRT_EXP_OPS_PIN },
	{ GDRT_EXP_OPS_ALL, GDRT_EXP_OPS_PIN, .attach = gdrt_exp_attach },
};

static const struct dma_buf_ops cache_ops[] = {
	{ GDRT_EXP_OPS_ALL, GDRT_CACHE_SGT_OP },
	{ GDRT_EXP_OPS_ALL, GDRT_CACHE_SGT_OP, .attach = gdrt_exp_attach },
};

/**
 * gdrt_exp_ops - the operations of a kind of buffer
 * @flags: GDRT_EXPORT_*
 * @attach: with an attach operation
 *
 * Return: the operations; they are never freed.
 */
const struct dma_buf_ops *gdrt_exp_ops(u32 flags, bool attach)
{
	if (flags & GDRT_EXPORT_DYNAMIC)
		return &dynamic_ops[attach];
	if (flags & GDRT_EXPORT_CACHE_SGT)
		return &cache_ops[attach];
	return &static_ops[attach];
}
