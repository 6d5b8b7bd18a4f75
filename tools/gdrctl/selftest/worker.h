/* SPDX-License-Identifier: GPL-2.0 */
/* The process that touches devices. */
#ifndef GDRCTL_ST_WORKER_H
#define GDRCTL_ST_WORKER_H

#include "selftest.h"

/**
 * struct st_look - what a look around has found, as it goes through a pipe
 * @scene: what there is
 * @module: what the module can prove
 * @proofs: it proves something
 */
struct st_look {
	struct st_scene scene;
	char module[ST_TEXT];
	bool proofs;
};

/**
 * st_look_around - find out what there is of what is wanted
 * @l: filled in
 * @c: what is wanted
 *
 * In a process of its own: CUDA stays in it.
 */
void st_look_around(struct st_look *l, const struct st_choice *c);

/**
 * st_work - run jobs, as their numbers come
 * @p: the plan
 * @fd: numbers come from here, results go there; it ends when the other end is closed
 */
void st_work(const struct st_plan *p, int fd);

#endif
