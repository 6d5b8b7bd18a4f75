/* SPDX-License-Identifier: GPL-2.0 */
/* Objects and their commands. */
#ifndef GDRCTL_CMD_H
#define GDRCTL_CMD_H

#include <stdbool.h>
#include <stdio.h>

#include "args.h"
#include "filter.h"
#include "gdrctl.h"
#include "model.h"

/**
 * struct command - what can be done with an object
 * @name: the word
 * @run: does it, given the rest of the command line; returns the exit code
 * @filters: filters that may follow, FILTER_BIT()s; 0: none
 * @help: what it does
 */
struct command {
	const char *name;
	enum exit_code (*run)(struct gdrctl *g, struct args *a);
	unsigned int filters;
	const char *help;
};

/** OPERANDS_MAX - the first commands of an object may have operands */
#define OPERANDS_MAX 2

/**
 * struct object - a word of the command line and its file cmd_OBJECT.c
 * @name: the word
 * @help: what it is
 * @notes: more for its own help, whole lines; NULL: none
 * @command: what can be done with it, ended by a NULL name; the first is done by default
 * @operands: what follows each command in place of filters, for help; NULL: nothing
 * @needs_command: no command is done by default
 * @external: the program that does it, of another package; NULL: this one does
 * @options: of this object alone, ended by a NULL name; NULL: none
 * @offer: completes these: prints those that begin with a prefix, one a line
 * @offer_value: completes the value of one of these, likewise, if there is a prefix; returns
 *	whether the word takes a value that it knows; NULL: none does
 */
struct object {
	const char *name;
	const char *help;
	const char *notes;
	const struct command *command;
	const char *operands[OPERANDS_MAX];
	bool needs_command;
	const char *external;
	const struct object_option *options;
	void (*offer)(const char *prefix);
	bool (*offer_value)(const char *word, const char *prefix);
};

extern const struct object object_status;
extern const struct object object_attachment;
extern const struct object object_buffer;
extern const struct object object_failure;
extern const struct object object_latency;
extern const struct object object_explain;
extern const struct object object_importer;
extern const struct object object_exporter;
extern const struct object object_pair;
extern const struct object object_metrics;
extern const struct object object_owner;
extern const struct object object_holders;
extern const struct object object_probe;
extern const struct object object_snapshot;
extern const struct object object_report;
extern const struct object object_test;
extern const struct object object_top;

struct list_type;
/* The lists, for tests. */
extern const struct list_type list_buffer;
extern const struct list_type list_importer;
extern const struct list_type list_exporter;
extern const struct list_type list_pair;
extern const struct list_type list_owner;
extern const struct list_type list_owner_cgroup;
extern const struct list_type list_owner_pair;
extern const struct list_type list_holders;
extern const struct list_type list_probe;

struct records;

/**
 * probes_make - the probes of a status as records of list_probe
 * @s: the status
 * @list: they are appended here
 *
 * Return: 0 or -ENOMEM
 */
int probes_make(const struct status *s, struct records *list);

/** objects - every object, ended by NULL */
extern const struct object *const objects[];

/** help_print - the help of @object, of the whole tool if that is NULL */
void help_print(const struct object *object, FILE *to);

/**
 * complete - print what the last of @words may become, one a line
 * @words: the words after the tool's name, ended by NULL; the last one is unfinished
 */
void complete(char **words);

/**
 * status_print - print a status
 * @g: options and clock
 * @s: the status
 * @to: where to
 *
 * Return: EXIT_OK, or EXIT_SYSTEM
 */
enum exit_code status_print(const struct gdrctl *g, const struct status *s, FILE *to);

/**
 * attachments_print - print attachments, in the order given
 * @g: options and clock
 * @list: the attachments
 * @filtered: some may have been left out, for the words said when there is none
 * @to: where to
 *
 * Return: EXIT_OK, or EXIT_SYSTEM
 */
enum exit_code attachments_print(const struct gdrctl *g, const struct attachments *list,
				 bool filtered, FILE *to);

#endif
