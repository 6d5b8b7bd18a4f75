// SPDX-License-Identifier: GPL-2.0
/* gdrctl buffer [show] [FILTERS] */
#include <stdlib.h>

#include "bufnames.h"
#include "cmd.h"
#include "device.h"
#include "list.h"

#define A(name) GDR_TELEMETRY_A_BUFFER_##name
/* What only attachments tell; they need root. */
#define OF_ATTACHMENTS                                                                           \
	(FILTER_BIT(IMPORTER) | FILTER_BIT(PID) | FILTER_BIT(COMM) | FILTER_BIT(CGROUP))
#define FILTERS (FILTER_BIT(EXPORTER) | FILTER_BIT(BUFFER) | OF_ATTACHMENTS)

static const struct value values[] = {
	{ .attr = A(INODE), .kind = VALUE_COUNT,
	  .field = { .key = "buffer", .title = "BUFFER", .right = true } },
	VALUES_EXPORTER(A_BUFFER),
	{ .attr = A(SIZE), .kind = VALUE_BYTES, .row = "size",
	  .field = { .key = "size_bytes", .title = "SIZE", .right = true } },
	VALUE_ATTACHMENTS(A_BUFFER),
	{ .attr = A(MAPPED), .kind = VALUE_COUNT,
	  .field = { .key = "mapped", .title = "MAPPED", .after = "mapped", .right = true } },
	{ .attr = A(PINNED), .kind = VALUE_COUNT,
	  .field = { .key = "pinned", .title = "PINNED", .after = "pinned", .right = true } },
	{ .attr = BUFFER_NAME, .kind = VALUE_TEXT, .row = "name", .optional = true, .looked_up = true,
	  .field = { .key = "buffer_name", .title = "NAME" } },
};

static bool is_attached(const void *arg, const struct record *r)
{
	const struct attachments *list = arg;

	for (size_t i = 0; i < list->n; i++)
		if (list->item[i].buffer == record_number(r, A(INODE)))
			return true;
	return false;
}

/* Keeps the buffers that at least one of the attachments meant is to. */
static enum exit_code keep_attached(struct nl *nl, const struct filter *f, struct records *list)
{
	struct attachments attachments = { .n = 0 };
	enum exit_code rc = kernel_attachments(nl, f, &attachments);

	attachments_filter(&attachments, f);
	records_keep(list, is_attached, &attachments);
	attachments_free(&attachments);
	return rc;
}

static enum exit_code read_buffers(const struct gdrctl *g, struct nl *nl, const struct filter *f,
				   struct records *list)
{
	enum exit_code rc = list_read(&list_buffer, nl, list);

	(void)g;
	return rc || !filter_has(f, OF_ATTACHMENTS) ? rc : keep_attached(nl, f, list);
}

static enum exit_code add_names(const struct gdrctl *g, struct nl *nl, struct records *list)
{
	struct bufname *names = calloc(list->n + 1, sizeof(*names));
	int err = names ? 0 : -1;

	(void)nl;
	for (size_t i = 0; !err && i < list->n; i++)
		names[i].inode = record_number(&list->item[i], A(INODE));
	if (!err && !g->opt.numeric)
		bufnames_read(names, list->n);
	for (size_t i = 0; !err && !g->opt.numeric && i < list->n; i++) {
		struct record *r = &list->item[i];
		const struct bufname *b = bufnames_find(names, list->n,
							record_number(r, A(INODE)));

		if (b && *b->name)
			err = record_set_text(r, BUFFER_NAME, b->name);
	}
	free(names);
	if (err)
		message("no memory");
	return err ? EXIT_SYSTEM : EXIT_OK;
}

const struct list_type list_buffer = {
	.what = "buffer", .plural = "buffers", .cmd = GDR_TELEMETRY_CMD_BUFFER_GET,
	.value = values, .n = ARRAY_SIZE(values), .ids = 1, .filters = FILTERS,
	.exporter = A(EXPORTER), .module = A(EXPORTER_MODULE), .buffer = A(INODE),
	.read = read_buffers, .add = add_names,
};

static enum exit_code show(struct gdrctl *g, struct args *a)
{
	return list_show(&list_buffer, g, a);
}

static const struct command commands[] = {
	{ "show", show, FILTERS, "list buffers with a live attachment" },
	{ NULL, NULL, 0, NULL },
};

const struct object object_buffer = {
	.name = "buffer",
	.help = "the dma-bufs that are attached to, each once",
	.notes = "Open to every user; filters by HCA and process, and names, need root.\n"
		 "MAPPED and PINNED count attachments: a buffer cannot move while one pins it.\n",
	.command = commands,
};
