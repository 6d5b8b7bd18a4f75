// SPDX-License-Identifier: GPL-2.0
/* Messages on standard error. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gdrctl.h"

#ifndef GDRCTL_VERSION
#define GDRCTL_VERSION "unknown"
#endif

const char *tool_version = GDRCTL_VERSION;

static struct diversion taken;

struct diversion message_divert(char *buf, size_t size)
{
	struct diversion before = taken;

	taken = (struct diversion){ buf, size };
	if (buf)
		buf[0] = 0;
	return before;
}

void message_restore(struct diversion before)
{
	taken = before;
}

static void take(const char *fmt, va_list ap)
{
	size_t used = strlen(taken.buf);

	if (used && used + 2 < taken.size)
		used += (size_t)snprintf(taken.buf + used, taken.size - used, "; ");
	vsnprintf(taken.buf + used, taken.size - used, fmt, ap);
}

void message(const char *fmt, ...)
{
	va_list ap;

	if (taken.buf) {
		va_start(ap, fmt);
		take(fmt, ap);
		va_end(ap);
		return;
	}
	/* Results and messages may share a terminal or a log. */
	fflush(stdout);
	fputs("gdrctl: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}
