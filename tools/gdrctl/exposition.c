// SPDX-License-Identifier: GPL-2.0
/* The text formats of Prometheus and OpenMetrics. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "exposition.h"
#include "format.h"

#define PREFIX "gdr_telemetry_"
#define VALUE_SIZE 512
#define SECONDS_SIZE 32
#define NS 1000000000u

/* Buckets that are told, of those of the module: from 1 us to 17 s; the rest adds to their ends. */
#define FIRST 9
#define LAST 33

void labels_add(struct labels *l, const char *name, const char *value)
{
	if (l->n == EXPOSITION_LABELS)
		abort();
	l->name[l->n] = name;
	l->value[l->n++] = value;
}

static void put_head(struct exposition *e, const struct family *f)
{
	static const char *const type[] = { "gauge", "counter", "histogram", "info" };
	static const char *const suffix[] = { "", "_total", "", "_info" };
	/* OpenMetrics names the family, Prometheus the samples. */
	const char *end = e->openmetrics ? "" : suffix[f->type];

	if (e->family == f)
		return;
	e->family = f;
	fprintf(e->to, "# HELP " PREFIX "%s%s %s\n", f->name, end, f->help);
	fprintf(e->to, "# TYPE " PREFIX "%s%s %s\n", f->name, end,
		f->type == INFO && !e->openmetrics ? "gauge" : type[f->type]);
	if (f->unit && e->openmetrics)
		fprintf(e->to, "# UNIT " PREFIX "%s %s\n", f->name, f->unit);
}

static void put_name(struct exposition *e, const struct family *f, const char *suffix,
		     const struct labels *l)
{
	const char *open = "{";
	char value[VALUE_SIZE];

	put_head(e, f);
	fprintf(e->to, PREFIX "%s%s", f->name, suffix);
	for (size_t i = 0; l && i < l->n; i++) {
		if (!l->value[i] || !*l->value[i])
			continue;
		fprintf(e->to, "%s%s=\"%s\"", open, l->name[i],
			format_label(l->value[i], value, sizeof(value)));
		open = ",";
	}
	fputs(*open == ',' ? "} " : " ", e->to);
}

void exposition_u64(struct exposition *e, const struct family *f, const struct labels *l,
		    uint64_t v)
{
	put_name(e, f, f->type == COUNTER ? "_total" : f->type == INFO ? "_info" : "", l);
	fprintf(e->to, "%" PRIu64 "\n", v);
}

/* Decimal, exact, without zeros at the end. */
static const char *seconds(uint64_t ns, char buf[SECONDS_SIZE])
{
	size_t len = (size_t)snprintf(buf, SECONDS_SIZE, "%" PRIu64 ".%09" PRIu64, ns / NS,
				      ns % NS);

	while (buf[len - 1] == '0' && buf[len - 2] != '.')
		buf[--len] = 0;
	return buf;
}

void exposition_histogram(struct exposition *e, const struct family *f, const struct labels *l,
			  const uint64_t *bucket, size_t n, uint64_t sum_ns)
{
	uint64_t count = 0;
	char text[SECONDS_SIZE];
	struct labels with = *l;

	labels_add(&with, "le", "");
	for (size_t i = 0; i < n; i++) {
		count += bucket[i];
		/* The last one of the module has no end. */
		if (i < FIRST || i > LAST || i + 1 == n)
			continue;
		with.value[with.n - 1] = seconds(2ULL << i, text);
		put_name(e, f, "_bucket", &with);
		fprintf(e->to, "%" PRIu64 "\n", count);
	}
	with.value[with.n - 1] = "+Inf";
	put_name(e, f, "_bucket", &with);
	fprintf(e->to, "%" PRIu64 "\n", count);
	put_name(e, f, "_sum", l);
	fprintf(e->to, "%s\n", seconds(sum_ns, text));
	put_name(e, f, "_count", l);
	fprintf(e->to, "%" PRIu64 "\n", count);
}

void exposition_end(struct exposition *e)
{
	if (e->openmetrics)
		fputs("# EOF\n", e->to);
}
