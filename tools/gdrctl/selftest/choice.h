/* SPDX-License-Identifier: GPL-2.0 */
/* The words that say what gdrctl test is to test. */
#ifndef GDRCTL_ST_CHOICE_H
#define GDRCTL_ST_CHOICE_H

#include "args.h"
#include "selftest.h"

/**
 * st_choice_read - read "gpu GPU", "hca HCA", "source KIND", "case CASE", "size SIZE"
 * @c: empty
 * @quick: the small subset, and buffers of the least size unless another is given
 * @a: the words
 *
 * Return: EXIT_OK, or EXIT_USAGE, said on standard error
 */
enum exit_code st_choice_read(struct st_choice *c, bool quick, struct args *a);

/** st_choice_offer - print the words that begin with @prefix, one a line */
void st_choice_offer(const char *prefix);

/**
 * st_choice_offer_value - print the values of @word that begin with @prefix, one a line
 * @word: one of the words
 * @prefix: NULL: print nothing
 *
 * Return: whether such a word has a value that is known here
 */
bool st_choice_offer_value(const char *word, const char *prefix);

#endif
