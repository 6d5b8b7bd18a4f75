// SPDX-License-Identifier: GPL-2.0
/* The words that say what gdrctl test is to test: read, and completed. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "choice.h"
#include "filter.h"
#include "format.h"
#include "words.h"

#define SIZE_USUAL	(64ULL << 20)
#define SIZE_MOST	(1ULL << 30)
#define SIZE_LEAST	(256ULL << 10)

enum { WORD_GPU, WORD_HCA, WORD_SOURCE, WORD_CASE, WORD_SIZE, N_WORDS };

static const char *const own_words[N_WORDS] = { "gpu", "hca", "source", "case", "size" };

static void add_kinds(struct words *w)
{
	for (int i = 0; i < ST_HOST; i++)
		words_add(w, st_kind_words[i]);
}

static void add_cases(struct words *w)
{
	for (const struct st_case *c = st_cases; c->name; c++)
		words_add(w, c->name);
}

/* 4194304, 4M, 1G */
static bool read_size(const char *s, uint64_t *size)
{
	static const char units[] = "KMG";
	char *end;
	const char *u;

	if (*s < '0' || *s > '9')
		return false;
	errno = 0;
	*size = strtoull(s, &end, 10);
	u = *end ? strchr(units, *end) : NULL;
	if (errno || (*end && (!u || end[1])) || *size > SIZE_MOST)
		return false;
	if (u)
		*size <<= 10 * (u - units + 1);
	return *size >= SIZE_LEAST && *size <= SIZE_MOST;
}

static enum exit_code take_device(struct st_choice *c, int word, const char *value)
{
	struct filter f = { .pid = 0 };
	const struct filter_word *w = filter_words;
	char *to = word == WORD_HCA ? c->hca : c->gpu;

	while (strcmp(w->word, own_words[word]) != 0)
		w++;
	if (*to) {
		message("%s given twice; without it each one is tested", own_words[word]);
		return EXIT_USAGE;
	}
	if (filter_add(&f, w, value))
		return EXIT_USAGE;
	snprintf(to, ST_TEXT, "%s", word == WORD_HCA ? f.importer : f.exporter);
	if (word == WORD_GPU && !strchr(to, ':')) {
		message("gpu \"%s\": neither a BDF like 41:00.0 nor an index or UUID", to);
		return EXIT_USAGE;
	}
	return EXIT_OK;
}

static enum exit_code take_word(struct st_choice *c, int word, const char *value)
{
	struct words w = { .n = 0 };
	char shown[128];
	int i;

	switch (word) {
	case WORD_SOURCE:
		add_kinds(&w);
		i = words_require(&w, value, "source");
		c->kinds |= i < 0 ? 0 : 1u << i;
		return i < 0 ? EXIT_USAGE : EXIT_OK;
	case WORD_CASE:
		add_cases(&w);
		i = words_require(&w, value, "case");
		c->cases |= i < 0 ? 0 : 1ULL << i;
		return i < 0 ? EXIT_USAGE : EXIT_OK;
	case WORD_SIZE:
		if (read_size(value, &c->size))
			return EXIT_OK;
		message("size \"%s\": bytes, or a number with K, M or G, from 256K to 1G",
			format_escape(value, shown, sizeof(shown)));
		return EXIT_USAGE;
	default:
		return take_device(c, word, value);
	}
}

enum exit_code st_choice_read(struct st_choice *c, bool quick, struct args *a)
{
	struct words w = { .n = 0 };
	const char *word, *value;
	int i;

	c->quick = quick;
	c->size = quick ? SIZE_LEAST : SIZE_USUAL;
	for (i = 0; i < N_WORDS; i++)
		words_add(&w, own_words[i]);
	while ((word = args_next(a))) {
		i = words_require(&w, word, "command or word");
		if (i < 0)
			return EXIT_USAGE;
		value = args_value(a);
		if (!value) {
			message("%s needs a value", own_words[i]);
			return EXIT_USAGE;
		}
		if (take_word(c, i, value))
			return EXIT_USAGE;
	}
	return a->wrong ? EXIT_USAGE : EXIT_OK;
}

void st_choice_offer(const char *prefix)
{
	struct words w = { .n = 0 };

	for (int i = 0; i < N_WORDS; i++)
		words_add(&w, own_words[i]);
	words_offer(&w, prefix);
}

bool st_choice_offer_value(const char *word, const char *prefix)
{
	struct words w = { .n = 0 };

	if (!strcmp(word, own_words[WORD_SOURCE]))
		add_kinds(&w);
	else if (!strcmp(word, own_words[WORD_CASE]))
		add_cases(&w);
	else if (strcmp(word, own_words[WORD_SIZE]) != 0)
		return false;
	if (prefix)
		words_offer(&w, prefix);
	return true;
}
