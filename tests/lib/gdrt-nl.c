// SPDX-License-Identifier: GPL-2.0
/*
 * One netlink request, well-formed or not, and what came back:
 *
 *	gdrt-nl [-j] do|dump SET [[AS:]NAME=VALUE]...
 *		SET is status, attachment, buffer, device, pair, failure, failure-log or
 *		latency, or a number of a command. NAME is an attribute of it, or a
 *		number. AS is u8, u16, u32, u64, string or raw (a string without its
 *		NUL); without it what the attribute should be.
 *	gdrt-nl [-j] [-b BYTES] [-s SECONDS] [-t SECONDS] events [COUNT]
 *		Prints "joined", and each event, until there were COUNT, or for -t
 *		nothing came; then "events N gaps N overruns N". -b: size of the
 *		receive buffer; -s: reads nothing for so long.
 *	gdrt-nl family
 *		The commands, the groups and the policy of each command.
 *	gdrt-nl status | get ID | dump
 *		Short: status without its record; a dump of attachments is their ids.
 *	-j: records are JSON
 *	-e COMMAND: a shell runs it while a dump is half done
 *
 * Prints the records, one a line, then "errno E messages N interrupted 0|1
 * extack TEXT". Exit code: 0 if there was an answer, 3 if there is no such
 * family.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/gdr_telemetry.h>
#include <linux/genetlink.h>

#include "nl.h"
#include "nl_print.h"

static bool json;

static void __attribute__((noreturn)) usage(const char *what)
{
	fprintf(stderr, "gdrt-nl: what is '%s'? See the head of tests/lib/gdrt-nl.c\n", what);
	exit(2);
}

/* ---- do and dump --------------------------------------------------------- */

static void print_record(uint8_t cmd, const char *attrs, size_t len, void *set)
{
	(void)cmd;
	nl_print(set, attrs, len, json);
}

static void print_id(const struct nlattr *attr, void *arg)
{
	uint64_t id;

	(void)arg;
	if (attr->nla_type != GDR_TELEMETRY_A_ATTACHMENT_ID)
		return;
	memcpy(&id, nl_data(attr), sizeof(id));
	printf("%" PRIu64 "\n", id);
}

static enum nl_kind kind_of(const struct nl_field *set, int number)
{
	/* A number names what the tables may not have. */
	return number < 32 && set[number].name ? set[number].kind : NL_U32;
}

/* [AS:]NAME=VALUE */
static void put_word(struct nl_msg *m, const struct nl_field *set, char *word)
{
	static const char *const sizes[] = { "u8", "u16", "u32", "u64" };
	char *value = strchr(word, '='), *name = strchr(word, ':'), *as = NULL;
	enum nl_kind kind;
	uint64_t u64;
	int number;

	if (!value)
		usage(word);
	*value++ = 0;
	if (name && name < value) {
		*name++ = 0;
		as = word;
	} else {
		name = word;
	}
	number = nl_field_number(set, name);
	if (number < 0)
		usage(name);
	u64 = strtoull(value, NULL, 0);
	if (as) {
		for (unsigned int i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
			if (!strcmp(as, sizes[i])) {
				nl_put(m, number, &u64, 1 << i);
				return;
			}
		if (strcmp(as, "string") && strcmp(as, "raw"))
			usage(as);
		nl_put(m, number, value, strlen(value) + (as[0] == 's'));
		return;
	}
	kind = kind_of(set, number);
	if (kind == NL_STRING)
		nl_put(m, number, value, strlen(value) + 1);
	else
		nl_put(m, number, &u64, kind == NL_U64 ? sizeof(u64) : sizeof(uint32_t));
}

static int trailer(bool answered, const struct nl_answer *a)
{
	if (!answered) {
		perror("netlink");
		return 2;
	}
	printf("errno %d messages %u interrupted %d extack %s\n", a->err, a->messages,
	       a->interrupted, a->extack);
	return 0;
}

static int request(int fd, char **words)
{
	bool dump = !strcmp(words[0], "dump");
	const struct nl_field *set;
	struct nl_answer a;
	struct nl_msg m;
	uint8_t cmd;

	if (!words[1])
		usage(words[0]);
	set = nl_set(words[1], &cmd);
	if (!set) {
		cmd = strtoul(words[1], NULL, 0);
		set = nl_set("attachment", &(uint8_t){ 0 });
		if (!cmd)
			usage(words[1]);
	}
	nl_begin(&m, cmd, dump);
	for (char **w = words + 2; *w; w++)
		put_word(&m, set, *w);
	return trailer(nl_ask_messages(fd, &m, &a, print_record, (void *)set), &a);
}

static int short_request(int fd, char **words)
{
	bool dump = !strcmp(words[0], "dump"), get = !strcmp(words[0], "get");
	struct nl_answer a;
	struct nl_msg m;
	uint64_t id;

	if (!dump && !get && strcmp(words[0], "status"))
		usage(words[0]);
	nl_begin(&m, dump || get ? GDR_TELEMETRY_CMD_ATTACHMENT_GET : GDR_TELEMETRY_CMD_STATUS_GET,
		 dump);
	if (get) {
		if (!words[1])
			usage("get");
		id = strtoull(words[1], NULL, 0);
		nl_put(&m, GDR_TELEMETRY_A_ATTACHMENT_ID, &id, sizeof(id));
	}
	return trailer(nl_ask(fd, &m, &a, dump ? print_id : NULL, NULL), &a);
}

/* ---- events -------------------------------------------------------------- */

struct seen {
	uint64_t last;		/* sequence number, 0 before the first */
	uint64_t events;
	uint64_t gaps;		/* numbers that are missing */
};

static void event_seq(const struct nlattr *attr, void *arg)
{
	struct seen *s = arg;
	uint64_t seq;

	if (attr->nla_type != GDR_TELEMETRY_A_ATTACHMENT_EVENT_SEQ)
		return;
	memcpy(&seq, nl_data(attr), sizeof(seq));
	if (s->last)
		s->gaps += seq - s->last - 1;
	s->last = seq;
}

static void event(uint8_t cmd, const char *attrs, size_t len, void *arg)
{
	struct seen *s = arg;

	if (cmd != GDR_TELEMETRY_CMD_EVENT) {
		printf("command %u is no event\n", cmd);
		return;
	}
	s->events++;
	nl_attrs(attrs, len, event_seq, s);
	nl_print(nl_set_of(cmd), attrs, len, json);
}

static void set_buffer(int fd, int bytes)
{
	/* Past the limit, as root; then within it. */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
}

static int events(int fd, const char *count, int stall, int idle)
{
	uint64_t limit = count ? strtoull(count, NULL, 0) : UINT64_MAX, overruns = 0;
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct seen s = { 0 };
	int n = nl_join(fd, GDR_TELEMETRY_MCGRP_EVENTS);

	if (n) {
		printf("errno %d\n", n);
		return 1;
	}
	puts("joined");
	fflush(stdout);
	sleep(stall);
	while (s.events < limit && poll(&p, 1, idle) > 0) {
		n = nl_events(fd, event, &s);
		if (n < 0) {
			fprintf(stderr, "gdrt-nl: events: %s\n", strerror(-n));
			return 2;
		}
		if (!n)
			overruns++;
		fflush(stdout);
	}
	printf("events %" PRIu64 " gaps %" PRIu64 " overruns %" PRIu64 "\n", s.events, s.gaps,
	       overruns);
	return 0;
}

/* ---- the family ---------------------------------------------------------- */

/* One value of a few that belong together; what they are depends on the attribute. */
static uint32_t u32_of(const struct nlattr *attr)
{
	uint32_t v = 0;

	memcpy(&v, nl_data(attr), nl_len(attr) < sizeof(v) ? nl_len(attr) : sizeof(v));
	return v;
}

static void op_field(const struct nlattr *attr, void *arg)
{
	uint32_t *op = arg;

	if (attr->nla_type == CTRL_ATTR_OP_ID)
		op[0] = u32_of(attr);
	else if (attr->nla_type == CTRL_ATTR_OP_FLAGS)
		op[1] = u32_of(attr);
}

static void one_op(const struct nlattr *attr, void *arg)
{
	uint32_t op[2] = { 0 };

	(void)arg;
	nl_attrs(nl_data(attr), nl_len(attr), op_field, op);
	printf("op %u%s%s%s\n", op[0], op[1] & GENL_CMD_CAP_DO ? " do" : "",
	       op[1] & GENL_CMD_CAP_DUMP ? " dump" : "",
	       op[1] & GENL_ADMIN_PERM ? " admin-perm" : "");
}

static void group_field(const struct nlattr *attr, void *arg)
{
	(void)arg;
	if (attr->nla_type == CTRL_ATTR_MCAST_GRP_NAME)
		printf("group %s\n", (const char *)nl_data(attr));
}

static void one_group(const struct nlattr *attr, void *arg)
{
	nl_attrs(nl_data(attr), nl_len(attr), group_field, arg);
}

static void family_field(const struct nlattr *attr, void *arg)
{
	uint16_t type = attr->nla_type & NLA_TYPE_MASK;

	if (type == CTRL_ATTR_VERSION)
		printf("version %u\n", u32_of(attr));
	else if (type == CTRL_ATTR_OPS)
		nl_attrs(nl_data(attr), nl_len(attr), one_op, arg);
	else if (type == CTRL_ATTR_MCAST_GROUPS)
		nl_attrs(nl_data(attr), nl_len(attr), one_group, arg);
}

/* Which policy each command has, and the attributes of each policy. */
struct policies {
	uint32_t op;
	uint32_t policy;
	uint32_t attr;
	uint32_t type;
};

static void op_policy(const struct nlattr *attr, void *arg)
{
	struct policies *p = arg;
	uint16_t type = attr->nla_type & NLA_TYPE_MASK;

	if (type == CTRL_ATTR_POLICY_DO || type == CTRL_ATTR_POLICY_DUMP)
		printf("op-policy %u %s %u\n", p->op, type == CTRL_ATTR_POLICY_DO ? "do" : "dump",
		       u32_of(attr));
}

static void each_op_policy(const struct nlattr *attr, void *arg)
{
	struct policies *p = arg;

	p->op = attr->nla_type & NLA_TYPE_MASK;
	nl_attrs(nl_data(attr), nl_len(attr), op_policy, p);
}

static void policy_type(const struct nlattr *attr, void *arg)
{
	struct policies *p = arg;

	if ((attr->nla_type & NLA_TYPE_MASK) == NL_POLICY_TYPE_ATTR_TYPE)
		p->type = u32_of(attr);
}

static void policy_attr(const struct nlattr *attr, void *arg)
{
	static const char *const names[] = {
		[NL_ATTR_TYPE_FLAG] = "flag", [NL_ATTR_TYPE_U8] = "u8", [NL_ATTR_TYPE_U16] = "u16",
		[NL_ATTR_TYPE_U32] = "u32", [NL_ATTR_TYPE_U64] = "u64",
		[NL_ATTR_TYPE_BINARY] = "binary", [NL_ATTR_TYPE_STRING] = "unterminated",
		[NL_ATTR_TYPE_NUL_STRING] = "string", [NL_ATTR_TYPE_NESTED] = "nest",
	};
	struct policies *p = arg;
	const char *name = NULL;

	p->attr = attr->nla_type & NLA_TYPE_MASK;
	p->type = NL_ATTR_TYPE_INVALID;
	nl_attrs(nl_data(attr), nl_len(attr), policy_type, p);
	if (p->type < sizeof(names) / sizeof(*names))
		name = names[p->type];
	printf("policy %u %u %s\n", p->policy, p->attr, name ? name : "other");
}

static void each_policy(const struct nlattr *attr, void *arg)
{
	struct policies *p = arg;

	p->policy = attr->nla_type & NLA_TYPE_MASK;
	nl_attrs(nl_data(attr), nl_len(attr), policy_attr, p);
}

static void policy_field(const struct nlattr *attr, void *arg)
{
	uint16_t type = attr->nla_type & NLA_TYPE_MASK;

	if (type == CTRL_ATTR_OP_POLICY)
		nl_attrs(nl_data(attr), nl_len(attr), each_op_policy, arg);
	else if (type == CTRL_ATTR_POLICY)
		nl_attrs(nl_data(attr), nl_len(attr), each_policy, arg);
}

static int family(int fd)
{
	struct policies p = { 0 };
	struct nl_answer a;
	struct nl_msg m;

	nl_begin_ctrl(&m, CTRL_CMD_GETFAMILY, false);
	if (!nl_ask(fd, &m, &a, family_field, NULL))
		return trailer(false, &a);
	nl_begin_ctrl(&m, CTRL_CMD_GETPOLICY, true);
	return trailer(nl_ask(fd, &m, &a, policy_field, &p), &a);
}

int main(int argc, char **argv)
{
	int opt, fd, bytes = 0, stall = 0, idle = -1;
	char **words;

	while ((opt = getopt(argc, argv, "+jb:s:t:e:")) != -1) {
		switch (opt) {
		case 'j':
			json = true;
			break;
		case 'b':
			bytes = atoi(optarg);
			break;
		case 's':
			stall = atoi(optarg);
			break;
		case 't':
			idle = (int)(strtod(optarg, NULL) * 1000);
			break;
		case 'e':
			nl_run_in_dump(optarg);
			break;
		default:
			return 2;
		}
	}
	words = argv + optind;
	if (!words[0])
		usage("");
	fd = nl_open();
	if (fd < 0) {
		fprintf(stderr, "%s: %s\n", GDR_TELEMETRY_FAMILY_NAME, strerror(-fd));
		return fd == -ENOENT ? 3 : 2;
	}
	if (bytes)
		set_buffer(fd, bytes);
	if (!strcmp(words[0], "family"))
		return family(fd);
	if (!strcmp(words[0], "events"))
		return events(fd, words[1], stall, idle);
	if (!strcmp(words[0], "do") || (!strcmp(words[0], "dump") && words[1]))
		return request(fd, words);
	return short_request(fd, words);
}
