// SPDX-License-Identifier: GPL-2.0
/*
 * gdrctl test, without devices: which jobs a scene makes, what stands in their way, and what is
 * printed of their results, compared with the files in golden/.
 */
#include <stdlib.h>

#include <json-c/json.h>

#include "ktap.h"
#include "selftest/cases.h"
#include "selftest/plan.h"

static struct st_hca *add_hca(struct st_plan *p, const char *name, const char *device)
{
	struct st_hca *h = &p->scene.hca[p->scene.n_hcas++];

	memset(h, 0, sizeof(*h));
	snprintf(h->name, sizeof(h->name), "%s", name);
	snprintf(h->device, sizeof(h->device), "%s", device);
	h->pci = names_bdf(device, h->device);
	return h;
}

static struct st_source *add_source(struct st_plan *p, enum st_kind kind, const char *name,
				    const char *device)
{
	struct st_source *s = &p->scene.source[p->scene.n_sources++];

	memset(s, 0, sizeof(*s));
	s->kind = kind;
	snprintf(s->name, sizeof(s->name), "%s", name);
	snprintf(s->device, sizeof(s->device), "%s", device);
	return s;
}

/* Two HCAs, two GPUs, memory of the host. */
static struct st_plan scene(void)
{
	struct st_plan p = { .n = 0 };

	p.choice.size = 64 << 20;
	add_hca(&p, "mlx5_0", "0000:03:00.0");
	add_hca(&p, "mlx5_1", "0000:04:00.0");
	add_source(&p, ST_CUDA, "cuda0", "0000:41:00.0");
	add_source(&p, ST_CUDA_VMM, "cuda0-vmm", "0000:41:00.0");
	add_source(&p, ST_CUDA, "cuda1", "0000:42:00.0");
	add_source(&p, ST_UDMABUF, "udmabuf", "");
	return p;
}

static int number(const char *name)
{
	int i = 0;

	while (st_cases[i].name && strcmp(st_cases[i].name, name) != 0)
		i++;
	EXPECT(st_cases[i].name != NULL);
	return i;
}

static size_t jobs_of(const struct st_plan *p, const char *name)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		n += !strcmp(p->job[i].c->name, name);
	return n;
}

static void jobs_of_a_scene(void)
{
	struct st_plan p = scene();

	EXPECT(!st_plan_make(&p));
	EXPECT(jobs_of(&p, "limit-fds") == 1);
	EXPECT(jobs_of(&p, "capability") == 2);
	EXPECT(jobs_of(&p, "wrong-range") == 2);
	EXPECT(jobs_of(&p, "register") == 2 * 4);
	EXPECT(jobs_of(&p, "sizes") == 2 * 2);
	EXPECT(jobs_of(&p, "two-hcas") == 2);
	EXPECT(jobs_of(&p, "gpu-to-gpu") == 2 * 2);
	st_plan_free(&p);
}

static void jobs_of_a_choice(void)
{
	struct st_plan p = scene();

	snprintf(p.choice.gpu, sizeof(p.choice.gpu), "0000:42:00.0");
	snprintf(p.choice.hca, sizeof(p.choice.hca), "0000:04:00.0");
	EXPECT(!st_plan_make(&p));
	EXPECT(jobs_of(&p, "register") == 1);
	EXPECT(jobs_of(&p, "two-hcas") == 0);
	EXPECT(jobs_of(&p, "gpu-to-gpu") == 0);
	for (size_t i = 0; i < p.n; i++) {
		EXPECT(p.job[i].hca == ST_NONE || p.job[i].hca == 1);
		EXPECT(p.job[i].source == ST_NONE || p.job[i].source == 2);
	}
	st_plan_free(&p);

	p = scene();
	p.choice.kinds = 1u << ST_UDMABUF;
	p.choice.cases = 1ULL << number("sizes") | 1ULL << number("access");
	EXPECT(!st_plan_make(&p));
	/* All cases with it, as there is nothing else. */
	EXPECT(p.n == 4 && jobs_of(&p, "sizes") == 2);
	st_plan_free(&p);

	p = scene();
	p.choice.quick = true;
	EXPECT(!st_plan_make(&p));
	EXPECT(jobs_of(&p, "sizes") == 0 && jobs_of(&p, "register") == 8);
	st_plan_free(&p);
}

static void without_a_gpu(void)
{
	struct st_plan p = scene();

	for (unsigned int i = 0; i < 3; i++)
		snprintf(p.scene.source[i].missing, ST_TEXT, "no dma-buf");
	EXPECT(!st_plan_make(&p));
	EXPECT(jobs_of(&p, "sizes") == 2);
	for (size_t i = 0; i < p.n; i++)
		if (!strcmp(p.job[i].c->name, "sizes"))
			EXPECT(p.job[i].source == 3);
	st_plan_free(&p);
}

static const struct st_job *job(const struct st_plan *p, const char *name, uint32_t hca,
				uint32_t source)
{
	for (size_t i = 0; i < p->n; i++)
		if (!strcmp(p->job[i].c->name, name) && p->job[i].hca == hca &&
		    p->job[i].source == source)
			return &p->job[i];
	EXPECT(!"such a job");
	return p->job;
}

static void set(struct st_plan *p, const char *name, uint32_t hca, uint32_t source,
		enum st_verdict v)
{
	p->result[job(p, name, hca, source) - p->job].verdict = v;
}

static void what_stands_in_the_way(void)
{
	struct st_plan p = scene();
	char why[ST_TEXT] = "";

	EXPECT(!st_plan_make(&p));
	p.done = p.n;
	EXPECT(!st_stands_in_the_way(&p, job(&p, "write", 0, 0), why));
	set(&p, "register", 0, 0, ST_FAIL);
	EXPECT(st_stands_in_the_way(&p, job(&p, "write", 0, 0), why));
	EXPECT_STR(why, "register mlx5_0 cuda0 has not passed");
	EXPECT(!st_stands_in_the_way(&p, job(&p, "write", 1, 0), why));
	EXPECT(!st_stands_in_the_way(&p, job(&p, "write", 0, 2), why));
	set(&p, "register", 0, 0, ST_PASS);
	set(&p, "control", 1, ST_NONE, ST_SKIP);
	EXPECT(st_stands_in_the_way(&p, job(&p, "write", 1, 2), why));
	EXPECT_STR(why, "control mlx5_1 has not passed");
	/* The second GPU counts as the first does. */
	set(&p, "write", 0, 2, ST_FAIL);
	EXPECT(st_stands_in_the_way(&p, job(&p, "gpu-to-gpu", 0, 0), why));
	EXPECT_STR(why, "write mlx5_0 cuda1 has not passed");
	snprintf(p.scene.source[3].missing, ST_TEXT, "/dev/udmabuf: none");
	EXPECT(st_stands_in_the_way(&p, job(&p, "register", 0, 3), why));
	EXPECT_STR(why, "/dev/udmabuf: none");
	snprintf(p.scene.hca[0].link, ST_TEXT, "port 1 is not active");
	EXPECT(st_stands_in_the_way(&p, job(&p, "read", 0, 1), why));
	EXPECT_STR(why, "port 1 is not active");
	st_plan_free(&p);
}

/* nv_dma_buf_attach() would take its device for one. */
static void no_importer_that_is_no_pci_device(void)
{
	struct st_plan p = { .n = 0 };
	char why[ST_TEXT] = "";

	add_hca(&p, "rxe0", "rxe0");
	add_source(&p, ST_CUDA, "cuda0", "0000:41:00.0");
	add_source(&p, ST_CUDA_PCIE, "cuda0-pcie", "0000:41:00.0");
	add_source(&p, ST_UDMABUF, "udmabuf", "");
	EXPECT(!st_plan_make(&p));
	p.done = 0;
	for (size_t i = 0; i < p.n; i++) {
		bool gpu = p.job[i].source != ST_NONE && p.job[i].source < 2;

		EXPECT(st_stands_in_the_way(&p, &p.job[i], why) == gpu);
	}
	EXPECT_STR(why, "rxe0 is no PCI device, which NVIDIA's driver takes every importer for");
	st_plan_free(&p);
}

static void exit_codes(void)
{
	struct st_plan p = scene();

	EXPECT(!st_plan_make(&p));
	EXPECT(st_exit_code(&p) == EXIT_SKIPPED);
	p.done = p.n;
	EXPECT(st_exit_code(&p) == EXIT_OK);
	for (size_t i = 0; i < p.n; i++)
		p.result[i].verdict = p.job[i].c->scope == ST_MACHINE ? ST_PASS : ST_SKIP;
	EXPECT(st_exit_code(&p) == EXIT_SKIPPED);
	p.result[p.n - 1].verdict = ST_FAIL;
	EXPECT(st_exit_code(&p) == EXIT_FOUND);
	st_plan_free(&p);
}

/* One of each verdict, and one with each value. */
static struct st_plan results(void)
{
	struct st_plan p = scene();
	static const char *const names[] = { "limit-fds", "capability", "register", "write",
					     "gpu-to-gpu" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		p.choice.cases |= 1ULL << number(names[i]);
	snprintf(p.choice.hca, sizeof(p.choice.hca), "0000:03:00.0");
	EXPECT(!st_plan_make(&p));
	p.done = p.n;
	for (size_t i = 0; i < p.n; i++) {
		struct st_result *r = &p.result[i];

		r->duration_ns = 1500000;
		snprintf(r->observed, sizeof(r->observed), "as expected");
	}
	p.result[2].register_ns = 81000;
	p.result[2].proven = true;
	p.result[3] = (struct st_result){
		.verdict = ST_FAIL, .err = 524, .stage = "attach", .proven = true,
		.observed = "the registration failed: ENOTSUPP (524)",
		.means = "NVIDIA's driver refused this HCA.",
		.fix = "Export without the PCIe flag.", .duration_ns = 2000000,
	};
	p.result[4] = (struct st_result){
		.verdict = ST_SKIP, .observed = "cuMemCreate() is of CUDA 10.2",
	};
	p.result[p.n - 1].bytes_per_s = 24ull << 30;
	return p;
}

static void print(const char *golden, struct options opt, const struct st_plan *p)
{
	struct gdrctl g = { .opt = opt };
	char *buf = NULL;
	size_t size;
	FILE *f = open_memstream(&buf, &size);

	EXPECT(f && !(opt.ktap ? st_print_ktap(p, 0, f) : st_print(&g, p, f)));
	fclose(f);
	ktap_golden(golden, buf);
	if (opt.json) {
		json_object *o = json_tokener_parse(buf);

		EXPECT(o && json_object_array_length(o) == p->n);
		json_object_put(o);
	}
	free(buf);
}

static void what_is_printed(void)
{
	struct st_plan p = results();

	p.proofs = p.looked = true;
	print("test-table.txt", (struct options){ .json = false }, &p);
	print("test-details.txt", (struct options){ .details = true }, &p);
	print("test-oneline.txt", (struct options){ .oneline = true }, &p);
	print("test-ktap.txt", (struct options){ .ktap = true }, &p);
	print("test-list.json", (struct options){ .json = true, .pretty = true }, &p);
	st_plan_free(&p);
}

static void what_could_not_be_tested(void)
{
	struct st_plan p = { .n = 0 };

	p.looked = true;
	snprintf(p.scene.cuda, ST_TEXT, "libcuda.so.1: cannot open shared object file");
	snprintf(p.module, ST_TEXT, "the module gdr_telemetry is not loaded");
	EXPECT(!st_plan_make(&p));
	p.done = p.n;
	for (size_t i = 0; i < p.n; i++)
		snprintf(p.result[i].observed, ST_TEXT, "enough");
	print("test-nothing.txt", (struct options){ .json = false }, &p);
	st_plan_free(&p);
}

/* libibverbs decides whether there is one more. */
static const char *golden_of_cases(void)
{
	for (int i = 0; st_cases[i].name; i++)
		if (!strcmp(st_cases[i].name, "data-direct"))
			return "test-cases-data-direct.json";
	return "test-cases.json";
}

static void what_the_cases_are(void)
{
	struct gdrctl g = { .opt = { .json = true, .pretty = true } };
	char *buf = NULL;
	size_t size;
	FILE *f = open_memstream(&buf, &size);

	EXPECT(f && !st_print_cases(&g, f));
	fclose(f);
	ktap_golden(golden_of_cases(), buf);
	free(buf);
}

/* A case that needs one that comes later would never be held up. */
static void needs_come_first(void)
{
	for (int i = 0; st_cases[i].name; i++) {
		EXPECT(st_cases[i].run && st_cases[i].timeout_s && st_cases[i].expected);
		for (size_t k = 0; k < ARRAY_SIZE(st_cases[i].needs); k++)
			if (st_cases[i].needs[k])
				EXPECT(number(st_cases[i].needs[k]) < i);
	}
}

static const struct test tests[] = {
	TEST(jobs_of_a_scene),
	TEST(jobs_of_a_choice),
	TEST(without_a_gpu),
	TEST(what_stands_in_the_way),
	TEST(no_importer_that_is_no_pci_device),
	TEST(exit_codes),
	TEST(what_is_printed),
	TEST(what_could_not_be_tested),
	TEST(what_the_cases_are),
	TEST(needs_come_first),
};
KTAP_MAIN(tests)
