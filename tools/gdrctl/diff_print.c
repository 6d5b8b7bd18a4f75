// SPDX-License-Identifier: GPL-2.0
/* The differences of two snapshots, for people and programs. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"
#include "diff_print.h"
#include "format.h"
#include "list.h"

/* Lines of a table of attachments; a job may have left thousands. */
#define LINES 20
#define KEY 64

static bool is_block(const struct gdrctl *g)
{
	return g->opt.details && !g->opt.oneline;
}

static const char *number(const struct gdrctl *g, uint64_t v, bool bytes, char buf[FORMAT_MAX])
{
	if (bytes && !g->opt.bytes)
		return format_size(v, buf);
	snprintf(buf, FORMAT_MAX, "%" PRIu64, v);
	return buf;
}

static bool is_size(const struct record *r, const struct value *v)
{
	bool total = v->attr == X_VALUE || v->attr == DIFF_AFTER(X_VALUE);
	const char *name = total ? record_text(r, X_NAME) : v->field.key;

	/* The peak and the sum of bytes are bytes. */
	return name && strstr(name, "_bytes");
}

/* A table has the difference, everything else both numbers. */
static void put_numbers(const struct gdrctl *g, struct out *o, const struct record *r,
			const struct value *v)
{
	uint64_t m = record_number(r, v->attr), n = record_number(r, DIFF_AFTER(v->attr));
	bool has[] = { record_has(r, v->attr), record_has(r, DIFF_AFTER(v->attr)) };
	char key[2][KEY], text[FORMAT_MAX], sign[FORMAT_MAX + 1];
	bool bytes = is_size(r, v);

	snprintf(key[0], KEY, "%s_before", v->field.key);
	snprintf(key[1], KEY, "%s_after", v->field.key);
	if (g->opt.json || g->opt.oneline || is_block(g)) {
		for (int i = 0; i < 2; i++)
			if (has[i])
				out_number(o, FIELD(.key = key[i], .after = i ? "after" : "before"),
					   i ? n : m, number(g, i ? n : m, bytes, text));
		if (!has[0] && !has[1])
			out_unknown(o, FIELD(.key = key[0]));
		return;
	}
	if (!has[0] && !has[1]) {
		out_unknown(o, &v->field);
		return;
	}
	snprintf(sign, sizeof(sign), "%s%s", n > m ? "+" : n < m ? "-" : "",
		 number(g, n > m ? n - m : m - n, bytes, text));
	out_number(o, &v->field, n, sign);
}

/* One number of the two, as a column of its own. */
static void put_one(const struct gdrctl *g, struct out *o, const struct record *r,
		    const struct value *v)
{
	char text[FORMAT_MAX];

	if (record_has(r, v->attr))
		out_number(o, &v->field, record_number(r, v->attr),
			   number(g, record_number(r, v->attr), is_size(r, v), text));
	else
		out_unknown(o, &v->field);
}

static void put_flags(const struct gdrctl *g, struct out *o, const struct record *r,
		      const struct value *v)
{
	(void)g;
	if (!record_has(r, v->attr))
		return;
	out_bool(o, FIELD(.key = "inexact_before"), record_number(r, v->attr), NULL, NULL);
	out_bool(o, FIELD(.key = "inexact_after"), record_number(r, DIFF_AFTER(v->attr)), NULL,
		 NULL);
}

#define BOTH(a, label, json, column)                                                             \
	{ .attr = (a), .kind = VALUE_CUSTOM, .row = (label), .put = put_numbers,                 \
	  .field = { .key = (json), .title = (column), .right = true } }
#define CHANGE                                                                                   \
	{ .attr = X_CHANGE, .kind = VALUE_TEXT, .row = "change",                                 \
	  .field = { .key = "change", .title = "CHANGE" } }
#define PROCESS                                                                                  \
	{ .attr = X_PID, .kind = VALUE_COUNT, .row = "process", .optional = true,                \
	  .field = { .key = "pid", .title = "PID", .right = true } },                            \
	{ .attr = X_COMM, .kind = VALUE_TEXT, .optional = true,                                  \
	  .field = { .key = "comm", .title = "COMM" } },                                         \
	{ .attr = X_START, .kind = VALUE_COUNT, .optional = true,                                \
	  .field = { .key = "start_boottime_ns", .json_only = true } }
#define EXPORTER                                                                                 \
	{ .attr = X_EXPORTER, .kind = VALUE_TEXT, .row = "exporter", .optional = true,           \
	  .field = { .key = "exporter", .title = "EXPORTER" } }
#define IMPORTER_ID                                                                              \
	{ .attr = X_IMPORTER, .kind = VALUE_TEXT, .row = "importer", .optional = true,           \
	  .field = { .key = "importer", .title = "IMPORTER" } }
#define IBDEVS                                                                                   \
	{ .attr = X_IBDEVS, .kind = VALUE_NAMES, .optional = true, .looked_up = true,            \
	  .field = { .key = "importer_ibdevs", .title = "IBDEV" } }
#define IMPORTER IMPORTER_ID, IBDEVS
#define HELD                                                                                     \
	BOTH(X_MRS, "MRs", "mrs", "MRS"),                                                        \
	BOTH(X_MR_BYTES, "MRs cover", "mr_bytes", "MR BYTES"),                                   \
	BOTH(X_PINNED, "pinned", "pinned_bytes", "PINNED")
#define NEW_FAILURES                                                                             \
	{ .attr = X_NEW_FAILURES, .kind = VALUE_COUNT, .row = "failed since", .optional = true,  \
	  .field = { .key = "new_failures", .title = "FAILED", .right = true } }
#define FAILURE_ID                                                                               \
	{ .attr = X_STAGE, .kind = VALUE_TEXT, .row = "stage", .optional = true,                 \
	  .field = { .key = "stage", .title = "STAGE" } },                                       \
	{ .attr = X_ERRNO_NAME, .kind = VALUE_TEXT, .optional = true,                            \
	  .field = { .key = "errno_name", .title = "ERRNO" } }
#define ERRNO                                                                                    \
	{ .attr = X_ERRNO, .kind = VALUE_COUNT, .row = "errno", .optional = true,                \
	  .field = { .key = "errno" } }
#define ATTACHMENT_ID                                                                            \
	{ .attr = X_ID, .kind = VALUE_COUNT, .optional = true,                                   \
	  .field = { .key = "id", .title = "ID", .right = true } }
#define BUFFER                                                                                   \
	{ .attr = X_BUFFER, .kind = VALUE_COUNT, .row = "buffer", .optional = true,              \
	  .field = { .key = "buffer", .title = "BUFFER", .right = true } },                      \
	{ .attr = X_SIZE, .kind = VALUE_BYTES, .row = "size", .optional = true,                  \
	  .field = { .key = "size_bytes" } }
#define NAME                                                                                     \
	{ .attr = X_NAME, .kind = VALUE_TEXT, .optional = true,                                  \
	  .field = { .key = "name", .title = "NAME" } }
#define TEXTS(a, json)                                                                           \
	{ .attr = (a), .kind = VALUE_TEXT, .optional = true,                                     \
	  .field = { .key = json "_before" } },                                                  \
	{ .attr = DIFF_AFTER(a), .kind = VALUE_TEXT, .optional = true,                           \
	  .field = { .key = json "_after" } }

/* All that there is, for JSON and for one line a record. */
static const struct value all[] = {
	{ .attr = X_WHAT, .kind = VALUE_TEXT, .field = { .key = "what" } }, CHANGE, NAME,
	ATTACHMENT_ID, EXPORTER, IMPORTER, FAILURE_ID, ERRNO, PROCESS, BUFFER,
	BOTH(X_TIME, NULL, "time_seconds", NULL), TEXTS(X_BOOT_ID, "boot_id"),
	TEXTS(X_HOST, "host"), TEXTS(X_VERSION, "module_version"),
	{ .attr = X_INEXACT, .kind = VALUE_CUSTOM, .put = put_flags,
	  .field = { .key = "inexact_before" } },
	BOTH(X_ATTACHMENTS, NULL, "attachments", NULL),
	BOTH(X_ORPHANS, NULL, "orphans", NULL), HELD,
	BOTH(X_FAILURES, NULL, "failures_total", NULL), BOTH(X_COUNT, NULL, "count", NULL),
	BOTH(X_VALUE, NULL, "value", NULL), NEW_FAILURES,
};

#define ONE(a, label, json, column)                                                              \
	{ .attr = (a), .kind = VALUE_CUSTOM, .row = (label), .put = put_one,                     \
	  .field = { .key = (json), .title = (column), .right = true } }

/* What they hold now is what matters. */
static const struct value orphans[] = {
	ATTACHMENT_ID, CHANGE, EXPORTER, IMPORTER, PROCESS, BUFFER,
	ONE(DIFF_AFTER(X_MRS), "MRs", "mrs_after", "MRS"),
	ONE(DIFF_AFTER(X_MR_BYTES), "MRs cover", "mr_bytes_after", NULL),
	ONE(DIFF_AFTER(X_PINNED), "pinned", "pinned_bytes_after", "PINNED"),
};

static const struct value attachments[] = {
	ATTACHMENT_ID, CHANGE, EXPORTER, IMPORTER, PROCESS, BUFFER,
	BOTH(X_MRS, "MRs", "mrs", "MRS"), BOTH(X_MR_BYTES, "MRs cover", "mr_bytes", NULL),
	BOTH(X_PINNED, "pinned", "pinned_bytes", "PINNED"),
};

static const struct value totals[] = {
	NAME,
	ONE(X_VALUE, "before", "value_before", "BEFORE"),
	ONE(DIFF_AFTER(X_VALUE), "after", "value_after", "AFTER"),
};

static const struct value owners[] = {
	{ .attr = X_PID, .kind = VALUE_COUNT,
	  .field = { .key = "pid", .title = "PID", .right = true } },
	{ .attr = X_COMM, .kind = VALUE_TEXT, .row = "command", .optional = true,
	  .field = { .key = "comm", .title = "COMM" } },
	CHANGE,
	BOTH(X_ATTACHMENTS, "attachments", "attachments", "ATTACHMENTS"),
	BOTH(X_ORPHANS, "orphans", "orphans", "ORPHANS"), HELD, NEW_FAILURES,
};

static const struct value pairs[] = {
	EXPORTER, IMPORTER, CHANGE, BOTH(X_ATTACHMENTS, "attachments", "attachments", "ATTACHMENTS"),
	BOTH(X_MRS, "MRs", "mrs", "MRS"), BOTH(X_MR_BYTES, "MRs cover", "mr_bytes", NULL),
	BOTH(X_PINNED, "pinned", "pinned_bytes", "PINNED"),
	BOTH(X_FAILURES, "failed", "failures_total", "FAILED"),
};

static const struct value failures[] = {
	IMPORTER_ID, FAILURE_ID, IBDEVS, ERRNO, BOTH(X_COUNT, "count", "count", "COUNT"),
};

static const struct value importers[] = { IMPORTER, CHANGE };
static const struct value exporters[] = { EXPORTER, CHANGE };

/** struct section - the differences of one kind */
struct section {
	const char *what;
	const char *title;
	struct list_type type;
};

#define SECTION(w, t, values, n_ids)                                                             \
	{ .what = (w), .title = (t),                                                             \
	  .type = { .what = (w), .value = (values), .n = ARRAY_SIZE(values), .ids = (n_ids) } }

static const struct section sections[] = {
	SECTION("orphan", "Attachments whose process has exited: a leak, unless a child of it "
		"goes on with them (gdrctl holders)", orphans, 1),
	SECTION("total", "Totals", totals, 1),
	SECTION("owner", "Processes", owners, 1),
	SECTION("pair", "Pairs", pairs, 2),
	SECTION("failure", "Failures (gdrctl explain ERRNO)", failures, 3),
	SECTION("importer", "Importers", importers, 1),
	SECTION("exporter", "Exporters", exporters, 1),
	SECTION("attachment", "Attachments", attachments, 1),
};

static bool is(const struct record *r, int attr, const char *word)
{
	const char *s = record_text(r, attr);

	return s && !strcmp(s, word);
}

/* Totals that others follow from are for who asks for details. */
static bool is_minor(const struct record *r)
{
	static const char *const words[] = {
		"attach_total", "detach_total", "map_total", "unmap_total", "pin_total",
		"unpin_total", "mapped", "pinned_pages", "pinned_bytes_sum", "mapped_bytes",
		"untracked_total", "attachments_peak", "pinned_bytes_peak", "exporters_active",
		"importers_active",
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (is(r, X_NAME, words[i]))
			return true;
	return false;
}

static enum exit_code print_section(const struct gdrctl *g, const struct section *s,
				    const struct records *list, bool *printed, FILE *to)
{
	size_t limit = is_block(g) || strcmp(s->what, "attachment") != 0 ? list->n : LINES;
	struct records part = { .n = 0 };
	enum exit_code rc = EXIT_OK;
	size_t left = 0;

	/* A record is no longer than its struct: those of the list go on owning their texts. */
	for (size_t i = 0; !rc && i < list->n; i++) {
		struct record r = list->item[i];

		if (!is(&r, X_WHAT, s->what) || (!is_block(g) && is_minor(&r)))
			continue;
		if (part.n == limit)
			left++;
		else if (records_add(&part, &r))
			rc = EXIT_SYSTEM;
	}
	if (!rc && part.n) {
		*printed = true;
		fprintf(to, "\n%s\n", s->title);
		rc = list_print(g, &s->type, &part, false, to);
	}
	if (left)
		fprintf(to, "and %zu more: gdrctl -d snapshot diff ...\n", left);
	free(part.item);
	return rc;
}

static void print_head(const struct record *r, FILE *to)
{
	uint64_t m = record_number(r, X_TIME), n = record_number(r, DIFF_AFTER(X_TIME));
	bool other_host = !is(r, X_HOST, record_text(r, DIFF_AFTER(X_HOST)));
	char a[FORMAT_MAX], b[FORMAT_MAX], c[FORMAT_MAX], before[256], after[256];

	fprintf(to, "From %s to %s", format_date((int64_t)m, a), format_date((int64_t)n, b));
	if (n >= m)
		fprintf(to, " (%s)", format_duration(n - m, c));
	fputs(".\n", to);
	format_escape(record_text(r, X_HOST), before, sizeof(before));
	format_escape(record_text(r, DIFF_AFTER(X_HOST)), after, sizeof(after));
	if (is(r, X_CHANGE, "other-boot") && other_host)
		fprintf(to, "NOT THE SAME MACHINE: %s, then %s. ", before, after);
	else if (is(r, X_CHANGE, "other-boot"))
		fputs("THE MACHINE WAS BOOTED AGAIN in between. ", to);
	else if (is(r, X_CHANGE, "reloaded"))
		fputs("THE MODULE WAS LOADED AGAIN in between. ", to);
	if (!is(r, X_CHANGE, "same-load"))
		fputs("Counters began again:\ntheir numbers are those of the later one alone; "
		      "attachments are not compared one by one.\n", to);
	format_escape(record_text(r, X_VERSION), before, sizeof(before));
	format_escape(record_text(r, DIFF_AFTER(X_VERSION)), after, sizeof(after));
	if (strcmp(before, after) != 0)
		fprintf(to, "Module %s, then %s.\n", before, after);
	if (record_number(r, X_INEXACT) || record_number(r, DIFF_AFTER(X_INEXACT)))
		fputs("INEXACT: live numbers may be wrong, see gdrctl status.\n", to);
}

enum exit_code diff_print(const struct gdrctl *g, const struct records *list, FILE *to)
{
	const struct list_type whole = { .what = "difference", .plural = "differences",
					 .value = all, .n = ARRAY_SIZE(all), .ids = 2 };
	enum exit_code rc = EXIT_OK;
	bool printed = false;

	if (g->opt.json || g->opt.oneline)
		return list_print(g, &whole, list, false, to);
	print_head(&list->item[0], to);
	for (size_t i = 0; !rc && i < ARRAY_SIZE(sections); i++)
		rc = print_section(g, &sections[i], list, &printed, to);
	if (!printed)
		fprintf(to, "\nNo difference%s.\n", list->n == 1 ? "" :
			" but in totals that gdrctl -d has");
	return rc;
}
