// SPDX-License-Identifier: GPL-2.0
/* Cases of gdrctl test: data that an HCA moves, compared. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "selftest/data_direct.h"
#include "selftest/run.h"

#define USUAL		(1u << 20)
#define QUICK		(64u << 10)
/* Before and behind what is moved nothing may change. */
#define GUARD		64
#define MEASURE_NS	50000000u
#define MEASURE_MAX	64

/** struct side - one end: memory and the MR of it */
struct side {
	struct st_memory *m;
	struct ibv_mr *mr;
};

static uint64_t size_of(const struct st_run *r)
{
	return run_room(r, r->choice->quick ? QUICK : USUAL);
}

/* No two words of it are alike, nor like one of another seed. */
static uint64_t pattern(uint64_t seed, uint64_t i)
{
	return ((seed << 48) + i) * 0x9e3779b97f4a7c15ULL;
}

static bool trouble(struct st_run *r, const struct side *s, const struct st_trouble *t)
{
	return run_failed(r, "source", t->err, "%s: %.140s", s->m->source->name, t->text);
}

static bool fill(struct st_run *r, const struct side *s, uint64_t size, uint64_t seed)
{
	uint64_t *buf = malloc(size);
	struct st_trouble t;
	int rc;

	if (!buf)
		return run_failed(r, "setup", ENOMEM, "no memory");
	for (uint64_t i = 0; i < size / sizeof(*buf); i++)
		buf[i] = pattern(seed, i);
	rc = st_memory_write(s->m, 0, buf, size, &t);
	free(buf);
	return rc ? trouble(r, s, &t) : true;
}

/* What was moved has the pattern of one seed, what is around it that of another. */
static bool compare(struct st_run *r, const struct side *s, uint64_t size, uint64_t moved,
		    uint64_t kept)
{
	uint64_t *buf = malloc(size), n = size / sizeof(*buf), wrong = 0, first = 0;
	uint64_t guard = GUARD / sizeof(*buf);
	struct st_trouble t;

	if (!buf)
		return run_failed(r, "setup", ENOMEM, "no memory");
	if (st_memory_read(s->m, 0, buf, size, &t)) {
		free(buf);
		return trouble(r, s, &t);
	}
	for (uint64_t i = 0; i < n; i++) {
		uint64_t seed = i < guard || i >= n - guard ? kept : moved;

		if (buf[i] == pattern(seed, i))
			continue;
		first = wrong++ ? first : i;
	}
	if (wrong)
		run_failed(r, "data", 0, "%" PRIu64 " of %" PRIu64 " words of %s differ, the first "
			   "at byte %" PRIu64 ": %016" PRIx64, wrong, n, s->m->source->name,
			   first * sizeof(*buf), buf[first]);
	free(buf);
	return !wrong;
}

static bool move_once(struct st_run *r, struct st_verbs *v, enum ibv_wr_opcode op,
		      const struct side *local, const struct side *remote, uint64_t size)
{
	enum ibv_wc_status status = IBV_WC_SUCCESS;
	int err = st_transfer(v, op, run_end(local->m, local->mr, false, GUARD),
			      run_end(remote->m, remote->mr, true, GUARD),
			      (uint32_t)(size - 2 * GUARD), &status);

	if (!err && status == IBV_WC_SUCCESS)
		return true;
	/* The queue pairs are in error now. */
	st_loop_close(v);
	if (err == -ETIMEDOUT)
		return run_failed(r, "completion", ETIMEDOUT, "%s: no completion",
				  op == IBV_WR_RDMA_READ ? "RDMA READ" : "RDMA WRITE");
	if (err)
		return run_failed(r, "post", -err, "ibv_post_send: %s", strerror(-err));
	return run_failed(r, "completion", 0, "%s: %s",
			  op == IBV_WR_RDMA_READ ? "RDMA READ" : "RDMA WRITE",
			  ibv_wc_status_str(status));
}

/* For information: no verdict depends on it. */
static bool measure(struct st_run *r, struct st_verbs *v, enum ibv_wr_opcode op,
		    const struct side *local, const struct side *remote, uint64_t size)
{
	uint64_t start = st_now_ns(), ns = 0;
	unsigned int n = 0;

	while (n < MEASURE_MAX && ns < MEASURE_NS) {
		if (!move_once(r, v, op, local, remote, size))
			return false;
		n++;
		ns = st_now_ns() - start;
	}
	r->res->bytes_per_s = ns ? (uint64_t)((double)(n * size) * 1e9 / (double)ns) : 0;
	return true;
}

static bool move_and_compare(struct st_run *r, struct st_verbs *v, enum ibv_wr_opcode op,
			     const struct side *local, const struct side *remote, uint64_t size)
{
	const struct side *from = op == IBV_WR_RDMA_READ ? remote : local;
	const struct side *to = op == IBV_WR_RDMA_READ ? local : remote;

	return fill(r, from, size, 1) && fill(r, to, size, 2) &&
	       move_once(r, v, op, local, remote, size) && compare(r, to, size, 1, 2) &&
	       compare(r, from, size, 1, 1) && measure(r, v, op, local, remote, size);
}

static bool side_open(struct st_run *r, struct st_verbs *v, struct side *s, uint32_t source,
		      unsigned int more)
{
	struct st_range g;

	s->m = run_memory(r, source, size_of(r));
	if (!s->m)
		return false;
	g = run_range(s->m);
	g.access |= more;
	s->mr = run_register(r, v, s->m, &g);
	return s->mr;
}

static void observe(struct st_run *r, uint64_t size)
{
	char bytes[FORMAT_MAX], rate[FORMAT_MAX];

	run_observed(r, "%s as sent, %s/s", format_size(size - 2 * GUARD, bytes),
		     format_size(r->res->bytes_per_s, rate));
}

/* @op by @hca between @local and @remote, which are sources, or ST_NONE for plain memory. */
static void transfer(struct st_run *r, enum ibv_wr_opcode op, uint32_t local, uint32_t remote,
		     unsigned int more)
{
	struct st_verbs *v = run_loop(r, r->job->hca);
	struct side l, e;

	if (v && side_open(r, v, &l, local, local == ST_NONE ? 0 : more) &&
	    side_open(r, v, &e, remote, remote == ST_NONE ? 0 : more) &&
	    move_and_compare(r, v, op, &l, &e, size_of(r)))
		observe(r, size_of(r));
}

void st_control(struct st_run *r)
{
	snprintf(r->where, sizeof(r->where), "WRITE");
	transfer(r, IBV_WR_RDMA_WRITE, ST_NONE, ST_NONE, 0);
	snprintf(r->where, sizeof(r->where), "READ");
	if (r->res->verdict == ST_PASS)
		transfer(r, IBV_WR_RDMA_READ, ST_NONE, ST_NONE, 0);
}

void st_write(struct st_run *r)
{
	transfer(r, IBV_WR_RDMA_WRITE, ST_NONE, r->job->source, 0);
}

void st_read(struct st_run *r)
{
	transfer(r, IBV_WR_RDMA_READ, ST_NONE, r->job->source, 0);
}

void st_write_from(struct st_run *r)
{
	transfer(r, IBV_WR_RDMA_WRITE, r->job->source, ST_NONE, 0);
}

void st_read_into(struct st_run *r)
{
	transfer(r, IBV_WR_RDMA_READ, r->job->source, ST_NONE, 0);
}

void st_relaxed(struct st_run *r)
{
	snprintf(r->where, sizeof(r->where), "WRITE");
	transfer(r, IBV_WR_RDMA_WRITE, ST_NONE, r->job->source, IBV_ACCESS_RELAXED_ORDERING);
	snprintf(r->where, sizeof(r->where), "READ");
	if (r->res->verdict == ST_PASS)
		transfer(r, IBV_WR_RDMA_READ, ST_NONE, r->job->source,
			 IBV_ACCESS_RELAXED_ORDERING);
}

/* The HCA reaches the memory through another of its functions; the queue pairs are the same. */
void st_data_direct(struct st_run *r)
{
	struct st_verbs *v = run_hca(r, r->job->hca);
	char path[256];
	int err = v ? st_data_direct_path(v, path, sizeof(path)) : 0;

	if (!v)
		return;
	if (err == ENODEV || err == EOPNOTSUPP || err == EPROTONOSUPPORT) {
		run_skipped(r, "this HCA has no data direct function (%s)", strerror(err));
		return;
	}
	if (err) {
		run_failed(r, "setup", err, "mlx5dv_get_data_direct_sysfs_path: %s", strerror(err));
		return;
	}
	r->data_direct = true;
	snprintf(r->where, sizeof(r->where), "WRITE");
	transfer(r, IBV_WR_RDMA_WRITE, ST_NONE, r->job->source, 0);
	snprintf(r->where, sizeof(r->where), "READ");
	if (r->res->verdict == ST_PASS)
		transfer(r, IBV_WR_RDMA_READ, ST_NONE, r->job->source, 0);
}

void st_gpu_to_gpu(struct st_run *r)
{
	transfer(r, IBV_WR_RDMA_WRITE, r->job->source, r->job->target, 0);
}

/* One HCA writes, the next reads the same memory. */
static bool pass_on(struct st_run *r, struct st_memory *m, struct ibv_mr *const *mr,
		    const uint32_t *hca, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		struct st_verbs *w = run_loop(r, hca[i]), *e = run_loop(r, hca[(i + 1) % n]);
		struct side there = { m, mr[i] }, again = { m, mr[(i + 1) % n] }, out, in;

		snprintf(r->where, sizeof(r->where), "%.28s to %.28s",
			 r->scene->hca[hca[i]].name, r->scene->hca[hca[(i + 1) % n]].name);
		if (!w || !e || !side_open(r, w, &out, ST_NONE, 0) ||
		    !side_open(r, e, &in, ST_NONE, 0) || !fill(r, &out, size_of(r), 10 + i) ||
		    !fill(r, &in, size_of(r), 5) || !fill(r, &there, size_of(r), 6) ||
		    !move_once(r, w, IBV_WR_RDMA_WRITE, &out, &there, size_of(r)) ||
		    !move_once(r, e, IBV_WR_RDMA_READ, &in, &again, size_of(r)) ||
		    !compare(r, &in, size_of(r), 10 + i, 5))
			return false;
	}
	r->where[0] = 0;
	return true;
}

void st_two_hcas(struct st_run *r)
{
	struct st_memory *m = run_memory(r, r->job->source, size_of(r));
	struct ibv_mr *mr[ST_HCAS];
	uint32_t hca[ST_HCAS];
	unsigned int n = 0;
	bool tracked = true;

	if (!m)
		return;
	for (uint32_t i = 0; i < r->scene->n_hcas; i++) {
		struct st_range g = run_range(m);
		struct st_verbs *v;

		if (!st_wants_hca(r->choice, &r->scene->hca[i]) || *r->scene->hca[i].link)
			continue;
		v = run_loop(r, i);
		mr[n] = v ? run_register(r, v, m, &g) : NULL;
		if (!mr[n])
			return;
		tracked &= run_tracks(r, m, i);
		hca[n++] = i;
	}
	if (n < 2) {
		run_skipped(r, "only %u HCA can move data", n);
		return;
	}
	if ((!tracked || run_attached(r, m, n, ST_NONE, NULL)) && pass_on(r, m, mr, hca, n))
		run_observed(r, "%u HCAs on one buffer", n);
}
