// SPDX-License-Identifier: GPL-2.0
/*
 * buffer-get.
 */
#include <net/genetlink.h>
#include <net/netlink.h>

#include "gdr_telemetry.h"
#include "netlink.h"

static int put_buffer(struct sk_buff *skb, const void *what)
{
	const struct gdrt_buffer *b = what;
	const int pad = GDR_TELEMETRY_A_BUFFER_PAD;

	if (nla_put_u64_64bit(skb, GDR_TELEMETRY_A_BUFFER_INODE, b->inode, pad) ||
	    nla_put_u64_64bit(skb, GDR_TELEMETRY_A_BUFFER_SIZE, b->size, pad) ||
	    nla_put_string(skb, GDR_TELEMETRY_A_BUFFER_EXPORTER, b->exporter->name) ||
	    (b->ident->module[0] &&
	     nla_put_string(skb, GDR_TELEMETRY_A_BUFFER_EXPORTER_MODULE, b->ident->module)) ||
	    nla_put_string(skb, GDR_TELEMETRY_A_BUFFER_EXPORTER_NAME, b->ident->name) ||
	    nla_put_u32(skb, GDR_TELEMETRY_A_BUFFER_ATTACHMENTS, b->attachments) ||
	    nla_put_u32(skb, GDR_TELEMETRY_A_BUFFER_MAPPED, b->mapped) ||
	    nla_put_u32(skb, GDR_TELEMETRY_A_BUFFER_PINNED, b->pinned))
		return -EMSGSIZE;
	return 0;
}

/**
 * gdrt_buffer_doit() - one buffer, by its inode number
 * @req: the request
 * @info: its attributes
 *
 * Context: process, may sleep.
 * Return: 0 or a negative errno, with an extack text.
 */
int gdrt_buffer_doit(struct sk_buff *req, struct genl_info *info)
{
	struct nlattr *inode = info->attrs[GDR_TELEMETRY_A_BUFFER_INODE];
	struct gdrt_buffer b;
	u64 last = U64_MAX;
	u32 bucket = 0;
	int err;

	if (!inode) {
		NL_SET_ERR_MSG(info->extack, "the inode number of the buffer is missing");
		return -EINVAL;
	}
	err = gdrt_only(info->attrs, GDR_TELEMETRY_A_BUFFER_MAX, GDR_TELEMETRY_A_BUFFER_INODE,
			GDR_TELEMETRY_A_BUFFER_INODE, info->extack);
	if (err)
		return err;
	while (gdrt_buffers_next(&bucket, &last, &b))
		if (b.inode == nla_get_u64(inode))
			return gdrt_reply(info, GDR_TELEMETRY_CMD_BUFFER_GET, put_buffer, &b);
	NL_SET_ERR_MSG_ATTR(info->extack, inode,
			    "no buffer with this inode number has a recorded attachment");
	return -ENOENT;
}

/**
 * gdrt_buffer_dumpit() - all buffers that match the filter
 * @skb: what they go into
 * @cb: the dump
 *
 * Context: process, may sleep.
 * Return: length of @skb, 0 at the end, or a negative errno.
 */
int gdrt_buffer_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr **attrs = gdrt_dump_attrs(cb);
	struct nlattr *exporter = attrs[GDR_TELEMETRY_A_BUFFER_EXPORTER];
	struct gdrt_walk *walk = gdrt_dump_walk(cb);
	struct gdrt_walk next;
	struct gdrt_buffer b;
	void *hdr;

	if (attrs[GDR_TELEMETRY_A_BUFFER_INODE]) {
		NL_SET_ERR_MSG_ATTR(cb->extack, attrs[GDR_TELEMETRY_A_BUFFER_INODE],
				    "a dump takes no inode: ask without NLM_F_DUMP");
		return -EINVAL;
	}
	cb->seq = gdrt_buffers_generation();

	/* Moves on only past records that are in the message. */
	next = *walk;
	while (gdrt_buffers_next(&next.bucket, &next.last, &b)) {
		if (!exporter || !nla_strcmp(exporter, b.exporter->name) ||
		    !nla_strcmp(exporter, b.ident->module)) {
			hdr = gdrt_dump_begin(skb, cb, GDR_TELEMETRY_CMD_BUFFER_GET);
			if (!hdr || !gdrt_dump_end(skb, cb, hdr, put_buffer(skb, &b)))
				return gdrt_dump_full(skb);
		}
		*walk = next;
	}
	*walk = next;
	return skb->len;
}

const struct nla_policy gdrt_buffer_policy[GDR_TELEMETRY_A_BUFFER_MAX + 1] = {
	[GDR_TELEMETRY_A_BUFFER_INODE] = { .type = NLA_U64 },
	[GDR_TELEMETRY_A_BUFFER_EXPORTER] = { .type = NLA_NUL_STRING, .len = GDRT_NAME_LEN - 1 },
};
