// SPDX-License-Identifier: GPL-2.0
/* Scatter lists: of BAR1 without struct pages, and of system pages. */
#include <linux/dma-mapping.h>
#include <linux/minmax.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>

#include "exporter.h"

/* Small enough that an ordinary buffer gets several entries. */
#define GDRT_EXP_CHUNK_MAX	(256U << 10)

static void unmap_bar1(struct device *dev, struct sg_table *sgt, unsigned int n,
		       enum dma_data_direction dir)
{
	struct scatterlist *sg;
	unsigned int i;

	for_each_sg(sgt->sgl, sg, n, i)
		dma_unmap_resource(dev, sg_dma_address(sg), sg_dma_len(sg), dir, 0);
}

static int map_bar1(struct gdrt_exp_buffer *b, struct device *dev, struct sg_table *sgt,
		    enum dma_data_direction dir)
{
	unsigned int chunk = clamp_t(unsigned int, round_down(dma_get_max_seg_size(dev), PAGE_SIZE),
				     PAGE_SIZE, GDRT_EXP_CHUNK_MAX);
	phys_addr_t at = b->start;
	u64 left = b->size;
	struct scatterlist *sg;
	unsigned int i, len;
	dma_addr_t addr;
	int ret;

	ret = sg_alloc_table(sgt, DIV_ROUND_UP_ULL(left, chunk), GFP_KERNEL);
	if (ret)
		return ret;
	for_each_sgtable_sg(sgt, sg, i) {
		len = min_t(u64, left, chunk);
		addr = dma_map_resource(dev, at, len, dir, 0);
		if (dma_mapping_error(dev, addr))
			goto unmap;
		sg_set_page(sg, NULL, len, 0);
		sg_dma_address(sg) = addr;
		sg_dma_len(sg) = len;
		at += len;
		left -= len;
	}
	return 0;

unmap:
	unmap_bar1(dev, sgt, i, dir);
	sg_free_table(sgt);
	return -EIO;
}

static int map_system(struct gdrt_exp_buffer *b, struct device *dev, struct sg_table *sgt,
		      enum dma_data_direction dir)
{
	int ret;

	ret = sg_alloc_table_from_pages_segment(sgt, b->pages, b->size >> PAGE_SHIFT, 0, b->size,
						GDRT_EXP_CHUNK_MAX, GFP_KERNEL);
	if (ret)
		return ret;
	ret = dma_map_sgtable(dev, sgt, dir, 0);
	if (ret)
		sg_free_table(sgt);
	return ret;
}

/**
 * gdrt_exp_sg_map - map a buffer for a device
 * @b: the buffer
 * @dev: the importing device
 * @dir: direction of the transfers
 *
 * Return: the scatter list, NULL on any failure.
 */
struct sg_table *gdrt_exp_sg_map(struct gdrt_exp_buffer *b, struct device *dev,
				 enum dma_data_direction dir)
{
	struct sg_table *sgt;

	sgt = kzalloc(sizeof(*sgt), GFP_KERNEL);
	if (!sgt)
		return NULL;
	if (b->in_pages ? map_system(b, dev, sgt, dir) : map_bar1(b, dev, sgt, dir)) {
		kfree(sgt);
		return NULL;
	}
	return sgt;
}

/**
 * gdrt_exp_sg_unmap - undo gdrt_exp_sg_map()
 * @b: the buffer
 * @dev: the importing device
 * @sgt: what gdrt_exp_sg_map() returned
 * @dir: as given to it
 */
void gdrt_exp_sg_unmap(struct gdrt_exp_buffer *b, struct device *dev, struct sg_table *sgt,
		       enum dma_data_direction dir)
{
	/* What is mapped is not moved, so this is what it was mapped by. */
	if (b->in_pages)
		dma_unmap_sgtable(dev, sgt, dir, 0);
	else
		unmap_bar1(dev, sgt, sgt->orig_nents, dir);
	sg_free_table(sgt);
	kfree(sgt);
}
