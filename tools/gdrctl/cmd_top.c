// SPDX-License-Identifier: GPL-2.0
/* gdrctl top: what the command line of gdrctl-top, which is another program, looks like. */
#include "cmd.h"
#include "top/top.h"

static void set_view(struct options *o, const char *value)
{
	o->view = value;
}

static void set_sort(struct options *o, const char *value)
{
	o->sort = value;
}

static void set_delay(struct options *o, const char *value)
{
	o->delay = value;
}

static void set_batch(struct options *o, const char *value)
{
	o->batch = value;
}

static const struct command commands[] = {
	{ "show", NULL, TOP_FILTERS, "show them on the terminal until q; all but pairs needs root" },
	{ NULL, NULL, 0, NULL },
};

static const struct object_option options[] = {
	{ "view", "WHAT", set_view, "owner, pair or attachment" },
	{ "sort", "KEY", set_sort, "pinned, attachments, mrs, failures, age or process" },
	{ "delay", "SECS", set_delay, "seconds between two looks, from 0.1: 2" },
	{ "batch", "N", set_batch, "print so many looks, one after the other, without a terminal" },
	{ NULL, NULL, NULL, NULL },
};

const struct object object_top = {
	.name = "top",
	.help = "who pins most, pairs and attachments, live on the terminal",
	.notes = "Keys: q ends; o, p, a: owners, pairs, attachments; s: another order, r: the other\n"
		 "way round; / keeps lines with a text; + and - change the delay; arrows scroll.\n",
	.command = commands,
	.external = "gdrctl-top",
	.options = options,
};
