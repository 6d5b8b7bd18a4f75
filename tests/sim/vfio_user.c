// SPDX-License-Identifier: GPL-2.0
/*
 * The vfio-user protocol, server side (QEMU's docs/interop/vfio-user.rst).
 *
 * Headers and payloads are read to the byte, since descriptors belong to the
 * message whose bytes they came with. While an answer of the machine is waited
 * for (vu_dma()), its own requests are served, so neither waits for the other.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "vu.h"

enum {
	CMD_VERSION = 1, CMD_DMA_MAP, CMD_DMA_UNMAP, CMD_DEVICE_INFO, CMD_REGION_INFO,
	CMD_REGION_IO_FDS, CMD_IRQ_INFO, CMD_SET_IRQS, CMD_REGION_READ, CMD_REGION_WRITE,
	CMD_DMA_READ, CMD_DMA_WRITE, CMD_RESET, CMD_DIRTY_PAGES, CMD_REGION_WRITE_MULTI,
};

#define REGION_CONFIG	7
#define REGIONS		9
#define IRQ_MSIX	2
#define IRQS		5

static uint8_t in_buf[VFIO_USER_MAX_XFER + 4096];

/* ---- requests ------------------------------------------------------------- */

static bool do_version(struct device *d, struct message *m)
{
	static const char json[] =
		"{\"capabilities\":{\"max_msg_fds\":16,\"max_data_xfer_size\":1048576}}";
	uint8_t out[4 + sizeof(json)] = { 0 };

	memcpy(out + 4, json, sizeof(json));
	return vu_reply(d, m, 0, out, sizeof(out), NULL, 0);
}

static bool do_dma_map(struct device *d, struct message *m)
{
	uint32_t flags = u32_at(m, 4);
	uint64_t off = u64_at(m, 8), iova = u64_at(m, 16), size = u64_at(m, 24);
	int fd = -1, err;

	if (m->len < 32)
		return vu_reply(d, m, EINVAL, NULL, 0, NULL, 0);
	if (m->nfds) {
		fd = m->fds[0];
		m->fds[0] = -1;
	}
	err = mem_add(&d->mem, iova, size, fd, off, flags & 3);
	if (err || sim_verbose)
		sim_log(d, "DMA_MAP iova %#llx size %#llx flags %u fd %s: %s",
			(unsigned long long)iova, (unsigned long long)size, flags,
			fd >= 0 ? "yes" : "no", strerror(err));
	return vu_reply(d, m, err, NULL, 0, NULL, 0);
}

static bool do_dma_unmap(struct device *d, struct message *m)
{
	uint32_t flags = u32_at(m, 4);
	uint64_t iova = u64_at(m, 8), size = u64_at(m, 16);
	int err = 0;

	if (m->len < 24)
		return vu_reply(d, m, EINVAL, NULL, 0, NULL, 0);
	if (flags & 2)		/* all */
		mem_clear(&d->mem);
	else
		err = mem_remove(&d->mem, iova, size);
	if (sim_verbose)
		sim_log(d, "DMA_UNMAP iova %#llx size %#llx: %s", (unsigned long long)iova,
			(unsigned long long)size, strerror(err));
	/* An IOMMU's unmap may cover what was never mapped: that is no error. */
	return vu_reply(d, m, 0, m->data, 24, NULL, 0);
}

static bool do_device_info(struct device *d, struct message *m)
{
	uint8_t out[16];

	put32(out, sizeof(out));
	put32(out + 4, 3);		/* a PCI device that can be reset */
	put32(out + 8, REGIONS);
	put32(out + 12, IRQS);
	return vu_reply(d, m, 0, out, sizeof(out), NULL, 0);
}

static bool do_region_info(struct device *d, struct message *m)
{
	uint32_t index = u32_at(m, 8), flags = 0;
	const struct pci_bar *bar = index < PCI_BARS ? &d->bars[index] : NULL;
	uint64_t size = bar ? bar->size : index == REGION_CONFIG ? PCI_CFG_SIZE : 0;
	uint8_t out[32];
	int fd = bar && bar->size ? bar->fd : -1;

	if (size)
		flags = 3 | (fd >= 0 ? 4 : 0);	/* read, write, mmap */
	put32(out, sizeof(out));
	put32(out + 4, flags);
	put32(out + 8, index);
	put32(out + 12, 0);
	put64(out + 16, size);
	put64(out + 24, 0);
	return vu_reply(d, m, 0, out, sizeof(out), &fd, fd >= 0);
}

static bool do_irq_info(struct device *d, struct message *m)
{
	uint32_t index = u32_at(m, 8);
	uint8_t out[16];

	put32(out, sizeof(out));
	put32(out + 4, index == IRQ_MSIX && d->vectors ? 1 | 8 : 0);
	put32(out + 8, index);
	put32(out + 12, index == IRQ_MSIX ? d->vectors : 0);
	return vu_reply(d, m, 0, out, sizeof(out), NULL, 0);
}

/* An interrupt raised while a vector had no eventfd is pending, as one that is masked. */
static void irq_set(struct device *d, unsigned int v, int fd)
{
	if (d->irq[v] >= 0)
		close(d->irq[v]);
	d->irq[v] = fd;
	if (fd >= 0 && d->irq_pending[v])
		vu_irq(d, v);
}

static bool do_set_irqs(struct device *d, struct message *m)
{
	uint32_t flags = u32_at(m, 4), index = u32_at(m, 8);
	uint32_t start = u32_at(m, 12), count = u32_at(m, 16), i;

	if (index != IRQ_MSIX)
		return vu_reply(d, m, 0, NULL, 0, NULL, 0);
	if (start > d->vectors || count > d->vectors - start)
		return vu_reply(d, m, EINVAL, NULL, 0, NULL, 0);
	if (flags & 4) {			/* eventfds; none: take them away */
		for (i = 0; i < count; i++) {
			irq_set(d, start + i, i < m->nfds ? m->fds[i] : -1);
			if (i < m->nfds)
				m->fds[i] = -1;
		}
	} else if (flags & 1) {
		for (i = 0; !count && i < d->vectors; i++)
			irq_set(d, i, -1);
		for (i = 0; i < count; i++)
			vu_irq(d, start + i);
	}
	return vu_reply(d, m, 0, NULL, 0, NULL, 0);
}

static bool do_read(struct device *d, struct message *m)
{
	uint64_t off = u64_at(m, 0);
	uint32_t region = u32_at(m, 8), count = u32_at(m, 12);
	uint8_t out[16 + 4096] = { 0 };

	if (m->len < 16 || count > sizeof(out) - 16)
		return vu_reply(d, m, EINVAL, NULL, 0, NULL, 0);
	memcpy(out, m->data, 16);
	if (region == REGION_CONFIG)
		pci_read(d, off, out + 16, count);
	else if (region < PCI_BARS && off < d->bars[region].size &&
		 count <= d->bars[region].size - off)
		d->ops->bar_read(d, region, off, out + 16, count);
	return vu_reply(d, m, 0, out, 16 + count, NULL, 0);
}

static void one_write(struct device *d, uint64_t off, uint32_t region, const uint8_t *data,
		      uint32_t count)
{
	if (region == REGION_CONFIG)
		pci_write(d, off, data, count);
	else if (region < PCI_BARS && off < d->bars[region].size &&
		 count <= d->bars[region].size - off)
		d->ops->bar_write(d, region, off, data, count);
}

static bool do_write(struct device *d, struct message *m)
{
	uint32_t count = u32_at(m, 12);

	if (m->len < 16 || count > m->len - 16)
		return vu_reply(d, m, EINVAL, NULL, 0, NULL, 0);
	one_write(d, u64_at(m, 0), u32_at(m, 8), m->data + 16, count);
	return vu_reply(d, m, 0, m->data, 16, NULL, 0);
}

/* Posted writes in one message: count, then {off, region, count, 8 bytes} each. */
static bool do_write_multi(struct device *d, struct message *m)
{
	uint64_t i, n = u64_at(m, 0);
	uint8_t out[8];

	if (m->len < 8 || n > (m->len - 8) / 24)
		return vu_reply(d, m, EINVAL, NULL, 0, NULL, 0);
	for (i = 0; i < n; i++) {
		size_t p = 8 + 24 * i;
		uint32_t count = u32_at(m, p + 12);

		if (count <= 8)
			one_write(d, u64_at(m, p), u32_at(m, p + 8), m->data + p + 16, count);
	}
	put64(out, n);
	return vu_reply(d, m, 0, out, sizeof(out), NULL, 0);
}

static void device_reset(struct device *d)
{
	d->reset_wanted = false;
	memset(d->irq_pending, 0, sizeof(d->irq_pending));
	d->ops->reset(d);
}

static bool do_reset(struct device *d, struct message *m)
{
	sim_log(d, "RESET");
	if (d->busy) {		/* what it works on goes away: stop that first, answer then */
		d->reset_wanted = true;
		d->reset_answer = m->h.flags & FLAG_NO_REPLY ? -1 : m->h.id;
		return true;
	}
	device_reset(d);
	return vu_reply(d, m, 0, NULL, 0, NULL, 0);
}

static bool handle(struct device *d, struct message *m)
{
	switch (m->h.cmd) {
	case CMD_VERSION: return do_version(d, m);
	case CMD_DMA_MAP: return do_dma_map(d, m);
	case CMD_DMA_UNMAP: return do_dma_unmap(d, m);
	case CMD_DEVICE_INFO: return do_device_info(d, m);
	case CMD_REGION_INFO: return do_region_info(d, m);
	case CMD_IRQ_INFO: return do_irq_info(d, m);
	case CMD_SET_IRQS: return do_set_irqs(d, m);
	case CMD_REGION_READ: return do_read(d, m);
	case CMD_REGION_WRITE: return do_write(d, m);
	case CMD_REGION_WRITE_MULTI: return do_write_multi(d, m);
	case CMD_RESET: return do_reset(d, m);
	default: return vu_reply(d, m, EOPNOTSUPP, NULL, 0, NULL, 0);
	}
}

/*
 * Take one message: serve it, or, if it is the answer to message id, copy its
 * payload to @buf. Returns -1 if the machine is gone, 1 for the answer.
 */
static int take(struct device *d, int id, void *buf, size_t len, int *err)
{
	struct message m = { .data = in_buf };
	unsigned int i;
	int ret = 0;
	bool ok;

	if (!vu_read(d, &m.h, sizeof(m.h), &m))
		goto gone;
	if (m.h.size < sizeof(m.h) || m.h.size - sizeof(m.h) > sizeof(in_buf)) {
		sim_log(d, "message of %u bytes: giving up", m.h.size);
		goto gone;
	}
	m.len = m.h.size - sizeof(m.h);
	if (!vu_read(d, m.data, m.len, &m))
		goto gone;
	if ((m.h.flags & FLAG_TYPE) == FLAG_REPLY) {
		if (id >= 0 && m.h.id == id) {
			*err = m.h.flags & FLAG_ERROR ? (m.h.error ? (int)m.h.error : EIO) : 0;
			if (!*err && buf && m.len >= 16 + len)
				memcpy(buf, m.data + 16, len);
			else if (!*err && buf)
				*err = EIO;
			ret = 1;
		}
	} else {
		ok = handle(d, &m);
		if (!ok) {
			d->gone = true;
			ret = -1;
		}
	}
	for (i = 0; i < m.nfds; i++)
		if (m.fds[i] >= 0)
			close(m.fds[i]);
	return ret;
gone:
	for (i = 0; i < m.nfds; i++)
		close(m.fds[i]);
	d->gone = true;
	return -1;
}

/**
 * vu_dma() - ask the machine to read or write memory for a device
 * @d: the device
 * @write: write, else read
 * @addr: address as the device sees it
 * @buf: the data
 * @len: bytes, at most VFIO_USER_MAX_XFER
 *
 * Serves the machine's requests meanwhile, for every device: one of its CPUs may
 * wait for another device with the lock held that the answer needs.
 *
 * Return: 0 or a positive errno; ECANCELED if the device is to be reset.
 */
int vu_dma(struct device *d, bool write, uint64_t addr, void *buf, size_t len)
{
	struct header h = {
		.id = d->next_id++, .cmd = write ? CMD_DMA_WRITE : CMD_DMA_READ,
		.size = sizeof(h) + 16 + (write ? len : 0),
	};
	uint8_t *out;
	bool ok;
	int err = 0, r;

	if (d->fd < 0 || d->gone)
		return ENOTCONN;
	out = malloc(16 + len);
	if (!out)
		return ENOMEM;
	put64(out, addr);
	put64(out + 8, len);
	if (write)
		memcpy(out + 16, buf, len);
	ok = vu_write(d, &h, out, h.size - sizeof(h), NULL, 0);
	free(out);
	if (!ok) {
		d->gone = true;
		return EIO;
	}
	do {
		sim_wait(d);
		if (d->gone)
			return ENOTCONN;
		r = take(d, h.id, write ? NULL : buf, len, &err);
		if (!r && d->reset_wanted)
			return ECANCELED;
	} while (!r);
	if (r < 0)
		return EIO;
	if (err)
		sim_log(d, "DMA %s of %zu bytes at %#llx: %s", write ? "write" : "read", len,
			(unsigned long long)addr, strerror(err));
	return err;
}

/**
 * vu_irq() - raise an interrupt
 * @d: the device
 * @vector: MSI-X vector; nothing happens if the machine gave no eventfd for it
 */
void vu_irq(struct device *d, unsigned int vector)
{
	uint64_t one = 1;

	if (vector >= d->vectors || d->irq[vector] < 0) {
		if (vector < d->vectors)
			d->irq_pending[vector] = true;
		if (sim_verbose)
			sim_log(d, "interrupt %u has no eventfd yet", vector);
		return;
	}
	d->irq_pending[vector] = false;
	if (write(d->irq[vector], &one, sizeof(one)) != sizeof(one))
		sim_log(d, "interrupt %u: %s", vector, strerror(errno));
}

/**
 * vu_accept() - a machine connects
 * @d: the device
 */
void vu_accept(struct device *d)
{
	int fd = accept(d->listen_fd, NULL, NULL);

	if (fd < 0)
		return;
	if (d->fd >= 0) {
		sim_log(d, "a second machine was refused");
		close(fd);
		return;
	}
	sim_log(d, "connected");
	d->fd = fd;
	d->gone = false;
	d->was_connected = true;
	device_reset(d);
}

/**
 * vu_close() - the machine is gone: back to the state before it came
 * @d: the device
 */
void vu_close(struct device *d)
{
	unsigned int i;

	if (d->fd < 0)
		return;
	sim_log(d, "disconnected");
	close(d->fd);
	d->fd = -1;
	for (i = 0; i < MAX_VECTORS; i++)
		irq_set(d, i, -1);
	mem_clear(&d->mem);
	device_reset(d);
}

/**
 * vu_input() - serve one message
 * @d: the device
 */
void vu_input(struct device *d)
{
	take(d, -1, NULL, 0, NULL);
}

/**
 * vu_work() - let the device do what the messages asked for
 * @d: the device
 *
 * Also carries out a reset or an end that came meanwhile.
 */
void vu_work(struct device *d)
{
	if (d->fd < 0)
		return;
	d->busy = true;
	while (!d->gone && !d->reset_wanted && d->ops->work(d))
		;
	d->busy = false;
	if (d->reset_wanted) {
		struct message m = { .h = { .cmd = CMD_RESET } };
		int answer = d->reset_answer;

		d->reset_answer = -1;
		device_reset(d);
		m.h.id = answer;
		if (answer >= 0 && !vu_reply(d, &m, 0, NULL, 0, NULL, 0))
			d->gone = true;
	}
	if (d->gone)
		vu_close(d);
}
