// SPDX-License-Identifier: GPL-2.0
/* Words, prefixes, values as text. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "format.h"
#include "ktap.h"
#include "words.h"

static void prefixes(void)
{
	struct words w = { .n = 0 };
	char list[64];

	words_add(&w, "status");
	words_add(&w, "stat");
	words_add(&w, "attachment");
	words_add(&w, "attach");
	EXPECT(words_find(&w, "status") == 0);
	EXPECT(words_find(&w, "statu") == 0);
	/* An exact word beats a longer one it begins. */
	EXPECT(words_find(&w, "stat") == 1);
	EXPECT(words_find(&w, "attach") == 3);
	EXPECT(words_find(&w, "st") == -EEXIST);
	EXPECT(words_find(&w, "a") == -EEXIST);
	EXPECT(words_find(&w, "attachments") == -ENOENT);
	EXPECT(words_find(&w, "Status") == -ENOENT);
	EXPECT(words_find(&w, "") == -ENOENT);
	EXPECT_STR(words_list(&w, "st", list, sizeof(list)), "status, stat");
	EXPECT_STR(words_list(&w, "", list, 9), "status, ");
}

static void many_words(void)
{
	struct words w = { .n = 0 };

	for (int i = 0; i < WORDS_MAX + 5; i++)
		words_add(&w, "x");
	EXPECT(w.n == WORDS_MAX);
	EXPECT(words_find(&w, "x") == 0);
}

static void escaping(void)
{
	char b[128];

	EXPECT_STR(format_escape("plain name", b, sizeof(b)), "plain name");
	EXPECT_STR(format_escape("a\nb\tc\x1b[2J\x7f", b, sizeof(b)),
		   "a\\x0ab\\x09c\\x1b[2J\\x7f");
	EXPECT_STR(format_escape("q\"b\\", b, sizeof(b)), "q\\\"b\\\\");
	EXPECT_STR(format_escape("caf\xc3\xa9 \xf0\x9f\x98\x80", b, sizeof(b)),
		   "caf\xc3\xa9 \xf0\x9f\x98\x80");
	/* Cut, overlong, surrogate, beyond the last, stray. */
	EXPECT_STR(format_escape("\xc3", b, sizeof(b)), "\\xc3");
	EXPECT_STR(format_escape("\xc0\x80", b, sizeof(b)), "\\xc0\\x80");
	EXPECT_STR(format_escape("\xe0\x80\x80", b, sizeof(b)), "\\xe0\\x80\\x80");
	EXPECT_STR(format_escape("\xed\xa0\x80", b, sizeof(b)), "\\xed\\xa0\\x80");
	EXPECT_STR(format_escape("\xf4\x90\x80\x80", b, sizeof(b)), "\\xf4\\x90\\x80\\x80");
	EXPECT_STR(format_escape("\xff", b, sizeof(b)), "\\xff");
	/* C1 controls and direction marks. */
	EXPECT_STR(format_escape("\xc2\x9b", b, sizeof(b)), "\\xc2\\x9b");
	EXPECT_STR(format_escape("\xe2\x80\xae", b, sizeof(b)), "\\u202e");
	/* Never half an escape. */
	EXPECT_STR(format_escape("ab\n", b, 6), "ab");
	EXPECT_STR(format_escape("ab\n", b, 7), "ab\\x0a");
}

static void json_is(const char *in, const char *want)
{
	char *got = format_json_string(in);

	EXPECT(got);
	if (got)
		EXPECT_STR(got, want);
	free(got);
}

static void json_strings(void)
{
	json_is("", "\"\"");
	json_is("a\"b\\c/d", "\"a\\\"b\\\\c/d\"");
	json_is("\n\x01\x7f", "\"\\u000a\\u0001\\u007f\"");
	json_is("\xc3\xa9", "\"\xc3\xa9\"");
	json_is("\xc3(\xff", "\"\\ufffd(\\ufffd\"");
	json_is("\xc2\x9b\xe2\x80\xae", "\"\\u009b\\u202e\"");
}

static void sizes(void)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} t[] = {
		{ 0, "0 B" },
		{ 1023, "1023 B" },
		{ 1024, "1.0 KiB" },
		{ 1536, "1.5 KiB" },
		{ 2097152, "2.0 MiB" },
		{ 102399, "99.9 KiB" },
		{ 102400, "100 KiB" },
		{ 1048575, "1023 KiB" },
		{ 1048576, "1.0 MiB" },
		{ 80ULL << 30, "80.0 GiB" },
		{ UINT64_MAX, "15.9 EiB" },
	};
	char b[FORMAT_MAX];

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		EXPECT_STR(format_size(t[i].bytes, b), t[i].text);
}

static void times(void)
{
	char b[FORMAT_MAX];

	EXPECT_STR(format_duration(0, b), "0s");
	EXPECT_STR(format_duration(59, b), "59s");
	EXPECT_STR(format_duration(60, b), "1m00s");
	EXPECT_STR(format_duration(3599, b), "59m59s");
	EXPECT_STR(format_duration(11520, b), "3h12m");
	EXPECT_STR(format_duration(86400 * 99 + 3600, b), "99d01h");
	EXPECT(strlen(format_duration(UINT64_MAX, b)) < FORMAT_MAX);
	EXPECT_STR(format_ns(0, b), "0 ns");
	EXPECT_STR(format_ns(999, b), "999 ns");
	EXPECT_STR(format_ns(1000, b), "1.0 us");
	EXPECT_STR(format_ns(99999, b), "99.9 us");
	EXPECT_STR(format_ns(100000, b), "100 us");
	EXPECT_STR(format_ns(1048576, b), "1.0 ms");
	EXPECT_STR(format_ns(1500000000, b), "1.5 s");
	EXPECT(strlen(format_ns(UINT64_MAX, b)) < FORMAT_MAX);
	EXPECT_STR(format_date(0, b), "1970-01-01 00:00:00 UTC");
	EXPECT_STR(format_date(1796200097, b), "2026-12-02 08:28:17 UTC");
	EXPECT(strlen(format_date(INT64_MAX, b)) < FORMAT_MAX);
}

static void prose_is(const char *text, int column, int margin, const char *want)
{
	char *buf = NULL;
	size_t size;
	FILE *f = open_memstream(&buf, &size);

	EXPECT(f != NULL);
	format_prose(f, text, column, margin);
	fclose(f);
	EXPECT_STR(buf, want);
	free(buf);
}

/* Lines of 80 characters; a word that is longer has a line of its own. */
static void prose(void)
{
	char word[101];

	memset(word, 'x', 100);
	word[100] = 0;
	prose_is("", 0, 0, "");
	prose_is("one two", 4, 4, "one two");
	prose_is("one two", 74, 2, "one\n  two");
	prose_is("one two", 73, 2, "one two");
	prose_is(word, 4, 4, word);
}

static const struct test tests[] = {
	TEST(prefixes), TEST(many_words), TEST(escaping), TEST(json_strings), TEST(sizes), TEST(times),
	TEST(prose),
};

KTAP_MAIN(tests)
