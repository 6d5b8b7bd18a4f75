/* SPDX-License-Identifier: GPL-2.0 */
/* Writing a file in one step. */
#ifndef GDRCTL_REPLACE_H
#define GDRCTL_REPLACE_H

#include <stdio.h>
#include <sys/types.h>

#include "gdrctl.h"

/**
 * replace_file - write a file in one step, so that no reader sees a part of it
 * @path: the file; as it was if this fails
 * @mode: its permissions, before the umask
 * @write: writes it, given @arg
 * @arg: its argument
 *
 * Return: EXIT_OK, or EXIT_SYSTEM, said on standard error
 */
enum exit_code replace_file(const char *path, mode_t mode,
			    void (*write)(FILE *to, const void *arg), const void *arg);

/**
 * replace_or_print - replace_file(), or write to standard output if @path is NULL or "-"
 * @path: the file
 * @mode: its permissions, before the umask
 * @write: writes it, given @arg
 * @arg: its argument
 *
 * Return: EXIT_OK, or EXIT_SYSTEM, said on standard error
 */
enum exit_code replace_or_print(const char *path, mode_t mode,
				void (*write)(FILE *to, const void *arg), const void *arg);

#endif
