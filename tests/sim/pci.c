// SPDX-License-Identifier: GPL-2.0
/*
 * PCI configuration space: header, power management, PCI Express endpoint,
 * MSI-X. The machine keeps what it emulates itself (the MSI-X table, the
 * command register's effects) and passes every write on, so the address of a
 * BAR can be read here.
 */
#include <stdio.h>
#include <string.h>

#include "sim.h"

#define CAP_PM		0x40
#define CAP_EXP		0x60
#define CAP_MSIX	0x9c

static void le16_put(uint8_t *p, uint16_t v)
{
	p[0] = v;
	p[1] = v >> 8;
}

static void le32_put(uint8_t *p, uint32_t v)
{
	le16_put(p, v);
	le16_put(p + 2, v >> 16);
}

static uint32_t le32_get(const uint8_t *p)
{
	return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24;
}

/**
 * pci_init() - make the configuration space
 * @d: the device, its BARs described
 * @ids: who it is
 * @vectors: MSI-X vectors; 0 for no MSI-X
 * @msix_table: offset of the table in BAR 0
 * @msix_pba: offset of the pending bits in BAR 0
 */
void pci_init(struct device *d, const struct pci_ids *ids, unsigned int vectors,
	      uint32_t msix_table, uint32_t msix_pba)
{
	uint8_t *c = d->cfg;
	unsigned int i;

	memset(c, 0, sizeof(d->cfg));
	d->vectors = vectors;
	le16_put(c + 0x00, ids->vendor);
	le16_put(c + 0x02, ids->device);
	le16_put(c + 0x06, 0x0010);		/* capability list */
	c[0x08] = ids->revision;
	c[0x09] = ids->class;
	le16_put(c + 0x0a, ids->class >> 8);
	for (i = 0; i < PCI_BARS; i++)
		if (d->bars[i].size)
			le32_put(c + 0x10 + 4 * i, (d->bars[i].is64 ? 4 : 0) |
						   (d->bars[i].prefetch ? 8 : 0));
	le16_put(c + 0x2c, ids->subvendor);
	le16_put(c + 0x2e, ids->subdevice);
	c[0x34] = CAP_PM;

	c[CAP_PM] = 0x01;
	c[CAP_PM + 1] = CAP_EXP;
	le16_put(c + CAP_PM + 2, 0x0003);

	c[CAP_EXP] = 0x10;
	c[CAP_EXP + 1] = vectors ? CAP_MSIX : 0;
	le16_put(c + CAP_EXP + 0x02, 0x0002);	/* endpoint, version 2 */
	le32_put(c + CAP_EXP + 0x04, 0x10008001);	/* FLR, 256-byte payload */
	le32_put(c + CAP_EXP + 0x0c, 16 << 4 | 3);	/* x16, 8 GT/s */
	le16_put(c + CAP_EXP + 0x12, 16 << 4 | 3);

	if (vectors) {
		c[CAP_MSIX] = 0x11;
		le16_put(c + CAP_MSIX + 2, vectors - 1);
		le32_put(c + CAP_MSIX + 4, msix_table);
		le32_put(c + CAP_MSIX + 8, msix_pba);
	}
}

/**
 * pci_read() - read configuration space
 * @d: the device
 * @off: offset; what lies outside reads as zeros
 * @buf: where to
 * @len: bytes
 */
void pci_read(struct device *d, uint64_t off, void *buf, size_t len)
{
	memset(buf, 0, len);
	if (off < PCI_CFG_SIZE)
		memcpy(buf, d->cfg + off, len < PCI_CFG_SIZE - off ? len : PCI_CFG_SIZE - off);
}

/* Which bits of a byte can the guest write? */
static uint8_t writable(const struct device *d, unsigned int off)
{
	unsigned int bar = (off - 0x10) / 4;
	uint64_t size;

	if (off >= 0x10 && off < 0x28) {
		bool high = bar && d->bars[bar - 1].size && d->bars[bar - 1].is64;

		size = high ? d->bars[bar - 1].size : d->bars[bar].size;
		if (!size)
			return 0;
		return ~(size - 1) >> (high ? 32 : 0) >> 8 * (off & 3);
	}
	switch (off) {
	case 0x04: case 0x05: case 0x0c: case 0x3c:
	case CAP_EXP + 0x09:
		return 0x7f;		/* not the reset bit, which reads as 0 */
	case CAP_EXP + 0x08:
	case CAP_EXP + 0x28: case CAP_EXP + 0x29:
		return 0xff;
	case CAP_PM + 4:
		return 0x03;
	case CAP_MSIX + 3:
		return d->vectors ? 0xc0 : 0;
	}
	if (off >= PCI_TEST && off < PCI_TEST + PCI_TEST_SIZE)
		return 0xff;
	return 0;
}

/**
 * pci_write() - write configuration space
 * @d: the device
 * @off: offset
 * @buf: where from
 * @len: bytes
 *
 * Only bits that hardware lets the host write change. A function level reset is
 * done after the reply; the host then writes back what it saved.
 */
void pci_write(struct device *d, uint64_t off, const void *buf, size_t len)
{
	const uint8_t *b = buf;
	size_t i;

	for (i = 0; i < len && off + i < PCI_CFG_SIZE; i++) {
		uint8_t mask = writable(d, off + i);

		if (off + i == CAP_EXP + 0x09 && b[i] & 0x80) {
			sim_log(d, "function level reset");
			d->reset_wanted = true;
		}
		d->cfg[off + i] = (d->cfg[off + i] & ~mask) | (b[i] & mask);
	}
}

/**
 * pci_bar_base() - where a BAR is on the bus
 * @d: the device
 * @bar: which
 * @base: its bus address
 *
 * Return: false if it has no address or memory decoding is off.
 */
bool pci_bar_base(const struct device *d, unsigned int bar, uint64_t *base)
{
	const struct pci_bar *b = &d->bars[bar];
	const uint8_t *p = d->cfg + 0x10 + 4 * bar;

	if (!b->size || !(d->cfg[PCI_CMD] & CMD_MEMORY))
		return false;
	*base = le32_get(p) & ~0xfU;
	if (b->is64)
		*base |= (uint64_t)le32_get(p + 4) << 32;
	return *base != 0;
}
