/* SPDX-License-Identifier: GPL-2.0 */
/* gdrctl test: what there is to test, the jobs made of it, and what came out. */
#ifndef GDRCTL_SELFTEST_H
#define GDRCTL_SELFTEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "gdrctl.h"
#include "names.h"

#define ST_TEXT		192
#define ST_ADVICE	704
#define ST_STAGE	16
#define ST_NAME		64
#define ST_HCAS		32
#define ST_SOURCES	64

/** enum st_verdict - of one job; words of the JSON interface */
enum st_verdict { ST_PASS, ST_FAIL, ST_SKIP };

/** enum st_kind - where memory comes from; words of the command line */
enum st_kind { ST_CUDA, ST_CUDA_VMM, ST_CUDA_PCIE, ST_UDMABUF, ST_HEAP, ST_HOST, ST_KINDS };

/**
 * struct st_hca - an RDMA device
 * @name: "mlx5_0"
 * @device: its BDF, or the name of its device
 * @pci: it is a PCI function
 * @mlx5: it is an mlx5 function, which the module always tracks
 * @port: the first active port, else the first
 * @link: why transfers over that port cannot be tested; "" if they can
 */
struct st_hca {
	char name[ST_NAME];
	char device[BDF_SIZE];
	bool pci;
	bool mlx5;
	uint8_t port;
	char link[ST_TEXT];
};

/**
 * struct st_source - where memory can be had
 * @kind: of which kind
 * @index: which of its kind: number of the GPU in CUDA's order, or of the heap
 * @name: "cuda0", "cuda0-vmm", "udmabuf", "system"
 * @device: BDF of the GPU; "" without one
 * @full: every case is run with it, not only the basic ones
 * @missing: why it cannot be used; "" if it can
 */
struct st_source {
	enum st_kind kind;
	unsigned int index;
	char name[ST_NAME];
	char device[BDF_SIZE];
	bool full;
	char missing[ST_TEXT];
};

/**
 * struct st_scene - what there is on this machine
 * @hca: RDMA devices
 * @n_hcas: how many
 * @source: sources
 * @n_sources: how many
 * @cuda: why there is no GPU's memory; "" if there is some
 */
struct st_scene {
	struct st_hca hca[ST_HCAS];
	unsigned int n_hcas;
	struct st_source source[ST_SOURCES];
	unsigned int n_sources;
	char cuda[ST_TEXT];
};

/**
 * struct st_choice - what is to be tested
 * @hca: device of the HCA; "": all
 * @gpu: BDF of the GPU; "": all
 * @kinds: 1 << kind of each source wanted; 0: whatever there is
 * @cases: 1 << number of each case wanted; 0: all
 * @size: the largest buffer, bytes
 * @quick: the small subset
 */
struct st_choice {
	char hca[ST_TEXT];
	char gpu[ST_TEXT];
	unsigned int kinds;
	uint64_t cases;
	uint64_t size;
	bool quick;
};

struct st_case;

/** ST_NONE - no HCA or source belongs to the job */
#define ST_NONE UINT32_MAX

/**
 * struct st_job - one case with an HCA and memory
 * @c: the case
 * @hca: number of the HCA in the scene
 * @source: number of the source
 * @target: number of the second source, of cases between two
 */
struct st_job {
	const struct st_case *c;
	uint32_t hca;
	uint32_t source;
	uint32_t target;
};

/**
 * struct st_result - what came out of a job; plain, as it goes through a socket
 * @job: number of the job
 * @verdict: pass, fail or skip
 * @err: positive errno that was seen; 0: none
 * @stage: where it failed: a stage of the module, or a step of this test; "" if it passed
 * @observed: what was seen; of a skip: why
 * @means: what that means; "" if there is nothing to say
 * @fix: what to do about it
 * @proven: the module's records were compared
 * @register_ns: how long a registration took; 0: not measured
 * @bytes_per_s: data moved; 0: not measured
 * @duration_ns: of the whole job
 */
struct st_result {
	uint32_t job;
	enum st_verdict verdict;
	int err;
	char stage[ST_STAGE];
	char observed[ST_TEXT];
	char means[ST_ADVICE];
	char fix[ST_ADVICE];
	bool proven;
	uint64_t register_ns;
	uint64_t bytes_per_s;
	uint64_t duration_ns;
};

/**
 * struct st_plan - the jobs and their results
 * @scene: what there is
 * @choice: what was chosen
 * @job: the jobs
 * @result: as many results
 * @n: how many jobs
 * @done: how many results there are
 * @looked: the scene was looked at; it is not without files to open
 * @module: what the module can prove here, a phrase
 * @proofs: it proves something
 */
struct st_plan {
	struct st_scene scene;
	struct st_choice choice;
	struct st_job *job;
	struct st_result *result;
	size_t n;
	size_t done;
	bool looked;
	char module[ST_TEXT];
	bool proofs;
};

/** st_kind_words - the words of the kinds, by number, ended by NULL */
extern const char *const st_kind_words[];

/** st_verdict_words - likewise of the verdicts */
extern const char *const st_verdict_words[];

/**
 * st_plan_make - the jobs of a scene and a choice
 * @p: its scene and choice are read; to be given to st_plan_free() whatever is returned
 *
 * Return: 0 or -ENOMEM
 */
int st_plan_make(struct st_plan *p);

/** st_plan_free - free what @p holds */
void st_plan_free(struct st_plan *p);

/** st_wants_source - whether a source was chosen */
bool st_wants_source(const struct st_choice *c, const struct st_source *s);

/** st_wants_hca - whether an HCA was chosen */
bool st_wants_hca(const struct st_choice *c, const struct st_hca *h);

/**
 * st_supervise - look what there is, make the plan and run it
 * @p: its choice is read; the rest is filled in
 * @progress: told before each job; NULL: nobody is
 *
 * Everything that touches a device runs in a child process with a time-out, which the kernel kills
 * if this process ends.
 *
 * Return: EXIT_OK, or EXIT_SYSTEM, said on standard error
 */
enum exit_code st_supervise(struct st_plan *p, void (*progress)(const struct st_plan *p));

/** st_counts - how many results there are of each verdict */
void st_counts(const struct st_plan *p, size_t count[3]);

/** st_exit_code - what the results come to: EXIT_OK, EXIT_SKIPPED or EXIT_FOUND */
enum exit_code st_exit_code(const struct st_plan *p);

/**
 * st_print - print the results
 * @g: options
 * @p: the plan
 * @to: where to
 *
 * Return: EXIT_OK, or EXIT_SYSTEM, said on standard error
 */
enum exit_code st_print(const struct gdrctl *g, const struct st_plan *p, FILE *to);

/**
 * st_print_ktap - print results as KTAP, at once
 * @p: the plan
 * @from: number of the first result, from 1 on; 0: the plan, and all results that there are
 * @to: where to
 *
 * Return: EXIT_OK, or EXIT_SYSTEM
 */
enum exit_code st_print_ktap(const struct st_plan *p, size_t from, FILE *to);

/** st_print_cases - print what the cases are; as st_print() */
enum exit_code st_print_cases(const struct gdrctl *g, FILE *to);

/** st_job_name - "write mlx5_0 cuda0". Return: @buf */
const char *st_job_name(const struct st_plan *p, const struct st_job *j, char *buf, size_t size);

#endif
