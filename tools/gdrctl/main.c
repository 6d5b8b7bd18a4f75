// SPDX-License-Identifier: GPL-2.0
/* gdrctl [OPTIONS] OBJECT [COMMAND] [KEY VALUE]... */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "args.h"
#include "cmd.h"
#include "external.h"
#include "filter.h"
#include "hints.h"
#include "words.h"

static void read_clocks(struct gdrctl *g)
{
	struct timespec t;

	if (!clock_gettime(CLOCK_BOOTTIME, &t))
		g->boottime_ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
	if (!clock_gettime(CLOCK_REALTIME, &t))
		g->realtime_s = t.tv_sec;
}

static enum exit_code written(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return EXIT_OK;
	message("cannot write: output error");
	return EXIT_SYSTEM;
}

/* As words_require(), which says less to those who try another word for it. */
static int find_object(const struct words *w, const char *word)
{
	const char *hint = words_find(w, word) == -ENOENT ? hints_find(word) : NULL;

	if (!hint)
		return words_require(w, word, "object");
	message("unknown object \"%s\"; try %s", word, hint);
	return -ENOENT;
}

/* "help" after an object, or its option, wherever it stands. */
static enum exit_code help(const struct object *obj, struct args *a)
{
	const char *word = args_next(a);
	struct words w = { .n = 0 };
	int i;

	if (a->wrong)
		return EXIT_USAGE;
	if (word && !obj) {
		for (i = 0; objects[i]; i++)
			words_add(&w, objects[i]->name);
		i = find_object(&w, word);
		if (i < 0)
			return EXIT_USAGE;
		obj = objects[i];
	}
	help_print(obj, stdout);
	return written();
}

/* Options may come last, so that help is known only when every word has been seen. */
static bool wants_help(const struct args *a)
{
	struct options opt = *a->opt;
	struct args ahead = *a;

	ahead.opt = &opt;
	for (; ahead.argv[ahead.i] && !ahead.plain; ahead.i++) {
		const char *s = ahead.argv[ahead.i];

		if (!strcmp(s, "-h") || !strcmp(s, "--help") || !strcmp(s, "-help"))
			return true;
		ahead.plain = !strcmp(s, "--");
	}
	return opt.help;
}

static enum exit_code run_object(const struct object *obj, struct gdrctl *g, struct args *a)
{
	struct words w = { .n = 0 };
	int n_commands = 0, i;
	const char *word;
	char list[128];

	a->own = obj->options;
	if (wants_help(a))
		return help(obj, &(struct args){ .argv = (char *[]){ NULL }, .opt = a->opt });
	word = args_next(a);
	if (a->wrong)
		return EXIT_USAGE;
	if (!word && !obj->needs_command)
		return obj->command->run(g, a);
	for (; obj->command[n_commands].name; n_commands++)
		words_add(&w, obj->command[n_commands].name);
	if (!word) {
		message("%s needs a command: %s; see gdrctl help %s", obj->name,
			words_list(&w, "", list, sizeof(list)), obj->name);
		return EXIT_USAGE;
	}
	words_add(&w, "help");
	/* The default command may be left out, its filters follow at once. */
	filters_add_words(&w, obj->command->filters);
	/* What may be any word is the default command's, too. */
	if (obj->operands[0] && !obj->needs_command && words_find(&w, word) < 0) {
		args_back(a);
		return obj->command->run(g, a);
	}
	i = words_require(&w, word, obj->command->filters ? "command or filter" : "command");
	if (i < 0)
		return EXIT_USAGE;
	if (i == n_commands)
		return help(obj, a);
	if (i > n_commands) {
		args_back(a);
		i = 0;
	}
	return obj->command[i].run(g, a);
}

int main(int argc, char **argv)
{
	struct gdrctl g = { .opt = { .json = false } };
	struct args a = { .argv = argv, .i = 1, .opt = &g.opt };
	struct words w = { .n = 0 };
	const char *word;
	int i;

	if (argc > 1 && !strcmp(argv[1], "--complete")) {
		complete(argv + 2);
		return EXIT_OK;
	}
	word = args_next(&a);
	if (a.wrong)
		return EXIT_USAGE;
	if (g.opt.version) {
		printf("gdrctl %s\n", tool_version);
		return written();
	}
	if (!word) {
		help_print(NULL, g.opt.help ? stdout : stderr);
		return g.opt.help ? EXIT_OK : EXIT_USAGE;
	}
	for (i = 0; objects[i]; i++)
		words_add(&w, objects[i]->name);
	words_add(&w, "help");
	i = find_object(&w, word);
	if (i < 0)
		return EXIT_USAGE;
	if (!objects[i])
		return help(NULL, &a);
	if (objects[i]->external)
		return external_run(objects[i]->external, &g.opt, argv + a.i);
	read_clocks(&g);
	return run_object(objects[i], &g, &a);
}
