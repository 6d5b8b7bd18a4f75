/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Generic netlink by hand: what a library would not let a test send.
 */
#ifndef GDRT_NL_H
#define GDRT_NL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/netlink.h>

/* One request: attributes are appended to it. */
struct nl_msg {
	union {
		struct nlmsghdr hdr;
		char buf[1024];
	};
};

/**
 * struct nl_answer - what came back
 * @err: errno, 0 if none
 * @extack: the kernel's text, "" if none
 * @messages: data messages
 * @interrupted: NLM_F_DUMP_INTR was seen
 */
struct nl_answer {
	int err;
	char extack[256];
	unsigned int messages;
	bool interrupted;
};

/* Called for each attribute of each data message. */
typedef void (*nl_attr_fn)(const struct nlattr *attr, void *arg);
/* Called for each data message: its command, and its attributes for nl_attrs(). */
typedef void (*nl_message_fn)(uint8_t cmd, const char *attrs, size_t len, void *arg);

/* Returns a socket for the family, or a negative errno (-ENOENT: no such family). */
int nl_open(void);
void nl_begin(struct nl_msg *m, uint8_t cmd, bool dump);
/* A request to the family of families, about our family. */
void nl_begin_ctrl(struct nl_msg *m, uint8_t cmd, bool dump);
void nl_put(struct nl_msg *m, uint16_t type, const void *data, size_t len);
/* Sends the request and reads all of the answer. False: the socket failed. */
bool nl_ask(int fd, struct nl_msg *m, struct nl_answer *a, nl_attr_fn fn, void *arg);
bool nl_ask_messages(int fd, struct nl_msg *m, struct nl_answer *a, nl_message_fn fn, void *arg);
void nl_attrs(const char *attrs, size_t len, nl_attr_fn fn, void *arg);

/*
 * Lets a shell command run as soon as the first part of an answer is there, and reads the answer
 * in parts of one page: the rest of a dump is then made after the command.
 */
void nl_run_in_dump(const char *command);

/* Joins a multicast group of the family; returns 0 or a positive errno. */
int nl_join(int fd, const char *group);
/* Reads one datagram of a group. Returns its messages, 0 if the socket overran, or -errno. */
int nl_events(int fd, nl_message_fn fn, void *arg);

/* The core's generation, enum gdr_telemetry_core, or a negative errno. */
int nl_core(void);

static inline const void *nl_data(const struct nlattr *attr)
{
	return (const char *)attr + NLA_HDRLEN;
}

static inline size_t nl_len(const struct nlattr *attr)
{
	return attr->nla_len - NLA_HDRLEN;
}

#endif /* GDRT_NL_H */
