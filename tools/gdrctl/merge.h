/* SPDX-License-Identifier: GPL-2.0 */
/* Two lists of JSON objects side by side, by a key that names each of them. */
#ifndef GDRCTL_MERGE_H
#define GDRCTL_MERGE_H

#include <stddef.h>

#include <json-c/json.h>

/** MERGE_KEY - room for a key */
#define MERGE_KEY 320

/**
 * merge - walk over two lists
 * @before: the one, an array
 * @after: the other
 * @key: writes the name of an object; of two with the same name in a list one has no partner
 * @pair: called for each name, in the order of the names, with what is there of it; either may be
 *	NULL; a negative errno ends the walk
 * @arg: first argument of @pair
 *
 * Return: 0, -ENOMEM, or what @pair returned
 */
int merge(const json_object *before, const json_object *after,
	  void (*key)(const json_object *o, char buf[MERGE_KEY]),
	  int (*pair)(void *arg, const json_object *b, const json_object *a), void *arg);

#endif
