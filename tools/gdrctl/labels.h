/* SPDX-License-Identifier: GPL-2.0 */
/* Words that stand for names which are nobody else's business. */
#ifndef GDRCTL_LABELS_H
#define GDRCTL_LABELS_H

#include "capture.h"

/** LABEL_SIZE - room for a label */
#define LABEL_SIZE 32

/** struct label - one that was given */
struct label {
	char *name;
	unsigned int n;
};

/** struct labels - @n labels that were given */
struct labels {
	struct label *item;
	size_t n;
};

/**
 * label_of - the label of a name
 * @l: those given so far
 * @kind: what it names: "process"
 * @name: the name
 * @buf: where to: "process-1" for the first of its kind; the same name has the same label
 *
 * Return: @buf; NULL without memory
 */
const char *label_of(struct labels *l, const char *kind, const char *name, char buf[LABEL_SIZE]);

/** labels_free - free what @l holds */
void labels_free(struct labels *l);

/**
 * labels_capture - take names out of what was read, and put labels in their place
 * @c: what was read
 *
 * Processes, users, cgroups, containers, pods, jobs, names of buffers, UUIDs of GPUs and keys of MRs
 * go; which process and which cgroup are the same can still be seen.
 *
 * Return: 0 or -ENOMEM
 */
int labels_capture(struct capture *c);

#endif
