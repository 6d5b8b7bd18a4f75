/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The importer double's parts.
 *
 * Locks, outermost first: the list of files, a file's, the reservation lock of
 * a buffer, the list of functions, the ledger's. An attachment is changed by
 * the file it belongs to, under that file's lock, and by the exporter's
 * invalidation, under the reservation lock; what both touch is under the latter.
 */
#ifndef GDRT_IMP_IMPORTER_H
#define GDRT_IMP_IMPORTER_H

#include <linux/dma-buf.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/xarray.h>

#include "../compat.h"
#include "../gdrt_importer.h"

/**
 * struct gdrt_imp_function - one PCI function
 * @ref: one for being bound, one an attachment
 * @node: in the list of functions, sorted by BDF
 * @pdev: the PCI function; no attachment is left once it is unbound
 */
struct gdrt_imp_function {
	struct kref ref;
	struct list_head node;
	struct pci_dev *pdev;
};

/**
 * struct gdrt_imp_file - one open file
 * @node: in the list of files
 * @lock: one ioctl at a time, and its end before the function's
 * @attachments: by handle
 */
struct gdrt_imp_file {
	struct list_head node;
	struct mutex lock; /* one ioctl at a time */
	struct xarray attachments;
};

/**
 * struct gdrt_imp_attachment - one attachment
 * @node: in the ledger
 * @handle: its name for user space
 * @inode: inode number of @dmabuf
 * @mode: enum gdrt_import_mode
 * @function: the importing device
 * @dmabuf: the buffer, a reference
 * @attach: the attachment
 * @sgt: the mapping, NULL if there is none; reservation lock
 * @invalidations: how often it was told to unmap; reservation lock
 * @revoked: it gave up; reservation lock
 * @mapped: for the ledger, whose lock it is under
 * @pins: pins of ours in force; reservation lock and the ledger's
 */
struct gdrt_imp_attachment {
	struct list_head node;
	u64 handle;
	u64 inode;
	u32 mode;
	struct gdrt_imp_function *function;
	struct dma_buf *dmabuf;
	struct dma_buf_attachment *attach;
	struct sg_table *sgt;
	unsigned int invalidations;
	bool revoked;
	bool mapped;
	unsigned int pins;
};

/* What the ledger counts, in the order in which it prints. */
enum gdrt_imp_call {
	GDRT_IMP_CALL_ATTACH,
	GDRT_IMP_CALL_ATTACH_FAILED,
	GDRT_IMP_CALL_DETACH,
	GDRT_IMP_CALL_MAP,
	GDRT_IMP_CALL_MAP_FAILED,
	GDRT_IMP_CALL_UNMAP,
	GDRT_IMP_CALL_PIN,
	GDRT_IMP_CALL_PIN_FAILED,
	GDRT_IMP_CALL_UNPIN,
	GDRT_IMP_CALL_INVALIDATE,
	GDRT_IMP_CALLS
};

/* attachment.c */
struct gdrt_imp_attachment *gdrt_imp_attach(struct dma_buf *dmabuf,
					    struct gdrt_imp_function *function, u32 mode,
					    u64 handle);
void gdrt_imp_detach(struct gdrt_imp_attachment *a);
int gdrt_imp_map(struct gdrt_imp_attachment *a);
int gdrt_imp_map_locked(struct gdrt_imp_attachment *a);
int gdrt_imp_unmap(struct gdrt_imp_attachment *a);
int gdrt_imp_unmap_locked(struct gdrt_imp_attachment *a);
int gdrt_imp_pin(struct gdrt_imp_attachment *a);
int gdrt_imp_unpin(struct gdrt_imp_attachment *a);

/* file.c */
extern const struct file_operations gdrt_imp_fops;
void gdrt_imp_file_drop_function(struct gdrt_imp_function *function);

/* function.c */
int gdrt_imp_function_register(void);
void gdrt_imp_function_unregister(void);
struct gdrt_imp_function *gdrt_imp_function_get(u32 index);
void gdrt_imp_function_ref(struct gdrt_imp_function *function);
void gdrt_imp_function_put(struct gdrt_imp_function *function);
void gdrt_imp_function_show(struct seq_file *s);

/* ledger.c */
void gdrt_imp_ledger_count(enum gdrt_imp_call call);
void gdrt_imp_ledger_attach(struct gdrt_imp_attachment *a);
void gdrt_imp_ledger_detach(struct gdrt_imp_attachment *a);
void gdrt_imp_ledger_map(struct gdrt_imp_attachment *a);
void gdrt_imp_ledger_unmap(struct gdrt_imp_attachment *a);
void gdrt_imp_ledger_pin(struct gdrt_imp_attachment *a);
void gdrt_imp_ledger_unpin(struct gdrt_imp_attachment *a);
void gdrt_imp_ledger_init(void);
void gdrt_imp_ledger_exit(void);

#endif /* GDRT_IMP_IMPORTER_H */
