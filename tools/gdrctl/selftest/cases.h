/* SPDX-License-Identifier: GPL-2.0 */
/* The cases of gdrctl test. */
#ifndef GDRCTL_ST_CASES_H
#define GDRCTL_ST_CASES_H

#include <stdbool.h>

struct st_run;

/**
 * enum st_scope - what a case is run with
 * @ST_MACHINE: nothing: once
 * @ST_HCA: each HCA
 * @ST_ANY: each HCA, and one source, whichever
 * @ST_PAIR: each HCA with each source
 * @ST_SHARED: each source, and all HCAs together
 * @ST_BETWEEN: each HCA, from each GPU to each other
 */
enum st_scope { ST_MACHINE, ST_HCA, ST_ANY, ST_PAIR, ST_SHARED, ST_BETWEEN };

/**
 * struct st_case - one case
 * @name: its word
 * @scope: what it is run with
 * @quick: it belongs to the small subset
 * @basic: it is run with every source; the others only with those that are full
 * @link: it moves data
 * @needs: cases that must have passed with the same HCA and source, if they are run
 * @timeout_s: it may take that long
 * @expected: what has to come out, a phrase
 * @run: runs it
 */
struct st_case {
	const char *name;
	enum st_scope scope;
	bool quick;
	bool basic;
	bool link;
	const char *needs[2];
	unsigned int timeout_s;
	const char *expected;
	void (*run)(struct st_run *r);
};

/** st_cases - all cases, in the order in which they are run, ended by a NULL name */
extern const struct st_case st_cases[];

void st_limit_fds(struct st_run *r);
void st_limit_memlock(struct st_run *r);
void st_capability(struct st_run *r);
void st_control(struct st_run *r);
void st_wrong_fd(struct st_run *r);
void st_wrong_file(struct st_run *r);
void st_wrong_iova(struct st_run *r);
void st_wrong_range(struct st_run *r);
void st_wrong_flags(struct st_run *r);
void st_wrong_access(struct st_run *r);
void st_register(struct st_run *r);
void st_sizes(struct st_run *r);
void st_access(struct st_run *r);
void st_offsets(struct st_run *r);
void st_many_mrs(struct st_run *r);
void st_many_buffers(struct st_run *r);
void st_fd_closed(struct st_run *r);
void st_fd_race(struct st_run *r);
void st_killed(struct st_run *r);
void st_write(struct st_run *r);
void st_read(struct st_run *r);
void st_write_from(struct st_run *r);
void st_read_into(struct st_run *r);
void st_relaxed(struct st_run *r);
void st_data_direct(struct st_run *r);
void st_two_hcas(struct st_run *r);
void st_gpu_to_gpu(struct st_run *r);

#endif
