// SPDX-License-Identifier: GPL-2.0
/* What main.c and vfio_user.c offer, for tests: no machine answers. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "test_support.h"

bool sim_verbose;
unsigned int test_machine_asked;
struct device test_peer;
static uint8_t peer_memory[TEST_BAR_SIZE];

void sim_log(const struct device *d, const char *fmt, ...)
{
	(void)d;
	(void)fmt;
}

double sim_seconds(void)
{
	return 0;
}

struct device *sim_device_at(uint64_t addr, uint64_t len, unsigned int *bar, uint64_t *off)
{
	if (addr < TEST_BAR || addr - TEST_BAR >= TEST_BAR_SIZE ||
	    len > TEST_BAR_SIZE - (addr - TEST_BAR))
		return NULL;
	test_peer.bars[1].mem = peer_memory;
	*bar = 1;
	*off = addr - TEST_BAR;
	return &test_peer;
}

int vu_dma(struct device *d, bool write, uint64_t addr, void *buf, size_t len)
{
	(void)d;
	(void)write;
	(void)addr;
	(void)buf;
	(void)len;
	test_machine_asked++;
	return EFAULT;
}

void vu_irq(struct device *d, unsigned int vector)
{
	(void)d;
	(void)vector;
}

void test_device(struct device *d)
{
	memset(d, 0, sizeof(*d));
	d->fd = -1;
	d->cfg[PCI_CMD] = CMD_MASTER;
}

uint8_t *test_map(struct device *d, uint64_t iova, uint64_t size, unsigned int prot)
{
	int fd = memfd_create("test", MFD_CLOEXEC);
	uint8_t *p;

	if (fd < 0 || ftruncate(fd, size))
		ktap_bail("memory: %s", strerror(errno));
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED || mem_add(&d->mem, iova, size, fd, 0, prot))
		ktap_bail("memory at %#llx: %s", (unsigned long long)iova, strerror(errno));
	return p;
}

struct connectx *test_hca(struct device *d, char **words)
{
	test_device(d);
	if (connectx_create(d, words, 0))
		ktap_bail("no HCA");
	d->cfg[PCI_CMD] = CMD_MASTER;
	return d->model;
}

void test_hca_free(struct connectx *cx)
{
	cx_objects_free(cx);
	mem_clear(&cx->dev->mem);
	free(cx);
}
