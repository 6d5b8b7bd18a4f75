/* SPDX-License-Identifier: GPL-2.0 */
/* Histograms of how long calls took: ranges that double. */
#ifndef GDRCTL_LATENCY_H
#define GDRCTL_LATENCY_H

#include <stddef.h>
#include <stdint.h>

#include "list.h"

/** LATENCY_BUCKETS - how many ranges gdrctl takes; the module of today sends 40 */
#define LATENCY_BUCKETS 63

/* RDMA devices of the importer, looked up. */
#define LATENCY_IBDEVS LOCAL(0)

/** list_latency - histograms by importer and operation */
extern const struct list_type list_latency;

/** latency_count - how many calls are in @n ranges */
uint64_t latency_count(const uint64_t *bucket, size_t n);

/**
 * latency_percentile - what a part of the calls took at most
 * @bucket: how many took from 2^i to 2^(i+1) nanoseconds; the last one also those that took longer
 * @n: how many there are
 * @percent: the part, 1 to 100
 *
 * Return: the end of the range that the slowest of them is in, nanoseconds; 0 if there is no call,
 * or if it is in the last range, which has no end
 */
uint64_t latency_percentile(const uint64_t *bucket, size_t n, unsigned int percent);

#endif
