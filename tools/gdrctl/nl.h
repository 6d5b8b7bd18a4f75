/* SPDX-License-Identifier: GPL-2.0 */
/* The way to the kernel: socket, family, requests. */
#ifndef GDRCTL_NL_H
#define GDRCTL_NL_H

#include <stdbool.h>
#include <stdint.h>

#include "filter.h"
#include "gdrctl.h"
#include "model.h"

struct nl_sock;
struct nl_msg;

/**
 * struct nl - a connection to the module
 * @sk: the socket
 * @family: number of the generic netlink family
 * @unsupported: the last dump is one that this module does not know
 */
struct nl {
	struct nl_sock *sk;
	int family;
	bool unsupported;
};

/**
 * kernel_open - connect and find the module's family
 * @nl: to be given to kernel_close() whatever is returned
 *
 * Return: EXIT_OK; EXIT_ABSENT or EXIT_SYSTEM, said on standard error
 */
enum exit_code kernel_open(struct nl *nl);

/** kernel_close - free what @nl holds */
void kernel_close(struct nl *nl);

/**
 * kernel_status - ask for the status
 * @nl: connection
 * @s: to be given to model_status_free() whatever is returned
 *
 * Return: EXIT_OK, or EXIT_SYSTEM, said on standard error
 */
enum exit_code kernel_status(struct nl *nl, struct status *s);

/**
 * struct dump - a dump of the kernel
 * @what: one of the records, for messages; it is the object's word, too
 * @plural: some of them, as the first word of a sentence
 * @cmd: enum of the netlink specification
 * @fill: adds the attributes of the request, given @fill_arg; NULL: it has none
 * @fill_arg: its argument
 * @record: takes the attributes of a record, given @arg; a negative errno ends the dump
 * @restart: forgets the records so far, given @arg, as the dump begins anew
 * @arg: their argument
 */
struct dump {
	const char *what;
	const char *plural;
	int cmd;
	int (*fill)(struct nl_msg *msg, const void *arg);
	const void *fill_arg;
	int (*record)(void *arg, const void *attrs, size_t len);
	void (*restart)(void *arg);
	void *arg;
};

/**
 * kernel_dump - ask for all records of a kind
 * @nl: connection
 * @d: what, and where the records go
 *
 * Asks again a few times if the set changed meanwhile; if it never holds still, says so on standard
 * error and takes the last answer.
 *
 * Return: EXIT_OK, or EXIT_SYSTEM, said on standard error
 */
enum exit_code kernel_dump(struct nl *nl, const struct dump *d);

/**
 * kernel_attachment - ask for one attachment
 * @nl: connection
 * @id: its identity
 * @list: it is appended here
 *
 * Return: EXIT_OK, or EXIT_SYSTEM, said on standard error
 */
enum exit_code kernel_attachment(struct nl *nl, uint64_t id, struct attachments *list);

/**
 * kernel_attachments - ask for all attachments that match
 * @nl: connection
 * @f: what the kernel is to filter by
 * @list: they replace what is here, sorted by id
 *
 * Return: EXIT_OK, or EXIT_SYSTEM, said on standard error
 */
enum exit_code kernel_attachments(struct nl *nl, const struct filter *f, struct attachments *list);

#endif
