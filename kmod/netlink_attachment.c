// SPDX-License-Identifier: GPL-2.0
/*
 * attachment-get, and the attachment in an event.
 */
#include <linux/slab.h>
#include <net/genetlink.h>
#include <net/netlink.h>

#include "gdr_telemetry.h"
#include "netlink.h"

static int put_u64(struct sk_buff *skb, int attr, u64 v, int pad)
{
	return nla_put_u64_64bit(skb, attr, v, pad);
}

/**
 * gdrt_attachment_flags() - state and kind of an attachment
 * @s: a copy of it
 *
 * Context: any.
 * Return: bit mask of enum gdr_telemetry_attachment_flag.
 */
u32 gdrt_attachment_flags(const struct gdrt_snapshot *s)
{
	const struct gdrt_attachment *a = &s->att;

	return (a->mapped ? GDR_TELEMETRY_ATTACHMENT_FLAG_MAPPED : 0) |
	       (gdrt_pinned(a) ? GDR_TELEMETRY_ATTACHMENT_FLAG_PINNED : 0) |
	       (a->exp_dynamic ? GDR_TELEMETRY_ATTACHMENT_FLAG_EXPORTER_DYNAMIC : 0) |
	       (a->imp_dynamic ? GDR_TELEMETRY_ATTACHMENT_FLAG_IMPORTER_DYNAMIC : 0) |
	       (a->peer2peer ? GDR_TELEMETRY_ATTACHMENT_FLAG_PEER2PEER : 0) |
	       (a->preexisting ? GDR_TELEMETRY_ATTACHMENT_FLAG_PREEXISTING : 0) |
	       (s->ident->is_gdr ? GDR_TELEMETRY_ATTACHMENT_FLAG_EXPORTER_GPU : 0) |
	       (a->hca ? GDR_TELEMETRY_ATTACHMENT_FLAG_IMPORTER_HCA : 0) |
	       (s->has_owner && gdrt_owner_orphan(&s->owner) ?
		GDR_TELEMETRY_ATTACHMENT_FLAG_ORPHAN : 0);
}

static int put_owner(struct sk_buff *skb, const struct gdrt_owner_desc *o, pid_t nr)
{
	const int pad = GDR_TELEMETRY_A_ATTACHMENT_PAD;

	if ((nr && nla_put_u32(skb, GDR_TELEMETRY_A_ATTACHMENT_PID, nr)) ||
	    nla_put_string(skb, GDR_TELEMETRY_A_ATTACHMENT_COMM, o->comm) ||
	    nla_put_u32(skb, GDR_TELEMETRY_A_ATTACHMENT_UID, o->uid) ||
	    (o->cgroup &&
	     put_u64(skb, GDR_TELEMETRY_A_ATTACHMENT_CGROUP, o->cgroup, pad)) ||
	    put_u64(skb, GDR_TELEMETRY_A_ATTACHMENT_START_TIME, o->start, pad))
		return -EMSGSIZE;
	return 0;
}

static int put_mr(struct sk_buff *skb, const struct gdrt_mr *mr)
{
	const int pad = GDR_TELEMETRY_A_ATTACHMENT_PAD;

	if (nla_put_u32(skb, GDR_TELEMETRY_A_ATTACHMENT_MR_NUMBER, mr->number) ||
	    nla_put_u32(skb, GDR_TELEMETRY_A_ATTACHMENT_MR_LKEY, mr->lkey) ||
	    nla_put_u32(skb, GDR_TELEMETRY_A_ATTACHMENT_MR_RKEY, mr->rkey) ||
	    nla_put_u32(skb, GDR_TELEMETRY_A_ATTACHMENT_MR_PD, mr->pd) ||
	    put_u64(skb, GDR_TELEMETRY_A_ATTACHMENT_MR_OFFSET, mr->offset, pad) ||
	    put_u64(skb, GDR_TELEMETRY_A_ATTACHMENT_MR_LENGTH, mr->length, pad) ||
	    put_u64(skb, GDR_TELEMETRY_A_ATTACHMENT_MR_IOVA, mr->iova, pad) ||
	    nla_put_u32(skb, GDR_TELEMETRY_A_ATTACHMENT_MR_ACCESS, mr->access) ||
	    (mr->changed && nla_put_flag(skb, GDR_TELEMETRY_A_ATTACHMENT_MR_CHANGED)))
		return -EMSGSIZE;
	return 0;
}

/* Who attached, and the keys: for those only who may see whose they are. */
static int put_private(struct sk_buff *skb, const struct gdrt_snapshot *s, pid_t nr)
{
	const struct gdrt_owner *o = &s->owner;

	if (s->att.mr.key && put_mr(skb, &s->att.mr))
		return -EMSGSIZE;
	if (!s->has_owner)
		return 0;
	if (put_owner(skb, &o->desc, nr) ||
	    (o->gone && put_u64(skb, GDR_TELEMETRY_A_ATTACHMENT_EXITED, o->gone,
				GDR_TELEMETRY_A_ATTACHMENT_PAD)))
		return -EMSGSIZE;
	return 0;
}

static int put_exporter(struct sk_buff *skb, const struct gdrt_device *exporter,
			const struct gdrt_ident *ident)
{
	if (nla_put_string(skb, GDR_TELEMETRY_A_ATTACHMENT_EXPORTER, exporter->name) ||
	    (ident->module[0] &&
	     nla_put_string(skb, GDR_TELEMETRY_A_ATTACHMENT_EXPORTER_MODULE, ident->module)) ||
	    nla_put_string(skb, GDR_TELEMETRY_A_ATTACHMENT_EXPORTER_NAME, ident->name))
		return -EMSGSIZE;
	return 0;
}

/* What it was made for, as far as a registration told. */
static int put_kind(struct sk_buff *skb, const struct gdrt_attachment *a)
{
	if (!a->mr.key && !a->devx)
		return 0;
	return nla_put_u32(skb, GDR_TELEMETRY_A_ATTACHMENT_KIND,
			   a->devx ? GDR_TELEMETRY_KIND_DEVX_UMEM : GDR_TELEMETRY_KIND_MR);
}

/* What a reply and an event have in common, but for the owner. */
static int put_attachment(struct sk_buff *skb, const struct gdrt_snapshot *s)
{
	const struct gdrt_attachment *a = &s->att;
	const int pad = GDR_TELEMETRY_A_ATTACHMENT_PAD;

	if (put_u64(skb, GDR_TELEMETRY_A_ATTACHMENT_ID, a->id, pad) ||
	    put_u64(skb, GDR_TELEMETRY_A_ATTACHMENT_BUFFER, s->inode, pad) ||
	    put_u64(skb, GDR_TELEMETRY_A_ATTACHMENT_SIZE, s->size, pad) ||
	    nla_put_u32(skb, GDR_TELEMETRY_A_ATTACHMENT_MECHANISM,
			GDR_TELEMETRY_MECHANISM_DMA_BUF) ||
	    nla_put_u32(skb, GDR_TELEMETRY_A_ATTACHMENT_FLAGS, gdrt_attachment_flags(s)) ||
	    nla_put_string(skb, GDR_TELEMETRY_A_ATTACHMENT_IMPORTER, s->importer->name) ||
	    put_exporter(skb, s->exporter, s->ident) ||
	    put_kind(skb, a) ||
	    nla_put_u32(skb, GDR_TELEMETRY_A_ATTACHMENT_PINS, a->pins) ||
	    (a->mapped &&
	     nla_put_u32(skb, GDR_TELEMETRY_A_ATTACHMENT_PLACEMENT, a->placement)))
		return -EMSGSIZE;
	if (a->preexisting)
		return 0;
	if (put_u64(skb, GDR_TELEMETRY_A_ATTACHMENT_ATTACH_TIME, a->time, pad) ||
	    put_u64(skb, GDR_TELEMETRY_A_ATTACHMENT_MAPS, a->maps, pad))
		return -EMSGSIZE;
	return 0;
}

/* A record for a reader, with what is looked up when it is read. */
struct record {
	struct gdrt_snapshot	s;
	struct gdrt_device	*named;		/* whose names @ibdevs are */
	struct gdrt_ibdevs	ibdevs;
};

static int put_record(struct sk_buff *skb, const void *what)
{
	const struct record *r = what;
	char driver[GDRT_DRIVER_LEN];

	gdrt_device_driver(r->s.importer, driver);
	if (put_attachment(skb, &r->s) ||
	    (driver[0] &&
	     nla_put_string(skb, GDR_TELEMETRY_A_ATTACHMENT_IMPORTER_DRIVER, driver)) ||
	    gdrt_put_ibdevs(skb, GDR_TELEMETRY_A_ATTACHMENT_IMPORTER_IBDEV, &r->ibdevs) ||
	    put_private(skb, &r->s, r->s.has_owner ? gdrt_owner_vnr(&r->s.owner.desc) : 0))
		return -EMSGSIZE;
	return 0;
}

/* Records of one importer come in rows: its names are not looked up for each. */
static void name_importer(struct record *r)
{
	if (r->named == r->s.importer)
		return;
	r->named = r->s.importer;
	gdrt_ibdevs_read(r->named, &r->ibdevs);
}

/**
 * gdrt_put_event_attachment() - put the attachment of an event
 * @skb: message
 * @s: a copy of it; of an invalidate without importer
 *
 * The receiver's pid namespace is not known: pid is that of the initial one.
 *
 * Context: process.
 * Return: 0 or -EMSGSIZE.
 */
int gdrt_put_event_attachment(struct sk_buff *skb, const struct gdrt_snapshot *s)
{
	const int pad = GDR_TELEMETRY_A_ATTACHMENT_PAD;

	if (!s->importer) {
		if (put_u64(skb, GDR_TELEMETRY_A_ATTACHMENT_BUFFER, s->inode, pad) ||
		    put_u64(skb, GDR_TELEMETRY_A_ATTACHMENT_SIZE, s->size, pad) ||
		    put_exporter(skb, s->exporter, s->ident))
			return -EMSGSIZE;
		return 0;
	}
	if (put_attachment(skb, s))
		return -EMSGSIZE;
	return GDRT_MCAST_ADMIN ? put_private(skb, s, s->owner.desc.pid) : 0;
}

/**
 * gdrt_put_event_failure() - put the failure of an event
 * @skb: message
 * @f: the failure
 *
 * Context: process.
 * Return: 0 or -EMSGSIZE.
 */
int gdrt_put_event_failure(struct sk_buff *skb, const struct gdrt_failure *f)
{
	const int pad = GDR_TELEMETRY_A_ATTACHMENT_PAD;

	if (nla_put_u32(skb, GDR_TELEMETRY_A_ATTACHMENT_STAGE, f->stage) ||
	    nla_put_u32(skb, GDR_TELEMETRY_A_ATTACHMENT_ERROR, -f->err) ||
	    (f->importer &&
	     nla_put_string(skb, GDR_TELEMETRY_A_ATTACHMENT_IMPORTER, f->importer->name)))
		return -EMSGSIZE;
	if (f->known &&
	    (put_u64(skb, GDR_TELEMETRY_A_ATTACHMENT_BUFFER, f->inode, pad) ||
	     put_exporter(skb, f->exporter, f->ident)))
		return -EMSGSIZE;
	if (f->registration &&
	    (put_u64(skb, GDR_TELEMETRY_A_ATTACHMENT_MR_OFFSET, f->offset, pad) ||
	     put_u64(skb, GDR_TELEMETRY_A_ATTACHMENT_MR_LENGTH, f->length, pad) ||
	     nla_put_u32(skb, GDR_TELEMETRY_A_ATTACHMENT_MR_ACCESS, f->access)))
		return -EMSGSIZE;
	return GDRT_MCAST_ADMIN && f->has_owner ? put_owner(skb, &f->owner, f->owner.pid) : 0;
}

/**
 * gdrt_attachment_doit() - one attachment, by its id
 * @req: the request
 * @info: its attributes
 *
 * Context: process, may sleep.
 * Return: 0 or a negative errno, with an extack text.
 */
int gdrt_attachment_doit(struct sk_buff *req, struct genl_info *info)
{
	struct nlattr *id = info->attrs[GDR_TELEMETRY_A_ATTACHMENT_ID];
	struct record *r;
	int err;

	if (!id) {
		NL_SET_ERR_MSG(info->extack, "the id of the attachment is missing");
		return -EINVAL;
	}
	err = gdrt_only(info->attrs, GDR_TELEMETRY_A_ATTACHMENT_MAX, GDR_TELEMETRY_A_ATTACHMENT_ID,
			GDR_TELEMETRY_A_ATTACHMENT_ID, info->extack);
	if (err)
		return err;
	r = kzalloc(sizeof(*r), GFP_KERNEL);
	if (!r)
		return -ENOMEM;
	if (gdrt_registry_find(nla_get_u64(id), &r->s)) {
		name_importer(r);
		err = gdrt_reply(info, GDR_TELEMETRY_CMD_ATTACHMENT_GET, put_record, r);
	} else {
		NL_SET_ERR_MSG_ATTR(info->extack, id, "no live attachment has this id");
		err = -ENOENT;
	}
	kfree(r);
	return err;
}

static bool match(const struct gdrt_snapshot *s, struct nlattr **attrs)
{
	const struct nlattr *a;

	a = attrs[GDR_TELEMETRY_A_ATTACHMENT_IMPORTER];
	if (a && nla_strcmp(a, s->importer->name))
		return false;
	/* A device, or all that a module exports. */
	a = attrs[GDR_TELEMETRY_A_ATTACHMENT_EXPORTER];
	if (a && nla_strcmp(a, s->exporter->name) && nla_strcmp(a, s->ident->module))
		return false;
	a = attrs[GDR_TELEMETRY_A_ATTACHMENT_BUFFER];
	if (a && nla_get_u64(a) != s->inode)
		return false;
	a = attrs[GDR_TELEMETRY_A_ATTACHMENT_CGROUP];
	if (a && (!s->has_owner || nla_get_u64(a) != s->owner.desc.cgroup))
		return false;
	a = attrs[GDR_TELEMETRY_A_ATTACHMENT_PID];
	if (a) {
		pid_t nr = s->has_owner ? gdrt_owner_vnr(&s->owner.desc) : 0;

		if (!nr || nla_get_u32(a) != nr)
			return false;
	}
	return true;
}

/**
 * gdrt_attachment_dumpit() - all attachments that match the filters
 * @skb: what they go into
 * @cb: the dump
 *
 * Context: process, may sleep.
 * Return: length of @skb, 0 at the end, or a negative errno.
 */
int gdrt_attachment_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct gdrt_walk *walk = gdrt_dump_walk(cb);
	struct nlattr **attrs = gdrt_dump_attrs(cb);
	struct gdrt_walk next;
	struct record *r;
	void *hdr;
	int ret;

	if (attrs[GDR_TELEMETRY_A_ATTACHMENT_ID]) {
		NL_SET_ERR_MSG_ATTR(cb->extack, attrs[GDR_TELEMETRY_A_ATTACHMENT_ID],
				    "a dump takes no id: ask without NLM_F_DUMP");
		return -EINVAL;
	}
	r = kzalloc(sizeof(*r), GFP_KERNEL);
	if (!r)
		return -ENOMEM;
	cb->seq = gdrt_registry_generation();

	/* Moves on only past records that are in the message. */
	next = *walk;
	while (gdrt_registry_next(&next.bucket, &next.last, &r->s)) {
		if (match(&r->s, attrs)) {
			name_importer(r);
			hdr = gdrt_dump_begin(skb, cb, GDR_TELEMETRY_CMD_ATTACHMENT_GET);
			if (!hdr || !gdrt_dump_end(skb, cb, hdr, put_record(skb, r))) {
				ret = gdrt_dump_full(skb);
				goto out;
			}
		}
		*walk = next;
	}
	*walk = next;
	ret = skb->len;
out:
	kfree(r);
	return ret;
}

const struct nla_policy gdrt_attachment_policy[GDR_TELEMETRY_A_ATTACHMENT_MAX + 1] = {
	[GDR_TELEMETRY_A_ATTACHMENT_ID] = { .type = NLA_U64 },
	[GDR_TELEMETRY_A_ATTACHMENT_BUFFER] = { .type = NLA_U64 },
	[GDR_TELEMETRY_A_ATTACHMENT_IMPORTER] = {
		.type = NLA_NUL_STRING, .len = GDRT_NAME_LEN - 1 },
	[GDR_TELEMETRY_A_ATTACHMENT_EXPORTER] = {
		.type = NLA_NUL_STRING, .len = GDRT_NAME_LEN - 1 },
	[GDR_TELEMETRY_A_ATTACHMENT_PID] = { .type = NLA_U32 },
	[GDR_TELEMETRY_A_ATTACHMENT_CGROUP] = { .type = NLA_U64 },
};
