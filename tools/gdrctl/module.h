/* SPDX-License-Identifier: GPL-2.0 */
/* Why the module does not answer. */
#ifndef GDRCTL_MODULE_H
#define GDRCTL_MODULE_H

#include <limits.h>
#include <stdio.h>

#include "gdrctl.h"

#define MODULE_NAME "gdr_telemetry"
#define MODULE_TEXT 512

/**
 * enum module_state - what is known of a module whose netlink family is not there
 * @MODULE_LOADED: it is loaded all the same
 * @MODULE_UNLOADED: it is installed for the running kernel, and nothing was found in its way
 * @MODULE_BLACKLISTED: it is installed, and configured not to be loaded
 * @MODULE_REFUSED: it is installed, and this kernel does not take it, or takes none any more
 * @MODULE_FAILED: DKMS did not get through its build for the running kernel
 * @MODULE_EXCLUDED: its dkms.conf leaves the running kernel out
 * @MODULE_UNBUILT: DKMS has it, but not for the running kernel
 * @MODULE_UNKNOWN: it is not installed
 */
enum module_state {
	MODULE_LOADED,
	MODULE_UNLOADED,
	MODULE_BLACKLISTED,
	MODULE_REFUSED,
	MODULE_FAILED,
	MODULE_EXCLUDED,
	MODULE_UNBUILT,
	MODULE_UNKNOWN,
};

/**
 * struct module_report - what was found out about a module that does not answer
 * @state: in one word
 * @release: of the kernel
 * @why: the evidence: a part of a sentence; "" if there is no more to say
 * @fix: what to do: a part of a sentence
 * @file: where it is installed; "" if it is not
 * @log: of DKMS, about the build for this kernel; "" if there is none
 */
struct module_report {
	enum module_state state;
	char release[128];
	char why[MODULE_TEXT];
	char fix[MODULE_TEXT];
	char file[PATH_MAX];
	char log[PATH_MAX];
};

/**
 * module_look - find out what there is to know from files
 * @release: of the kernel
 * @r: the answer
 */
void module_look(const char *release, struct module_report *r);

/**
 * module_explain_absent - say on standard error why the module does not answer and what to do
 *
 * Return: EXIT_ABSENT; EXIT_SYSTEM if it is loaded and still does not answer
 */
enum exit_code module_explain_absent(void);

/** module_message - the words of module_explain_absent() for @r. Return: as it does */
enum exit_code module_message(const struct module_report *r);

/**
 * module_print - the same for programs
 * @g: options: JSON, or one line
 * @r: what was found
 * @to: where to
 *
 * Return: EXIT_ABSENT, or EXIT_SYSTEM if it cannot be written
 */
enum exit_code module_print(const struct gdrctl *g, const struct module_report *r, FILE *to);

/** module_look_here - module_look() for this machine */
void module_look_here(struct module_report *r);

#endif
