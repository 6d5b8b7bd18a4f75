// SPDX-License-Identifier: GPL-2.0
/* Memory to register: what all sources have in common, and plain memory of the host. */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/dma-buf.h>

#include "selftest/memory.h"

const char *const st_kind_words[] = {
	[ST_CUDA] = "cuda", [ST_CUDA_VMM] = "cuda-vmm", [ST_CUDA_PCIE] = "cuda-pcie",
	[ST_UDMABUF] = "udmabuf", [ST_HEAP] = "dma-heap", [ST_HOST] = "host", [ST_KINDS] = NULL,
};

static const struct st_ops *const ops[ST_KINDS] = {
	[ST_CUDA] = &st_ops_cuda, [ST_CUDA_VMM] = &st_ops_cuda, [ST_CUDA_PCIE] = &st_ops_cuda,
	[ST_UDMABUF] = &st_ops_udmabuf, [ST_HEAP] = &st_ops_heap, [ST_HOST] = &st_ops_host,
};

uint64_t st_page(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

int st_trouble_errno(struct st_trouble *t, const char *what)
{
	t->err = errno;
	snprintf(t->text, sizeof(t->text), "%s: %s", what, strerror(t->err));
	return -1;
}

struct st_source *st_add_source(struct st_scene *s, enum st_kind kind, unsigned int index)
{
	struct st_source *n;

	if (s->n_sources == ST_SOURCES)
		return NULL;
	n = &s->source[s->n_sources++];
	memset(n, 0, sizeof(*n));
	n->kind = kind;
	n->index = index;
	return n;
}

int st_take_fd(struct st_memory *m, int fd, uint64_t size, struct st_trouble *t)
{
	struct stat st;

	m->fd = fd;
	m->size = size;
	if (fstat(fd, &st))
		return st_trouble_errno(t, "fstat of the dma-buf");
	m->inode = st.st_ino;
	return 0;
}

int st_memory_open(struct st_memory *m, const struct st_source *s, uint64_t size,
		   struct st_trouble *t)
{
	memset(m, 0, sizeof(*m));
	memset(t, 0, sizeof(*t));
	m->source = s;
	m->fd = -1;
	if (!ops[s->kind]->open(m, size, t))
		return 0;
	st_memory_close(m);
	return -1;
}

void st_memory_close(struct st_memory *m)
{
	if (!m->source)
		return;
	if (m->fd >= 0)
		close(m->fd);
	m->fd = -1;
	ops[m->source->kind]->close(m);
	m->source = NULL;
}

/* The CPU's caches and the memory behind a dma-buf are not always of one mind. */
static void sync_cpu(const struct st_memory *m, uint64_t flags)
{
	struct dma_buf_sync sync = { .flags = DMA_BUF_SYNC_RW | flags };

	if (m->fd >= 0)
		(void)ioctl(m->fd, DMA_BUF_IOCTL_SYNC, &sync);
}

int st_memory_write(struct st_memory *m, uint64_t at, const void *from, size_t n,
		    struct st_trouble *t)
{
	memset(t, 0, sizeof(*t));
	if (ops[m->source->kind]->write)
		return ops[m->source->kind]->write(m, at, from, n, t);
	sync_cpu(m, DMA_BUF_SYNC_START);
	memcpy((char *)m->cpu + at, from, n);
	sync_cpu(m, DMA_BUF_SYNC_END);
	return 0;
}

int st_memory_read(struct st_memory *m, uint64_t at, void *to, size_t n, struct st_trouble *t)
{
	memset(t, 0, sizeof(*t));
	if (ops[m->source->kind]->read)
		return ops[m->source->kind]->read(m, at, to, n, t);
	sync_cpu(m, DMA_BUF_SYNC_START);
	memcpy(to, (const char *)m->cpu + at, n);
	sync_cpu(m, DMA_BUF_SYNC_END);
	return 0;
}

static int host_open(struct st_memory *m, uint64_t size, struct st_trouble *t)
{
	m->size = size;
	m->cpu = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (m->cpu == MAP_FAILED) {
		m->cpu = NULL;
		return st_trouble_errno(t, "mmap");
	}
	return 0;
}

static void host_close(struct st_memory *m)
{
	if (m->cpu)
		munmap(m->cpu, m->size);
}

const struct st_ops st_ops_host = { .open = host_open, .close = host_close };
