// SPDX-License-Identifier: GPL-2.0
/* Generic netlink by hand. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/genetlink.h>
#include <linux/gdr_telemetry.h>

#include "nl.h"

#ifndef SOL_NETLINK
#define SOL_NETLINK 270
#endif

static uint16_t family;
static const char *run_in_dump;
static char buf[65536];

static void begin(struct nl_msg *m, uint16_t type, uint8_t cmd, uint16_t flags)
{
	struct genlmsghdr *genl = (void *)(m->buf + NLMSG_HDRLEN);

	memset(m, 0, sizeof(*m));
	m->hdr.nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN);
	m->hdr.nlmsg_type = type;
	m->hdr.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | flags;
	m->hdr.nlmsg_seq = 1;
	genl->cmd = cmd;
	genl->version = 1;
}

void nl_begin(struct nl_msg *m, uint8_t cmd, bool dump)
{
	begin(m, family, cmd, dump ? NLM_F_DUMP : 0);
}

void nl_begin_ctrl(struct nl_msg *m, uint8_t cmd, bool dump)
{
	begin(m, GENL_ID_CTRL, cmd, dump ? NLM_F_DUMP : 0);
	nl_put(m, CTRL_ATTR_FAMILY_NAME, GDR_TELEMETRY_FAMILY_NAME,
	       sizeof(GDR_TELEMETRY_FAMILY_NAME));
}

void nl_run_in_dump(const char *command)
{
	run_in_dump = command;
}

void nl_put(struct nl_msg *m, uint16_t type, const void *data, size_t len)
{
	struct nlattr *attr = (void *)(m->buf + NLMSG_ALIGN(m->hdr.nlmsg_len));

	attr->nla_type = type;
	attr->nla_len = NLA_HDRLEN + len;
	memcpy((char *)attr + NLA_HDRLEN, data, len);
	m->hdr.nlmsg_len = NLMSG_ALIGN(m->hdr.nlmsg_len) + NLA_ALIGN(attr->nla_len);
}

void nl_attrs(const char *attrs, size_t len, nl_attr_fn fn, void *arg)
{
	const struct nlattr *attr = (const void *)attrs;

	while (len >= sizeof(*attr) && attr->nla_len >= sizeof(*attr) && attr->nla_len <= len) {
		size_t step = NLA_ALIGN(attr->nla_len);

		fn(attr, arg);
		if (step >= len)
			break;
		len -= step;
		attr = (const void *)((const char *)attr + step);
	}
}

static void keep_extack(const struct nlattr *attr, void *arg)
{
	struct nl_answer *a = arg;

	if ((attr->nla_type & NLA_TYPE_MASK) == NLMSGERR_ATTR_MSG)
		snprintf(a->extack, sizeof(a->extack), "%.*s", (int)(attr->nla_len - NLA_HDRLEN),
			 (const char *)nl_data(attr));
}

static void read_error(const struct nlmsghdr *hdr, struct nl_answer *a)
{
	const struct nlmsgerr *err = NLMSG_DATA(hdr);
	size_t at = NLMSG_HDRLEN + sizeof(*err);

	/* The end of a dump has the errno alone before its attributes. */
	if (hdr->nlmsg_type == NLMSG_DONE)
		at = NLMSG_HDRLEN + sizeof(int);
	else if (!(hdr->nlmsg_flags & NLM_F_CAPPED))
		at += err->msg.nlmsg_len - NLMSG_HDRLEN;
	a->err = -err->error;
	if (hdr->nlmsg_flags & NLM_F_ACK_TLVS && hdr->nlmsg_len > at)
		nl_attrs((const char *)hdr + at, hdr->nlmsg_len - at, keep_extack, a);
}

/* What nl_ask() hands on: each attribute of each message. */
struct each {
	nl_attr_fn fn;
	void *arg;
};

static void each_message(uint8_t cmd, const char *attrs, size_t len, void *arg)
{
	const struct each *e = arg;

	(void)cmd;
	nl_attrs(attrs, len, e->fn, e->arg);
}

static void hand_on(const struct nlmsghdr *hdr, nl_message_fn fn, void *arg)
{
	const struct genlmsghdr *genl = NLMSG_DATA(hdr);

	if (fn && hdr->nlmsg_len >= NLMSG_LENGTH(GENL_HDRLEN))
		fn(genl->cmd, (const char *)hdr + NLMSG_LENGTH(GENL_HDRLEN),
		   hdr->nlmsg_len - NLMSG_LENGTH(GENL_HDRLEN), arg);
}

bool nl_ask_messages(int fd, struct nl_msg *m, struct nl_answer *a, nl_message_fn fn, void *arg)
{
	struct nlmsghdr *hdr;
	ssize_t got;

	memset(a, 0, sizeof(*a));
	if (send(fd, m, m->hdr.nlmsg_len, 0) < 0)
		return false;
	for (;;) {
		got = recv(fd, buf, run_in_dump ? 4096 : sizeof(buf), 0);
		if (got <= 0)
			return false;
		if (run_in_dump && !a->messages && system(run_in_dump))
			fprintf(stderr, "gdrt-nl: '%s' failed\n", run_in_dump);
		for (hdr = (void *)buf; NLMSG_OK(hdr, got); hdr = NLMSG_NEXT(hdr, got)) {
			if (hdr->nlmsg_flags & NLM_F_DUMP_INTR)
				a->interrupted = true;
			if (hdr->nlmsg_type == NLMSG_ERROR || hdr->nlmsg_type == NLMSG_DONE) {
				read_error(hdr, a);
				return true;
			}
			a->messages++;
			hand_on(hdr, fn, arg);
		}
	}
}

bool nl_ask(int fd, struct nl_msg *m, struct nl_answer *a, nl_attr_fn fn, void *arg)
{
	struct each e = { fn, arg };

	return nl_ask_messages(fd, m, a, fn ? each_message : NULL, &e);
}

static void keep_family(const struct nlattr *attr, void *arg)
{
	if (attr->nla_type == CTRL_ATTR_FAMILY_ID)
		memcpy(arg, nl_data(attr), sizeof(uint16_t));
}

int nl_open(void)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK };
	struct nl_answer a;
	struct nl_msg m;
	int fd, on = 1;

	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr)))
		return -errno;
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(fd, SOL_NETLINK, NETLINK_GET_STRICT_CHK, &on, sizeof(on));
	nl_begin_ctrl(&m, CTRL_CMD_GETFAMILY, false);
	if (!nl_ask(fd, &m, &a, keep_family, &family))
		a.err = errno;
	if (!a.err)
		return fd;
	close(fd);
	return -a.err;
}

/* The group that is looked for, and its id once it is found. */
struct group {
	const char *name;
	uint32_t id;
	uint32_t id_here;
	bool here;
};

static void group_field(const struct nlattr *attr, void *arg)
{
	struct group *g = arg;

	if (attr->nla_type == CTRL_ATTR_MCAST_GRP_ID)
		memcpy(&g->id_here, nl_data(attr), sizeof(g->id_here));
	else if (attr->nla_type == CTRL_ATTR_MCAST_GRP_NAME)
		g->here = !strcmp(nl_data(attr), g->name);
}

static void each_group(const struct nlattr *attr, void *arg)
{
	struct group *g = arg;

	g->here = false;
	nl_attrs(nl_data(attr), nl_len(attr), group_field, g);
	if (g->here)
		g->id = g->id_here;
}

static void keep_group(const struct nlattr *attr, void *arg)
{
	if ((attr->nla_type & NLA_TYPE_MASK) == CTRL_ATTR_MCAST_GROUPS)
		nl_attrs(nl_data(attr), nl_len(attr), each_group, arg);
}

int nl_join(int fd, const char *group)
{
	struct group g = { .name = group };
	struct nl_answer a;
	struct nl_msg m;

	nl_begin_ctrl(&m, CTRL_CMD_GETFAMILY, false);
	if (!nl_ask(fd, &m, &a, keep_group, &g))
		return errno;
	if (a.err || !g.id)
		return a.err ? a.err : ENOENT;
	return setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &g.id, sizeof(g.id)) ?
	       errno : 0;
}

int nl_events(int fd, nl_message_fn fn, void *arg)
{
	struct nlmsghdr *hdr;
	ssize_t got = recv(fd, buf, sizeof(buf), 0);
	int n = 0;

	if (got < 0)
		return errno == ENOBUFS ? 0 : -errno;
	for (hdr = (void *)buf; NLMSG_OK(hdr, got); hdr = NLMSG_NEXT(hdr, got)) {
		if (hdr->nlmsg_type != family)
			continue;
		hand_on(hdr, fn, arg);
		n++;
	}
	return n;
}

static void keep_core(const struct nlattr *attr, void *arg)
{
	if (attr->nla_type == GDR_TELEMETRY_A_STATUS_CORE)
		memcpy(arg, nl_data(attr), sizeof(uint32_t));
}

int nl_core(void)
{
	struct nl_answer a;
	uint32_t core = ~0U;
	struct nl_msg m;
	int fd = nl_open();

	if (fd < 0)
		return fd;
	nl_begin(&m, GDR_TELEMETRY_CMD_STATUS_GET, false);
	if (!nl_ask(fd, &m, &a, keep_core, &core))
		a.err = errno;
	close(fd);
	return a.err ? -a.err : (int)core;
}
