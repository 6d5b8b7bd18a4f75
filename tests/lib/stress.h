/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Many processes that do at random, and all at once, what can be done with
 * buffers, devices and the module; in rounds, between which all is at rest and
 * an oracle compares the numbers.
 *
 * What a process does in a round is drawn from its own stream of the seed, its
 * number and the round, and each operation draws the same number of times,
 * whatever comes of it: only the interleaving differs when a seed is replayed.
 */
#ifndef GDRT_STRESS_H
#define GDRT_STRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "rng.h"

#define STRESS_SLOTS	16
#define STRESS_HEIRS	64
#define STRESS_KEPT	4

#define STRESS_ALL_ROUNDS	~0U	/* the coordinator's stream of a round has this number */

/* What the processes know, added up. */
enum stress_count {
	STRESS_BEGUN,		/* registrations, of which */
	STRESS_FINISHED,	/* these came back to a process that lived to count it */
	STRESS_REGISTERED,
	STRESS_FAILED,
	STRESS_EBADF,		/* of those that failed, with this errno */
	STRESS_EINVAL,
	STRESS_GONE,		/* failed because the HCA went: the kernel may not have begun */
	STRESS_QUERIES,		/* with fd -1 */
	STRESS_ATTACHED,	/* by the importer double */
	STRESS_INVALIDATED,	/* or moved */
	STRESS_KILLED,		/* processes, by SIGKILL */
	STRESS_HEIRLESS,	/* processes that ended and left what they hold to a child */
	STRESS_UNBOUND,		/* devices unbound or pulled out, and put back */
	STRESS_TRACKED,		/* changes of track */
	STRESS_READ,		/* files and dumps */
	STRESS_EVENTS,		/* received */
	STRESS_RELOADS,
	STRESS_COMPARED,	/* attachments live at a quiet point, in sum */
	STRESS_OLDER,		/* quiet points with something older than the module */
	STRESS_COUNTS
};

/**
 * struct stress_slot - one process, or those that follow each other in its place
 * @pid: 0: none
 * @rest: the last round in which it came to rest
 * @ops: operations made
 * @doing: of the operation it is in
 */
struct stress_slot {
	pid_t pid;
	uint32_t rest;
	uint64_t ops;
	char doing[32];
};

/**
 * struct stress_plan - what a round is like
 * @release: everybody gives up everything at its end
 * @foreign: buffers of other exporters, and changes of track
 * @devices: devices come and go
 * @reload: the module comes and goes
 */
struct stress_plan {
	bool release;
	bool foreign;
	bool devices;
	bool reload;
};

/**
 * struct stress - shared by all processes
 * @seed: decides everything
 * @ops: operations of a process in a round
 * @round: the one that runs; 0: none yet; written last
 * @stop: end
 * @epoch: loads of the module
 * @reloaded: the last round whose reloads are over
 * @plan: of the round
 * @older: the process that holds what is older than the module; 0: none does
 * @kept: the buffers of it, by inode number
 * @module: file of the module, if it comes and goes
 * @count: by enum stress_count
 * @slot: the processes
 * @heir: processes that hold what others made, until they are killed; 0: none
 */
struct stress {
	uint64_t seed;
	uint32_t ops;
	uint32_t round;
	uint32_t stop;
	uint32_t epoch;
	uint32_t reloaded;
	struct stress_plan plan;
	pid_t older;
	uint64_t kept[STRESS_KEPT];
	const char *module;
	uint64_t count[STRESS_COUNTS];
	struct stress_slot slot[STRESS_SLOTS];
	pid_t heir[STRESS_HEIRS];
};

extern struct stress *stress;

/**
 * struct stress_role - what the process in a slot does
 * @name: for messages
 * @round: its part of a round
 * @release: give up everything; NULL: it holds nothing
 */
struct stress_role {
	const char *name;
	void (*round)(unsigned int slot, struct rng *rng);
	void (*release)(void);
};

extern const struct stress_role stress_user, stress_devices, stress_track, stress_reader,
	stress_listener, stress_reload, stress_keeper;

static inline void stress_add(enum stress_count c, uint64_t n)
{
	__atomic_fetch_add(&stress->count[c], n, __ATOMIC_SEQ_CST);
}

static inline uint64_t stress_read(enum stress_count c)
{
	return __atomic_load_n(&stress->count[c], __ATOMIC_SEQ_CST);
}

static inline uint32_t stress_load(const uint32_t *p)
{
	return __atomic_load_n(p, __ATOMIC_SEQ_CST);
}

/* The next operation of the process in a slot: for messages about one that hangs. */
void stress_doing(unsigned int slot, const char *what);

/* stress_mr.c: the HCAs and MRs of a process. Arguments are drawn numbers. */
void stress_mr_toggle(uint32_t at, uint32_t hca, int fd, uint64_t size, uint32_t part);
void stress_mr_query(uint32_t hca);
void stress_mr_bad(uint32_t hca, int fd, uint64_t size, uint32_t how);
/* Closes one HCA, or all (~0): the kernel gives up what is registered on it. */
void stress_mr_close(uint32_t hca);
void stress_mr_release(void);
/* Closes what a fork has inherited, without giving up what the parent has. */
void stress_mr_disown(void);

/* stress_family.c: children. */
void stress_heir(void);
void stress_victim(struct rng *rng, int fd, uint64_t size);
void stress_heirs_end(bool mine);
/* The child starts with nothing of its parent's but the dma-buf fds. */
void stress_user_disown(void);

/**
 * struct stress_failures - failures of all importers (failure-get)
 * @all: of all kinds, but for
 * @queries: capability queries
 * @ebadf: those with this errno
 * @einval: and with this
 */
struct stress_failures {
	uint64_t all;
	uint64_t queries;
	uint64_t ebadf;
	uint64_t einval;
};

/* stress_failures.c. False: it cannot be read. */
bool stress_failures_read(struct stress_failures *f);

/* stress_oracle.c */
void stress_oracle_start(void);
/* Returns the number of differences, which are printed. */
int stress_oracle(FILE *out);

#endif /* GDRT_STRESS_H */
