// SPDX-License-Identifier: GPL-2.0
/* Names of buffers and processes: bufinfo, what the descriptors of a process lead to, its comm. */
#include <errno.h>

#include "bufnames.h"
#include "fuzz.h"
#include "procfd.h"

#define BUFINFO "/sys/kernel/debug/dma_buf/bufinfo"
#define COMM "/proc/7/comm"
#define FD "/proc/7/fd/3"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	fuzz_begin();
	fuzz_file("/proc/7/fd/x", "", 0);
	return 0;
}

static bool look(void *arg, const struct procfd *fd)
{
	*(size_t *)arg += strlen(fd->target);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bufname b[] = { { .inode = 77 }, { .inode = 7 }, { .inode = 12345678 } };
	char path[PATH_MAX], comm[16];
	size_t length = 0;
	char *s;

	fuzz_file(BUFINFO, data, size);
	fuzz_file(COMM, data, size);
	procfd_comm(7, comm);
	if (strlen(comm) >= sizeof(comm))
		abort();
	s = fuzz_string(data, size);
	snprintf(path, sizeof(path), "%s" FD, fuzz_root);
	unlink(path);
	if (symlink(s, path) && errno != ENOENT && errno != ENAMETOOLONG)
		abort();
	free(s);
	procfd_each("/dev/", look, &length);
	bufnames_read(b, ARRAY_SIZE(b));
	for (size_t i = 0; i < ARRAY_SIZE(b); i++)
		if (strlen(b[i].name) >= sizeof(b[i].name))
			abort();
	return 0;
}
