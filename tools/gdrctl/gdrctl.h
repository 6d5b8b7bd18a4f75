/* SPDX-License-Identifier: GPL-2.0 */
/* What every part of gdrctl shares: exit codes, options, messages. */
#ifndef GDRCTL_H
#define GDRCTL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))

/**
 * enum exit_code - the exit status of gdrctl, part of its interface
 * @EXIT_OK: done
 * @EXIT_USAGE: the command line is wrong; nothing was asked of the kernel
 * @EXIT_SYSTEM: the kernel or the system refused
 * @EXIT_ABSENT: the module is not loaded
 * @EXIT_SKIPPED: cannot be tested on this machine
 * @EXIT_FOUND: a check, test or audit found a problem
 */
enum exit_code {
	EXIT_OK = 0,
	EXIT_USAGE = 1,
	EXIT_SYSTEM = 2,
	EXIT_ABSENT = 3,
	EXIT_SKIPPED = 4,
	EXIT_FOUND = 5,
};

/**
 * struct options - what the options on the command line asked for
 * @json: JSON instead of text
 * @pretty: JSON with line breaks and indentation; implies @json
 * @details: a block a record, all there is
 * @oneline: one line a record, KEY VALUE pairs
 * @numeric: no look-ups of names
 * @bytes: sizes in text as plain numbers of bytes
 * @openmetrics: of metrics: OpenMetrics
 * @textfile: of metrics: the file to write; NULL: standard output
 * @anonymous: of report: no names of people, processes and machines
 * @quick: of test: the small subset
 * @ktap: of test: KTAP
 * @view: of top: what is listed; NULL: what is best
 * @sort: of top: in which order; NULL: as the view has it
 * @delay: of top: seconds between two looks; NULL: as many as it has by itself
 * @batch: of top: so many looks, as text; NULL: on the terminal until it is ended
 * @help: help was asked for
 * @version: the version was asked for
 */
struct options {
	bool json;
	bool pretty;
	bool details;
	bool oneline;
	bool numeric;
	bool bytes;
	bool openmetrics;
	const char *textfile;
	bool anonymous;
	bool quick;
	bool ktap;
	const char *view;
	const char *sort;
	const char *delay;
	const char *batch;
	bool help;
	bool version;
};

struct out;

/**
 * struct gdrctl - one run of the tool
 * @opt: options
 * @out: where results go
 * @boottime_ns: now, CLOCK_BOOTTIME in nanoseconds
 * @realtime_s: now, seconds since the epoch
 */
struct gdrctl {
	struct options opt;
	struct out *out;
	uint64_t boottime_ns;
	int64_t realtime_s;
};

/** tool_version - version of this tool; a variable, so that tests have one that stays */
extern const char *tool_version;

/**
 * message - write one line to standard error, with the tool's name before it
 * @fmt: printf format, without the newline
 */
void message(const char *fmt, ...) PRINTF(1, 2);

/**
 * struct diversion - where messages go in place of standard error
 * @buf: a string that they are appended to, with "; " between; NULL: nowhere else
 * @size: size of @buf
 */
struct diversion {
	char *buf;
	size_t size;
};

/**
 * message_divert - keep messages, in place of standard error
 * @buf: where to, empty at first, "; " between them; NULL: standard error again
 * @size: size of @buf
 *
 * Return: where they have gone so far, for message_restore()
 */
struct diversion message_divert(char *buf, size_t size);

/** message_restore - let messages go where they went before */
void message_restore(struct diversion before);

#endif
