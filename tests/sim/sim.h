/* SPDX-License-Identifier: GPL-2.0 */
/*
 * gdrt-sim - device models for QEMU's vfio-user-pci. What its files share.
 *
 * One process serves every device of one virtual machine, so that one device
 * can reach the memory of another as peers on a bus do. One thread: a poll
 * loop (main.c) hands messages to vfio_user.c, which calls the device. A device
 * never talks to the machine from inside such a call: it notes what there is
 * to do and does it in its work operation, after the reply was sent, since the
 * machine may be waiting for the reply with its own lock held.
 */
#ifndef GDRT_SIM_H
#define GDRT_SIM_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct device;

/* ---- main.c ------------------------------------------------------------- */

extern bool sim_verbose;

void sim_log(const struct device *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
double sim_seconds(void);
void sim_wait(struct device *d);
struct device *sim_device_at(uint64_t bus_addr, uint64_t len, unsigned int *bar, uint64_t *off);

/* ---- guest_mem.c: the guest's memory as a device sees it ----------------- */

#define MEM_PROT_READ	1
#define MEM_PROT_WRITE	2

/**
 * struct mem_map - one range of the device's address space
 * @iova: first address
 * @size: bytes
 * @host: where it is mapped here; NULL if the machine passed no descriptor
 * @base: what to unmap
 * @base_size: how much of it
 * @prot: MEM_PROT_*
 */
struct mem_map {
	uint64_t	iova, size;
	uint8_t		*host;
	void		*base;
	size_t		base_size;
	unsigned int	prot;
};

/**
 * struct guest_mem - what a device may reach by DMA
 * @maps: the ranges, sorted by address
 * @n: how many
 * @cap: room in @maps
 */
struct guest_mem {
	struct mem_map	*maps;
	size_t		n, cap;
};

int mem_add(struct guest_mem *m, uint64_t iova, uint64_t size, int fd, uint64_t off,
	    unsigned int prot);
int mem_remove(struct guest_mem *m, uint64_t iova, uint64_t size);
void mem_clear(struct guest_mem *m);
const struct mem_map *mem_find(const struct guest_mem *m, uint64_t addr);
int dma_read(struct device *d, uint64_t addr, void *buf, size_t len);
int dma_write(struct device *d, uint64_t addr, const void *buf, size_t len);

/* ---- pci.c: configuration space ------------------------------------------ */

#define PCI_CFG_SIZE	4096
#define PCI_CMD		0x04
#define CMD_MEMORY	0x02
#define CMD_MASTER	0x04	/* without it, no DMA */
#define PCI_BARS	6

/**
 * struct pci_bar - one memory BAR
 * @size: bytes, a power of two; 0 for none
 * @is64: 64 bits wide: takes the next BAR as well
 * @prefetch: prefetchable
 * @fd: memory behind it that the machine may map; -1 for none
 * @mem: the same, mapped here
 */
struct pci_bar {
	uint64_t	size;
	bool		is64, prefetch;
	int		fd;
	uint8_t		*mem;
};

struct pci_ids {
	uint16_t	vendor, device, subvendor, subdevice;
	uint32_t	class;
	uint8_t		revision;
};

/*
 * Registers of no capability, which a test in the machine writes and a model
 * reads:
 *
 *	0	16 bits: a command of an HCA, CX_TEST_UMR for UMR
 *	2	8 bits: its status; while it is not 0 each of those fails
 *	3	7 bits: its delivery status, likewise; the highest bit: while it is set
 *		none of those is answered
 *	4	16 bits: first bit of a general capability that the HCA lacks when it is
 *		asked; 0 for none
 *	6	4 bits: log2 of the command slots that it has when a driver comes; 0 for 32
 *	7	not 0: its interface is disabled, which drivers take for a fatal error
 *	8	8 bits: seconds that it asks a driver that comes to wait for an answer; 0 for
 *		the driver's own 60
 *	9	PEER_*: what goes wrong when it reaches memory of another device
 */
#define PCI_TEST	0xc0
#define PCI_TEST_SIZE	12
#define PEER_WRITE_WRONG	0x1	/* a bit of what it writes is turned */
#define PEER_READ_WRONG		0x2	/* likewise of what it reads */
#define PEER_WRITE_LOST		0x4	/* it cannot write */
#define PEER_READ_LOST		0x8	/* it cannot read */
#define PEER_ALL		0x10	/* with PEER_WRITE_WRONG: of any RDMA WRITE */

void pci_init(struct device *d, const struct pci_ids *ids, unsigned int vectors,
	      uint32_t msix_table, uint32_t msix_pba);
void pci_read(struct device *d, uint64_t off, void *buf, size_t len);
void pci_write(struct device *d, uint64_t off, const void *buf, size_t len);
bool pci_bar_base(const struct device *d, unsigned int bar, uint64_t *base);

/* ---- vfio_user.c: the protocol ------------------------------------------- */

#define VFIO_USER_MAX_XFER	(1U << 20)

void vu_accept(struct device *d);
void vu_input(struct device *d);
void vu_work(struct device *d);
void vu_close(struct device *d);
int vu_dma(struct device *d, bool write, uint64_t addr, void *buf, size_t len);
void vu_irq(struct device *d, unsigned int vector);

/* ---- a device ------------------------------------------------------------- */

#define MAX_VECTORS	64

/**
 * struct device_ops - what a model does
 * @bar_read: read from a BAR that is not mapped
 * @bar_write: write to one; must not use DMA
 * @work: do what the writes asked for; may use DMA; false if nothing was left
 * @reset: as at power-on
 */
struct device_ops {
	void (*bar_read)(struct device *d, unsigned int bar, uint64_t off, void *buf, size_t len);
	void (*bar_write)(struct device *d, unsigned int bar, uint64_t off, const void *buf,
			  size_t len);
	bool (*work)(struct device *d);
	void (*reset)(struct device *d);
};

/**
 * struct device - one function on one socket
 * @name: for the log
 * @path: of the socket
 * @listen_fd: the socket
 * @fd: the machine, or -1
 * @was_connected: a machine has been there
 * @busy: inside @ops->work
 * @gone: the machine has gone, to be noticed after @ops->work
 * @reset_wanted: to be reset after @ops->work; DMA fails till then
 * @reset_answer: the message to answer after that, or -1
 * @ops: the model
 * @model: its state
 * @cfg: configuration space
 * @bars: its BARs
 * @vectors: number of MSI-X vectors
 * @irq: an eventfd a vector, or -1
 * @irq_pending: raised without an eventfd
 * @mem: what it may reach
 * @next_id: of the next message to the machine
 */
struct device {
	char			name[32];
	char			path[108];
	int			listen_fd, fd;
	bool			was_connected, busy, gone, reset_wanted;
	int			reset_answer;
	const struct device_ops	*ops;
	void			*model;
	uint8_t			cfg[PCI_CFG_SIZE];
	struct pci_bar		bars[PCI_BARS];
	unsigned int		vectors;
	int			irq[MAX_VECTORS];
	bool			irq_pending[MAX_VECTORS];
	struct guest_mem	mem;
	uint16_t		next_id;
};

int gpu_create(struct device *d, char **words);
int connectx_create(struct device *d, char **words, unsigned int index);

/* ---- big-endian access ---------------------------------------------------- */

static inline uint32_t be32_get(const void *p)
{
	const uint8_t *b = p;

	return (uint32_t)b[0] << 24 | b[1] << 16 | b[2] << 8 | b[3];
}

static inline uint64_t be64_get(const void *p)
{
	return (uint64_t)be32_get(p) << 32 | be32_get((const uint8_t *)p + 4);
}

static inline uint16_t be16_get(const void *p)
{
	const uint8_t *b = p;

	return b[0] << 8 | b[1];
}

static inline void be32_put(void *p, uint32_t v)
{
	uint8_t *b = p;

	b[0] = v >> 24;
	b[1] = v >> 16;
	b[2] = v >> 8;
	b[3] = v;
}

static inline void be64_put(void *p, uint64_t v)
{
	be32_put(p, v >> 32);
	be32_put((uint8_t *)p + 4, v);
}

static inline void be16_put(void *p, uint16_t v)
{
	uint8_t *b = p;

	b[0] = v >> 8;
	b[1] = v;
}

#endif /* GDRT_SIM_H */
