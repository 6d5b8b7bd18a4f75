// SPDX-License-Identifier: GPL-2.0
/*
 * Registrations that fail.
 *
 *	gdrt-fail IN OUT	takes commands as gdrt-reg does:
 *
 *	buffer SIZE [gpu=N] [dynamic] [system]
 *				ok BUFFER inode=INODE
 *	reg HCA [buffer=N | file=PATH | fd=N] [offset=N] [length=N] [iova=N]
 *	    [access=N] [count=N] [keep]
 *				ok ERRNO: of ibv_reg_dmabuf_mr(), of the last of count;
 *				an MR is given up at once but for "keep". Offset and
 *				iova are 0, or both what one of them is; length is that
 *				of the buffer. Made by a thread that is not the main one.
 *	pd HCA			ok ERRNO: of ibv_alloc_pd(), beside the PD that is used
 *	attach BUFFER FUNCTION	ok ERRNO: of a pinned attach by the importer double
 *	quit			give up all and end
 *
 *	gdrt-fail query [COUNT]
 *		What NCCL does at its start: a registration with fd -1 on each HCA,
 *		COUNT times. "HCA ERRNO" a line for each HCA.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "hca.h"

#define MAX	64

static struct buffer buffers[MAX];
static struct ibv_mr *mrs[MAX];
static unsigned int n_buffers, n_mrs;
static char text[128];

/* One registration. */
struct reg {
	struct ibv_pd *pd;
	uint64_t offset, iova;
	size_t length;
	int fd, access;
	unsigned int count;
	bool keep;
	int err;
};

static const char *value(const char *fmt, uint64_t v)
{
	snprintf(text, sizeof(text), fmt, v);
	return text;
}

static const char *refuse(int err)
{
	snprintf(text, sizeof(text), "error %d %s", err, strerror(err));
	return text;
}

static void *reg_thread(void *arg)
{
	struct reg *r = arg;
	struct ibv_mr *mr;
	unsigned int i;

	for (i = 0; i < r->count; i++) {
		mr = ibv_reg_dmabuf_mr(r->pd, r->offset, r->length, r->iova, r->fd, r->access);
		r->err = mr ? 0 : errno;
		if (mr && r->keep && n_mrs < MAX)
			mrs[n_mrs++] = mr;
		else if (mr)
			ibv_dereg_mr(mr);
	}
	return NULL;
}

static const char *cmd_reg(char **w)
{
	struct reg r = { .fd = -1, .access = HCA_ACCESS, .count = 1 };
	struct hca *hca = w[1] ? hca_get(w[1]) : NULL;
	bool has_offset = false, has_iova = false;
	int file = -1, i;
	pthread_t thread;
	uint64_t v;

	if (!hca)
		return refuse(errno);
	r.pd = hca->pd;
	for (i = 2; w[i]; i++) {
		if (command_number(w[i], "buffer=", &v) && v < n_buffers) {
			r.fd = buffers[v].fd;
			r.length = buffers[v].size;
		} else if (!strncmp(w[i], "file=", 5)) {
			file = open(w[i] + 5, O_RDWR | O_CLOEXEC);
			if (file < 0)
				return refuse(errno);
			r.fd = file;
		} else if (command_number(w[i], "fd=", &v)) {
			r.fd = v;
		} else if (command_number(w[i], "offset=", &r.offset)) {
			has_offset = true;
		} else if (command_number(w[i], "iova=", &r.iova)) {
			has_iova = true;
		} else if (command_number(w[i], "length=", &v)) {
			r.length = v;
		} else if (command_number(w[i], "access=", &v)) {
			r.access = v;
		} else if (command_number(w[i], "count=", &v)) {
			r.count = v;
		} else if (!strcmp(w[i], "keep")) {
			r.keep = true;
		} else {
			return refuse(EINVAL);
		}
	}
	if (has_offset && !has_iova)
		r.iova = r.offset;
	if (pthread_create(&thread, NULL, reg_thread, &r))
		return refuse(EAGAIN);
	pthread_join(thread, NULL);
	if (file >= 0)
		close(file);
	return value("ok %" PRIu64, r.err);
}

static const char *cmd_buffer(char **w)
{
	struct buffer *b = &buffers[n_buffers];
	uint64_t size = w[1] ? strtoull(w[1], NULL, 0) : 0, gpu = 0;
	unsigned int flags = 0;
	int i, err;

	if (n_buffers == MAX)
		return refuse(E2BIG);
	for (i = 2; w[i]; i++) {
		if (!strcmp(w[i], "dynamic"))
			flags |= GDRT_EXPORT_DYNAMIC;
		else if (!strcmp(w[i], "system"))
			flags |= GDRT_EXPORT_SYSTEM;
		else if (!command_number(w[i], "gpu=", &gpu))
			return refuse(EINVAL);
	}
	err = buffer_export(b, size, gpu, flags);
	if (err)
		return refuse(-err);
	snprintf(text, sizeof(text), "ok %u inode=%" PRIu64, n_buffers++, b->inode);
	return text;
}

static const char *cmd_pd(char **w)
{
	struct hca *hca = w[1] ? hca_get(w[1]) : NULL;
	struct ibv_pd *pd;

	if (!hca)
		return refuse(errno);
	pd = ibv_alloc_pd(hca->context);
	if (!pd)
		return value("ok %" PRIu64, errno);
	return value("ok %" PRIu64, ibv_dealloc_pd(pd));
}

static const char *cmd_attach(char **w)
{
	unsigned int i = w[1] ? strtoul(w[1], NULL, 0) : MAX;
	uint64_t handle;
	int err;

	if (i >= n_buffers || !w[2])
		return refuse(EINVAL);
	err = import_attach(&buffers[i], strtoul(w[2], NULL, 0), GDRT_IMPORT_PINNED, 1, &handle);
	return value("ok %" PRIu64, -err);
}

static const char *cmd_quit(void)
{
	unsigned int i;

	for (i = 0; i < n_mrs; i++)
		ibv_dereg_mr(mrs[i]);
	hca_close_all();
	return "ok";
}

static int query(unsigned int count)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct reg r = { .fd = -1, .count = count };
	struct hca *hca;
	int i;

	for (i = 0; list && list[i]; i++) {
		hca = hca_get(ibv_get_device_name(list[i]));
		if (!hca) {
			perror(ibv_get_device_name(list[i]));
			return 1;
		}
		r.pd = hca->pd;
		reg_thread(&r);
		printf("%s %d\n", hca->name, r.err);
	}
	hca_close_all();
	return i ? 0 : 1;
}

int main(int argc, char **argv)
{
	FILE *in = NULL, *out = NULL;
	const char *answer;
	struct command c;

	if (argc >= 2 && !strcmp(argv[1], "query"))
		return query(argv[2] ? strtoul(argv[2], NULL, 0) : 1);
	if (argc == 3)
		command_open(argv[1], argv[2], &in, &out);
	if (!in || !out) {
		fprintf(stderr, "usage: gdrt-fail IN OUT (FIFOs) | query [COUNT]\n");
		return 2;
	}
	/* Each line as it comes: what a writer sends later is another command. */
	setvbuf(in, NULL, _IOLBF, 0);
	do {
		if (!command_next(in, &c))
			return 0;
		if (!strcmp(c.w[0], "buffer"))
			answer = cmd_buffer(c.w);
		else if (!strcmp(c.w[0], "reg"))
			answer = cmd_reg(c.w);
		else if (!strcmp(c.w[0], "pd"))
			answer = cmd_pd(c.w);
		else if (!strcmp(c.w[0], "attach"))
			answer = cmd_attach(c.w);
		else if (!strcmp(c.w[0], "quit"))
			answer = cmd_quit();
		else
			answer = refuse(EINVAL);
		fprintf(out, "%s\n", answer);
		fflush(out);
	} while (strcmp(c.w[0], "quit"));
	return 0;
}
