// SPDX-License-Identifier: GPL-2.0
/* Looking things up in the table of causes. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "causes.h"

/* The kernel's own, which user space has no name for. */
#define ENOTSUPP	524
/* include/linux/errno.h: ERESTARTSYS and the numbers after it. */
#define FIRST_OWN	512
#define LAST_OWN	531

int cause_names(const struct cause *c, int err)
{
	for (size_t i = 0; i < CAUSE_ERRNOS && c->err[i]; i++)
		if (c->err[i] == err)
			return 1;
	return 0;
}

const struct cause *cause_find(uint32_t stage, int err)
{
	for (size_t i = 0; i < causes_n; i++)
		if (causes[i].stage == stage && (!causes[i].err[0] || cause_names(&causes[i], err)))
			return &causes[i];
	return NULL;
}

size_t cause_likely(const struct cause *c)
{
	size_t n = 0;

	while (n < CAUSE_LIKELY && c->likely[n].what)
		n++;
	return n;
}

const char *cause_errno(int err, char *buf, size_t size)
{
	const char *name;

	if (err == ENOTSUPP)
		return "ENOTSUPP";
	if (err == EOPNOTSUPP)		/* not ENOTSUP, which is the same number */
		return "EOPNOTSUPP";
	name = strerrorname_np(err);
	if (name)
		return name;
	snprintf(buf, size, "%d", err);
	return buf;
}

int cause_errno_number(const char *s)
{
	char buf[CAUSE_ERRNO_SIZE], *end;
	long v;

	s += *s == '-';
	if (isdigit((unsigned char)*s)) {
		v = strtol(s, &end, 10);
		if (*end || v <= 0 || v > LAST_OWN)
			return 0;
		return v >= FIRST_OWN || strerrorname_np((int)v) ? (int)v : 0;
	}
	if (!strcasecmp(s, "ENOTSUP"))
		return EOPNOTSUPP;
	if (!strcasecmp(s, "EWOULDBLOCK"))
		return EAGAIN;
	for (int err = 1; err <= ENOTSUPP; err++) {
		const char *name = cause_errno(err, buf, sizeof(buf));

		if (name != buf && !strcasecmp(s, name))
			return err;
	}
	return 0;
}
