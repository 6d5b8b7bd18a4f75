/* SPDX-License-Identifier: GPL-2.0 */
/* Words of the command line and their unique prefixes. */
#ifndef GDRCTL_WORDS_H
#define GDRCTL_WORDS_H

#include <stddef.h>

#define WORDS_MAX 32

/**
 * struct words - the words that are possible at one place
 * @word: the words
 * @n: how many
 */
struct words {
	const char *word[WORDS_MAX];
	size_t n;
};

/** words_add - add @word, which must outlive @w; more than WORDS_MAX are dropped */
void words_add(struct words *w, const char *word);

/**
 * words_find - find the word that @given is or begins
 * @w: the possible words
 * @given: what the user wrote
 *
 * An exact word beats a prefix.
 *
 * Return: its index; -ENOENT if there is none (an empty word is none); -EEXIST if more than one
 * begins so.
 */
int words_find(const struct words *w, const char *given);

/**
 * words_list - write the words that begin with @prefix, separated by ", "
 * @w: the possible words
 * @prefix: "" for all
 * @buf: where to
 * @size: size of @buf; a list that does not fit is cut
 *
 * Return: @buf
 */
const char *words_list(const struct words *w, const char *prefix, char *buf, size_t size);

/** words_offer - for completion: print the words that begin with @prefix, one a line */
void words_offer(const struct words *w, const char *prefix);

/**
 * words_require - words_find() that says on standard error what is wrong
 * @w: the possible words
 * @given: what the user wrote
 * @what: what is looked for, for the message ("object")
 *
 * Return: the index, or a negative errno as words_find()
 */
int words_require(const struct words *w, const char *given, const char *what);

#endif
