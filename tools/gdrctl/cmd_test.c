// SPDX-License-Identifier: GPL-2.0
/* gdrctl test [run | list] [gpu GPU] [hca HCA] [source KIND]... [case CASE]... [size SIZE] */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "format.h"
#include "selftest/cases.h"
#include "selftest/selftest.h"
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

static enum exit_code read_choice(struct st_choice *c, struct args *a)
{
	struct words w = { .n = 0 };
	const char *word, *value;
	int i;

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

/* Each result as it comes: whoever reads along sees how far it is. */
static void progress_ktap(const struct st_plan *p)
{
	(void)st_print_ktap(p, p->done, stdout);
}

static void progress(const struct st_plan *p)
{
	char name[ST_TEXT];

	fprintf(stderr, "\r\033[K[%zu/%zu] %s", p->done + 1, p->n,
		st_job_name(p, &p->job[p->done], name, sizeof(name)));
	fflush(stderr);
}

static enum exit_code check_plan(const struct st_plan *p)
{
	bool found = !*p->choice.gpu;

	for (uint32_t i = 0; i < p->scene.n_sources; i++)
		found |= !strcmp(p->scene.source[i].device, p->choice.gpu);
	if (!found)
		message("gpu %s: CUDA does not have it%s%s", p->choice.gpu,
			*p->scene.cuda ? ": " : "; CUDA_VISIBLE_DEVICES?", p->scene.cuda);
	return st_exit_code(p);
}

static enum exit_code test_run(struct gdrctl *g, struct args *a)
{
	struct st_plan p = { .n = 0 };
	bool terminal = isatty(STDERR_FILENO);
	enum exit_code rc;

	p.choice.size = g->opt.quick ? SIZE_LEAST : SIZE_USUAL;
	rc = read_choice(&p.choice, a);
	if (rc)
		return rc;
	p.choice.quick = g->opt.quick;
	terminal &= !g->opt.ktap;
	rc = st_supervise(&p, g->opt.ktap ? progress_ktap : terminal ? progress : NULL);
	if (terminal)
		fputs("\r\033[K", stderr);
	if (!rc)
		rc = g->opt.ktap ? st_print_ktap(&p, p.done, stdout) : st_print(g, &p, stdout);
	if (!rc)
		rc = check_plan(&p);
	st_plan_free(&p);
	return rc;
}

static enum exit_code test_list(struct gdrctl *g, struct args *a)
{
	const char *word = args_next(a);
	char shown[64];

	if (word)
		message("test list takes no word, not \"%s\"",
			format_escape(word, shown, sizeof(shown)));
	return word || a->wrong ? EXIT_USAGE : st_print_cases(g, stdout);
}

static void offer_of(const struct words *w, const char *prefix)
{
	for (size_t i = 0; i < w->n; i++)
		if (!strncmp(w->word[i], prefix, strlen(prefix)))
			puts(w->word[i]);
}

static void offer(const char *prefix)
{
	struct words w = { .n = 0 };

	for (int i = 0; i < N_WORDS; i++)
		words_add(&w, own_words[i]);
	offer_of(&w, prefix);
}

static bool offer_value(const char *word, const char *prefix)
{
	struct words w = { .n = 0 };

	if (!strcmp(word, own_words[WORD_SOURCE]))
		add_kinds(&w);
	else if (!strcmp(word, own_words[WORD_CASE]))
		add_cases(&w);
	else if (strcmp(word, own_words[WORD_SIZE]) != 0)
		return false;
	if (prefix)
		offer_of(&w, prefix);
	return true;
}

static void set_quick(struct options *opt, const char *value)
{
	(void)value;
	opt->quick = true;
}

static void set_ktap(struct options *opt, const char *value)
{
	(void)value;
	opt->ktap = true;
}

static const struct object_option options[] = {
	{ "quick", NULL, set_quick, "a small subset, in seconds" },
	{ "ktap", NULL, set_ktap, "KTAP in place of a table" },
	{ NULL, NULL, NULL, NULL },
};

static const struct command commands[] = {
	{ "run", test_run, 0, "run the test" },
	{ "list", test_list, 0, "list the cases and what is expected of them" },
	{ NULL, NULL, 0, NULL },
};

const struct object object_test = {
	.name = "test",
	.help = "does registration and transfer work, between each GPU and each HCA",
	.notes = "gpu GPU          this GPU alone: BDF, index or UUID\n"
		 "hca HCA          this HCA alone: BDF or RDMA device\n"
		 "source KIND      memory: cuda, cuda-vmm, cuda-pcie, udmabuf, dma-heap; repeat\n"
		 "case CASE        this case alone; repeat it for more; test list has them\n"
		 "size SIZE        the largest buffer, 64M if it is not given\n"
		 "\nExit status: 0 it works, 5 something does not, 4 it cannot be tested here.\n",
	.command = commands,
	.operands = { "[gpu GPU] [hca HCA] [source KIND]... [case CASE]... [size SIZE]" },
	.options = options,
	.offer = offer,
	.offer_value = offer_value,
};
