// SPDX-License-Identifier: GPL-2.0
/*
 * Guest memory: the ranges that the machine told a device about, and DMA to
 * them. With a guest IOMMU a buffer spans many ranges, so every access is
 * split. What is in no range, or in one without a descriptor, is looked for in
 * the BARs of the other devices by bus address; what is not found there
 * either, as behind an IOMMU, the machine is asked to read or write.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim.h"

/* Index of the first range that ends behind addr. */
static size_t lower_bound(const struct guest_mem *m, uint64_t addr)
{
	size_t lo = 0, hi = m->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		const struct mem_map *e = &m->maps[mid];

		if (e->iova + (e->size - 1) < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/**
 * mem_find() - the range that holds an address
 * @m: the memory
 * @addr: the address
 *
 * Return: the range, or NULL.
 */
const struct mem_map *mem_find(const struct guest_mem *m, uint64_t addr)
{
	size_t i = lower_bound(m, addr);

	return i < m->n && m->maps[i].iova <= addr ? &m->maps[i] : NULL;
}

/**
 * mem_add() - the machine made a range reachable
 * @m: the memory
 * @iova: first address
 * @size: bytes
 * @fd: what is behind it, taken over and closed; -1 for nothing that can be mapped
 * @off: offset of the range in @fd
 * @prot: MEM_PROT_*
 *
 * Return: 0 or a positive errno. EEXIST if it meets another range.
 */
int mem_add(struct guest_mem *m, uint64_t iova, uint64_t size, int fd, uint64_t off,
	    unsigned int prot)
{
	long page = sysconf(_SC_PAGESIZE);
	struct mem_map e = { .iova = iova, .size = size, .prot = prot };
	size_t i = lower_bound(m, iova);
	int err = 0;

	if (!size || iova + (size - 1) < iova) {
		err = EINVAL;
		goto out;
	}
	if (i < m->n && m->maps[i].iova <= iova + (size - 1)) {
		err = EEXIST;
		goto out;
	}
	if (m->n == m->cap) {
		size_t cap = m->cap ? 2 * m->cap : 64;
		struct mem_map *maps = realloc(m->maps, cap * sizeof(*maps));

		if (!maps) {
			err = ENOMEM;
			goto out;
		}
		m->maps = maps;
		m->cap = cap;
	}
	if (fd >= 0) {
		uint64_t delta = off % page;
		struct stat st;

		/* What lies behind the end of a file cannot be touched. */
		if (off + size < off || fstat(fd, &st) ||
		    (S_ISREG(st.st_mode) && off + size > (uint64_t)st.st_size)) {
			err = EINVAL;
			goto out;
		}
		e.base_size = size + delta;
		e.base = mmap(NULL, e.base_size, PROT_READ |
			      (prot & MEM_PROT_WRITE ? PROT_WRITE : 0), MAP_SHARED, fd, off - delta);
		if (e.base == MAP_FAILED) {
			err = errno;
			goto out;
		}
		e.host = (uint8_t *)e.base + delta;
	}
	memmove(&m->maps[i + 1], &m->maps[i], (m->n - i) * sizeof(e));
	m->maps[i] = e;
	m->n++;
out:
	if (fd >= 0)
		close(fd);
	return err;
}

/**
 * mem_remove() - the machine took ranges away
 * @m: the memory
 * @iova: first address
 * @size: bytes; every range that lies within goes
 *
 * Return: 0, or ENOENT if there is none.
 */
int mem_remove(struct guest_mem *m, uint64_t iova, uint64_t size)
{
	size_t i = lower_bound(m, iova), k = i;

	while (k < m->n && m->maps[k].iova >= iova && m->maps[k].iova - iova < size &&
	       m->maps[k].size <= size - (m->maps[k].iova - iova)) {
		if (m->maps[k].base)
			munmap(m->maps[k].base, m->maps[k].base_size);
		k++;
	}
	if (k == i)
		return ENOENT;
	memmove(&m->maps[i], &m->maps[k], (m->n - k) * sizeof(m->maps[0]));
	m->n -= k - i;
	return 0;
}

/**
 * mem_clear() - forget every range
 * @m: the memory
 */
void mem_clear(struct guest_mem *m)
{
	size_t i;

	for (i = 0; i < m->n; i++)
		if (m->maps[i].base)
			munmap(m->maps[i].base, m->maps[i].base_size);
	free(m->maps);
	memset(m, 0, sizeof(*m));
}

/* Between two devices: what a test in the machine wants to go wrong does. */
static int peer_copy(const struct device *d, bool write, uint8_t *host, uint8_t *buf, size_t n)
{
	uint8_t test = d->cfg[PCI_TEST + 9];

	if (test & (write ? PEER_WRITE_LOST : PEER_READ_LOST))
		return EIO;
	if (write)
		memcpy(host, buf, n);
	else
		memcpy(buf, host, n);
	if (test & (write ? PEER_WRITE_WRONG : PEER_READ_WRONG))
		(write ? host : buf)[n / 2] ^= 1;
	return 0;
}

static int dma(struct device *d, bool write, uint64_t addr, uint8_t *buf, size_t len)
{
	while (len) {
		const struct mem_map *e = mem_find(&d->mem, addr);
		struct device *peer = NULL;
		unsigned int bar;
		uint8_t *host = NULL;
		size_t n = len;
		uint64_t off;

		if (d->reset_wanted || d->gone || !(d->cfg[PCI_CMD] & CMD_MASTER))
			return ECANCELED;
		if (e) {
			uint64_t left = e->size - (addr - e->iova);

			if (!(e->prot & (write ? MEM_PROT_WRITE : MEM_PROT_READ)))
				return EFAULT;
			n = len < left ? len : left;
			host = e->host ? e->host + (addr - e->iova) : NULL;
		}
		if (!host) {
			peer = sim_device_at(addr, n, &bar, &off);
			if (peer && peer->bars[bar].mem)
				host = peer->bars[bar].mem + off;
		}
		if (host && peer) {
			int err = peer_copy(d, write, host, buf, n);

			if (err)
				return err;
		} else if (host) {
			if (write)
				memcpy(host, buf, n);
			else
				memcpy(buf, host, n);
		} else {
			int err;

			n = n < VFIO_USER_MAX_XFER ? n : VFIO_USER_MAX_XFER;
			err = vu_dma(d, write, addr, buf, n);
			if (err)
				return err;
		}
		addr += n;
		buf += n;
		len -= n;
	}
	return 0;
}

/**
 * dma_read() - a device reads memory
 * @d: the device
 * @addr: bus address or, behind an IOMMU, the device's virtual address
 * @buf: where to
 * @len: bytes
 *
 * Return: 0 or a positive errno; EFAULT if an address is not reachable.
 */
int dma_read(struct device *d, uint64_t addr, void *buf, size_t len)
{
	return dma(d, false, addr, buf, len);
}

/**
 * dma_write() - a device writes memory
 * @d: the device
 * @addr: as in dma_read()
 * @buf: where from
 * @len: bytes
 *
 * Return: 0 or a positive errno.
 */
int dma_write(struct device *d, uint64_t addr, const void *buf, size_t len)
{
	return dma(d, true, addr, (uint8_t *)buf, len);
}
