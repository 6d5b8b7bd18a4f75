/* SPDX-License-Identifier: GPL-2.0 */
/* Registrations through the data direct function of an HCA. */
#ifndef GDRCTL_ST_DATA_DIRECT_H
#define GDRCTL_ST_DATA_DIRECT_H

#include "selftest/run.h"

/**
 * st_data_direct_path - where in sysfs the data direct function of an HCA is
 * @v: the HCA, open
 * @path: the path, without /sys
 * @size: size of @path
 *
 * Return: 0, or a positive errno: ENODEV if it has none, EOPNOTSUPP if this build or
 *	libmlx5 does not know
 */
int st_data_direct_path(const struct st_verbs *v, char *path, size_t size);

/** st_data_direct_register - as ibv_reg_dmabuf_mr(), through that function */
struct ibv_mr *st_data_direct_register(const struct st_verbs *v, const struct st_memory *m,
				       const struct st_range *g);

#endif
