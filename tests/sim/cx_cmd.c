// SPDX-License-Identifier: GPL-2.0
/*
 * The command interface: slots and mailboxes in guest memory, and the table of
 * commands. A command that is not in it succeeds and does nothing, unless the
 * model is strict.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "connectx.h"

#define SLOT_SIZE	64
#define MAILBOX_DATA	512
#define MAILBOX_SIZE	576
#define MAILBOX_NEXT	560
#define MAX_LEN		(4U << 20)

static int ok(struct connectx *cx, struct cx_cmd *c)
{
	(void)cx;
	(void)c;
	return ST_OK;
}

static int reset(struct connectx *cx, struct cx_cmd *c)
{
	(void)c;
	cx_objects_free(cx);
	return ST_OK;
}

/* Copy into the output, as much as it holds. */
static void out_copy(struct cx_cmd *c, size_t at, const void *p, size_t len)
{
	if (at < c->out_len)
		memcpy(c->out + at, p, len < c->out_len - at ? len : c->out_len - at);
}

static void out_bits(struct cx_cmd *c, unsigned int off, unsigned int width, uint64_t v)
{
	if ((off + width + 7) / 8 <= c->out_len)
		bits_put(c->out, off, width, v);
}

/* What a test in the machine wrote: sim.h, PCI_TEST. */
static unsigned int test_u16(const struct connectx *cx, unsigned int at)
{
	return cx->dev->cfg[PCI_TEST + at] | cx->dev->cfg[PCI_TEST + at + 1] << 8;
}

static int test_status(const struct connectx *cx, uint16_t op)
{
	return test_u16(cx, 0) == op ? cx->dev->cfg[PCI_TEST + 2] : ST_OK;
}

static int query_hca_cap(struct connectx *cx, struct cx_cmd *c)
{
	/* On-demand paging: which transports may fault (rc, and ud send). */
	static const uint8_t odp[32] = { [8] = 0x80, [16] = 0xf0, [24] = 0x80 };
	uint8_t caps[CX_CAP_SIZE];

	switch (c->op_mod >> 1) {
	case 0:
		memcpy(caps, cx->caps, sizeof(caps));
		if (test_u16(cx, 4) && test_u16(cx, 4) < 8 * sizeof(caps))
			bits_put(caps, test_u16(cx, 4), 1, 0);
		out_copy(c, 16, caps, sizeof(caps));
		break;
	case 2:
		out_copy(c, 16, odp, sizeof(odp));
		break;
	}
	return ST_OK;
}

static int set_hca_cap(struct connectx *cx, struct cx_cmd *c)
{
	size_t n = c->in_len > 16 ? c->in_len - 16 : 0;

	if (c->op_mod >> 1 == 0)
		memcpy(cx->caps, c->in + 16, n < sizeof(cx->caps) ? n : sizeof(cx->caps));
	return ST_OK;
}

static int query_adapter(struct connectx *cx, struct cx_cmd *c)
{
	(void)cx;
	out_copy(c, 48, "MT_0000000223", 13);
	return ST_OK;
}

static int query_issi(struct connectx *cx, struct cx_cmd *c)
{
	(void)cx;
	out_bits(c, F_ISSI_SUPPORTED, 2);
	return ST_OK;
}

static int special_contexts(struct connectx *cx, struct cx_cmd *c)
{
	(void)cx;
	out_bits(c, F_RESD_LKEY, 0x100);
	out_bits(c, F_NULL_MKEY, 0x200);
	out_bits(c, F_TERM_MKEY, 0x300);
	return ST_OK;
}

static int mad_ifc(struct connectx *cx, struct cx_cmd *c)
{
	(void)cx;
	if (c->in_len > 16)
		out_copy(c, 16, c->in + 16, c->in_len - 16 < 256 ? c->in_len - 16 : 256);
	return ST_OK;
}

static const struct command {
	uint16_t	op;
	const char	*name;
	int		(*run)(struct connectx *cx, struct cx_cmd *c);
} commands[] = {
	{ 0x100, "QUERY_HCA_CAP", query_hca_cap },
	{ 0x101, "QUERY_ADAPTER", query_adapter },
	{ 0x102, "INIT_HCA", ok },
	{ 0x103, "TEARDOWN_HCA", reset },
	{ 0x104, "ENABLE_HCA", ok },
	{ 0x105, "DISABLE_HCA", reset },
	{ 0x107, "QUERY_PAGES", ok },
	{ 0x108, "MANAGE_PAGES", ok },
	{ 0x109, "SET_HCA_CAP", set_hca_cap },
	{ 0x10a, "QUERY_ISSI", query_issi },
	{ 0x10b, "SET_ISSI", ok },
	{ 0x10d, "SET_DRIVER_VERSION", ok },
	{ 0x200, "CREATE_MKEY", cx_create_mkey },
	{ 0x202, "DESTROY_MKEY", cx_destroy_mkey },
	{ 0x203, "QUERY_SPECIAL_CONTEXTS", special_contexts },
	{ 0x204, "PAGE_FAULT_RESUME", cx_page_fault_resume },
	{ 0x301, "CREATE_EQ", cx_create_eq },
	{ 0x302, "DESTROY_EQ", cx_destroy_eq },
	{ 0x400, "CREATE_CQ", cx_create_cq },
	{ 0x401, "DESTROY_CQ", cx_destroy_cq },
	{ 0x403, "MODIFY_CQ", ok },
	{ 0x500, "CREATE_QP", cx_create_qp },
	{ 0x501, "DESTROY_QP", cx_destroy_qp },
	{ 0x502, "RST2INIT_QP", cx_modify_qp },
	{ 0x503, "INIT2RTR_QP", cx_modify_qp },
	{ 0x504, "RTR2RTS_QP", cx_modify_qp },
	{ 0x505, "RTS2RTS_QP", cx_modify_qp },
	{ 0x506, "SQERR2RTS_QP", cx_modify_qp },
	{ 0x507, "2ERR_QP", cx_modify_qp },
	{ 0x50a, "2RST_QP", cx_modify_qp },
	{ 0x50b, "QUERY_QP", cx_query_qp },
	{ 0x50d, "MAD_IFC", mad_ifc },
	{ 0x50e, "INIT2INIT_QP", cx_modify_qp },
	{ 0x700, "CREATE_SRQ", cx_alloc_handle },
	{ 0x701, "DESTROY_SRQ", ok },
	{ 0x705, "CREATE_XRC_SRQ", cx_alloc_handle },
	{ 0x706, "DESTROY_XRC_SRQ", ok },
	{ 0x708, "ARM_XRC_SRQ", ok },
	{ 0x762, "QUERY_HCA_VPORT_CONTEXT", cx_vport_context },
	{ 0x763, "MODIFY_HCA_VPORT_CONTEXT", ok },
	{ 0x764, "QUERY_HCA_VPORT_GID", cx_vport_gid },
	{ 0x765, "QUERY_HCA_VPORT_PKEY", cx_vport_pkey },
	{ 0x800, "ALLOC_PD", cx_alloc_handle },
	{ 0x801, "DEALLOC_PD", ok },
	{ 0x802, "ALLOC_UAR", cx_alloc_handle },
	{ 0x803, "DEALLOC_UAR", ok },
	{ 0x805, "ACCESS_REG", cx_access_reg },
	{ 0x806, "ATTACH_TO_MCG", ok },
	{ 0x807, "DETACH_FROM_MCG", ok },
	{ 0x80c, "SET_MAD_DEMUX", ok },
	{ 0x80d, "NOP", ok },
	{ 0x80e, "ALLOC_XRCD", cx_alloc_handle },
	{ 0x80f, "DEALLOC_XRCD", ok },
	{ 0x816, "ALLOC_TRANSPORT_DOMAIN", cx_alloc_handle },
	{ 0x817, "DEALLOC_TRANSPORT_DOMAIN", ok },
	{ 0x90c, "CREATE_RMP", cx_alloc_handle },
	{ 0x90d, "MODIFY_RMP", ok },
	{ 0x90e, "DESTROY_RMP", ok },
	{ 0xa04, "CREATE_UCTX", cx_create_uctx },
	{ 0xa06, "DESTROY_UCTX", cx_destroy_uctx },
	{ 0xa08, "CREATE_UMEM", cx_create_umem },
	{ 0xa0a, "DESTROY_UMEM", cx_destroy_umem },
};

#define NCOMMANDS (sizeof(commands) / sizeof(commands[0]))

static const struct command *find(uint16_t op)
{
	size_t i;

	for (i = 0; i < NCOMMANDS; i++)
		if (commands[i].op == op)
			return &commands[i];
	return NULL;
}

/**
 * cx_command_known() - is there such a command?
 * @name: its name, in any case, or "UMR"
 *
 * Return: true if so.
 */
bool cx_command_known(const char *name)
{
	size_t i;

	for (i = 0; i < NCOMMANDS; i++)
		if (!strcasecmp(commands[i].name, name))
			return true;
	return !strcasecmp(name, "UMR");
}

/* Steps from one name to another: a letter more, less or changed. */
static unsigned int distance(const char *a, const char *b)
{
	unsigned int row[64], i, k;

	for (k = 0; k < 64; k++)
		row[k] = k;
	for (i = 0; a[i]; i++) {
		unsigned int diagonal = row[0]++;

		for (k = 0; b[k] && k < 63; k++) {
			unsigned int up = row[k + 1], best = up < row[k] ? up + 1 : row[k] + 1;

			if (diagonal + !!(toupper(a[i]) != b[k]) < best)
				best = diagonal + !!(toupper(a[i]) != b[k]);
			row[k + 1] = best;
			diagonal = up;
		}
	}
	return row[k];
}

/**
 * cx_command_list() - print names of commands on stderr
 * @near: those like this one; all if none is
 */
void cx_command_list(const char *near)
{
	unsigned int limit = strlen(near) / 3 < 3 ? strlen(near) / 3 : 3;
	bool all = true;
	size_t i;

	for (i = 0; i < NCOMMANDS; i++)
		if (distance(near, commands[i].name) <= limit)
			all = false;
	fputs(all ? "commands: UMR" : "near it:", stderr);
	for (i = 0; i < NCOMMANDS; i++)
		if (all || distance(near, commands[i].name) <= limit)
			fprintf(stderr, " %s", commands[i].name);
	fputc('\n', stderr);
}

/**
 * cx_injected() - count a call and say whether it is to fail
 * @cx: the HCA
 * @name: of the command, or "UMR"
 * @drop: rather, whether it is never to be answered
 *
 * Return: true if an option, or for UMR a test in the machine, asks for that.
 */
bool cx_injected(struct connectx *cx, const char *name, bool drop)
{
	bool hit = false;
	unsigned int i;

	for (i = 0; i < cx->ninject; i++)
		if (cx->inject[i].drop == drop && !strcasecmp(cx->inject[i].name, name) &&
		    ++cx->inject[i].seen == cx->inject[i].nth)
			hit = true;
	if (!drop && !strcasecmp(name, "UMR") && test_status(cx, CX_TEST_UMR))
		hit = true;
	if (hit)
		sim_log(cx->dev, "%s %s, as asked for", name, drop ? "is not answered" : "fails");
	return hit;
}

/* Does a test in the machine keep answers back? */
static bool withheld(const struct connectx *cx, uint16_t op)
{
	return test_u16(cx, 0) == op && cx->dev->cfg[PCI_TEST + 3] & 0x80;
}

static uint64_t slot_addr(const struct connectx *cx, unsigned int slot)
{
	return ((uint64_t)cx->cmdq_high << 32 | (cx->cmdq_low & ~0xfffU)) + slot * SLOT_SIZE;
}

/* The owner byte, which says how the command was delivered, and the event. */
static void answer(struct connectx *cx, unsigned int slot, uint8_t own, int eqn)
{
	uint8_t data[4];

	if (dma_write(cx->dev, slot_addr(cx, slot) + 63, &own, 1))
		sim_log(cx->dev, "the answer in slot %u cannot be written", slot);
	/* Once there is an event queue for it each completion is an event; not the one
	 * that makes or takes away the queue.
	 */
	if (eqn >= 0 && cx->cmd_eq == eqn) {
		be32_put(data, 1U << slot);
		cx_eqe(cx, eqn, 0x0a, 0, data, sizeof(data));
	}
}

/**
 * cx_command_release() - answer what a test in the machine kept back, if it no more does
 * @cx: the HCA
 *
 * A driver that gave up has taken back the mailboxes, but not the slot: the rest was
 * written when the command came.
 */
void cx_command_release(struct connectx *cx)
{
	unsigned int slot;

	if (cx->dev->cfg[PCI_TEST + 7])		/* the driver flushes them */
		cx->cmd_held = 0;
	if (!cx->cmd_held || cx->dev->cfg[PCI_TEST + 3] & 0x80)
		return;
	for (slot = 0; slot < CX_CMD_SLOTS; slot++)
		if (cx->cmd_held >> slot & 1)
			answer(cx, slot, 0, cx->cmd_eq);
	cx->cmd_held = 0;
}

/* The input: 16 bytes in the slot, the rest in a chain of mailboxes. */
static uint8_t *input(struct connectx *cx, const uint8_t *slot, size_t len)
{
	uint64_t mailbox = be64_get(slot + 8);
	uint8_t *in = calloc(1, (len < 16 ? 16 : len) + MAILBOX_DATA);
	size_t at = 16;

	if (!in)
		return NULL;
	memcpy(in, slot + 16, 16);
	while (at < len) {
		uint8_t m[MAILBOX_SIZE];

		if (dma_read(cx->dev, mailbox, m, sizeof(m))) {
			free(in);
			return NULL;
		}
		memcpy(in + at, m, MAILBOX_DATA);
		mailbox = be64_get(m + MAILBOX_NEXT);
		at += MAILBOX_DATA;
	}
	return in;
}

static int output(struct connectx *cx, uint64_t addr, const uint8_t *slot, const uint8_t *out,
		  size_t len)
{
	uint64_t mailbox = be64_get(slot + 48);
	size_t at = 16;

	while (at < len) {
		size_t n = len - at < MAILBOX_DATA ? len - at : MAILBOX_DATA;
		uint8_t next[8];

		if (dma_write(cx->dev, mailbox, out + at, n) ||
		    dma_read(cx->dev, mailbox + MAILBOX_NEXT, next, sizeof(next)))
			return -1;
		mailbox = be64_get(next);
		at += n;
	}
	return dma_write(cx->dev, addr + 32, out, 16);
}

static int run(struct connectx *cx, struct cx_cmd *c, uint32_t *syndrome)
{
	const struct command *cmd = find(c->op);
	int status;

	*syndrome = 0;
	if (!cmd) {
		sim_log(cx->dev, "unknown command %#x op_mod %#x%s", c->op, c->op_mod,
			cx->strict ? ": failed" : "");
		*syndrome = cx->strict ? 0xdead : 0;
		return cx->strict ? ST_BAD_OP : ST_OK;
	}
	status = cx_injected(cx, cmd->name, false) ? ST_INT_ERR : test_status(cx, c->op);
	if (status) {
		*syndrome = 0xf00d;
		return status;
	}
	return cmd->run(cx, c);
}

/**
 * cx_command() - carry out the command in a slot
 * @cx: the HCA
 * @slot: number of the slot
 */
void cx_command(struct connectx *cx, unsigned int slot)
{
	uint64_t addr = slot_addr(cx, slot);
	int had_eq = cx->cmd_eq, status;
	uint8_t lay[SLOT_SIZE], own = 0;
	struct cx_cmd c = { 0 };
	const struct command *cmd;
	uint32_t syndrome;
	uint8_t *in = NULL;

	if (dma_read(cx->dev, addr, lay, sizeof(lay))) {
		sim_log(cx->dev, "command slot %u at %#llx cannot be read", slot,
			(unsigned long long)addr);
		return;
	}
	c.in_len = be32_get(lay + 4);
	c.out_len = be32_get(lay + 56);
	if (c.in_len < 16)
		c.in_len = 16;
	if (c.out_len < 16)
		c.out_len = 16;
	if (c.in_len <= MAX_LEN && c.out_len <= MAX_LEN) {
		in = input(cx, lay, c.in_len);
		c.out = calloc(1, c.out_len);
	}
	if (!in || !c.out) {
		sim_log(cx->dev, "command in slot %u cannot be read (%zu bytes in, %zu out)", slot,
			c.in_len, c.out_len);
		goto out;
	}
	c.in = in;
	c.op = be16_get(in);
	c.op_mod = be16_get(in + 6);
	status = run(cx, &c, &syndrome);
	cmd = find(c.op);
	if (status || sim_verbose)
		sim_log(cx->dev, "%s op_mod %#x: status %d", cmd ? cmd->name : "?", c.op_mod, status);
	c.out[0] = status;
	be32_put(c.out + 4, syndrome);
	if (test_u16(cx, 0) == c.op)
		own = cx->dev->cfg[PCI_TEST + 3] << 1;
	if (output(cx, addr, lay, c.out, c.out_len))
		sim_log(cx->dev, "the answer in slot %u cannot be written", slot);
	else if (withheld(cx, c.op))
		cx->cmd_held |= 1U << slot;
	else if (!cmd || !cx_injected(cx, cmd->name, true))
		answer(cx, slot, own, had_eq);
out:
	free(in);
	free(c.out);
}
