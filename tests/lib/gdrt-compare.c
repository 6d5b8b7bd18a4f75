// SPDX-License-Identifier: GPL-2.0
/*
 * Compares the module's totals with the independent readings, and with what
 * the caller expects.
 *
 *	gdrt-compare [--devices | --counters] [--inexact MASK] [NAME=VALUE...]
 *
 * --devices also compares each directory below importers/, exporters/ and
 * pairs/ with what is attached, mapped and pinned there; it holds if nothing was
 * attached before the module was loaded. --counters also compares the counters
 * of calls with the doubles' ledgers; it holds if these were loaded together
 * with the module, and no other exporter was used. Differences are
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
	enum readings_depth depth = READINGS_TOTALS;
	int i, bad;

	for (i = 1; i < argc && !strncmp(argv[i], "--", 2); i++) {
		if (!strcmp(argv[i], "--counters"))
			depth = READINGS_COUNTERS;
		else if (!strcmp(argv[i], "--devices"))
			depth = READINGS_DEVICES;
		else if (!strcmp(argv[i], "--inexact") && i + 1 < argc)
			reasons = strtoull(argv[++i], NULL, 0);
		else
			goto usage;
	}
	bad = readings_compare(depth, reasons, stdout);
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
	fprintf(stderr, "gdrt-compare: '%s': [--devices | --counters] [--inexact MASK] [NAME=VALUE...]\n",
		argv[i]);
	return 2;
}
