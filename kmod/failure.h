/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of gdr_telemetry.h on what went wrong, and on how long calls take.
 * Included there.
 */
#ifndef GDRT_FAILURE_H
#define GDRT_FAILURE_H

#include <linux/atomic.h>
#include <linux/types.h>

#include "../include/uapi/linux/gdr_telemetry.h"
#include "devices.h"

struct dma_buf;
struct dma_buf_attachment;

/* ---- failure.c: what went wrong, counted and kept ------------------------ */

/**
 * struct gdrt_failure - one thing that went wrong
 * @seq: its number; given by failure.c
 * @time: when, in ns of boot time; given by failure.c
 * @stage: where
 * @err: negative errno
 * @has_owner: @owner is known
 * @known: the buffer is known: @inode, @ident, @exporter
 * @registration: made in a registration: @offset, @length, @access are known
 * @owner: the process
 * @importer: who wanted it; NULL if not known
 * @exporter: who owns the memory
 * @ident: software that exports the buffer
 * @inode: inode number of the buffer
 * @offset: offset in the buffer
 * @length: length of the MR
 * @access: enum ib_access_flags
 */
struct gdrt_failure {
	u64				seq;
	u64				time;
	enum gdr_telemetry_stage	stage;
	int				err;
	bool				has_owner;
	bool				known;
	bool				registration;
	struct gdrt_owner_desc		owner;
	struct gdrt_device		*importer;
	struct gdrt_device		*exporter;
	struct gdrt_ident		*ident;
	u64				inode;
	u64				offset;
	u64				length;
	u32				access;
};

/**
 * struct gdrt_failure_count - failures of one kind
 * @importer: whose; NULL if not known
 * @stage: where
 * @err: positive errno
 * @count: how many
 */
struct gdrt_failure_count {
	struct gdrt_device		*importer;
	enum gdr_telemetry_stage	stage;
	int				err;
	atomic64_t			count;
};

int gdrt_failures_init(void);
void gdrt_failures_exit(void);
void gdrt_failure_add(struct gdrt_failure *f);
void gdrt_attach_failed(struct dma_buf *dmabuf, struct device *dev, int err, bool gave_up);
void gdrt_map_failed(struct dma_buf_attachment *attach, int err);
void gdrt_pin_failed(struct dma_buf_attachment *attach, int err);
void gdrt_failure_query(struct gdrt_device *importer, int err);
unsigned int gdrt_failure_counts(void);
const struct gdrt_failure_count *gdrt_failure_count_at(unsigned int i);
bool gdrt_failure_next(u64 *seq, struct gdrt_failure *f);

/* ---- latency.c: how long calls take -------------------------------------- */

#define GDRT_LATENCY_OPS	(GDR_TELEMETRY_LATENCY_OP_DEREGISTER + 1)

/* Bucket n counts what took from 2^n ns to 2^(n+1) ns; the last one also more. */
#define GDRT_LATENCY_BUCKETS	40

/**
 * struct gdrt_latency - histograms of an importer
 * @count: calls by operation and bucket
 * @sum: ns that they took, by operation
 */
struct gdrt_latency {
	atomic64_t	count[GDRT_LATENCY_OPS][GDRT_LATENCY_BUCKETS];
	atomic64_t	sum[GDRT_LATENCY_OPS];
};

int gdrt_latency_init(void);
void gdrt_latency_exit(void);
void gdrt_latency_add(struct gdrt_device *importer, enum gdr_telemetry_latency_op op, u64 ns);

#endif
