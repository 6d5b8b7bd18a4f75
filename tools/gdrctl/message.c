// SPDX-License-Identifier: GPL-2.0
/* Messages on standard error. */
#include <stdarg.h>
#include <stdio.h>

#include "gdrctl.h"

#ifndef GDRCTL_VERSION
#define GDRCTL_VERSION "unknown"
#endif

const char *tool_version = GDRCTL_VERSION;

void message(const char *fmt, ...)
{
	va_list ap;

	/* Results and messages may share a terminal or a log. */
	fflush(stdout);
	fputs("gdrctl: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}
