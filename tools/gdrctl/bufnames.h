/* SPDX-License-Identifier: GPL-2.0 */
/* Names that users give to dma-bufs (DMA_BUF_SET_NAME), by inode number. */
#ifndef GDRCTL_BUFNAMES_H
#define GDRCTL_BUFNAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** BUFNAME_SIZE - the kernel's DMA_BUF_NAME_LEN */
#define BUFNAME_SIZE 32

/**
 * struct bufname - one buffer
 * @inode: its inode number
 * @known: whether it was found at all
 * @name: its name, any bytes; "" without one
 */
struct bufname {
	uint64_t inode;
	bool known;
	char name[BUFNAME_SIZE];
};

/**
 * bufnames_read - find the names of buffers
 * @b: the buffers; sorted by @inode
 * @n: how many
 *
 * Looks at the open files of all processes, and for buffers that none has open, as what an MR
 * alone keeps, at debugfs. What may not be looked at stays unknown.
 */
void bufnames_read(struct bufname *b, size_t n);

/** bufnames_find - one of the @n buffers @b that were read; NULL if it is none of them */
struct bufname *bufnames_find(struct bufname *b, size_t n, uint64_t inode);

#endif
