// SPDX-License-Identifier: GPL-2.0
/* The process that touches devices: it looks around, and runs the jobs it is told to. */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "selftest/run.h"
#include "selftest/worker.h"

void st_look_around(struct st_look *l, const struct st_choice *c)
{
	struct st_proof proof;

	memset(l, 0, sizeof(*l));
	/* Without HCAs the library has an error; there is none then. */
	(void)st_verbs_find(&l->scene);
	/* A driver that hangs is no reason not to test the rest. */
	if (!c->kinds || c->kinds & (1u << ST_CUDA | 1u << ST_CUDA_VMM | 1u << ST_CUDA_PCIE))
		st_cuda_sources(&l->scene);
	st_udmabuf_sources(&l->scene);
	st_heap_sources(&l->scene);
	st_proof_open(&proof);
	memcpy(l->module, proof.text, sizeof(l->module));
	l->proofs = proof.usable;
	st_proof_close(&proof);
}

static void run_job(const struct st_plan *p, struct st_run *r, uint32_t i)
{
	uint64_t start = st_now_ns();

	memset(r->res, 0, sizeof(*r->res));
	r->res->job = i;
	r->job = &p->job[i];
	r->where[0] = 0;
	r->data_direct = false;
	r->job->c->run(r);
	run_cleanup(r);
	r->res->duration_ns = st_now_ns() - start;
}

void st_work(const struct st_plan *p, int fd)
{
	struct st_run *r = calloc(1, sizeof(*r));
	struct st_verbs *verbs = calloc(ST_HCAS, sizeof(*verbs));
	struct st_result res;
	struct st_proof proof;
	uint32_t i;

	if (!r || !verbs)
		goto out;
	st_proof_open(&proof);
	r->scene = &p->scene;
	r->choice = &p->choice;
	r->proof = &proof;
	r->verbs = verbs;
	r->res = &res;
	while (recv(fd, &i, sizeof(i), 0) == sizeof(i) && i < p->n) {
		run_job(p, r, i);
		if (send(fd, &res, sizeof(res), MSG_NOSIGNAL) != sizeof(res))
			break;
	}
	for (uint32_t h = 0; h < p->scene.n_hcas; h++)
		st_verbs_close(&verbs[h]);
	st_proof_close(&proof);
out:
	free(verbs);
	free(r);
}
