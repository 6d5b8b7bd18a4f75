/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records that are plain lists of values: buffers, devices, pairs, owners. A table says for each
 * kind of record what its attributes are and how they are called; reading and printing follow it.
 */
#ifndef GDRCTL_RECORD_H
#define GDRCTL_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "enums.h"
#include "gdrctl.h"
#include "out.h"

/** RECORD_ATTRS - attributes a record has room for */
#define RECORD_ATTRS 64

/** LOCAL - an attribute that no kernel sends: what gdrctl itself finds out; @n is 0 to 15 */
#define LOCAL(n) (48 + (n))

/**
 * enum value_kind - what an attribute holds
 * @VALUE_COUNT: a number
 * @VALUE_BYTES: a size
 * @VALUE_ENUM: a number that has a word, of @words
 * @VALUE_FLAGS: bits that have words, of @words
 * @VALUE_BOOL: true or false; a flag of the specification that did not come is false
 * @VALUE_TEXT: a string, any bytes
 * @VALUE_NAMES: a string that is repeated; an array in JSON
 * @VALUE_NUMBERS: a number that is repeated; kept as text with commas between, and printed by
 *	@put alone
 * @VALUE_CUSTOM: whatever @put prints
 */
enum value_kind {
	VALUE_COUNT,
	VALUE_BYTES,
	VALUE_ENUM,
	VALUE_FLAGS,
	VALUE_BOOL,
	VALUE_TEXT,
	VALUE_NAMES,
	VALUE_NUMBERS,
	VALUE_CUSTOM,
};

struct record;

/**
 * struct value - one attribute of a kind of record
 * @attr: its number in the netlink specification, or LOCAL(n)
 * @kind: what it holds
 * @row: begins this line of a block; NULL: goes on with the line
 * @field: how it is called
 * @words: of VALUE_ENUM and VALUE_FLAGS
 * @optional: some records have none, as a software exporter has no driver: such a one takes no
 *	room in a block. What is not optional is "unknown" there.
 * @looked_up: it is no value of the record itself, and -n leaves it out
 * @put: of VALUE_CUSTOM and VALUE_NUMBERS; called whether or not @attr came, in JSON too
 */
struct value {
	int attr;
	enum value_kind kind;
	const char *row;
	struct out_field field;
	const struct enum_word *words;
	bool optional;
	bool looked_up;
	void (*put)(const struct gdrctl *g, struct out *o, const struct record *r,
		    const struct value *v);
};

/**
 * struct record - one record
 * @present: 1 << the number of each attribute that came
 * @texts: 1 << the number of each that is a string
 * @value: numbers, and strings in memory of their own; VALUE_NAMES with commas between
 */
struct record {
	uint64_t present;
	uint64_t texts;
	union {
		uint64_t number;
		char *text;
	} value[RECORD_ATTRS];
};

/** struct records - a growing array of @n records, room for @room */
struct records {
	struct record *item;
	size_t n;
	size_t room;
};

/**
 * record_parse - read the attributes of a record
 * @attrs: the first attribute, aligned to 4 bytes
 * @len: bytes there
 * @v: the values it may have; an attribute that is not among them is ignored
 * @n: how many
 * @r: where to; to be given to record_free() or records_add() whatever is returned
 *
 * Integers may have 4 or 8 bytes.
 *
 * Return: 0; -EBADMSG if the message is not well-formed; -ENOMEM
 */
int record_parse(const void *attrs, size_t len, const struct value *v, size_t n,
		 struct record *r);

/** record_has - whether attribute @attr came */
static inline bool record_has(const struct record *r, int attr)
{
	return r->present & 1ULL << attr;
}

/** record_number - the number @attr; 0 if it did not come */
uint64_t record_number(const struct record *r, int attr);

/** record_text - the string @attr; NULL if it did not come */
const char *record_text(const struct record *r, int attr);

/** record_set_number - set @attr to @v */
void record_set_number(struct record *r, int attr, uint64_t v);

/** record_set_text - set @attr to a copy of @s. Return: 0 or -ENOMEM */
int record_set_text(struct record *r, int attr, const char *s);

/** record_unset - as if @attr had not come */
void record_unset(struct record *r, int attr);

/**
 * record_add_name - add @name to the list @attr, if it is not there
 * @r: the record
 * @attr: of kind VALUE_NAMES
 * @name: without a comma
 *
 * Return: 0 or -ENOMEM
 */
int record_add_name(struct record *r, int attr, const char *name);

/**
 * record_add_to_numbers - append @v to the numbers @attr
 * @r: the record
 * @attr: of kind VALUE_NUMBERS
 * @v: the number
 *
 * Return: 0 or -ENOMEM
 */
int record_add_to_numbers(struct record *r, int attr, uint64_t v);

/**
 * record_numbers - the numbers @attr
 * @r: the record
 * @attr: of kind VALUE_NUMBERS
 * @v: where to
 * @max: how many there is room for
 *
 * Return: how many there are, at most @max
 */
size_t record_numbers(const struct record *r, int attr, uint64_t *v, size_t max);

/** record_free - free what @r holds and leave it empty */
void record_free(struct record *r);

/**
 * record_put - print what @r has
 * @g: options
 * @o: where to; a record must have been begun there
 * @r: the record
 * @v: its values
 * @n: how many
 */
void record_put(const struct gdrctl *g, struct out *o, const struct record *r,
		const struct value *v, size_t n);

/**
 * records_keep - keep some records and free the others
 * @list: the records, whose order stays
 * @wanted: whether to keep one
 * @arg: its first argument
 */
void records_keep(struct records *list, bool (*wanted)(const void *arg, const struct record *r),
		  const void *arg);

/** records_add - append @r, whose strings are the list's then. Return: 0; -ENOMEM: @r is freed */
int records_add(struct records *list, struct record *r);

/**
 * records_sort - sort by the first values, numbers as numbers and strings as strings
 * @list: the records; one that lacks a value comes before those that have it
 * @v: their values
 * @n: how many of them decide
 */
void records_sort(struct records *list, const struct value *v, size_t n);

/** records_free - free what @list holds and leave it empty */
void records_free(struct records *list);

/**
 * struct when - how a time is called
 * @title: of its column
 * @age: key of the nanoseconds since then
 * @seconds: key of the time in seconds since the epoch
 * @boottime: key of the time in nanoseconds of CLOCK_BOOTTIME
 */
struct when {
	const char *title;
	const char *age;
	const char *seconds;
	const char *boottime;
};

/**
 * record_put_time - print a time three ways: how long ago, by the clock, since boot
 * @g: options and clock
 * @o: where to; in a block the line must have been begun
 * @w: how it is called
 * @ns: nanoseconds of CLOCK_BOOTTIME
 */
void record_put_time(const struct gdrctl *g, struct out *o, const struct when *w, uint64_t ns);

#endif
