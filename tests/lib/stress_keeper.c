// SPDX-License-Identifier: GPL-2.0
/*
 * The stress test: a process that holds what is older than the module. What it
 * made in one round it keeps, untouched, while the module is reloaded in the
 * next; none of it may be in the module's numbers then.
 */
#include <unistd.h>

#include "buffers.h"
#include "stress.h"

#define SIZE	(256 * 1024)

static struct buffer buffer[STRESS_KEPT];
static uint64_t handle[STRESS_KEPT];
static bool is_there[STRESS_KEPT], is_attached[STRESS_KEPT];

static void release(void)
{
	unsigned int i;

	stress_mr_release();
	for (i = 0; i < STRESS_KEPT; i++) {
		if (is_attached[i])
			import_range(GDRT_DETACH, handle[i], 2);
		if (is_there[i])
			close(buffer[i].fd);
		is_attached[i] = false;
		is_there[i] = false;
		stress->kept[i] = 0;
	}
	buffers_close();
	stress->older = 0;
}

static void keep(struct rng *rng)
{
	uint32_t i, n, mode;

	for (i = 0; i < STRESS_KEPT; i++) {
		n = rng_next(rng);
		mode = rng_below(rng, 4);
		is_there[i] = !buffer_export(&buffer[i], SIZE, n % 2,
					     n >> 1 & 1 ? GDRT_EXPORT_DYNAMIC : 0);
		if (!is_there[i])
			continue;
		stress->kept[i] = buffer[i].inode;
		stress_mr_toggle(2 * i, n >> 2, buffer[i].fd, SIZE, 0);
		stress_mr_toggle(2 * i + 1, n >> 3, buffer[i].fd, SIZE, 1);
		is_attached[i] = !import_attach(&buffer[i], n >> 4 & 1, mode, 2, &handle[i]);
		if (!is_attached[i])
			continue;
		stress_add(STRESS_ATTACHED, 2);
		if (n >> 5 & 1)
			import_range(GDRT_MAP, handle[i], 2);
	}
}

static void keeper_round(unsigned int slot, struct rng *rng)
{
	if (stress->plan.reload) {
		stress->older = getpid();
		return;
	}
	stress_doing(slot, "give up the old");
	release();
	stress_doing(slot, "keep");
	keep(rng);
}

const struct stress_role stress_keeper = { "keeper", keeper_round, release };
