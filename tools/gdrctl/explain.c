// SPDX-License-Identifier: GPL-2.0
/* The answers of gdrctl explain, from the table of causes. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "causes.h"
#include "explain.h"
#include "failure.h"
#include "format.h"
#include "out.h"
#include "printed.h"
#include "words.h"

/* As many entries are told in full that are not known to matter here. */
#define FULL 2
#define SEEN_SIZE 256
#define TEXT_SIZE 512

static const struct enum_word before = {
	CAUSE_BEFORE, "before",
	"the kernel's method for dma-buf MRs was not reached, or it was no dma-buf: no record",
	NULL,
};

static const char *const verdict_words[] = {
	[VERDICT_POSSIBLE] = "possible",
	[VERDICT_FITS] = "fits",
	[VERDICT_RULED_OUT] = "ruled-out",
};

/* What the reader sees first. */
static const enum verdict verdict_order[] = { VERDICT_FITS, VERDICT_POSSIBLE, VERDICT_RULED_OUT };

/**
 * struct answer - one entry of the table, as it is told
 * @c: the entry
 * @count: how often it was counted on this machine
 * @seen: the importers of these, for people
 */
struct answer {
	const struct cause *c;
	uint64_t count;
	char seen[SEEN_SIZE];
};

static const struct enum_word *stage_entry(uint32_t stage)
{
	return stage == CAUSE_BEFORE ? &before : enum_find(stage_words, stage);
}

static const char *stage_name(uint32_t stage)
{
	const struct enum_word *e = stage_entry(stage);

	return e ? e->word : "unknown";
}

/* "ENOMEM (12)"; without an errno those of the entry. */
static const char *errno_text(const struct cause *c, int err, char *buf, size_t size)
{
	char name[CAUSE_ERRNO_SIZE];
	size_t used = 0;

	if (err) {
		snprintf(buf, size, "%s (%d)", cause_errno(err, name, sizeof(name)), err);
		return buf;
	}
	for (size_t i = 0; i < CAUSE_ERRNOS && c->err[i] && used < size; i++)
		used += (size_t)snprintf(buf + used, size - used, "%s%s", used ? ", " : "",
					 cause_errno(c->err[i], name, sizeof(name)));
	if (!used)
		snprintf(buf, size, "any other errno");
	return buf;
}

static void put_names(struct out *o, const struct cause *c)
{
	char name[CAUSE_ERRNOS][CAUSE_ERRNO_SIZE];
	const char *word[CAUSE_ERRNOS];
	size_t n = 0;

	for (; n < CAUSE_ERRNOS && c->err[n]; n++)
		word[n] = cause_errno(c->err[n], name[n], sizeof(name[n]));
	out_words(o, FIELD(.key = "errnos", .json_only = true), word, n, "any");
}

/* One thing that can be behind it. */
static void put_likely(struct out *o, const struct likely *l, enum verdict v, const char *evidence)
{
	out_list_item(o);
	if (*l->what) {
		out_row(o, v == VERDICT_RULED_OUT ? "ruled out" : verdict_words[v]);
		out_prose(o, FIELD(.key = "cause"), l->what);
	}
	out_str(o, FIELD(.key = "verdict", .json_only = true), verdict_words[v]);
	if (*evidence) {
		out_row(o, "  as");
		out_prose(o, FIELD(.key = "evidence"), evidence);
	}
	if (l->check) {
		/* What is ruled out need not be looked at. */
		if (v != VERDICT_RULED_OUT)
			out_row(o, *l->what ? "  check" : "check");
		out_prose(o, FIELD(.key = "check", .json_only = v == VERDICT_RULED_OUT), l->check);
	}
}

static void put_causes(struct out *o, const struct cause *c, const struct facts *f)
{
	char evidence[FACTS_EVIDENCE];

	out_list(o, "causes");
	for (size_t k = 0; k < ARRAY_SIZE(verdict_order); k++)
		for (size_t i = 0; i < cause_likely(c); i++)
			if (facts_verdict(f, c->likely[i].only, evidence) == verdict_order[k])
				put_likely(o, &c->likely[i], verdict_order[k], evidence);
	out_list_end(o);
}

static void put_answer(const struct gdrctl *g, struct out *o, const struct question *q,
		       const struct answer *a, const struct facts *f, bool full)
{
	const struct enum_word *stage = stage_entry(a->c->stage);
	char name[CAUSE_ERRNO_SIZE];

	out_str(o, FIELD(.key = "stage", .json_only = true), stage->word);
	if (q->err) {
		out_u64(o, FIELD(.key = "errno", .json_only = true), (uint64_t)q->err);
		out_str(o, FIELD(.key = "errno_name", .json_only = true),
			cause_errno(q->err, name, sizeof(name)));
	}
	put_names(o, a->c);
	if (*a->seen) {
		if (a->count)
			out_row(o, "counted here");
		out_u64(o, FIELD(.key = "count", .json_only = !a->count), a->count);
		if (a->count)
			out_text(o, ", by %s", a->seen);
	}
	if (full || g->opt.json) {
		out_row(o, "stage");
		out_prose(o, FIELD(.key = "stage_means"), stage->text);
	}
	out_row(o, "means");
	out_prose(o, FIELD(.key = "means"), a->c->means);
	if (full || g->opt.json)
		put_causes(o, a->c, f);
	out_row(o, "do");
	out_prose(o, FIELD(.key = "fix"), a->c->fix);
}

/* How often a failure of this entry, and errno if one is asked for, was counted. */
static void count(struct answer *a, int err, const struct records *counters)
{
	size_t used = 0;

	for (size_t i = 0; counters && i < counters->n; i++) {
		const struct record *r = &counters->item[i];
		int e = (int)record_number(r, FAILURE(ERROR));
		const char *importer = record_text(r, FAILURE(IMPORTER));

		if (record_number(r, FAILURE(STAGE)) != a->c->stage || (err && e != err) ||
		    cause_find(a->c->stage, e) != a->c)
			continue;
		a->count += record_number(r, FAILURE(COUNT));
		importer = importer ? importer : "unknown";
		if (used < sizeof(a->seen) && !strstr(a->seen, importer))
			used += (size_t)snprintf(a->seen + used, sizeof(a->seen) - used, "%s%s",
						 used ? ", " : "", importer);
	}
	/* Not "" if it was looked for. */
	if (counters && !used)
		strcpy(a->seen, "none");
}

static bool wanted(const struct question *q, const struct cause *c, bool named)
{
	if (q->stage != EXPLAIN_ALL && c->stage != q->stage)
		return false;
	if (!q->err)
		return true;
	/* With a stage there is an answer in any case; without, those that know the errno. */
	return q->stage != EXPLAIN_ALL || !named ? cause_find(c->stage, q->err) == c :
	       cause_names(c, q->err);
}

static size_t find_answers(const struct question *q, const struct records *counters,
			   struct answer *a)
{
	bool named = false;
	size_t n = 0;

	for (size_t i = 0; i < causes_n; i++)
		named |= q->err && cause_names(&causes[i], q->err);
	for (size_t i = 0; i < causes_n; i++) {
		if (!wanted(q, &causes[i], named))
			continue;
		memset(&a[n], 0, sizeof(a[n]));
		a[n].c = &causes[i];
		count(&a[n++], q->err, counters);
	}
	return n;
}

static void put_record(const struct gdrctl *g, struct out *o, const struct record *r,
		       const struct facts *f)
{
	const struct list_type *t = &list_failure_log;
	uint32_t stage = (uint32_t)record_number(r, FAILURE(STAGE));
	int err = (int)record_number(r, FAILURE(ERROR));
	const struct cause *c = cause_find(stage, err);
	/* Times and process come after the stage and the cause, which the table has last. */
	size_t skip = g->opt.json || g->opt.oneline ? 0 : t->ids;

	record_put(g, o, r, t->value + skip, t->n - 1 - skip);
	if (!c)
		return;
	out_row(o, "means");
	out_prose(o, FIELD(.key = "means"), c->means);
	put_causes(o, c, f);
	out_row(o, "do");
	out_prose(o, FIELD(.key = "fix"), c->fix);
}

enum exit_code explain_print(const struct gdrctl *g, const struct question *q,
			     const struct records *counters, const struct record *r,
			     const struct facts *f, FILE *to)
{
	struct out *o = out_new(&g->opt, g->opt.oneline ? OUT_LINE : OUT_BLOCK, true, to);
	struct answer *a = calloc(causes_n, sizeof(*a));
	char heading[128], errnos[96];
	size_t n, seen = 0;

	if (!o || !a) {
		message("no memory");
		if (o)
			out_finish(o);
		free(a);
		return EXIT_SYSTEM;
	}
	if (r) {
		struct gdrctl block = *g;

		/* A block is all there is. */
		block.opt.details = true;
		snprintf(heading, sizeof(heading), "failure %" PRIu64,
			 record_number(r, FAILURE(SEQ)));
		out_record(o, heading);
		put_record(&block, o, r, f);
		free(a);
		return out_finish(o);
	}
	n = find_answers(q, counters, a);
	for (size_t i = 0; i < n; i++)
		seen += !!a[i].count;
	/* First what happens on this machine. */
	for (int here = 1; here >= 0; here--) {
		for (size_t i = 0; i < n; i++) {
			bool full = g->opt.details || n <= FULL || (a[i].count && seen <= FULL);

			if (!!a[i].count != here)
				continue;
			snprintf(heading, sizeof(heading), "%s: %s", stage_name(a[i].c->stage),
				 errno_text(a[i].c, q->err, errnos, sizeof(errnos)));
			out_record(o, heading);
			put_answer(g, o, q, &a[i], f, full);
		}
	}
	free(a);
	return out_finish(o);
}

static bool number(const char *s, uint64_t *v)
{
	char *end;

	if (!*s || strspn(s, "0123456789") != strlen(s))
		return false;
	errno = 0;
	*v = strtoull(s, &end, 10);
	return !errno;
}

static void add_stages(struct words *w)
{
	for (size_t i = 0; stage_words[i].word; i++)
		words_add(w, stage_words[i].word);
	words_add(w, before.word);
}

static enum exit_code not_understood(const char *word)
{
	char shown[128], list[256];
	struct words w = { .n = 0 };

	add_stages(&w);
	message("\"%s\" is no errno and no stage; an errno is a name like EOPNOTSUPP or its "
		"number, 524 included, or a line that a program printed (\"Unknown error 524\"); "
		"stages: %s; a record of the log: id ID, or last",
		format_escape(word, shown, sizeof(shown)),
		words_list(&w, "", list, sizeof(list)));
	return EXIT_USAGE;
}

static enum exit_code take_id(struct question *q, const char *value)
{
	char shown[128];

	if (value && number(value, &q->id)) {
		q->has_id = true;
		return EXIT_OK;
	}
	message("id \"%s\": not an id, as in column ID of gdrctl failure log",
		value ? format_escape(value, shown, sizeof(shown)) : "");
	return EXIT_USAGE;
}

static enum exit_code several(const char *text)
{
	char shown[TEXT_SIZE];

	message("\"%s\" names several errnos; explain one at a time",
		format_escape(text, shown, sizeof(shown)));
	return EXIT_USAGE;
}

/* What a program printed, in words of the command line from @first on; @word is none of ours. */
static enum exit_code take_text(struct question *q, struct args *a, int first, const char *word)
{
	char text[TEXT_SIZE] = "";
	int err;

	while (args_next(a))
		;
	if (a->wrong)
		return EXIT_USAGE;
	for (size_t used = 0; first < a->i && used < sizeof(text); first++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s ", a->argv[first]);
	err = printed_errno(text);
	if (err < 0)
		return several(text);
	if (!err)
		return not_understood(word);
	*q = (struct question){ .stage = EXPLAIN_ALL, .err = err };
	return EXIT_OK;
}

static enum exit_code take_word(struct question *q, struct args *a, int first, const char *word)
{
	struct words w = { .n = 0 };
	int stage, err = cause_errno_number(word);
	char list[256];

	if (!strcmp(word, "id"))
		return take_id(q, args_value(a));
	if (!strcmp(word, "last")) {
		q->has_id = q->last = true;
		return EXIT_OK;
	}
	if (!err)
		err = printed_errno(word);
	if (err < 0)
		return several(word);
	if (err && q->err) {
		message("two errnos; explain one at a time");
		return EXIT_USAGE;
	}
	if (err) {
		q->err = err;
		return EXIT_OK;
	}
	add_stages(&w);
	stage = words_find(&w, word);
	if (stage == -EEXIST) {
		message("stage \"%s\" is ambiguous: %s", word,
			words_list(&w, word, list, sizeof(list)));
		return EXIT_USAGE;
	}
	if (stage < 0)
		return take_text(q, a, first, word);
	if (q->stage != EXPLAIN_ALL) {
		message("two stages; explain one at a time");
		return EXIT_USAGE;
	}
	q->stage = stage_words[stage].word ? stage_words[stage].value : CAUSE_BEFORE;
	return EXIT_OK;
}

enum exit_code explain_read(struct question *q, struct args *a)
{
	const char *word;
	int first = a->i;
	size_t n = 0;

	*q = (struct question){ .stage = EXPLAIN_ALL };
	while ((word = args_next(a))) {
		n++;
		if (take_word(q, a, first, word))
			return EXIT_USAGE;
	}
	if (a->wrong)
		return EXIT_USAGE;
	if (!n) {
		message("explain what? An errno (ENOMEM, 12, or what a program printed of it), a stage "
			"(map), both, or a record of the log: id ID, or last");
		return EXIT_USAGE;
	}
	if (q->has_id && n > 1) {
		message("id and last name one record and go with no other word");
		return EXIT_USAGE;
	}
	return EXIT_OK;
}

void explain_offer(const char *prefix)
{
	struct words w = { .n = 0 };
	char name[CAUSE_ERRNO_SIZE];

	add_stages(&w);
	words_add(&w, "id");
	words_add(&w, "last");
	words_offer(&w, prefix);
	/* Errnos only if they are meant: there are many. */
	for (int err = 1; *prefix == 'E' && err <= 600; err++) {
		const char *s = cause_errno(err, name, sizeof(name));
		bool known = false;

		for (size_t i = 0; i < causes_n; i++)
			known |= cause_names(&causes[i], err);
		if (known && !strncmp(s, prefix, strlen(prefix)))
			puts(s);
	}
}
