// SPDX-License-Identifier: GPL-2.0
/* gdrt-as-user COMMAND ARG...: runs it as "nobody", without any capability. */
#include <grp.h>
#include <stdio.h>
#include <unistd.h>

#define NOBODY	65534

int main(int argc, char **argv)
{
	if (argc < 2 || setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY)) {
		perror("gdrt-as-user COMMAND ARG...");
		return 126;
	}
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 127;
}
