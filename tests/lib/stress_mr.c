// SPDX-License-Identifier: GPL-2.0
/* The stress test: HCAs and MRs of a process. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "hca.h"
#include "stress.h"

#define HCAS	2
#define MRS	12

static struct ibv_context *context[HCAS];
static struct ibv_pd *pd[HCAS];
static struct ibv_mr *mr[MRS];
static unsigned int mr_hca[MRS];

static bool hca_open(uint32_t i)
{
	struct ibv_device **list;
	int n = 0;

	if (context[i])
		return true;
	list = ibv_get_device_list(&n);
	if (list && n)
		context[i] = ibv_open_device(list[i % n]);
	if (list)
		ibv_free_device_list(list);
	if (!context[i])
		return false;
	pd[i] = ibv_alloc_pd(context[i]);
	if (pd[i])
		return true;
	ibv_close_device(context[i]);
	context[i] = NULL;
	return false;
}

void stress_mr_close(uint32_t hca)
{
	unsigned int i, h;

	for (h = 0; h < HCAS; h++) {
		if (!context[h] || (hca != ~0U && h != hca % HCAS))
			continue;
		/* What is left of the library's MRs is memory of a short-lived process. */
		for (i = 0; i < MRS; i++)
			if (mr[i] && mr_hca[i] == h)
				mr[i] = NULL;
		ibv_close_device(context[h]);
		context[h] = NULL;
		pd[h] = NULL;
	}
}

static void count_failed(int err)
{
	if (err == EBADF)
		stress_add(STRESS_EBADF, 1);
	if (err == EINVAL)
		stress_add(STRESS_EINVAL, 1);
	stress_add(STRESS_FAILED, 1);
}

static struct ibv_mr *reg(uint32_t hca, uint64_t offset, uint64_t length, uint64_t iova, int fd,
			  int access)
{
	struct ibv_mr *m;
	bool gone;

	stress_add(STRESS_BEGUN, 1);
	m = ibv_reg_dmabuf_mr(pd[hca], offset, length, iova, fd, access);
	gone = !m && (errno == EIO || errno == ENODEV);
	if (gone)
		stress_add(STRESS_GONE, 1);
	else if (m)
		stress_add(STRESS_REGISTERED, 1);
	else if (fd == -1)
		stress_add(STRESS_QUERIES, 1);
	else
		count_failed(errno);
	stress_add(STRESS_FINISHED, 1);
	/* The HCA has left: what it was opened for is of no use any more. */
	if (gone)
		stress_mr_close(hca);
	return m;
}

void stress_mr_toggle(uint32_t at, uint32_t hca, int fd, uint64_t size, uint32_t part)
{
	uint64_t page = sysconf(_SC_PAGESIZE), offset = 0;
	struct ibv_mr *m;

	at %= MRS;
	hca %= HCAS;
	if (mr[at]) {
		/* Where its HCA has left, the kernel has given it up before. */
		if (ibv_dereg_mr(mr[at]))
			stress_mr_close(mr_hca[at]);
		mr[at] = NULL;
		return;
	}
	if (fd < 0 || !hca_open(hca))
		return;
	/* The whole buffer, or one page less at its start. */
	if (part % 2 && size > page)
		offset = page;
	m = reg(hca, offset, size - offset, offset, fd, HCA_ACCESS);
	if (m) {
		mr[at] = m;
		mr_hca[at] = hca;
	}
}

void stress_mr_query(uint32_t hca)
{
	hca %= HCAS;
	if (hca_open(hca))
		reg(hca, 0, 4096, 0, -1, HCA_ACCESS);
}

void stress_mr_bad(uint32_t hca, int fd, uint64_t size, uint32_t how)
{
	int null;

	hca %= HCAS;
	if (fd < 0 || !hca_open(hca))
		return;
	switch (how % 5) {
	case 0:
		reg(hca, 0, size, 0, 9999, HCA_ACCESS);		/* not open */
		break;
	case 1:
		null = open("/dev/null", O_RDWR | O_CLOEXEC);
		reg(hca, 0, size, 0, null, HCA_ACCESS);		/* no dma-buf */
		close(null);
		break;
	case 2:
		reg(hca, 0, 2 * size, 0, fd, HCA_ACCESS);	/* past the end */
		break;
	case 3:
		reg(hca, 0, size, 1, fd, HCA_ACCESS);		/* offset and iova differ */
		break;
	case 4:
		reg(hca, 0, size, 0, fd, IBV_ACCESS_REMOTE_WRITE);
		break;
	}
}

void stress_mr_release(void)
{
	unsigned int i;

	for (i = 0; i < MRS; i++)
		if (mr[i])
			stress_mr_toggle(i, 0, -1, 0, 0);
	stress_mr_close(~0U);
}

void stress_mr_disown(void)
{
	unsigned int h;

	/* The library would give up objects that the parent goes on using. */
	for (h = 0; h < HCAS; h++) {
		if (!context[h])
			continue;
		close(context[h]->cmd_fd);
		close(context[h]->async_fd);
		context[h] = NULL;
	}
	memset(mr, 0, sizeof(mr));
}
