/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is live, as read without the module: the kernel's bufinfo says who is
 * attached to what, the exporter double's ledger what is mapped and pinned,
 * where, and which GPU can be known.
 */
#ifndef GDRT_LIVE_H
#define GDRT_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#define GDRT_BUFINFO	"/sys/kernel/debug/dma_buf/bufinfo"
#define GDRT_EXP_LEDGER	"/sys/kernel/debug/gdrt_exporter/ledger"

#define LIVE_NAME	64
#define LIVE_DEVICES	64	/* importers; exporters likewise */

/**
 * struct live_share - one importer of one buffer
 * @attachments: how many
 * @mapped: how many of them are mapped
 * @pinned: how many of them are pinned
 */
struct live_share {
	uint32_t attachments;
	uint32_t mapped;
	uint32_t pinned;
};

/**
 * struct live_buffer - a buffer that has an attachment that is tracked
 * @inode: inode number
 * @size: in bytes
 * @exporter: index of its exporter: a GPU if @is_device
 * @is_device: a mapping told which GPU it is in
 * @is_double: of the exporter double; of others it is not known what is mapped
 * @share: by the index of the importer
 */
struct live_buffer {
	uint64_t inode;
	uint64_t size;
	unsigned int exporter;
	bool is_device;
	bool is_double;
	struct live_share share[LIVE_DEVICES];
};

struct live {
	struct live_buffer *buffer;
	unsigned int n_buffers;
	char importer[LIVE_DEVICES][LIVE_NAME];
	unsigned int n_importers;
	char exporter[LIVE_DEVICES][LIVE_NAME];
	unsigned int n_exporters;
};

/*
 * Reads it; @all: of all buffers, else those of GPUDirect RDMA. False, with a
 * message on stderr: a file is missing, or there is too much. live_free() in
 * either case.
 */
bool live_read(struct live *l, bool all);
void live_free(struct live *l);

/* From now on these buffers are taken for not there; @inode stays with the caller, 0 is none. */
void live_leave_out(const uint64_t *inode, unsigned int n);

/* Reads the first line of a file, without its newline. */
bool live_word(const char *path, char *word, unsigned int size);

#endif /* GDRT_LIVE_H */
