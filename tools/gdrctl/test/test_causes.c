// SPDX-License-Identifier: GPL-2.0
/*
 * The causes of failures, and what is written from them: the part of
 * Documentation/failures.rst below its mark. With --write: writes it.
 */
#include <errno.h>
#include <stdlib.h>

#include <linux/gdr_telemetry.h>

#include "causes.h"
#include "enums.h"
#include "ktap.h"

/* From where the tests are run: tools/gdrctl. */
#define DOC	"../../Documentation/failures.rst"
#define TABLE	"../../tests/errno-table.tsv"
#define MARK	".. Below this line: from tools/gdrctl/causes.c, by test_causes --write\n"
#define WIDTH	79

/* The sections of the document. */
static const uint32_t stages[] = {
	CAUSE_BEFORE, GDR_TELEMETRY_STAGE_VERBS, GDR_TELEMETRY_STAGE_UMEM,
	GDR_TELEMETRY_STAGE_ATTACH, GDR_TELEMETRY_STAGE_MAP, GDR_TELEMETRY_STAGE_PIN,
	GDR_TELEMETRY_STAGE_HW, GDR_TELEMETRY_STAGE_CAPABILITY_QUERY, GDR_TELEMETRY_STAGE_UNKNOWN,
};

#define STAGES	(sizeof(stages) / sizeof(stages[0]))

static const char *stage_name(uint32_t stage)
{
	static char buf[32];

	return stage == CAUSE_BEFORE ? "before" :
	       enum_name(stage_words, stage, buf, sizeof(buf));
}

static void lookup(void)
{
	EXPECT(cause_find(GDR_TELEMETRY_STAGE_ATTACH, 524)->err[0] == 524);
	EXPECT(strstr(cause_find(GDR_TELEMETRY_STAGE_MAP, ENOMEM)->likely[0].what, "BAR1") != NULL);
	/* The same errno is another thing in another stage. */
	EXPECT(cause_find(GDR_TELEMETRY_STAGE_UMEM, EINVAL) !=
	       cause_find(GDR_TELEMETRY_STAGE_VERBS, EINVAL));
	/* The last of an entry that is full. */
	EXPECT(cause_find(GDR_TELEMETRY_STAGE_VERBS, EBADR)->err[CAUSE_ERRNOS - 1] == EBADR);
	EXPECT(!cause_find(GDR_TELEMETRY_STAGE_ATTACH, EXDEV)->err[0]);
	EXPECT(!cause_find(GDR_TELEMETRY_STAGE_ATTACH, 0)->err[0]);
	EXPECT(!cause_find(1000, ENOMEM));
}

static void names(void)
{
	static const struct { const char *word; int err; } read[] = {
		{ "ENOMEM", ENOMEM }, { "enomem", ENOMEM }, { "12", ENOMEM }, { "-12", ENOMEM },
		{ "524", 524 }, { "ENOTSUPP", 524 }, { "ENOTSUP", EOPNOTSUPP }, { "95", EOPNOTSUPP },
		{ "EWOULDBLOCK", EAGAIN }, { "512", 512 }, { "0", 0 }, { "", 0 }, { "-", 0 },
		{ "--12", 0 }, { "12x", 0 }, { "200", 0 }, { "532", 0 }, { "ENO", 0 },
		{ "99999999999999999999", 0 }, { "map", 0 },
	};
	char b[16];

	EXPECT_STR(cause_errno(ENOMEM, b, sizeof(b)), "ENOMEM");
	EXPECT_STR(cause_errno(524, b, sizeof(b)), "ENOTSUPP");
	EXPECT_STR(cause_errno(EOPNOTSUPP, b, sizeof(b)), "EOPNOTSUPP");
	EXPECT_STR(cause_errno(4000, b, sizeof(b)), "4000");
	for (size_t i = 0; i < sizeof(read) / sizeof(read[0]); i++) {
		if (cause_errno_number(read[i].word) != read[i].err)
			printf("# %s\n", read[i].word);
		EXPECT(cause_errno_number(read[i].word) == read[i].err);
	}
}

/* The six that are asked for most, 93 and EFAULT of what is no dma-buf included. */
static void asked_for(void)
{
	static const int err[] = { 524, 95, 93, 14, 12, 11 };

	for (size_t i = 0; i < sizeof(err) / sizeof(err[0]); i++) {
		size_t n = 0;

		for (size_t k = 0; k < causes_n; k++)
			n += cause_names(&causes[k], err[i]) && cause_likely(&causes[k]);
		EXPECT(n > 0);
	}
}

/* Each entry can be found, and each stage ends with one for any errno. */
static void whole(void)
{
	for (size_t i = 0; i < causes_n; i++) {
		const struct cause *c = &causes[i];

		EXPECT(c->means && c->fix && c->means[0] && c->fix[0]);
		EXPECT(strncmp(stage_name(c->stage), "unknown-", 8) != 0);
		for (size_t k = 0; k < CAUSE_ERRNOS && c->err[k]; k++)
			EXPECT(cause_find(c->stage, c->err[k]) == c);
		if (!c->err[0])
			EXPECT(i + 1 == causes_n || causes[i + 1].stage != c->stage);
	}
	for (size_t s = 0; s < STAGES; s++)
		EXPECT(cause_find(stages[s], 3999) != NULL);
}

static int stage_of(const char *word)
{
	for (size_t s = 0; s < STAGES; s++)
		if (!strcmp(stage_name(stages[s]), word))
			return (int)stages[s];
	return -1;
}

static int errno_of(const char *name)
{
	int err = cause_errno_number(name);

	return err ? err : -1;
}

/* Each errno that mlx5 can return has an entry of its own. */
static void all_of_mlx5(void)
{
	char line[1024], stage[32], name[32];
	FILE *f = fopen(TABLE, "r");
	unsigned int n = 0;

	EXPECT(f != NULL);
	while (f && fgets(line, sizeof(line), f)) {
		if (line[0] == '#' || sscanf(line, "%*s %31s %31s", stage, name) != 2)
			continue;
		EXPECT(errno_of(name) > 0);
		n++;
		if (stage_of(stage) < 0 ||
		    (!cause_find(stage_of(stage), errno_of(name))->err[0] &&
		     stage_of(stage) != CAUSE_BEFORE)) {
			printf("# %s: no cause of %s %s\n", TABLE, stage, name);
			EXPECT(false);
		}
	}
	if (f)
		fclose(f);
	EXPECT(n > 20);
}

/* ---- the document -------------------------------------------------------- */

/* TEXT in lines, each indented by four, those of an item by two more. */
static void wrapped(FILE *out, const char *head, const char *text)
{
	int indent = !strcmp(head, "- ") ? 6 : 4;
	size_t column = 4 + strlen(head);
	const char *word = text;

	fprintf(out, "    %s", head);
	while (*word) {
		size_t len = strcspn(word, " ");

		if (word != text && column + 1 + len > WIDTH) {
			fprintf(out, "\n%*s", indent, "");
			column = (size_t)indent;
		} else if (word != text) {
			fputc(' ', out);
			column++;
		}
		fprintf(out, "%.*s", (int)len, word);
		column += len;
		word += len + (word[len] == ' ');
	}
	fputc('\n', out);
}

/* An item of a list, or, where the meaning is the cause, how to check that. */
static void put_likely(FILE *out, const struct likely *l)
{
	char item[1024];

	if (*l->what)
		snprintf(item, sizeof(item), "%s%s%s", l->what, l->check ? ". *Check:* " : ".",
			 l->check ? l->check : "");
	else
		snprintf(item, sizeof(item), "%s", l->check);
	fputc('\n', out);
	wrapped(out, *l->what ? "- " : "*Check:* ", item);
}

static char *document(void)
{
	uint32_t stage = UINT32_MAX;
	const char *section;
	char *text = NULL, b[16];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; out && i < causes_n; i++) {
		const struct cause *c = &causes[i];

		if (c->stage != stage) {
			stage = c->stage;
			section = stage_name(stage);
			fprintf(out, "\n%s\n", section);
			for (size_t k = 0; section[k]; k++)
				fputc('-', out);
			fputc('\n', out);
		}
		fputc('\n', out);
		for (size_t k = 0; k < CAUSE_ERRNOS && c->err[k]; k++)
			fprintf(out, "%s``%s`` (%d)", k ? ", " : "",
				cause_errno(c->err[k], b, sizeof(b)), c->err[k]);
		fputs(c->err[0] ? "\n" : "any other errno\n", out);
		wrapped(out, "", c->means);
		for (size_t k = 0; k < cause_likely(c); k++)
			put_likely(out, &c->likely[k]);
		fputc('\n', out);
		wrapped(out, "*Do:* ", c->fix);
	}
	if (out)
		fclose(out);
	return text;
}

static char *contents(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	if (!f || getdelim(&text, &size, 0, f) < 0) {
		free(text);
		text = NULL;
	}
	if (f)
		fclose(f);
	return text;
}

static void documented(void)
{
	char *doc = contents(DOC), *mark = doc ? strstr(doc, MARK) : NULL, *want = document();

	EXPECT(mark != NULL);
	if (mark)
		EXPECT_STR(mark + strlen(MARK), want);
	free(want);
	free(doc);
}

static int write_document(void)
{
	char *doc = contents(DOC), *mark = doc ? strstr(doc, MARK) : NULL, *text = document();
	FILE *f = mark ? fopen(DOC, "w") : NULL;

	if (!f) {
		fprintf(stderr, "%s, from tools/gdrctl: no such file, or the line\n%sis missing\n",
			DOC, MARK);
		return 1;
	}
	fwrite(doc, 1, mark - doc + strlen(MARK), f);
	fputs(text, f);
	free(text);
	free(doc);
	return fclose(f) ? 1 : 0;
}

static const struct test tests[] = {
	TEST(lookup), TEST(names), TEST(asked_for), TEST(whole), TEST(all_of_mlx5),
	TEST(documented),
};

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--write"))
		return write_document();
	return ktap_run(tests, sizeof(tests) / sizeof(tests[0]));
}
