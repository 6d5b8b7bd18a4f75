// SPDX-License-Identifier: GPL-2.0
/*
 * Data direct: an HCA that reaches a GPU through a second PCI function of its own. libmlx5 has it
 * from rdma-core 54 on, which the Makefile looks for. gdrctl links no provider: libibverbs has this
 * one loaded already where there is an mlx5 HCA.
 */
#include "selftest/data_direct.h"

#ifdef GDRCTL_DATA_DIRECT
#include <dlfcn.h>
#include <errno.h>
#include <infiniband/mlx5dv.h>

static void *find(const char *symbol)
{
	void *lib = dlopen("libmlx5.so.1", RTLD_NOW);

	return lib ? dlsym(lib, symbol) : NULL;
}

int st_data_direct_path(const struct st_verbs *v, char *path, size_t size)
{
	__typeof__(mlx5dv_get_data_direct_sysfs_path) *get;

	*(void **)&get = find("mlx5dv_get_data_direct_sysfs_path");
	return get ? get(v->ctx, path, size) : EOPNOTSUPP;
}

struct ibv_mr *st_data_direct_register(const struct st_verbs *v, const struct st_memory *m,
				       const struct st_range *g)
{
	__typeof__(mlx5dv_reg_dmabuf_mr) *reg;

	*(void **)&reg = find("mlx5dv_reg_dmabuf_mr");
	if (!reg) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	return reg(v->pd, g->offset, g->length, g->iova, m->fd, (int)g->access,
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
