/* SPDX-License-Identifier: GPL-2.0 */
/* What DKMS made of the module. */
#ifndef GDRCTL_DKMS_H
#define GDRCTL_DKMS_H

#include <stdbool.h>

#include "module.h"

/**
 * dkms_look - why there is no module for a kernel, as far as DKMS knows
 * @r: has the release; state, reason, fix and log are set
 *
 * Return: whether DKMS has the module
 */
bool dkms_look(struct module_report *r);

#endif
