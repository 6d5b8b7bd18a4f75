/* SPDX-License-Identifier: GPL-2.0 */
/* Objects that are programs of their own, as git has them. */
#ifndef GDRCTL_EXTERNAL_H
#define GDRCTL_EXTERNAL_H

#include <stdbool.h>

#include "gdrctl.h"

/** external_has - whether the program @name is there; of NULL, no program, it is */
bool external_has(const char *name);

/**
 * external_run - become another program: of the directory of this one, of libexec, or of PATH
 * @name: its name
 * @opt: options that were given to this one before its object, handed on
 * @words: the rest of the command line, ended by NULL
 *
 * Return: EXIT_SYSTEM, said on standard error, if it cannot be run; else it does not return
 */
enum exit_code external_run(const char *name, const struct options *opt, char **words);

#endif
