// SPDX-License-Identifier: GPL-2.0
/* gdrctl latency [show] [FILTERS] */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "device.h"
#include "format.h"
#include "latency.h"

#define A(name) GDR_TELEMETRY_A_LATENCY_##name
#define FILTERS FILTER_BIT(IMPORTER)
#define BAR 40

/* What is worked out of the buckets. */
#define COUNT LOCAL(1)
#define MEAN LOCAL(2)
#define P50 LOCAL(3)
#define P90 LOCAL(4)
#define P99 LOCAL(5)
#define MAX LOCAL(6)

uint64_t latency_count(const uint64_t *bucket, size_t n)
{
	uint64_t count = 0;

	while (n--)
		count += bucket[n];
	return count;
}

uint64_t latency_percentile(const uint64_t *bucket, size_t n, unsigned int percent)
{
	uint64_t count = latency_count(bucket, n), below = 0, rank;

	/* The smallest rank that is not less than the part wanted; count * percent may overflow. */
	rank = count / 100 * percent + (count % 100 * percent + 99) / 100;
	for (size_t i = 0; rank && i + 1 < n; i++) {
		below += bucket[i];
		if (below >= rank)
			return 2ULL << i;
	}
	return 0;
}

static void put_bound(const struct gdrctl *g, struct out *o, const struct record *r,
		      const struct value *v)
{
	uint64_t ns = record_number(r, v->attr);
	char number[FORMAT_MAX], text[FORMAT_MAX + 1];

	(void)g;
	if (!record_has(r, v->attr)) {
		out_unknown(o, &v->field);
		return;
	}
	snprintf(text, sizeof(text), "<%s", format_ns(ns, number));
	out_number(o, &v->field, ns, text);
}

static void put_ns(const struct gdrctl *g, struct out *o, const struct record *r,
		   const struct value *v)
{
	char text[FORMAT_MAX];

	(void)g;
	if (record_has(r, v->attr))
		out_number(o, &v->field, record_number(r, v->attr),
			   format_ns(record_number(r, v->attr), text));
	else
		out_unknown(o, &v->field);
}

static void put_bar(struct out *o, size_t i, size_t n, uint64_t count, uint64_t most)
{
	static const char hashes[BAR + 1] = "########################################";
	char label[2 * FORMAT_MAX + 8], from[FORMAT_MAX], to[FORMAT_MAX];
	/* What is there is seen, however little it is beside the rest. */
	int len = (int)((double)count / (double)most * BAR + 0.5);

	if (i + 1 < n)
		snprintf(label, sizeof(label), "%s-%s", format_ns(i ? 1ULL << i : 0, from),
			 format_ns(2ULL << i, to));
	else
		snprintf(label, sizeof(label), "%s and more", format_ns(1ULL << i, from));
	out_row(o, label);
	out_text(o, "%-*.*s %" PRIu64, BAR, count && !len ? 1 : len, hashes, count);
}

static void put_buckets(const struct gdrctl *g, struct out *o, const struct record *r,
			const struct value *v)
{
	uint64_t bucket[LATENCY_BUCKETS], most = 0;
	size_t n = record_numbers(r, v->attr, bucket, LATENCY_BUCKETS), first = n, last = 0;

	for (size_t i = 0; i < n; i++) {
		if (!bucket[i])
			continue;
		first = first < i ? first : i;
		last = i;
		most = most > bucket[i] ? most : bucket[i];
	}
	if (!g->opt.json) {
		for (size_t i = first; i < n && i <= last; i++)
			put_bar(o, i, n, bucket[i], most);
		return;
	}
	out_list(o, "buckets");
	for (size_t i = 0; i < n; i++) {
		if (!bucket[i])
			continue;
		out_list_item(o);
		out_u64(o, FIELD(.key = "from_ns"), i ? 1ULL << i : 0);
		if (i + 1 < n)
			out_u64(o, FIELD(.key = "below_ns"), 2ULL << i);
		out_u64(o, FIELD(.key = "count"), bucket[i]);
	}
	out_list_end(o);
}

static const struct value values[] = {
	{ .attr = A(IMPORTER), .kind = VALUE_TEXT,
	  .field = { .key = "importer", .title = "IMPORTER" } },
	{ .attr = A(OP), .kind = VALUE_ENUM, .words = latency_words,
	  .field = { .key = "op", .title = "OP" } },
	{ .attr = LATENCY_IBDEVS, .kind = VALUE_NAMES, .row = "RDMA devices", .looked_up = true,
	  .optional = true, .field = { .key = "importer_ibdevs", .title = "IBDEV" } },
	{ .attr = COUNT, .kind = VALUE_COUNT, .row = "calls",
	  .field = { .key = "count", .title = "COUNT", .right = true } },
	{ .attr = MEAN, .kind = VALUE_CUSTOM, .put = put_ns, .row = "took",
	  .field = { .key = "mean_ns", .title = "MEAN", .before = "mean", .right = true } },
	{ .attr = P50, .kind = VALUE_CUSTOM, .put = put_bound,
	  .field = { .key = "p50_ns", .title = "P50", .before = "p50", .right = true } },
	{ .attr = P90, .kind = VALUE_CUSTOM, .put = put_bound,
	  .field = { .key = "p90_ns", .title = "P90", .before = "p90", .right = true } },
	{ .attr = P99, .kind = VALUE_CUSTOM, .put = put_bound,
	  .field = { .key = "p99_ns", .title = "P99", .before = "p99", .right = true } },
	{ .attr = MAX, .kind = VALUE_CUSTOM, .put = put_bound,
	  .field = { .key = "max_ns", .title = "MAX", .before = "max", .right = true } },
	{ .attr = A(SUM_NS), .kind = VALUE_COUNT, .optional = true,
	  .field = { .key = "sum_ns", .json_only = true } },
	{ .attr = A(BUCKET), .kind = VALUE_NUMBERS, .put = put_buckets },
};

static void work_out(struct record *r)
{
	static const struct { int attr; unsigned int percent; } percentile[] = {
		{ P50, 50 }, { P90, 90 }, { P99, 99 }, { MAX, 100 },
	};
	uint64_t bucket[LATENCY_BUCKETS], count;
	size_t n = record_numbers(r, A(BUCKET), bucket, LATENCY_BUCKETS);

	count = latency_count(bucket, n);
	record_set_number(r, COUNT, count);
	if (count && record_has(r, A(SUM_NS)))
		record_set_number(r, MEAN, record_number(r, A(SUM_NS)) / count);
	for (size_t i = 0; i < ARRAY_SIZE(percentile); i++) {
		uint64_t ns = latency_percentile(bucket, n, percentile[i].percent);

		if (ns)
			record_set_number(r, percentile[i].attr, ns);
	}
}

static bool was_called(const void *arg, const struct record *r)
{
	(void)arg;
	return record_number(r, COUNT);
}

/* What was never called has no line; and what is worked out. */
static enum exit_code finish(const struct gdrctl *g, struct nl *nl, struct records *list)
{
	(void)nl;
	for (size_t i = 0; i < list->n; i++)
		work_out(&list->item[i]);
	records_keep(list, was_called, NULL);
	return devices_add_ibdevs(g, list, A(IMPORTER), LATENCY_IBDEVS);
}

const struct list_type list_latency = {
	.what = "latency", .plural = "latencies", .cmd = GDR_TELEMETRY_CMD_LATENCY_GET,
	.value = values, .n = ARRAY_SIZE(values), .ids = 2, .filters = FILTERS,
	.importer = A(IMPORTER), .add = finish,
};

static enum exit_code show(struct gdrctl *g, struct args *a)
{
	return list_show(&list_latency, g, a);
}

static const struct command commands[] = {
	{ "show", show, FILTERS, "how long calls took, by HCA and operation; open to every user" },
	{ NULL, NULL, 0, NULL },
};

const struct object object_latency = {
	.name = "latency",
	.help = "how long attaches, maps, pins and registrations take, by HCA",
	.notes = "Only calls that succeeded. \"<1.0 ms\" is the end of the range that the call\n"
		 "is in; ranges double. -d draws them.\n",
	.command = commands,
};
