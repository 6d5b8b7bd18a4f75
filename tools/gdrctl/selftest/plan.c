// SPDX-License-Identifier: GPL-2.0
/* The jobs that cases, HCAs and sources make, and what stands in their way. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "selftest/plan.h"

bool st_wants_hca(const struct st_choice *c, const struct st_hca *h)
{
	return !*c->hca || !strcmp(c->hca, h->device);
}

static bool is_cuda(const struct st_source *s)
{
	return s->kind <= ST_CUDA_PCIE;
}

bool st_wants_source(const struct st_choice *c, const struct st_source *s)
{
	if (c->kinds && !(c->kinds & 1u << s->kind))
		return false;
	if (!*c->gpu)
		return true;
	/* Of a GPU; memory of the host only if it was asked for, too. */
	return is_cuda(s) ? !strcmp(c->gpu, s->device) : !!c->kinds;
}

static int add(struct st_plan *p, const struct st_case *c, uint32_t hca, uint32_t source,
	       uint32_t target)
{
	struct st_job *job = reallocarray(p->job, p->n + 1, sizeof(*job));

	if (!job)
		return -ENOMEM;
	p->job = job;
	p->job[p->n++] = (struct st_job){ c, hca, source, target };
	return 0;
}

/* The sources of a case, given the HCA. */
static int add_sources(struct st_plan *p, const struct st_case *c, uint32_t hca)
{
	const struct st_scene *s = &p->scene;
	int err = 0;

	for (uint32_t i = 0; i < s->n_sources && !err; i++) {
		const struct st_source *from = &s->source[i];

		if (!st_wants_source(&p->choice, from) || !(from->full || c->basic))
			continue;
		if (c->scope != ST_BETWEEN) {
			err = add(p, c, hca, i, ST_NONE);
			if (c->scope == ST_ANY)
				break;
			continue;
		}
		for (uint32_t k = 0; k < s->n_sources && !err; k++)
			if (from->kind == ST_CUDA && s->source[k].kind == ST_CUDA && k != i &&
			    st_wants_source(&p->choice, &s->source[k]))
				err = add(p, c, hca, i, k);
	}
	return err;
}

static unsigned int wanted_hcas(const struct st_plan *p)
{
	unsigned int n = 0;

	for (uint32_t i = 0; i < p->scene.n_hcas; i++)
		n += st_wants_hca(&p->choice, &p->scene.hca[i]);
	return n;
}

static int add_case(struct st_plan *p, const struct st_case *c)
{
	int err = 0;

	if (c->scope == ST_MACHINE)
		return add(p, c, ST_NONE, ST_NONE, ST_NONE);
	if (c->scope == ST_SHARED)
		return wanted_hcas(p) > 1 ? add_sources(p, c, ST_NONE) : 0;
	for (uint32_t i = 0; i < p->scene.n_hcas && !err; i++) {
		if (!st_wants_hca(&p->choice, &p->scene.hca[i]))
			continue;
		if (c->scope == ST_HCA)
			err = add(p, c, i, ST_NONE, ST_NONE);
		else
			err = add_sources(p, c, i);
	}
	return err;
}

/* Every case with each GPU; without one with the first memory of the host that there is. */
static void choose_full(struct st_plan *p)
{
	bool any = false;

	for (uint32_t i = 0; i < p->scene.n_sources; i++) {
		struct st_source *s = &p->scene.source[i];

		s->full = s->kind == ST_CUDA && !*s->missing && st_wants_source(&p->choice, s);
		any |= s->full;
	}
	for (uint32_t i = 0; i < p->scene.n_sources && !any; i++) {
		struct st_source *s = &p->scene.source[i];

		any = s->full = !*s->missing && st_wants_source(&p->choice, s);
	}
}

int st_plan_make(struct st_plan *p)
{
	int err = 0;

	choose_full(p);
	for (unsigned int i = 0; st_cases[i].name && !err; i++) {
		if (p->choice.cases ? !(p->choice.cases & 1ULL << i) :
				      p->choice.quick && !st_cases[i].quick)
			continue;
		err = add_case(p, &st_cases[i]);
	}
	p->result = calloc(p->n + 1, sizeof(*p->result));
	return p->result ? err : -ENOMEM;
}

void st_plan_free(struct st_plan *p)
{
	free(p->job);
	free(p->result);
	p->job = NULL;
	p->result = NULL;
	p->n = p->done = 0;
}

const char *st_job_name(const struct st_plan *p, const struct st_job *j, char *buf, size_t size)
{
	const struct st_scene *s = &p->scene;

	snprintf(buf, size, "%s%s%s%s%s%s%s", j->c->name, j->hca != ST_NONE ? " " : "",
		 j->hca != ST_NONE ? s->hca[j->hca].name : "",
		 j->source != ST_NONE ? " " : "",
		 j->source != ST_NONE ? s->source[j->source].name : "",
		 j->target != ST_NONE ? " to " : "",
		 j->target != ST_NONE ? s->source[j->target].name : "");
	return buf;
}

static bool concerns(const struct st_job *j, const struct st_job *other)
{
	if (j->hca != ST_NONE && other->hca != ST_NONE && j->hca != other->hca)
		return false;
	return other->source == ST_NONE || j->source == ST_NONE || other->source == j->source ||
	       other->source == j->target;
}

/* The job that had to pass first, and has not. */
static const struct st_job *hindrance(const struct st_plan *p, const struct st_job *j)
{
	for (size_t k = 0; k < ARRAY_SIZE(j->c->needs); k++) {
		const char *need = j->c->needs[k];

		for (size_t i = 0; need && i < p->done; i++)
			if (!strcmp(p->job[i].c->name, need) && concerns(j, &p->job[i]) &&
			    p->result[i].verdict != ST_PASS)
				return &p->job[i];
	}
	return NULL;
}

bool st_stands_in_the_way(const struct st_plan *p, const struct st_job *j, char why[ST_TEXT])
{
	const struct st_hca *h = j->hca == ST_NONE ? NULL : &p->scene.hca[j->hca];
	const struct st_source *s = j->source == ST_NONE ? NULL : &p->scene.source[j->source];
	const struct st_job *first = hindrance(p, j);
	char name[ST_TEXT];

	if (s && *s->missing)
		snprintf(why, ST_TEXT, "%s", s->missing);
	else if (s && h && is_cuda(s) && !h->pci)
		/* nv_dma_buf_attach() takes the importer for a PCI device without a look. */
		snprintf(why, ST_TEXT, "%s is no PCI device, which NVIDIA's driver takes every "
			 "importer for", h->name);
	else if (h && j->c->link && *h->link)
		snprintf(why, ST_TEXT, "%s", h->link);
	else if (first)
		snprintf(why, ST_TEXT, "%.160s has not passed",
			 st_job_name(p, first, name, sizeof(name)));
	else
		return false;
	return true;
}

void st_counts(const struct st_plan *p, size_t count[3])
{
	memset(count, 0, 3 * sizeof(*count));
	for (size_t i = 0; i < p->done; i++)
		count[p->result[i].verdict]++;
}

/*
 * That files can be opened is no proof that anything works; nor, where certain memory was asked
 * for, what works without it.
 */
static bool proves_something(const struct st_plan *p)
{
	bool memory = (p->choice.kinds || *p->choice.gpu) && !p->choice.cases;

	for (size_t i = 0; i < p->done; i++)
		if (p->result[i].verdict == ST_PASS && p->job[i].c->scope != ST_MACHINE &&
		    (p->job[i].c->scope >= ST_PAIR || !memory))
			return true;
	return false;
}

enum exit_code st_exit_code(const struct st_plan *p)
{
	size_t count[3];

	st_counts(p, count);
	return count[ST_FAIL] ? EXIT_FOUND : proves_something(p) ? EXIT_OK : EXIT_SKIPPED;
}
