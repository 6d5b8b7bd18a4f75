// SPDX-License-Identifier: GPL-2.0
/* The MRs that the kernel's RDMA core lists. */
#include <errno.h>
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "hca.h"
#include "nl.h"
#include "rdma_mrs.h"

/* What is read from an answer. */
struct reading {
	struct rdma_mrs *m;
	int n;			/* devices so far */
	struct rdma_mrs *dev;	/* whose MRs are read; NULL: devices are */
	uint32_t but;		/* this process's are left out */
	uint32_t pid;		/* of the MR that is read */
	uint64_t length;
};

static void mr_field(const struct nlattr *attr, void *arg)
{
	struct reading *r = arg;

	switch (attr->nla_type & NLA_TYPE_MASK) {
	case RDMA_NLDEV_ATTR_RES_MRLEN:
		memcpy(&r->length, nl_data(attr), sizeof(r->length));
		break;
	case RDMA_NLDEV_ATTR_RES_PID:
		memcpy(&r->pid, nl_data(attr), sizeof(r->pid));
		break;
	}
}

static void mr_entry(const struct nlattr *attr, void *arg)
{
	struct reading *r = arg;

	r->length = 0;
	r->pid = 0;
	nl_attrs(nl_data(attr), nl_len(attr), mr_field, r);
	if (r->but && r->pid == r->but)
		return;
	r->dev->mrs++;
	r->dev->bytes += r->length;
}

static void field(const struct nlattr *attr, void *arg)
{
	struct reading *r = arg;

	switch (attr->nla_type & NLA_TYPE_MASK) {
	case RDMA_NLDEV_ATTR_DEV_INDEX:
		if (!r->dev && r->n < RDMA_MRS_DEVICES)
			memcpy(&r->m[r->n].index, nl_data(attr), sizeof(r->m[r->n].index));
		break;
	case RDMA_NLDEV_ATTR_DEV_NAME:
		if (!r->dev && r->n < RDMA_MRS_DEVICES)
			snprintf(r->m[r->n].name, sizeof(r->m[r->n].name), "%s",
				 (const char *)nl_data(attr));
		break;
	case RDMA_NLDEV_ATTR_RES_MR:
		if (r->dev)
			nl_attrs(nl_data(attr), nl_len(attr), mr_entry, r);
		break;
	}
}

/* A dump; @index: of one device, if @with_index. */
static int ask(int fd, int cmd, bool with_index, uint32_t index, struct reading *r)
{
	struct {
		struct nlmsghdr hdr;
		struct nlattr attr;
		uint32_t index;
	} req = {
		.hdr = {
			.nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, cmd),
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
			.nlmsg_len = with_index ? sizeof(req) : sizeof(req.hdr),
		},
		.attr = { .nla_type = RDMA_NLDEV_ATTR_DEV_INDEX, .nla_len = NLA_HDRLEN + 4 },
		.index = index,
	};
	static char buf[65536];
	struct nlmsghdr *hdr;
	ssize_t got;

	if (send(fd, &req, req.hdr.nlmsg_len, 0) < 0)
		return -errno;
	for (;;) {
		got = recv(fd, buf, sizeof(buf), 0);
		if (got <= 0)
			return got ? -errno : -EPIPE;
		for (hdr = (void *)buf; NLMSG_OK(hdr, got); hdr = NLMSG_NEXT(hdr, got)) {
			if (hdr->nlmsg_type == NLMSG_ERROR || hdr->nlmsg_type == NLMSG_DONE)
				return *(int *)NLMSG_DATA(hdr);
			nl_attrs(NLMSG_DATA(hdr), hdr->nlmsg_len - NLMSG_HDRLEN, field, r);
			if (!r->dev && r->n < RDMA_MRS_DEVICES)
				r->n++;
		}
	}
}

int rdma_mrs_read(struct rdma_mrs m[RDMA_MRS_DEVICES], pid_t but)
{
	struct reading r = { .m = m, .but = but };
	int fd, err, i;

	memset(m, 0, RDMA_MRS_DEVICES * sizeof(*m));
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA);
	if (fd < 0)
		return -errno;
	err = ask(fd, RDMA_NLDEV_CMD_GET, false, 0, &r);
	for (i = 0; !err && i < r.n; i++) {
		hca_bdf(m[i].name, m[i].bdf, sizeof(m[i].bdf));
		r.dev = &m[i];
		err = ask(fd, RDMA_NLDEV_CMD_RES_MR_GET, true, m[i].index, &r);
	}
	close(fd);
	return err ? err : r.n;
}
