/* SPDX-License-Identifier: GPL-2.0 */
/* The differences of two snapshots, for people and programs. */
#ifndef GDRCTL_DIFF_PRINT_H
#define GDRCTL_DIFF_PRINT_H

#include <stdio.h>

#include "gdrctl.h"
#include "record.h"

/**
 * diff_print - print the differences of two snapshots
 * @g: options
 * @list: the differences, as diff_make() made them
 * @to: where to
 *
 * Return: EXIT_OK, or EXIT_SYSTEM, said on standard error
 */
enum exit_code diff_print(const struct gdrctl *g, const struct records *list, FILE *to);

#endif
