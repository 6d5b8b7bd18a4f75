// SPDX-License-Identifier: GPL-2.0
/* Control groups (v2): from the id that the kernel gives to path, container and pod. */
#include <ctype.h>
#include <fts.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cgroup.h"
#include "names.h"

#define CONTAINER_ID 64
#define SHORT_ID 12
#define UID_HEX 32

/** struct known - a cgroup that was found */
struct known {
	uint64_t id;
	char *path;
};

static struct known *known;
static size_t n_known;
static bool have_known;

static int by_id(const void *a, const void *b)
{
	const struct known *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

/* Without memory a cgroup is not known. */
static void add(uint64_t id, const char *path)
{
	char *copy = strdup(*path ? path : "/");

	/* Room doubles at each power of two. */
	if (copy && !(n_known & (n_known - 1))) {
		size_t room = n_known ? 2 * n_known : 1;
		struct known *more = realloc(known, room * sizeof(*more));

		if (!more) {
			free(copy);
			return;
		}
		known = more;
	}
	if (copy)
		known[n_known++] = (struct known){ .id = id, .path = copy };
}

/* The hierarchy is at one of two places: alone, or beside those of version 1. */
static void look(void)
{
	char root[PATH_MAX];
	char *paths[] = { root, NULL };
	FTSENT *e;
	FTS *fts;

	if (have_known)
		return;
	have_known = true;
	names_in_root("/sys/fs/cgroup", root, sizeof(root));
	if (!names_exists("/sys/fs/cgroup/cgroup.controllers") &&
	    names_exists("/sys/fs/cgroup/unified"))
		names_in_root("/sys/fs/cgroup/unified", root, sizeof(root));
	fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
	while (fts && (e = fts_read(fts)))
		if (e->fts_info == FTS_D)
			add(e->fts_statp->st_ino, e->fts_path + strlen(root));
	if (fts)
		fts_close(fts);
	if (n_known)
		qsort(known, n_known, sizeof(*known), by_id);
}

void cgroup_forget(void)
{
	for (size_t i = 0; i < n_known; i++)
		free(known[i].path);
	free(known);
	known = NULL;
	n_known = 0;
	have_known = false;
}

const char *cgroup_path(uint64_t id)
{
	const struct known key = { .id = id }, *found = NULL;

	look();
	if (n_known)
		found = bsearch(&key, known, n_known, sizeof(*known), by_id);
	return found ? found->path : NULL;
}

static size_t hex_digits(const char *s)
{
	return strspn(s, "0123456789abcdef");
}

/* "docker-ID.scope", "cri-containerd-ID.scope", "slice:cri-containerd:ID", "ID" */
static void take_container(const char *part, size_t len, struct cgroup_owner *o)
{
	static const char lxc[] = "lxc.payload.";

	for (size_t i = 0; i + CONTAINER_ID <= len; i++) {
		const char *at = part + i, *end = at + CONTAINER_ID;

		if ((i && !strchr("-:", at[-1])) || hex_digits(at) != CONTAINER_ID)
			continue;
		if (end == part + len || !strncmp(end, ".scope", 6)) {
			memcpy(o->container, at, CONTAINER_ID);
			o->container[CONTAINER_ID] = 0;
		}
	}
	if (len >= sizeof(lxc) && len - sizeof(lxc) + 1 < sizeof(o->container) &&
	    !strncmp(part, lxc, sizeof(lxc) - 1)) {
		memcpy(o->container, part + sizeof(lxc) - 1, len - sizeof(lxc) + 1);
		o->container[len - sizeof(lxc) + 1] = 0;
	}
}

/*
 * The UID of a pod: hex digits with dashes, which systemd's names have as underscores; of a
 * static pod without. Return: whether it is one and nothing else.
 */
static bool read_uid(const char *s, size_t len, char uid[40])
{
	size_t digits = 0;

	if (len != UID_HEX && len != UID_HEX + 4)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (isxdigit((unsigned char)s[i]))
			digits++;
		else if (s[i] != '_' && s[i] != '-')
			return false;
		uid[i] = s[i] == '_' ? '-' : s[i];
	}
	uid[len] = 0;
	return digits == UID_HEX;
}

/* "podUID", "kubepods-burstable-podUID.slice" */
static void take_pod(const char *part, size_t len, struct cgroup_owner *o)
{
	char uid[40];

	for (size_t i = 0; i + 3 < len; i++) {
		const char *at = part + i;
		size_t n = strcspn(at, "./:");

		if ((i && at[-1] != '-') || strncmp(at, "pod", 3))
			continue;
		if (at + n > part + len)
			n = (size_t)(part + len - at);
		if (n > 3 && read_uid(at + 3, n - 3, uid))
			strcpy(o->pod, uid);
	}
}

static void take_job(const char *part, size_t len, struct cgroup_owner *o)
{
	size_t digits = len > 4 ? strspn(part + 4, "0123456789") : 0;

	if (!strncmp(part, "job_", 4) && digits == len - 4 && digits < sizeof(o->job)) {
		memcpy(o->job, part + 4, digits);
		o->job[digits] = 0;
	}
}

void cgroup_owner(const char *path, struct cgroup_owner *o)
{
	bool slurm = strstr(path, "slurm");

	memset(o, 0, sizeof(*o));
	while (*path) {
		size_t len = strcspn(path, "/");

		take_container(path, len, o);
		take_pod(path, len, o);
		if (slurm && len > 4)
			take_job(path, len, o);
		path += len + (path[len] == '/');
	}
}

static bool is_number(const char *s)
{
	return *s && !s[strspn(s, "0123456789")] && strlen(s) < SHORT_ID;
}

bool cgroup_is_filter(const char *s)
{
	char uid[40];

	return *s == '/' || is_number(s) || read_uid(s, strlen(s), uid) ||
	       (strlen(s) >= SHORT_ID && strlen(s) <= CONTAINER_ID && !s[hex_digits(s)]);
}

/* @path is @top or below it. */
static bool is_below(const char *path, const char *top)
{
	size_t len = strlen(top);

	while (len && top[len - 1] == '/')
		len--;
	return !strncmp(path, top, len) && (!path[len] || path[len] == '/');
}

bool cgroup_matches(const char *filter, uint64_t id)
{
	struct cgroup_owner o;
	const char *path;
	char uid[40];

	if (is_number(filter))
		return strtoull(filter, NULL, 10) == id;
	path = cgroup_path(id);
	if (!path)
		return false;
	if (*filter == '/')
		return is_below(path, filter);
	cgroup_owner(path, &o);
	if (read_uid(filter, strlen(filter), uid) && !strcasecmp(uid, o.pod))
		return true;
	return *o.container && !strncmp(o.container, filter, strlen(filter));
}
