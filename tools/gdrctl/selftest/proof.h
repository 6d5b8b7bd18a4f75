/* SPDX-License-Identifier: GPL-2.0 */
/* What the module says of what this process did. */
#ifndef GDRCTL_ST_PROOF_H
#define GDRCTL_ST_PROOF_H

#include "nl.h"
#include "selftest.h"

/**
 * struct st_proof - the module
 * @nl: connection
 * @usable: it answers, lets us see attachments and failures, and is exact
 * @mrs: it knows MRs, too
 * @text: what it can prove, a phrase, or why it cannot
 */
struct st_proof {
	struct nl nl;
	bool usable;
	bool mrs;
	char text[ST_TEXT];
};

/**
 * struct st_want - what has to be attached
 * @buffer: inode number of the dma-buf
 * @size: its size
 * @n: how many attachments
 * @importer: of each; NULL: any, but no two the same
 * @pid: who attached
 * @has_mr: of one alone: what follows is its MR
 * @offset: offset of the MR
 * @length: its length
 * @iova: its address
 * @access: its access flags
 */
struct st_want {
	uint64_t buffer;
	uint64_t size;
	size_t n;
	const char *importer;
	uint32_t pid;
	bool has_mr;
	uint64_t offset;
	uint64_t length;
	uint64_t iova;
	uint32_t access;
};

/** st_proof_open - connect to the module, if it is there; never a message */
void st_proof_open(struct st_proof *p);

/** st_proof_close - free what @p holds */
void st_proof_close(struct st_proof *p);

/**
 * st_proof_attached - compare what the module says with what has to be
 * @p: the module, usable
 * @w: what has to be
 * @text: the difference
 *
 * Return: 0; -1 if it says otherwise
 */
int st_proof_attached(struct st_proof *p, const struct st_want *w, char text[ST_TEXT]);

/** st_proof_count - attachments of @pid there are; -1: the module does not answer */
long st_proof_count(struct st_proof *p, uint32_t pid);

/**
 * st_proof_failure - what the module says of the last failure of this process
 * @p: the module, usable
 * @err: the errno it had
 * @since_ns: it did not begin earlier, CLOCK_BOOTTIME
 * @r: its stage, meaning and fix go here
 *
 * Return: 0; -1 without such a record
 */
int st_proof_failure(struct st_proof *p, int err, uint64_t since_ns, struct st_result *r);

/** st_advise - what an errno means in a stage, and what to do, from the table of causes */
void st_advise(struct st_result *r, uint32_t stage, int err);

#endif
