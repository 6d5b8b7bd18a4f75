/* SPDX-License-Identifier: GPL-2.0 */
/* The command line, word by word. */
#ifndef GDRCTL_ARGS_H
#define GDRCTL_ARGS_H

#include <stdbool.h>

#include "gdrctl.h"

/**
 * struct option_word - one option
 * @letter: its short form; 0: none
 * @name: its long form, without the dashes
 * @set: what it does
 * @help: for people
 */
struct option_word {
	char letter;
	const char *name;
	void (*set)(struct options *opt);
	const char *help;
};

/** option_words - the options, ended by a NULL name */
extern const struct option_word option_words[];

/**
 * struct object_option - one option of an object, known only after the object's name
 * @name: its form, without the dashes
 * @value: what its value is, for help; NULL: it has none
 * @set: what it does, given its value
 * @help: for people
 */
struct object_option {
	const char *name;
	const char *value;
	void (*set)(struct options *opt, const char *value);
	const char *help;
};

/**
 * struct args - the command line
 * @argv: the words, ended by NULL
 * @i: the next one
 * @opt: options met on the way go here
 * @plain: "--" was met: words that begin with "-" are no options
 * @own: options of the object, ended by a NULL name; NULL: it has none, or is not known yet
 * @wrong: an option was wrong, said on standard error
 */
struct args {
	char **argv;
	int i;
	struct options *opt;
	bool plain;
	const struct object_option *own;
	bool wrong;
};

/**
 * args_next - the next word that is no option
 * @a: command line; options on the way are taken
 *
 * Return: the word; NULL at the end or if an option was wrong (@a->wrong)
 */
const char *args_next(struct args *a);

/** args_value - the next word, whatever it begins with; NULL at the end */
const char *args_value(struct args *a);

/** args_back - put the word back that was returned last */
void args_back(struct args *a);

#endif
