// SPDX-License-Identifier: GPL-2.0
/* Writing a file in one step. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format.h"
#include "metrics.h"

static enum exit_code refused(const char *path, int err)
{
	char shown[256];

	message("cannot write \"%s\": %s", format_escape(path, shown, sizeof(shown)),
		strerror(err));
	return EXIT_SYSTEM;
}

/* Return: 0, or a positive errno. */
static int write_to(int fd, void (*write)(FILE *to, const void *arg), const void *arg)
{
	FILE *f = fdopen(fd, "w");
	mode_t mask = umask(0);
	int err = 0;

	umask(mask);
	if (!f) {
		err = errno;
		close(fd);
		return err;
	}
	write(f, arg);
	errno = EIO;
	/* Readers, as node_exporter, are other users. On disk before it is in the old one's place. */
	if (fflush(f) || ferror(f) || fchmod(fd, 0666 & ~mask) || fsync(fd))
		err = errno;
	if (fclose(f) && !err)
		err = errno;
	return err;
}

enum exit_code metrics_replace(const char *path, void (*write)(FILE *to, const void *arg),
			       const void *arg)
{
	char temporary[PATH_MAX];
	struct stat st;
	int fd, err;

	if (!*path)
		return refused(path, ENOENT);
	/* rename() would say no to a directory only in the end, and would take a device's place. */
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return refused(path, S_ISDIR(st.st_mode) ? EISDIR : EINVAL);
	/* In the same directory: elsewhere it may be another file system. No name in .prom. */
	if (snprintf(temporary, sizeof(temporary), "%s.XXXXXX", path) >= (int)sizeof(temporary))
		return refused(path, ENAMETOOLONG);
	fd = mkstemp(temporary);
	if (fd < 0)
		return refused(path, errno);
	err = write_to(fd, write, arg);
	if (!err && rename(temporary, path))
		err = errno;
	if (!err)
		return EXIT_OK;
	unlink(temporary);
	return refused(path, err);
}
