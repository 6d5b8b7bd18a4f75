/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The printing layer: the same calls make JSON, a table, a block of lines a record, or one line a
 * record. A command says what a value is; how it looks is decided here.
 */
#ifndef GDRCTL_OUT_H
#define GDRCTL_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "gdrctl.h"

/**
 * enum out_shape - what a text looks like
 * @OUT_TABLE: one line a record under a line of titles
 * @OUT_BLOCK: several lines a record
 * @OUT_LINE: one line a record, KEY VALUE pairs
 */
enum out_shape { OUT_TABLE, OUT_BLOCK, OUT_LINE };

/**
 * struct out_field - how a value is called
 * @key: in JSON and in OUT_LINE: snake_case, unit at the end, never renamed
 * @title: of its column in OUT_TABLE; NULL: not in the table
 * @before: words before it in OUT_BLOCK; NULL: none
 * @after: words after it in OUT_BLOCK; NULL: none
 * @right: the column is aligned to the right
 * @json_only: not in OUT_BLOCK
 */
struct out_field {
	const char *key;
	const char *title;
	const char *before;
	const char *after;
	bool right;
	bool json_only;
};

#define FIELD(...) (&(const struct out_field){ __VA_ARGS__ })

/**
 * out_new - begin the results
 * @opt: options: JSON or text, plain bytes
 * @shape: of text
 * @list: the results are any number of records, not one
 * @to: where to
 *
 * Return: the layer; NULL without memory
 */
struct out *out_new(const struct options *opt, enum out_shape shape, bool list, FILE *to);

/**
 * out_finish - write what has not been written and free @o
 *
 * Return: EXIT_OK, or EXIT_SYSTEM, said on standard error, if it could not be written
 */
enum exit_code out_finish(struct out *o);

/** out_record - begin a record; in OUT_BLOCK under the line @heading if that is not NULL */
void out_record(struct out *o, const char *heading);

/** out_row - begin a line of OUT_BLOCK; the fields after it are on it, with commas between */
void out_row(struct out *o, const char *label);

/** out_blank - an empty line in OUT_BLOCK */
void out_blank(struct out *o);

/** out_list - begin a list @key of records within a record; in text OUT_BLOCK alone shows it */
void out_list(struct out *o, const char *key);

/** out_list_item - begin a record of the list */
void out_list_item(struct out *o);

/** out_list_end - back to the record that holds the list */
void out_list_end(struct out *o);

/** out_u64 - a number */
void out_u64(struct out *o, const struct out_field *f, uint64_t v);

/** out_number - a number in JSON and OUT_LINE, else @text, or the number if that is NULL */
void out_number(struct out *o, const struct out_field *f, uint64_t v, const char *text);

/** out_bytes - a size in bytes */
void out_bytes(struct out *o, const struct out_field *f, uint64_t v);

/** out_bool - true or false in JSON and OUT_LINE; else @yes or @no, nothing if that is NULL */
void out_bool(struct out *o, const struct out_field *f, bool v, const char *yes, const char *no);

/** out_str - a string, any bytes; escaped */
void out_str(struct out *o, const struct out_field *f, const char *s);

/** out_prose - a sentence or more, not escaped; in OUT_BLOCK broken into lines of 80 characters */
void out_prose(struct out *o, const struct out_field *f, const char *text);

/** out_words - an array of @n words in JSON, joined with commas in OUT_LINE, else @text */
void out_words(struct out *o, const struct out_field *f, const char *const *word, size_t n,
	       const char *text);

/** out_names - @list holds names with commas between: an array in JSON, else as it is */
void out_names(struct out *o, const struct out_field *f, const char *list);

/** out_unknown - a value that is not known: absent in JSON, "-" in a table, "unknown" in a block */
void out_unknown(struct out *o, const struct out_field *f);

/** out_text - words for people only: in OUT_BLOCK, nothing elsewhere */
void out_text(struct out *o, const char *fmt, ...) PRINTF(2, 3);

#endif
