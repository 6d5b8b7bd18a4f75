// SPDX-License-Identifier: GPL-2.0
/*
 * Renames an RDMA device, as "rdma dev set" and udev do:
 *
 *	gdrt-rename NAME NEWNAME
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>

struct request {
	struct nlmsghdr hdr;
	char attrs[256];
};

static void begin(struct request *r, unsigned int cmd, unsigned int flags)
{
	memset(r, 0, sizeof(*r));
	r->hdr.nlmsg_len = NLMSG_HDRLEN;
	r->hdr.nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, cmd);
	r->hdr.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | flags;
}

static void put(struct request *r, unsigned int type, const void *data, unsigned int len)
{
	struct nlattr *attr = (void *)((char *)r + NLMSG_ALIGN(r->hdr.nlmsg_len));

	attr->nla_type = type;
	attr->nla_len = NLA_HDRLEN + len;
	memcpy((char *)attr + NLA_HDRLEN, data, len);
	r->hdr.nlmsg_len = NLMSG_ALIGN(r->hdr.nlmsg_len) + NLA_ALIGN(attr->nla_len);
}

/* One device of the dump: is it the one of that name? Its index goes to @index. */
static void look_at(const struct nlmsghdr *hdr, const char *name, int64_t *index)
{
	const struct nlattr *attr = NLMSG_DATA(hdr);
	int left = hdr->nlmsg_len - NLMSG_HDRLEN;
	uint32_t i = 0;
	int same = 0;

	while (left >= NLA_HDRLEN && attr->nla_len >= NLA_HDRLEN && attr->nla_len <= left) {
		const char *data = (const char *)attr + NLA_HDRLEN;

		if (attr->nla_type == RDMA_NLDEV_ATTR_DEV_INDEX)
			memcpy(&i, data, sizeof(i));
		else if (attr->nla_type == RDMA_NLDEV_ATTR_DEV_NAME)
			same = !strcmp(data, name);
		left -= NLA_ALIGN(attr->nla_len);
		attr = (const void *)((const char *)attr + NLA_ALIGN(attr->nla_len));
	}
	if (same)
		*index = i;
}

/* Sends it and reads the answer to its end. Returns 0 or a negative errno. */
static int ask(int fd, struct request *r, const char *name, int64_t *index)
{
	static char buf[65536];
	struct nlmsghdr *hdr;
	ssize_t got;

	if (send(fd, r, r->hdr.nlmsg_len, 0) < 0)
		return -errno;
	for (;;) {
		got = recv(fd, buf, sizeof(buf), 0);
		if (got <= 0)
			return got ? -errno : -EIO;
		for (hdr = (void *)buf; NLMSG_OK(hdr, got); hdr = NLMSG_NEXT(hdr, got)) {
			if (hdr->nlmsg_type == NLMSG_DONE)
				return 0;
			if (hdr->nlmsg_type == NLMSG_ERROR)
				return ((struct nlmsgerr *)NLMSG_DATA(hdr))->error;
			if (name)
				look_at(hdr, name, index);
		}
	}
}

int main(int argc, char **argv)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA), err;
	int64_t index = -1;
	struct request r;
	uint32_t i;

	if (argc != 3) {
		fprintf(stderr, "usage: gdrt-rename NAME NEWNAME\n");
		return 2;
	}
	if (fd < 0) {
		perror("NETLINK_RDMA");
		return 1;
	}
	begin(&r, RDMA_NLDEV_CMD_GET, NLM_F_DUMP);
	err = ask(fd, &r, argv[1], &index);
	if (!err && index < 0)
		err = -ENODEV;
	if (!err) {
		i = index;
		begin(&r, RDMA_NLDEV_CMD_SET, 0);
		put(&r, RDMA_NLDEV_ATTR_DEV_INDEX, &i, sizeof(i));
		put(&r, RDMA_NLDEV_ATTR_DEV_NAME, argv[2], strlen(argv[2]) + 1);
		err = ask(fd, &r, NULL, NULL);
	}
	if (err)
		fprintf(stderr, "gdrt-rename: '%s' to '%s': %s\n", argv[1], argv[2],
			strerror(-err));
	close(fd);
	return err ? 1 : 0;
}
