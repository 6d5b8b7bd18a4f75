// SPDX-License-Identifier: GPL-2.0
/* The printing layer. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "format.h"
#include "out.h"
#include "table.h"

#define LABEL_WIDTH 22
#define VALUE_MAX 1024
#define INDENT 4

/**
 * struct out - the state of the layer
 * @to: where to
 * @opt: options
 * @shape: of text
 * @list: any number of records
 * @root: JSON: what is printed in the end
 * @record: JSON: the record that takes the fields
 * @outer: JSON: the record around the list that is being filled
 * @array: JSON: that list
 * @table: OUT_TABLE: cells collected so far
 * @in_item: within that list
 * @in_line: text: something is on this line
 * @fields: OUT_BLOCK: fields on this line
 * @indent: OUT_BLOCK: lines belong to a heading
 * @failed: memory ran out
 */
struct out {
	FILE *to;
	struct options opt;
	enum out_shape shape;
	bool list;
	json_object *root;
	json_object *record;
	json_object *outer;
	json_object *array;
	struct table *table;
	bool in_item;
	bool in_line;
	unsigned int fields;
	bool indent;
	bool failed;
};

struct out *out_new(const struct options *opt, enum out_shape shape, bool list, FILE *to)
{
	struct out *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->opt = *opt;
	o->shape = shape;
	o->list = list;
	o->to = to;
	if (opt->json && list)
		o->root = json_object_new_array();
	else if (opt->json)
		o->root = json_object_new_object();
	else if (shape == OUT_TABLE)
		o->table = table_new();
	if (opt->json ? !o->root : shape == OUT_TABLE && !o->table)
		o->failed = true;
	return o;
}

static void end_line(struct out *o)
{
	if (o->in_line && !o->opt.json && o->shape != OUT_TABLE)
		fputc('\n', o->to);
	o->in_line = false;
	o->fields = 0;
}

enum exit_code out_finish(struct out *o)
{
	int flags = JSON_C_TO_STRING_NOSLASHESCAPE;
	enum exit_code rc;

	end_line(o);
	if (o->opt.json && o->root) {
		if (o->opt.pretty)
			flags |= JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED;
		fprintf(o->to, "%s\n", json_object_to_json_string_ext(o->root, flags));
		json_object_put(o->root);
	}
	if (o->table)
		o->failed |= !table_print(o->table, o->to);
	table_free(o->table);
	rc = o->failed || fflush(o->to) || ferror(o->to) ? EXIT_SYSTEM : EXIT_OK;
	if (rc)
		message("cannot write the results: %s", o->failed ? "no memory" : "output error");
	free(o);
	return rc;
}

void out_record(struct out *o, const char *heading)
{
	end_line(o);
	if (o->opt.json && o->list) {
		o->record = json_object_new_object();
		if (!o->record || json_object_array_add(o->root, o->record))
			o->failed = true;
	} else if (o->opt.json) {
		o->record = o->root;
	} else if (o->shape == OUT_TABLE && o->table) {
		table_row(o->table);
	} else if (o->shape == OUT_BLOCK && heading) {
		fprintf(o->to, "%s\n", heading);
		o->indent = true;
	}
}

void out_row(struct out *o, const char *label)
{
	if (o->opt.json || o->shape != OUT_BLOCK)
		return;
	end_line(o);
	fprintf(o->to, "%*s%-*s", o->indent ? INDENT : 0, "", LABEL_WIDTH, label);
	o->in_line = true;
}

void out_blank(struct out *o)
{
	if (o->shape == OUT_BLOCK)
		end_line(o);
	if (!o->opt.json && o->shape == OUT_BLOCK)
		fputc('\n', o->to);
}

void out_list(struct out *o, const char *key)
{
	if (!o->opt.json)
		return;
	o->array = json_object_new_array();
	o->outer = o->record;
	if (!o->array || json_object_object_add(o->outer, key, o->array))
		o->failed = true;
}

void out_list_item(struct out *o)
{
	o->in_item = true;
	if (!o->opt.json)
		return;
	o->record = json_object_new_object();
	if (!o->record || json_object_array_add(o->array, o->record))
		o->failed = true;
}

void out_list_end(struct out *o)
{
	o->in_item = false;
	if (o->opt.json)
		o->record = o->outer;
}

static void add_json(struct out *o, const char *key, json_object *v)
{
	if (!v || json_object_object_add(o->record, key, v))
		o->failed = true;
}

static bool needs_quotes(const char *s)
{
	return !*s || strpbrk(s, " \\\"");
}

/* @text is escaped. */
static void add_text(struct out *o, const struct out_field *f, const char *text)
{
	bool quotes;

	if (o->shape == OUT_BLOCK ? f->json_only : o->in_item)
		return;
	switch (o->shape) {
	case OUT_TABLE:
		if (f->title && o->table && !table_cell(o->table, f->title, text, f->right))
			o->failed = true;
		break;
	case OUT_BLOCK:
		fprintf(o->to, "%s%s%s%s%s%s", o->fields ? ", " : "", f->before ? f->before : "",
			f->before ? " " : "", text, f->after ? " " : "", f->after ? f->after : "");
		break;
	case OUT_LINE:
		quotes = needs_quotes(text);
		fprintf(o->to, "%s%s %s%s%s", o->fields ? " " : "", f->key, quotes ? "\"" : "",
			text, quotes ? "\"" : "");
		break;
	}
	o->in_line = true;
	o->fields++;
}

void out_number(struct out *o, const struct out_field *f, uint64_t v, const char *text)
{
	char plain[FORMAT_MAX];

	snprintf(plain, sizeof(plain), "%llu", (unsigned long long)v);
	if (o->opt.json)
		add_json(o, f->key, json_object_new_uint64(v));
	else
		add_text(o, f, text && o->shape != OUT_LINE ? text : plain);
}

void out_u64(struct out *o, const struct out_field *f, uint64_t v)
{
	out_number(o, f, v, NULL);
}

void out_bytes(struct out *o, const struct out_field *f, uint64_t v)
{
	char text[FORMAT_MAX];

	if (o->opt.bytes)
		out_u64(o, f, v);
	else
		out_number(o, f, v, format_size(v, text));
}

void out_bool(struct out *o, const struct out_field *f, bool v, const char *yes, const char *no)
{
	const char *text = v ? yes : no;

	if (o->opt.json)
		add_json(o, f->key, json_object_new_boolean(v));
	else if (o->shape == OUT_LINE)
		add_text(o, f, v ? "true" : "false");
	else if (text)
		add_text(o, f, text);
}

static json_object *new_string(const char *s)
{
	json_object *v = json_object_new_string("");
	char *escaped = format_json_string(s);

	/* json-c would let invalid UTF-8 and C1 controls through. */
	if (v && escaped)
		json_object_set_serializer(v, json_object_userdata_to_json_string, escaped,
					   json_object_free_userdata);
	if (v && !escaped) {
		json_object_put(v);
		v = NULL;
	}
	if (!v)
		free(escaped);
	return v;
}

void out_str(struct out *o, const struct out_field *f, const char *s)
{
	char text[VALUE_MAX];

	if (o->opt.json)
		add_json(o, f->key, new_string(s));
	else
		add_text(o, f, format_escape(s, text, sizeof(text)));
}

void out_prose(struct out *o, const struct out_field *f, const char *text)
{
	int margin = LABEL_WIDTH + (o->indent ? INDENT : 0);

	if (o->opt.json || o->shape != OUT_BLOCK) {
		out_str(o, f, text);
		return;
	}
	if (f->json_only)
		return;
	format_prose(o->to, text, margin, margin);
	o->in_line = true;
	o->fields++;
}

void out_words(struct out *o, const struct out_field *f, const char *const *word, size_t n,
	       const char *text)
{
	char escaped[VALUE_MAX], joined[VALUE_MAX];
	size_t used = 0;
	json_object *array;

	if (!o->opt.json) {
		for (size_t i = 0; o->shape == OUT_LINE && i < n && used < sizeof(joined); i++) {
			int len = snprintf(joined + used, sizeof(joined) - used, "%s%s",
					   used ? "," : "", word[i]);

			used += len > 0 ? (size_t)len : 0;
		}
		if (used)
			text = joined;
		add_text(o, f, format_escape(text, escaped, sizeof(escaped)));
		return;
	}
	array = json_object_new_array();
	for (size_t i = 0; array && i < n; i++)
		if (json_object_array_add(array, new_string(word[i])))
			o->failed = true;
	add_json(o, f->key, array);
}

void out_names(struct out *o, const struct out_field *f, const char *list)
{
	char split[VALUE_MAX], *save, *name;
	const char *word[VALUE_MAX / 2];
	size_t n = 0;

	snprintf(split, sizeof(split), "%s", list);
	for (name = strtok_r(split, ",", &save); name; name = strtok_r(NULL, ",", &save))
		word[n++] = name;
	out_words(o, f, word, n, list);
}

void out_unknown(struct out *o, const struct out_field *f)
{
	if (o->opt.json || f->json_only || o->shape == OUT_LINE)
		return;
	add_text(o, f, o->shape == OUT_TABLE ? "-" : "unknown");
}

void out_text(struct out *o, const char *fmt, ...)
{
	va_list ap;

	if (o->opt.json || o->shape != OUT_BLOCK)
		return;
	va_start(ap, fmt);
	vfprintf(o->to, fmt, ap);
	va_end(ap);
	o->in_line = true;
}
