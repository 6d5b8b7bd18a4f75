// SPDX-License-Identifier: GPL-2.0
/* Why the module does not answer. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "dkms.h"
#include "modconf.h"
#include "module.h"
#include "names.h"
#include "out.h"

/* For programs: part of the interface. */
static const char *const state_words[] = {
	[MODULE_LOADED] = "no-answer",
	[MODULE_UNLOADED] = "unloaded",
	[MODULE_BLACKLISTED] = "blacklisted",
	[MODULE_REFUSED] = "refused",
	[MODULE_FAILED] = "build-failed",
	[MODULE_EXCLUDED] = "excluded",
	[MODULE_UNBUILT] = "not-built",
	[MODULE_UNKNOWN] = "not-installed",
};

/* modules.dep has a line "PATH/gdr_telemetry.ko[.xz]: ..." for each module that can be loaded. */
static bool is_installed(struct module_report *r)
{
	FILE *f = names_open("/lib/modules/%s/modules.dep", r->release);
	char *line = NULL;
	bool found = false;
	size_t size = 0;

	if (!f)
		return false;
	while (!found && getline(&line, &size, f) > 0) {
		char *base;

		line[strcspn(line, ":\n")] = 0;
		base = strrchr(line, '/');
		base = base ? base + 1 : line;
		found = !strncmp(base, MODULE_NAME ".ko", strlen(MODULE_NAME ".ko")) &&
			(!base[strlen(MODULE_NAME ".ko")] ||
			 base[strlen(MODULE_NAME ".ko")] == '.');
	}
	if (found && *line == '/')
		snprintf(r->file, sizeof(r->file), "%s", line);
	else if (found)
		snprintf(r->file, sizeof(r->file), "/lib/modules/%s/%.3000s", r->release, line);
	free(line);
	fclose(f);
	return found;
}

void module_look(const char *release, struct module_report *r)
{
	memset(r, 0, sizeof(*r));
	snprintf(r->release, sizeof(r->release), "%s", release);
	if (names_module(MODULE_NAME)) {
		r->state = MODULE_LOADED;
		return;
	}
	if (is_installed(r)) {
		r->state = MODULE_UNLOADED;
		snprintf(r->fix, sizeof(r->fix), "load it: modprobe " MODULE_NAME);
		/* What is not certain of signatures gives way to what keeps it out. */
		if (!modconf_refused(r))
			modconf_blacklisted(r);
		return;
	}
	if (dkms_look(r))
		return;
	r->state = MODULE_UNKNOWN;
	snprintf(r->why, sizeof(r->why), "it is not in /lib/modules/%s", r->release);
	snprintf(r->fix, sizeof(r->fix), "install it (in the source tree: make dkms-install), then: "
		 "modprobe " MODULE_NAME);
}

void module_look_here(struct module_report *r)
{
	struct utsname u;

	module_look(uname(&u) ? "unknown" : u.release, r);
}

enum exit_code module_message(const struct module_report *r)
{
	if (r->state == MODULE_LOADED) {
		message("module " MODULE_NAME " is loaded, but its netlink family is not there: "
			"it is being loaded or unloaded, or of another version than this tool");
		return EXIT_SYSTEM;
	}
	message("module " MODULE_NAME " is not loaded%s%s; %s", *r->why ? ": " : "", r->why,
		r->fix);
	return EXIT_ABSENT;
}

enum exit_code module_explain_absent(void)
{
	struct module_report r;

	module_look_here(&r);
	return module_message(&r);
}

static void put(struct out *o, const char *key, const char *value)
{
	if (*value)
		out_str(o, FIELD(.key = key), value);
}

enum exit_code module_print(const struct gdrctl *g, const struct module_report *r, FILE *to)
{
	struct out *o = out_new(&g->opt, OUT_LINE, false, to);

	if (!o) {
		message("no memory");
		return EXIT_SYSTEM;
	}
	out_record(o, NULL);
	put(o, "absent", state_words[r->state]);
	put(o, "release", r->release);
	put(o, "reason", r->why);
	put(o, "fix", r->fix);
	put(o, "file", r->file);
	put(o, "log", r->log);
	return out_finish(o) ? EXIT_SYSTEM : EXIT_ABSENT;
}
