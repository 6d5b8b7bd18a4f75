// SPDX-License-Identifier: GPL-2.0
/* Snapshots: one, or two with a line "---" between, compared and printed. */
#include "diff.h"
#include "diff_print.h"
#include "fuzz.h"
#include "snapshot.h"

#define LINE "\n---\n"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	fuzz_begin();
	return 0;
}

static void compare(const struct snapshot *before, const struct snapshot *after)
{
	struct records list = { .n = 0 };

	diff_in_order(before, after);
	if (diff_make(before, after, &list))
		abort();
	for (unsigned int i = 0; i < FUZZ_OPTIONS; i++) {
		struct gdrctl g = fuzz_options(i);

		diff_print(&g, &list, fuzz_sink());
	}
	records_free(&list);
}

/* A reader of JSON looks for the end of a string where its length says it is. */
static enum exit_code parse(struct snapshot *s, const uint8_t *data, size_t size)
{
	char *exact = fuzz_string(data, size);
	enum exit_code rc = snapshot_parse(s, "a\x1b.json", exact, size);

	free(exact);
	return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *line = memmem(data, size, LINE, strlen(LINE));
	size_t first = line ? (size_t)(line - data) : size;
	struct snapshot before, after;
	enum exit_code rc = parse(&before, data, first);

	if (line)
		rc |= parse(&after, line + strlen(LINE), size - first - strlen(LINE));
	else
		rc |= parse(&after, data, size);
	if (!rc)
		compare(&before, &after);
	snapshot_free(&before);
	snapshot_free(&after);
	return 0;
}
