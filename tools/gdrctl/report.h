/* SPDX-License-Identifier: GPL-2.0 */
/* One text with all that is known, to go with a bug. */
#ifndef GDRCTL_REPORT_H
#define GDRCTL_REPORT_H

#include <stdio.h>

#include "capture.h"
#include "machine.h"

/** REPORT_WHY - room for the reason why the module was not read */
#define REPORT_WHY 1024

/**
 * struct report - what is told
 * @machine: what files tell
 * @capture: what the module tells
 * @why: why it tells nothing; "" if it does
 */
struct report {
	struct machine machine;
	struct capture capture;
	char why[REPORT_WHY];
};

/**
 * report_read - look at everything
 * @g: options and clock
 * @r: to be given to report_free() whatever is returned
 *
 * What cannot be read is left out, with the reason.
 *
 * Return: EXIT_OK, or EXIT_SYSTEM without memory, said on standard error
 */
enum exit_code report_read(const struct gdrctl *g, struct report *r);

/**
 * report_write - write it, as text or JSON
 * @g: options and clock
 * @r: what is told
 * @to: where to
 *
 * Return: EXIT_OK, or EXIT_SYSTEM, said on standard error
 */
enum exit_code report_write(const struct gdrctl *g, const struct report *r, FILE *to);

/** report_free - free what @r holds */
void report_free(struct report *r);

#endif
