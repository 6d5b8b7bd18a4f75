/* SPDX-License-Identifier: GPL-2.0 */
/* Files that hold what the module told at one time: writing, reading, comparing. */
#ifndef GDRCTL_SNAPSHOT_H
#define GDRCTL_SNAPSHOT_H

#include <json-c/json.h>

#include "capture.h"

/** SNAPSHOT_VERSION - of the format; it grows when an older reader would misunderstand a file */
#define SNAPSHOT_VERSION 1

/** SNAPSHOT_NAME - room for the name of a snapshot in messages */
#define SNAPSHOT_NAME 256

/** enum snapshot_list - the lists of a snapshot that are compared */
enum snapshot_list {
	SNAPSHOT_IMPORTERS,
	SNAPSHOT_EXPORTERS,
	SNAPSHOT_PAIRS,
	SNAPSHOT_ATTACHMENTS,
	SNAPSHOT_OWNERS,
	SNAPSHOT_FAILURES,
	SNAPSHOT_FAILURE_LOG,
	SNAPSHOT_LISTS,
};

/**
 * struct snapshot - one that was read
 * @name: of the file, escaped
 * @root: the whole
 * @status: the status in it
 * @list: the lists in it
 * @time_seconds: when it was made, seconds since the epoch
 * @boottime_ns: the same of CLOCK_BOOTTIME
 * @start_seconds: when the module was loaded
 * @boot_id: of the kernel
 * @host: of the machine
 * @version: of the module; "" if it is not known
 */
struct snapshot {
	char name[SNAPSHOT_NAME];
	json_object *root;
	json_object *status;
	json_object *list[SNAPSHOT_LISTS];
	uint64_t time_seconds;
	uint64_t boottime_ns;
	uint64_t start_seconds;
	const char *boot_id;
	const char *host;
	const char *version;
};

/**
 * snapshot_text - what is read now, as a snapshot
 * @g: clock
 * @c: what was read
 *
 * Return: the text, to be freed; NULL, said on standard error
 */
char *snapshot_text(const struct gdrctl *g, const struct capture *c);

/**
 * snapshot_parse - read a snapshot
 * @s: to be given to snapshot_free() whatever is returned
 * @name: what it is called in messages
 * @text: its text
 * @len: bytes there
 *
 * Return: EXIT_OK, or EXIT_SYSTEM, said on standard error
 */
enum exit_code snapshot_parse(struct snapshot *s, const char *name, const char *text, size_t len);

/** snapshot_load - snapshot_parse() of a file; "-" is standard input */
enum exit_code snapshot_load(struct snapshot *s, const char *path);

/** snapshot_free - free what @s holds */
void snapshot_free(struct snapshot *s);

#endif
