// SPDX-License-Identifier: GPL-2.0
/* The live view, line by line. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cgroup.h"
#include "cmd.h"
#include "format.h"
#include "names.h"
#include "owners.h"
#include "top/top.h"
#include "words.h"

#define S(name) GDR_TELEMETRY_A_STATUS_##name
#define P(name) GDR_TELEMETRY_A_PAIR_##name
#define DELAY_MS 2000
#define DELAY_MAX_S 3600
#define LOOKS_MAX 1000000

const char *const top_views[TOP_VIEWS] = {
	[TOP_OWNERS] = "owner", [TOP_PAIRS] = "pair", [TOP_ATTACHMENTS] = "attachment",
};

const char *const top_sorts[TOP_SORTS] = {
	[TOP_PINNED] = "pinned", [TOP_ATTACHED] = "attachments", [TOP_MRS] = "mrs",
	[TOP_FAILURES] = "failures", [TOP_AGE] = "age", [TOP_PROCESS] = "process",
};

static int find(const char *const *word, size_t n, const char *given, const char *what)
{
	struct words w = { .n = 0 };

	for (size_t i = 0; i < n; i++)
		words_add(&w, word[i]);
	return words_require(&w, given, what);
}

enum exit_code top_options(const struct options *opt, struct top *t, int *delay_ms,
			   unsigned int *looks)
{
	char *end, shown[64];
	double delay;
	unsigned long n;
	int i;

	*delay_ms = DELAY_MS;
	*looks = 0;
	if (opt->view) {
		i = find(top_views, TOP_VIEWS, opt->view, "view");
		if (i < 0)
			return EXIT_USAGE;
		t->view = (enum top_view)i;
	}
	if (opt->sort) {
		i = find(top_sorts, TOP_SORTS, opt->sort, "sort key");
		if (i < 0)
			return EXIT_USAGE;
		t->sort = (enum top_sort)i;
	}
	if (opt->delay) {
		delay = strtod(opt->delay, &end);
		if (end == opt->delay || *end || !(delay >= 0.1 && delay <= DELAY_MAX_S)) {
			message("--delay \"%s\": not a number of seconds from 0.1 to %d",
				format_escape(opt->delay, shown, sizeof(shown)), DELAY_MAX_S);
			return EXIT_USAGE;
		}
		*delay_ms = (int)(delay * 1000);
	}
	if (opt->batch) {
		errno = 0;
		n = strtoul(opt->batch, &end, 10);
		if (!*opt->batch || opt->batch[strspn(opt->batch, "0123456789")] || errno || !n ||
		    n > LOOKS_MAX) {
			message("--batch \"%s\": not a number from 1 to %d",
				format_escape(opt->batch, shown, sizeof(shown)), LOOKS_MAX);
			return EXIT_USAGE;
		}
		*looks = (unsigned int)n;
	}
	return EXIT_OK;
}

/* Without attachments there are still pairs. */
static enum exit_code read_attachments(const struct gdrctl *g, const struct top *t, struct nl *nl,
				       struct top_look *look)
{
	struct diversion back;
	enum exit_code rc;

	back = message_divert(look->why, sizeof(look->why));
	rc = kernel_attachments(nl, &t->filter, &look->attachments);
	message_restore(back);
	if (rc)
		return EXIT_OK;
	look->why[0] = 0;
	attachments_filter(&look->attachments, &t->filter);
	if (!owners_make(OWNER_PROCESS, !g->opt.numeric, &look->attachments, &look->owners))
		return EXIT_OK;
	message("no memory");
	return EXIT_SYSTEM;
}

enum exit_code top_look(const struct gdrctl *g, const struct top *t, struct top_look *look)
{
	struct nl nl;
	enum exit_code rc;

	memset(look, 0, sizeof(*look));
	/* Names may have changed since the last look. */
	cgroup_forget();
	names_forget();
	rc = kernel_open(&nl);
	if (!rc)
		rc = kernel_status(&nl, &look->status);
	if (!rc)
		rc = list_collect(&list_pair, g, &nl, &t->filter, &look->pairs);
	if (!rc)
		rc = read_attachments(g, t, &nl, look);
	kernel_close(&nl);
	return rc;
}

void top_look_free(struct top_look *look)
{
	model_status_free(&look->status);
	attachments_free(&look->attachments);
	records_free(&look->owners);
	records_free(&look->pairs);
}

/** struct order - of records: most of an attribute first, or least; then by others */
struct order {
	int attr;
	bool least_first;
	const int *then;
	bool reverse;
};

static int order(uint64_t m, uint64_t n)
{
	return (m > n) - (m < n);
}

static int by_attr(const void *a, const void *b, void *arg)
{
	const struct record *x = a, *y = b;
	const struct order *o = arg;
	int result = order(record_number(x, o->attr), record_number(y, o->attr));

	if (!o->least_first)
		result = -result;
	/* Those that are alike stand as before in each look. */
	for (const int *then = o->then; !result && *then; then++) {
		const char *s = record_text(x, *then), *t = record_text(y, *then);

		if (x->texts & y->texts & 1ULL << *then)
			result = strcmp(s, t);
		else
			result = order(record_number(x, *then), record_number(y, *then));
	}
	return o->reverse ? -result : result;
}

static void sort_records(const struct top *t, struct records *list, bool owners)
{
	static const int then_owner[] = { O_START, O_PID, O_COMM, 0 };
	static const int then_pair[] = { P(EXPORTER), P(IMPORTER), 0 };
	static const int owner_attr[TOP_SORTS] = {
		[TOP_PINNED] = O_PINNED, [TOP_ATTACHED] = O_ATTACHMENTS, [TOP_MRS] = O_MRS,
		[TOP_FAILURES] = O_PINNED, [TOP_AGE] = O_OLDEST, [TOP_PROCESS] = O_PID,
	};
	static const int pair_attr[TOP_SORTS] = {
		[TOP_PINNED] = P(PINNED_BYTES), [TOP_ATTACHED] = P(ATTACHMENTS), [TOP_MRS] = P(MRS),
		[TOP_FAILURES] = P(FAILURES_TOTAL), [TOP_AGE] = P(PINNED_BYTES),
		[TOP_PROCESS] = P(PINNED_BYTES),
	};
	struct order o = { .attr = (owners ? owner_attr : pair_attr)[t->sort],
			   .least_first = owners && (t->sort == TOP_AGE || t->sort == TOP_PROCESS),
			   .then = owners ? then_owner : then_pair, .reverse = t->reverse };

	if (list->n)
		qsort_r(list->item, list->n, sizeof(*list->item), by_attr, &o);
}

static uint64_t key_of(enum top_sort sort, const struct attachment *a)
{
	switch (sort) {
	case TOP_AGE:
		return a->attach_time;
	case TOP_PROCESS:
		return a->pid;
	case TOP_MRS:
		return ~a->mr_length;
	case TOP_ATTACHED:
		return a->id;
	default:
		return a->flags & GDR_TELEMETRY_ATTACHMENT_FLAG_PINNED ? ~a->size : ~0ULL;
	}
}

static int by_key(const void *a, const void *b, void *arg)
{
	const struct attachment *x = a, *y = b;
	const struct top *t = arg;
	int result = order(key_of(t->sort, x), key_of(t->sort, y));

	if (!result)
		result = order(x->id, y->id);
	return t->reverse ? -result : result;
}

static uint64_t failures(const struct status *s)
{
	static const int attrs[] = {
		S(VERBS_FAILURES_TOTAL), S(UMEM_FAILURES_TOTAL), S(ATTACH_FAILURES_TOTAL),
		S(MAP_FAILURES_TOTAL), S(PIN_FAILURES_TOTAL), S(HW_FAILURES_TOTAL),
		S(UNKNOWN_FAILURES_TOTAL),
	};
	uint64_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(attrs); i++)
		n += s->value[attrs[i]];
	return n;
}

/* The module may have been loaded again, and its counters have begun anew. */
static uint64_t since(uint64_t now, uint64_t then)
{
	return now > then ? now - then : 0;
}

static void write_head(const struct gdrctl *g, const struct top *t, const struct top_look *look,
		       const struct status *first, FILE *to)
{
	const uint64_t *v = look->status.value;
	char a[FORMAT_MAX], b[FORMAT_MAX], c[FORMAT_MAX];

	fprintf(to, "gdrctl top, %s, module %s, %s\n", format_date(g->realtime_s, a),
		look->status.version,
		look->status.inexact_reasons ? "INEXACT: see gdrctl status" : "exact");
	fprintf(to, "%" PRIu64 " attachments (%" PRIu64 " at peak) to %" PRIu64 " buffers, %" PRIu64
		" MRs, %" PRIu64 " orphans\n", v[S(ATTACHMENTS)], v[S(ATTACHMENTS_PEAK)],
		v[S(BUFFERS)], v[S(MRS)], v[S(ORPHANS)]);
	fprintf(to, "%s pinned (%s at peak), %s covered by MRs\n",
		format_size(v[S(PINNED_BYTES)], a), format_size(v[S(PINNED_BYTES_PEAK)], b),
		format_size(v[S(MR_BYTES)], c));
	fprintf(to, "Since the first look: %" PRIu64 " registered, %" PRIu64 " deregistered, %"
		PRIu64 " failed\n\n", since(v[S(REGISTER_TOTAL)], first->value[S(REGISTER_TOTAL)]),
		since(v[S(DEREGISTER_TOTAL)], first->value[S(DEREGISTER_TOTAL)]),
		since(failures(&look->status), failures(first)));
	if (t->view == TOP_PAIRS && filter_has(&t->filter, TOP_FILTERS & ~FILTER_BIT(IMPORTER) &
					       ~FILTER_BIT(EXPORTER)))
		fputs("Pairs of all processes:\n", to);
}

static enum exit_code write_table(const struct gdrctl *g, const struct top *t,
				  struct top_look *look, FILE *to)
{
	struct gdrctl as = *g;

	as.opt = (struct options){ .numeric = g->opt.numeric, .bytes = g->opt.bytes };
	if (t->view == TOP_PAIRS) {
		sort_records(t, &look->pairs, false);
		return list_print(&as, &list_pair, &look->pairs, filter_any(&t->filter), to);
	}
	if (*look->why) {
		fprintf(to, "%s\n", look->why);
		return EXIT_OK;
	}
	if (t->view == TOP_OWNERS) {
		sort_records(t, &look->owners, true);
		return list_print(&as, &list_owner, &look->owners, filter_any(&t->filter), to);
	}
	if (look->attachments.n)
		qsort_r(look->attachments.item, look->attachments.n,
			sizeof(*look->attachments.item), by_key, (void *)(uintptr_t)t);
	return attachments_print(&as, &look->attachments, filter_any(&t->filter), to);
}

/* Cuts the text into lines; those that scroll must have @t's text. */
static bool cut(const struct top *t, struct frame *f)
{
	size_t room = 1;
	char *save, *line;

	for (const char *s = f->text; *s; s++)
		room += *s == '\n';
	f->line = calloc(room, sizeof(*f->line));
	if (!f->line)
		return false;
	for (line = f->text; line && *line; line = save) {
		save = strchr(line, '\n');
		if (save)
			*save++ = 0;
		if (f->n < f->fixed || strstr(line, t->text))
			f->line[f->n++] = line;
	}
	return true;
}

enum exit_code top_frame(const struct gdrctl *g, const struct top *t, struct top_look *look,
			 const struct status *first, struct frame *f)
{
	enum exit_code rc = EXIT_SYSTEM;
	size_t size, head = 1;
	FILE *to;

	memset(f, 0, sizeof(*f));
	to = open_memstream(&f->text, &size);
	if (to) {
		write_head(g, t, look, first, to);
		fflush(to);
		/* And the titles of the table. */
		for (const char *s = f->text; s && *s; s++)
			head += *s == '\n';
		rc = write_table(g, t, look, to);
		fclose(to);
	}
	f->fixed = head;
	if (!rc && f->text && cut(t, f))
		return EXIT_OK;
	if (!rc || !to)
		message("no memory");
	return EXIT_SYSTEM;
}

void top_frame_free(struct frame *f)
{
	free(f->line);
	free(f->text);
	memset(f, 0, sizeof(*f));
}
