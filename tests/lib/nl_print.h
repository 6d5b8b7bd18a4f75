/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints what the family sends, with the names of the specification: as
 * "name=value name=value...", or as one JSON object, in which numbers are
 * plain, enums are names, flags are lists of names and whatever may be
 * repeated is a list.
 */
#ifndef GDRT_NL_PRINT_H
#define GDRT_NL_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum nl_kind { NL_U32, NL_U64, NL_STRING, NL_ENUM, NL_FLAGS, NL_FLAG, NL_NEST };

/**
 * struct nl_field - one attribute
 * @name: its name; NULL: no such attribute
 * @kind: what it holds
 * @multi: it may be repeated
 * @names: of its values or bits, if @kind is an enum or flags
 * @set: its attributes, if @kind is a nest
 */
struct nl_field {
	const char *name;
	enum nl_kind kind;
	bool multi;
	const char *const *names;
	const struct nl_field *set;
};

/* The sets by the first word of their operation: a field's index is its number. */
const struct nl_field *nl_set(const char *name, uint8_t *cmd);
const struct nl_field *nl_set_of(uint8_t cmd);
/* The number of an attribute, by name or in digits; -1 if there is none. */
int nl_field_number(const struct nl_field *set, const char *name);
/* One record and a newline. */
void nl_print(const struct nl_field *set, const char *attrs, size_t len, bool json);

#endif /* GDRT_NL_PRINT_H */
