/* SPDX-License-Identifier: GPL-2.0 */
/* One case being run, in a worker process: what it holds, and the steps that cases are made of. */
#ifndef GDRCTL_ST_RUN_H
#define GDRCTL_ST_RUN_H

#include "cases.h"
#include "memory.h"
#include "proof.h"
#include "verbs.h"

#define RUN_MRS		256
#define RUN_MEMORIES	64

/**
 * struct st_run - a case being run
 * @scene: what there is
 * @choice: what was chosen
 * @job: what it is run with
 * @res: its result; passes until something says otherwise
 * @proof: the module
 * @verbs: HCAs, by their number in the scene; opened when they are needed
 * @memory: memory that is held
 * @n_memories: how much
 * @mr: MRs that are held, in the order of their registration
 * @n_mrs: how many
 * @data_direct: dma-bufs are registered through the data direct function of the HCA
 * @where: which part of the case is being run, for what is said of a failure
 */
struct st_run {
	const struct st_scene *scene;
	const struct st_choice *choice;
	const struct st_job *job;
	struct st_result *res;
	struct st_proof *proof;
	struct st_verbs *verbs;
	struct st_memory memory[RUN_MEMORIES];
	unsigned int n_memories;
	struct ibv_mr *mr[RUN_MRS];
	unsigned int n_mrs;
	bool data_direct;
	char where[ST_NAME];
};

/** struct st_range - what is to be registered */
struct st_range {
	uint64_t offset;
	uint64_t length;
	uint64_t iova;
	unsigned int access;
};

/**
 * run_failed - the case has failed; the first time counts
 * @r: the case
 * @stage: the step
 * @err: positive errno; 0: none
 * @fmt: what was seen
 *
 * Return: false
 */
bool run_failed(struct st_run *r, const char *stage, int err, const char *fmt, ...) PRINTF(4, 5);

/** run_skipped - the case cannot be run, and why. Return: false */
bool run_skipped(struct st_run *r, const char *fmt, ...) PRINTF(2, 3);

/** run_observed - what a case that passes has seen */
void run_observed(struct st_run *r, const char *fmt, ...) PRINTF(2, 3);

/** run_hca - the HCA with this number, open; NULL: the case has failed */
struct st_verbs *run_hca(struct st_run *r, uint32_t hca);

/** run_loop - likewise, with connected queue pairs */
struct st_verbs *run_loop(struct st_run *r, uint32_t hca);

/** run_memory - @size bytes of a source, given back when the case ends; NULL: it has failed */
struct st_memory *run_memory(struct st_run *r, uint32_t source, uint64_t size);

/** run_forget - give a memory back now */
void run_forget(struct st_run *r, struct st_memory *m);

/** run_try - register memory. Return: the MR, held; NULL with errno */
struct ibv_mr *run_try(struct st_run *r, struct st_verbs *v, const struct st_memory *m,
		       const struct st_range *g);

/** run_register - likewise; NULL: the case has failed, and its result says at which stage */
struct ibv_mr *run_register(struct st_run *r, struct st_verbs *v, const struct st_memory *m,
			    const struct st_range *g);

/** run_refused - the result of a registration that failed with @err, begun at @since_ns */
bool run_refused(struct st_run *r, int err, uint64_t since_ns);

/** run_deregister - give the last MR up. Return: false: the case has failed */
bool run_deregister(struct st_run *r);

/** run_deregister_all - give all up, the last first */
bool run_deregister_all(struct st_run *r);

/**
 * run_attached - compare what is attached with the module's records
 * @r: the case
 * @m: the memory
 * @n: how many attachments it has to have by this process
 * @hca: the HCA; ST_NONE: different ones
 * @g: the MR; NULL: not compared
 *
 * Return: true also where the module cannot prove anything; false: the case has failed
 */
bool run_attached(struct st_run *r, const struct st_memory *m, size_t n, uint32_t hca,
		  const struct st_range *g);

/** run_tracks - whether the module knows attachments of this memory by this HCA */
bool run_tracks(const struct st_run *r, const struct st_memory *m, uint32_t hca);

/** run_range - all of a memory, with the usual access */
struct st_range run_range(const struct st_memory *m);

/** run_end - address and key of an MR, @at bytes into it */
struct st_end run_end(const struct st_memory *m, const struct ibv_mr *mr, bool remote, uint64_t at);

/** run_boottime - now, CLOCK_BOOTTIME */
uint64_t run_boottime(void);

/** run_cleanup - give everything back; says if the module knows something left */
void run_cleanup(struct st_run *r);

/** run_room - the size of a case's buffer: @wanted, or less if less was chosen */
uint64_t run_room(const struct st_run *r, uint64_t wanted);

#endif
