/* SPDX-License-Identifier: GPL-2.0 */
/* All that the module tells at one time: what snapshots and reports are made of. */
#ifndef GDRCTL_CAPTURE_H
#define GDRCTL_CAPTURE_H

#include "list.h"
#include "model.h"

/** enum capture_list - the lists of a capture */
enum capture_list {
	CAPTURE_IMPORTERS,
	CAPTURE_EXPORTERS,
	CAPTURE_PAIRS,
	CAPTURE_BUFFERS,
	CAPTURE_OWNERS,
	CAPTURE_CGROUPS,
	CAPTURE_FAILURES,
	CAPTURE_FAILURE_LOG,
	CAPTURE_LATENCIES,
	CAPTURE_LISTS,
};

/** CAPTURE_WHY - room for the reason why a part was not read */
#define CAPTURE_WHY 256

/**
 * struct capture - what was read
 * @status: the status
 * @attachments: sorted by id
 * @list: the other lists
 * @why: of a list that was not read: why; "" if it was
 * @why_attachments: the same of the attachments
 */
struct capture {
	struct status status;
	struct attachments attachments;
	struct records list[CAPTURE_LISTS];
	char why[CAPTURE_LISTS][CAPTURE_WHY];
	char why_attachments[CAPTURE_WHY];
};

/** capture_types - their kinds */
extern const struct list_type *const capture_types[CAPTURE_LISTS];

/** capture_names - how they are called in a file */
extern const char *const capture_names[CAPTURE_LISTS];

/**
 * capture_read - read everything
 * @g: options and clock
 * @nl: connection
 * @whole: a part that cannot be read is an error, said on standard error; else it is left out
 * @c: empty; to be given to capture_free() whatever is returned
 *
 * Return: EXIT_OK, or EXIT_SYSTEM
 */
enum exit_code capture_read(const struct gdrctl *g, struct nl *nl, bool whole, struct capture *c);

/** capture_free - free what @c holds and leave it empty */
void capture_free(struct capture *c);

#endif
