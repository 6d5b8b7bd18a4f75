/* SPDX-License-Identifier: GPL-2.0 */
/* The words for the numbers of the uAPI: those of the netlink specification. */
#ifndef GDRCTL_ENUMS_H
#define GDRCTL_ENUMS_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct enum_word - one value and its word
 * @value: a value of an enum, or one bit of a set of flags
 * @word: the word of the specification; part of the JSON interface
 * @text: the same for people, a phrase; NULL: the word is clear
 * @fix: what the reader can do about it; NULL: nothing
 */
struct enum_word {
	uint32_t value;
	const char *word;
	const char *text;
	const char *fix;
};

/* Each table ends with a NULL word. */
extern const struct enum_word mechanism_words[];
extern const struct enum_word track_words[];
extern const struct enum_word core_words[];
extern const struct enum_word inexact_words[];
extern const struct enum_word flag_words[];
extern const struct enum_word placement_words[];
extern const struct enum_word kind_words[];
extern const struct enum_word device_flag_words[];
extern const struct enum_word probe_words[];
extern const struct enum_word mr_join_words[];
/* Those of registrations; their texts say what a stage is. */
extern const struct enum_word stage_words[];
extern const struct enum_word latency_words[];

/**
 * enum_find - the entry of a value
 * @table: one of the tables above
 * @value: the value
 *
 * Return: the entry; NULL for a value that a newer module sent
 */
const struct enum_word *enum_find(const struct enum_word *table, uint32_t value);

/**
 * enum_name - the word of a value
 * @table: one of the tables above
 * @value: the value
 * @buf: for a value without a word: "unknown-N"
 * @size: size of @buf
 *
 * Return: the word
 */
const char *enum_name(const struct enum_word *table, uint32_t value, char *buf, size_t size);

#endif
