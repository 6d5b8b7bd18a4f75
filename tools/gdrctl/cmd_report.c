// SPDX-License-Identifier: GPL-2.0
/* gdrctl report [--anonymous] [FILE|-] */
#include <stdlib.h>

#include "cmd.h"
#include "format.h"
#include "replace.h"
#include "report.h"

static void write_text(FILE *to, const void *text)
{
	fputs(text, to);
}

/* As a whole, so that a file is not begun that cannot be ended. */
static enum exit_code make_text(const struct gdrctl *g, char **text)
{
	struct report r;
	enum exit_code rc = report_read(g, &r);
	size_t size;
	FILE *f = open_memstream(text, &size);

	if (!rc)
		rc = f ? report_write(g, &r, f) : EXIT_SYSTEM;
	if (f)
		fclose(f);
	report_free(&r);
	return rc;
}

static enum exit_code show(struct gdrctl *g, struct args *a)
{
	const char *path = args_next(a), *word = args_next(a);
	char *text = NULL, shown[64];
	enum exit_code rc;

	if (a->wrong)
		return EXIT_USAGE;
	if (word) {
		message("report goes to one file: what is \"%s\"?",
			format_escape(word, shown, sizeof(shown)));
		return EXIT_USAGE;
	}
	if (g->opt.oneline) {
		message("report is a text, or with -j JSON: -o does not go with it");
		return EXIT_USAGE;
	}
	rc = make_text(g, &text);
	/* With names it is for its owner, who decides whom to show it. */
	if (!rc)
		rc = replace_or_print(path, g->opt.anonymous ? 0666 : 0600, write_text, text);
	free(text);
	return rc;
}

static const struct command commands[] = {
	{ "show", show, 0, "print it, or write it to FILE; as root there is more in it" },
	{ NULL, NULL, 0, NULL },
};

static void set_anonymous(struct options *o, const char *value)
{
	(void)value;
	o->anonymous = true;
}

static const struct object_option options[] = {
	{ "anonymous", NULL, set_anonymous, "no names of processes, containers and machines" },
	{ NULL, NULL, NULL, NULL },
};

const struct object object_report = {
	.name = "report",
	.help = "all there is in one text, to go with a bug report",
	.notes = "Works without the module, too, and then says why it is not there.\n",
	.command = commands,
	.operands = { "[FILE|-]" },
	.options = options,
};
