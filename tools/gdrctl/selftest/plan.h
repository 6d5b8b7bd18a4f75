/* SPDX-License-Identifier: GPL-2.0 */
/* The jobs, and what stands in their way. */
#ifndef GDRCTL_ST_PLAN_H
#define GDRCTL_ST_PLAN_H

#include "cases.h"
#include "selftest.h"

/**
 * st_stands_in_the_way - whether a job cannot be run
 * @p: the plan, with the results of the jobs before it
 * @j: the job
 * @why: the reason
 */
bool st_stands_in_the_way(const struct st_plan *p, const struct st_job *j, char why[ST_TEXT]);

#endif
