// SPDX-License-Identifier: GPL-2.0
/* Objects that are lists of records. */
#include <stdlib.h>
#include <string.h>

#include <netlink/attr.h>
#include <netlink/msg.h>

#include "format.h"
#include "list.h"

static bool is(const char *have, const char *wanted)
{
	return have && !strcmp(have, wanted);
}

bool list_matches(const struct list_type *t, const struct filter *f, const struct record *r)
{
	if (t->importer && f->has[FILTER_IMPORTER] &&
	    !is(record_text(r, t->importer), f->importer))
		return false;
	if (t->exporter && f->has[FILTER_EXPORTER] &&
	    !is(record_text(r, t->exporter), f->exporter) &&
	    !(t->module && is(record_text(r, t->module), f->exporter)))
		return false;
	return !t->buffer || !f->has[FILTER_BUFFER] ||
	       (record_has(r, t->buffer) && record_number(r, t->buffer) == f->buffer);
}

/* "buffer 77", "pair 0000:41:00.0 0000:81:00.0" */
static void make_heading(const struct list_type *t, const struct record *r, char *buf, size_t size)
{
	size_t used = (size_t)snprintf(buf, size, "%s", t->what);

	for (size_t i = 0; i < t->ids && used < size; i++) {
		const struct value *v = &t->value[i];
		char shown[256], number[32];
		const char *text = "unknown";

		if (record_has(r, v->attr)) {
			snprintf(number, sizeof(number), "%llu",
				 (unsigned long long)record_number(r, v->attr));
			text = r->texts & 1ULL << v->attr ? record_text(r, v->attr) :
			       v->kind == VALUE_ENUM ?
			       enum_name(v->words, (uint32_t)record_number(r, v->attr), number,
					 sizeof(number)) : number;
		}
		used += (size_t)snprintf(buf + used, size - used, " %s",
					 format_escape(text, shown, sizeof(shown)));
	}
}

static void put_record(const struct gdrctl *g, struct out *o, const struct list_type *t,
		       const struct record *r)
{
	bool block = g->opt.details && !g->opt.json && !g->opt.oneline;
	size_t above = block ? t->ids : 0;
	char heading[512];

	make_heading(t, r, heading, sizeof(heading));
	out_record(o, heading);
	record_put(g, o, r, t->value + above, t->n - above);
}

enum exit_code list_print(const struct gdrctl *g, const struct list_type *t,
			  const struct records *list, bool filtered, FILE *to)
{
	struct out *o = out_new(&g->opt, g->opt.oneline ? OUT_LINE :
				g->opt.details ? OUT_BLOCK : OUT_TABLE, true, to);
	enum exit_code rc;

	if (!o) {
		message("no memory");
		return EXIT_SYSTEM;
	}
	if (!list->n && !g->opt.json && filtered)
		fprintf(to, "No %s matches.\n", t->what);
	else if (!list->n && !g->opt.json)
		fprintf(to, "No %s.\n", t->plural);
	for (size_t i = 0; i < list->n; i++)
		put_record(g, o, t, &list->item[i]);
	rc = out_finish(o);
	if (!rc && t->foot && list->n && !g->opt.json && !g->opt.oneline && !g->opt.details)
		t->foot(list, to);
	return rc;
}

void list_note_inexact(const struct gdrctl *g, struct nl *nl)
{
	struct status s;

	if (!g->opt.json && !kernel_status(nl, &s)) {
		if (s.inexact_reasons)
			message("note: the list may be incomplete, see gdrctl status");
		model_status_free(&s);
	}
}

static int fill_role(struct nl_msg *msg, const void *arg)
{
	const struct list_type *t = arg;

	return t->role_attr ? nla_put_u32(msg, t->role_attr, t->role) : 0;
}

/** struct reading - records on their way into a list */
struct reading {
	const struct list_type *t;
	struct records *list;
};

static int take_record(void *arg, const void *attrs, size_t len)
{
	struct reading *reading = arg;
	struct record r;
	int err = record_parse(attrs, len, reading->t->value, reading->t->n, &r);

	if (err) {
		record_free(&r);
		return err;
	}
	return records_add(reading->list, &r);
}

static void forget_records(void *arg)
{
	records_free(((struct reading *)arg)->list);
}

enum exit_code list_read(const struct list_type *t, struct nl *nl, struct records *list)
{
	struct reading reading = { t, list };
	const struct dump d = { .what = t->command ? t->command : t->what,
				.plural = t->plural, .cmd = t->cmd,
				.fill = fill_role, .fill_arg = t, .record = take_record,
				.restart = forget_records, .arg = &reading };

	return kernel_dump(nl, &d);
}

/** struct wanted - the arguments of list_matches() but for the record */
struct wanted {
	const struct list_type *t;
	const struct filter *f;
};

static bool is_wanted(const void *arg, const struct record *r)
{
	const struct wanted *w = arg;

	return list_matches(w->t, w->f, r);
}

void list_sort(const struct list_type *t, struct records *list)
{
	if (t->order && list->n)
		qsort(list->item, list->n, sizeof(*list->item), t->order);
	else if (!t->order && !t->in_order)
		records_sort(list, t->value, t->ids);
}

enum exit_code list_collect(const struct list_type *t, const struct gdrctl *g, struct nl *nl,
			    const struct filter *f, struct records *list)
{
	enum exit_code rc = t->read ? t->read(g, nl, f, list) : list_read(t, nl, list);

	records_keep(list, is_wanted, &(struct wanted){ t, f });
	if (!rc && t->add)
		rc = t->add(g, nl, list);
	list_sort(t, list);
	return rc;
}

enum exit_code list_show(const struct list_type *t, struct gdrctl *g, struct args *a)
{
	struct records list = { .n = 0 };
	struct filter f = { .pid = 0 };
	struct nl nl;
	enum exit_code rc = filters_read(&f, a, t->filters);

	if (rc)
		return rc;
	rc = kernel_open(&nl);
	if (!rc)
		rc = list_collect(t, g, &nl, &f, &list);
	if (!rc)
		rc = list_print(g, t, &list, filter_any(&f), stdout);
	if (!rc)
		list_note_inexact(g, &nl);
	if (!rc && t->note && !g->opt.json && !g->opt.oneline)
		t->note(&nl);
	records_free(&list);
	kernel_close(&nl);
	return rc;
}
