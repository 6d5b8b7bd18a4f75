/* SPDX-License-Identifier: GPL-2.0 */
/* Values that records of several kinds have: how they are called is the same in all. */
#ifndef GDRCTL_DEVICE_H
#define GDRCTL_DEVICE_H

#include "gpus.h"
#include "record.h"

#define DEVICE_GPU_INDEX LOCAL(0)
#define DEVICE_GPU_UUID LOCAL(1)
#define DEVICE_GPU_MODEL LOCAL(2)
/* The name that a user gave to a buffer. */
#define BUFFER_NAME LOCAL(0)

/* @a is A_DEVICE, A_PAIR, A_BUFFER or A_FAILURE, as far as it has them. */
#define VALUE_ATTACHMENTS(a)                                                                     \
	{ .attr = GDR_TELEMETRY_##a##_ATTACHMENTS, .kind = VALUE_COUNT, .row = "attachments",    \
	  .field = { .key = "attachments", .title = "ATTACHMENTS", .after = "live",              \
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

/* What is held now, and how often it was given up or not got. */
#define VALUES_HELD(a)                                                                           \
	VALUE_ATTACHMENTS(a), VALUE_BUFFERS(a), VALUE_MRS(a), VALUE_MR_BYTES(a),                 \
	VALUE_PINNED(a), VALUE_PINNED_PAGES(a), VALUE_MAPPED(a)

/* The failures of a device, by stage. */
#define VALUE_STAGE(name, words)                                                                 \
	{ .attr = GDR_TELEMETRY_A_DEVICE_##name##_FAILURES_TOTAL, .kind = VALUE_COUNT,           \
	  .field = { .key = words "_failures_total", .before = (words) } }
#define VALUES_STAGES                                                                            \
	VALUE_STAGE(VERBS, "verbs"), VALUE_STAGE(UMEM, "umem"), VALUE_STAGE(ATTACH, "attach"),   \
	VALUE_STAGE(MAP, "map"), VALUE_STAGE(PIN, "pin"), VALUE_STAGE(HW, "hw")

/* Who exports one buffer. */
#define VALUES_EXPORTER(a)                                                                       \
	{ .attr = GDR_TELEMETRY_##a##_EXPORTER, .kind = VALUE_TEXT, .row = "exporter",           \
	  .field = { .key = "exporter", .title = "EXPORTER" } },                                 \
	{ .attr = GDR_TELEMETRY_##a##_EXPORTER_MODULE, .kind = VALUE_TEXT, .optional = true,     \
	  .field = { .key = "exporter_module", .before = "module" } },                           \
	{ .attr = GDR_TELEMETRY_##a##_EXPORTER_NAME, .kind = VALUE_TEXT, .optional = true,       \
	  .field = { .key = "exporter_name", .before = "exp_name" } }

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

#define VALUES_GPU VALUE_GPU_INDEX, VALUE_GPU_MODEL, VALUE_GPU_UUID

/**
 * devices_add_gpus - add index, UUID and model of the GPU to each record, as far as they are known
 * @g: options: nothing is looked up for -n
 * @list: the records
 * @exporter: their attribute that holds the BDF
 *
 * Return: EXIT_OK, or EXIT_SYSTEM, said on standard error
 */
enum exit_code devices_add_gpus(const struct gdrctl *g, struct records *list, int exporter);

/**
 * devices_add_ibdevs - add the RDMA devices of the importer to each record that has some
 * @g: options: nothing is looked up for -n
 * @list: the records
 * @importer: their attribute that holds the BDF
 * @ibdevs: the one that the names go to
 *
 * Return: EXIT_OK, or EXIT_SYSTEM, said on standard error
 */
enum exit_code devices_add_ibdevs(const struct gdrctl *g, struct records *list, int importer,
				  int ibdevs);

#endif
