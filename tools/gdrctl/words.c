// SPDX-License-Identifier: GPL-2.0
/* Words of the command line and their unique prefixes. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "format.h"
#include "gdrctl.h"
#include "words.h"

void words_add(struct words *w, const char *word)
{
	if (w->n < WORDS_MAX)
		w->word[w->n++] = word;
}

int words_find(const struct words *w, const char *given)
{
	size_t len = strlen(given);
	int found = -ENOENT;

	if (!len)
		return -ENOENT;
	for (size_t i = 0; i < w->n; i++) {
		if (strncmp(w->word[i], given, len))
			continue;
		if (!w->word[i][len])
			return (int)i;
		found = found == -ENOENT ? (int)i : -EEXIST;
	}
	return found;
}

const char *words_list(const struct words *w, const char *prefix, char *buf, size_t size)
{
	size_t used = 0, len = strlen(prefix);

	buf[0] = 0;
	for (size_t i = 0; i < w->n && used < size; i++) {
		int n;

		if (strncmp(w->word[i], prefix, len))
			continue;
		n = snprintf(buf + used, size - used, "%s%s", used ? ", " : "", w->word[i]);
		used += n > 0 ? (size_t)n : 0;
	}
	return buf;
}

void words_offer(const struct words *w, const char *prefix)
{
	for (size_t i = 0; i < w->n; i++)
		if (!strncmp(w->word[i], prefix, strlen(prefix)))
			puts(w->word[i]);
}

int words_require(const struct words *w, const char *given, const char *what)
{
	char list[512], shown[128];
	int i = words_find(w, given);

	format_escape(given, shown, sizeof(shown));
	if (i == -EEXIST)
		message("%s \"%s\" is ambiguous: %s", what, shown,
			words_list(w, given, list, sizeof(list)));
	else if (i < 0)
		message("unknown %s \"%s\"; possible: %s", what, shown,
			words_list(w, "", list, sizeof(list)));
	return i;
}
