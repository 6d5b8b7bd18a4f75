// SPDX-License-Identifier: GPL-2.0
/*
 * A process that makes buffers, registers and attaches them, and holds all of
 * it until told otherwise or killed.
 *
 *	gdrt-reg [IN OUT]
 *
 * Reads commands, one a line, and answers each with one line: "ok ..." or
 * "error ERRNO TEXT". From stdin to stdout; or from the FIFO IN to the FIFO
 * OUT, both of which it keeps open, so that shells can ask in turns.
 *
 *	buffer SIZE [gpu=N] [dynamic] [system] [cache] [udmabuf] [heap]
 *				ok BUFFER inode=INODE bar_offset=OFFSET
 *	name BUFFER NAME	give it a name
 *	close BUFFER		close its fd
 *	invalidate BUFFER	let the exporter invalidate its mappings
 *	move BUFFER system|bar	let its next mappings lead there
 *	reg BUFFER HCA [OFFSET LENGTH]
 *				ok MR
 *	dereg MR
 *	touch MR		map it again, as a page fault of the HCA does
 *	loop BUFFER HCA COUNT	register and deregister so often; ok FAILURES
 *	attach BUFFER FUNCTION static|dynamic|pinned|revocable|nop2p [COUNT]
 *				ok HANDLE (by the importer double)
 *	detach|map|unmap|pin|unpin|map_locked|unmap_locked HANDLE [COUNT]
 *	fork			fork a child that holds the same until it is killed; ok PID
 *	quit			give up all in order and end
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/dma-buf.h>

#include "command.h"
#include "hca.h"

#define MAX		256

static struct buffer buffers[MAX];
static struct ibv_mr *mrs[MAX];
static unsigned int n_buffers, n_mrs;
static FILE *out;

static void answer(const char *text)
{
	fprintf(out, "%s\n", text);
	fflush(out);
}

static const char *ok(const char *fmt, uint64_t value)
{
	static char text[128];

	snprintf(text, sizeof(text), fmt, value);
	return text;
}

static const char *result(int err)
{
	static char text[128];

	if (err >= 0)
		return "ok";
	snprintf(text, sizeof(text), "error %d %s", -err, strerror(-err));
	return text;
}

/* The number W, if it is below N. */
static int slot(const char *w, unsigned int n)
{
	unsigned int i = w ? strtoul(w, NULL, 0) : n;

	return i < n ? (int)i : -ENOENT;
}

static const char *cmd_buffer(char **w)
{
	uint64_t size = w[1] ? strtoull(w[1], NULL, 0) : 0;
	unsigned int gpu = 0, flags = 0;
	struct buffer *b = &buffers[n_buffers];
	static char text[128];
	int (*other)(struct buffer *b, uint64_t size) = NULL;
	int i, err;

	if (n_buffers == MAX)
		return result(-E2BIG);
	for (i = 2; w[i]; i++) {
		if (sscanf(w[i], "gpu=%u", &gpu) == 1)
			continue;
		else if (!strcmp(w[i], "dynamic"))
			flags |= GDRT_EXPORT_DYNAMIC;
		else if (!strcmp(w[i], "system"))
			flags |= GDRT_EXPORT_SYSTEM;
		else if (!strcmp(w[i], "cache"))
			flags |= GDRT_EXPORT_CACHE_SGT;
		else if (!strcmp(w[i], "udmabuf"))
			other = buffer_udmabuf;
		else if (!strcmp(w[i], "heap"))
			other = buffer_heap;
		else
			return result(-EINVAL);
	}
	err = other ? other(b, size) : buffer_export(b, size, gpu, flags);
	if (err)
		return result(err);
	snprintf(text, sizeof(text), "ok %u inode=%" PRIu64 " bar_offset=%" PRIu64, n_buffers++,
		 b->inode, b->bar_offset);
	return text;
}

static const char *cmd_reg(char **w)
{
	int i = slot(w[1], n_buffers);
	struct hca *hca;

	if (i < 0 || !w[2])
		return result(-EINVAL);
	if (n_mrs == MAX)
		return result(-E2BIG);
	hca = hca_get(w[2]);
	if (!hca)
		return result(-errno);
	mrs[n_mrs] = hca_reg(hca, &buffers[i], w[3] ? strtoull(w[3], NULL, 0) : 0,
			     w[3] && w[4] ? strtoull(w[4], NULL, 0) : buffers[i].size);
	if (!mrs[n_mrs])
		return result(-errno);
	return ok("ok %" PRIu64, n_mrs++);
}

static const char *cmd_loop(char **w)
{
	int i = slot(w[1], n_buffers);
	unsigned int n, failed = 0;
	struct ibv_mr *mr;
	struct hca *hca;

	if (i < 0 || !w[2] || !w[3])
		return result(-EINVAL);
	hca = hca_get(w[2]);
	if (!hca)
		return result(-errno);
	for (n = strtoul(w[3], NULL, 0); n; n--) {
		mr = hca_reg(hca, &buffers[i], 0, buffers[i].size);
		if (!mr || ibv_dereg_mr(mr))
			failed++;
	}
	return ok("ok %" PRIu64, failed);
}

static const char *cmd_dereg(char **w)
{
	int i = slot(w[1], n_mrs), err;

	if (i < 0 || !mrs[i])
		return result(-ENOENT);
	err = ibv_dereg_mr(mrs[i]);
	if (!err)
		mrs[i] = NULL;
	return result(-err);
}

static const char *cmd_touch(char **w)
{
	struct ibv_sge sge = {};
	int i = slot(w[1], n_mrs);

	if (i < 0 || !mrs[i])
		return result(-ENOENT);
	sge.addr = (uintptr_t)mrs[i]->addr;
	sge.length = mrs[i]->length;
	sge.lkey = mrs[i]->lkey;
	/* FLUSH: it is done when this returns. */
	return result(-ibv_advise_mr(mrs[i]->pd, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE,
				     IBV_ADVISE_MR_FLAG_FLUSH, &sge, 1));
}

static const char *cmd_attach(char **w)
{
	static const char * const modes[] = {
		[GDRT_IMPORT_STATIC] = "static",
		[GDRT_IMPORT_DYNAMIC] = "dynamic",
		[GDRT_IMPORT_PINNED] = "pinned",
		[GDRT_IMPORT_REVOCABLE] = "revocable",
		[GDRT_IMPORT_DYNAMIC_NO_P2P] = "nop2p",
	};
	int i = slot(w[1], n_buffers), err;
	unsigned int mode;
	uint64_t handle;

	if (i < 0 || !w[2] || !w[3])
		return result(-EINVAL);
	for (mode = 0; mode < sizeof(modes) / sizeof(*modes); mode++)
		if (!strcmp(w[3], modes[mode]))
			break;
	err = import_attach(&buffers[i], strtoul(w[2], NULL, 0), mode,
			    w[4] ? strtoul(w[4], NULL, 0) : 1, &handle);
	return err ? result(err) : ok("ok %" PRIu64, handle);
}

static const char *cmd_range(char **w)
{
	static const struct {
		const char *word;
		unsigned long request;
	} words[] = {
		{ "detach", GDRT_DETACH }, { "map", GDRT_MAP }, { "unmap", GDRT_UNMAP },
		{ "pin", GDRT_PIN }, { "unpin", GDRT_UNPIN },
		{ "map_locked", GDRT_MAP_LOCKED }, { "unmap_locked", GDRT_UNMAP_LOCKED },
	};
	unsigned int i;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(w[0], words[i].word) && w[1])
			return result(import_range(words[i].request, strtoull(w[1], NULL, 0),
						   w[2] ? strtoul(w[2], NULL, 0) : 1));
	return result(-EINVAL);
}

static const char *cmd_fork(void)
{
	pid_t pid = fork();

	if (pid < 0)
		return result(-errno);
	if (!pid) {
		for (;;)
			pause();
	}
	return ok("ok %" PRIu64, pid);
}

static const char *cmd_name(char **w)
{
	int i = slot(w[1], n_buffers);

	if (i < 0 || buffers[i].fd < 0 || !w[2])
		return result(-ENOENT);
	return result(ioctl(buffers[i].fd, DMA_BUF_SET_NAME, w[2]) ? -errno : 0);
}

static const char *cmd_quit(void)
{
	unsigned int i;

	for (i = 0; i < n_mrs; i++)
		if (mrs[i])
			ibv_dereg_mr(mrs[i]);
	hca_close_all();
	for (i = 0; i < n_buffers; i++)
		if (buffers[i].fd >= 0)
			close(buffers[i].fd);
	return "ok";
}

static const char *command(char **w)
{
	int i;

	if (!strcmp(w[0], "buffer"))
		return cmd_buffer(w);
	if (!strcmp(w[0], "reg"))
		return cmd_reg(w);
	if (!strcmp(w[0], "dereg"))
		return cmd_dereg(w);
	if (!strcmp(w[0], "touch"))
		return cmd_touch(w);
	if (!strcmp(w[0], "loop"))
		return cmd_loop(w);
	if (!strcmp(w[0], "attach"))
		return cmd_attach(w);
	if (!strcmp(w[0], "fork"))
		return cmd_fork();
	if (!strcmp(w[0], "name"))
		return cmd_name(w);
	if (!strcmp(w[0], "close") || !strcmp(w[0], "invalidate") || !strcmp(w[0], "move")) {
		i = slot(w[1], n_buffers);
		if (i < 0 || buffers[i].fd < 0)
			return result(-ENOENT);
		if (w[0][0] == 'm')
			return result(w[2] ? buffer_move(&buffers[i], !strcmp(w[2], "system")) :
				      -EINVAL);
		if (w[0][0] == 'i')
			return result(buffer_invalidate(&buffers[i]));
		close(buffers[i].fd);
		buffers[i].fd = -1;
		return "ok";
	}
	return cmd_range(w);
}

int main(int argc, char **argv)
{
	FILE *in = stdin;
	struct command c;

	out = stdout;
	if (argc == 3)
		command_open(argv[1], argv[2], &in, &out);
	if (!in || !out || (argc != 1 && argc != 3)) {
		fprintf(stderr, "usage: gdrt-reg [IN OUT] (FIFOs)\n");
		return 2;
	}
	signal(SIGCHLD, SIG_IGN);
	/* Each line as it comes: what a writer sends later is another command. */
	setvbuf(in, NULL, _IOLBF, 0);
	while (command_next(in, &c)) {
		if (!strcmp(c.w[0], "quit")) {
			answer(cmd_quit());
			break;
		}
		answer(command(c.w));
	}
	return 0;
}
