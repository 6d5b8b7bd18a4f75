// SPDX-License-Identifier: GPL-2.0
/* gdrctl metrics [--openmetrics] [--textfile PATH] */
#include <stdio.h>
#include <stdlib.h>

#include "cmd.h"
#include "failure.h"
#include "format.h"
#include "latency.h"
#include "metrics.h"
#include "replace.h"

/** struct text - a text that is to be written, and in which form */
struct text {
	const struct gdrctl *g;
	const struct metrics *m;
};

static void write_text(FILE *to, const void *arg)
{
	const struct text *t = arg;

	metrics_write(t->m, t->g->opt.numeric, t->g->opt.openmetrics, to);
}

/* A list that is sorted, so that two texts of the same numbers are the same. */
static enum exit_code read_list(const struct gdrctl *g, const struct list_type *t, struct nl *nl,
				struct records *list)
{
	enum exit_code rc = list_read(t, nl, list);

	/* That has been said; the other metrics of an older module are right. */
	if (rc && nl->unsupported)
		return EXIT_OK;
	if (!rc && t == &list_latency)
		rc = t->add(g, nl, list);
	list_sort(t, list);
	return rc;
}

static enum exit_code read_all(const struct gdrctl *g, struct nl *nl, struct metrics *m)
{
	enum exit_code rc = kernel_status(nl, &m->status);

	if (!rc)
		rc = read_list(g, &metrics_importers, nl, &m->importers);
	if (!rc)
		rc = read_list(g, &metrics_exporters, nl, &m->exporters);
	if (!rc)
		rc = read_list(g, &metrics_pairs, nl, &m->pairs);
	if (!rc)
		rc = read_list(g, &list_failure, nl, &m->failures);
	if (!rc)
		rc = read_list(g, &list_latency, nl, &m->latencies);
	return rc;
}

static enum exit_code show(struct gdrctl *g, struct args *a)
{
	const char *word = args_next(a);
	struct metrics m = { .status.n_probes = 0 };
	struct text t = { g, &m };
	char shown[64];
	struct nl nl;
	enum exit_code rc;

	if (word) {
		message("metrics takes no word, not \"%s\"; to write a file: --textfile PATH",
			format_escape(word, shown, sizeof(shown)));
		return EXIT_USAGE;
	}
	if (a->wrong)
		return EXIT_USAGE;
	if (g->opt.json || g->opt.oneline || g->opt.details || g->opt.bytes) {
		message("metrics is text for Prometheus: of the options only -n, --openmetrics "
			"and --textfile go with it");
		return EXIT_USAGE;
	}
	rc = kernel_open(&nl);
	if (!rc)
		rc = read_all(g, &nl, &m);
	kernel_close(&nl);
	if (!rc)
		/* Its readers, as node_exporter, are other users. */
		rc = g->opt.textfile ? replace_file(g->opt.textfile, 0666, write_text, &t) :
		     replace_or_print(NULL, 0, write_text, &t);
	metrics_free(&m);
	return rc;
}

static const struct command commands[] = {
	{ "show", show, 0, "print them; open to every user" },
	{ NULL, NULL, 0, NULL },
};

static void set_openmetrics(struct options *o, const char *value)
{
	(void)value;
	o->openmetrics = true;
}

static void set_textfile(struct options *o, const char *value)
{
	o->textfile = value;
}

static const struct object_option options[] = {
	{ "openmetrics", NULL, set_openmetrics, "OpenMetrics 1.0 in place of Prometheus's text" },
	{ "textfile", "PATH", set_textfile,
	  "write to this file, in one step, for node_exporter: *.prom" },
	{ NULL, NULL, NULL, NULL },
};

const struct object object_metrics = {
	.name = "metrics",
	.help = "all numbers as text for Prometheus, and OpenMetrics",
	.notes = "Labels are few: importer and ibdev, exporter and uuid, stage, errno, op; no\n"
		 "process.\n",
	.command = commands,
	.options = options,
};
