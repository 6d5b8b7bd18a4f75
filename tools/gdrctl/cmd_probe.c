// SPDX-License-Identifier: GPL-2.0
/* gdrctl probe [show] */
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "list.h"

enum probe_attr { P_SYMBOL = 1, P_STATE, P_NEEDED, P_MISSED, P_ERROR };

/* Why it is not armed, for people; the kernel's errno for programs. */
static void put_why(const struct gdrctl *g, struct out *o, const struct record *r,
		    const struct value *v)
{
	const struct out_field why = { .key = "errno", .title = "WHY", .before = "as" };
	bool needed = record_number(r, P_NEEDED);
	uint64_t err = record_number(r, v->attr);
	const char *text = "";

	if (g->opt.json || g->opt.oneline) {
		if (record_has(r, v->attr))
			out_u64(o, &v->field, err);
		return;
	}
	switch (record_number(r, P_STATE)) {
	case GDR_TELEMETRY_PROBE_STATE_MISSING:
		text = needed ? "this kernel has no such function" :
				"of another kernel, or of a module that is not loaded";
		break;
	case GDR_TELEMETRY_PROBE_STATE_DISARMED:
		text = "the module that has it is being loaded or unloaded";
		break;
	case GDR_TELEMETRY_PROBE_STATE_FAILED:
		text = err ? strerror((int)err) : "the kernel refused it";
		break;
	}
	if (*text || !g->opt.details)
		out_number(o, &why, err, text);
}

static const struct value values[] = {
	{ .attr = P_SYMBOL, .kind = VALUE_TEXT, .field = { .key = "symbol", .title = "PROBE" } },
	{ .attr = P_STATE, .kind = VALUE_ENUM, .row = "state", .words = probe_words,
	  .field = { .key = "state", .title = "STATE" } },
	{ .attr = P_ERROR, .kind = VALUE_CUSTOM, .put = put_why,
	  .field = { .key = "errno" } },
	{ .attr = P_NEEDED, .kind = VALUE_BOOL, .row = "needed",
	  .field = { .key = "needed", .title = "NEEDED" } },
	{ .attr = P_MISSED, .kind = VALUE_COUNT, .row = "missed",
	  .field = { .key = "missed_total", .title = "MISSED", .after = "calls",
		     .right = true } },
};

static int add_probe(const struct probe *p, struct records *list)
{
	struct record r = { .present = 0 };

	if (model_has(p->present, GDR_TELEMETRY_A_PROBE_SYMBOL) &&
	    record_set_text(&r, P_SYMBOL, p->symbol))
		return -1;
	if (model_has(p->present, GDR_TELEMETRY_A_PROBE_STATE))
		record_set_number(&r, P_STATE, p->state);
	if (model_has(p->present, GDR_TELEMETRY_A_PROBE_ERROR))
		record_set_number(&r, P_ERROR, p->error);
	if (model_has(p->present, GDR_TELEMETRY_A_PROBE_MISSED))
		record_set_number(&r, P_MISSED, p->missed);
	record_set_number(&r, P_NEEDED, p->needed);
	return records_add(list, &r);
}

int probes_make(const struct status *s, struct records *list)
{
	int err = 0;

	for (size_t i = 0; !err && i < s->n_probes; i++)
		err = add_probe(&s->probes[i], list);
	return err;
}

static enum exit_code read_probes(const struct gdrctl *g, struct nl *nl, const struct filter *f,
				  struct records *list)
{
	struct status s;
	enum exit_code rc = kernel_status(nl, &s);

	(void)g;
	(void)f;
	if (!rc && probes_make(&s, list)) {
		message("no memory");
		rc = EXIT_SYSTEM;
	}
	if (!rc && s.inexact_reasons & GDR_TELEMETRY_INEXACT_REASON_PROBES_OFF)
		message("probes are switched off, or one that is needed is not armed: "
			"kernel.ftrace_enabled and /sys/kernel/debug/kprobes/enabled must be 1");
	model_status_free(&s);
	return rc;
}

const struct list_type list_probe = {
	.what = "probe", .plural = "probes", .value = values, .n = ARRAY_SIZE(values), .ids = 1,
	.read = read_probes, .in_order = true,
};

static enum exit_code show(struct gdrctl *g, struct args *a)
{
	return list_show(&list_probe, g, a);
}

static const struct command commands[] = {
	{ "show", show, 0, "list the probes; open to every user" },
	{ NULL, NULL, 0, NULL },
};

const struct object object_probe = {
	.name = "probe",
	.help = "the probes of the module, and why one is not armed",
	.notes = "NEEDED: without it the readings are inexact on this kernel.\n",
	.command = commands,
};
