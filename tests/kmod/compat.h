/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All differences between kernels. Kbuild defines GDRT_* by what it finds in
 * the headers of the kernel built for.
 */
#ifndef GDRT_COMPAT_H
#define GDRT_COMPAT_H

#include <linux/dma-buf.h>
#include <linux/module.h>

#ifdef GDRT_IMPORT_NS_TOKEN
#define GDRT_IMPORT_DMA_BUF_NS()	MODULE_IMPORT_NS(DMA_BUF)
#else
#define GDRT_IMPORT_DMA_BUF_NS()	MODULE_IMPORT_NS("DMA_BUF")
#endif

/*
 * GDRT_INVALIDATE_OP - the importer operation that is told of an invalidation
 * GDRT_INVALIDATE_OP_IF_MANDATORY - the same for an importer that has none,
 *	on kernels whose core demands one of each dynamic importer
 */
#ifdef GDRT_HAVE_INVALIDATE_MAPPINGS
#define GDRT_INVALIDATE_OP(fn)		.invalidate_mappings = fn
#define GDRT_INVALIDATE_OP_IF_MANDATORY(fn)	.invalidate_mappings = true ? NULL : (fn)
#define gdrt_invalidate_mappings(dmabuf)	dma_buf_invalidate_mappings(dmabuf)
#else
#define GDRT_INVALIDATE_OP(fn)		.move_notify = fn
#define GDRT_INVALIDATE_OP_IF_MANDATORY(fn)	.move_notify = fn
#define gdrt_invalidate_mappings(dmabuf)	dma_buf_move_notify(dmabuf)
#endif

#ifdef GDRT_HAVE_CACHE_SGT
#define GDRT_CACHE_SGT_OP		.cache_sgt_mapping = true
#define GDRT_CAN_CACHE_SGT		true
#else
#define GDRT_CACHE_SGT_OP		.pin = NULL
#define GDRT_CAN_CACHE_SGT		false
#endif

#endif /* GDRT_COMPAT_H */
