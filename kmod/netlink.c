// SPDX-License-Identifier: GPL-2.0
/*
 * Generic netlink family "gdr-telemetry"; the contract is
 * Documentation/netlink/specs/gdr-telemetry.yaml.
 *
 * The family is there in every network namespace, since what it shows belongs
 * to the machine. Totals are open to all; records name processes and need
 * CAP_NET_ADMIN in the initial user namespace.
 */
#include <linux/module.h>
#include <net/genetlink.h>
#include <net/netlink.h>

#include "gdr_telemetry.h"
#include "netlink.h"

/* ---- for the other files ------------------------------------------------- */

/**
 * gdrt_put_ibdevs() - put the names of RDMA devices
 * @skb: message
 * @attr: attribute, repeated for each
 * @names: the names
 *
 * Context: process.
 * Return: 0 or -EMSGSIZE.
 */
int gdrt_put_ibdevs(struct sk_buff *skb, int attr, const struct gdrt_ibdevs *names)
{
	unsigned int i;

	for (i = 0; i < names->n; i++)
		if (nla_put_string(skb, attr, names->name[i]))
			return -EMSGSIZE;
	return 0;
}

/**
 * gdrt_only() - refuse attributes that a request does not take
 * @attrs: attributes of the request, by type
 * @max: the highest type
 * @a: a type that it takes
 * @b: another one, or the same
 * @extack: where the text goes
 *
 * One policy serves the do and the dump of an operation, so strict validation
 * lets the one pass with what only the other takes.
 *
 * Context: process.
 * Return: 0 or -EINVAL, with an extack text.
 */
int gdrt_only(struct nlattr **attrs, int max, int a, int b, struct netlink_ext_ack *extack)
{
	int i;

	for (i = 1; i <= max; i++) {
		if (!attrs[i] || i == a || i == b)
			continue;
		NL_SET_ERR_MSG_ATTR(extack, attrs[i],
				    "this is a filter of the dump: ask with NLM_F_DUMP");
		return -EINVAL;
	}
	return 0;
}

/**
 * gdrt_reply() - answer a do request with one message
 * @info: the request
 * @cmd: command of the reply
 * @put: puts the attributes; 0 or -EMSGSIZE
 * @what: passed on to @put
 *
 * Context: process, may sleep.
 * Return: 0 or a negative errno, with an extack text.
 */
int gdrt_reply(struct genl_info *info, u8 cmd,
	       int (*put)(struct sk_buff *skb, const void *what), const void *what)
{
	struct sk_buff *skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	void *hdr;

	if (!skb) {
		NL_SET_ERR_MSG(info->extack, "no memory for the reply");
		return -ENOMEM;
	}
	hdr = genlmsg_put_reply(skb, info, &gdrt_family, 0, cmd);
	if (!hdr || put(skb, what)) {
		nlmsg_free(skb);
		NL_SET_ERR_MSG(info->extack, "the reply does not fit a message");
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return genlmsg_reply(skb, info);
}

/**
 * gdrt_dump_walk() - where a dump of records is
 * @cb: the dump
 *
 * Context: process.
 * Return: the place, at the start in the first message.
 */
struct gdrt_walk *gdrt_dump_walk(struct netlink_callback *cb)
{
	struct gdrt_walk *w = (struct gdrt_walk *)cb->ctx;

	BUILD_BUG_ON(sizeof(*w) > sizeof(cb->ctx));
	if (!w->begun) {
		w->begun = true;
		w->last = U64_MAX;
	}
	return w;
}

/**
 * gdrt_dump_begin() - start a message of a dump
 * @skb: what it goes into
 * @cb: the dump
 * @cmd: command of the message
 *
 * Context: process.
 * Return: its header, or NULL if there is no room.
 */
void *gdrt_dump_begin(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd)
{
	return genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq, &gdrt_family,
			   NLM_F_MULTI, cmd);
}

/**
 * gdrt_dump_end() - end a message of a dump
 * @skb: what it is in
 * @cb: the dump; its @seq is the generation of what is dumped
 * @hdr: its header
 * @err: attributes did not fit: the message is taken back
 *
 * Context: process.
 * Return: true if it is in.
 */
bool gdrt_dump_end(struct sk_buff *skb, struct netlink_callback *cb, void *hdr, int err)
{
	if (err) {
		genlmsg_cancel(skb, hdr);
		return false;
	}
	genl_dump_check_consistent(cb, hdr);
	genlmsg_end(skb, hdr);
	return true;
}

/**
 * gdrt_dump_full() - what a dump returns when the next message does not fit
 * @skb: what the others are in
 *
 * One that does not fit alone must not look like the end of the dump.
 *
 * Context: process.
 * Return: length of @skb, or -EMSGSIZE if it is empty.
 */
int gdrt_dump_full(const struct sk_buff *skb)
{
	return skb->len ? skb->len : -EMSGSIZE;
}

/* ---- status-get --------------------------------------------------------- */

static int put_u64(struct sk_buff *skb, int attr, u64 v, int pad)
{
	return nla_put_u64_64bit(skb, attr, v, pad);
}

static int put_probe(struct sk_buff *skb, const struct gdrt_probe *p)
{
	struct nlattr *nest = nla_nest_start(skb, GDR_TELEMETRY_A_STATUS_PROBE);

	if (!nest)
		return -EMSGSIZE;
	if (nla_put_string(skb, GDR_TELEMETRY_A_PROBE_SYMBOL, p->rp.kp.symbol_name) ||
	    nla_put_u32(skb, GDR_TELEMETRY_A_PROBE_STATE, p->state) ||
	    (p->state == GDR_TELEMETRY_PROBE_STATE_FAILED &&
	     nla_put_u32(skb, GDR_TELEMETRY_A_PROBE_ERROR, p->error)) ||
	    put_u64(skb, GDR_TELEMETRY_A_PROBE_MISSED, gdrt_probe_missed(p),
		    GDR_TELEMETRY_A_PROBE_PAD) ||
	    (p->needed && nla_put_flag(skb, GDR_TELEMETRY_A_PROBE_NEEDED))) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}

static int put_status(struct sk_buff *skb, const void *unused)
{
	unsigned int i;

	if (nla_put_string(skb, GDR_TELEMETRY_A_STATUS_VERSION, GDRT_VERSION) ||
	    put_u64(skb, GDR_TELEMETRY_A_STATUS_START_TIME, gdrt_start_time(),
		    GDR_TELEMETRY_A_STATUS_PAD) ||
	    nla_put_u32(skb, GDR_TELEMETRY_A_STATUS_TRACK, gdrt_track_get()) ||
	    nla_put_u32(skb, GDR_TELEMETRY_A_STATUS_CORE, GDRT_CORE) ||
	    nla_put_u32(skb, GDR_TELEMETRY_A_STATUS_MR_JOIN, gdrt_rdma_join()) ||
	    nla_put_u32(skb, GDR_TELEMETRY_A_STATUS_INEXACT_REASONS, gdrt_exact_reasons()))
		return -EMSGSIZE;

	for (i = 0; i < GDRT_T_MAX; i++)
		if (gdrt_total_desc[i].nla &&
		    put_u64(skb, gdrt_total_desc[i].nla, gdrt_total_read(i),
			    GDR_TELEMETRY_A_STATUS_PAD))
			return -EMSGSIZE;

	for (i = 0; i < gdrt_probes_count(); i++)
		if (put_probe(skb, gdrt_probe_at(i)))
			return -EMSGSIZE;
	return 0;
}

static int status_get_doit(struct sk_buff *req, struct genl_info *info)
{
	return gdrt_reply(info, GDR_TELEMETRY_CMD_STATUS_GET, put_status, NULL);
}

/* ---- the family --------------------------------------------------------- */

/* status-get takes no attribute: strict validation refuses what has no policy. */
static const struct nla_policy no_policy[GDR_TELEMETRY_A_STATUS_MAX + 1];

static const struct genl_ops ops[] = {
	{
		.cmd = GDR_TELEMETRY_CMD_STATUS_GET,
		.doit = status_get_doit,
		.policy = no_policy,
		.maxattr = GDR_TELEMETRY_A_STATUS_MAX,
	},
	{
		.cmd = GDR_TELEMETRY_CMD_ATTACHMENT_GET,
		.flags = GENL_ADMIN_PERM,
		.doit = gdrt_attachment_doit,
		.dumpit = gdrt_attachment_dumpit,
		.policy = gdrt_attachment_policy,
		.maxattr = GDR_TELEMETRY_A_ATTACHMENT_MAX,
	},
	{
		.cmd = GDR_TELEMETRY_CMD_BUFFER_GET,
		.doit = gdrt_buffer_doit,
		.dumpit = gdrt_buffer_dumpit,
		.policy = gdrt_buffer_policy,
		.maxattr = GDR_TELEMETRY_A_BUFFER_MAX,
	},
	{
		.cmd = GDR_TELEMETRY_CMD_DEVICE_GET,
		.doit = gdrt_device_doit,
		.dumpit = gdrt_device_dumpit,
		.policy = gdrt_device_policy,
		.maxattr = GDR_TELEMETRY_A_DEVICE_MAX,
	},
	{
		.cmd = GDR_TELEMETRY_CMD_PAIR_GET,
		.doit = gdrt_pair_doit,
		.dumpit = gdrt_pair_dumpit,
		.policy = gdrt_pair_policy,
		.maxattr = GDR_TELEMETRY_A_PAIR_MAX,
	},
	{
		.cmd = GDR_TELEMETRY_CMD_FAILURE_GET,
		.dumpit = gdrt_failure_dumpit,
		.policy = no_policy,
		.maxattr = GDR_TELEMETRY_A_FAILURE_MAX,
	},
	{
		.cmd = GDR_TELEMETRY_CMD_FAILURE_LOG_GET,
		.flags = GENL_ADMIN_PERM,
		.dumpit = gdrt_failure_log_dumpit,
		.policy = no_policy,
		.maxattr = GDR_TELEMETRY_A_FAILURE_MAX,
	},
	{
		.cmd = GDR_TELEMETRY_CMD_LATENCY_GET,
		.dumpit = gdrt_latency_dumpit,
		.policy = no_policy,
		.maxattr = GDR_TELEMETRY_A_LATENCY_MAX,
	},
};

static const struct genl_multicast_group groups[] = {
	{ .name = GDR_TELEMETRY_MCGRP_EVENTS, .flags = GDRT_MCAST_ADMIN },
};

struct genl_family gdrt_family __ro_after_init = {
	.name = GDR_TELEMETRY_FAMILY_NAME,
	.version = GDR_TELEMETRY_FAMILY_VERSION,
	.module = THIS_MODULE,
	.netnsok = true,
	.parallel_ops = true,
	.ops = ops,
	.n_ops = ARRAY_SIZE(ops),
	.mcgrps = groups,
	.n_mcgrps = ARRAY_SIZE(groups),
};

/**
 * gdrt_netlink_init() - register the family
 *
 * Context: process, may sleep.
 * Return: 0 or a negative errno.
 */
int gdrt_netlink_init(void)
{
	return genl_register_family(&gdrt_family);
}

/**
 * gdrt_netlink_exit() - unregister the family
 *
 * Returns when no request runs any more.
 *
 * Context: process, may sleep.
 */
void gdrt_netlink_exit(void)
{
	genl_unregister_family(&gdrt_family);
}
