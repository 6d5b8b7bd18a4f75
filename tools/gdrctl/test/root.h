/* SPDX-License-Identifier: GPL-2.0 */
/* A directory that stands for /, with what a test puts there. After ktap.h. */
#ifndef GDRCTL_TEST_ROOT_H
#define GDRCTL_TEST_ROOT_H

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "names.h"

static char root[] = "/tmp/gdrctl-test.XXXXXX";

/** root_make - make it, and make gdrctl look there. Return: false if it cannot be made */
static inline bool root_make(void)
{
	if (!mkdtemp(root))
		return false;
	names_set_root(root);
	return true;
}

/** root_dir - make a directory and those above it. Return: its inode number */
static inline uint64_t root_dir(const char *name)
{
	char path[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	for (char *p = path + strlen(root) + 1; (p = strchr(p, '/')); p++) {
		*p = 0;
		mkdir(path, 0777);
		*p = '/';
	}
	mkdir(path, 0777);
	return stat(path, &st) ? 0 : st.st_ino;
}

static inline void root_parent(const char *name)
{
	char dir[256];

	snprintf(dir, sizeof(dir), "%s", name);
	*strrchr(dir, '/') = 0;
	root_dir(dir);
}

/** root_file - make a file with @text */
static inline void root_file(const char *name, const char *text)
{
	char path[PATH_MAX];
	FILE *f;

	root_parent(name);
	snprintf(path, sizeof(path), "%s/%s", root, name);
	f = fopen(path, "w");
	EXPECT(f && fputs(text, f) >= 0 && !fclose(f));
}

/** root_link - make a symbolic link */
static inline void root_link(const char *name, const char *target)
{
	char path[PATH_MAX];

	root_parent(name);
	snprintf(path, sizeof(path), "%s/%s", root, name);
	EXPECT(!symlink(target, path));
}

/** root_remove - remove it. Return: whether that worked */
static inline bool root_remove(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	return !system(command);
}

/** root_run - the tests, with a root that is made for them. Return: what main() is to return */
static inline int root_run(const struct test *tests, size_t n)
{
	int rc;

	if (!root_make())
		return 1;
	rc = ktap_run(tests, n);
	return root_remove() ? rc : 1;
}

#endif
