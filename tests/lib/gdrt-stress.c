// SPDX-License-Identifier: GPL-2.0
/*
 * The stress test: starts the processes, runs the rounds and lets the oracle
 * judge between them. See stress.h.
 *
 *	gdrt-stress [--seed N] [--seconds N] [--rounds N] [--ops N] [--users N]
 *		    [--no-devices] [--reload FILE]
 *
 * Runs at least --rounds rounds and for at least --seconds (20). A seed is drawn
 * if none is given; it is printed, and makes each process do the same again.
 * The doubles and the module have to be loaded together just before, with
 * nothing attached. --reload lets the module, which FILE has, come and go.
 *
 * Exit code: 0 no difference at any quiet point, 1 there was one, 2 wrong use.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "stress.h"

#define MAX_USERS	(STRESS_SLOTS - 6)
#define REST_SECONDS	100	/* for one round; a process that takes longer hangs */

struct stress *stress;

static const struct stress_role *role[STRESS_SLOTS];
static unsigned int n_slots;

static const char * const count_names[STRESS_COUNTS] = {
	[STRESS_BEGUN] = "registrations",
	[STRESS_REGISTERED] = "MRs",
	[STRESS_FAILED] = "failed",
	[STRESS_GONE] = "HCA gone",
	[STRESS_QUERIES] = "queries",
	[STRESS_ATTACHED] = "other attachments",
	[STRESS_INVALIDATED] = "invalidations",
	[STRESS_KILLED] = "processes killed",
	[STRESS_HEIRLESS] = "ended before a child",
	[STRESS_UNBOUND] = "devices gone and back",
	[STRESS_TRACKED] = "changes of track",
	[STRESS_READ] = "files and dumps read",
	[STRESS_EVENTS] = "events received",
	[STRESS_RELOADS] = "reloads",
	[STRESS_COMPARED] = "attachments at quiet points",
	[STRESS_OLDER] = "quiet points with older ones",
};

static uint64_t seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

void stress_doing(unsigned int slot, const char *what)
{
	struct stress_slot *s = &stress->slot[slot];

	snprintf(s->doing, sizeof(s->doing), "%s", what);
	s->ops++;
}

static void process(unsigned int i, uint32_t seen)
{
	struct rng rng;
	uint32_t now;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!stress_load(&stress->stop)) {
		now = stress_load(&stress->round);
		if (now == seen) {
			usleep(2000);
			continue;
		}
		seen = now;
		rng_seed(&rng, stress->seed, i, now);
		role[i]->round(i, &rng);
		if (stress->plan.release && role[i]->release)
			role[i]->release();
		__atomic_store_n(&stress->slot[i].rest, now, __ATOMIC_SEQ_CST);
	}
	_exit(0);
}

/* Those that ended in the last round are followed by new ones. */
static bool start_all(void)
{
	uint32_t before = stress->round;
	unsigned int i;
	pid_t pid;

	for (i = 0; i < n_slots; i++) {
		struct stress_slot *s = &stress->slot[i];

		if (s->pid && !kill(s->pid, 0))
			continue;
		pid = fork();
		if (!pid)
			process(i, before);
		if (pid < 0)
			return false;
		s->pid = pid;
	}
	return true;
}

/* Until each process rests, or has ended. */
static bool wait_all(uint32_t round)
{
	uint64_t end = seconds() + REST_SECONDS;
	unsigned int i;

	for (i = 0; i < n_slots; i++) {
		struct stress_slot *s = &stress->slot[i];

		while (stress_load(&s->rest) != round && !kill(s->pid, 0)) {
			if (seconds() > end) {
				printf("# round %u: process %u (%s) hangs: %s\n", round, i,
				       role[i]->name, s->doing);
				return false;
			}
			usleep(2000);
		}
	}
	return true;
}

static void draw(struct stress_plan *p, uint32_t round, bool devices)
{
	struct rng rng;

	rng_seed(&rng, stress->seed, STRESS_ALL_ROUNDS, round);
	p->foreign = !rng_below(&rng, 4);
	p->devices = rng_below(&rng, 2) && devices;
	p->reload = rng_below(&rng, 3) && stress->module;
	p->release = !rng_below(&rng, 5) || p->foreign;
}

/* Returns the number of differences, or -1 if it cannot go on. */
static int run_round(uint32_t round)
{
	const struct stress_plan *p = &stress->plan;
	char *text = NULL;
	size_t size = 0;
	FILE *out;
	int bad;

	if (!start_all()) {
		printf("# round %u: fork: %s\n", round, strerror(errno));
		return -1;
	}
	__atomic_store_n(&stress->round, round, __ATOMIC_SEQ_CST);
	if (!wait_all(round))
		return -1;
	if (p->release)
		stress_heirs_end(false);
	out = open_memstream(&text, &size);
	if (!out)
		return -1;
	bad = stress_oracle(out);
	fclose(out);
	if (bad)
		printf("# seed %" PRIu64 ", round %u (%s%s%s%s): %d differences\n", stress->seed,
		       round, p->foreign ? " foreign" : "", p->devices ? " devices" : "",
		       p->reload ? " reload" : "", p->release ? " release" : "", bad);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		printf("#   %s\n", line);
	free(text);
	return bad;
}

/* Everybody holds nothing and is gone at the end. */
static int run(uint32_t rounds, uint64_t limit, bool devices)
{
	uint64_t start = seconds();
	int bad = 0, last = 0;
	uint32_t round;
	bool end;

	stress_oracle_start();
	for (round = 1, end = false; !end && last >= 0; round++) {
		draw(&stress->plan, round, devices);
		end = round >= rounds && seconds() - start >= limit;
		stress->plan.release |= end;
		last = run_round(round);
		bad += !!last;
	}
	printf("# %u rounds in %" PRIu64 " s\n", round - 1, seconds() - start);
	return bad;
}

static void print_counts(void)
{
	uint64_t ops = 0;
	unsigned int i;

	for (i = 0; i < n_slots; i++)
		ops += stress->slot[i].ops;
	printf("# %" PRIu64 " operations", ops);
	for (i = 0; i < STRESS_COUNTS; i++)
		if (count_names[i])
			printf(", %" PRIu64 " %s", stress_read(i), count_names[i]);
	printf("\n");
}

static void add_role(const struct stress_role *r)
{
	role[n_slots++] = r;
}

static uint64_t number(const char *option, const char *word)
{
	uint64_t value;
	char *end;

	errno = 0;
	value = strtoull(word, &end, 0);
	if (errno || *end || end == word || word[0] == '-') {
		fprintf(stderr, "gdrt-stress: --%s '%s': a number is needed\n", option, word);
		exit(2);
	}
	return value;
}

int main(int argc, char **argv)
{
	enum { SEED, SECONDS, ROUNDS, OPS, USERS };
	static const struct option options[] = {
		{ "seed", required_argument, NULL, SEED },
		{ "seconds", required_argument, NULL, SECONDS },
		{ "rounds", required_argument, NULL, ROUNDS },
		{ "ops", required_argument, NULL, OPS },
		{ "users", required_argument, NULL, USERS },
		{ "no-devices", no_argument, NULL, 'n' },
		{ "reload", required_argument, NULL, 'm' },
		{ }
	};
	uint64_t limit = 20, rounds = 1, users = 6, ops = 60, seed;
	uint64_t * const value[] = { &seed, &limit, &rounds, &ops, &users };
	const char *module = NULL;
	bool devices = true;
	int o, bad, index = 0;
	unsigned int i;

	if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
		return 2;
	seed >>= 32;
	while ((o = getopt_long(argc, argv, "", options, &index)) != -1) {
		if (o == 'n')
			devices = false;
		else if (o == 'm')
			module = optarg;
		else if (o == '?')
			goto usage;
		else
			*value[o] = number(options[index].name, optarg);
	}
	if (optind < argc || !users || users > MAX_USERS)
		goto usage;
	stress = mmap(NULL, sizeof(*stress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (stress == MAP_FAILED) {
		perror("gdrt-stress");
		return 2;
	}
	stress->seed = seed;
	stress->ops = ops;
	stress->module = module;
	for (i = 0; i < users; i++)
		add_role(&stress_user);
	add_role(&stress_devices);
	add_role(&stress_track);
	add_role(&stress_reader);
	add_role(&stress_listener);
	if (module) {
		add_role(&stress_reload);
		add_role(&stress_keeper);
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("# seed %" PRIu64 "\n", seed);
	/* What a process leaves behind ends when this does, and nobody waits for it. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	signal(SIGCHLD, SIG_IGN);
	bad = run(rounds, limit, devices);
	stress->stop = 1;
	stress_heirs_end(false);
	print_counts();
	return bad ? 1 : 0;

usage:
	fprintf(stderr, "usage: gdrt-stress [--seed N] [--seconds N] [--rounds N] [--ops N]\n"
		"                   [--users 1-%d] [--no-devices] [--reload FILE]\n", MAX_USERS);
	return 2;
}
