/* SPDX-License-Identifier: GPL-2.0 */
/* The text formats of Prometheus and OpenMetrics: families, samples, labels. */
#ifndef GDRCTL_EXPOSITION_H
#define GDRCTL_EXPOSITION_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/** enum family_type - what a family of metrics is */
enum family_type { GAUGE, COUNTER, HISTOGRAM, INFO };

/**
 * struct family - a family of metrics
 * @name: its name without "gdr_telemetry_" and without the suffix of its type, _total or _info
 * @type: its type
 * @unit: what its name ends in, if that is a unit; NULL: none
 * @help: what it is, a sentence
 */
struct family {
	const char *name;
	enum family_type type;
	const char *unit;
	const char *help;
};

#define EXPOSITION_LABELS 6

/**
 * struct labels - the labels of a sample
 * @name: their names
 * @value: their values, any bytes; NULL or "" as if there were no such label
 * @n: how many
 */
struct labels {
	const char *name[EXPOSITION_LABELS];
	const char *value[EXPOSITION_LABELS];
	size_t n;
};

/** labels_add - add a label; more than EXPOSITION_LABELS are a mistake of the caller's */
void labels_add(struct labels *l, const char *name, const char *value);

/**
 * struct exposition - a text that is being written
 * @to: where to
 * @openmetrics: OpenMetrics; else Prometheus's own
 * @family: the family whose head was written last
 */
struct exposition {
	FILE *to;
	bool openmetrics;
	const struct family *family;
};

/**
 * exposition_u64 - a sample
 * @e: the text
 * @f: its family, all of whose samples follow each other
 * @l: its labels; NULL: none
 * @v: its value
 */
void exposition_u64(struct exposition *e, const struct family *f, const struct labels *l,
		    uint64_t v);

/**
 * exposition_histogram - the samples of a histogram of nanoseconds, in seconds
 * @e: the text
 * @f: its family
 * @l: its labels, with room for one more
 * @bucket: how many took from 2^i to 2^(i+1) nanoseconds; the last one also those that took longer
 * @n: how many there are
 * @sum_ns: nanoseconds of all together
 */
void exposition_histogram(struct exposition *e, const struct family *f, const struct labels *l,
			  const uint64_t *bucket, size_t n, uint64_t sum_ns);

/** exposition_end - what comes last */
void exposition_end(struct exposition *e);

#endif
