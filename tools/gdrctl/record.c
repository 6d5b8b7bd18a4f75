// SPDX-License-Identifier: GPL-2.0
/* Records that are plain lists of values. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "format.h"
#include "record.h"

#define NS 1000000000u

uint64_t record_number(const struct record *r, int attr)
{
	return record_has(r, attr) ? r->value[attr].number : 0;
}

const char *record_text(const struct record *r, int attr)
{
	return record_has(r, attr) ? r->value[attr].text : NULL;
}

void record_set_number(struct record *r, int attr, uint64_t v)
{
	r->value[attr].number = v;
	r->present |= 1ULL << attr;
}

static void own_text(struct record *r, int attr, char *s)
{
	if (r->texts & 1ULL << attr)
		free(r->value[attr].text);
	r->value[attr].text = s;
	r->present |= 1ULL << attr;
	r->texts |= 1ULL << attr;
}

int record_set_text(struct record *r, int attr, const char *s)
{
	char *copy = strdup(s);

	if (!copy)
		return -ENOMEM;
	own_text(r, attr, copy);
	return 0;
}

void record_unset(struct record *r, int attr)
{
	if (r->texts & 1ULL << attr)
		free(r->value[attr].text);
	r->present &= ~(1ULL << attr);
	r->texts &= ~(1ULL << attr);
}

static bool in_list(const char *list, const char *name)
{
	size_t len = strlen(name);

	for (; list; list = strchr(list, ',')) {
		list += *list == ',';
		if (!strncmp(list, name, len) && (!list[len] || list[len] == ','))
			return true;
	}
	return false;
}

int record_add_name(struct record *r, int attr, const char *name)
{
	const char *list = record_text(r, attr);
	char *longer;

	if (!*name || in_list(list, name))
		return 0;
	if (asprintf(&longer, "%s%s%s", list ? list : "", list ? "," : "", name) < 0)
		return -ENOMEM;
	own_text(r, attr, longer);
	return 0;
}

int record_add_to_numbers(struct record *r, int attr, uint64_t v)
{
	const char *list = record_text(r, attr);
	char *longer;

	if (asprintf(&longer, "%s%s%" PRIu64, list ? list : "", list ? "," : "", v) < 0)
		return -ENOMEM;
	own_text(r, attr, longer);
	return 0;
}

size_t record_numbers(const struct record *r, int attr, uint64_t *v, size_t max)
{
	const char *list = record_text(r, attr);
	size_t n = 0;
	char *end;

	for (; list && *list && n < max; list = end + (*end == ','))
		v[n++] = strtoull(list, &end, 10);
	return n;
}

void record_free(struct record *r)
{
	for (int i = 0; i < RECORD_ATTRS; i++)
		if (r->texts & 1ULL << i)
			free(r->value[i].text);
	memset(r, 0, sizeof(*r));
}

static int take(const struct nlattr *nla, const struct value *v, struct record *r)
{
	uint64_t number;
	char *s;
	int err = 0;

	switch (v->kind) {
	case VALUE_BOOL:
		record_set_number(r, v->attr, 1);
		break;
	case VALUE_TEXT:
	case VALUE_NAMES:
		s = strndup(nla_data(nla), (size_t)nla_len(nla));
		if (!s)
			return -ENOMEM;
		if (v->kind == VALUE_NAMES) {
			err = record_add_name(r, v->attr, s);
			free(s);
		} else {
			own_text(r, v->attr, s);
		}
		break;
	case VALUE_NUMBERS:
		err = attr_number(nla, UINT64_MAX, &number);
		if (!err)
			err = record_add_to_numbers(r, v->attr, number);
		break;
	default:
		err = attr_number(nla, UINT64_MAX, &number);
		if (!err)
			record_set_number(r, v->attr, number);
	}
	return err;
}

int record_parse(const void *attrs, size_t len, const struct value *v, size_t n,
		 struct record *r)
{
	struct nlattr *nla;
	int left;

	memset(r, 0, sizeof(*r));
	for_each_attr(nla, left, attrs, len) {
		const struct value *at = v;
		int err;

		while (at < v + n && at->attr != nla_type(nla))
			at++;
		if (at == v + n || at->attr >= LOCAL(0))
			continue;
		err = take(nla, at, r);
		if (err)
			return err;
	}
	return attrs_ended(left) ? 0 : -EBADMSG;
}

static void put_flags(struct out *o, const struct value *v, uint64_t flags)
{
	char unknown[32][20], text[640] = "";
	const char *word[32];
	size_t n = 0, used = 0;

	for (unsigned int bit = 0; bit < 32; bit++) {
		if (!(flags & 1u << bit))
			continue;
		word[n] = enum_name(v->words, 1u << bit, unknown[n], sizeof(unknown[n]));
		if (used < sizeof(text))
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
						 n ? "," : "", word[n]);
		n++;
	}
	out_words(o, &v->field, word, n, n ? text : "none");
}

/* What does not fit is a value of another version, and no other's. */
static uint32_t narrow(uint64_t v)
{
	return v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
}

static void put(const struct gdrctl *g, struct out *o, const struct record *r,
		const struct value *v)
{
	char unknown[32];

	if (v->kind == VALUE_CUSTOM || v->kind == VALUE_NUMBERS) {
		v->put(g, o, r, v);
		return;
	}
	if (v->kind == VALUE_BOOL) {
		out_bool(o, &v->field, record_number(r, v->attr), "yes", "no");
		return;
	}
	if (!record_has(r, v->attr)) {
		out_unknown(o, &v->field);
		return;
	}
	switch (v->kind) {
	case VALUE_BYTES:
		out_bytes(o, &v->field, r->value[v->attr].number);
		break;
	case VALUE_ENUM:
		out_str(o, &v->field, enum_name(v->words, narrow(r->value[v->attr].number),
						unknown, sizeof(unknown)));
		break;
	case VALUE_FLAGS:
		put_flags(o, v, r->value[v->attr].number);
		break;
	case VALUE_TEXT:
		out_str(o, &v->field, r->value[v->attr].text);
		break;
	case VALUE_NAMES:
		out_names(o, &v->field, r->value[v->attr].text);
		break;
	default:
		out_u64(o, &v->field, r->value[v->attr].number);
	}
}

void record_put(const struct gdrctl *g, struct out *o, const struct record *r,
		const struct value *v, size_t n)
{
	bool table = !g->opt.json && !g->opt.oneline && !g->opt.details;

	for (; n; n--, v++) {
		if (v->looked_up && g->opt.numeric)
			continue;
		/* In a table each record has each column. */
		if (v->optional && !table && !record_has(r, v->attr))
			continue;
		if (v->row)
			out_row(o, v->row);
		put(g, o, r, v);
	}
}

void records_keep(struct records *list, bool (*wanted)(const void *arg, const struct record *r),
		  const void *arg)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->n; i++) {
		if (wanted(arg, &list->item[i]))
			list->item[kept++] = list->item[i];
		else
			record_free(&list->item[i]);
	}
	list->n = kept;
}

int records_add(struct records *list, struct record *r)
{
	if (list->n == list->room) {
		size_t room = list->room ? 2 * list->room : 16;
		struct record *item = realloc(list->item, room * sizeof(*item));

		if (!item) {
			record_free(r);
			return -ENOMEM;
		}
		list->item = item;
		list->room = room;
	}
	list->item[list->n++] = *r;
	return 0;
}

/** struct order - what a list is sorted by: the first @n of the values @v */
struct order {
	const struct value *v;
	size_t n;
};

static int compare(const struct record *x, const struct record *y, const struct value *v)
{
	bool has_x = record_has(x, v->attr), has_y = record_has(y, v->attr);
	uint64_t m, n;

	if (!has_x || !has_y)
		return has_x - has_y;
	if (x->texts & 1ULL << v->attr)
		return strcmp(x->value[v->attr].text, y->value[v->attr].text);
	m = x->value[v->attr].number;
	n = y->value[v->attr].number;
	return (m > n) - (m < n);
}

static int by_values(const void *a, const void *b, void *arg)
{
	const struct order *order = arg;
	int result = 0;

	for (size_t i = 0; !result && i < order->n; i++)
		result = compare(a, b, &order->v[i]);
	return result;
}

void records_sort(struct records *list, const struct value *v, size_t n)
{
	struct order order = { v, n };

	if (list->n)
		qsort_r(list->item, list->n, sizeof(*list->item), by_values, &order);
}

void records_free(struct records *list)
{
	for (size_t i = 0; i < list->n; i++)
		record_free(&list->item[i]);
	free(list->item);
	memset(list, 0, sizeof(*list));
}

void record_put_time(const struct gdrctl *g, struct out *o, const struct when *w, uint64_t ns)
{
	/* The record may be newer than our reading of the clock. */
	uint64_t age = g->boottime_ns > ns ? g->boottime_ns - ns : 0;
	int64_t date = g->realtime_s - (int64_t)(age / NS);
	char text[FORMAT_MAX];

	out_number(o, FIELD(.key = w->age, .title = w->title, .right = true, .after = "ago"), age,
		   format_duration(age / NS, text));
	out_number(o, FIELD(.key = w->seconds), (uint64_t)date, format_date(date, text));
	out_u64(o, FIELD(.key = w->boottime, .json_only = true), ns);
}
