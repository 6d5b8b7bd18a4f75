/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers for Prometheus: its text format, and OpenMetrics. */
#ifndef GDRCTL_METRICS_H
#define GDRCTL_METRICS_H

#include <stdbool.h>
#include <stdio.h>

#include "list.h"
#include "model.h"

/**
 * struct metrics - what is told
 * @status: totals
 * @importers: of list type metrics_importers
 * @exporters: of list type metrics_exporters
 * @pairs: of list type metrics_pairs
 * @failures: of list_failure
 * @latencies: of list_latency
 */
struct metrics {
	struct status status;
	struct records importers;
	struct records exporters;
	struct records pairs;
	struct records failures;
	struct records latencies;
};

/* What is read of devices and pairs: no more than is told. */
extern const struct list_type metrics_importers;
extern const struct list_type metrics_exporters;
extern const struct list_type metrics_pairs;

/**
 * metrics_write - write it
 * @m: what
 * @numeric: no look-ups of RDMA devices and of the UUIDs of GPUs
 * @openmetrics: OpenMetrics 1.0; else Prometheus's text format 0.0.4
 * @to: where to; the caller looks for its errors
 */
void metrics_write(const struct metrics *m, bool numeric, bool openmetrics, FILE *to);

/** metrics_free - free what @m holds */
void metrics_free(struct metrics *m);

#endif
