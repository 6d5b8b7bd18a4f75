/* SPDX-License-Identifier: GPL-2.0 */
/* Why registrations fail: the one table, by stage and errno. */
#ifndef GDRCTL_CAUSES_H
#define GDRCTL_CAUSES_H

#include <stddef.h>
#include <stdint.h>

#include "facts.h"

#define CAUSE_ERRNOS	6
#define CAUSE_LIKELY	5

/* Where the kernel's method for dma-buf MRs is not reached: no record, so no stage of the uAPI. */
#define CAUSE_BEFORE	0x10000

/**
 * struct likely - one thing that can be behind a failure
 * @only: what has to be so for it
 * @what: the thing, a phrase; "": it is what the entry says that it means
 * @check: how to find out, a sentence; NULL: what a record says decides it
 */
struct likely {
	enum fact only;
	const char *what;
	const char *check;
};

/**
 * struct cause - what failures of a stage and some errnos mean
 * @stage: enum gdr_telemetry_stage, or CAUSE_BEFORE
 * @err: positive errnos, ended by 0 unless all are used; none: any other of the stage
 * @means: what went wrong, a sentence or more
 * @likely: what can be behind it, ended by one without @what unless all are used
 * @fix: what the reader can do about it, likewise
 */
struct cause {
	uint32_t stage;
	int err[CAUSE_ERRNOS];
	const char *means;
	struct likely likely[CAUSE_LIKELY];
	const char *fix;
};

/* Ordered by stage; the entry for any other errno is the last of its stage. */
extern const struct cause causes[];
extern const size_t causes_n;

/**
 * cause_names - whether an entry is one of this errno
 * @c: the entry
 * @err: positive errno
 *
 * Return: 1 if it names it, else 0, as for the entry for any other errno
 */
int cause_names(const struct cause *c, int err);

/**
 * cause_find - what a failure means
 * @stage: enum gdr_telemetry_stage, or CAUSE_BEFORE
 * @err: positive errno
 *
 * Return: the entry of this errno, else that for any other errno of the stage;
 * NULL for a stage that a newer module sent
 */
const struct cause *cause_find(uint32_t stage, int err);

/** cause_likely - how many things can be behind it */
size_t cause_likely(const struct cause *c);

/** CAUSE_ERRNO_SIZE - room for the name of an errno */
#define CAUSE_ERRNO_SIZE	16

/**
 * cause_errno - the name of an errno
 * @err: positive errno; also ENOTSUPP (524), which is the kernel's own
 * @buf: for one without a name: its number
 * @size: size of @buf
 *
 * Return: the name
 */
const char *cause_errno(int err, char *buf, size_t size);

/**
 * cause_errno_number - read an errno as people write it
 * @s: EOPNOTSUPP, ENOTSUP, eopnotsupp, 95, -95
 *
 * Return: positive errno; 0 if there is no such
 */
int cause_errno_number(const char *s);

#endif
