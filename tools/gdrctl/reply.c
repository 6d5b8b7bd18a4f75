// SPDX-License-Identifier: GPL-2.0
/* The answer to a netlink request, message by message. */
#include <errno.h>
#include <string.h>

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <netlink/attr.h>

#include "reply.h"

static void take_text(struct reply *r, const char *attrs, size_t len)
{
	struct nlattr *nla;
	int left;

	for (nla = (struct nlattr *)(uintptr_t)attrs, left = (int)len; nla_ok(nla, left);
	     nla = nla_next(nla, &left)) {
		size_t n;

		if (nla_type(nla) != NLMSGERR_ATTR_MSG)
			continue;
		n = strnlen(nla_data(nla), (size_t)nla_len(nla));
		if (n >= sizeof(r->text))
			n = sizeof(r->text) - 1;
		memcpy(r->text, nla_data(nla), n);
		r->text[n] = 0;
	}
}

/* An acknowledgment, an error, or the end of a dump: an errno, then perhaps attributes. */
static int take_end(struct reply *r, const struct nlmsghdr *nlh)
{
	const char *data = NLMSG_DATA(nlh);
	size_t len = nlh->nlmsg_len - NLMSG_HDRLEN, skip;
	int err = 0;

	r->done = true;
	if (len < sizeof(err))
		return nlh->nlmsg_type == NLMSG_DONE ? 0 : -EBADMSG;
	memcpy(&err, data, sizeof(err));
	skip = sizeof(err);
	if (nlh->nlmsg_type == NLMSG_ERROR) {
		struct nlmsghdr request;

		if (len < sizeof(struct nlmsgerr))
			return -EBADMSG;
		memcpy(&request, data + sizeof(err), sizeof(request));
		skip = sizeof(struct nlmsgerr);
		if (!(nlh->nlmsg_flags & NLM_F_CAPPED) && request.nlmsg_len > NLMSG_HDRLEN)
			skip += NLMSG_ALIGN(request.nlmsg_len) - NLMSG_HDRLEN;
	}
	if (nlh->nlmsg_flags & NLM_F_ACK_TLVS && skip < len)
		take_text(r, data + skip, len - skip);
	return err > 0 ? -EBADMSG : err;
}

static int take_record(struct reply *r, const struct nlmsghdr *nlh)
{
	const char *data = NLMSG_DATA(nlh);
	size_t len = nlh->nlmsg_len - NLMSG_HDRLEN;

	if (len < GENL_HDRLEN)
		return -EBADMSG;
	/* A single answer: without NLM_F_ACK nothing else comes. */
	if (!(nlh->nlmsg_flags & NLM_F_MULTI))
		r->done = true;
	return r->record ? r->record(r->arg, data + GENL_HDRLEN, len - GENL_HDRLEN) : 0;
}

int reply_feed(struct reply *r, const void *buf, size_t len)
{
	const struct nlmsghdr *nlh = buf;

	while (len >= sizeof(*nlh) && !r->done) {
		size_t step;
		int err = 0;

		if (nlh->nlmsg_len < sizeof(*nlh) || nlh->nlmsg_len > len)
			return -EBADMSG;
		if (nlh->nlmsg_seq == r->seq) {
			if (nlh->nlmsg_flags & NLM_F_DUMP_INTR)
				r->interrupted = true;
			if (nlh->nlmsg_type == NLMSG_ERROR || nlh->nlmsg_type == NLMSG_DONE)
				err = take_end(r, nlh);
			else if (nlh->nlmsg_type >= NLMSG_MIN_TYPE)
				err = take_record(r, nlh);
			if (err)
				return err;
		}
		step = NLMSG_ALIGN(nlh->nlmsg_len);
		if (step >= len)
			return 0;
		len -= step;
		nlh = (const struct nlmsghdr *)(const void *)((const char *)nlh + step);
	}
	return len && !r->done ? -EBADMSG : 0;
}
