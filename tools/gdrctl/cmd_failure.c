// SPDX-License-Identifier: GPL-2.0
/* gdrctl failure [show | log] [FILTERS] */
#include <stdio.h>
#include <string.h>

#include "causes.h"
#include "cgroup.h"
#include "cmd.h"
#include "device.h"
#include "failure.h"
#include "format.h"

#define A(name) FAILURE(name)
#define COUNT_FILTERS (FILTER_BIT(IMPORTER) | FILTER_BIT(STAGE) | FILTER_BIT(ERRNO))
#define LOG_FILTERS (COUNT_FILTERS | FILTER_BIT(EXPORTER) | FILTER_BIT(BUFFER) |                \
		     FILTER_BIT(PID) | FILTER_BIT(COMM) | FILTER_BIT(CGROUP) | FILTER_BIT(SINCE))
/* Kinds of failures that are explained below a table. */
#define KINDS 8

static void put_errno(const struct gdrctl *g, struct out *o, const struct record *r,
		      const struct value *v)
{
	int err = (int)record_number(r, v->attr);
	char buf[CAUSE_ERRNO_SIZE], text[CAUSE_ERRNO_SIZE + 16];
	const char *name = cause_errno(err, buf, sizeof(buf));

	if (!record_has(r, v->attr)) {
		out_unknown(o, &v->field);
		return;
	}
	snprintf(text, sizeof(text), "%s (%d)", name, err);
	out_number(o, &v->field, (uint64_t)err, g->opt.details ? text : name);
	out_str(o, FIELD(.key = "errno_name", .json_only = true), name);
}

static void put_cause(const struct gdrctl *g, struct out *o, const struct record *r,
		      const struct value *v)
{
	const struct cause *c = cause_find((uint32_t)record_number(r, A(STAGE)),
					   (int)record_number(r, A(ERROR)));

	(void)g;
	(void)v;
	if (!c || !record_has(r, A(STAGE)) || !record_has(r, A(ERROR)))
		return;
	out_row(o, "means");
	out_prose(o, FIELD(.key = "means"), c->means);
	out_row(o, "do");
	out_prose(o, FIELD(.key = "fix"), c->fix);
}

static const struct value counters[] = {
	{ .attr = A(IMPORTER), .kind = VALUE_TEXT,
	  .field = { .key = "importer", .title = "IMPORTER" } },
	{ .attr = A(STAGE), .kind = VALUE_ENUM, .words = stage_words,
	  .field = { .key = "stage", .title = "STAGE" } },
	{ .attr = FAILURE_IBDEVS, .kind = VALUE_NAMES, .row = "RDMA devices", .looked_up = true,
	  .optional = true, .field = { .key = "importer_ibdevs", .title = "IBDEV" } },
	{ .attr = A(ERROR), .kind = VALUE_CUSTOM, .row = "errno", .put = put_errno,
	  .field = { .key = "errno", .title = "ERRNO" } },
	{ .attr = A(COUNT), .kind = VALUE_COUNT, .row = "count",
	  .field = { .key = "count", .title = "COUNT", .right = true } },
	{ .attr = LOCAL(1), .kind = VALUE_CUSTOM, .put = put_cause },
};

static void put_time(const struct gdrctl *g, struct out *o, const struct record *r,
		     const struct value *v)
{
	static const struct when when = { "AGE", "age_ns", "time_seconds", "time_boottime_ns" };

	if (record_has(r, v->attr))
		record_put_time(g, o, &when, record_number(r, v->attr));
	else
		out_unknown(o, &v->field);
}

static void put_hex(const struct gdrctl *g, struct out *o, const struct record *r,
		    const struct value *v)
{
	char text[32];

	(void)g;
	if (!record_has(r, v->attr))
		return;
	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)record_number(r, v->attr));
	out_number(o, &v->field, record_number(r, v->attr), text);
}

static const struct value records[] = {
	{ .attr = A(SEQ), .kind = VALUE_COUNT,
	  .field = { .key = "id", .title = "ID", .right = true } },
	{ .attr = A(TIME), .kind = VALUE_CUSTOM, .row = "when", .put = put_time,
	  .field = { .key = "age_ns", .title = "AGE", .right = true } },
	{ .attr = A(STAGE), .kind = VALUE_ENUM, .row = "stage", .words = stage_words,
	  .field = { .key = "stage", .title = "STAGE" } },
	{ .attr = A(ERROR), .kind = VALUE_CUSTOM, .row = "errno", .put = put_errno,
	  .field = { .key = "errno", .title = "ERRNO" } },
	{ .attr = A(IMPORTER), .kind = VALUE_TEXT, .row = "importer",
	  .field = { .key = "importer", .title = "IMPORTER" } },
	{ .attr = FAILURE_IBDEVS, .kind = VALUE_NAMES, .looked_up = true, .optional = true,
	  .field = { .key = "importer_ibdevs" } },
	VALUES_EXPORTER(A_FAILURE),
	{ .attr = A(BUFFER), .kind = VALUE_COUNT, .row = "buffer", .optional = true,
	  .field = { .key = "buffer" } },
	{ .attr = A(LENGTH), .kind = VALUE_BYTES, .row = "MR wanted", .optional = true,
	  .field = { .key = "length_bytes", .title = "LENGTH", .right = true } },
	{ .attr = A(OFFSET), .kind = VALUE_COUNT, .optional = true,
	  .field = { .key = "offset_bytes", .before = "at offset" } },
	{ .attr = A(ACCESS), .kind = VALUE_CUSTOM, .put = put_hex,
	  .field = { .key = "access", .before = "access" } },
	{ .attr = A(PID), .kind = VALUE_COUNT, .row = "process",
	  .field = { .key = "pid", .title = "PID", .right = true } },
	{ .attr = A(COMM), .kind = VALUE_TEXT,
	  .field = { .key = "comm", .title = "COMM" } },
	{ .attr = A(UID), .kind = VALUE_COUNT, .optional = true,
	  .field = { .key = "uid", .before = "uid" } },
	{ .attr = A(CGROUP), .kind = VALUE_COUNT, .optional = true,
	  .field = { .key = "cgroup", .before = "cgroup" } },
	{ .attr = A(START_TIME), .kind = VALUE_COUNT, .optional = true,
	  .field = { .key = "start_boottime_ns", .json_only = true } },
	{ .attr = LOCAL(1), .kind = VALUE_CUSTOM, .put = put_cause },
};

static bool text_is(const struct record *r, int attr, const char *wanted)
{
	return record_has(r, attr) && !strcmp(record_text(r, attr), wanted);
}

static bool number_is(const struct record *r, int attr, uint64_t wanted)
{
	return record_has(r, attr) && record_number(r, attr) == wanted;
}

bool failure_matches(const struct gdrctl *g, const struct filter *f, const struct record *r)
{
	uint64_t time = record_number(r, A(TIME));

	if (f->has[FILTER_STAGE] && !number_is(r, A(STAGE), f->stage))
		return false;
	if (f->has[FILTER_ERRNO] && !number_is(r, A(ERROR), (uint64_t)f->err))
		return false;
	if (f->has[FILTER_PID] && !number_is(r, A(PID), f->pid))
		return false;
	if (f->has[FILTER_COMM] && !text_is(r, A(COMM), f->comm))
		return false;
	if (f->has[FILTER_CGROUP] && !(record_has(r, A(CGROUP)) &&
				       cgroup_matches(f->cgroup, record_number(r, A(CGROUP)))))
		return false;
	return !f->has[FILTER_SINCE] || (record_has(r, A(TIME)) &&
		(time >= g->boottime_ns || g->boottime_ns - time <= f->since_ns));
}

/* A question is no failure; who wants to see them says so. */
static bool is_query(const struct filter *f, const struct record *r)
{
	return !f->has[FILTER_STAGE] &&
	       number_is(r, A(STAGE), GDR_TELEMETRY_STAGE_CAPABILITY_QUERY);
}

/** struct wanted - the filters, and the clock that one of them needs */
struct wanted {
	const struct gdrctl *g;
	const struct filter *f;
};

static bool is_wanted(const void *arg, const struct record *r)
{
	const struct wanted *w = arg;

	return failure_matches(w->g, w->f, r) && !is_query(w->f, r);
}

static enum exit_code read_matching(const struct list_type *t, const struct gdrctl *g,
				    struct nl *nl, const struct filter *f, struct records *list)
{
	enum exit_code rc = list_read(t, nl, list);

	records_keep(list, is_wanted, &(struct wanted){ g, f });
	return rc;
}

static enum exit_code read_counters(const struct gdrctl *g, struct nl *nl, const struct filter *f,
				    struct records *list)
{
	return read_matching(&list_failure, g, nl, f, list);
}

static enum exit_code read_log(const struct gdrctl *g, struct nl *nl, const struct filter *f,
			       struct records *list)
{
	return read_matching(&list_failure_log, g, nl, f, list);
}

static enum exit_code add_ibdevs(const struct gdrctl *g, struct nl *nl, struct records *list)
{
	(void)nl;
	return devices_add_ibdevs(g, list, A(IMPORTER), FAILURE_IBDEVS);
}

static int by_kind(const void *a, const void *b)
{
	const struct record *x = a, *y = b;
	const char *m = record_text(x, A(IMPORTER)), *n = record_text(y, A(IMPORTER));
	int importer = strcmp(m ? m : "", n ? n : "");
	uint64_t p, q;

	if (importer)
		return importer;
	p = record_number(x, A(STAGE)) << 32 | record_number(x, A(ERROR));
	q = record_number(y, A(STAGE)) << 32 | record_number(y, A(ERROR));
	return (p > q) - (p < q);
}

static const struct cause *cause_of(const struct record *r)
{
	return cause_find((uint32_t)record_number(r, A(STAGE)), (int)record_number(r, A(ERROR)));
}

/* Whether no record before that at @at has the same cause, and errno if @err is set. */
static bool is_first(const struct records *list, size_t at, bool err)
{
	const struct record *r = &list->item[at];

	for (size_t i = 0; i < at; i++)
		if (cause_of(&list->item[i]) == cause_of(r) &&
		    (!err || number_is(&list->item[i], A(ERROR), record_number(r, A(ERROR)))))
			return false;
	return true;
}

/* "attach EINVAL, EBUSY:", the errnos of a list that mean the same, and what that is. */
static void put_kind(const struct records *list, size_t at, FILE *to)
{
	const struct cause *c = cause_of(&list->item[at]);
	char name[CAUSE_ERRNO_SIZE], stage[32];
	const char *separator = " ";

	fprintf(to, "\n%s", enum_name(stage_words, c->stage, stage, sizeof(stage)));
	for (; at < list->n; at++) {
		if (cause_of(&list->item[at]) != c || !is_first(list, at, true))
			continue;
		fprintf(to, "%s%s", separator,
			cause_errno((int)record_number(&list->item[at], A(ERROR)), name,
				    sizeof(name)));
		separator = ", ";
	}
	fputs(":\n    ", to);
	format_prose(to, c->means, 4, 4);
	fputc('\n', to);
}

/* What the kinds of failures in a table mean, in its order. */
static void foot(const struct records *list, FILE *to)
{
	size_t kinds = 0;

	for (size_t at = 0; at < list->n; at++)
		if (cause_of(&list->item[at]) && is_first(list, at, false) && kinds++ < KINDS)
			put_kind(list, at, to);
	fputc('\n', to);
	if (kinds > KINDS)
		fprintf(to, "%zu more: gdrctl explain ERRNO", kinds - KINDS);
	else
		fputs("More: gdrctl explain ERRNO", to);
	fputs(record_has(&list->item[0], A(SEQ)) ? ", or id ID\n" : "\n", to);
}

const struct list_type list_failure = {
	.what = "failure", .plural = "failures", .cmd = GDR_TELEMETRY_CMD_FAILURE_GET,
	.value = counters, .n = ARRAY_SIZE(counters), .ids = 2, .filters = COUNT_FILTERS,
	.importer = A(IMPORTER), .read = read_counters, .add = add_ibdevs, .foot = foot,
	.order = by_kind,
};

const struct list_type list_failure_log = {
	.what = "failure", .plural = "failures", .command = "failure log",
	.cmd = GDR_TELEMETRY_CMD_FAILURE_LOG_GET,
	.value = records, .n = ARRAY_SIZE(records), .ids = 1, .filters = LOG_FILTERS,
	.importer = A(IMPORTER), .exporter = A(EXPORTER), .module = A(EXPORTER_MODULE),
	.buffer = A(BUFFER), .read = read_log, .add = add_ibdevs, .foot = foot,
};

static enum exit_code show(struct gdrctl *g, struct args *a)
{
	return list_show(&list_failure, g, a);
}

static enum exit_code show_log(struct gdrctl *g, struct args *a)
{
	return list_show(&list_failure_log, g, a);
}

static const struct command commands[] = {
	{ "show", show, COUNT_FILTERS, "how many, by HCA, stage and errno; open to every user" },
	{ "log", show_log, LOG_FILTERS, "the last 1024, one by one; needs root" },
	{ NULL, NULL, 0, NULL },
};

const struct object object_failure = {
	.name = "failure",
	.help = "registrations that failed: how often and where, and the last ones",
	.notes = "Capability queries, which are no failures: show stage capability-query.\n",
	.command = commands,
};
