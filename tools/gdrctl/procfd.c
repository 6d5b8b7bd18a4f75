// SPDX-License-Identifier: GPL-2.0
/* Open files of all processes that we may look at, from /proc. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "names.h"
#include "procfd.h"

/** struct walk - the arguments of procfd_each() */
struct walk {
	const char *prefix;
	bool (*fn)(void *arg, const struct procfd *fd);
	void *arg;
	bool stopped;
};

static void walk_fds(struct walk *w, uint32_t pid, DIR *fds)
{
	struct dirent *d;

	while (!w->stopped && (d = readdir(fds))) {
		char target[PATH_MAX];
		struct procfd fd = { .pid = pid, .target = target };
		ssize_t n = readlinkat(dirfd(fds), d->d_name, target, sizeof(target) - 1);
		struct stat st;

		if (n <= 0)
			continue;
		target[n] = 0;
		if (strncmp(target, w->prefix, strlen(w->prefix)) != 0)
			continue;
		if (!fstatat(dirfd(fds), d->d_name, &st, 0))
			fd.inode = st.st_ino;
		w->stopped = !w->fn(w->arg, &fd);
	}
}

bool procfd_each(const char *prefix, bool (*fn)(void *arg, const struct procfd *fd), void *arg)
{
	struct walk w = { .prefix = prefix, .fn = fn, .arg = arg };
	char path[PATH_MAX];
	bool all = true;
	struct dirent *d;
	DIR *proc = opendir(names_in_root("/proc", path, sizeof(path)));

	if (!proc)
		return false;
	while (!w.stopped && (d = readdir(proc))) {
		unsigned long pid;
		char *end, name[64];
		DIR *fds;
		int fd;

		pid = strtoul(d->d_name, &end, 10);
		if (*end || !pid || pid > UINT32_MAX)
			continue;
		snprintf(name, sizeof(name), "%lu/fd", pid);
		fd = openat(dirfd(proc), name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		fds = fd < 0 ? NULL : fdopendir(fd);
		if (fds) {
			walk_fds(&w, (uint32_t)pid, fds);
			closedir(fds);
			continue;
		}
		/* One that has ended meanwhile has nothing open. */
		all &= errno == ENOENT || errno == ESRCH;
		if (fd >= 0)
			close(fd);
	}
	closedir(proc);
	return all;
}

void procfd_comm(uint32_t pid, char comm[16])
{
	FILE *f = names_open("/proc/%u/comm", pid);
	size_t n = 0;

	if (f) {
		n = fread(comm, 1, 15, f);
		fclose(f);
	}
	if (n && comm[n - 1] == '\n')
		n--;
	comm[n] = 0;
}
