// SPDX-License-Identifier: GPL-2.0
/* An errno in what a program printed. */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "causes.h"
#include "printed.h"

/* Beyond those that user space has texts for. */
#define TEXTS_END	200

#define DIGITS		"0123456789"
#define CAPITALS	"ABCDEFGHIJKLMNOPQRSTUVWXYZ" DIGITS

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool starts(const char *s, const char *with)
{
	return !strncasecmp(s, with, strlen(with));
}

/* A name or a number of @len at @s, with nothing of a word after it. */
static int read_whole(const char *s, size_t len)
{
	char word[CAUSE_ERRNO_SIZE];

	if (!len || len >= sizeof(word) || in_word(s[len]))
		return 0;
	snprintf(word, sizeof(word), "%.*s", (int)len, s);
	return cause_errno_number(word);
}

/* A number with a word before it; no bare "error 12", as libraries have numbers of their own. */
static int read_number(const char *s, size_t *len)
{
	const char *at = s;
	size_t digits;

	if (starts(s, "unknown error "))
		at += strlen("unknown error ");
	else if (starts(s, "errno"))
		at += strlen("errno");
	else
		return 0;
	at += strspn(at, " =:(");
	at += *at == '-';
	digits = strspn(at, DIGITS);
	*len = (size_t)(at - s) + digits;
	return read_whole(at, digits);
}

/* The longest text of an errno at @s: "No such device" begins another one. */
static int read_text(const char *s, size_t *len)
{
	int found = 0;

	*len = 0;
	for (int err = 1; err < TEXTS_END; err++) {
		/* Not translated, as most programs print it. */
		const char *text = strerrordesc_np(err);

		if (text && strlen(text) > *len && starts(s, text) && !in_word(s[strlen(text)])) {
			*len = strlen(text);
			found = err;
		}
	}
	return found;
}

static int read_at(const char *s, size_t *len)
{
	int err = read_text(s, len);

	if (!err)
		err = read_number(s, len);
	if (!err && *s == 'E') {
		*len = strspn(s, CAPITALS);
		err = read_whole(s, *len);
	}
	return err;
}

int printed_errno(const char *s)
{
	char before = 0;
	int found = 0;

	while (*s) {
		size_t len = 1;
		int err = in_word(before) ? 0 : read_at(s, &len);

		if (err && found && err != found)
			return -EEXIST;
		if (err)
			found = err;
		else
			len = 1;
		s += len;
		before = s[-1];
	}
	return found;
}
