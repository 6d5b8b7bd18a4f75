// SPDX-License-Identifier: GPL-2.0
/*
 * The attributes of records: the first byte says of which list, the second how long the first of
 * two is. Printed in all shapes, as metrics, and explained.
 */
#include "cmd.h"
#include "explain.h"
#include "failure.h"
#include "facts.h"
#include "fuzz.h"
#include "latency.h"
#include "list.h"
#include "metrics.h"

static const struct list_type *const types[] = {
	&list_buffer, &list_importer, &list_exporter, &list_pair, &list_failure, &list_failure_log,
	&list_latency, &metrics_importers, &metrics_exporters, &metrics_pairs,
};

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	fuzz_begin();
	return 0;
}

static void take(const struct list_type *t, const uint8_t *data, size_t size, struct records *list)
{
	char *exact = fuzz_string(data, size);
	struct record r;

	if (record_parse(exact, size, t->value, t->n, &r))
		record_free(&r);
	else if (records_add(list, &r))
		abort();
	free(exact);
}

static void print(const struct list_type *t, const struct records *list)
{
	for (unsigned int i = 0; i < FUZZ_OPTIONS; i++) {
		struct gdrctl g = fuzz_options(i);

		list_print(&g, t, list, true, fuzz_sink());
	}
}

static void explain(const struct record *r)
{
	struct question q = { .has_id = true };
	struct gdrctl g = fuzz_options(0);
	struct facts f;

	memset(&f, 0, sizeof(f));
	failure_facts(r, &f);
	facts_machine(&f);
	explain_print(&g, &q, NULL, r, &f, fuzz_sink());
	g = fuzz_options(2);
	explain_print(&g, &q, NULL, r, &f, fuzz_sink());
}

static void metrics(const struct list_type *t, struct records *list)
{
	struct metrics m = { .status.n_probes = 0 };

	if (t == &metrics_importers)
		m.importers = *list;
	else if (t == &metrics_exporters)
		m.exporters = *list;
	else if (t == &metrics_pairs)
		m.pairs = *list;
	else if (t == &list_failure)
		m.failures = *list;
	else if (t == &list_latency)
		m.latencies = *list;
	else
		return;
	metrics_write(&m, false, false, fuzz_sink());
	metrics_write(&m, true, true, fuzz_sink());
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct records list = { .n = 0 };
	const struct list_type *t;
	size_t first;

	if (size < 2)
		return 0;
	t = types[data[0] % ARRAY_SIZE(types)];
	first = (size_t)data[1] * 4;
	data += 2;
	size -= 2;
	if (first > size)
		first = size;
	take(t, data, first, &list);
	take(t, data + first, size - first, &list);
	list_sort(t, &list);
	/* What is told as metrics alone is never listed. */
	if (t != &metrics_importers && t != &metrics_exporters && t != &metrics_pairs)
		print(t, &list);
	metrics(t, &list);
	if (t == &list_failure_log && list.n)
		explain(&list.item[0]);
	records_free(&list);
	return 0;
}
