// SPDX-License-Identifier: GPL-2.0
/* Two lists of JSON objects side by side. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "merge.h"

/** struct entry - an object and its name */
struct entry {
	char *key;
	const json_object *o;
};

static int by_key(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return strcmp(x->key, y->key);
}

static void free_entries(struct entry *e, size_t n)
{
	for (size_t i = 0; e && i < n; i++)
		free(e[i].key);
	free(e);
}

static struct entry *sorted(const json_object *list, size_t n,
			    void (*key)(const json_object *o, char buf[MERGE_KEY]))
{
	struct entry *e = calloc(n + 1, sizeof(*e));
	char buf[MERGE_KEY];

	for (size_t i = 0; e && i < n; i++) {
		e[i].o = json_object_array_get_idx(list, i);
		key(e[i].o, buf);
		e[i].key = strdup(buf);
		if (!e[i].key) {
			free_entries(e, i);
			return NULL;
		}
	}
	if (e)
		qsort(e, n, sizeof(*e), by_key);
	return e;
}

int merge(const json_object *before, const json_object *after,
	  void (*key)(const json_object *o, char buf[MERGE_KEY]),
	  int (*pair)(void *arg, const json_object *b, const json_object *a), void *arg)
{
	size_t n = json_object_array_length(before), m = json_object_array_length(after);
	struct entry *b = sorted(before, n, key), *a = sorted(after, m, key);
	int err = a && b ? 0 : -ENOMEM;

	for (size_t i = 0, j = 0; !err && (i < n || j < m);) {
		int order = i == n ? 1 : j == m ? -1 : strcmp(b[i].key, a[j].key);

		err = pair(arg, order <= 0 ? b[i].o : NULL, order >= 0 ? a[j].o : NULL);
		i += order <= 0;
		j += order >= 0;
	}
	free_entries(b, n);
	free_entries(a, m);
	return err;
}
