/* SPDX-License-Identifier: GPL-2.0 */
/* Open files of all processes that we may look at, from /proc. */
#ifndef GDRCTL_PROCFD_H
#define GDRCTL_PROCFD_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct procfd - one open file
 * @pid: of whom
 * @target: what the link says: a path, or "/dmabuf:NAME"; any bytes
 * @inode: of the file; 0: it could not be asked for
 */
struct procfd {
	uint32_t pid;
	const char *target;
	uint64_t inode;
};

/**
 * procfd_each - call @fn for each open file whose link begins with @prefix
 * @prefix: "/dev/", "/dmabuf:"
 * @fn: takes the file and @arg; false ends the walk
 * @arg: its argument
 *
 * Return: whether every process could be looked at
 */
bool procfd_each(const char *prefix, bool (*fn)(void *arg, const struct procfd *fd), void *arg);

/**
 * procfd_comm - the command name of a process now
 * @pid: the process
 * @comm: "" if it is gone
 */
void procfd_comm(uint32_t pid, char comm[16]);

#endif
