// SPDX-License-Identifier: GPL-2.0
/* Names that users give to dma-bufs, by inode number. */
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bufnames.h"
#include "names.h"
#include "procfd.h"

#define LINK "/dmabuf:"
#define BUFINFO "/sys/kernel/debug/dma_buf/bufinfo"
#define DIGITS 8

/** struct search - the buffers, and how many have not been found */
struct search {
	struct bufname *b;
	size_t n;
	size_t left;
};

static int by_inode(const void *a, const void *b)
{
	const struct bufname *x = a, *y = b;

	return (x->inode > y->inode) - (x->inode < y->inode);
}

struct bufname *bufnames_find(struct bufname *b, size_t n, uint64_t inode)
{
	const struct bufname key = { .inode = inode };

	return bsearch(&key, b, n, sizeof(*b), by_inode);
}

static void found(struct search *s, uint64_t inode, const char *name)
{
	struct bufname *b = bufnames_find(s->b, s->n, inode);

	if (!b || b->known)
		return;
	b->known = true;
	snprintf(b->name, sizeof(b->name), "%s", name);
	s->left--;
}

static bool take_fd(void *arg, const struct procfd *fd)
{
	struct search *s = arg;

	if (fd->inode)
		found(s, fd->inode, fd->target + strlen(LINK));
	return s->left;
}

/*
 * A number with its tab. No fewer than DIGITS: five such do not fit into a name, so that no name
 * with a newline can pass for the line of another buffer.
 */
static const char *number(const char *s, int base, uint64_t *v)
{
	char *end;

	if (!isxdigit((unsigned char)*s))
		return NULL;
	*v = strtoull(s, &end, base);
	return end - s >= DIGITS && *end == '\t' ? end + 1 : NULL;
}

/* size, flags, mode, count, exp_name, inode, name, with tabs between */
static void take_line(struct search *s, char *line)
{
	const char *at = line, *tab;
	uint64_t v, inode;

	line[strcspn(line, "\n")] = 0;
	for (int i = 0; at && i < 4; i++)
		at = number(at, i == 1 || i == 2 ? 16 : 10, &v);
	if (!at)
		return;
	/* An exp_name may be anything that a driver thought of, tabs excepted. */
	tab = strchr(at, '\t');
	at = tab ? number(tab + 1, 10, &inode) : NULL;
	if (at)
		found(s, inode, strcmp(at, "<none>") ? at : "");
}

void bufnames_read(struct bufname *b, size_t n)
{
	struct search s = { .b = b, .n = n, .left = n };
	char *line = NULL;
	size_t size = 0;
	FILE *f;

	if (!n)
		return;
	qsort(b, n, sizeof(*b), by_inode);
	procfd_each(LINK, take_fd, &s);
	/* This one takes locks of the dma-buf core, so only where it has to be. */
	f = s.left ? names_open("%s", BUFINFO) : NULL;
	while (f && s.left && getline(&line, &size, f) > 0)
		take_line(&s, line);
	free(line);
	if (f)
		fclose(f);
}
