/* SPDX-License-Identifier: GPL-2.0 */
/* Memory to register, from a GPU or from the host. */
#ifndef GDRCTL_ST_MEMORY_H
#define GDRCTL_ST_MEMORY_H

#include "selftest.h"

/**
 * struct st_memory - one allocation
 * @source: where it is from
 * @size: bytes; may be more than was asked for
 * @fd: its dma-buf; -1: it has none, being plain memory of the host
 * @inode: inode number of the dma-buf
 * @cpu: where the CPU sees it; NULL: through @source's read and write only
 * @address: CUDA's address
 * @handle: CUDA's handle of it
 * @raw: CUDA's address of the whole allocation
 */
struct st_memory {
	const struct st_source *source;
	uint64_t size;
	int fd;
	uint64_t inode;
	void *cpu;
	uint64_t address;
	uint64_t handle;
	uint64_t raw;
};

/**
 * struct st_trouble - why memory could not be had, or not be read
 * @err: positive errno; 0: it is none
 * @missing: the source does not do this at all, as told in @text
 * @text: what happened
 */
struct st_trouble {
	int err;
	bool missing;
	char text[ST_TEXT];
};

/**
 * struct st_ops - what a kind of source does; 0 or -1, told in @t
 * @open: allocate @size bytes and make the dma-buf; @m has its source
 * @close: free it; whatever @open has filled in
 * @write: copy into it; NULL: @cpu is written
 * @read: copy out of it; NULL: @cpu is read
 */
struct st_ops {
	int (*open)(struct st_memory *m, uint64_t size, struct st_trouble *t);
	void (*close)(struct st_memory *m);
	int (*write)(struct st_memory *m, uint64_t at, const void *from, size_t n,
		     struct st_trouble *t);
	int (*read)(struct st_memory *m, uint64_t at, void *to, size_t n, struct st_trouble *t);
};

extern const struct st_ops st_ops_cuda;
extern const struct st_ops st_ops_udmabuf;
extern const struct st_ops st_ops_heap;
extern const struct st_ops st_ops_host;

/** st_page - size of a page of the host */
uint64_t st_page(void);

/** st_cuda_sources - add the GPUs to a scene; runs CUDA, which does not live through fork() */
void st_cuda_sources(struct st_scene *s);

/** st_udmabuf_sources - add udmabuf to a scene */
void st_udmabuf_sources(struct st_scene *s);

/** st_heap_sources - add the DMA heaps to a scene */
void st_heap_sources(struct st_scene *s);

/** st_add_source - room for one more source; NULL if there is none */
struct st_source *st_add_source(struct st_scene *s, enum st_kind kind, unsigned int index);

/** st_memory_open - allocate memory; as struct st_ops, but for @m->source, which is set */
int st_memory_open(struct st_memory *m, const struct st_source *s, uint64_t size,
		   struct st_trouble *t);

/** st_memory_close - free it; does nothing if it is not open */
void st_memory_close(struct st_memory *m);

/** st_memory_write - copy into it; as struct st_ops */
int st_memory_write(struct st_memory *m, uint64_t at, const void *from, size_t n,
		    struct st_trouble *t);

/** st_memory_read - copy out of it; as struct st_ops */
int st_memory_read(struct st_memory *m, uint64_t at, void *to, size_t n, struct st_trouble *t);

/** st_trouble_errno - fill @t from errno; "WHAT: TEXT". Return: -1 */
int st_trouble_errno(struct st_trouble *t, const char *what);

/** st_take_fd - @m has the dma-buf @fd, of @size bytes. Return: 0 or -1 */
int st_take_fd(struct st_memory *m, int fd, uint64_t size, struct st_trouble *t);

#endif
