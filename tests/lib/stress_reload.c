// SPDX-License-Identifier: GPL-2.0
/* The stress test: the module is unloaded and loaded under all the others. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "live.h"
#include "stress.h"

#define POOL		"/sys/module/gdr_telemetry/parameters/pool"
#define TRIES		3000
#define TRY_US		10000

static bool unload(void)
{
	int i;

	/* Readers hold it for a moment. */
	for (i = 0; syscall(SYS_delete_module, "gdr_telemetry", O_NONBLOCK); i++) {
		if (errno != EAGAIN && errno != EBUSY) {
			perror("delete_module");
			return false;
		}
		if (i == TRIES) {
			fprintf(stderr, "the module is never idle\n");
			return false;
		}
		usleep(TRY_US);
	}
	return true;
}

/* With the pool that it had. */
static bool load(const char *pool)
{
	int fd = open(stress->module, O_RDONLY | O_CLOEXEC);
	char parameters[64];
	bool ok;

	snprintf(parameters, sizeof(parameters), "pool=%s", pool);
	ok = fd >= 0 && !syscall(SYS_finit_module, fd, parameters, 0);
	if (!ok)
		perror(stress->module);
	if (fd >= 0)
		close(fd);
	return ok;
}

static void reload(unsigned int slot, struct rng *rng)
{
	uint32_t n = 1 + rng_below(rng, 3), i, before, between;
	char pool[32];

	for (i = 0; i < n; i++) {
		before = rng_below(rng, 300000);
		between = rng_below(rng, 30000);
		if (!stress->plan.reload)
			continue;
		stress_doing(slot, "reload");
		usleep(before);
		if (!live_word(POOL, pool, sizeof(pool)) || !unload())
			return;
		usleep(between);
		if (!load(pool))
			return;
		__atomic_fetch_add(&stress->epoch, 1, __ATOMIC_SEQ_CST);
		/* They hold what is older than the module. */
		stress_heirs_end(false);
		stress_add(STRESS_RELOADS, 1);
	}
}

static void reload_round(unsigned int slot, struct rng *rng)
{
	reload(slot, rng);
	__atomic_store_n(&stress->reloaded, stress->round, __ATOMIC_SEQ_CST);
}

const struct stress_role stress_reload = { "reload", reload_round, NULL };
