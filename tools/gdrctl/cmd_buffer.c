// SPDX-License-Identifier: GPL-2.0
/* gdrctl buffer [show] [FILTERS] */
#include "cmd.h"
#include "list.h"

#define A(name) GDR_TELEMETRY_A_BUFFER_##name
#define FILTERS (FILTER_BIT(EXPORTER) | FILTER_BIT(BUFFER))

static const struct value values[] = {
	{ .attr = A(INODE), .kind = VALUE_COUNT,
	  .field = { .key = "buffer", .title = "BUFFER", .right = true } },
	{ .attr = A(EXPORTER), .kind = VALUE_TEXT, .row = "exporter",
	  .field = { .key = "exporter", .title = "EXPORTER" } },
	{ .attr = A(EXPORTER_MODULE), .kind = VALUE_TEXT, .optional = true,
	  .field = { .key = "exporter_module", .before = "module" } },
	{ .attr = A(EXPORTER_NAME), .kind = VALUE_TEXT, .optional = true,
	  .field = { .key = "exporter_name", .before = "exp_name" } },
	{ .attr = A(SIZE), .kind = VALUE_BYTES, .row = "size",
	  .field = { .key = "size_bytes", .title = "SIZE", .right = true } },
	{ .attr = A(ATTACHMENTS), .kind = VALUE_COUNT, .row = "attachments",
	  .field = { .key = "attachments", .title = "ATTACHMENTS", .after = "live",
		     .right = true } },
	{ .attr = A(MAPPED), .kind = VALUE_COUNT,
	  .field = { .key = "mapped", .title = "MAPPED", .after = "mapped", .right = true } },
	{ .attr = A(PINNED), .kind = VALUE_COUNT,
	  .field = { .key = "pinned", .title = "PINNED", .after = "pinned", .right = true } },
};

const struct list_type list_buffer = {
	.what = "buffer", .plural = "buffers", .cmd = GDR_TELEMETRY_CMD_BUFFER_GET,
	.value = values, .n = ARRAY_SIZE(values), .ids = 1, .filters = FILTERS,
	.exporter = A(EXPORTER), .module = A(EXPORTER_MODULE), .buffer = A(INODE),
};

static enum exit_code show(struct gdrctl *g, struct args *a)
{
	return list_show(&list_buffer, g, a);
}

static const struct command commands[] = {
	{ "show", show, FILTERS, "list buffers with a live attachment; open to every user" },
	{ NULL, NULL, 0, NULL },
};

const struct object object_buffer = {
	.name = "buffer",
	.help = "the dma-bufs that are attached to, each once",
	.notes = "MAPPED and PINNED count attachments: a buffer cannot move while one pins it.\n",
	.command = commands,
};
