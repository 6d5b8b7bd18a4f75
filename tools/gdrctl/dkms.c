// SPDX-License-Identifier: GPL-2.0
/* What DKMS made of the module. */
#include <dirent.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dkms.h"
#include "format.h"
#include "names.h"

#define TREE "/var/lib/dkms/gdr-telemetry"

/* The newest version that DKMS has the sources of. */
static bool newest(char version[64])
{
	struct dirent **entry;
	char path[PATH_MAX];
	int n;

	version[0] = 0;
	n = scandir(names_in_root(TREE, path, sizeof(path)), &entry, names_not_hidden, versionsort);
	for (int i = 0; i < n; i++) {
		/* "kernel-6.1-x86_64" leads to what is installed for that kernel. */
		if (strncmp(entry[i]->d_name, "kernel-", 7) != 0 &&
		    strlen(entry[i]->d_name) < 64)
			strcpy(version, entry[i]->d_name);
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
	return *version;
}

/* The value of KEY="VALUE" or KEY=VALUE; of several lines the last. */
static bool directive(const char *version, const char *key, char *buf,
		      size_t size)
{
	FILE *f = names_open(TREE "/%s/source/dkms.conf", version);
	size_t len = strlen(key), room = 0;
	char *line = NULL;
	bool found = false;

	while (f && getline(&line, &room, f) > 0) {
		char *at = line + strspn(line, " \t"), quote;

		if (strncmp(at, key, len) != 0 || at[len] != '=')
			continue;
		at += len + 1;
		quote = *at == '"' || *at == '\'' ? *at++ : 0;
		at[strcspn(at, quote == '"' ? "\"\n" : quote ? "'\n" : " \t\n")] = 0;
		found = strlen(at) < size;
		if (found)
			strcpy(buf, at);
	}
	free(line);
	if (f)
		fclose(f);
	return found && *buf;
}

/* Numbers at the beginning, one after the other: 5.9 is below 5.12.0-1. */
static int compare_versions(const char *a, const char *b)
{
	for (;;) {
		char *end_a, *end_b;
		unsigned long x = strtoul(a, &end_a, 10), y = strtoul(b, &end_b, 10);

		if (end_a == a || end_b == b)
			return (end_a != a) - (end_b != b);
		if (x != y)
			return x > y ? 1 : -1;
		if (*end_a != '.' || *end_b != '.')
			return (*end_a == '.') - (*end_b == '.');
		a = end_a + 1;
		b = end_b + 1;
	}
}

/* y or m in the configuration of the kernel. Return: -1 if that cannot be read */
static int configured(const char *release, const char *option)
{
	FILE *f = names_open("/lib/modules/%s/build/.config", release);
	size_t room = 0, len = strlen(option);
	char *line = NULL;
	int found = 0;

	if (!f)
		f = names_open("/boot/config-%s", release);
	if (!f)
		return -1;
	while (!found && getline(&line, &room, f) > 0)
		found = !strncmp(line, option, len) && line[len] == '=' &&
			(line[len + 1] == 'y' || line[len + 1] == 'm');
	free(line);
	fclose(f);
	return found;
}

/* Counted repeats may take any amount of memory, and each '+' of a '+' doubles it. */
static bool is_costly(const char *pattern)
{
	size_t plus = 0;

	for (const char *p = pattern; (p = strchr(p, '+')); p++)
		plus++;
	return plus > 8 || strchr(pattern, '{');
}

static bool matches(const char *pattern, const char *s)
{
	regex_t re;
	int err;

	/* What is no pattern says nothing. */
	if (is_costly(pattern) || regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB))
		return true;
	err = regexec(&re, s, 0, NULL, 0);
	regfree(&re);
	return !err;
}

static bool lacks_config(const char *release, char *list, char *why, size_t size)
{
	char *rest = NULL, shown[96];

	for (char *word = strtok_r(list, " \t", &rest); word;
	     word = strtok_r(NULL, " \t", &rest)) {
		bool no = *word == '!';
		int is = configured(release, word + no);

		if (is < 0)
			return false;
		if (is != no)
			continue;
		snprintf(why, size, "kernel %s is configured with%s %s", release, no ? "" : "out",
			 format_escape(word + no, shown, sizeof(shown)));
		return true;
	}
	return false;
}

static bool excluded(const char *version, struct module_report *r)
{
	char value[1024], shown[160], *why = r->why;

	if (directive(version, "BUILD_EXCLUSIVE_KERNEL_MIN", value, sizeof(value)) &&
	    compare_versions(r->release, value) < 0)
		snprintf(why, MODULE_TEXT, "kernel %s is older than %s, its "
			 "BUILD_EXCLUSIVE_KERNEL_MIN",
			 r->release, format_escape(value, shown, sizeof(shown)));
	else if (directive(version, "BUILD_EXCLUSIVE_KERNEL_MAX", value, sizeof(value)) &&
		 compare_versions(r->release, value) > 0)
		snprintf(why, MODULE_TEXT, "kernel %s is newer than %s, its "
			 "BUILD_EXCLUSIVE_KERNEL_MAX",
			 r->release, format_escape(value, shown, sizeof(shown)));
	else if (directive(version, "BUILD_EXCLUSIVE_KERNEL", value, sizeof(value)) &&
		 !matches(value, r->release))
		snprintf(why, MODULE_TEXT, "kernel %s does not match its BUILD_EXCLUSIVE_KERNEL %s",
			 r->release, format_escape(value, shown, sizeof(shown)));
	else if (!directive(version, "BUILD_EXCLUSIVE_CONFIG", value, sizeof(value)) ||
		 !lacks_config(r->release, value, why, MODULE_TEXT))
		return false;
	r->state = MODULE_EXCLUDED;
	snprintf(r->fix, sizeof(r->fix), "it cannot be built for this kernel; boot another, such "
		 "as a kernel of the distribution from 5.12 on, with kprobes");
	return true;
}

/* A build that failed leaves its log, whose first line names the kernel. */
static bool build_failed(const char *version, struct module_report *r)
{
	char path[PATH_MAX], line[512] = "", wanted[160];
	FILE *f;

	snprintf(path, sizeof(path), TREE "/%s/build/make.log", version);
	f = names_open("%s", path);
	if (!f)
		return false;
	if (!fgets(line, sizeof(line), f))
		line[0] = 0;
	fclose(f);
	snprintf(wanted, sizeof(wanted), " for kernel %s (", r->release);
	if (!strstr(line, wanted))
		return false;
	r->state = MODULE_FAILED;
	snprintf(r->log, sizeof(r->log), "%s", path);
	snprintf(r->why, sizeof(r->why), "DKMS did not get through its build for kernel %s, or is "
		 "at it: %.300s", r->release, path);
	snprintf(r->fix, sizeof(r->fix), "read that log; then: dkms autoinstall -k %s && modprobe "
		 MODULE_NAME, r->release);
	return true;
}

/* Built is what has a directory RELEASE/ARCH/module. */
static bool is_built(const char *version, struct module_report *r)
{
	char path[PATH_MAX], dir[PATH_MAX];
	struct dirent **entry;
	bool built = false;
	int n;

	snprintf(dir, sizeof(dir), TREE "/%s/%s", version, r->release);
	n = scandir(names_in_root(dir, path, sizeof(path)), &entry, names_not_hidden, alphasort);
	for (int i = 0; i < n; i++) {
		built |= names_exists("%s/%s/module", dir, entry[i]->d_name);
		if (names_exists("%s/%s/log/make.log", dir, entry[i]->d_name))
			snprintf(r->log, sizeof(r->log), "%.3000s/%s/log/make.log", dir,
				 entry[i]->d_name);
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
	return built;
}

bool dkms_look(struct module_report *r)
{
	char version[64];

	if (!names_exists(TREE))
		return false;
	r->state = MODULE_UNBUILT;
	snprintf(r->why, sizeof(r->why), "DKMS has not installed it for kernel %s", r->release);
	snprintf(r->fix, sizeof(r->fix), "dkms autoinstall -k %s && modprobe " MODULE_NAME,
		 r->release);
	if (!newest(version))
		return true;
	if (is_built(version, r)) {
		snprintf(r->why, sizeof(r->why),
			 "DKMS has built it for kernel %s, but modules.dep does not have it",
			 r->release);
		snprintf(r->fix, sizeof(r->fix), "dkms install --force gdr-telemetry/%s -k %s && "
			 "modprobe " MODULE_NAME, version, r->release);
		return true;
	}
	if (excluded(version, r) || build_failed(version, r))
		return true;
	if (!names_exists("/lib/modules/%s/build/.", r->release)) {
		snprintf(r->why, sizeof(r->why), "DKMS has not built it for kernel %s, of which "
			 "there are no headers here", r->release);
		snprintf(r->fix, sizeof(r->fix), "install them (on Debian: apt-get install "
			 "linux-headers-%s), then: dkms autoinstall -k %s && modprobe "
			 MODULE_NAME, r->release, r->release);
	}
	return true;
}
