// SPDX-License-Identifier: GPL-2.0
/*
 * The ConnectX function: initialization segment, doorbells and life.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "connectx.h"

#define MSIX_TABLE	0x3000
#define MSIX_PBA	0x3800
#define UAR_START	0x4000
#define UAR_CQ_ARM	0x20
#define UAR_SQ_DOORBELL	0x800

/* Initialization segment */
#define ISEG_FW_REV	0x00
#define ISEG_CMDIF	0x04
#define ISEG_CMDQ_HIGH	0x10
#define ISEG_CMDQ_LOW	0x14
#define ISEG_DOORBELL	0x18
#define ISEG_HEALTH_FW	0x234
#define ISEG_CMD_TIMEOUT	0xff8
#define ISEG_INIT_TIMEOUT	0xffc
#define ISEG_TIMER_HIGH	0x1000
#define ISEG_TIMER_LOW	0x1004
#define ISEG_HEALTH_CNT	0x1010
#define CMDIF_REV	5
#define LOG_SLOTS	5
#define NIC_DISABLED	(1U << 8)
#define INIT_TIMEOUT_MS	10000
#define LOG_STRIDE	6

static uint32_t iseg_read(const struct connectx *cx, uint64_t off)
{
	const uint8_t *test = cx->dev->cfg + PCI_TEST;
	uint64_t ticks;

	switch (off) {
	case ISEG_FW_REV:
		return 31 << 16 | 20;
	case ISEG_CMDIF:
		return CMDIF_REV << 16 | 1014;
	case ISEG_CMDQ_HIGH:
		return cx->cmdq_high;
	case ISEG_CMDQ_LOW:
		return (cx->cmdq_low & 0xfffff700) | (test[7] ? NIC_DISABLED : 0) |
		       (test[6] & 0xf ?: LOG_SLOTS) << 4 | LOG_STRIDE;
	case ISEG_CMD_TIMEOUT:
		return test[8] * 1000;
	case ISEG_INIT_TIMEOUT:		/* 0: neither this nor the one before counts */
		return test[8] ? INIT_TIMEOUT_MS : 0;
	case ISEG_HEALTH_FW:
		return 0x14001f03;
	case ISEG_TIMER_HIGH:
	case ISEG_TIMER_LOW:
		ticks = sim_seconds() * 156250e3;
		return off == ISEG_TIMER_HIGH ? ticks >> 32 : ticks;
	case ISEG_HEALTH_CNT:		/* the driver takes a counter that stands for a dead device */
		return (uint32_t)(sim_seconds() * 100) & 0xffffff;
	}
	return 0;
}

static void bar_read(struct device *d, unsigned int bar, uint64_t off, void *buf, size_t len)
{
	const struct connectx *cx = d->model;
	uint8_t *p = buf;
	size_t i;

	(void)bar;
	for (i = 0; i < len; i++)
		p[i] = iseg_read(cx, (off + i) & ~3ULL) >> 8 * (3 - ((off + i) & 3));
}

/* What was asked for until now is neither carried out nor answered any more. */
static void forget_commands(struct connectx *cx)
{
	cx->cmd_pending = 0;
	cx->cmd_held = 0;
}

static void bar_write(struct device *d, unsigned int bar, uint64_t off, const void *buf, size_t len)
{
	struct connectx *cx = d->model;
	uint32_t qpn;

	(void)bar;
	if (off < UAR_START) {
		if (len < 4)
			return;
		switch (off) {
		case ISEG_CMDQ_HIGH:
			cx->cmdq_high = be32_get(buf);
			break;
		case ISEG_CMDQ_LOW:
			/*
			 * After an error the driver destroys nothing: its queues are no longer
			 * there. DMA that waits for the machine may be using the objects now.
			 */
			cx->cmdq_low = be32_get(buf);
			forget_commands(cx);
			cx->restart = true;
			break;
		case ISEG_DOORBELL:
			cx->cmd_pending |= be32_get(buf);
			break;
		}
		return;
	}
	if ((off & 0xfff) == UAR_CQ_ARM && len >= 8) {
		cx_cq_arm(cx, be32_get((const uint8_t *)buf + 4) & 0xffffff,
			  be32_get(buf) & 0xffffff);
		return;
	}
	/* Consumer indices of event queues need nothing: these interrupt on every event. */
	if ((off & 0xfff) < UAR_SQ_DOORBELL || len < 8)
		return;
	qpn = be32_get((const uint8_t *)buf + 4) >> 8;
	if (qpn < CX_TABLE) {
		cx->sq_pending[qpn / 32] |= 1U << qpn % 32;
		cx->sq_any = true;
	}
}

static bool work(struct device *d)
{
	struct connectx *cx = d->model;
	unsigned int i, slot;

	if (cx->restart) {
		cx->restart = false;
		cx_objects_free(cx);
	}
	cx_command_release(cx);
	if (cx->cmd_pending) {
		slot = __builtin_ctz(cx->cmd_pending);
		cx->cmd_pending &= ~(1U << slot);
		cx_command(cx, slot);
		return true;
	}
	if (cx->arm_any) {
		cx_cq_arm_run(cx);
		return true;
	}
	if (cx->sq_any) {
		cx->sq_any = false;
		for (i = 0; i < CX_TABLE; i++) {
			if (!cx->sq_pending[i / 32]) {
				i |= 31;
				continue;
			}
			if (!(cx->sq_pending[i / 32] >> i % 32 & 1))
				continue;
			cx->sq_pending[i / 32] &= ~(1U << i % 32);
			cx_sq_run(cx, i);
		}
		return true;
	}
	return false;
}

static void reset(struct device *d)
{
	struct connectx *cx = d->model;

	cx->cmdq_high = 0;
	cx->cmdq_low = 0;
	forget_commands(cx);
	cx_objects_free(cx);
	cx_caps_init(cx->caps);
}

static const struct device_ops ops = {
	.bar_read = bar_read,
	.bar_write = bar_write,
	.work = work,
	.reset = reset,
};

/* COMMAND or COMMAND:N, after "fail=" or "drop=". */
static int inject_add(struct connectx *cx, const char *word, bool drop)
{
	const char *what = drop ? "drop" : "fail";
	const char *colon = strchr(word, ':');
	size_t len = colon ? (size_t)(colon - word) : strlen(word);
	struct cx_inject *f = &cx->inject[cx->ninject];
	char *end = NULL;

	if (cx->ninject == sizeof(cx->inject) / sizeof(cx->inject[0]) || len >= sizeof(f->name)) {
		fprintf(stderr, "gdrt-sim: %s=%s: too many, or too long\n", what, word);
		return EINVAL;
	}
	memset(f, 0, sizeof(*f));
	memcpy(f->name, word, len);
	f->nth = colon ? strtoul(colon + 1, &end, 10) : 1;
	if (!f->nth || (end && *end)) {
		fprintf(stderr, "gdrt-sim: %s=%s: give COMMAND:N with N from 1\n", what, word);
		return EINVAL;
	}
	f->drop = drop;
	if (!cx_command_known(f->name) || (drop && !strcasecmp(f->name, "UMR"))) {
		fprintf(stderr, "gdrt-sim: %s=%s: no such command\n", what, word);
		cx_command_list(f->name);
		return EINVAL;
	}
	cx->ninject++;
	return 0;
}

/**
 * connectx_create() - make an HCA
 * @d: the device
 * @words: options after the model's name, ended by NULL: id=, pf, strict, fail=, drop=
 * @index: number of this HCA
 *
 * Return: 0 or a positive errno, with a message.
 */
int connectx_create(struct device *d, char **words, unsigned int index)
{
	struct pci_ids ids = {
		.vendor = 0x15b3, .device = 0x101c, .subvendor = 0x15b3, .subdevice = 0x0007,
		.class = 0x020700,
	};
	struct connectx *cx = calloc(1, sizeof(*cx));

	if (!cx)
		return ENOMEM;
	cx->dev = d;
	cx->index = index;
	cx->guid = 0x0002c90300abcd00ULL + ((uint64_t)index << 4);
	cx->cmd_eq = -1;
	cx->pf_eq = -1;
	d->model = cx;
	for (; *words; words++) {
		char *end = NULL;

		if (!strcmp(*words, "pf")) {
			cx->pf = true;
			ids.device = 0x101b;
		} else if (!strcmp(*words, "strict")) {
			cx->strict = true;
		} else if (!strncmp(*words, "id=", 3)) {
			ids.device = strtoul(*words + 3, &end, 0);
			if (*end || end == *words + 3) {
				fprintf(stderr, "gdrt-sim: %s: give a PCI device id\n", *words);
				return EINVAL;
			}
		} else if (!strncmp(*words, "fail=", 5)) {
			if (inject_add(cx, *words + 5, false))
				return EINVAL;
		} else if (!strncmp(*words, "drop=", 5)) {
			if (inject_add(cx, *words + 5, true))
				return EINVAL;
		} else {
			fprintf(stderr, "gdrt-sim: connectx: unknown word '%s' (id= pf strict fail= drop=)\n",
				*words);
			return EINVAL;
		}
	}
	d->ops = &ops;
	d->bars[0] = (struct pci_bar){ .size = CX_BAR_SIZE, .is64 = true, .prefetch = true, .fd = -1 };
	pci_init(d, &ids, CX_VECTORS, MSIX_TABLE, MSIX_PBA);
	reset(d);
	return 0;
}
