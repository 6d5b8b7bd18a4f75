// SPDX-License-Identifier: GPL-2.0
/* gdrctl importer [show] [FILTERS] */
#include "cmd.h"
#include "device.h"
#include "list.h"

#define A(name) GDR_TELEMETRY_A_DEVICE_##name
#define FILTERS FILTER_BIT(IMPORTER)

static const struct value values[] = {
	{ .attr = A(NAME), .kind = VALUE_TEXT,
	  .field = { .key = "importer", .title = "IMPORTER" } },
	{ .attr = A(IBDEV), .kind = VALUE_NAMES, .row = "RDMA device", .optional = true,
	  .looked_up = true, .field = { .key = "importer_ibdevs", .title = "IBDEV" } },
	{ .attr = A(DRIVER), .kind = VALUE_TEXT, .row = "driver", .optional = true,
	  .field = { .key = "importer_driver", .title = "DRIVER" } },
	{ .attr = A(FLAGS), .kind = VALUE_FLAGS, .row = "flags", .words = device_flag_words,
	  .field = { .key = "flags" } },
	VALUES_HELD(A_DEVICE),
	{ .attr = A(REGISTER_TOTAL), .kind = VALUE_COUNT, .row = "registration",
	  .field = { .key = "register_total", .after = "done" } },
	{ .attr = A(CAPABILITY_QUERIES_TOTAL), .kind = VALUE_COUNT,
	  .field = { .key = "capability_queries_total", .after = "capability queries" } },
	{ .attr = A(ATTACH_TOTAL), .kind = VALUE_COUNT, .row = "attach",
	  .field = { .key = "attach_total", .after = "done" } },
	{ .attr = A(DETACH_TOTAL), .kind = VALUE_COUNT,
	  .field = { .key = "detach_total", .after = "detached again" } },
	VALUE_INVALIDATE(A_DEVICE),
	VALUE_FAILURES(A_DEVICE),
	VALUES_STAGES,
};

const struct list_type list_importer = {
	.what = "importer", .plural = "importers", .cmd = GDR_TELEMETRY_CMD_DEVICE_GET,
	.role_attr = A(ROLE), .role = GDR_TELEMETRY_ROLE_IMPORTER,
	.value = values, .n = ARRAY_SIZE(values), .ids = 1, .filters = FILTERS,
	.importer = A(NAME),
};

static enum exit_code show(struct gdrctl *g, struct args *a)
{
	return list_show(&list_importer, g, a);
}

static const struct command commands[] = {
	{ "show", show, FILTERS, "list importers, idle ones too; open to every user" },
	{ NULL, NULL, 0, NULL },
};

const struct object object_importer = {
	.name = "importer",
	.help = "the HCAs, and what each holds of all GPUs",
	.notes = "PINNED and MAPPED count each buffer once for an importer.\n",
	.command = commands,
};
