// SPDX-License-Identifier: GPL-2.0
/* gdrctl buffer [show] [FILTERS] */
#include <stdlib.h>

#include "bufnames.h"
#include "cmd.h"
#include "list.h"

#define A(name) GDR_TELEMETRY_A_BUFFER_##name
#define NAME LOCAL(0)
/* What only attachments tell; they need root. */
#define OF_ATTACHMENTS                                                                           \
	(FILTER_BIT(IMPORTER) | FILTER_BIT(PID) | FILTER_BIT(COMM) | FILTER_BIT(CGROUP))
#define FILTERS (FILTER_BIT(EXPORTER) | FILTER_BIT(BUFFER) | OF_ATTACHMENTS)

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
	{ .attr = NAME, .kind = VALUE_TEXT, .row = "name", .optional = true, .looked_up = true,
	  .field = { .key = "buffer_name", .title = "NAME" } },
};

static bool is_attached(const struct attachments *list, const struct record *r)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->item[i].buffer == record_number(r, A(INODE)))
			return true;
	return false;
}

/* Keeps the buffers that at least one of the attachments meant is to. */
static enum exit_code keep_attached(struct nl *nl, const struct filter *f, struct records *list)
{
	struct attachments attachments = { .n = 0 };
	size_t kept = 0;
	enum exit_code rc = kernel_attachments(nl, f, &attachments);

	attachments_filter(&attachments, f);
	for (size_t i = 0; i < list->n; i++) {
		if (is_attached(&attachments, &list->item[i]))
			list->item[kept++] = list->item[i];
		else
			record_free(&list->item[i]);
	}
	list->n = kept;
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

static int by_inode(const void *a, const void *b)
{
	const struct bufname *x = a, *y = b;

	return (x->inode > y->inode) - (x->inode < y->inode);
}

static enum exit_code add_names(const struct gdrctl *g, struct nl *nl, struct records *list)
{
	struct bufname *names = calloc(list->n + 1, sizeof(*names)), *b;
	int err = names ? 0 : -1;

	(void)nl;
	for (size_t i = 0; !err && i < list->n; i++)
		names[i].inode = record_number(&list->item[i], A(INODE));
	if (!err && !g->opt.numeric) {
		qsort(names, list->n, sizeof(*names), by_inode);
		bufnames_read(names, list->n);
	}
	for (size_t i = 0; !err && i < list->n; i++) {
		const struct bufname key = { .inode = record_number(&list->item[i], A(INODE)) };

		b = bsearch(&key, names, list->n, sizeof(*names), by_inode);
		if (b && *b->name)
			err = record_set_text(&list->item[i], NAME, b->name);
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
