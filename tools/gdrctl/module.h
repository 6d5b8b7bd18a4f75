/* SPDX-License-Identifier: GPL-2.0 */
/* Why the module does not answer. */
#ifndef GDRCTL_MODULE_H
#define GDRCTL_MODULE_H

#include "gdrctl.h"

/**
 * enum module_state - what is known of a module whose netlink family is not there
 * @MODULE_LOADED: it is loaded all the same
 * @MODULE_UNLOADED: it is installed for the running kernel
 * @MODULE_UNBUILT: DKMS has it, but not for the running kernel
 * @MODULE_UNKNOWN: it is not installed
 */
enum module_state {
	MODULE_LOADED,
	MODULE_UNLOADED,
	MODULE_UNBUILT,
	MODULE_UNKNOWN,
};

/**
 * module_state - look for the module in the file system
 * @root: "" or, for tests, where sys, lib and var are
 * @release: of the running kernel
 */
enum module_state module_state(const char *root, const char *release);

/**
 * module_explain_absent - say on standard error why the module does not answer and what to do
 *
 * Return: EXIT_ABSENT; EXIT_SYSTEM if it is loaded and still does not answer
 */
enum exit_code module_explain_absent(void);

#endif
