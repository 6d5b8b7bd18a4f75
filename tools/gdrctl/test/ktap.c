// SPDX-License-Identifier: GPL-2.0
/* The unit tests' frame. */
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "ktap.h"

static bool failed;

void ktap_expect(bool ok, const char *what, const char *file, int line)
{
	if (ok)
		return;
	failed = true;
	printf("# %s:%d: not so: %s\n", file, line, what);
}

void ktap_expect_str(const char *got, const char *want, const char *file, int line)
{
	if (!strcmp(got, want))
		return;
	failed = true;
	printf("# %s:%d: got  \"%s\"\n# %s:%d: want \"%s\"\n", file, line, got, file, line, want);
}

/* json-c prints an empty array on one line from 0.17 on, before that on two. */
static const char *next(const char *s)
{
	const char *end = s + 1 + strspn(s + 1, " \n");

	return *s == '[' && *end == ']' ? end : s + 1;
}

static bool same(const char *a, const char *b)
{
	while (*a == *b && *a) {
		a = next(a);
		b = next(b);
	}
	return *a == *b;
}

void ktap_golden(const char *name, const char *got)
{
	const char *dir = getenv("GOLDEN");
	static char want[65536];
	char path[PATH_MAX];
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir ? dir : "test/golden", name);
	if (getenv("GOLDEN_WRITE")) {
		f = fopen(path, "w");
		if (f) {
			fputs(got, f);
			fclose(f);
		}
	}
	f = fopen(path, "r");
	n = f ? fread(want, 1, sizeof(want) - 1, f) : 0;
	want[n] = 0;
	if (f)
		fclose(f);
	if (f && same(got, want))
		return;
	failed = true;
	printf("# %s is not what came; that was:\n", path);
	for (const char *p = got; *p; ) {
		size_t len = strcspn(p, "\n");

		printf("# | %.*s\n", (int)len, p);
		p += len + !!p[len];
	}
}

void ktap_make_file(const char *root, const char *name, const char *text)
{
	char path[PATH_MAX];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	for (char *p = path + strlen(root) + 1; (p = strchr(p, '/')); p++) {
		*p = 0;
		mkdir(path, 0777);
		*p = '/';
	}
	f = fopen(path, "w");
	EXPECT(f && fputs(text, f) >= 0);
	if (f)
		fclose(f);
}

int ktap_run(const struct test *test, size_t n)
{
	int rc = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n1..%zu\n", n);
	for (size_t i = 0; i < n; i++) {
		failed = false;
		test[i].run();
		printf("%sok %zu %s\n", failed ? "not " : "", i + 1, test[i].name);
		rc |= failed;
	}
	return rc;
}
