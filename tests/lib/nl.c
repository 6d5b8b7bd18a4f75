// SPDX-License-Identifier: GPL-2.0
/* Generic netlink by hand. */
#include <errno.h>
#include <stdio.h>
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

void nl_put(struct nl_msg *m, uint16_t type, const void *data, size_t len)
{
	struct nlattr *attr = (void *)(m->buf + NLMSG_ALIGN(m->hdr.nlmsg_len));

	attr->nla_type = type;
	attr->nla_len = NLA_HDRLEN + len;
	memcpy((char *)attr + NLA_HDRLEN, data, len);
	m->hdr.nlmsg_len = NLMSG_ALIGN(m->hdr.nlmsg_len) + NLA_ALIGN(attr->nla_len);
}

static void each_attr(const char *data, size_t len, nl_attr_fn fn, void *arg)
{
	const struct nlattr *attr = (const void *)data;

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
		each_attr((const char *)hdr + at, hdr->nlmsg_len - at, keep_extack, a);
}

bool nl_ask(int fd, struct nl_msg *m, struct nl_answer *a, nl_attr_fn fn, void *arg)
{
	static char buf[65536];
	struct nlmsghdr *hdr;
	ssize_t got;

	memset(a, 0, sizeof(*a));
	if (send(fd, m, m->hdr.nlmsg_len, 0) < 0)
		return false;
	for (;;) {
		got = recv(fd, buf, sizeof(buf), 0);
		if (got <= 0)
			return false;
		for (hdr = (void *)buf; NLMSG_OK(hdr, got); hdr = NLMSG_NEXT(hdr, got)) {
			if (hdr->nlmsg_flags & NLM_F_DUMP_INTR)
				a->interrupted = true;
			if (hdr->nlmsg_type == NLMSG_ERROR || hdr->nlmsg_type == NLMSG_DONE) {
				read_error(hdr, a);
				return true;
			}
			a->messages++;
			if (fn)
				each_attr((char *)hdr + NLMSG_LENGTH(GENL_HDRLEN),
					  hdr->nlmsg_len - NLMSG_LENGTH(GENL_HDRLEN), fn, arg);
		}
	}
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
	begin(&m, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 0);
	nl_put(&m, CTRL_ATTR_FAMILY_NAME, GDR_TELEMETRY_FAMILY_NAME,
	       sizeof(GDR_TELEMETRY_FAMILY_NAME));
	if (!nl_ask(fd, &m, &a, keep_family, &family))
		a.err = errno;
	if (!a.err)
		return fd;
	close(fd);
	return -a.err;
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
