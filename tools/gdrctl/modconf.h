/* SPDX-License-Identifier: GPL-2.0 */
/* What stands in the way of loading an installed module: configuration, signatures. */
#ifndef GDRCTL_MODCONF_H
#define GDRCTL_MODCONF_H

#include <stdbool.h>

#include "module.h"

/**
 * modconf_blacklisted - look for the module in modprobe's configuration and the command line
 * @r: state, reason and fix are set if it is there
 *
 * Return: whether it is there
 */
bool modconf_blacklisted(struct module_report *r);

/**
 * modconf_refused - whether the kernel takes no module, or only signed ones and this is none
 * @r: has the file; state, reason and fix are set. Where only signed modules are taken and it is
 *	not known whether this is one that the kernel trusts, the reason and the fix say so.
 *
 * Return: whether it is refused
 */
bool modconf_refused(struct module_report *r);

#endif
