// SPDX-License-Identifier: GPL-2.0
/* The command interface: mailboxes, failures that were asked for, and garbage. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "test_support.h"

#define RAM		0x100000ULL
#define RAM_SIZE	0x100000ULL
#define SLOT		0x0
#define MAILBOX		0x1000
#define ANSWER		0x8000
#define NEXT		560
#define HW_OWNED	1

static struct device d;
static struct connectx *cx;
static uint8_t *ram;

/* A command of in_len bytes in a chain of mailboxes; its answer, too. */
static void prepare(uint16_t op, uint16_t op_mod, uint32_t in_len, uint32_t out_len)
{
	unsigned int i;

	memset(ram, 0, 0x10000);
	be32_put(ram + SLOT + 4, in_len);
	be64_put(ram + SLOT + 8, RAM + MAILBOX);
	be16_put(ram + SLOT + 16, op);
	be16_put(ram + SLOT + 22, op_mod);
	be64_put(ram + SLOT + 48, RAM + ANSWER);
	be32_put(ram + SLOT + 56, out_len);
	ram[SLOT + 63] = HW_OWNED;
	for (i = 0; i < 8; i++) {
		be64_put(ram + MAILBOX + 0x400 * i + NEXT, RAM + MAILBOX + 0x400 * (i + 1));
		be64_put(ram + ANSWER + 0x400 * i + NEXT, RAM + ANSWER + 0x400 * (i + 1));
	}
}

static int status(void)
{
	return ram[SLOT + 63] & HW_OWNED ? -1 : ram[SLOT + 32];
}

static int call(uint16_t op, uint16_t op_mod, uint32_t in_len, uint32_t out_len)
{
	prepare(op, op_mod, in_len, out_len);
	cx_command(cx, 0);
	return status();
}

static void mailboxes(void)
{
	uint32_t i, key;

	ktap_result(call(0x104, 0, 16, 16) == ST_OK, "ENABLE_HCA, all in the slot");
	ktap_result(call(0x100, 1, 16, 16 + 0x1000) == ST_OK &&
		    bits_get(ram + ANSWER, 0x09b, 5) == 17 &&
		    bits_get(ram + ANSWER, 0x227, 1) == 1, "capabilities in eight mailboxes");
	/* A key whose 200 entries run over five mailboxes. */
	prepare(0x200, 0, 272 + 200 * 8, 16);
	bits_put(ram + MAILBOX, F_MKC_MODE, 1);
	bits_put(ram + MAILBOX, F_MKC_LEN, 200 * 0x1000);
	bits_put(ram + MAILBOX - 16, F_MKEY_OCTWORDS, 100);
	for (i = 0; i < 200; i++) {
		uint32_t at = 256 + i * 8;

		be64_put(ram + MAILBOX + at / 512 * 0x400 + at % 512, i << 12 | 3);
	}
	cx_command(cx, 0);
	key = be32_get(ram + SLOT + 40) & 0xffffff;
	ktap_result(status() == ST_OK && key < cx->mkey_cap && cx->mkey[key] &&
		    cx->mkey[key]->nmtt == 200 && cx->mkey[key]->mtt[199] == (199 << 12 | 3),
		    "CREATE_MKEY with a list over mailboxes");
	prepare(0x202, 0, 16, 16);
	be32_put(ram + SLOT + 24, key);
	cx_command(cx, 0);
	ktap_result(status() == ST_OK && !cx->mkey[key], "DESTROY_MKEY");
	prepare(0x202, 0, 16, 16);
	be32_put(ram + SLOT + 24, 0xffffff);
	cx_command(cx, 0);
	ktap_result(status() == ST_BAD_RES, "of a key that is not there");
}

/* What a test in the guest writes into the configuration space. */
static void ask(uint16_t op, uint8_t want, uint8_t delivery, uint16_t lacks)
{
	const uint8_t regs[] = { op, op >> 8, want, delivery, lacks, lacks >> 8 };

	pci_write(&d, PCI_TEST, regs, sizeof(regs));
}

static void failures(void)
{
	ktap_result(call(0x301, 0, 16, 16) == ST_BAD_PARAM, "CREATE_EQ without pages");
	ktap_result(call(0x800, 0, 16, 16) == ST_OK && call(0x800, 0, 16, 16) == ST_INT_ERR &&
		    call(0x800, 0, 16, 16) == ST_OK, "fail=alloc_pd:2 fails the second only");
	ktap_result(call(0xfff, 0, 16, 16) == ST_BAD_OP, "strict: an unknown command fails");
	cx->strict = false;
	ktap_result(call(0xfff, 0, 16, 16) == ST_OK, "else it does nothing");
	ask(0x800, ST_NO_RES, 0, 0);
	ktap_result(call(0x800, 0, 16, 16) == ST_NO_RES && call(0x802, 0, 16, 16) == ST_OK &&
		    call(0x800, 0, 16, 16) == ST_NO_RES, "each fails that a test in the guest names");
	ask(0x800, ST_OK, 0x10, 0);
	ktap_result(call(0x800, 0, 16, 16) == ST_OK && ram[SLOT + 63] == 0x10 << 1 &&
		    call(0x802, 0, 16, 16) == ST_OK && !ram[SLOT + 63], "or is not delivered");
	ask(0, 0, 0, 0x227);
	ktap_result(call(0x800, 0, 16, 16) == ST_OK && call(0x100, 1, 16, 16 + 0x1000) == ST_OK &&
		    bits_get(ram + ANSWER, 0x09b, 5) == 17 &&
		    !bits_get(ram + ANSWER, 0x227, 1), "it lacks the capability that a test names");
	ask(0, 0, 0, 0xffff);
	ktap_result(call(0x100, 1, 16, 16 + 0x1000) == ST_OK &&
		    bits_get(ram + ANSWER, 0x227, 1), "but none beyond them all");
	ask(0, 0, 0, 0);
	ktap_result(call(0x80e, 0, 16, 16) == ST_OK && call(0x80e, 0, 16, 16) == -1 &&
		    call(0x80e, 0, 16, 16) == ST_OK, "drop=alloc_xrcd:2 answers all but the second");
	ask(0x800, ST_OK, 0x80, 0);
	ktap_result(call(0x800, 0, 16, 16) == -1 && !d.ops->work(&d) && status() == -1,
		    "none is answered while a test in the guest says so");
	ask(0, 0, 0, 0);
	ktap_result(!d.ops->work(&d) && status() == ST_OK, "but once it says so no more");
	ktap_result(!cx_command_known("CREATE_EQS") && cx_command_known("create_eq") &&
		    cx_command_known("umr"), "names of commands, in any case");
}

static void bad_mailboxes(void)
{
	ktap_result(call(0x104, 0, ~0U, 16) == -1 && call(0x104, 0, 16, ~0U) == -1,
		    "lengths beyond reason");
	prepare(0x100, 0, 16, 0x1010);
	be64_put(ram + ANSWER + NEXT, 0x500000000ULL);
	cx_command(cx, 0);
	ktap_result(status() == -1, "an answer into memory that is not there");
	prepare(0x200, 0, 4096, 16);
	be64_put(ram + MAILBOX + NEXT, ~0ULL - 100);
	cx_command(cx, 0);
	ktap_result(status() == -1, "a mailbox that is not there");
	prepare(0x200, 0, 1 << 20, 16);
	be64_put(ram + MAILBOX + NEXT, RAM + MAILBOX);
	cx_command(cx, 0);
	ktap_result(status() == ST_OK, "a ring of mailboxes ends");
	cx->cmdq_high = 0x55;
	cx_command(cx, 31);
	cx->cmdq_high = 0;
	ktap_result(true, "a command queue that is not there");
}

static void random_fill(uint8_t *p, size_t len)
{
	while (len--)
		*p++ = rand();
}

/* The 32 bits of the initialization segment at an offset. */
static uint32_t iseg(uint64_t off)
{
	uint8_t word[4];

	d.ops->bar_read(&d, 0, off, word, sizeof(word));
	return be32_get(word);
}

static void initialization_segment(void)
{
	const uint8_t regs[] = { 1, 1, 7 };
	uint8_t low[4];

	ktap_result((iseg(0x14) & 0x7f0) == 5 << 4 && !iseg(0xffc), "32 slots, and no time-outs told");
	pci_write(&d, PCI_TEST + 6, regs, sizeof(regs));
	ktap_result((iseg(0x14) & 0x7f0) == (1 << 8 | 1 << 4) && iseg(0xff8) == 7000 && iseg(0xffc),
		    "two slots, disabled, 7 s to wait, as a test in the guest says");
	pci_write(&d, PCI_TEST + 6, "\0\0\0", 3);
	cx->cmd_eq = 3;
	cx->cmd_held = 1;
	cx->cmd_pending = 2;
	be32_put(low, RAM);
	d.ops->bar_write(&d, 0, 0x14, low, sizeof(low));
	ktap_result(!d.ops->work(&d) && !cx->cmd_held && cx->cmdq_low == RAM && cx->cmd_eq == -1,
		    "a driver that starts anew meets nothing of the one before");
}

/* A umem of so many pages, whose list has so many entries, of that user context. */
static int umem(unsigned int uid, uint64_t pages, uint32_t entries)
{
	prepare(0xa08, 0, 48 + entries * 8, 16);
	be16_put(ram + SLOT + 18, uid);
	be64_put(ram + MAILBOX + 24, pages);
	cx_command(cx, 0);
	return status();
}

static int destroy(uint16_t op, uint32_t number)
{
	prepare(op, 0, 16, 16);
	be32_put(ram + SLOT + 24, number);
	cx_command(cx, 0);
	return status();
}

static void devx(void)
{
	uint32_t uid, n;

	ktap_result(call(0x100, 1, 16, 16 + 0x1000) == ST_OK &&
		    bits_get(ram + ANSWER, 0x463, 5) == 8, "DevX is a capability");
	ktap_result(call(0xa04, 0, 64, 16) == ST_OK && be32_get(ram + SLOT + 40) == 1, "CREATE_UCTX");
	uid = be32_get(ram + SLOT + 40);
	ktap_result(umem(uid, 3, 3) == ST_OK, "CREATE_UMEM");
	n = be32_get(ram + SLOT + 40);
	ktap_result(umem(uid + 1, 3, 3) == ST_BAD_PARAM && umem(0, 3, 3) == ST_BAD_PARAM &&
		    umem(uid, 4, 3) == ST_BAD_PARAM && umem(uid, 0, 0) == ST_BAD_PARAM,
		    "not without a user context, or with a list that is too short");
	ktap_result(destroy(0xa0a, n) == ST_OK && destroy(0xa0a, n) == ST_BAD_RES, "DESTROY_UMEM");
	ktap_result(destroy(0xa06, uid) == ST_OK && destroy(0xa06, uid) == ST_BAD_RES &&
		    umem(uid, 3, 3) == ST_BAD_PARAM, "DESTROY_UCTX");
}

/* Every command, with input of any length and any content. */
static void garbage(void)
{
	static const uint16_t ops[] = {
		0x100, 0x101, 0x102, 0x103, 0x104, 0x105, 0x107, 0x108, 0x109, 0x10a, 0x10b, 0x200,
		0x202, 0x203, 0x204, 0x301, 0x302, 0x400, 0x401, 0x403, 0x500, 0x501, 0x502, 0x503,
		0x504, 0x505, 0x506, 0x507, 0x50a, 0x50b, 0x50d, 0x50e, 0x700, 0x705, 0x762, 0x764,
		0x765, 0x800, 0x802, 0x805, 0x80e, 0x816, 0x90c, 0xa04, 0xa06,
		0xa08, 0xa0a,
	};
	const size_t nops = sizeof(ops) / sizeof(ops[0]);
	unsigned int i, k;

	srand(1);
	for (i = 0; i < 5000; i++) {
		/* What resets all is rare, so that objects meet. */
		uint16_t op = ops[rand() % nops];
		uint8_t db[8];

		if ((op == 0x103 || op == 0x105) && rand() % 50)
			op = 0x200;
		prepare(op, rand(), rand() % 1200, rand() % 1200);
		for (k = 0; k < 3; k++)
			random_fill(ram + MAILBOX + 0x400 * k, 512);
		random_fill(ram + SLOT + 20, 12);
		if (rand() % 2)			/* numbers of objects that exist */
			be32_put(ram + SLOT + 24, 4 + rand() % 0x100);
		if (rand() % 2) {		/* pages and a doorbell record that exist */
			be64_put(ram + MAILBOX + 256, RAM + 0x20000);
			be64_put(ram + MAILBOX + 8 + 0x500 / 8, RAM + 0x5000);
			bits_put(ram + MAILBOX + 8, F_QPC_LOG_PAGE, 0);
		}
		cx_command(cx, 0);
		if (rand() % 4)
			continue;
		random_fill(ram + 0x20000, 0x1000);
		random_fill(ram + 0x5000, 8);
		random_fill(db, sizeof(db));
		be32_put(db + 4, (0x80 + rand() % 64) << 8);
		d.ops->bar_write(&d, 0, 0x4800 + 8 * (rand() % 8), db, sizeof(db));
		while (d.ops->work(&d))
			;
	}
	ktap_result(true, "5000 commands of garbage, with work requests of garbage");
}

int main(void)
{
	char *words[] = { "strict", "fail=alloc_pd:2", "drop=alloc_xrcd:2", NULL };

	ktap_plan(32);
	cx = test_hca(&d, words);
	ram = test_map(&d, RAM, RAM_SIZE, MEM_PROT_READ | MEM_PROT_WRITE);
	cx->cmdq_low = RAM;
	mailboxes();
	failures();
	initialization_segment();
	devx();
	bad_mailboxes();
	garbage();
	test_hca_free(cx);
	munmap(ram, RAM_SIZE);
	return ktap_end();
}
