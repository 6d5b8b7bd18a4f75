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

static char *taken;
static size_t taken_size;

void message_divert(char *buf, size_t size)
{
	taken = buf;
	taken_size = size;
	if (buf)
		buf[0] = 0;
}

static void take(const char *fmt, va_list ap)
{
	size_t used = strlen(taken);

	if (used && used + 2 < taken_size)
		used += (size_t)snprintf(taken + used, taken_size - used, "; ");
	vsnprintf(taken + used, taken_size - used, fmt, ap);
}

void message(const char *fmt, ...)
{
	va_list ap;

	if (taken) {
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
