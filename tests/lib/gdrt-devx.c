// SPDX-License-Identifier: GPL-2.0
/*
 * DevX memory (umem) on dma-bufs, beside MRs on them.
 *
 *	gdrt-devx IN OUT	takes commands as gdrt-reg does:
 *
 *	buffer SIZE [gpu=N] [dynamic] [system]
 *				ok BUFFER inode=INODE
 *	invalidate BUFFER	let the exporter invalidate its mappings
 *	umem HCA buffer=N | fd=N | file=PATH | memory [offset=N] [length=N] [access=N]
 *				ok UMEM, or error ERRNO; length is that of the buffer, "memory"
 *				is a page of the process, no dma-buf
 *	dereg UMEM
 *	mr HCA BUFFER		an MR, in the same context; ok MR
 *	quit			give up all and end
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <infiniband/mlx5dv.h>

#include "command.h"
#include "hca.h"

#define MAX	64
#define PAGE	4096

static struct buffer buffers[MAX];
static struct mlx5dv_devx_umem *umems[MAX];
static struct ibv_mr *mrs[MAX];
static unsigned int n_buffers, n_umems, n_mrs;

static struct ibv_context *devx_open(struct ibv_device *dev)
{
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };

	return mlx5dv_open_device(dev, &attr);
}

/* All of these return what follows "ok", or a negative errno. */

static int cmd_umem(char **w)
{
	static char memory[PAGE] __attribute__((aligned(PAGE)));
	struct mlx5dv_devx_umem_in in = {
		.access = IBV_ACCESS_LOCAL_WRITE,
		.pgsz_bitmap = ~(uint64_t)(PAGE - 1),
		.comp_mask = MLX5DV_UMEM_MASK_DMABUF,
		.dmabuf_fd = -1,
	};
	struct hca *hca = w[1] ? hca_get(w[1]) : NULL;
	int file = -1, i, err;
	uint64_t v;

	if (!hca)
		return w[1] ? -errno : -EINVAL;
	if (n_umems == MAX)
		return -E2BIG;
	for (i = 2; w[i]; i++) {
		if (command_number(w[i], "buffer=", &v) && v < n_buffers) {
			in.dmabuf_fd = buffers[v].fd;
			in.size = buffers[v].size;
		} else if (command_number(w[i], "fd=", &v)) {
			in.dmabuf_fd = v;
		} else if (!strncmp(w[i], "file=", 5)) {
			file = open(w[i] + 5, O_RDWR | O_CLOEXEC);
			if (file < 0)
				return -errno;
			in.dmabuf_fd = file;
		} else if (!strcmp(w[i], "memory")) {
			in.comp_mask = 0;
			in.addr = memory;
			in.size = sizeof(memory);
		} else if (command_number(w[i], "offset=", &v)) {
			in.addr = (void *)(uintptr_t)v;
		} else if (command_number(w[i], "length=", &v)) {
			in.size = v;
		} else if (command_number(w[i], "access=", &v)) {
			in.access = v;
		} else {
			return -EINVAL;
		}
	}
	umems[n_umems] = mlx5dv_devx_umem_reg_ex(hca->context, &in);
	err = umems[n_umems] ? 0 : -errno;
	if (file >= 0)
		close(file);
	return err ?: (int)n_umems++;
}

static int cmd_buffer(char **w)
{
	uint64_t size = w[1] ? strtoull(w[1], NULL, 0) : 0, gpu = 0;
	unsigned int flags = 0;
	int i, err;

	if (n_buffers == MAX)
		return -E2BIG;
	for (i = 2; w[i]; i++) {
		if (!strcmp(w[i], "dynamic"))
			flags |= GDRT_EXPORT_DYNAMIC;
		else if (!strcmp(w[i], "system"))
			flags |= GDRT_EXPORT_SYSTEM;
		else if (!command_number(w[i], "gpu=", &gpu))
			return -EINVAL;
	}
	err = buffer_export(&buffers[n_buffers], size, gpu, flags);
	return err ?: (int)n_buffers++;
}

static int cmd_dereg(char **w)
{
	unsigned int i = w[1] ? strtoul(w[1], NULL, 0) : MAX;
	int err;

	if (i >= n_umems || !umems[i])
		return -ENOENT;
	err = mlx5dv_devx_umem_dereg(umems[i]);
	if (!err)
		umems[i] = NULL;
	return -err;
}

static int cmd_mr(char **w)
{
	struct hca *hca = w[1] ? hca_get(w[1]) : NULL;
	unsigned int i = w[1] && w[2] ? strtoul(w[2], NULL, 0) : MAX;

	if (!hca)
		return w[1] ? -errno : -EINVAL;
	if (i >= n_buffers || n_mrs == MAX)
		return -EINVAL;
	mrs[n_mrs] = hca_reg(hca, &buffers[i], 0, buffers[i].size);
	return mrs[n_mrs] ? (int)n_mrs++ : -errno;
}

static int cmd_quit(void)
{
	unsigned int i;

	for (i = 0; i < n_umems; i++)
		if (umems[i])
			mlx5dv_devx_umem_dereg(umems[i]);
	for (i = 0; i < n_mrs; i++)
		ibv_dereg_mr(mrs[i]);
	hca_close_all();
	return 0;
}

static int command(char **w)
{
	unsigned int i;

	if (!strcmp(w[0], "buffer"))
		return cmd_buffer(w);
	if (!strcmp(w[0], "umem"))
		return cmd_umem(w);
	if (!strcmp(w[0], "dereg"))
		return cmd_dereg(w);
	if (!strcmp(w[0], "mr"))
		return cmd_mr(w);
	if (!strcmp(w[0], "invalidate")) {
		i = w[1] ? strtoul(w[1], NULL, 0) : MAX;
		return i < n_buffers ? buffer_invalidate(&buffers[i]) : -ENOENT;
	}
	return strcmp(w[0], "quit") ? -EINVAL : cmd_quit();
}

int main(int argc, char **argv)
{
	FILE *in = NULL, *out = NULL;
	struct command c;
	bool quit = false;
	int n;

	if (argc == 3)
		command_open(argv[1], argv[2], &in, &out);
	if (!in || !out) {
		fprintf(stderr, "usage: gdrt-devx IN OUT (FIFOs)\n");
		return 2;
	}
	hca_open_by(devx_open);
	/* Each line as it comes: what a writer sends later is another command. */
	setvbuf(in, NULL, _IOLBF, 0);
	while (!quit && command_next(in, &c)) {
		quit = !strcmp(c.w[0], "quit");
		n = command(c.w);
		if (n < 0)
			fprintf(out, "error %d %s\n", -n, strerror(-n));
		else if (!strcmp(c.w[0], "buffer"))
			fprintf(out, "ok %d inode=%" PRIu64 "\n", n, buffers[n].inode);
		else
			fprintf(out, "ok %d\n", n);
		fflush(out);
	}
	return 0;
}
