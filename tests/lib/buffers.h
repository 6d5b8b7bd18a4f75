/* SPDX-License-Identifier: GPL-2.0 */
/* dma-bufs to test with, from the exporter double or from the kernel's own exporters. */
#ifndef GDRT_BUFFERS_H
#define GDRT_BUFFERS_H

#include <stddef.h>
#include <stdint.h>

#include "../kmod/gdrt_exporter.h"
#include "../kmod/gdrt_importer.h"

struct buffer {
	int fd;
	uint64_t size;
	uint64_t inode;
	uint64_t bar_offset;	/* in BAR1; ~0: not there */
	unsigned int gpu;
};

/* All return 0 or a negative errno. @flags: GDRT_EXPORT_* */
int buffer_export(struct buffer *b, uint64_t size, unsigned int gpu, unsigned int flags);
int buffer_udmabuf(struct buffer *b, uint64_t size);
int buffer_heap(struct buffer *b, uint64_t size);
int buffer_invalidate(const struct buffer *b);
/* Lets a dynamic buffer's next mappings lead to system pages, or back to BAR1. */
int buffer_move(const struct buffer *b, int system);

/* Where the CPU sees the memory: in BAR1 if it is there, by the dma-buf otherwise. NULL on an error. */
void *buffer_map(const struct buffer *b);

/* BDF of the GPU with this index, sorted by BDF as the double does. */
int gpu_bdf(unsigned int gpu, char *bdf, size_t size);

/* The importer double. Attachments belong to the file of the process. */
int import_attach(const struct buffer *b, unsigned int function, unsigned int mode,
		  unsigned int count, uint64_t *handle);
int import_range(unsigned long request, uint64_t handle, unsigned int count);
/* Closes both doubles; what was attached through the importer is given up with its last fd. */
void buffers_close(void);

#endif /* GDRT_BUFFERS_H */
