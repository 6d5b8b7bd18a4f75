/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of gdr_telemetry.h on registrations and MRs. Included there.
 */
#ifndef GDRT_MR_H
#define GDRT_MR_H

#include <linux/types.h>

#include "../include/uapi/linux/gdr_telemetry.h"
#include "devices.h"

struct dma_buf;
struct dma_buf_attachment;

/* ---- mr.c: registrations and the MRs that they make --------------------- */

/**
 * struct gdrt_reg - a registration between its entry and its return
 * @dev: the device that registers, alive as long as the call
 * @hca: it is an mlx5 function
 * @devx: it makes a devx umem, not an MR
 * @offset: offset in the buffer
 * @length: length of the MR
 * @iova: address that peers use
 * @access: enum ib_access_flags
 * @pd: number of the protection domain
 * @fd: file descriptor of the buffer; -1 for a capability query
 * @looked_up: the arguments were right: the buffer was looked up
 * @attach: the attachment made inside; never followed
 * @id: its id; 0 for none
 * @known: @ident and what follows is known
 * @ident: software that exports the buffer
 * @exporter: who owns its memory, as far as it is known
 * @inode: inode number of the buffer
 * @stage: where a call inside failed, if @err is set
 * @err: negative errno of that call
 */
struct gdrt_reg {
	struct device			*dev;
	bool				hca;
	bool				devx;
	bool				looked_up;
	bool				known;
	u64				offset;
	u64				length;
	u64				iova;
	u32				access;
	u32				pd;
	s32				fd;
	const struct dma_buf_attachment	*attach;
	u64				id;
	struct gdrt_ident		*ident;
	struct gdrt_device		*exporter;
	u64				inode;
	enum gdr_telemetry_stage	stage;
	int				err;
};

/**
 * struct gdrt_mr - the MR on top of an attachment
 * @key: the kernel's MR; never followed; NULL if there is none
 * @offset: offset in the buffer
 * @length: its length
 * @iova: address that peers use
 * @access: enum ib_access_flags
 * @pd: number of the protection domain (rdma resource show pd)
 * @number: number of the MR (rdma resource show mr)
 * @lkey: local key
 * @rkey: remote key
 * @changed: it was registered again since, so the above may be old
 */
struct gdrt_mr {
	const void	*key;
	u64		offset;
	u64		length;
	u64		iova;
	u32		access;
	u32		pd;
	u32		number;
	u32		lkey;
	u32		rkey;
	bool		changed;
};

/**
 * struct gdrt_dereg - a deregistration between its entry and its return
 * @attach: the attachment that the MR was on; NULL if none is known
 * @id: its id
 * @importer: who registered it
 * @mr: the MR
 */
struct gdrt_dereg {
	const struct dma_buf_attachment	*attach;
	u64				id;
	struct gdrt_device		*importer;
	struct gdrt_mr			mr;
};

/**
 * struct gdrt_rereg - what changed when an MR was registered again in place
 * @has_access: @access is known
 * @access: its new access flags
 * @has_pd: @pd is known
 * @pd: number of its new protection domain
 */
struct gdrt_rereg {
	bool	has_access;
	bool	has_pd;
	u32	access;
	u32	pd;
};

struct gdrt_attachment;

void gdrt_reg_buffer(struct gdrt_reg *r, struct dma_buf *dmabuf);
void gdrt_registered(const struct gdrt_reg *r, struct gdrt_mr *mr, u64 ns);
void gdrt_register_failed(const struct gdrt_reg *r, int err);
void gdrt_register_unread(int err);
void gdrt_deregister_begin(const void *key, struct gdrt_dereg *d);
void gdrt_deregister_end(const struct gdrt_dereg *d, int err, u64 ns);
void gdrt_reregistered(const void *key, const struct gdrt_rereg *r);
void gdrt_mr_forget(struct gdrt_attachment *a);
int gdrt_mrs_init(void);
void gdrt_mrs_exit(void);

#endif
