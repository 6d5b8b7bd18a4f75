// SPDX-License-Identifier: GPL-2.0
/* The stress test: children that inherit, and children that are killed at work. */
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "buffers.h"
#include "stress.h"

#define VICTIM_US	60000

static pid_t mine[STRESS_HEIRS];	/* those of this process, by place */

/* Ends one and waits until the kernel has given up what it held. */
static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	/* SIGCHLD is ignored: whoever the parent is, there is no such process once it is gone. */
	while (!kill(pid, 0))
		usleep(1000);
}

/* A child has all fds of this process, and so what hangs on them, until it is killed. */
void stress_heir(void)
{
	uint32_t epoch = stress_load(&stress->epoch);
	unsigned int i;
	pid_t pid, none;

	pid = fork();
	if (!pid) {
		for (;;)
			pause();
	}
	if (pid < 0)
		return;
	for (i = 0; i < STRESS_HEIRS; i++) {
		none = 0;
		if (__atomic_compare_exchange_n(&stress->heir[i], &none, pid, false,
						__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			break;
	}
	/* Who reloads the module ends all that are in the list by then. */
	if (i < STRESS_HEIRS && epoch == stress_load(&stress->epoch)) {
		mine[i] = pid;
		return;
	}
	if (i < STRESS_HEIRS)
		__atomic_store_n(&stress->heir[i], 0, __ATOMIC_SEQ_CST);
	end(pid);
}

void stress_heirs_end(bool only_mine)
{
	unsigned int i;
	pid_t pid;

	for (i = 0; i < STRESS_HEIRS; i++) {
		pid = only_mine ? mine[i] : __atomic_load_n(&stress->heir[i], __ATOMIC_SEQ_CST);
		mine[i] = 0;
		if (!pid || !__atomic_compare_exchange_n(&stress->heir[i], &pid, 0, false,
							 __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			continue;
		end(pid);
		stress_add(STRESS_KILLED, 1);
	}
}

/* Registers and attaches on its own fds, or its parent's HCAs, until it is killed. */
static void victim(struct rng *rng, int fd, uint64_t size)
{
	struct buffer b = { .fd = fd, .size = size };
	uint64_t handle;

	if (rng_below(rng, 2))
		stress_user_disown();
	else
		buffers_close();
	for (;;) {
		stress_mr_toggle(rng_next(rng), rng_next(rng), fd, size, rng_next(rng));
		if (!import_attach(&b, rng_below(rng, 2), GDRT_IMPORT_STATIC, 4, &handle)) {
			stress_add(STRESS_ATTACHED, 4);
			import_range(GDRT_MAP, handle, 4);
		}
	}
}

void stress_victim(struct rng *rng, int fd, uint64_t size)
{
	uint32_t us = rng_below(rng, VICTIM_US);
	pid_t pid;

	if (fd < 0)
		return;
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		victim(rng, fd, size);
	}
	if (pid < 0)
		return;
	usleep(us);
	end(pid);
	stress_add(STRESS_KILLED, 1);
}
