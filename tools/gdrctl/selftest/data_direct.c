// SPDX-License-Identifier: GPL-2.0
/*
 * Data direct: an HCA that reaches a GPU through a second PCI function of its own. libmlx5 has it
 * from rdma-core 54 on, which the Makefile looks for.
 */
#include "selftest/data_direct.h"

#ifdef GDRCTL_DATA_DIRECT
#include <infiniband/mlx5dv.h>

int st_data_direct_path(const struct st_verbs *v, char *path, size_t size)
{
	return mlx5dv_get_data_direct_sysfs_path(v->ctx, path, size);
}

struct ibv_mr *st_data_direct_register(const struct st_verbs *v, const struct st_memory *m,
				       const struct st_range *g)
{
	return mlx5dv_reg_dmabuf_mr(v->pd, g->offset, g->length, g->iova, m->fd, (int)g->access,
				    MLX5DV_REG_DMABUF_ACCESS_DATA_DIRECT);
}
#else
#include <errno.h>

/* There is no case then that asks. */
int st_data_direct_path(const struct st_verbs *v, char *path, size_t size)
{
	(void)v;
	(void)path;
	(void)size;
	return EOPNOTSUPP;
}

struct ibv_mr *st_data_direct_register(const struct st_verbs *v, const struct st_memory *m,
				       const struct st_range *g)
{
	(void)v;
	(void)m;
	(void)g;
	errno = EOPNOTSUPP;
	return NULL;
}
#endif
