/* SPDX-License-Identifier: GPL-2.0 */
/* Filters: which records are wanted. */
#ifndef GDRCTL_FILTER_H
#define GDRCTL_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "gdrctl.h"
#include "model.h"

/** enum filter_kind - what a filter looks at; two words may mean the same */
enum filter_kind {
	FILTER_IMPORTER,
	FILTER_EXPORTER,
	FILTER_PID,
	FILTER_BUFFER,
	FILTER_COMM,
	FILTER_CGROUP,
	FILTER_ID,
	FILTER_STAGE,
	FILTER_ERRNO,
	FILTER_SINCE,
	FILTER_MODULE,
	FILTER_KINDS,
};

/** FILTER_BIT - filter kind @kind in a mask of those that a command has */
#define FILTER_BIT(kind) (1u << FILTER_##kind)

/**
 * struct filter_word - a word of the command line that takes a value
 * @word: the word
 * @value: what its value is, for help
 * @kind: what it filters by
 * @help: what it does
 */
struct filter_word {
	const char *word;
	const char *value;
	enum filter_kind kind;
	const char *help;
};

/** FILTER_CGROUP_SIZE - room for the path of a cgroup */
#define FILTER_CGROUP_SIZE 1024

/** filter_words - the words, ended by a NULL word */
extern const struct filter_word filter_words[];

/**
 * struct filter - the filters given; all must match
 * @has: whether each was given
 * @importer: BDF or device name
 * @exporter: BDF or module name
 * @pid: process id
 * @buffer: inode number of the dma-buf
 * @id: identity of the attachment
 * @comm: command name
 * @cgroup: as cgroup_matches() takes it
 * @stage: enum gdr_telemetry_stage
 * @err: positive errno
 * @module: name of a module, as sysfs has it
 * @since_ns: no longer ago than that, nanoseconds
 */
struct filter {
	bool has[FILTER_KINDS];
	char importer[MODEL_STR];
	char exporter[MODEL_STR];
	uint32_t pid;
	uint64_t buffer;
	uint64_t id;
	char comm[MODEL_STR];
	char cgroup[FILTER_CGROUP_SIZE];
	uint32_t stage;
	int err;
	char module[MODEL_STR];
	uint64_t since_ns;
};

/**
 * filter_add - take one filter
 * @f: the filters so far
 * @w: the word
 * @value: its value, NULL if the command line ended
 *
 * Return: EXIT_OK, or EXIT_USAGE, said on standard error
 */
enum exit_code filter_add(struct filter *f, const struct filter_word *w, const char *value);

struct args;
struct words;

/**
 * filters_add_words - add the words of some filters
 * @w: the words that are possible
 * @filters: which: FILTER_BIT()s
 */
void filters_add_words(struct words *w, unsigned int filters);

/**
 * filters_read - take all filters that are left on the command line
 * @f: the filters, empty
 * @a: the command line
 * @filters: those that the command has: FILTER_BIT()s
 *
 * Return: EXIT_OK, or EXIT_USAGE, said on standard error
 */
enum exit_code filters_read(struct filter *f, struct args *a, unsigned int filters);

/** filter_has - whether any of @filters, FILTER_BIT()s, was given */
bool filter_has(const struct filter *f, unsigned int filters);

/** filter_any - whether any filter was given */
bool filter_any(const struct filter *f);

/** filter_client - whether @a passes the filters that the kernel does not know */
bool filter_client(const struct filter *f, const struct attachment *a);

/** attachments_filter - leave only what filter_client() lets pass */
void attachments_filter(struct attachments *list, const struct filter *f);

#endif
