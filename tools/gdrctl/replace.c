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
#include "replace.h"

static enum exit_code refused(const char *path, int err)
{
	char shown[256];

	message("cannot write \"%s\": %s", format_escape(path, shown, sizeof(shown)),
		strerror(err));
	return EXIT_SYSTEM;
}

/* Return: 0, or a positive errno. */
static int write_to(int fd, mode_t mode, void (*write)(FILE *to, const void *arg),
		    const void *arg)
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
	/* On disk before it is in the old one's place. */
	if (fflush(f) || ferror(f) || fchmod(fd, mode & ~mask) || fsync(fd))
		err = errno;
	if (fclose(f) && !err)
		err = errno;
	return err;
}

enum exit_code replace_file(const char *path, mode_t mode,
			    void (*write)(FILE *to, const void *arg), const void *arg)
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
	err = write_to(fd, mode, write, arg);
	if (!err && rename(temporary, path))
		err = errno;
	if (!err)
		return EXIT_OK;
	unlink(temporary);
	return refused(path, err);
}

enum exit_code replace_or_print(const char *path, mode_t mode,
				void (*write)(FILE *to, const void *arg), const void *arg)
{
	if (path && strcmp(path, "-") != 0)
		return replace_file(path, mode, write, arg);
	write(stdout, arg);
	if (!fflush(stdout) && !ferror(stdout))
		return EXIT_OK;
	message("cannot write: output error");
	return EXIT_SYSTEM;
}
