// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

void command_open(const char *in_path, const char *out_path, FILE **in, FILE **out)
{
	/* Both ways: no end of file when the other side goes. */
	int fd = open(out_path, O_RDWR | O_CLOEXEC);

	*in = fopen(in_path, "r+e");
	*out = fd < 0 ? NULL : fdopen(fd, "w");
}

bool command_next(FILE *in, struct command *c)
{
	char *save;
	int n;

	while (fgets(c->line, sizeof(c->line), in)) {
		n = 0;
		for (c->w[0] = strtok_r(c->line, " \n", &save); c->w[n] && n < COMMAND_WORDS - 1; )
			c->w[++n] = strtok_r(NULL, " \n", &save);
		c->w[n] = NULL;
		if (n)
			return true;
	}
	return false;
}

bool command_number(const char *word, const char *name, uint64_t *v)
{
	size_t len = strlen(name);

	if (strncmp(word, name, len))
		return false;
	*v = strtoull(word + len, NULL, 0);
	return true;
}
