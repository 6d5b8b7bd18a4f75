// SPDX-License-Identifier: GPL-2.0
/* Objects that are programs of their own. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "external.h"

#ifndef GDRCTL_LIBEXEC
#define GDRCTL_LIBEXEC "/usr/local/libexec/gdr-telemetry"
#endif
#define PACKAGE "gdrctl-extra"

static bool is_program(const char *path)
{
	return !access(path, X_OK);
}

static bool in_path(const char *name, char path[PATH_MAX])
{
	const char *list = getenv("PATH");

	while (list && *list) {
		size_t len = strcspn(list, ":");

		/* An empty one means the current directory, which is nobody's intention. */
		if (len && snprintf(path, PATH_MAX, "%.*s/%s", (int)len, list, name) < PATH_MAX &&
		    is_program(path))
			return true;
		list += len + (list[len] == ':');
	}
	return false;
}

static bool find(const char *name, char path[PATH_MAX])
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *end;

	self[n > 0 ? n : 0] = 0;
	end = strrchr(self, '/');
	if (end) {
		*end = 0;
		if (snprintf(path, PATH_MAX, "%s/%s", self, name) < PATH_MAX && is_program(path))
			return true;
	}
	snprintf(path, PATH_MAX, "%s/%s", GDRCTL_LIBEXEC, name);
	return is_program(path) || in_path(name, path);
}

bool external_has(const char *name)
{
	char path[PATH_MAX];

	return !name || find(name, path);
}

enum exit_code external_run(const char *name, const struct options *opt, char **words)
{
	const struct { bool given; const char *word; } options[] = {
		{ opt->json, "--json" }, { opt->details, "--details" },
		{ opt->oneline, "--oneline" }, { opt->numeric, "--numeric" },
		{ opt->bytes, "--bytes" }, { opt->help, "--help" },
	};
	char path[PATH_MAX];
	size_t n = 0, given = 0;
	char **argv;

	if (!find(name, path)) {
		message("%s is not installed: it is in the package " PACKAGE "; from source: "
			"apt-get install libncurses-dev, then make tools install", name);
		return EXIT_SYSTEM;
	}
	while (words[given])
		given++;
	argv = calloc(given + ARRAY_SIZE(options) + 2, sizeof(*argv));
	if (!argv) {
		message("no memory");
		return EXIT_SYSTEM;
	}
	argv[n++] = (char *)(uintptr_t)name;
	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (options[i].given)
			argv[n++] = (char *)(uintptr_t)options[i].word;
	memcpy(argv + n, words, given * sizeof(*argv));
	execv(path, argv);
	message("cannot run \"%s\": %s", path, strerror(errno));
	free(argv);
	return EXIT_SYSTEM;
}
