/* SPDX-License-Identifier: GPL-2.0 */
/* What the fuzz targets share: strings, a directory that stands for /, somewhere to print to. */
#ifndef GDRCTL_FUZZ_H
#define GDRCTL_FUZZ_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gdrctl.h"
#include "names.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char fuzz_root[] = "/tmp/gdrctl-fuzz.XXXXXX";
static char fuzz_said[512];

static inline void fuzz_remove_root(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", fuzz_root);
	if (system(command))
		perror(fuzz_root);
}

/** fuzz_begin - no look-up leaves an empty directory, and messages go nowhere */
static inline void fuzz_begin(void)
{
	if (!mkdtemp(fuzz_root))
		abort();
	atexit(fuzz_remove_root);
	names_set_root(fuzz_root);
	message_divert(fuzz_said, sizeof(fuzz_said));
}

/** fuzz_string - @data as a string that ends where its memory does */
static inline char *fuzz_string(const uint8_t *data, size_t size)
{
	char *s = malloc(size + 1);

	if (!s)
		abort();
	memcpy(s, data, size);
	s[size] = 0;
	return s;
}

/** fuzz_file - make @data the file @name below the root */
static inline void fuzz_file(const char *name, const void *data, size_t size)
{
	char path[PATH_MAX];
	FILE *f;

	snprintf(path, sizeof(path), "%s%s", fuzz_root, name);
	for (char *p = path + strlen(fuzz_root) + 1; (p = strchr(p, '/')); p++) {
		*p = 0;
		mkdir(path, 0777);
		*p = '/';
	}
	f = fopen(path, "we");
	if (!f || fwrite(data, 1, size, f) != size || fclose(f))
		abort();
}

/** fuzz_no_file - remove it */
static inline void fuzz_no_file(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s", fuzz_root, name);
	unlink(path);
}

/** fuzz_sink - where output goes */
static inline FILE *fuzz_sink(void)
{
	static FILE *sink;

	if (!sink)
		sink = fopen("/dev/null", "we");
	if (!sink)
		abort();
	return sink;
}

/** fuzz_options - another way to print for each of 5 numbers */
static inline struct gdrctl fuzz_options(unsigned int i)
{
	struct gdrctl g = { .boottime_ns = 10000000000000, .realtime_s = 1800000000 };

	g.opt.json = i == 0 || i == 1;
	g.opt.pretty = i == 1;
	g.opt.details = i == 2;
	g.opt.oneline = i == 3;
	g.opt.bytes = i == 4;
	return g;
}

#define FUZZ_OPTIONS 5

#endif
