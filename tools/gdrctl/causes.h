/* SPDX-License-Identifier: GPL-2.0 */
/* Why registrations fail: the one table, by stage and errno. */
#ifndef GDRCTL_CAUSES_H
#define GDRCTL_CAUSES_H

#include <stddef.h>
#include <stdint.h>

#define CAUSE_ERRNOS	6

/**
 * struct cause - what failures of a stage and some errnos mean
 * @stage: enum gdr_telemetry_stage
 * @err: positive errnos, ended by 0 unless all are used; none: any other of the stage
 * @means: what went wrong, a sentence or more
 * @fix: what the reader can do about it, likewise
 */
struct cause {
	uint32_t stage;
	int err[CAUSE_ERRNOS];
	const char *means;
	const char *fix;
};

/* Ordered by stage; the entry for any other errno is the last of its stage. */
extern const struct cause causes[];
extern const size_t causes_n;

/**
 * cause_find - what a failure means
 * @stage: enum gdr_telemetry_stage
 * @err: positive errno
 *
 * Return: the entry of this errno, else that for any other errno of the stage;
 * NULL for a stage that a newer module sent
 */
const struct cause *cause_find(uint32_t stage, int err);

/**
 * cause_errno - the name of an errno
 * @err: positive errno; also ENOTSUPP (524), which is the kernel's own
 * @buf: for one without a name: its number
 * @size: size of @buf
 *
 * Return: the name
 */
const char *cause_errno(int err, char *buf, size_t size);

#endif
