/* SPDX-License-Identifier: GPL-2.0 */
/* The live view: what is in it and how it looks, line by line. No terminal here. */
#ifndef GDRCTL_TOP_H
#define GDRCTL_TOP_H

#include <stdbool.h>

#include "filter.h"
#include "list.h"
#include "model.h"

/** TOP_FILTERS - the filters there are */
#define TOP_FILTERS                                                                              \
	(FILTER_BIT(IMPORTER) | FILTER_BIT(EXPORTER) | FILTER_BIT(PID) | FILTER_BIT(COMM) |      \
	 FILTER_BIT(CGROUP) | FILTER_BIT(BUFFER))

/** TOP_TEXT - room for the text that lines must have */
#define TOP_TEXT 64

/** enum top_view - what is listed */
enum top_view { TOP_OWNERS, TOP_PAIRS, TOP_ATTACHMENTS, TOP_VIEWS };

/** enum top_sort - in which order; one that a view does not have is as TOP_PINNED */
enum top_sort {
	TOP_PINNED,
	TOP_ATTACHED,
	TOP_MRS,
	TOP_FAILURES,
	TOP_AGE,
	TOP_PROCESS,
	TOP_SORTS,
};

/** top_views, top_sorts - their words */
extern const char *const top_views[TOP_VIEWS];
extern const char *const top_sorts[TOP_SORTS];

/**
 * struct top - what is wanted
 * @filter: the filters
 * @view: what is listed
 * @sort: in which order
 * @reverse: the other way round
 * @text: only lines with this text; "" for all
 */
struct top {
	struct filter filter;
	enum top_view view;
	enum top_sort sort;
	bool reverse;
	char text[TOP_TEXT];
};

/**
 * struct top_look - one look at the module
 * @status: the status
 * @attachments: those that pass the filters
 * @owners: the same added up
 * @pairs: of all processes
 * @why: why there are no attachments; "" if they could be read
 */
struct top_look {
	struct status status;
	struct attachments attachments;
	struct records owners;
	struct records pairs;
	char why[256];
};

/**
 * struct frame - lines of text
 * @text: all of them
 * @line: where each begins; they have no newline
 * @n: how many
 * @fixed: so many of the first do not scroll
 */
struct frame {
	char *text;
	char **line;
	size_t n;
	size_t fixed;
};

/**
 * top_options - read what the command line says
 * @opt: options
 * @t: its view and sort
 * @delay_ms: milliseconds between two looks
 * @looks: so many; 0: until it is ended
 *
 * Return: EXIT_OK, or EXIT_USAGE, said on standard error
 */
enum exit_code top_options(const struct options *opt, struct top *t, int *delay_ms,
			   unsigned int *looks);

/**
 * top_look - look at the module
 * @g: options and clock
 * @t: what is wanted
 * @look: to be given to top_look_free() whatever is returned
 *
 * Return: EXIT_OK; EXIT_ABSENT or EXIT_SYSTEM, said on standard error
 */
enum exit_code top_look(const struct gdrctl *g, const struct top *t, struct top_look *look);

/** top_look_free - free what @look holds */
void top_look_free(struct top_look *look);

/**
 * top_frame - what a look looks like
 * @g: options and clock
 * @t: what is wanted
 * @look: the look; its order changes
 * @first: the first one, from which on registrations and failures are counted
 * @f: to be given to top_frame_free() whatever is returned
 *
 * Return: EXIT_OK, or EXIT_SYSTEM, said on standard error
 */
enum exit_code top_frame(const struct gdrctl *g, const struct top *t, struct top_look *look,
			 const struct status *first, struct frame *f);

/** top_frame_free - free what @f holds */
void top_frame_free(struct frame *f);

#endif
