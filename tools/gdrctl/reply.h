/* SPDX-License-Identifier: GPL-2.0 */
/* The answer to a netlink request, message by message. Takes bytes, touches no socket. */
#ifndef GDRCTL_REPLY_H
#define GDRCTL_REPLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REPLY_TEXT 256

/**
 * struct reply - what has been read of an answer so far
 * @seq: sequence number of the request; other messages are passed over
 * @record: called for each record with its attributes; a negative result ends the reading
 * @arg: first argument of @record
 * @done: the answer is complete
 * @interrupted: the set changed during the dump (NLM_F_DUMP_INTR)
 * @text: the kernel's own words for an error, "" without
 */
struct reply {
	uint32_t seq;
	int (*record)(void *arg, const void *attrs, size_t len);
	void *arg;
	bool done;
	bool interrupted;
	char text[REPLY_TEXT];
};

/**
 * reply_feed - read one datagram
 * @r: the answer
 * @buf: the datagram, aligned to 4 bytes
 * @len: its length
 *
 * Return: 0; the kernel's error as a negative errno, with @r->text; -EBADMSG if it is not
 * well-formed; what @r->record returned
 */
int reply_feed(struct reply *r, const void *buf, size_t len);

#endif
