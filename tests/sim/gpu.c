// SPDX-License-Identifier: GPL-2.0
/*
 * The GPU model: a 3D controller whose BAR 1 is memory. It computes nothing;
 * it is there to be a peer.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim.h"

#define BAR0_SIZE	(16ULL << 20)
#define BAR1_MIN	(256ULL << 20)
#define BAR1_MAX	(64ULL << 30)

/* BAR 1 is mapped by the machine; what still comes here is small or odd. */
static void bar_read(struct device *d, unsigned int bar, uint64_t off, void *buf, size_t len)
{
	if (d->bars[bar].mem)
		memcpy(buf, d->bars[bar].mem + off, len);
	else
		memset(buf, 0, len);
}

static void bar_write(struct device *d, unsigned int bar, uint64_t off, const void *buf, size_t len)
{
	if (d->bars[bar].mem)
		memcpy(d->bars[bar].mem + off, buf, len);
}

static bool work(struct device *d)
{
	(void)d;
	return false;
}

static void reset(struct device *d)
{
	(void)d;	/* memory survives a reset */
}

static const struct device_ops ops = {
	.bar_read = bar_read,
	.bar_write = bar_write,
	.work = work,
	.reset = reset,
};

static int size_parse(const char *s, uint64_t *size)
{
	char *end;

	*size = strtoull(s, &end, 0);
	if (*end == 'M' || *end == 'm')
		*size <<= 20, end++;
	else if (*end == 'G' || *end == 'g')
		*size <<= 30, end++;
	return *end || *size < BAR1_MIN || *size > BAR1_MAX || (*size & (*size - 1));
}

/**
 * gpu_create() - make a GPU
 * @d: the device
 * @words: options after the model's name, ended by NULL: id=, bar1=
 *
 * Return: 0 or a positive errno, with a message.
 */
int gpu_create(struct device *d, char **words)
{
	struct pci_ids ids = {
		.vendor = 0x10de, .device = 0x2330, .subvendor = 0x10de, .subdevice = 0x16c1,
		.class = 0x030200, .revision = 0xa1,
	};
	uint64_t bar1 = BAR1_MIN;
	struct pci_bar *b;

	for (; *words; words++) {
		char *end = NULL;

		if (!strncmp(*words, "id=", 3)) {
			ids.device = strtoul(*words + 3, &end, 0);
			if (*end || end == *words + 3) {
				fprintf(stderr, "gdrt-sim: %s: give a PCI device id\n", *words);
				return EINVAL;
			}
		} else if (!strncmp(*words, "bar1=", 5)) {
			if (size_parse(*words + 5, &bar1)) {
				fprintf(stderr,
					"gdrt-sim: %s: give a power of two from 256M to 64G\n", *words);
				return EINVAL;
			}
		} else {
			fprintf(stderr, "gdrt-sim: gpu: unknown word '%s' (id= bar1=)\n", *words);
			return EINVAL;
		}
	}
	d->ops = &ops;
	d->bars[0] = (struct pci_bar){ .size = BAR0_SIZE, .fd = -1 };
	b = &d->bars[1];
	b->size = bar1;
	b->is64 = true;
	b->prefetch = true;
	b->fd = memfd_create("bar1", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (b->fd < 0 || ftruncate(b->fd, bar1)) {
		perror("gdrt-sim: memory of the GPU");
		return errno;
	}
	/* The machine holds the descriptor too: the size is to stay. */
	fcntl(b->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
	b->mem = mmap(NULL, bar1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, b->fd, 0);
	if (b->mem == MAP_FAILED) {
		perror("gdrt-sim: memory of the GPU");
		b->mem = NULL;
		return errno;
	}
	pci_init(d, &ids, 0, 0, 0);
	return 0;
}
