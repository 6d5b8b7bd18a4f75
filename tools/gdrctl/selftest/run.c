// SPDX-License-Identifier: GPL-2.0
/* One case being run: the steps that cases are made of. */
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "causes.h"
#include "selftest/advice.h"
#include "selftest/data_direct.h"
#include "selftest/run.h"

bool run_failed(struct st_run *r, const char *stage, int err, const char *fmt, ...)
{
	char text[ST_TEXT];
	va_list ap;

	if (r->res->verdict != ST_PASS)
		return false;
	r->res->verdict = ST_FAIL;
	r->res->err = err;
	snprintf(r->res->stage, sizeof(r->res->stage), "%s", stage);
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	snprintf(r->res->observed, sizeof(r->res->observed), "%.*s%s%.*s", ST_NAME, r->where,
		 *r->where ? ": " : "", ST_TEXT - ST_NAME - 3, text);
	st_advise_step(r->res);
	return false;
}

bool run_skipped(struct st_run *r, const char *fmt, ...)
{
	va_list ap;

	if (r->res->verdict != ST_PASS)
		return false;
	r->res->verdict = ST_SKIP;
	va_start(ap, fmt);
	vsnprintf(r->res->observed, sizeof(r->res->observed), fmt, ap);
	va_end(ap);
	return false;
}

void run_observed(struct st_run *r, const char *fmt, ...)
{
	va_list ap;

	if (r->res->verdict != ST_PASS)
		return;
	va_start(ap, fmt);
	vsnprintf(r->res->observed, sizeof(r->res->observed), fmt, ap);
	va_end(ap);
}

uint64_t run_boottime(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t run_room(const struct st_run *r, uint64_t wanted)
{
	return wanted < r->choice->size ? wanted : r->choice->size;
}

static bool call_failed(struct st_run *r, const char *call)
{
	int err = errno;

	if (err == EACCES || err == EPERM)
		return run_skipped(r, "%s: %s; run it as root, or see the rights of "
				   "/dev/infiniband", call, strerror(err));
	return run_failed(r, err == EMFILE || err == ENFILE ? "fds" :
			  err == ENOMEM ? "memlock" : "setup", err, "%s: %s", call, strerror(err));
}

struct st_verbs *run_hca(struct st_run *r, uint32_t hca)
{
	const char *call = st_verbs_open(&r->verbs[hca], &r->scene->hca[hca]);

	if (!call)
		return &r->verbs[hca];
	call_failed(r, call);
	return NULL;
}

struct st_verbs *run_loop(struct st_run *r, uint32_t hca)
{
	struct st_verbs *v = run_hca(r, hca);
	const char *call = v ? st_loop_open(v, &r->scene->hca[hca]) : NULL;

	if (call)
		call_failed(r, call);
	return call ? NULL : v;
}

struct st_memory *run_memory(struct st_run *r, uint32_t source, uint64_t size)
{
	/* Plain memory is no source of the scene. */
	static const struct st_source host = { .kind = ST_HOST, .name = "host" };
	const struct st_source *s = source == ST_NONE ? &host : &r->scene->source[source];
	struct st_memory *m;
	struct st_trouble t;

	if (r->n_memories == RUN_MEMORIES) {
		run_failed(r, "setup", E2BIG, "more than %d buffers", RUN_MEMORIES);
		return NULL;
	}
	m = &r->memory[r->n_memories];
	if (!st_memory_open(m, s, size, &t)) {
		r->n_memories++;
		return m;
	}
	/* The plain mapping is what a GPU has to have. */
	if (t.missing && s->kind != ST_CUDA)
		run_skipped(r, "%s", t.text);
	else
		run_failed(r, t.err == EMFILE || t.err == ENFILE ? "fds" : "source", t.err, "%s",
			   t.text);
	return NULL;
}

void run_forget(struct st_run *r, struct st_memory *m)
{
	/* Its place stays: MRs and others may point to those after it. */
	(void)r;
	st_memory_close(m);
}

static struct ibv_mr *do_register(const struct st_run *r, struct st_verbs *v,
				  const struct st_memory *m, const struct st_range *g)
{
	if (r->data_direct && m->source->kind != ST_HOST)
		return st_data_direct_register(v, m, g);
	if (m->source->kind == ST_HOST)
		return ibv_reg_mr(v->pd, (char *)m->cpu + g->offset, g->length, (int)g->access);
	return ibv_reg_dmabuf_mr(v->pd, g->offset, g->length, g->iova, m->fd, (int)g->access);
}

struct ibv_mr *run_try(struct st_run *r, struct st_verbs *v, const struct st_memory *m,
		       const struct st_range *g)
{
	uint64_t start = st_now_ns();
	struct ibv_mr *mr;

	if (r->n_mrs == RUN_MRS) {
		errno = E2BIG;
		return NULL;
	}
	mr = do_register(r, v, m, g);
	if (!mr)
		return NULL;
	if (!r->res->register_ns)
		r->res->register_ns = st_now_ns() - start;
	r->mr[r->n_mrs++] = mr;
	return mr;
}

bool run_refused(struct st_run *r, int err, uint64_t since_ns)
{
	char buf[CAUSE_ERRNO_SIZE];
	const char *name = cause_errno(err, buf, sizeof(buf));

	if (r->res->verdict != ST_PASS)
		return false;
	run_failed(r, err == EMFILE || err == ENFILE ? "fds" : "unknown", err,
		   "the registration failed: %s (%d)", name, err);
	if (err == EMFILE || err == ENFILE)
		return false;
	if (!r->proof->usable) {
		snprintf(r->res->means, sizeof(r->res->means),
			 "At which stage it failed is not known: %s.", r->proof->text);
		snprintf(r->res->fix, sizeof(r->res->fix),
			 "Run this test as root with the module gdr_telemetry loaded; gdrctl "
			 "explain %s lists what this errno can mean.", name);
	} else if (st_proof_failure(r->proof, err, since_ns, r->res)) {
		snprintf(r->res->stage, sizeof(r->res->stage), "before");
		st_advise(r->res, CAUSE_BEFORE, err);
	} else {
		r->res->proven = true;
	}
	return false;
}

struct ibv_mr *run_register(struct st_run *r, struct st_verbs *v, const struct st_memory *m,
			    const struct st_range *g)
{
	uint64_t since = run_boottime();
	struct ibv_mr *mr = run_try(r, v, m, g);
	int err = errno;

	if (mr)
		return mr;
	if (m->source->kind != ST_HOST) {
		run_refused(r, err, since);
		return NULL;
	}
	run_failed(r, err == ENOMEM ? "memlock" : "setup", err, "ibv_reg_mr of %llu bytes: %s",
		   (unsigned long long)g->length, strerror(err));
	return NULL;
}

bool run_deregister(struct st_run *r)
{
	int err = ibv_dereg_mr(r->mr[--r->n_mrs]);

	return !err || run_failed(r, "deregister", err, "ibv_dereg_mr: %s", strerror(err));
}

bool run_deregister_all(struct st_run *r)
{
	bool ok = true;

	while (r->n_mrs)
		ok &= run_deregister(r);
	return ok;
}

bool run_tracks(const struct st_run *r, const struct st_memory *m, uint32_t hca)
{
	/* track=gdr knows what comes from NVIDIA's driver or goes to mlx5. */
	return m->source->kind <= ST_CUDA_PCIE || (hca != ST_NONE && r->scene->hca[hca].mlx5);
}

bool run_attached(struct st_run *r, const struct st_memory *m, size_t n, uint32_t hca,
		  const struct st_range *g)
{
	struct st_want w = { .buffer = m->inode, .size = m->size, .n = n,
			     .pid = (uint32_t)getpid() };
	char text[ST_TEXT];

	if (!r->proof->usable || m->source->kind == ST_HOST || !run_tracks(r, m, r->job->hca))
		return true;
	if (hca != ST_NONE)
		w.importer = r->scene->hca[hca].device;
	if (g) {
		w.has_mr = true;
		w.offset = g->offset;
		w.length = g->length;
		w.iova = g->iova;
		w.access = g->access;
	}
	if (st_proof_attached(r->proof, &w, text))
		return run_failed(r, "record", 0, "%s", text);
	r->res->proven = true;
	return true;
}

struct st_range run_range(const struct st_memory *m)
{
	return (struct st_range){ .length = m->size, .access = ST_ACCESS };
}

struct st_end run_end(const struct st_memory *m, const struct ibv_mr *mr, bool remote, uint64_t at)
{
	/* That of a dma-buf begins at its iova, which is 0 where data is moved. */
	uint64_t base = m->source->kind == ST_HOST ? (uint64_t)(uintptr_t)mr->addr : 0;

	return (struct st_end){ .address = base + at, .key = remote ? mr->rkey : mr->lkey };
}

void run_cleanup(struct st_run *r)
{
	long left;

	r->where[0] = 0;
	run_deregister_all(r);
	while (r->n_memories)
		st_memory_close(&r->memory[--r->n_memories]);
	if (!r->proof->usable)
		return;
	left = st_proof_count(r->proof, (uint32_t)getpid());
	if (left > 0)
		run_failed(r, "record", 0, "everything was given up, and the module still has %ld "
			   "attachments of this process", left);
}
