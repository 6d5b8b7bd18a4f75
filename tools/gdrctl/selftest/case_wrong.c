// SPDX-License-Identifier: GPL-2.0
/* Cases of gdrctl test: the question for support, and registrations that have to be refused. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <linux/gdr_telemetry.h>

#include "causes.h"
#include "enums.h"
#include "selftest/run.h"

#define BUFFER (64u << 10)

/* What NCCL and UCX ask at their start. Nothing is attached. */
void st_capability(struct st_run *r)
{
	struct st_verbs *v = run_hca(r, r->job->hca);
	char name[CAUSE_ERRNO_SIZE];
	struct ibv_mr *mr;
	int err;

	if (!v)
		return;
	errno = 0;
	mr = ibv_reg_dmabuf_mr(v->pd, 0, st_page(), 0, -1, IBV_ACCESS_LOCAL_WRITE);
	err = errno;
	if (mr) {
		ibv_dereg_mr(mr);
		run_failed(r, "accepted", 0, "a registration with fd -1 succeeded");
	} else if (err == EBADF) {
		run_observed(r, "EBADF: supported");
	} else {
		run_failed(r, err == EOPNOTSUPP || err == EPROTONOSUPPORT ? "capability" : "errno",
			   err, "%s (%d): not supported", cause_errno(err, name, sizeof(name)),
			   err);
		st_advise(r->res, err == EPROTONOSUPPORT ? CAUSE_BEFORE :
			  GDR_TELEMETRY_STAGE_CAPABILITY_QUERY, err);
	}
}

/**
 * struct refusal - a registration that has to fail
 * @fd: of what; with @range
 * @range: the range
 * @err: positive errno it has to have
 * @stage: enum gdr_telemetry_stage of it
 */
struct refusal {
	int fd;
	struct st_range range;
	int err;
	uint32_t stage;
};

static void expect(struct st_run *r, struct st_verbs *v, const struct refusal *f)
{
	const char *stage = enum_find(stage_words, f->stage)->word;
	char is[CAUSE_ERRNO_SIZE], should[CAUSE_ERRNO_SIZE];
	struct st_result seen = { .err = 0 };
	uint64_t since = run_boottime();
	struct ibv_mr *mr;
	int err;

	errno = 0;
	mr = ibv_reg_dmabuf_mr(v->pd, f->range.offset, f->range.length, f->range.iova, f->fd,
			       (int)f->range.access);
	err = errno;
	if (mr) {
		ibv_dereg_mr(mr);
		run_failed(r, "accepted", 0, "the registration succeeded, %s was expected",
			   cause_errno(f->err, should, sizeof(should)));
	} else if (err != f->err) {
		run_failed(r, "errno", err, "%s (%d), %s was expected",
			   cause_errno(err, is, sizeof(is)), err,
			   cause_errno(f->err, should, sizeof(should)));
	} else if (!r->proof->usable || !r->scene->hca[r->job->hca].mlx5) {
		run_observed(r, "%s", cause_errno(err, is, sizeof(is)));
	} else if (st_proof_failure(r->proof, err, since, &seen)) {
		run_failed(r, "record", err, "the module has no record of this failure");
	} else if (strcmp(seen.stage, stage) != 0) {
		run_failed(r, "record", err, "the module says stage %s, not %s", seen.stage, stage);
	} else {
		r->res->proven = true;
		run_observed(r, "%s, stage %s", cause_errno(err, is, sizeof(is)), seen.stage);
	}
}

/* With a buffer: the source is one that works. */
static void expect_of_buffer(struct st_run *r, struct st_range range, uint32_t stage)
{
	struct st_verbs *v = run_hca(r, r->job->hca);
	struct st_memory *m = v ? run_memory(r, r->job->source, BUFFER) : NULL;

	if (!m)
		return;
	if (!range.length)
		range.length = m->size;
	expect(r, v, &(struct refusal){ m->fd, range, EINVAL, stage });
}

void st_wrong_fd(struct st_run *r)
{
	struct st_verbs *v = run_hca(r, r->job->hca);
	int fd = v ? dup(STDERR_FILENO) : -1;

	if (fd < 0) {
		run_failed(r, "fds", errno, "dup: %s", strerror(errno));
		return;
	}
	close(fd);
	expect(r, v, &(struct refusal){ fd, { .length = st_page(), .access = ST_ACCESS }, EBADF,
					GDR_TELEMETRY_STAGE_UMEM });
}

void st_wrong_file(struct st_run *r)
{
	struct st_verbs *v = run_hca(r, r->job->hca);
	int fd[2];

	if (!v)
		return;
	if (pipe(fd)) {
		run_failed(r, "fds", errno, "pipe: %s", strerror(errno));
		return;
	}
	expect(r, v, &(struct refusal){ fd[0], { .length = st_page(), .access = ST_ACCESS },
					EINVAL, GDR_TELEMETRY_STAGE_UMEM });
	close(fd[0]);
	close(fd[1]);
}

void st_wrong_iova(struct st_run *r)
{
	expect_of_buffer(r, (struct st_range){ .length = st_page(), .iova = 64,
					       .access = ST_ACCESS }, GDR_TELEMETRY_STAGE_VERBS);
}

void st_wrong_range(struct st_run *r)
{
	expect_of_buffer(r, (struct st_range){ .offset = 1ULL << 40, .length = st_page(),
					       .iova = 0, .access = ST_ACCESS },
			 GDR_TELEMETRY_STAGE_UMEM);
}

void st_wrong_flags(struct st_run *r)
{
	expect_of_buffer(r, (struct st_range){ .access = ST_ACCESS | IBV_ACCESS_ON_DEMAND },
			 GDR_TELEMETRY_STAGE_VERBS);
}

void st_wrong_access(struct st_run *r)
{
	expect_of_buffer(r, (struct st_range){ .access = IBV_ACCESS_REMOTE_WRITE },
			 GDR_TELEMETRY_STAGE_VERBS);
}
