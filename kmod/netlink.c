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

static struct genl_family family;

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

static int put_status(struct sk_buff *skb)
{
	unsigned int i;

	if (nla_put_string(skb, GDR_TELEMETRY_A_STATUS_VERSION, GDRT_VERSION) ||
	    put_u64(skb, GDR_TELEMETRY_A_STATUS_START_TIME, gdrt_start_time(),
		    GDR_TELEMETRY_A_STATUS_PAD) ||
	    nla_put_u32(skb, GDR_TELEMETRY_A_STATUS_TRACK, gdrt_track_get()) ||
	    nla_put_u32(skb, GDR_TELEMETRY_A_STATUS_CORE, GDRT_CORE) ||
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
	struct sk_buff *skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	void *hdr;

	if (!skb)
		return -ENOMEM;
	hdr = genlmsg_put_reply(skb, info, &family, 0, GDR_TELEMETRY_CMD_STATUS_GET);
	if (!hdr || put_status(skb)) {
		nlmsg_free(skb);
		NL_SET_ERR_MSG(info->extack, "status does not fit a message");
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return genlmsg_reply(skb, info);
}

/* ---- attachment-get ----------------------------------------------------- */

static u32 attachment_flags(const struct gdrt_snapshot *s)
{
	const struct gdrt_attachment *a = &s->att;

	return (a->mapped ? GDR_TELEMETRY_ATTACHMENT_FLAG_MAPPED : 0) |
	       (gdrt_pinned(a) ? GDR_TELEMETRY_ATTACHMENT_FLAG_PINNED : 0) |
	       (a->exp_dynamic ? GDR_TELEMETRY_ATTACHMENT_FLAG_EXPORTER_DYNAMIC : 0) |
	       (a->imp_dynamic ? GDR_TELEMETRY_ATTACHMENT_FLAG_IMPORTER_DYNAMIC : 0) |
	       (a->peer2peer ? GDR_TELEMETRY_ATTACHMENT_FLAG_PEER2PEER : 0) |
	       (a->preexisting ? GDR_TELEMETRY_ATTACHMENT_FLAG_PREEXISTING : 0) |
	       (s->exporter->is_gdr ? GDR_TELEMETRY_ATTACHMENT_FLAG_EXPORTER_GPU : 0) |
	       (a->importer->is_gdr ? GDR_TELEMETRY_ATTACHMENT_FLAG_IMPORTER_HCA : 0);
}

static int put_owner(struct sk_buff *skb, const struct gdrt_owner *o)
{
	pid_t nr = gdrt_owner_vnr(o);

	if (nr && nla_put_u32(skb, GDR_TELEMETRY_A_ATTACHMENT_PID, nr))
		return -EMSGSIZE;
	if (o->pid && nla_put_string(skb, GDR_TELEMETRY_A_ATTACHMENT_COMM, o->comm))
		return -EMSGSIZE;
	return 0;
}

static int put_attachment(struct sk_buff *skb, const struct gdrt_snapshot *s)
{
	const struct gdrt_attachment *a = &s->att;
	const int pad = GDR_TELEMETRY_A_ATTACHMENT_PAD;

	if (put_u64(skb, GDR_TELEMETRY_A_ATTACHMENT_ID, a->id, pad) ||
	    put_u64(skb, GDR_TELEMETRY_A_ATTACHMENT_BUFFER, s->inode, pad) ||
	    put_u64(skb, GDR_TELEMETRY_A_ATTACHMENT_SIZE, s->size, pad) ||
	    nla_put_u32(skb, GDR_TELEMETRY_A_ATTACHMENT_MECHANISM,
			GDR_TELEMETRY_MECHANISM_DMA_BUF) ||
	    nla_put_u32(skb, GDR_TELEMETRY_A_ATTACHMENT_FLAGS, attachment_flags(s)) ||
	    nla_put_string(skb, GDR_TELEMETRY_A_ATTACHMENT_IMPORTER, a->importer->name) ||
	    (a->importer->detail[0] &&
	     nla_put_string(skb, GDR_TELEMETRY_A_ATTACHMENT_IMPORTER_DRIVER,
			    a->importer->detail)) ||
	    nla_put_string(skb, GDR_TELEMETRY_A_ATTACHMENT_EXPORTER,
			   gdrt_ident_exporter_name(s->exporter)) ||
	    (s->exporter->name[0] &&
	     nla_put_string(skb, GDR_TELEMETRY_A_ATTACHMENT_EXPORTER_MODULE,
			    s->exporter->name)) ||
	    nla_put_string(skb, GDR_TELEMETRY_A_ATTACHMENT_EXPORTER_NAME,
			   s->exporter->detail) ||
	    put_owner(skb, &a->owner) ||
	    nla_put_u32(skb, GDR_TELEMETRY_A_ATTACHMENT_PINS, a->pins))
		return -EMSGSIZE;
	if (a->preexisting)
		return 0;
	if (put_u64(skb, GDR_TELEMETRY_A_ATTACHMENT_ATTACH_TIME, a->time, pad) ||
	    put_u64(skb, GDR_TELEMETRY_A_ATTACHMENT_MAPS, a->maps, pad))
		return -EMSGSIZE;
	return 0;
}

static int attachment_get_doit(struct sk_buff *req, struct genl_info *info)
{
	struct nlattr *id = info->attrs[GDR_TELEMETRY_A_ATTACHMENT_ID];
	struct gdrt_snapshot s;
	struct sk_buff *skb;
	void *hdr;

	if (!id) {
		NL_SET_ERR_MSG(info->extack, "the id of the attachment is missing");
		return -EINVAL;
	}
	if (!gdrt_registry_find(nla_get_u64(id), &s)) {
		NL_SET_ERR_MSG_ATTR(info->extack, id, "no live attachment has this id");
		return -ENOENT;
	}
	skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!skb)
		return -ENOMEM;
	hdr = genlmsg_put_reply(skb, info, &family, 0, GDR_TELEMETRY_CMD_ATTACHMENT_GET);
	if (!hdr || put_attachment(skb, &s)) {
		nlmsg_free(skb);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return genlmsg_reply(skb, info);
}

static bool match(const struct gdrt_snapshot *s, struct nlattr **attrs)
{
	const struct nlattr *a;

	a = attrs[GDR_TELEMETRY_A_ATTACHMENT_IMPORTER];
	if (a && nla_strcmp(a, s->att.importer->name))
		return false;
	a = attrs[GDR_TELEMETRY_A_ATTACHMENT_EXPORTER];
	if (a && nla_strcmp(a, gdrt_ident_exporter_name(s->exporter)))
		return false;
	a = attrs[GDR_TELEMETRY_A_ATTACHMENT_BUFFER];
	if (a && nla_get_u64(a) != s->inode)
		return false;
	a = attrs[GDR_TELEMETRY_A_ATTACHMENT_PID];
	if (a) {
		pid_t nr = gdrt_owner_vnr(&s->att.owner);

		if (!nr || nla_get_u32(a) != nr)
			return false;
	}
	return true;
}

/* Where a dump is: kept in the netlink callback between messages. */
struct dump_ctx {
	u64	last;
	u32	bucket;
	bool	begun;
};

static int attachment_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct dump_ctx *ctx = (struct dump_ctx *)cb->ctx;
	struct nlattr **attrs = gdrt_dump_attrs(cb);
	struct dump_ctx next;
	struct gdrt_snapshot s;
	void *hdr;

	BUILD_BUG_ON(sizeof(*ctx) > sizeof(cb->ctx));
	if (attrs[GDR_TELEMETRY_A_ATTACHMENT_ID]) {
		NL_SET_ERR_MSG_ATTR(cb->extack, attrs[GDR_TELEMETRY_A_ATTACHMENT_ID],
				    "a dump takes no id: ask without NLM_F_DUMP");
		return -EINVAL;
	}
	if (!ctx->begun) {
		ctx->begun = true;
		ctx->last = U64_MAX;
	}
	cb->seq = gdrt_registry_generation();

	/* Moves on only past records that are in the message. */
	next = *ctx;
	while (gdrt_registry_next(&next.bucket, &next.last, &s)) {
		if (match(&s, attrs)) {
			hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
					  &family, NLM_F_MULTI, GDR_TELEMETRY_CMD_ATTACHMENT_GET);
			if (!hdr)
				return skb->len;
			if (put_attachment(skb, &s)) {
				genlmsg_cancel(skb, hdr);
				return skb->len;
			}
			genl_dump_check_consistent(cb, hdr);
			genlmsg_end(skb, hdr);
		}
		*ctx = next;
	}
	*ctx = next;
	return skb->len;
}

/* ---- the family --------------------------------------------------------- */

/* status-get takes no attribute: strict validation refuses what has no policy. */
static const struct nla_policy no_policy[GDR_TELEMETRY_A_STATUS_MAX + 1];

static const struct nla_policy attachment_policy[GDR_TELEMETRY_A_ATTACHMENT_MAX + 1] = {
	[GDR_TELEMETRY_A_ATTACHMENT_ID] = { .type = NLA_U64 },
	[GDR_TELEMETRY_A_ATTACHMENT_BUFFER] = { .type = NLA_U64 },
	[GDR_TELEMETRY_A_ATTACHMENT_IMPORTER] = {
		.type = NLA_NUL_STRING, .len = GDRT_NAME_LEN - 1 },
	[GDR_TELEMETRY_A_ATTACHMENT_EXPORTER] = {
		.type = NLA_NUL_STRING, .len = GDRT_NAME_LEN - 1 },
	[GDR_TELEMETRY_A_ATTACHMENT_PID] = { .type = NLA_U32 },
};

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
		.doit = attachment_get_doit,
		.dumpit = attachment_get_dumpit,
		.policy = attachment_policy,
		.maxattr = GDR_TELEMETRY_A_ATTACHMENT_MAX,
	},
};

static struct genl_family family __ro_after_init = {
	.name = GDR_TELEMETRY_FAMILY_NAME,
	.version = GDR_TELEMETRY_FAMILY_VERSION,
	.module = THIS_MODULE,
	.netnsok = true,
	.parallel_ops = true,
	.ops = ops,
	.n_ops = ARRAY_SIZE(ops),
};

/**
 * gdrt_netlink_init() - register the family
 *
 * Context: process, may sleep.
 * Return: 0 or a negative errno.
 */
int gdrt_netlink_init(void)
{
	return genl_register_family(&family);
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
	genl_unregister_family(&family);
}
