// SPDX-License-Identifier: GPL-2.0
/* gdrctl pair [show] [FILTERS] */
#include <inttypes.h>
#include <string.h>

#include "cmd.h"
#include "device.h"
#include "list.h"

#define A(name) GDR_TELEMETRY_A_PAIR_##name
#define FILTERS (FILTER_BIT(IMPORTER) | FILTER_BIT(EXPORTER))

static const struct value values[] = {
	{ .attr = A(EXPORTER), .kind = VALUE_TEXT,
	  .field = { .key = "exporter", .title = "EXPORTER" } },
	{ .attr = A(IMPORTER), .kind = VALUE_TEXT,
	  .field = { .key = "importer", .title = "IMPORTER" } },
	{ .attr = A(IMPORTER_IBDEV), .kind = VALUE_NAMES, .row = "RDMA device", .optional = true,
	  .looked_up = true, .field = { .key = "importer_ibdevs", .title = "IBDEV" } },
	VALUES_GPU,
	VALUES_HELD(A_PAIR),
	VALUE_INVALIDATE(A_PAIR),
	VALUE_FAILURES(A_PAIR),
};

static enum exit_code add_gpus(const struct gdrctl *g, struct nl *nl, struct records *list)
{
	(void)nl;
	return devices_add_gpus(g, list, A(EXPORTER));
}

/* A failure before the first mapping of a buffer is its exporter's alone: its GPU is not known. */
static void note_failures_elsewhere(struct nl *nl)
{
	struct records list = { .n = 0 };
	uint64_t n = 0;

	if (list_read(&list_exporter, nl, &list) == EXIT_OK)
		for (size_t i = 0; i < list.n; i++) {
			const char *name = record_text(&list.item[i], GDR_TELEMETRY_A_DEVICE_NAME);

			if (name && !strchr(name, ':'))
				n += record_number(&list.item[i],
						   GDR_TELEMETRY_A_DEVICE_FAILURES_TOTAL);
		}
	records_free(&list);
	if (!n)
		return;
	fflush(stdout);
	message("note: %" PRIu64 " failures are in no pair, as their GPU is not known: "
		"gdrctl failure", n);
}

const struct list_type list_pair = {
	.what = "pair", .plural = "pairs", .cmd = GDR_TELEMETRY_CMD_PAIR_GET,
	.value = values, .n = ARRAY_SIZE(values), .ids = 2, .filters = FILTERS,
	.importer = A(IMPORTER), .exporter = A(EXPORTER), .add = add_gpus,
	.note = note_failures_elsewhere,
};

static enum exit_code show(struct gdrctl *g, struct args *a)
{
	return list_show(&list_pair, g, a);
}

static const struct command commands[] = {
	{ "show", show, FILTERS, "list the pairs there have been; open to every user" },
	{ NULL, NULL, 0, NULL },
};

const struct object object_pair = {
	.name = "pair",
	.help = "each GPU by each HCA that has reached it",
	.notes = "A pair is there from the first mapping on, which tells the GPU, until the module is\n"
		 "unloaded. PINNED and MAPPED count each buffer once for a pair.\n",
	.command = commands,
};
