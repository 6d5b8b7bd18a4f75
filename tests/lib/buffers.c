// SPDX-License-Identifier: GPL-2.0
/* dma-bufs to test with, and the importer double. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/dma-heap.h>
#include <linux/udmabuf.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buffers.h"

/* Devices stay open: opening them is not what is tested. */
static int device(int *fd, const char *path)
{
	if (*fd < 0)
		*fd = open(path, O_RDWR | O_CLOEXEC);
	return *fd < 0 ? -errno : 0;
}

static int exporter = -1, importer = -1;

int buffer_export(struct buffer *b, uint64_t size, unsigned int gpu, unsigned int flags)
{
	struct gdrt_export arg = { .size = size, .gpu = gpu, .flags = flags };
	int err = device(&exporter, GDRT_EXPORTER_DEV);

	if (err)
		return err;
	if (ioctl(exporter, GDRT_EXPORT, &arg))
		return -errno;
	b->fd = arg.fd;
	b->size = size;
	b->inode = arg.inode;
	b->bar_offset = arg.bar_offset;
	b->gpu = gpu;
	return 0;
}

static int buffer_from_fd(struct buffer *b, int fd, uint64_t size)
{
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return -errno;
	b->fd = fd;
	b->size = size;
	b->inode = st.st_ino;
	b->bar_offset = ~0ULL;
	b->gpu = 0;
	return 0;
}

int buffer_udmabuf(struct buffer *b, uint64_t size)
{
	struct udmabuf_create arg = { .flags = UDMABUF_FLAGS_CLOEXEC, .size = size };
	int dev, err;

	dev = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
	if (dev < 0)
		return -errno;
	arg.memfd = memfd_create("gdrt", MFD_ALLOW_SEALING | MFD_CLOEXEC);
	if ((int)arg.memfd < 0 || ftruncate(arg.memfd, size) ||
	    fcntl(arg.memfd, F_ADD_SEALS, F_SEAL_SHRINK))
		err = -errno;
	else
		err = buffer_from_fd(b, ioctl(dev, UDMABUF_CREATE, &arg), size);
	close(arg.memfd);
	close(dev);
	return err;
}

int buffer_heap(struct buffer *b, uint64_t size)
{
	struct dma_heap_allocation_data arg = { .len = size, .fd_flags = O_RDWR | O_CLOEXEC };
	int dev, err;

	dev = open("/dev/dma_heap/system", O_RDWR | O_CLOEXEC);
	if (dev < 0)
		return -errno;
	err = ioctl(dev, DMA_HEAP_IOCTL_ALLOC, &arg) ? -errno : buffer_from_fd(b, arg.fd, size);
	close(dev);
	return err;
}

int buffer_invalidate(const struct buffer *b)
{
	uint64_t inode = b->inode;
	int err = device(&exporter, GDRT_EXPORTER_DEV);

	if (err)
		return err;
	return ioctl(exporter, GDRT_INVALIDATE, &inode) ? -errno : 0;
}

int buffer_move(const struct buffer *b, int system)
{
	struct gdrt_move arg = { .inode = b->inode, .system = system };
	int err = device(&exporter, GDRT_EXPORTER_DEV);

	if (err)
		return err;
	return ioctl(exporter, GDRT_MOVE, &arg) ? -errno : 0;
}

int gpu_bdf(unsigned int gpu, char *bdf, size_t size)
{
	glob_t g;
	int err = -ENODEV;

	/* glob() sorts, and so do BDFs of one domain. */
	if (!glob("/sys/bus/pci/drivers/nvidia/0000:*", 0, NULL, &g)) {
		if (gpu < g.gl_pathc) {
			snprintf(bdf, size, "%s", strrchr(g.gl_pathv[gpu], '/') + 1);
			err = 0;
		}
		globfree(&g);
	}
	return err;
}

void *buffer_map(const struct buffer *b)
{
	char bdf[32], path[128];
	uint64_t offset = 0;
	int fd = b->fd;
	void *p;

	if (b->bar_offset != ~0ULL) {
		if (gpu_bdf(b->gpu, bdf, sizeof(bdf)))
			return NULL;
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/resource1", bdf);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			return NULL;
		offset = b->bar_offset;
	}
	p = mmap(NULL, b->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
	if (fd != b->fd)
		close(fd);
	return p == MAP_FAILED ? NULL : p;
}

int import_attach(const struct buffer *b, unsigned int function, unsigned int mode,
		  unsigned int count, uint64_t *handle)
{
	struct gdrt_attach arg = {
		.fd = b->fd, .function = function, .mode = mode, .count = count,
	};
	int err = device(&importer, GDRT_IMPORTER_DEV);

	if (err)
		return err;
	if (ioctl(importer, GDRT_ATTACH, &arg))
		return -errno;
	*handle = arg.handle;
	return 0;
}

int import_range(unsigned long request, uint64_t handle, unsigned int count)
{
	struct gdrt_range arg = { .handle = handle, .count = count };
	int err = device(&importer, GDRT_IMPORTER_DEV);

	if (err)
		return err;
	return ioctl(importer, request, &arg) ? -errno : 0;
}

void buffers_close(void)
{
	if (importer >= 0)
		close(importer);
	if (exporter >= 0)
		close(exporter);
	importer = -1;
	exporter = -1;
}
