// SPDX-License-Identifier: GPL-2.0
/*
 * An application as the kernel sees one that uses GPUDirect RDMA: it gets GPU
 * memory as a dma-buf and registers it with one or more HCAs through
 * libibverbs. Only where the dma-buf comes from differs: the GPU driver's test
 * double, in place of CUDA.
 *
 *	gdrt-demo GPU MIB HCA...
 *
 * Prints a line for each registration, then "ready", and holds them until
 * SIGTERM; then it deregisters and prints "done". Exit code: 0; 1 if a
 * registration failed, with its error; 2 if it was used or set up wrongly.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <infiniband/verbs.h>

#include "../kmod/gdrt_exporter.h"

#define MAX_HCAS	8

struct registration {
	struct ibv_context	*context;
	struct ibv_pd		*pd;
	struct ibv_mr		*mr;
};

static struct ibv_context *open_hca(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = NULL;
	int i;

	for (i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			context = ibv_open_device(list[i]);
	if (list)
		ibv_free_device_list(list);
	if (!context)
		fprintf(stderr, "no HCA %s; ibv_devices lists those there are\n", name);
	return context;
}

/* Returns the dma-buf of new GPU memory, or -1. */
static int gpu_memory(unsigned int gpu, size_t size)
{
	struct gdrt_export export = { .size = size, .gpu = gpu };
	int dev = open(GDRT_EXPORTER_DEV, O_RDWR | O_CLOEXEC);

	if (dev < 0) {
		perror(GDRT_EXPORTER_DEV);
		return -1;
	}
	if (ioctl(dev, GDRT_EXPORT, &export)) {
		fprintf(stderr, "GPU %u, %zu bytes: %s\n", gpu, size, strerror(errno));
		export.fd = -1;
	}
	close(dev);
	return export.fd;
}

static int reg(struct registration *r, const char *hca, int fd, size_t size)
{
	int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE;

	r->context = open_hca(hca);
	if (!r->context)
		return 2;
	r->pd = ibv_alloc_pd(r->context);
	if (!r->pd) {
		fprintf(stderr, "ibv_alloc_pd on %s: %s\n", hca, strerror(errno));
		return 2;
	}
	r->mr = ibv_reg_dmabuf_mr(r->pd, 0, size, 0, fd, access);
	if (!r->mr) {
		printf("ibv_reg_dmabuf_mr on %s: %s\n", hca, strerror(errno));
		return 1;
	}
	printf("ibv_reg_dmabuf_mr on %s: %zu MiB of GPU memory, lkey 0x%x\n", hca, size >> 20,
	       r->mr->lkey);
	return 0;
}

static void unreg(struct registration *r)
{
	if (r->mr)
		ibv_dereg_mr(r->mr);
	if (r->pd)
		ibv_dealloc_pd(r->pd);
	if (r->context)
		ibv_close_device(r->context);
}

int main(int argc, char **argv)
{
	struct registration regs[MAX_HCAS] = {};
	int i, fd, sig, n = argc - 3, rc = 0;
	sigset_t set;
	size_t size;

	if (n < 1 || n > MAX_HCAS) {
		fprintf(stderr, "usage: gdrt-demo GPU MIB HCA... (1 to %d HCAs)\n", MAX_HCAS);
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);

	size = strtoul(argv[2], NULL, 10) << 20;
	fd = gpu_memory(strtoul(argv[1], NULL, 10), size);
	if (fd < 0)
		return 2;
	for (i = 0; i < n && !rc; i++)
		rc = reg(&regs[i], argv[3 + i], fd, size);
	/* The registrations hold the memory: applications close the dma-buf. */
	close(fd);
	if (!rc) {
		puts("ready");
		sigwait(&set, &sig);
	}
	for (i = 0; i < n; i++)
		unreg(&regs[i]);
	if (!rc)
		puts("done");
	return rc;
}
