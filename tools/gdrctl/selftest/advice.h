/* SPDX-License-Identifier: GPL-2.0 */
/* What the steps of gdrctl test itself mean when they fail. */
#ifndef GDRCTL_ST_ADVICE_H
#define GDRCTL_ST_ADVICE_H

#include "selftest.h"

/** st_advise_step - fill in meaning and fix of a result that failed at a step of this test */
void st_advise_step(struct st_result *r);

#endif
