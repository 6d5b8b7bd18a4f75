/* SPDX-License-Identifier: GPL-2.0 */
/* Failures: their counters and their records, as tables of values. */
#ifndef GDRCTL_FAILURE_H
#define GDRCTL_FAILURE_H

#include "facts.h"
#include "list.h"

#define FAILURE(name) GDR_TELEMETRY_A_FAILURE_##name
/* RDMA devices of the importer, looked up. */
#define FAILURE_IBDEVS LOCAL(0)

/** list_failure - counters by importer, stage and errno */
extern const struct list_type list_failure;

/** list_failure_log - the records, the newest last */
extern const struct list_type list_failure_log;

/**
 * failure_matches - whether a record or a counter passes the filters on failures
 * @g: clock
 * @f: the filters
 * @r: the record
 */
bool failure_matches(const struct gdrctl *g, const struct filter *f, const struct record *r);

/**
 * failure_facts - what a record says
 * @r: the record
 * @f: filled in
 */
void failure_facts(const struct record *r, struct facts *f);

/**
 * failure_gpus - which GPU a record is of, or may be of, and how full its BAR1 is
 * @r: the record
 * @devices: exporters, each with its name, BAR1 and what is pinned of it
 * @f: filled in
 */
void failure_gpus(const struct record *r, const struct records *devices, struct facts *f);

#endif
