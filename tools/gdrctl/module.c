// SPDX-License-Identifier: GPL-2.0
/* Why the module does not answer. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "module.h"

#define NAME "gdr_telemetry"

/* modules.dep has a line "PATH/gdr_telemetry.ko[.xz]: ..." for each module that can be loaded. */
static bool is_installed(const char *root, const char *release)
{
	char path[PATH_MAX], line[4096];
	bool start = true, found = false;
	FILE *f;

	snprintf(path, sizeof(path), "%s/lib/modules/%s/modules.dep", root, release);
	f = fopen(path, "re");
	if (!f)
		return false;
	while (!found && fgets(line, sizeof(line), f)) {
		size_t path_len = strcspn(line, ":");
		const char *at = strstr(line, NAME ".ko");

		found = start && at && (size_t)(at - line) < path_len &&
			(at == line || at[-1] == '/');
		start = strchr(line, '\n');
	}
	fclose(f);
	return found;
}

enum module_state module_state(const char *root, const char *release)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/sys/module/" NAME, root);
	if (!access(path, F_OK))
		return MODULE_LOADED;
	if (is_installed(root, release))
		return MODULE_UNLOADED;
	snprintf(path, sizeof(path), "%s/var/lib/dkms/gdr-telemetry", root);
	return access(path, F_OK) ? MODULE_UNKNOWN : MODULE_UNBUILT;
}

enum exit_code module_explain_absent(void)
{
	struct utsname u;

	if (uname(&u))
		strcpy(u.release, "unknown");
	switch (module_state("", u.release)) {
	case MODULE_LOADED:
		message("module " NAME " is loaded, but its netlink family is not there: "
			"it is being loaded or unloaded, or of another version than this tool");
		return EXIT_SYSTEM;
	case MODULE_UNLOADED:
		message("module " NAME " is not loaded; load it: modprobe " NAME);
		break;
	case MODULE_UNBUILT:
		message("module " NAME " is not loaded: DKMS has not installed it for kernel %s; "
			"do: dkms autoinstall -k %s && modprobe " NAME "; the log of a failed "
			"build is under /var/lib/dkms/gdr-telemetry", u.release, u.release);
		break;
	case MODULE_UNKNOWN:
		message("module " NAME " is not loaded: it is not in /lib/modules/%s; install "
			"it (in the source tree: make dkms-install), then: modprobe " NAME,
			u.release);
		break;
	}
	return EXIT_ABSENT;
}
