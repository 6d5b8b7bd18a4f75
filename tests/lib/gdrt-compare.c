// SPDX-License-Identifier: GPL-2.0
/*
 * Compares the module's totals with the independent readings, and with what
 * the caller expects.
 *
 *	gdrt-compare [--counters] [--inexact MASK] [NAME=VALUE...]
 *
 * --counters also compares the counters of calls with the doubles' ledgers; it
 * holds if the doubles and the module were loaded together. Differences are
 * printed. Exit code: 0 all equal, 1 not.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "readings.h"

int main(int argc, char **argv)
{
	uint64_t reasons = 0, want, is;
	bool counters = false;
	int i, bad = 0;

	for (i = 1; i < argc && !strncmp(argv[i], "--", 2); i++) {
		if (!strcmp(argv[i], "--counters"))
			counters = true;
		else if (!strcmp(argv[i], "--inexact") && i + 1 < argc)
			reasons = strtoull(argv[++i], NULL, 0);
		else
			goto usage;
	}
	bad = readings_compare(counters, reasons, stdout);
	for (; i < argc; i++) {
		char *eq = strchr(argv[i], '=');

		if (!eq)
			goto usage;
		*eq = 0;
		want = strtoull(eq + 1, NULL, 0);
		if (!reading_total(argv[i], &is)) {
			printf("%s: cannot be read\n", argv[i]);
			bad++;
		} else if (is != want) {
			printf("%s is %" PRIu64 ", expected %" PRIu64 "\n", argv[i], is, want);
			bad++;
		}
	}
	return bad ? 1 : 0;

usage:
	fprintf(stderr, "gdrt-compare: '%s': [--counters] [--inexact MASK] [NAME=VALUE...]\n",
		argv[i]);
	return 2;
}
