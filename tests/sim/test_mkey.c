// SPDX-License-Identifier: GPL-2.0
/* Memory keys: translation at the edges of pages and of the key, rights, UMR. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "test_support.h"

#define RAM		0x100000ULL
#define RAM_SIZE	0x100000ULL
#define KEY		(0x10U << 8)
#define ALL		(MKEY_RW | MKEY_RR | MKEY_LW | MKEY_LR)

static struct device d;
static struct connectx *cx;
static uint8_t *ram;

/* The key, with n entries. */
static struct cx_mkey *key(unsigned int shift, uint64_t start, uint64_t len, size_t n)
{
	struct cx_mkey *k = calloc(1, sizeof(*k));

	if (!cx->mkey) {
		cx->mkey_cap = 0x20;
		cx->mkey = calloc(cx->mkey_cap, sizeof(*cx->mkey));
	}
	if (cx->mkey[KEY >> 8])
		cx_mkey_free(cx->mkey[KEY >> 8]);
	k->mtt = calloc(n, sizeof(*k->mtt));
	k->nmtt = n;
	k->shift = shift;
	k->start = start;
	k->len = len;
	k->rights = ALL;
	cx->mkey[KEY >> 8] = k;
	return k;
}

static int copy(uint64_t addr, uint8_t *buf, uint32_t len, bool write, unsigned int right)
{
	uint64_t fault;

	return cx_mkey_copy(cx, KEY, addr, buf, len, write, right, &fault);
}

static void pages(void)
{
	/* Starts 0x800 into its first page; the pages are not in order. */
	struct cx_mkey *k = key(12, 0x7000800, 0x2000, 3);
	uint8_t buf[0x2000], want[0x2000];
	size_t i;

	k->mtt[0] = (RAM + 0x5000) | 3;
	k->mtt[1] = (RAM + 0x2000) | 3;
	k->mtt[2] = (RAM + 0x9000) | 3;
	for (i = 0; i < sizeof(buf); i++)
		want[i] = i * 7;
	ktap_result(!copy(0x7000800, want, 0x2000, true, MKEY_RW) &&
		    !memcmp(ram + 0x5800, want, 0x800) &&
		    !memcmp(ram + 0x2000, want + 0x800, 0x1000) &&
		    !memcmp(ram + 0x9000, want + 0x1800, 0x800), "a write over three pages");
	ktap_result(!copy(0x7000800, buf, 0x2000, false, MKEY_RR) && !memcmp(buf, want, 0x2000),
		    "and read back");
	ktap_result(!copy(0x7000fff, buf, 2, false, 0) && !memcmp(buf, want + 0x7ff, 2),
		    "two bytes at a page's edge");
	ktap_result(!copy(0x70027ff, buf, 1, false, 0) && buf[0] == want[0x1fff], "the last byte");
	ktap_result(copy(0x7002800, buf, 1, false, 0) == EACCES, "the byte behind it");
	ktap_result(copy(0x70007ff, buf, 1, false, 0) == EACCES, "the byte before the first");
	ktap_result(copy(0x70027ff, buf, 2, false, 0) == EACCES, "over the end");
	ktap_result(copy(0x7000800, buf, 0x2001, false, 0) == EACCES, "longer than the key");
	ktap_result(copy(~0ULL, buf, 2, false, 0) == EACCES, "an address that wraps");
}

static void sizes(void)
{
	struct cx_mkey *k = key(16, 0x10000, 0x20000, 2);
	uint8_t data[16] = "over two pages.", buf[16];

	k->mtt[0] = (RAM + 0x40000) | 3;
	k->mtt[1] = (RAM + 0x20000) | 3;
	ktap_result(!copy(0x1fff8, data, 16, true, 0) && !memcmp(ram + 0x4fff8, data, 8) &&
		    !memcmp(ram + 0x20000, data + 8, 8), "pages of 64 KiB");
	k = key(63, 0, 1ULL << 40, 1);
	k->mtt[0] = 3;
	ktap_result(!copy(RAM + 0x40000 + 0xfff8, buf, 8, false, 0) && !memcmp(buf, data, 8),
		    "the largest page size");
	k = key(12, 0, ~0ULL, 1);
	ktap_result(copy(~0ULL - 64, buf, 16, false, 0) == EFAULT,
		    "more length than entries: not present");
	k = key(12, 0, 0, 0);
	k->pa = true;
	ktap_result(!copy(RAM + 0x20000, buf, 8, false, 0) && !memcmp(buf, data + 8, 8),
		    "a key for physical addresses");
	ktap_result(copy(0x500000000ULL, buf, 8, false, 0) == EIO, "memory that is not there");
}

static void rights(void)
{
	struct cx_mkey *k = key(12, 0, 0x1000, 1);
	uint8_t buf[4] = { 0 };
	uint64_t fault = 0;

	k->mtt[0] = RAM | 3;
	k->rights = ALL & ~MKEY_RW;
	ktap_result(copy(0, buf, 4, true, MKEY_RW) == EACCES && !copy(0, buf, 4, false, MKEY_RR),
		    "no right to write from remote");
	k->rights = ALL & ~MKEY_RR;
	ktap_result(copy(0, buf, 4, false, MKEY_RR) == EACCES, "no right to read from remote");
	k->rights = ALL & ~MKEY_LW;
	ktap_result(copy(0, buf, 4, true, MKEY_LW) == EACCES, "no right to write locally");
	k->rights = ALL;
	k->free = true;
	ktap_result(copy(0, buf, 4, false, 0) == EACCES, "a key that is free");
	k->free = false;
	k->mtt[0] = RAM | 1;
	ktap_result(cx_mkey_copy(cx, KEY, 8, buf, 4, true, 0, &fault) == EFAULT && fault == 8 &&
		    !copy(8, buf, 4, false, 0), "a page that can only be read");
	k->mtt[0] = RAM;
	ktap_result(copy(8, buf, 4, false, 0) == EFAULT, "a page that is not present");
	ktap_result(cx_mkey_copy(cx, 0xffffff00, 0, buf, 4, false, 0, &fault) == EACCES &&
		    cx_mkey_copy(cx, 0x1100, 0, buf, 4, false, 0, &fault) == EACCES,
		    "keys that are not there");
}

static void umr(void)
{
	struct cx_mkey *k = key(12, 0, 0, 0);
	uint8_t wqe[192] = { 0 };

	be16_put(wqe + 16 + 4, 1);			/* octwords: two entries */
	be64_put(wqe + 16 + 8, 1 | 1 << 6 | 1 << 29);	/* length, start, free */
	bits_put(wqe + 64, F_MKC_START, 0xabc000);
	bits_put(wqe + 64, F_MKC_LEN, 0x2000);
	be32_put(wqe + 128, 16);
	be64_put(wqe + 136, RAM + 0x100);
	be64_put(ram + 0x100, (RAM + 0x3000) | 3);
	be64_put(ram + 0x108, (RAM + 0x4000) | 3);
	k->free = true;
	ktap_result(cx_mkey_umr(cx, KEY, wqe, sizeof(wqe)) == SYN_OK && !k->free &&
		    k->start == 0xabc000 && k->len == 0x2000 && k->nmtt == 2 &&
		    k->mtt[1] == ((RAM + 0x4000) | 3), "UMR with a list");
	wqe[16] = 0x10;					/* at an offset */
	be16_put(wqe + 16 + 6, 2);
	ktap_result(cx_mkey_umr(cx, KEY, wqe, sizeof(wqe)) == SYN_OK && k->nmtt == 6 &&
		    !k->mtt[3] && k->mtt[4] == ((RAM + 0x3000) | 3), "at an offset");
	be32_put(wqe + 16 + 16, ~0U);
	ktap_result(cx_mkey_umr(cx, KEY, wqe, sizeof(wqe)) == SYN_LOCAL_PROT && k->nmtt == 6,
		    "an offset that is too large");
	wqe[16] = 0;
	be64_put(wqe + 136, 0x500000000ULL);
	ktap_result(cx_mkey_umr(cx, KEY, wqe, sizeof(wqe)) == SYN_LOCAL_PROT,
		    "a list that cannot be read");
	be32_put(wqe + 128, ~0U);
	ktap_result(cx_mkey_umr(cx, KEY, wqe, sizeof(wqe)) == SYN_LOCAL_PROT, "a list of 4 GiB");
	ktap_result(cx_mkey_umr(cx, KEY, wqe, 64) == SYN_LOCAL_PROT, "a request that is too short");
	ktap_result(cx_mkey_umr(cx, 0x1100, wqe, sizeof(wqe)) == SYN_LOCAL_PROT,
		    "a key that is not there");
}

int main(void)
{
	char *none[] = { NULL };

	ktap_plan(28);
	cx = test_hca(&d, none);
	ram = test_map(&d, RAM, RAM_SIZE, MEM_PROT_READ | MEM_PROT_WRITE);
	pages();
	sizes();
	rights();
	umr();
	test_hca_free(cx);
	munmap(ram, RAM_SIZE);
	return ktap_end();
}
