// SPDX-License-Identifier: GPL-2.0
/* HCAs through libibverbs. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "hca.h"

#define MAX_HCAS	8

static struct hca hcas[MAX_HCAS];
static struct ibv_context *(*open_device)(struct ibv_device *dev) = ibv_open_device;

void hca_open_by(struct ibv_context *(*open)(struct ibv_device *dev))
{
	open_device = open;
}

static int hca_open(struct hca *hca, const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	int i;

	errno = ENODEV;
	for (i = 0; list && list[i] && !hca->context; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			hca->context = open_device(list[i]);
	if (list)
		ibv_free_device_list(list);
	if (!hca->context)
		return -1;
	hca->pd = ibv_alloc_pd(hca->context);
	if (!hca->pd) {
		ibv_close_device(hca->context);
		hca->context = NULL;
		return -1;
	}
	snprintf(hca->name, sizeof(hca->name), "%s", name);
	return 0;
}

struct hca *hca_get(const char *name)
{
	int i;

	for (i = 0; i < MAX_HCAS && hcas[i].context; i++)
		if (!strcmp(hcas[i].name, name))
			return &hcas[i];
	if (i == MAX_HCAS) {
		errno = E2BIG;
		return NULL;
	}
	return hca_open(&hcas[i], name) ? NULL : &hcas[i];
}

void hca_bdf(const char *name, char *bdf, size_t size)
{
	char path[128], target[256], *base;
	ssize_t n;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/device", name);
	n = readlink(path, target, sizeof(target) - 1);
	target[n < 0 ? 0 : n] = 0;
	base = strrchr(target, '/');
	snprintf(bdf, size, "%s", base ? base + 1 : target);
}

void hca_close_all(void)
{
	int i;

	for (i = 0; i < MAX_HCAS && hcas[i].context; i++) {
		if (hcas[i].pd)
			ibv_dealloc_pd(hcas[i].pd);
		ibv_close_device(hcas[i].context);
		memset(&hcas[i], 0, sizeof(hcas[i]));
	}
}

struct ibv_mr *hca_reg(struct hca *hca, const struct buffer *b, uint64_t offset, uint64_t length)
{
	return ibv_reg_dmabuf_mr(hca->pd, offset, length, offset, b->fd, HCA_ACCESS);
}
