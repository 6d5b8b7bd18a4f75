// SPDX-License-Identifier: GPL-2.0
/* dma-bufs of the kernel's own exporters: udmabuf and the DMA heaps. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/dma-heap.h>
#include <linux/udmabuf.h>

#include "selftest/memory.h"

#define UDMABUF	"/dev/udmabuf"
#define HEAPS	"/dev/dma_heap"

static void unmap(struct st_memory *m)
{
	if (m->cpu)
		munmap(m->cpu, m->size);
}

static int map(struct st_memory *m, int fd, struct st_trouble *t)
{
	m->cpu = mmap(NULL, m->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (m->cpu != MAP_FAILED)
		return 0;
	m->cpu = NULL;
	return st_trouble_errno(t, "mmap of the buffer");
}

static int udmabuf_make(struct st_memory *m, int dev, int memfd, uint64_t size,
			struct st_trouble *t)
{
	struct udmabuf_create arg = { .memfd = (uint32_t)memfd, .flags = UDMABUF_FLAGS_CLOEXEC,
				      .size = size };
	int fd;

	/* udmabuf wants memory that cannot shrink under it. */
	if (ftruncate(memfd, (off_t)size) || fcntl(memfd, F_ADD_SEALS, F_SEAL_SHRINK))
		return st_trouble_errno(t, "memfd");
	fd = ioctl(dev, UDMABUF_CREATE, &arg);
	if (fd < 0)
		return st_trouble_errno(t, UDMABUF);
	return st_take_fd(m, fd, size, t) || map(m, memfd, t) ? -1 : 0;
}

static int udmabuf_open(struct st_memory *m, uint64_t size, struct st_trouble *t)
{
	int dev, memfd, rc;

	dev = open(UDMABUF, O_RDWR | O_CLOEXEC);
	if (dev < 0)
		return st_trouble_errno(t, UDMABUF);
	memfd = memfd_create("gdrctl-test", MFD_ALLOW_SEALING | MFD_CLOEXEC);
	if (memfd < 0) {
		rc = st_trouble_errno(t, "memfd_create");
	} else {
		rc = udmabuf_make(m, dev, memfd, size, t);
		close(memfd);
	}
	close(dev);
	return rc;
}

const struct st_ops st_ops_udmabuf = { .open = udmabuf_open, .close = unmap };

static void say_missing(struct st_source *s, const char *path)
{
	snprintf(s->missing, sizeof(s->missing), "%s: %s%s", path, strerror(errno),
		 errno == ENOENT ? "; modprobe udmabuf" :
		 errno == EACCES ? "; run it as root" : "");
}

void st_udmabuf_sources(struct st_scene *s)
{
	struct st_source *n = st_add_source(s, ST_UDMABUF, 0);

	if (!n)
		return;
	snprintf(n->name, sizeof(n->name), "udmabuf");
	if (access(UDMABUF, R_OK | W_OK))
		say_missing(n, UDMABUF);
}

static int heap_open(struct st_memory *m, uint64_t size, struct st_trouble *t)
{
	struct dma_heap_allocation_data arg = { .len = size, .fd_flags = O_RDWR | O_CLOEXEC };
	char path[sizeof(HEAPS) + ST_NAME + 1];
	int dev, rc;

	snprintf(path, sizeof(path), HEAPS "/%s", m->source->name);
	dev = open(path, O_RDWR | O_CLOEXEC);
	if (dev < 0)
		return st_trouble_errno(t, path);
	if (ioctl(dev, DMA_HEAP_IOCTL_ALLOC, &arg))
		rc = st_trouble_errno(t, path);
	else
		rc = st_take_fd(m, (int)arg.fd, size, t) || map(m, (int)arg.fd, t) ? -1 : 0;
	close(dev);
	return rc;
}

const struct st_ops st_ops_heap = { .open = heap_open, .close = unmap };

void st_heap_sources(struct st_scene *s)
{
	struct dirent **list;
	int n = scandir(HEAPS, &list, names_not_hidden, alphasort);
	char path[sizeof(HEAPS) + ST_NAME + 1];

	for (int i = 0; i < n; i++) {
		struct st_source *h = NULL;

		/* A longer name is none that a heap has. */
		if (strlen(list[i]->d_name) < ST_NAME)
			h = st_add_source(s, ST_HEAP, (unsigned int)i);
		if (h) {
			snprintf(h->name, sizeof(h->name), "%.*s", ST_NAME - 1, list[i]->d_name);
			snprintf(path, sizeof(path), HEAPS "/%s", h->name);
			if (access(path, R_OK | W_OK))
				say_missing(h, path);
		}
		free(list[i]);
	}
	if (n >= 0)
		free(list);
}
