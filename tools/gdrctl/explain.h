/* SPDX-License-Identifier: GPL-2.0 */
/* What gdrctl explain is asked, and what it says. */
#ifndef GDRCTL_EXPLAIN_H
#define GDRCTL_EXPLAIN_H

#include <stdio.h>

#include "args.h"
#include "facts.h"
#include "gdrctl.h"
#include "record.h"

/** EXPLAIN_ALL - no stage was named */
#define EXPLAIN_ALL UINT32_MAX

/**
 * struct question - what is to be explained
 * @err: positive errno; 0: none was named
 * @stage: enum gdr_telemetry_stage, or CAUSE_BEFORE; EXPLAIN_ALL
 * @id: number of the record
 * @has_id: a record is asked for, and neither errno nor stage
 * @last: it is the newest one
 */
struct question {
	int err;
	uint32_t stage;
	uint64_t id;
	bool has_id;
	bool last;
};

/**
 * explain_read - read a question
 * @q: where to
 * @a: the rest of the command line
 *
 * Return: EXIT_OK, or EXIT_USAGE, said on standard error
 */
enum exit_code explain_read(struct question *q, struct args *a);

/**
 * explain_print - answer it
 * @g: options and clock
 * @q: the question
 * @counters: failures by importer, stage and errno, of list_failure; NULL: not known
 * @r: the record that is asked for, of list_failure_log; NULL: none is
 * @f: facts
 * @to: where to
 *
 * Return: EXIT_OK, or EXIT_SYSTEM, said on standard error
 */
enum exit_code explain_print(const struct gdrctl *g, const struct question *q,
			     const struct records *counters, const struct record *r,
			     const struct facts *f, FILE *to);

/** explain_offer - completion: print the words that begin with @prefix, one a line */
void explain_offer(const char *prefix);

#endif
