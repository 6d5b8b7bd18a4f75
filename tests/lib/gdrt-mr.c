// SPDX-License-Identifier: GPL-2.0
/*
 * A process with many MRs, no two alike, and a ledger of what it asked for and
 * was given.
 *
 *	gdrt-mr IN OUT
 *
 * Reads commands from the FIFO IN and answers in the FIFO OUT, as gdrt-reg does:
 *
 *	make N SEED GPUS HCA...	N MRs, over the HCAs in turn; which buffers, ranges,
 *				addresses, access flags and protection domains follow
 *				from SEED; ok N
 *	list FILE		write the ledger, an MR a line:
 *				BDF LKEY RKEY OFFSET LENGTH IOVA ACCESS GPU PID KIND CHANGED
 *				KIND is dma-buf, or user once it moved to other memory;
 *				CHANGED is 1 if it was registered again in place
 *	dereg STEP FIRST	deregister one of STEP of the MRs, from the number FIRST on
 *	access STEP FIRST	register such a part again: with other access flags,
 *	pd STEP FIRST		in another protection domain,
 *	more STEP FIRST		with rights that most kernels refuse, which counts, too,
 *	move STEP FIRST		on memory of this process
 *				each: ok COUNT, without those that the
 *				kernel never registers again
 *	quit			deregister all and end
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <rdma/ib_user_verbs.h>

#include "command.h"
#include "hca.h"

#define BUFFERS		8
#define HCAS		8
#define PAGE		4096ULL
#define MOVED		(2 * PAGE)
#define WRITES (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)

struct held {
	struct ibv_mr *mr;	/* NULL: deregistered */
	unsigned int hca;
	unsigned int gpu;
	uint64_t offset;
	uint64_t length;
	uint64_t iova;
	unsigned int access;
	bool second;		/* in the second protection domain */
	bool user;
	bool changed;
};

static struct {
	struct hca *hca;
	struct ibv_pd *pd;	/* a second one */
	char bdf[16];
} hcas[HCAS];

static const unsigned int accesses[] = {
	HCA_ACCESS,
	HCA_ACCESS | IBV_ACCESS_RELAXED_ORDERING,
	IBV_ACCESS_LOCAL_WRITE,
	IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE,
	IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_ATOMIC,
	IBV_ACCESS_REMOTE_READ,
	IBV_ACCESS_REMOTE_READ | IBV_ACCESS_RELAXED_ORDERING,
	0,
};

#define ACCESSES	(sizeof(accesses) / sizeof(*accesses))

static struct buffer buffers[BUFFERS];
static struct held *all;
static unsigned int n_all;
static uint64_t state;
static void *memory;

static uint64_t rnd(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % below;
}

static int open_hca(unsigned int h, const char *name)
{
	hcas[h].hca = hca_get(name);
	if (!hcas[h].hca)
		return -errno;
	hcas[h].pd = ibv_alloc_pd(hcas[h].hca->context);
	if (!hcas[h].pd)
		return -errno;
	hca_bdf(name, hcas[h].bdf, sizeof(hcas[h].bdf));
	return *hcas[h].bdf ? 0 : -ENODEV;
}

static int make_one(struct held *m, unsigned int h)
{
	const struct buffer *b;
	unsigned int i = rnd(BUFFERS);

	b = &buffers[i];
	m->hca = h;
	m->gpu = b->gpu;
	m->offset = rnd(b->size);
	m->length = 1 + rnd(b->size - m->offset);
	/* The same place in the page, as verbs want it. */
	m->iova = m->offset % PAGE + PAGE * (1 + rnd(1 << 20));
	m->access = accesses[rnd(ACCESSES)];
	m->second = rnd(2);
	m->mr = ibv_reg_dmabuf_mr(m->second ? hcas[h].pd : hcas[h].hca->pd, m->offset, m->length,
				  m->iova, b->fd, m->access);
	return m->mr ? 0 : -errno;
}

/* Each returns how many it worked on, or a negative errno. */
static int cmd_make(char **w)
{
	unsigned int n, gpus, n_hcas, i;
	int err;

	if (!w[1] || !w[2] || !w[3] || !w[4] || all)
		return -EINVAL;
	n = strtoul(w[1], NULL, 0);
	/* Never 0, where it would stay. */
	state = strtoull(w[2], NULL, 0) * 2 + 1;
	gpus = strtoul(w[3], NULL, 0);
	for (n_hcas = 0; w[4 + n_hcas] && n_hcas < HCAS; n_hcas++) {
		err = open_hca(n_hcas, w[4 + n_hcas]);
		if (err)
			return err;
	}
	all = calloc(n, sizeof(*all));
	memory = mmap(NULL, MOVED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!n || !gpus || !all || memory == MAP_FAILED)
		return -EINVAL;
	for (i = 0; i < BUFFERS; i++) {
		err = buffer_export(&buffers[i], PAGE << (2 + i), i % gpus, 0);
		if (err)
			return err;
	}
	for (; n_all < n; n_all++) {
		err = make_one(&all[n_all], n_all % n_hcas);
		if (err)
			return err;
	}
	return n;
}

static int cmd_list(char **w)
{
	FILE *f = w[1] ? fopen(w[1], "w") : NULL;
	unsigned int i, n = 0;

	if (!f)
		return -EINVAL;
	for (i = 0; i < n_all; i++) {
		const struct held *m = &all[i];

		if (!m->mr)
			continue;
		fprintf(f, "%s %#x %#x %" PRIu64 " %" PRIu64 " %" PRIu64 " %u %u %d %s %d\n",
			hcas[m->hca].bdf, m->mr->lkey, m->mr->rkey, m->offset, m->length, m->iova,
			m->access, m->gpu, getpid(), m->user ? "user" : "dma-buf", m->changed);
		n++;
	}
	return fclose(f) ? -errno : (int)n;
}

static int dereg(struct held *m)
{
	int err = ibv_dereg_mr(m->mr);

	if (!err)
		m->mr = NULL;
	return err ? -err : 1;
}

/*
 * libibverbs refuses to register an MR on a dma-buf again. So do kernels from 7.x on, all of
 * them: 0.
 */
static int rereg(struct held *m, unsigned int flags, const struct ibv_pd *pd, unsigned int access)
{
	struct ib_uverbs_rereg_mr_resp resp;
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_rereg_mr cmd;
	} r = {
		.hdr.command = IB_USER_VERBS_CMD_REREG_MR,
		.hdr.in_words = sizeof(r) / 4,
		.hdr.out_words = sizeof(resp) / 4,
		.cmd.response = (uintptr_t)&resp,
		.cmd.mr_handle = m->mr->handle,
		.cmd.flags = flags,
		.cmd.start = (uintptr_t)memory,
		.cmd.length = MOVED,
		.cmd.hca_va = (uintptr_t)memory,
		.cmd.pd_handle = pd ? pd->handle : 0,
		.cmd.access_flags = access,
	};

	if (write(m->mr->context->cmd_fd, &r, sizeof(r)) != sizeof(r))
		return errno == EOPNOTSUPP ? 0 : -errno;
	m->mr->lkey = resp.lkey;
	m->mr->rkey = resp.rkey;
	return 1;
}

static int change_access(struct held *m)
{
	unsigned int access = m->access;
	int ret;

	/* What may be written is settled by the first registration. */
	while (access == m->access || (access & WRITES && !(m->access & WRITES)))
		access = accesses[rnd(ACCESSES)];
	ret = rereg(m, IBV_REREG_MR_CHANGE_ACCESS, NULL, access);
	if (ret <= 0)
		return ret;
	m->access = access;
	m->changed = true;
	return 1;
}

static int change_pd(struct held *m)
{
	int ret = rereg(m, IBV_REREG_MR_CHANGE_PD, m->second ? hcas[m->hca].hca->pd :
			hcas[m->hca].pd, 0);

	if (ret <= 0)
		return ret;
	m->second = !m->second;
	m->changed = true;
	return 1;
}

/* Older kernels grant what the first registration did not ask for. */
static int more_rights(struct held *m)
{
	int ret;

	if (m->access & WRITES)
		return 0;
	ret = rereg(m, IBV_REREG_MR_CHANGE_ACCESS, NULL, HCA_ACCESS);
	if (ret < 0 && ret != -EACCES)
		return ret;
	if (ret > 0) {
		m->access = HCA_ACCESS;
		m->changed = true;
	}
	return 1;
}

static int move(struct held *m)
{
	int ret = rereg(m, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, 0);

	if (ret <= 0)
		return ret;
	m->user = true;
	m->offset = 0;
	m->length = MOVED;
	m->iova = (uintptr_t)memory;
	m->changed = false;
	return 1;
}

static int cmd_part(char **w)
{
	static const struct {
		const char *word;
		int (*fn)(struct held *m);
	} words[] = {
		{ "dereg", dereg }, { "access", change_access }, { "pd", change_pd },
		{ "more", more_rights }, { "move", move },
	};
	unsigned int step = w[1] ? strtoul(w[1], NULL, 0) : 0, i, word;
	int n = 0, ret;

	for (word = 0; word < sizeof(words) / sizeof(*words); word++)
		if (!strcmp(w[0], words[word].word))
			break;
	if (word == sizeof(words) / sizeof(*words) || !step || !w[2])
		return -EINVAL;
	for (i = strtoul(w[2], NULL, 0); i < n_all; i += step) {
		if (!all[i].mr || all[i].user)
			continue;
		ret = words[word].fn(&all[i]);
		if (ret < 0)
			return ret;
		n += ret;
	}
	return n;
}

static int cmd_quit(void)
{
	unsigned int i;
	int ret;

	for (i = 0; i < n_all; i++) {
		ret = all[i].mr ? dereg(&all[i]) : 0;
		if (ret < 0)
			return ret;
	}
	for (i = 0; i < HCAS && hcas[i].pd; i++)
		ibv_dealloc_pd(hcas[i].pd);
	hca_close_all();
	return 0;
}

static int command(char **w)
{
	if (!strcmp(w[0], "make"))
		return cmd_make(w);
	if (!strcmp(w[0], "list"))
		return cmd_list(w);
	if (!strcmp(w[0], "quit"))
		return cmd_quit();
	return cmd_part(w);
}

int main(int argc, char **argv)
{
	FILE *in = NULL, *out = NULL;
	struct command c;
	bool quit = false;
	int n;

	if (argc == 3)
		command_open(argv[1], argv[2], &in, &out);
	if (!in || !out) {
		fprintf(stderr, "usage: gdrt-mr IN OUT (FIFOs)\n");
		return 2;
	}
	while (!quit && command_next(in, &c)) {
		quit = !strcmp(c.w[0], "quit");
		n = command(c.w);
		if (n < 0)
			fprintf(out, "error %d %s\n", -n, strerror(-n));
		else
			fprintf(out, "ok %d\n", n);
		fflush(out);
	}
	return 0;
}
