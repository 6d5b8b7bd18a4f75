// SPDX-License-Identifier: GPL-2.0
/*
 * The stress test: a process that uses buffers. It has a few places for
 * buffers, MRs and attachments, and an operation works on one that is drawn.
 */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "buffers.h"
#include "stress.h"

#define BUFFERS		6
#define RANGES		6
#define FUNCTIONS	2
#define MODES		5

struct range {
	uint64_t handle;
	unsigned int count;	/* 0: none */
};

static struct buffer buffer[BUFFERS] = {
	{ .fd = -1 }, { .fd = -1 }, { .fd = -1 }, { .fd = -1 }, { .fd = -1 }, { .fd = -1 },
};
static struct range range[RANGES];
static uint32_t epoch;

static void buffer_drop(struct buffer *b)
{
	if (b->fd >= 0)
		close(b->fd);
	b->fd = -1;
}

/* Another buffer takes the place of one whose fd is closed, whatever still holds that. */
static void op_buffer(struct buffer *b, uint32_t kind)
{
	static const uint64_t kib64 = 65536;
	static const unsigned int flags[] = {
		0, 0, 0, 0, GDRT_EXPORT_DYNAMIC, GDRT_EXPORT_DYNAMIC, GDRT_EXPORT_SYSTEM,
		GDRT_EXPORT_CACHE_SGT,
	};
	uint64_t size = kib64 * (1 + kind % 7);
	struct buffer new;
	int err;

	if (stress->plan.foreign && kind >> 8 & 1)
		err = kind >> 9 & 1 ? buffer_udmabuf(&new, size) : buffer_heap(&new, size);
	else
		err = buffer_export(&new, size, kind >> 3 & 1, flags[kind >> 4 & 7]);
	buffer_drop(b);
	if (!err)
		*b = new;
}

static void op_attach(struct range *r, const struct buffer *b, uint32_t how)
{
	if (r->count) {
		/* Those of a function that left are gone before. */
		import_range(GDRT_DETACH, r->handle, r->count);
		r->count = 0;
		return;
	}
	if (b->fd < 0)
		return;
	r->count = 1 + (how >> 8) % 12;
	if (import_attach(b, how % FUNCTIONS, (how >> 4) % MODES, r->count, &r->handle))
		r->count = 0;
	else
		stress_add(STRESS_ATTACHED, r->count);
}

static void op_range(struct range *r, uint32_t how)
{
	static const unsigned long request[] = {
		GDRT_MAP, GDRT_MAP_LOCKED, GDRT_MAP, GDRT_UNMAP, GDRT_UNMAP_LOCKED, GDRT_PIN,
		GDRT_PIN, GDRT_UNPIN,
	};

	if (r->count)
		import_range(request[how % 8], r->handle, r->count);
}

static void op_disturb(const struct buffer *b, uint32_t how)
{
	int err;

	if (b->fd < 0)
		return;
	err = how % 3 ? buffer_invalidate(b) : buffer_move(b, how >> 2 & 1);
	if (!err)
		stress_add(STRESS_INVALIDATED, 1);
}

static void release(void)
{
	unsigned int i;

	stress_heirs_end(true);
	stress_mr_release();
	for (i = 0; i < RANGES; i++)
		if (range[i].count)
			op_attach(&range[i], NULL, 0);
	for (i = 0; i < BUFFERS; i++)
		buffer_drop(&buffer[i]);
	/* With it goes what a child may have attached through it. */
	buffers_close();
}

void stress_user_disown(void)
{
	memset(range, 0, sizeof(range));
	buffers_close();
	stress_mr_disown();
}

/* Ends and leaves all it has to the kernel, or to its heirs. */
static void op_end(uint32_t how)
{
	if (how % 2) {
		stress_add(STRESS_KILLED, 1);
		raise(SIGKILL);
	}
	if (how % 4) {
		stress_add(STRESS_HEIRLESS, 1);
		stress_heir();
	}
	_exit(0);
}

enum op { BUFFER, MR, ATTACH, RANGE, DISTURB, QUERY, BAD, CLOSE, CLOSE_HCA, HEIR, VICTIM, END };

static const struct {
	const char *name;
	uint32_t share;		/* in thousandths of all, up to and with this one */
} ops[] = {
	[BUFFER] = { "buffer", 170 },
	[MR] = { "register", 400 },
	[ATTACH] = { "attach", 620 },
	[RANGE] = { "map or pin", 800 },
	[DISTURB] = { "invalidate", 880 },
	[QUERY] = { "query", 910 },
	[BAD] = { "bad register", 950 },
	[CLOSE] = { "close", 980 },
	[CLOSE_HCA] = { "close HCA", 985 },
	[HEIR] = { "heir", 988 },
	[VICTIM] = { "victim", 996 },
	[END] = { "end", 1000 },
};

static void op(unsigned int slot, struct rng *rng)
{
	uint32_t which = rng_below(rng, 1000), a = rng_next(rng), b = rng_next(rng);
	uint32_t how = rng_next(rng);
	struct buffer *buf = &buffer[b % BUFFERS];
	struct range *r = &range[a % RANGES];
	enum op o = BUFFER;
	struct rng child;

	while (which >= ops[o].share)
		o++;
	stress_doing(slot, ops[o].name);
	switch (o) {
	case BUFFER:
		op_buffer(buf, how);
		break;
	case MR:
		stress_mr_toggle(a, how, buf->fd, buf->size, how >> 1);
		break;
	case ATTACH:
		op_attach(r, buf, how);
		break;
	case RANGE:
		op_range(r, how);
		break;
	case DISTURB:
		op_disturb(buf, how);
		break;
	case QUERY:
		stress_mr_query(how);
		break;
	case BAD:
		stress_mr_bad(how, buf->fd, buf->size, how >> 1);
		break;
	case CLOSE:
		buffer_drop(buf);
		break;
	case CLOSE_HCA:
		stress_mr_close(how % 2);
		break;
	case HEIR:
		stress_heir();
		break;
	case VICTIM:
		rng_seed(&child, how, a, b);
		stress_victim(&child, buf->fd, buf->size);
		break;
	case END:
		op_end(how);
		break;
	}
}

/* What is made from here on is known in full to the module that is loaded now. */
static void follow_epoch(unsigned int slot)
{
	uint32_t now = stress_load(&stress->epoch);

	if (now == epoch)
		return;
	stress_doing(slot, "give up the old");
	release();
	epoch = now;
}

static void user_round(unsigned int slot, struct rng *rng)
{
	uint32_t i, rest = stress->plan.reload ? stress->ops / 2 : 0;

	for (i = rest; i < stress->ops; i++) {
		follow_epoch(slot);
		op(slot, rng);
	}
	if (!stress->plan.reload)
		return;
	/* The rest after it, so that there is something to compare. */
	while (stress_load(&stress->reloaded) != stress_load(&stress->round))
		usleep(2000);
	follow_epoch(slot);
	for (i = 0; i < rest; i++)
		op(slot, rng);
}

const struct stress_role stress_user = { "user", user_round, release };
