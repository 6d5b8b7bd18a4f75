/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The exporter double's parts.
 *
 * Locks, outermost first: the reservation lock of a buffer (held by the core
 * around most operations), gdrt_exp_invalidate_lock, the GPU list's, the
 * ledger's. The ledger's lock is never held across a call into the core.
 */
#ifndef GDRT_EXP_EXPORTER_H
#define GDRT_EXP_EXPORTER_H

#include <linux/dma-buf.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/pci.h>
#include <linux/scatterlist.h>
#include <linux/seq_file.h>

#include "../compat.h"
#include "../gdrt_exporter.h"

struct gen_pool;

/**
 * struct gdrt_exp_gpu - one GPU, from its first bind to its last buffer
 * @ref: one for being bound, one a buffer
 * @node: in the list of GPUs, sorted by BDF
 * @pdev: the PCI function
 * @bound: false once the driver was unbound; then mappings fail
 * @start: bus address space of BAR1 as the CPU sees it
 * @size: bytes of BAR1
 * @pool: free ranges of BAR1
 * @charged: bytes of BAR1 that are mapped, each buffer once; ledger's lock
 */
struct gdrt_exp_gpu {
	struct kref ref;
	struct list_head node;
	struct pci_dev *pdev;
	bool bound;
	phys_addr_t start;
	u64 size;
	struct gen_pool *pool;
	u64 charged;
};

/**
 * struct gdrt_exp_buffer - one dma-buf, from export to release
 * @node: in the ledger
 * @attachments: of struct gdrt_exp_attachment; ledger's lock
 * @n_attachments: how many those are
 * @maps: mappings in force, of all attachments; ledger's lock
 * @pins: pin operations in force; ledger's lock
 * @charges: mappings in force or being made that count against BAR1
 * @dmabuf: the dma-buf, valid until its release operation returns
 * @inode: its inode number
 * @size: bytes
 * @flags: GDRT_EXPORT_*
 * @generation: of the driver that this buffer is from
 * @gpu: whose BAR1 it is in, NULL for system pages
 * @start: its place in BAR1
 * @pages: the system pages, NULL if there are none yet
 * @in_pages: these are what is mapped, not BAR1; reservation lock once exported
 * @told: a mapping led to BAR1 since there was no attachment; ledger's lock
 */
struct gdrt_exp_buffer {
	struct list_head node;
	struct list_head attachments;
	unsigned int n_attachments;
	unsigned int maps;
	unsigned int pins;
	unsigned int charges;
	struct dma_buf *dmabuf;
	u64 inode;
	u64 size;
	u32 flags;
	u32 generation;
	struct gdrt_exp_gpu *gpu;
	phys_addr_t start;
	struct page **pages;
	bool in_pages;
	bool told;
};

/**
 * struct gdrt_exp_attachment - what the exporter knows of an attachment
 * @node: in its buffer
 * @maps: mappings in force
 * @pins: pin operations in force
 * @importer: name of the importing device
 */
struct gdrt_exp_attachment {
	struct list_head node;
	unsigned int maps;
	unsigned int pins;
	char importer[32];
};

/* What the ledger counts, in the order in which it prints. */
enum gdrt_exp_call {
	GDRT_EXP_CALL_ATTACH,
	GDRT_EXP_CALL_ATTACH_FAILED,
	GDRT_EXP_CALL_DETACH,
	GDRT_EXP_CALL_MAP,
	GDRT_EXP_CALL_MAP_FAILED,
	GDRT_EXP_CALL_UNMAP,
	GDRT_EXP_CALL_PIN,
	GDRT_EXP_CALL_PIN_FAILED,
	GDRT_EXP_CALL_UNPIN,
	GDRT_EXP_CALL_INVALIDATE,
	GDRT_EXP_CALL_EXPORT,
	GDRT_EXP_CALL_RELEASE,
	GDRT_EXP_CALLS
};

/* params.c */
u32 gdrt_exp_generation(void);
int gdrt_exp_attach_errno(void);
int gdrt_exp_map_errno(void);
int gdrt_exp_pin_errno(void);
u64 gdrt_exp_bar1_limit(void);
void gdrt_exp_delay(void);

/* gpu.c */
int gdrt_exp_gpu_register(void);
void gdrt_exp_gpu_unregister(void);
struct gdrt_exp_gpu *gdrt_exp_gpu_get(u32 index);
void gdrt_exp_gpu_put(struct gdrt_exp_gpu *gpu);
phys_addr_t gdrt_exp_gpu_alloc(struct gdrt_exp_gpu *gpu, u64 size);
void gdrt_exp_gpu_free(struct gdrt_exp_gpu *gpu, phys_addr_t start, u64 size);
void gdrt_exp_gpu_show(struct seq_file *s);

/* buffer.c */
struct gdrt_exp_buffer *gdrt_exp_buffer_create(const struct gdrt_export *arg);
void gdrt_exp_buffer_release(struct dma_buf *dmabuf);
int gdrt_exp_buffer_mmap(struct dma_buf *dmabuf, struct vm_area_struct *vma);
int gdrt_exp_buffer_invalidate(u64 inode);
int gdrt_exp_buffer_move(u64 inode, bool system);

/* ops.c */
const struct dma_buf_ops *gdrt_exp_ops(u32 flags, bool attach);

/* sg.c */
struct sg_table *gdrt_exp_sg_map(struct gdrt_exp_buffer *b, struct device *dev,
				 enum dma_data_direction dir);
void gdrt_exp_sg_unmap(struct gdrt_exp_buffer *b, struct device *dev, struct sg_table *sgt,
		       enum dma_data_direction dir);

/* ledger.c */
void gdrt_exp_ledger_count(enum gdrt_exp_call call);
void gdrt_exp_ledger_add(struct gdrt_exp_buffer *b);
void gdrt_exp_ledger_remove(struct gdrt_exp_buffer *b);
struct gdrt_exp_buffer *gdrt_exp_ledger_find(u64 inode);
struct gdrt_exp_attachment *gdrt_exp_ledger_attachment(struct dma_buf_attachment *attach);
void gdrt_exp_ledger_detach(struct dma_buf_attachment *attach);
bool gdrt_exp_ledger_idle(struct gdrt_exp_buffer *b);
bool gdrt_exp_ledger_charge(struct gdrt_exp_buffer *b, u64 limit);
void gdrt_exp_ledger_map(struct dma_buf_attachment *attach, bool ok);
void gdrt_exp_ledger_unmap(struct dma_buf_attachment *attach);
void gdrt_exp_ledger_uncharge(struct gdrt_exp_buffer *b);
void gdrt_exp_ledger_pin(struct dma_buf_attachment *attach);
void gdrt_exp_ledger_unpin(struct dma_buf_attachment *attach);
void gdrt_exp_ledger_init(void);
void gdrt_exp_ledger_exit(void);

#endif /* GDRT_EXP_EXPORTER_H */
