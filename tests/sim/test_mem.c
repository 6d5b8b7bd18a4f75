// SPDX-License-Identifier: GPL-2.0
/* Guest memory: ranges, accesses split over them, peers, what is not there. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "test_support.h"

#define RW (MEM_PROT_READ | MEM_PROT_WRITE)

static struct device d;

static void ranges(void)
{
	uint8_t *a = test_map(&d, 0x1000, 0x1000, RW), *b = test_map(&d, 0x2000, 0x1000, RW);
	uint8_t data[64], back[64];
	size_t i;

	for (i = 0; i < sizeof(data); i++)
		data[i] = i + 1;
	ktap_result(!dma_write(&d, 0x2000 - 24, data, sizeof(data)) &&
		    !memcmp(a + 0x1000 - 24, data, 24) && !memcmp(b, data + 24, 40),
		    "a write is split over two ranges");
	ktap_result(!dma_read(&d, 0x2000 - 24, back, sizeof(back)) && !memcmp(back, data, 64),
		    "a read is split over two ranges");
	ktap_result(!dma_read(&d, 0x2fff, back, 1), "the last byte of a range");
	test_machine_asked = 0;
	ktap_result(dma_read(&d, 0x3000 - 8, back, 16) == EFAULT && test_machine_asked == 1,
		    "behind the last range the machine is asked");
	ktap_result(mem_add(&d.mem, 0x2800, 0x1000, -1, 0, RW) == EEXIST, "an overlap is refused");
	ktap_result(mem_add(&d.mem, ~0ULL - 0xfff, 0x2000, -1, 0, RW) == EINVAL &&
		    mem_add(&d.mem, 0x9000, 0, -1, 0, RW) == EINVAL,
		    "a range that wraps or is empty is refused");
	ktap_result(!mem_add(&d.mem, ~0ULL - 0xfff, 0x1000, -1, 0, RW) &&
		    mem_find(&d.mem, ~0ULL) && !mem_find(&d.mem, ~0ULL - 0x1000),
		    "a range may end with the address space");
	ktap_result(mem_remove(&d.mem, 0x5000, 0x1000) == ENOENT, "nothing to remove");
	ktap_result(!mem_remove(&d.mem, 0, 0x3000) && !mem_find(&d.mem, 0x1000) &&
		    !mem_find(&d.mem, 0x2000) && mem_find(&d.mem, ~0ULL),
		    "a removal takes the ranges within, and no others");
	munmap(a, 0x1000);
	munmap(b, 0x1000);
}

static void rights(void)
{
	uint8_t *a = test_map(&d, 0x10000, 0x1000, MEM_PROT_READ), c = 1;

	ktap_result(dma_write(&d, 0x10000, &c, 1) == EFAULT && !a[0],
		    "a range that cannot be written is not");
	ktap_result(!dma_read(&d, 0x10000, &c, 1), "but read");
	munmap(a, 0x1000);
}

static void files(void)
{
	int fd = memfd_create("short", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, 0x1000))
		ktap_bail("memory");
	ktap_result(mem_add(&d.mem, 0x20000, 0x2000, fd, 0, RW) == EINVAL,
		    "a range behind the end of its file is refused");
	fd = memfd_create("short", MFD_CLOEXEC);
	ktap_result(mem_add(&d.mem, 0x20000, 0x1000, fd, ~0ULL - 0x7ff, RW) == EINVAL,
		    "an offset that wraps is refused");
}

static void peers(void)
{
	uint8_t data[32] = "peer to peer", back[32] = "";

	ktap_result(!dma_write(&d, TEST_BAR + 0x100, data, 32) &&
		    !memcmp(test_peer.bars[1].mem + 0x100, data, 32) &&
		    !dma_read(&d, TEST_BAR + 0x100, back, 32) && !memcmp(data, back, 32),
		    "what is no memory is looked for in the BARs of peers");
	ktap_result(dma_write(&d, TEST_BAR + TEST_BAR_SIZE - 16, data, 32) == EFAULT,
		    "beyond the end of a BAR nothing is written");
	d.cfg[PCI_TEST + 9] = PEER_WRITE_WRONG;
	ktap_result(!dma_write(&d, TEST_BAR + 0x100, data, 32) &&
		    test_peer.bars[1].mem[0x110] == (data[16] ^ 1) &&
		    !dma_read(&d, TEST_BAR + 0x100, back, 32) && back[16] == (data[16] ^ 1),
		    "a bit of what is written to a peer is turned if a test wants it");
	d.cfg[PCI_TEST + 9] = PEER_READ_LOST;
	ktap_result(!dma_write(&d, TEST_BAR + 0x100, data, 32) &&
		    dma_read(&d, TEST_BAR + 0x100, back, 32) == EIO,
		    "nothing is read from a peer if a test wants that");
	d.cfg[PCI_TEST + 9] = 0;
	if (mem_add(&d.mem, TEST_BAR, TEST_BAR_SIZE, -1, 0, RW))
		ktap_bail("range");
	ktap_result(!dma_read(&d, TEST_BAR + 0x100, back, 32) && !memcmp(data, back, 32),
		    "a range without a descriptor is looked for there as well");
}

static void many(void)
{
	unsigned int i, bad = 0;

	mem_clear(&d.mem);
	/* Added from the end, so that each is put before all others. */
	for (i = 5000; i-- > 0; )
		bad += !!mem_add(&d.mem, i * 0x2000ULL, 0x1000, -1, 0, RW);
	for (i = 0; i < 5000; i++)
		bad += !mem_find(&d.mem, i * 0x2000ULL + 0xfff) ||
		       mem_find(&d.mem, i * 0x2000ULL + 0x1000);
	ktap_result(!bad && d.mem.n == 5000, "5000 ranges are found");
	mem_clear(&d.mem);
}

static void stopped(void)
{
	uint8_t c;
	uint8_t *a = test_map(&d, 0x1000, 0x1000, RW);

	d.reset_wanted = true;
	ktap_result(dma_read(&d, 0x1000, &c, 1) == ECANCELED, "no DMA while a reset waits");
	d.reset_wanted = false;
	d.cfg[PCI_CMD] = 0;
	ktap_result(dma_write(&d, 0x1000, &c, 1) == ECANCELED, "nor without bus mastering");
	d.cfg[PCI_CMD] = CMD_MASTER;
	mem_clear(&d.mem);
	munmap(a, 0x1000);
}

int main(void)
{
	ktap_plan(21);
	test_device(&d);
	ranges();
	rights();
	files();
	peers();
	many();
	stopped();
	return ktap_end();
}
