// SPDX-License-Identifier: GPL-2.0
/* gdrctl status [show] */
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "enums.h"
#include "format.h"
#include "module.h"
#include "names.h"
#include "nl.h"
#include "out.h"

#define HAS(s, attr) model_has((s)->present, GDR_TELEMETRY_A_STATUS_##attr)
#define PROBE_HAS(p, attr) model_has((p)->present, GDR_TELEMETRY_A_PROBE_##attr)

enum unit { COUNT, BYTES };

/**
 * struct total - one number of the status
 * @row: begins this line of text; NULL: goes on with the line
 * @attr: the attribute
 * @unit: what it counts
 * @field: how it is called
 */
struct total {
	const char *row;
	int attr;
	enum unit unit;
	struct out_field field;
};

#define T(label, name, type, json, words)                                                        \
	{ .row = (label), .attr = GDR_TELEMETRY_A_STATUS_##name, .unit = (type),                 \
	  .field = { .key = (json), .after = (words) } }

static const struct total now[] = {
	T("attachments", ATTACHMENTS, COUNT, "attachments", "live"),
	T(NULL, MAPPED, COUNT, "mapped", "mapped"),
	T(NULL, PREEXISTING, COUNT, "preexisting", "older than the module"),
	T(NULL, ATTACHMENTS_PEAK, COUNT, "attachments_peak", "at peak"),
	T("MRs", MRS, COUNT, "mrs", "live"),
	T(NULL, MR_BYTES, BYTES, "mr_bytes", "covered"),
	T("orphans", ORPHANS, COUNT, "orphans",
	  "attachments whose process has exited; whose: gdrctl owner"),
	{ "active", GDR_TELEMETRY_A_STATUS_EXPORTERS_ACTIVE, COUNT,
	  { .key = "exporters_active", .before = "exporters" } },
	{ NULL, GDR_TELEMETRY_A_STATUS_IMPORTERS_ACTIVE, COUNT,
	  { .key = "importers_active", .before = "importers" } },
	T("buffers", BUFFERS, COUNT, "buffers", "attached to"),
	T("pinned, unique", PINNED_BYTES, BYTES, "pinned_bytes", "(each pinned buffer once)"),
	T(NULL, PINNED_PAGES, COUNT, "pinned_pages", "pages"),
	T(NULL, PINNED_BYTES_PEAK, BYTES, "pinned_bytes_peak", "at peak"),
	T("pinned, sum", PINNED_BYTES_SUM, BYTES, "pinned_bytes_sum",
	  "(each buffer once for every attachment that pins it)"),
	T("mapped, unique", MAPPED_BYTES, BYTES, "mapped_bytes", "(each mapped buffer once)"),
};

static const struct total since[] = {
	T("registration", REGISTER_TOTAL, COUNT, "register_total", "done"),
	T(NULL, DEREGISTER_TOTAL, COUNT, "deregister_total", "deregistered again"),
	T(NULL, CAPABILITY_QUERIES_TOTAL, COUNT, "capability_queries_total", "capability queries"),
	T("failed elsewhere", VERBS_FAILURES_TOTAL, COUNT,
	  "verbs_failures_total", "in their arguments"),
	T(NULL, UMEM_FAILURES_TOTAL, COUNT, "umem_failures_total", "in their fd or range"),
	T(NULL, HW_FAILURES_TOTAL, COUNT, "hw_failures_total", "in the HCA"),
	T(NULL, UNKNOWN_FAILURES_TOTAL, COUNT, "unknown_failures_total", "unknown"),
	T("attach", ATTACH_TOTAL, COUNT, "attach_total", "done"),
	T(NULL, ATTACH_FAILURES_TOTAL, COUNT, "attach_failures_total", "failed"),
	T(NULL, DETACH_TOTAL, COUNT, "detach_total", "detached again"),
	T("map", MAP_TOTAL, COUNT, "map_total", "done"),
	T(NULL, MAP_FAILURES_TOTAL, COUNT, "map_failures_total", "failed"),
	T(NULL, UNMAP_TOTAL, COUNT, "unmap_total", "unmapped again"),
	T("pin, explicit", PIN_TOTAL, COUNT, "pin_total", "done"),
	T(NULL, PIN_FAILURES_TOTAL, COUNT, "pin_failures_total", "failed"),
	T(NULL, UNPIN_TOTAL, COUNT, "unpin_total", "unpinned again"),
	T("invalidate", INVALIDATE_TOTAL, COUNT, "invalidate_total", "calls"),
	T("left out", UNTRACKED_TOTAL, COUNT, "untracked_total", "attaches not tracked"),
	T(NULL, PREEXISTING_DETACHED_TOTAL, COUNT, "preexisting_detached_total",
	  "detaches of older attachments"),
	T("lost", LOST_PROBE_MISSED_TOTAL, COUNT, "lost_probe_missed_total", "calls not seen"),
	T(NULL, LOST_POOL_EXHAUSTED_TOTAL, COUNT, "lost_pool_exhausted_total",
	  "attaches without a record"),
	T(NULL, LOST_UNKNOWN_DETACH_TOTAL, COUNT, "lost_unknown_detach_total",
	  "unknown detaches"),
	T(NULL, LOST_EVENTS_TOTAL, COUNT, "lost_events_total", "events"),
	T(NULL, LOST_FAILURE_RECORDS_TOTAL, COUNT, "lost_failure_records_total",
	  "records of failures"),
};

static void put_totals(struct out *o, const struct status *s, const struct total *t, size_t n)
{
	for (; n; n--, t++) {
		if (t->row)
			out_row(o, t->row);
		if (!model_has(s->present, t->attr))
			out_unknown(o, &t->field);
		else if (t->unit == BYTES)
			out_bytes(o, &t->field, s->value[t->attr]);
		else
			out_u64(o, &t->field, s->value[t->attr]);
	}
}

static void put_enum(struct out *o, const char *row, const char *key, bool has,
		     const struct enum_word *table, uint32_t value)
{
	const struct enum_word *e = enum_find(table, value);
	const struct out_field f = { .key = key };
	char unknown[32];

	out_row(o, row);
	if (!has) {
		out_unknown(o, &f);
		return;
	}
	out_str(o, &f, enum_name(table, value, unknown, sizeof(unknown)));
	if (e && e->text)
		out_text(o, ": %s", e->text);
}

static void put_module(const struct gdrctl *g, struct out *o, const struct status *s)
{
	uint64_t start = s->value[GDR_TELEMETRY_A_STATUS_START_TIME];
	const struct out_field f = { .key = "start_time_seconds", .before = "loaded" };
	const struct out_field version = { .key = "version" };
	char text[FORMAT_MAX];

	out_row(o, "module");
	if (HAS(s, VERSION))
		out_str(o, &version, s->version);
	else
		out_unknown(o, &version);
	if (HAS(s, VERSION) && strcmp(s->version, tool_version) != 0)
		out_str(o, FIELD(.key = "tool_version", .before = "gdrctl is"), tool_version);
	if (HAS(s, START_TIME)) {
		out_number(o, &f, start, format_date((int64_t)start, text));
		if (g->realtime_s >= 0 && start <= (uint64_t)g->realtime_s)
			out_text(o, " (%s ago)",
				 format_duration((uint64_t)g->realtime_s - start, text));
	} else {
		out_unknown(o, &f);
	}
}

static void put_exactness(const struct gdrctl *g, struct out *o, const struct status *s)
{
	const struct out_field reasons = { .key = "inexact_reasons" };
	const char *word[32];
	char unknown[32][20];
	size_t n = 0;

	out_row(o, "readings");
	if (!HAS(s, INEXACT_REASONS)) {
		out_unknown(o, FIELD(.key = "inexact"));
		return;
	}
	for (unsigned int bit = 0; bit < 32; bit++)
		if (s->inexact_reasons & 1u << bit) {
			word[n] = enum_name(inexact_words, 1u << bit, unknown[n],
					    sizeof(unknown[n]));
			n++;
		}
	out_bool(o, FIELD(.key = "inexact"), n, "INEXACT", "exact");
	if (!n && !g->opt.json)
		return;
	out_words(o, &reasons, word, n, "live numbers may be wrong");
	for (size_t i = 0; i < n; i++) {
		const struct enum_word *e = NULL;

		for (const struct enum_word *t = inexact_words; t->word; t++)
			if (!strcmp(t->word, word[i]))
				e = t;
		out_row(o, "");
		out_text(o, "%s%s%s", word[i], e ? ": " : " (a newer module's reason)",
			 e ? e->text : "");
		if (e && e->fix) {
			out_row(o, "");
			out_text(o, "  %s", e->fix);
		}
	}
}

static bool is_well(const struct probe *p)
{
	return p->state == GDR_TELEMETRY_PROBE_STATE_ARMED ||
	       (p->state == GDR_TELEMETRY_PROBE_STATE_MISSING && !p->needed);
}

static void put_probe(const struct gdrctl *g, struct out *o, const struct probe *p)
{
	const struct enum_word *e = enum_find(probe_words, p->state);
	char unknown[32];

	out_list_item(o);
	out_row(o, "");
	out_str(o, FIELD(.key = "symbol"), p->symbol);
	if (PROBE_HAS(p, STATE))
		out_str(o, FIELD(.key = "state"),
			enum_name(probe_words, p->state, unknown, sizeof(unknown)));
	if (e && e->text && p->state != GDR_TELEMETRY_PROBE_STATE_ARMED)
		out_text(o, " (%s)", e->text);
	if (PROBE_HAS(p, ERROR)) {
		out_u64(o, FIELD(.key = "errno", .before = "errno"), p->error);
		out_text(o, " (%s)", strerror((int)p->error));
	}
	if (PROBE_HAS(p, MISSED) && (p->missed || g->opt.json))
		out_u64(o, FIELD(.key = "missed_total", .after = "missed"), p->missed);
	out_bool(o, FIELD(.key = "needed"), p->needed,
		 p->state == GDR_TELEMETRY_PROBE_STATE_ARMED ? NULL : "needed", NULL);
}

static void put_probes(const struct gdrctl *g, struct out *o, const struct status *s)
{
	size_t armed = 0, well = 0;

	for (size_t i = 0; i < s->n_probes; i++) {
		armed += s->probes[i].state == GDR_TELEMETRY_PROBE_STATE_ARMED;
		well += is_well(&s->probes[i]);
	}
	out_row(o, "probes");
	if (!s->n_probes)
		out_text(o, "unknown");
	else if (well == s->n_probes)
		out_text(o, "all %zu armed that this kernel has", armed);
	else
		out_text(o, "%zu armed, %zu NOT ARMED", armed, s->n_probes - well);
	out_list(o, "probes");
	for (size_t i = 0; i < s->n_probes; i++)
		if (g->opt.json || g->opt.details || !is_well(&s->probes[i]))
			put_probe(g, o, &s->probes[i]);
	out_list_end(o);
}

/* What is registered another way is in no number here. */
static void put_peermem(const struct gdrctl *g, struct out *o)
{
	if (g->opt.numeric)
		return;
	out_row(o, "other ways");
	out_bool(o, FIELD(.key = "peermem_loaded"), names_module("nvidia_peermem"),
		 "nvidia-peermem is loaded: what goes through it is NOT SEEN here",
		 "nvidia-peermem is not loaded");
}

enum exit_code status_print(const struct gdrctl *g, const struct status *s, FILE *to)
{
	struct out *o = out_new(&g->opt, g->opt.oneline ? OUT_LINE : OUT_BLOCK, false, to);

	if (!o) {
		message("no memory");
		return EXIT_SYSTEM;
	}
	out_record(o, NULL);
	put_module(g, o, s);
	put_enum(o, "tracking", "track", HAS(s, TRACK), track_words, s->track);
	put_enum(o, "dma-buf core", "core", HAS(s, CORE), core_words, s->core);
	put_enum(o, "MR join", "mr_join", HAS(s, MR_JOIN), mr_join_words, s->mr_join);
	put_exactness(g, o, s);
	put_probes(g, o, s);
	put_peermem(g, o);
	out_blank(o);
	put_totals(o, s, now, ARRAY_SIZE(now));
	out_blank(o);
	out_row(o, "since the module was loaded");
	put_totals(o, s, since, ARRAY_SIZE(since));
	return out_finish(o);
}

static enum exit_code status_show(struct gdrctl *g, struct args *a)
{
	const char *word = args_next(a);
	enum exit_code rc;
	struct status s;
	char shown[64];
	struct nl nl;

	if (word) {
		message("status show takes no word, not \"%s\"",
			format_escape(word, shown, sizeof(shown)));
		return EXIT_USAGE;
	}
	if (a->wrong)
		return EXIT_USAGE;
	memset(&s, 0, sizeof(s));
	rc = kernel_open(&nl);
	if (rc == EXIT_ABSENT && (g->opt.json || g->opt.oneline)) {
		struct module_report r;

		module_look_here(&r);
		rc = module_print(g, &r, stdout);
	}
	if (!rc)
		rc = kernel_status(&nl, &s);
	if (!rc)
		rc = status_print(g, &s, stdout);
	model_status_free(&s);
	kernel_close(&nl);
	return rc;
}

static const struct command commands[] = {
	{ "show", status_show, 0, "print the status; open to every user" },
	{ NULL, NULL, 0, NULL },
};

const struct object object_status = {
	.name = "status",
	.help = "totals, whether they are exact, and the state of the probes",
	.notes = "\"pinned, unique\" counts each pinned buffer once, however many HCAs hold it;\n"
		 "\"pinned, sum\" counts it once for each attachment. -d lists every probe.\n",
	.command = commands,
};
