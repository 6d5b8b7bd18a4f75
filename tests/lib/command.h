/* SPDX-License-Identifier: GPL-2.0 */
/* Programs that take commands, a line each, from a shell that asks in turns. */
#ifndef GDRT_TEST_COMMAND_H
#define GDRT_TEST_COMMAND_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define COMMAND_WORDS	12

/**
 * struct command - one command
 * @line: the line, cut up
 * @w: its words, ended by NULL; at least one, at most COMMAND_WORDS - 1
 */
struct command {
	char line[512];
	char *w[COMMAND_WORDS + 1];
};

/**
 * command_open - open two FIFOs to be asked and to answer
 * @in_path: commands come from it
 * @out_path: answers go to it
 * @in: set to a stream of the former; NULL on an error
 * @out: set to a stream of the latter; NULL on an error
 */
void command_open(const char *in_path, const char *out_path, FILE **in, FILE **out);

/**
 * command_next - read a command; lines without a word are passed over
 * @in: stream
 * @c: filled in
 *
 * Return: false at the end
 */
bool command_next(FILE *in, struct command *c);

/**
 * command_number - read a word like "length=4096"
 * @word: the word
 * @name: what it begins with, "length="
 * @v: set to the number
 *
 * Return: false if it begins otherwise; @v is left alone then
 */
bool command_number(const char *word, const char *name, uint64_t *v);

#endif
