// SPDX-License-Identifier: GPL-2.0
/* gdrctl exporter [show] [FILTERS] */
#include "cmd.h"
#include "device.h"
#include "list.h"

#define A(name) GDR_TELEMETRY_A_DEVICE_##name
#define FILTERS FILTER_BIT(EXPORTER)

static const struct value values[] = {
	{ .attr = A(NAME), .kind = VALUE_TEXT,
	  .field = { .key = "exporter", .title = "EXPORTER" } },
	VALUES_GPU,
	{ .attr = A(DRIVER), .kind = VALUE_TEXT, .row = "driver", .optional = true,
	  .field = { .key = "exporter_driver", .title = "DRIVER" } },
	{ .attr = A(FLAGS), .kind = VALUE_FLAGS, .row = "flags", .words = device_flag_words,
	  .field = { .key = "flags" } },
	{ .attr = A(BAR1_BYTES), .kind = VALUE_BYTES, .row = "BAR 1", .optional = true,
	  .field = { .key = "bar1_bytes", .title = "BAR1", .right = true } },
	VALUES_HELD(A_DEVICE),
	VALUE_INVALIDATE(A_DEVICE),
	VALUE_FAILURES(A_DEVICE),
	VALUES_STAGES,
};

static enum exit_code add_gpus(const struct gdrctl *g, struct nl *nl, struct records *list)
{
	(void)nl;
	return devices_add_gpus(g, list, A(NAME));
}

const struct list_type list_exporter = {
	.what = "exporter", .plural = "exporters", .cmd = GDR_TELEMETRY_CMD_DEVICE_GET,
	.role_attr = A(ROLE), .role = GDR_TELEMETRY_ROLE_EXPORTER,
	.value = values, .n = ARRAY_SIZE(values), .ids = 1, .filters = FILTERS,
	.exporter = A(NAME), .module = A(DRIVER), .add = add_gpus,
};

static enum exit_code show(struct gdrctl *g, struct args *a)
{
	return list_show(&list_exporter, g, a);
}

static const struct command commands[] = {
	{ "show", show, FILTERS, "list exporters, idle GPUs too; open to every user" },
	{ NULL, NULL, 0, NULL },
};

const struct object object_exporter = {
	.name = "exporter",
	.help = "the GPUs, and what all HCAs hold of each",
	.notes = "PINNED and MAPPED count each buffer once. A buffer whose GPU is not known yet, or\n"
		 "that lies in the host's memory, is under the name of its module; so are failures\n"
		 "before the first mapping. BAR1 is also used by others than dma-buf.\n",
	.command = commands,
};
