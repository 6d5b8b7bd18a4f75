/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Objects that are lists of records. A list_type says what a record is (its table of values),
 * where the records come from, and which filters there are; list_show() is then the command.
 * cmd_buffer.c is a plain example, cmd_owner.c one whose records gdrctl makes itself.
 */
#ifndef GDRCTL_LIST_H
#define GDRCTL_LIST_H

#include <stdio.h>

#include "args.h"
#include "filter.h"
#include "gdrctl.h"
#include "nl.h"
#include "record.h"

/**
 * struct list_type - one object that is a list
 * @what: one of them, and the object's word
 * @plural: some of them
 * @command: words of the command line that list them, for messages; NULL: @what
 * @cmd: operation that dumps them
 * @role_attr: attribute of the request that says which of them; 0: all
 * @role: its value
 * @value: their values; at most RECORD_ATTRS
 * @n: how many
 * @ids: how many of the first values name the record: they are the heading of a block, and the
 *	list is sorted by them
 * @filters: the filters there are, FILTER_BIT()s
 * @importer: attribute that holds the importer; 0: the filter is not by attribute
 * @exporter: attribute that holds the exporter; 0: likewise
 * @module: attribute that holds its module or driver; 0: none
 * @buffer: attribute that holds the inode number; 0: likewise
 * @read: reads the records in place of the operation @cmd, filtered; NULL: @cmd does
 * @add: adds to the records what gdrctl itself knows, after the filters; NULL: nothing
 * @foot: says more below a table that is not empty; NULL: nothing
 * @note: says what the list cannot show, on standard error; NULL: nothing
 * @in_order: the records are in order as they are read
 * @order: sorts the list, as qsort()'s compare; NULL: by the first @ids values
 */
struct list_type {
	const char *what;
	const char *plural;
	const char *command;
	int cmd;
	int role_attr;
	uint32_t role;
	const struct value *value;
	size_t n;
	size_t ids;
	unsigned int filters;
	int importer;
	int exporter;
	int module;
	int buffer;
	enum exit_code (*read)(const struct gdrctl *g, struct nl *nl, const struct filter *f,
			       struct records *list);
	enum exit_code (*add)(const struct gdrctl *g, struct nl *nl, struct records *list);
	bool in_order;
	void (*foot)(const struct records *list, FILE *to);
	void (*note)(struct nl *nl);
	int (*order)(const void *a, const void *b);
};

/** list_matches - whether @r passes the filters that are by attribute */
bool list_matches(const struct list_type *t, const struct filter *f, const struct record *r);

/**
 * list_print - print records, in the order given
 * @g: options
 * @t: their kind
 * @list: the records
 * @filtered: some may have been left out, for the words said when there is none
 * @to: where to
 *
 * Return: EXIT_OK, or EXIT_SYSTEM
 */
enum exit_code list_print(const struct gdrctl *g, const struct list_type *t,
			  const struct records *list, bool filtered, FILE *to);

/**
 * list_read - read records from the kernel, all of the kind @t, unsorted
 * @t: their kind, with its @cmd
 * @nl: connection
 * @list: they replace what is here; to be given to records_free() whatever is returned
 *
 * Return: EXIT_OK, or EXIT_SYSTEM, said on standard error
 */
enum exit_code list_read(const struct list_type *t, struct nl *nl, struct records *list);

/**
 * list_collect - the records of the kind @t, filtered, completed and in the order they are shown in
 * @t: their kind
 * @g: options and clock
 * @nl: connection
 * @f: the filters
 * @list: they replace what is here; to be given to records_free() whatever is returned
 *
 * Return: EXIT_OK, or EXIT_SYSTEM, said on standard error
 */
enum exit_code list_collect(const struct list_type *t, const struct gdrctl *g, struct nl *nl,
			    const struct filter *f, struct records *list);

/** list_sort - put records into the order in which the kind @t is shown */
void list_sort(const struct list_type *t, struct records *list);

/**
 * list_show - the command "show" of @t: filters, records, output
 * @t: the kind
 * @g: options and clock
 * @a: the rest of the command line
 *
 * Return: the exit code
 */
enum exit_code list_show(const struct list_type *t, struct gdrctl *g, struct args *a);

/** list_note_inexact - a list that may be short must not look like one that is whole */
void list_note_inexact(const struct gdrctl *g, struct nl *nl);

#endif
