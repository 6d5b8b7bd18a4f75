// SPDX-License-Identifier: GPL-2.0
/* Values of JSON objects whose types are not sure. */
#include <string.h>

#include "json_read.h"

bool json_number(const json_object *o, const char *key, uint64_t *v)
{
	json_object *found;

	if (!json_object_object_get_ex(o, key, &found) ||
	    !json_object_is_type(found, json_type_int))
		return false;
	*v = json_object_get_uint64(found);
	/* json-c makes 0 of what is less. */
	return json_object_get_int64(found) >= 0;
}

const char *json_text(const json_object *o, const char *key)
{
	json_object *found;

	return json_object_object_get_ex(o, key, &found) &&
	       json_object_is_type(found, json_type_string) ? json_object_get_string(found) : NULL;
}

uint64_t json_number_of(const json_object *o, const char *key)
{
	uint64_t v = 0;

	return json_number(o, key, &v) ? v : 0;
}

bool json_is_true(const json_object *o, const char *key)
{
	json_object *v;

	return json_object_object_get_ex(o, key, &v) && json_object_is_type(v, json_type_boolean) &&
	       json_object_get_boolean(v);
}

bool json_has_word(const json_object *o, const char *key, const char *word)
{
	json_object *list;

	if (!json_object_object_get_ex(o, key, &list) ||
	    !json_object_is_type(list, json_type_array))
		return false;
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		const char *s = json_object_get_string(json_object_array_get_idx(list, i));

		if (s && !strcmp(s, word))
			return true;
	}
	return false;
}
