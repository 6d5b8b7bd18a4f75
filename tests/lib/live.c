// SPDX-License-Identifier: GPL-2.0
/* bufinfo and the exporter double's ledger, joined by inode number. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live.h"

#define STEP	256

static const uint64_t *left_out;
static unsigned int n_left_out;

void live_leave_out(const uint64_t *inode, unsigned int n)
{
	left_out = inode;
	n_left_out = n;
}

static bool is_left_out(uint64_t inode)
{
	unsigned int i;

	for (i = 0; i < n_left_out; i++)
		if (left_out[i] == inode)
			return true;
	return false;
}

bool live_word(const char *path, char *word, unsigned int size)
{
	FILE *f = fopen(path, "re");
	bool ok;

	if (!f)
		return false;
	ok = fgets(word, size, f);
	fclose(f);
	if (ok)
		word[strcspn(word, "\n")] = 0;
	return ok;
}

/* Index of a name, which is added if it is new; -1 if there are too many. */
static int device(char names[][LIVE_NAME], unsigned int *n, const char *name)
{
	unsigned int i;

	for (i = 0; i < *n; i++)
		if (!strcmp(names[i], name))
			return i;
	if (*n == LIVE_DEVICES) {
		fprintf(stderr, "more than %d devices at '%s'\n", LIVE_DEVICES, name);
		return -1;
	}
	snprintf(names[*n], LIVE_NAME, "%s", name);
	return (*n)++;
}

static bool is_double(const char *exp_name)
{
	return !strcmp(exp_name, "nvidia") || !strcmp(exp_name, "nv_dmabuf");
}

static bool is_hca(const char *importer)
{
	char path[LIVE_NAME + 64], word[16];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%.63s/vendor", importer);
	return live_word(path, word, sizeof(word)) && !strcmp(word, "0x15b3");
}

/* The exporter's module, where the kernel has it as one, else its exp_name. */
static const char *exporter_name(const char *exp_name)
{
	if (is_double(exp_name))
		return "nvidia";
	/* include/linux/dma-heap.h: the heap's name is the exp_name. */
	if (!strcmp(exp_name, "system") && !access("/sys/module/system_heap/initstate", F_OK))
		return "system_heap";
	return exp_name;
}

static struct live_buffer *buffer_new(struct live *l)
{
	struct live_buffer *b;

	if (l->n_buffers % STEP == 0) {
		b = realloc(l->buffer, (l->n_buffers + STEP) * sizeof(*b));
		if (!b)
			return NULL;
		l->buffer = b;
	}
	b = &l->buffer[l->n_buffers++];
	memset(b, 0, sizeof(*b));
	return b;
}

/* The last buffer that was met in bufinfo, which may have no attachment that is tracked. */
struct heading {
	uint64_t inode;
	uint64_t size;
	char exp_name[LIVE_NAME];
	bool is_new;
};

/* A line with tabs between: size, flags, mode, count, exp_name, inode number, name. */
static bool read_heading(char *line, struct heading *h)
{
	char *field[6], *at = line;
	int i;

	if (line[strspn(line, "0123456789")] != '\t')
		return false;
	for (i = 0; i < 6; i++) {
		field[i] = at;
		at = strchr(at, '\t');
		if (!at && i < 5)
			return false;
		if (at)
			*at++ = 0;
	}
	h->size = strtoull(field[0], NULL, 10);
	h->inode = strtoull(field[5], NULL, 10);
	snprintf(h->exp_name, sizeof(h->exp_name), "%s", field[4]);
	h->is_new = true;
	return true;
}

static bool add(struct live *l, struct heading *h, const char *importer)
{
	struct live_buffer *b;
	int i;

	if (h->is_new) {
		b = buffer_new(l);
		i = device(l->exporter, &l->n_exporters, exporter_name(h->exp_name));
		if (!b || i < 0)
			return false;
		b->inode = h->inode;
		b->size = h->size;
		b->exporter = i;
		b->is_double = is_double(h->exp_name);
		h->is_new = false;
	}
	i = device(l->importer, &l->n_importers, importer);
	if (i < 0)
		return false;
	l->buffer[l->n_buffers - 1].share[i].attachments++;
	return true;
}

/* A heading for each buffer, then its attached devices, one a line that starts with a tab. */
static bool read_bufinfo(struct live *l, bool all)
{
	bool devices = false, ok = true;
	struct heading h = {};
	char line[1024];
	FILE *f = fopen(GDRT_BUFINFO, "re");

	if (!f) {
		perror(GDRT_BUFINFO);
		return false;
	}
	while (ok && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		if (line[0] != '\t') {
			devices &= !read_heading(line, &h);
		} else if (strstr(line, "Attached Devices:")) {
			devices = true;
		} else if (devices && !is_left_out(h.inode) &&
			   (all || is_double(h.exp_name) || is_hca(line + 1))) {
			/* What is not below "Attached Devices:" is a fence. */
			ok = add(l, &h, line + 1);
		}
	}
	fclose(f);
	return ok;
}

static int by_inode(const void *a, const void *b)
{
	const struct live_buffer *x = a, *y = b;

	return x->inode < y->inode ? -1 : x->inode > y->inode;
}

static bool read_ledger(struct live *l)
{
	char line[1024], kind[16] = "", told[LIVE_NAME], importer[LIVE_NAME];
	struct live_buffer key = {}, *b = NULL;
	unsigned int maps, pins;
	FILE *f = fopen(GDRT_EXP_LEDGER, "re");
	bool ok = true;
	int i;

	if (!f) {
		perror(GDRT_EXP_LEDGER);
		return false;
	}
	if (l->n_buffers)
		qsort(l->buffer, l->n_buffers, sizeof(*l->buffer), by_inode);
	while (ok && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "buffer %" SCNu64 " size %*u gpu %*s kind %15s attachments %*u"
			   " maps %*u pins %*u told %63s", &key.inode, kind, told) == 3) {
			b = l->n_buffers ? bsearch(&key, l->buffer, l->n_buffers, sizeof(key),
						   by_inode) : NULL;
			if (!b || !strcmp(told, "-"))
				continue;
			i = device(l->exporter, &l->n_exporters, told);
			ok = i >= 0;
			b->exporter = i;
			b->is_device = true;
		} else if (b && sscanf(line, "attachment %*u importer %63s maps %u pins %u", importer,
				       &maps, &pins) == 3) {
			i = device(l->importer, &l->n_importers, importer);
			if (i < 0) {
				ok = false;
				continue;
			}
			b->share[i].mapped += !!maps;
			/* A pin operation is in force, or there is none and nothing can move. */
			b->share[i].pinned += strcmp(kind, "dynamic") ? !!maps : !!pins;
		}
	}
	fclose(f);
	return ok;
}

bool live_read(struct live *l, bool all)
{
	memset(l, 0, sizeof(*l));
	return read_bufinfo(l, all) && read_ledger(l);
}

void live_free(struct live *l)
{
	free(l->buffer);
	memset(l, 0, sizeof(*l));
}
