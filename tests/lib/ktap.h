/* SPDX-License-Identifier: GPL-2.0 */
/*
 * KTAP for tests in C: a plan first, then as many results.
 *
 * A program that dies or stops early prints fewer results than its plan, which
 * the runner takes for a failure.
 */
#ifndef GDRT_KTAP_H
#define GDRT_KTAP_H

#include <stdbool.h>

/* Prints the header. @plan: how many results follow. */
void ktap_plan(unsigned int plan);
/* A line of explanation. */
void ktap_diag(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* One result. */
void ktap_result(bool ok, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A test that cannot run here; the runner wants each listed in tests/skips.txt. */
void ktap_skip(const char *why, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Returns the exit code: 0 passed, 1 failed, 4 all skipped. */
int ktap_end(void);
/* A setup that failed: "Bail out!", exit code 1. */
void ktap_bail(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif /* GDRT_KTAP_H */
