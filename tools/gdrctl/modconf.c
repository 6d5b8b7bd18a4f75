// SPDX-License-Identifier: GPL-2.0
/* What stands in the way of loading an installed module: configuration, signatures. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "modconf.h"
#include "names.h"

/* A file hides those of the same name in the directories after its own: modprobe.d(5). */
static const char *const dirs[] = {
	"/etc/modprobe.d", "/run/modprobe.d", "/usr/local/lib/modprobe.d", "/usr/lib/modprobe.d",
	"/lib/modprobe.d",
};

#define N_DIRS ARRAY_SIZE(dirs)

/* modprobe takes dashes for underscores. */
static bool is_module(const char *word)
{
	static const char name[] = MODULE_NAME;
	size_t i = 0;

	for (; word[i] && name[i]; i++)
		if (word[i] != name[i] && !(word[i] == '-' && name[i] == '_'))
			return false;
	return !word[i] && !name[i];
}

/* A line, with those that a backslash at its end joins to it; without the newline. */
static bool read_line(FILE *f, char **line, size_t *size, unsigned int *number)
{
	char *part = NULL;
	size_t room = 0, len = 0;
	bool more = true, any = false;

	while (more && getline(&part, &room, f) > 0) {
		size_t n = strcspn(part, "\n");

		++*number;
		any = true;
		more = n && part[n - 1] == '\\';
		n -= more;
		if (len + n + 1 > *size) {
			char *longer = realloc(*line, 2 * (len + n + 1));

			if (!longer)
				break;
			*line = longer;
			*size = 2 * (len + n + 1);
		}
		memcpy(*line + len, part, n);
		len += n;
		(*line)[len] = 0;
	}
	free(part);
	return any && *line;
}

static bool take_line(char *line, const char *wanted, const char *path, unsigned int number,
		      struct module_report *r)
{
	char *rest = NULL, *word = strtok_r(line, " \t", &rest), *name, shown[128], *command;

	if (!word || strcmp(word, wanted) != 0)
		return false;
	name = strtok_r(NULL, " \t", &rest);
	if (!name || !is_module(name))
		return false;
	if (*word == 'b') {
		snprintf(r->why, sizeof(r->why), "%.200s, line %u: blacklist, so that it is not "
			 "loaded at boot", path, number);
		snprintf(r->fix, sizeof(r->fix), "take that line out; until then: modprobe "
			 MODULE_NAME ", which loads it all the same");
	} else {
		command = rest + strspn(rest, " \t");
		snprintf(r->why, sizeof(r->why), "%.200s, line %u: in place of loading it, "
			 "modprobe runs \"%s\"", path, number,
			 format_escape(command, shown, sizeof(shown)));
		snprintf(r->fix, sizeof(r->fix),
			 "take that line out, then: modprobe " MODULE_NAME);
	}
	r->state = MODULE_BLACKLISTED;
	return true;
}

/* @path is the name below the root, for people. */
static bool read_file(const char *wanted, const char *path,
		      struct module_report *r)
{
	FILE *f = names_open("%s", path);
	unsigned int number = 0;
	char *line = NULL;
	size_t size = 0;
	bool found = false;

	if (!f)
		return false;
	while (!found && read_line(f, &line, &size, &number))
		found = take_line(line, wanted, path, number, r);
	free(line);
	fclose(f);
	return found;
}

static int is_conf(const struct dirent *d)
{
	size_t len = strlen(d->d_name);

	return d->d_name[0] != '.' && len > 5 && !strcmp(d->d_name + len - 5, ".conf");
}

static bool is_hidden(size_t dir, const char *name)
{
	for (size_t i = 0; i < dir; i++)
		if (names_exists("%s/%s", dirs[i], name))
			return true;
	return false;
}

static bool in_dirs(const char *wanted, struct module_report *r)
{
	bool found = false;

	for (size_t i = 0; i < N_DIRS; i++) {
		struct dirent **entry;
		char path[PATH_MAX];
		int n;

		n = scandir(names_in_root(dirs[i], path, sizeof(path)), &entry, is_conf, alphasort);
		for (int j = 0; j < n; j++) {
			if (!found && !is_hidden(i, entry[j]->d_name)) {
				snprintf(path, sizeof(path), "%s/%s", dirs[i], entry[j]->d_name);
				found = read_file(wanted, path, r);
			}
			free(entry[j]);
		}
		if (n >= 0)
			free(entry);
	}
	return found;
}

/* The value of a parameter: "NAME=VALUE", where the name may have dashes for underscores. */
static const char *parameter(const char *word, const char *name)
{
	for (; *name; name++, word++)
		if (*word != *name && !(*word == '-' && *name == '_'))
			return NULL;
	return *word == '=' ? word + 1 : NULL;
}

static bool in_list(const char *list, bool dashes)
{
	char name[64];

	for (;; list++) {
		size_t n = strcspn(list, ",\"");

		snprintf(name, sizeof(name), "%.*s", (int)(n < 63 ? n : 63), list);
		if (dashes ? is_module(name) : !strcmp(name, MODULE_NAME))
			return true;
		list += n;
		if (!*list)
			return false;
	}
}

static void read_cmdline(bool *kernel, bool *modprobe)
{
	FILE *f = names_open("/proc/cmdline");
	char line[4096] = "", *rest = NULL;

	if (f && !fgets(line, sizeof(line), f))
		line[0] = 0;
	if (f)
		fclose(f);
	line[strcspn(line, "\n")] = 0;
	for (char *word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		const char *v;

		word += *word == '"';
		/* The kernel keeps the last one, modprobe all. */
		v = parameter(word, "module_blacklist");
		if (v)
			*kernel = in_list(v, false);
		v = parameter(word, "modprobe.blacklist");
		if (v)
			*modprobe |= in_list(v, true);
	}
}

bool modconf_blacklisted(struct module_report *r)
{
	bool kernel = false, modprobe = false;

	/* The strongest first. */
	read_cmdline(&kernel, &modprobe);
	if (kernel) {
		snprintf(r->why, sizeof(r->why), "the kernel's command line has it in "
			 "module_blacklist, so that this kernel does not take it");
		snprintf(r->fix, sizeof(r->fix), "boot without that");
	} else if (in_dirs("install", r) || in_dirs("blacklist", r)) {
		return true;
	} else if (modprobe) {
		snprintf(r->why, sizeof(r->why), "the kernel's command line has it in "
			 "modprobe.blacklist, so that it is not loaded at boot");
		snprintf(r->fix, sizeof(r->fix), "modprobe " MODULE_NAME
			 ", which loads it all the same; or boot without that");
	} else {
		return false;
	}
	r->state = MODULE_BLACKLISTED;
	return true;
}

enum sign { SIGN_NO, SIGN_YES, SIGN_UNKNOWN };

/* A signature is at the end of the file, but inside of what is compressed. */
static enum sign signature(const char *file)
{
	static const char magic[] = "~Module signature appended~\n";
	char end[sizeof(magic)] = "";
	enum sign sign = SIGN_UNKNOWN;
	size_t len = strlen(file);
	FILE *f;

	if (len < 3 || strcmp(file + len - 3, ".ko") != 0)
		return SIGN_UNKNOWN;
	f = names_open("%s", file);
	if (!f)
		return SIGN_UNKNOWN;
	if (!fseek(f, -(long)(sizeof(magic) - 1), SEEK_END) &&
	    fread(end, 1, sizeof(magic) - 1, f) == sizeof(magic) - 1)
		sign = strcmp(end, magic) ? SIGN_NO : SIGN_YES;
	fclose(f);
	return sign;
}

bool modconf_refused(struct module_report *r)
{
	const char *by = NULL;
	char line[128] = "";

	if (names_line(line, sizeof(line), "/proc/sys/kernel/modules_disabled") &&
	    !strcmp(line, "1")) {
		r->state = MODULE_REFUSED;
		snprintf(r->why, sizeof(r->why),
			 "kernel.modules_disabled is 1: no module can be loaded any more");
		snprintf(r->fix, sizeof(r->fix), "boot again, and load it before that is set, "
			 "such as by a line " MODULE_NAME " in /etc/modules-load.d");
		return true;
	}
	if (names_line(line, sizeof(line), "/sys/kernel/security/lockdown") &&
	    (strstr(line, "[integrity]") || strstr(line, "[confidentiality]")))
		by = "kernel lockdown is on (as with Secure Boot)";
	else if (names_line(line, sizeof(line), "/sys/module/module/parameters/sig_enforce") &&
		 *line == 'Y')
		by = "module.sig_enforce is on";
	if (!by)
		return false;
	switch (signature(r->file)) {
	case SIGN_NO:
		r->state = MODULE_REFUSED;
		snprintf(r->why, sizeof(r->why), "%s, and it is not signed", by);
		snprintf(r->fix, sizeof(r->fix), "let DKMS sign it with a key that the firmware "
			 "knows (mokutil --import, then boot again), then: dkms install --force "
			 "and modprobe " MODULE_NAME);
		return true;
	case SIGN_YES:
		snprintf(r->why, sizeof(r->why), "%s; it is signed, but whether the kernel has the "
			 "key is not known", by);
		break;
	case SIGN_UNKNOWN:
		snprintf(r->why, sizeof(r->why), "%s; whether it is signed cannot be seen here", by);
		break;
	}
	snprintf(r->fix, sizeof(r->fix), "modprobe " MODULE_NAME "; if that says \"Key was "
		 "rejected by service\": modinfo -F signer " MODULE_NAME ", and mokutil --import "
		 "for its key");
	return false;
}
