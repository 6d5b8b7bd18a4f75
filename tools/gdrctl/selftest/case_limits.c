// SPDX-License-Identifier: GPL-2.0
/* Cases of gdrctl test: the limits of this process. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "selftest/run.h"

#define FDS	64
#define LOCKED	(4u << 20)

void st_limit_fds(struct st_run *r)
{
	struct rlimit limit = { 0, 0 };
	int fd[FDS], n = 0, err = 0;

	while (n < FDS && !err) {
		fd[n] = open("/dev/null", O_RDWR | O_CLOEXEC);
		if (fd[n] < 0)
			err = errno;
		else
			n++;
	}
	for (int i = 0; i < n; i++)
		close(fd[i]);
	if (!err) {
		run_observed(r, "%d files can be opened", FDS);
		return;
	}
	getrlimit(RLIMIT_NOFILE, &limit);
	run_failed(r, "fds", err, "after %d of %d more files: %s; the limit is %llu", n, FDS,
		   strerror(err), (unsigned long long)limit.rlim_cur);
}

void st_limit_memlock(struct st_run *r)
{
	void *p = mmap(NULL, LOCKED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct rlimit limit = { 0, 0 };
	int err = 0;

	if (p == MAP_FAILED) {
		run_failed(r, "memlock", errno, "mmap: %s", strerror(errno));
		return;
	}
	/* What RDMA locks is counted apart from this, against the same limit. */
	if (mlock(p, LOCKED))
		err = errno;
	munmap(p, LOCKED);
	getrlimit(RLIMIT_MEMLOCK, &limit);
	if (!err)
		run_observed(r, "%u MiB can be locked", LOCKED >> 20);
	else
		run_failed(r, "memlock", err, "%u MiB cannot be locked: %s; the limit is %llu KiB",
			   LOCKED >> 20, strerror(err), (unsigned long long)limit.rlim_cur >> 10);
}
