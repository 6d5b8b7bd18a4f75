// SPDX-License-Identifier: GPL-2.0
/* Cases of gdrctl test: registrations that have to work. */
#include <errno.h>
#include <string.h>

#include "format.h"
#include "selftest/run.h"

#define USUAL	(256u << 10)
#define MRS	64
#define BUFFERS	32
#define IOVA	0x7f0000000000ULL

/* One MR, compared while it lives and when it is gone. */
static bool once(struct st_run *r, struct st_verbs *v, struct st_memory *m,
		 const struct st_range *g)
{
	return run_register(r, v, m, g) && run_attached(r, m, 1, r->job->hca, g) &&
	       run_deregister(r) && run_attached(r, m, 0, r->job->hca, NULL);
}

void st_register(struct st_run *r)
{
	struct st_verbs *v = run_hca(r, r->job->hca);
	struct st_memory *m = v ? run_memory(r, r->job->source, run_room(r, USUAL)) : NULL;
	char size[FORMAT_MAX], ns[FORMAT_MAX];
	struct st_range g;

	if (!m)
		return;
	g = run_range(m);
	if (once(r, v, m, &g))
		run_observed(r, "%s in %s", format_size(m->size, size),
			     format_ns(r->res->register_ns, ns));
}

void st_sizes(struct st_run *r)
{
	struct st_verbs *v = run_hca(r, r->job->hca);
	char size[FORMAT_MAX], ns[FORMAT_MAX], first[FORMAT_MAX];
	uint64_t largest = 0;

	for (uint64_t want = st_page(); v && want <= r->choice->size; want *= 4) {
		struct st_range g;
		struct st_memory *m;
		struct st_trouble t;

		snprintf(r->where, sizeof(r->where), "%s", format_size(want, size));
		/* How much there is of it is not what is tested. */
		if (largest && r->n_memories < RUN_MEMORIES) {
			struct st_memory probe;

			if (st_memory_open(&probe, &r->scene->source[r->job->source], want, &t))
				break;
			st_memory_close(&probe);
		}
		m = run_memory(r, r->job->source, want);
		if (!m)
			return;
		r->res->register_ns = 0;
		g = run_range(m);
		if (!once(r, v, m, &g))
			return;
		largest = m->size;
		run_forget(r, m);
	}
	r->where[0] = 0;
	if (v)
		run_observed(r, "%s to %s, that in %s", format_size(st_page(), first),
			     format_size(largest, size), format_ns(r->res->register_ns, ns));
}

void st_access(struct st_run *r)
{
	static const unsigned int sets[] = {
		0,
		IBV_ACCESS_LOCAL_WRITE,
		IBV_ACCESS_REMOTE_READ,
		IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ,
		IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE,
		IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_ATOMIC,
		ST_ACCESS | IBV_ACCESS_REMOTE_ATOMIC,
		ST_ACCESS | IBV_ACCESS_RELAXED_ORDERING,
	};
	struct st_verbs *v = run_hca(r, r->job->hca);
	struct st_memory *m = v ? run_memory(r, r->job->source, run_room(r, USUAL)) : NULL;

	for (size_t i = 0; m && i < ARRAY_SIZE(sets); i++) {
		struct st_range g = { .length = m->size, .access = sets[i] };

		snprintf(r->where, sizeof(r->where), "access %#x", sets[i]);
		if (!once(r, v, m, &g))
			return;
	}
	run_observed(r, "%zu sets of flags", ARRAY_SIZE(sets));
}

void st_offsets(struct st_run *r)
{
	struct st_verbs *v = run_hca(r, r->job->hca);
	struct st_memory *m = v ? run_memory(r, r->job->source, run_room(r, USUAL)) : NULL;
	uint64_t page = st_page();
	struct st_range parts[5];

	if (!m)
		return;
	parts[0] = (struct st_range){ 0, page, 0, ST_ACCESS };
	parts[1] = (struct st_range){ m->size - page, page, m->size - page, ST_ACCESS };
	parts[2] = (struct st_range){ 64, page, 64, ST_ACCESS };
	parts[3] = (struct st_range){ 0, m->size, IOVA, ST_ACCESS };
	parts[4] = (struct st_range){ m->size - 192, 128, IOVA + page - 192, ST_ACCESS };
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		snprintf(r->where, sizeof(r->where), "offset %llu, length %llu, iova %#llx",
			 (unsigned long long)parts[i].offset, (unsigned long long)parts[i].length,
			 (unsigned long long)parts[i].iova);
		if (parts[i].offset + parts[i].length <= m->size && !once(r, v, m, &parts[i]))
			return;
	}
	run_observed(r, "%zu ranges", ARRAY_SIZE(parts));
}

void st_many_mrs(struct st_run *r)
{
	struct st_verbs *v = run_hca(r, r->job->hca);
	struct st_memory *m = v ? run_memory(r, r->job->source, st_page()) : NULL;
	struct st_range g;

	for (unsigned int i = 0; m && i < MRS; i++) {
		snprintf(r->where, sizeof(r->where), "MR %u", i + 1);
		g = run_range(m);
		if (!run_register(r, v, m, &g))
			return;
	}
	r->where[0] = 0;
	if (m && run_attached(r, m, MRS, r->job->hca, NULL) && run_deregister_all(r) &&
	    run_attached(r, m, 0, r->job->hca, NULL))
		run_observed(r, "%d MRs", MRS);
}

void st_many_buffers(struct st_run *r)
{
	struct st_verbs *v = run_hca(r, r->job->hca);
	struct st_memory *m;
	struct st_range g;

	for (unsigned int i = 0; v && i < BUFFERS; i++) {
		snprintf(r->where, sizeof(r->where), "buffer %u", i + 1);
		m = run_memory(r, r->job->source, st_page());
		if (!m)
			return;
		g = run_range(m);
		if (!run_register(r, v, m, &g))
			return;
	}
	r->where[0] = 0;
	for (unsigned int i = 0; v && i < r->n_memories; i++)
		if (!run_attached(r, &r->memory[i], 1, r->job->hca, NULL))
			return;
	if (v && run_deregister_all(r))
		run_observed(r, "%d buffers", BUFFERS);
}
