/* SPDX-License-Identifier: GPL-2.0 */
/* Values of JSON objects whose types are not sure. */
#ifndef GDRCTL_JSON_READ_H
#define GDRCTL_JSON_READ_H

#include <stdbool.h>
#include <stdint.h>

#include <json-c/json.h>

/** json_number - the number @key of @o. Return: whether there is one that is not negative */
bool json_number(const json_object *o, const char *key, uint64_t *v);

/** json_number_of - the same; 0 if there is none */
uint64_t json_number_of(const json_object *o, const char *key);

/** json_text - the string @key of @o; NULL if there is none */
const char *json_text(const json_object *o, const char *key);

/** json_is_true - whether @key of @o is true */
bool json_is_true(const json_object *o, const char *key);

/** json_has_word - whether @key of @o is an array with the string @word in it */
bool json_has_word(const json_object *o, const char *key, const char *word);

#endif
