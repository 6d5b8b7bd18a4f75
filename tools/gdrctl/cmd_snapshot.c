// SPDX-License-Identifier: GPL-2.0
/* gdrctl snapshot save FILE | diff FILE [FILE] */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "diff.h"
#include "diff_print.h"
#include "format.h"
#include "replace.h"
#include "snapshot.h"

/* A file, and no word too much. */
static enum exit_code read_paths(struct args *a, const char *command, const char *path[],
				 size_t min, size_t max)
{
	size_t n = 0;
	char shown[64];
	const char *word;

	while ((word = args_next(a)) && n < max)
		path[n++] = word;
	if (a->wrong)
		return EXIT_USAGE;
	if (word) {
		message("snapshot %s takes no more than %zu file%s: what is \"%s\"?", command, max,
			max == 1 ? "" : "s", format_escape(word, shown, sizeof(shown)));
		return EXIT_USAGE;
	}
	if (n < min) {
		message("snapshot %s needs a file: gdrctl snapshot %s FILE", command, command);
		return EXIT_USAGE;
	}
	return EXIT_OK;
}

static enum exit_code read_now(const struct gdrctl *g, char **text)
{
	struct capture c = { .status.n_probes = 0 };
	struct nl nl;
	enum exit_code rc = kernel_open(&nl);

	*text = NULL;
	if (!rc)
		rc = capture_read(g, &nl, true, &c);
	kernel_close(&nl);
	if (!rc) {
		*text = snapshot_text(g, &c);
		rc = *text ? EXIT_OK : EXIT_SYSTEM;
	}
	capture_free(&c);
	return rc;
}

static void write_text(FILE *to, const void *text)
{
	fputs(text, to);
}

static enum exit_code save(struct gdrctl *g, struct args *a)
{
	const char *path[1];
	enum exit_code rc = read_paths(a, "save", path, 1, 1);
	char *text;

	if (rc)
		return rc;
	if (g->opt.json || g->opt.oneline || g->opt.details || g->opt.bytes) {
		message("snapshot save has one format: of the options only -n goes with it");
		return EXIT_USAGE;
	}
	rc = read_now(g, &text);
	/* It holds what not every user may read. */
	if (!rc)
		rc = replace_or_print(path[0], 0600, write_text, text);
	free(text);
	return rc;
}

static enum exit_code load_now(const struct gdrctl *g, struct snapshot *s)
{
	char *text;
	enum exit_code rc = read_now(g, &text);

	if (!rc)
		rc = snapshot_parse(s, "now", text, strlen(text));
	free(text);
	return rc;
}

static enum exit_code compare(const struct gdrctl *g, const struct snapshot *before,
			      const struct snapshot *after)
{
	struct records list = { .n = 0 };
	enum exit_code rc;

	if (!diff_in_order(before, after)) {
		message("\"%s\" is newer than \"%s\": give the older one first", before->name,
			after->name);
		return EXIT_USAGE;
	}
	if (diff_make(before, after, &list)) {
		message("no memory");
		rc = EXIT_SYSTEM;
	} else {
		rc = diff_print(g, &list, stdout);
	}
	records_free(&list);
	return rc;
}

static enum exit_code diff(struct gdrctl *g, struct args *a)
{
	struct snapshot before = { .root = NULL }, after = { .root = NULL };
	const char *path[2] = { NULL, NULL };
	enum exit_code rc = read_paths(a, "diff", path, 1, 2);

	if (!rc && path[1] && !strcmp(path[0], "-") && !strcmp(path[1], "-")) {
		message("snapshot diff: only one of the two can be standard input");
		rc = EXIT_USAGE;
	}
	/* Now is now, however long the file takes. */
	if (!rc && !path[1])
		rc = load_now(g, &after);
	if (!rc)
		rc = snapshot_load(&before, path[0]);
	if (!rc && path[1])
		rc = snapshot_load(&after, path[1]);
	if (!rc)
		rc = compare(g, &before, &after);
	snapshot_free(&before);
	snapshot_free(&after);
	return rc;
}

static const struct command commands[] = {
	{ "save", save, 0, "write all there is now to a file; needs root" },
	{ "diff", diff, 0, "what is different since; with one file up to now, which needs root" },
	{ NULL, NULL, 0, NULL },
};

const struct object object_snapshot = {
	.name = "snapshot",
	.help = "what a job left behind: save before it, diff after it",
	.notes = "FILE may be -. Each number is compared by process, pair and errno; what is worst\n"
		 "comes first: new attachments whose process has exited. -d has all of it.\n",
	.command = commands,
	.operands = { "FILE", "FILE [FILE]" },
	.needs_command = true,
};
