/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GDRT_DEVICES_H
#define GDRT_DEVICES_H

#include <stdio.h>

#include "live.h"

/*
 * Compares the numbers of every directory below importers/, exporters/ and
 * pairs/ with what is live, which the module did not tell: a directory that
 * nothing is known of has to be at 0, and what is live has to have one.
 * Differences go to @out, a line each; returns how many.
 */
int compare_devices(const struct live *l, FILE *out);

#endif /* GDRT_DEVICES_H */
