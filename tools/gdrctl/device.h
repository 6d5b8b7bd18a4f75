/* SPDX-License-Identifier: GPL-2.0 */
/* Values that importers, exporters and pairs share: how they are called is the same in all. */
#ifndef GDRCTL_DEVICE_H
#define GDRCTL_DEVICE_H

#include "gpus.h"
#include "record.h"

#define DEVICE_GPU_INDEX LOCAL(0)
#define DEVICE_GPU_UUID LOCAL(1)
#define DEVICE_GPU_MODEL LOCAL(2)

/* @a is A_DEVICE or A_PAIR. */
#define VALUE_ATTACHMENTS(a)                                                                     \
	{ .attr = GDR_TELEMETRY_##a##_ATTACHMENTS, .kind = VALUE_COUNT, .row = "attachments",    \
	  .field = { .key = "attachments", .title = "ATTACHMENTS", .after = "live",       \
		     .right = true } }
#define VALUE_BUFFERS(a)                                                                         \
	{ .attr = GDR_TELEMETRY_##a##_BUFFERS, .kind = VALUE_COUNT,                              \
	  .field = { .key = "buffers", .title = "BUFFERS", .before = "to", .after = "buffers",   \
		     .right = true } }
#define VALUE_MRS(a)                                                                             \
	{ .attr = GDR_TELEMETRY_##a##_MRS, .kind = VALUE_COUNT, .row = "MRs",                    \
	  .field = { .key = "mrs", .title = "MRS", .after = "live", .right = true } }
#define VALUE_MR_BYTES(a)                                                                        \
	{ .attr = GDR_TELEMETRY_##a##_MR_BYTES, .kind = VALUE_BYTES,                             \
	  .field = { .key = "mr_bytes", .after = "covered" } }
#define VALUE_PINNED(a)                                                                          \
	{ .attr = GDR_TELEMETRY_##a##_PINNED_BYTES, .kind = VALUE_BYTES, .row = "pinned, unique", \
	  .field = { .key = "pinned_bytes", .title = "PINNED", .right = true } }
#define VALUE_PINNED_PAGES(a)                                                                    \
	{ .attr = GDR_TELEMETRY_##a##_PINNED_PAGES, .kind = VALUE_COUNT,                         \
	  .field = { .key = "pinned_pages", .after = "pages" } }
#define VALUE_MAPPED(a)                                                                          \
	{ .attr = GDR_TELEMETRY_##a##_MAPPED_BYTES, .kind = VALUE_BYTES, .row = "mapped, unique", \
	  .field = { .key = "mapped_bytes", .title = "MAPPED", .right = true } }
#define VALUE_INVALIDATE(a)                                                                      \
	{ .attr = GDR_TELEMETRY_##a##_INVALIDATE_TOTAL, .kind = VALUE_COUNT, .row = "invalidate", \
	  .field = { .key = "invalidate_total", .after = "calls" } }
#define VALUE_FAILURES(a)                                                                        \
	{ .attr = GDR_TELEMETRY_##a##_FAILURES_TOTAL, .kind = VALUE_COUNT, .row = "failed",      \
	  .field = { .key = "failures_total", .title = "FAILED", .after = "in all",              \
		     .right = true } }

/* One stage of the failures of a device. */
#define VALUE_STAGE(name, json, words)                                                           \
	{ .attr = GDR_TELEMETRY_A_DEVICE_##name##_FAILURES_TOTAL, .kind = VALUE_COUNT,           \
	  .field = { .key = json, .before = (words) } }

/* What the driver of a GPU tells of it. */
#define VALUE_GPU_INDEX                                                                          \
	{ .attr = DEVICE_GPU_INDEX, .kind = VALUE_COUNT, .row = "GPU", .optional = true,         \
	  .looked_up = true,                                                                     \
	  .field = { .key = "gpu_index", .title = "GPU", .before = "index", .right = true } }
#define VALUE_GPU_UUID                                                                           \
	{ .attr = DEVICE_GPU_UUID, .kind = VALUE_TEXT, .optional = true, .looked_up = true,      \
	  .field = { .key = "gpu_uuid", .before = "UUID" } }
#define VALUE_GPU_MODEL                                                                          \
	{ .attr = DEVICE_GPU_MODEL, .kind = VALUE_TEXT, .optional = true, .looked_up = true,     \
	  .field = { .key = "gpu_model" } }

/**
 * device_add_gpu - add the index, UUID and model of the GPU, as far as they are known
 * @r: the record
 * @exporter: its attribute that holds the BDF
 *
 * Return: 0 or -ENOMEM
 */
int device_add_gpu(struct record *r, int exporter);

#endif
