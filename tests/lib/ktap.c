// SPDX-License-Identifier: GPL-2.0
/* KTAP for tests in C. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "ktap.h"

static unsigned int planned, done, failed, skipped;

void ktap_plan(unsigned int plan)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	planned = plan;
	printf("TAP version 13\n1..%u\n", plan);
}

void ktap_diag(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("# ", stdout);
	vprintf(fmt, ap);
	putchar('\n');
	va_end(ap);
}

void ktap_result(bool ok, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	printf("%sok %u ", ok ? "" : "not ", ++done);
	vprintf(fmt, ap);
	putchar('\n');
	va_end(ap);
	failed += !ok;
}

void ktap_skip(const char *why, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	printf("ok %u ", ++done);
	vprintf(fmt, ap);
	printf(" # SKIP %s\n", why);
	va_end(ap);
	skipped++;
}

int ktap_end(void)
{
	if (done != planned)
		ktap_diag("planned %u tests, ran %u", planned, done);
	if (failed || done != planned)
		return 1;
	return planned && skipped == planned ? 4 : 0;
}

void ktap_bail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("Bail out! ", stdout);
	vprintf(fmt, ap);
	putchar('\n');
	va_end(ap);
	exit(1);
}
