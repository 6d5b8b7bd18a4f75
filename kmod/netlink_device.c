// SPDX-License-Identifier: GPL-2.0
/*
 * device-get and pair-get. Devices and pairs stay until the module is unloaded,
 * so a dump goes on by index.
 */
#include <linux/slab.h>
#include <net/genetlink.h>
#include <net/netlink.h>

#include "gdr_telemetry.h"
#include "netlink.h"

struct number {
	enum gdrt_count	count;
	u16		nla;
	bool		importer_only;
};

static int put_numbers(struct sk_buff *skb, const atomic64_t *count, const struct number *n,
		       unsigned int len, bool importer, int pad)
{
	unsigned int i;

	for (i = 0; i < len; i++)
		if ((importer || !n[i].importer_only) &&
		    nla_put_u64_64bit(skb, n[i].nla, gdrt_count_read(count, n[i].count), pad))
			return -EMSGSIZE;
	return 0;
}

static const char *string_of(struct nlattr *a)
{
	return nla_data(a);	/* the policy demands the NUL */
}

/* ---- device-get --------------------------------------------------------- */

static const struct number device_numbers[] = {
	{ GDRT_C_ATTACHMENTS, GDR_TELEMETRY_A_DEVICE_ATTACHMENTS },
	{ GDRT_C_BUFFERS, GDR_TELEMETRY_A_DEVICE_BUFFERS },
	{ GDRT_C_MAPPED_BYTES, GDR_TELEMETRY_A_DEVICE_MAPPED_BYTES },
	{ GDRT_C_PINNED_BYTES, GDR_TELEMETRY_A_DEVICE_PINNED_BYTES },
	{ GDRT_C_PINNED_PAGES, GDR_TELEMETRY_A_DEVICE_PINNED_PAGES },
	{ GDRT_C_ATTACH, GDR_TELEMETRY_A_DEVICE_ATTACH_TOTAL, true },
	{ GDRT_C_DETACH, GDR_TELEMETRY_A_DEVICE_DETACH_TOTAL, true },
	{ GDRT_C_INVALIDATE, GDR_TELEMETRY_A_DEVICE_INVALIDATE_TOTAL },
	{ GDRT_C_FAIL_ATTACH, GDR_TELEMETRY_A_DEVICE_ATTACH_FAILURES_TOTAL },
	{ GDRT_C_FAIL_MAP, GDR_TELEMETRY_A_DEVICE_MAP_FAILURES_TOTAL },
	{ GDRT_C_FAIL_PIN, GDR_TELEMETRY_A_DEVICE_PIN_FAILURES_TOTAL },
	{ GDRT_C_FAILURES, GDR_TELEMETRY_A_DEVICE_FAILURES_TOTAL },
	{ GDRT_C_MRS, GDR_TELEMETRY_A_DEVICE_MRS },
	{ GDRT_C_MR_BYTES, GDR_TELEMETRY_A_DEVICE_MR_BYTES },
	{ GDRT_C_REGISTER, GDR_TELEMETRY_A_DEVICE_REGISTER_TOTAL, true },
	{ GDRT_C_QUERIES, GDR_TELEMETRY_A_DEVICE_CAPABILITY_QUERIES_TOTAL, true },
	{ GDRT_C_FAIL_VERBS, GDR_TELEMETRY_A_DEVICE_VERBS_FAILURES_TOTAL },
	{ GDRT_C_FAIL_UMEM, GDR_TELEMETRY_A_DEVICE_UMEM_FAILURES_TOTAL },
	{ GDRT_C_FAIL_HW, GDR_TELEMETRY_A_DEVICE_HW_FAILURES_TOTAL },
};

static u32 device_role(const struct gdrt_device *d)
{
	return d->role == GDRT_EXPORTER ? GDR_TELEMETRY_ROLE_EXPORTER :
					  GDR_TELEMETRY_ROLE_IMPORTER;
}

static u32 device_flags(const struct gdrt_device *d)
{
	return (d->is_pci ? GDR_TELEMETRY_DEVICE_FLAG_PCI : 0) |
	       (d->is_pci && d->present ? GDR_TELEMETRY_DEVICE_FLAG_PRESENT : 0) |
	       (d->is_gdr ? GDR_TELEMETRY_DEVICE_FLAG_GDR : 0);
}

static int put_ibdevs_of(struct sk_buff *skb, int attr, const struct gdrt_device *d)
{
	struct gdrt_ibdevs *names;
	int err;

	if (d->role != GDRT_IMPORTER)
		return 0;
	names = kmalloc(sizeof(*names), GFP_KERNEL);
	if (!names)
		return -ENOMEM;
	gdrt_ibdevs_read(d, names);
	err = gdrt_put_ibdevs(skb, attr, names);
	kfree(names);
	return err;
}

static int put_record(struct sk_buff *skb, const void *what)
{
	struct gdrt_device *d = (struct gdrt_device *)what;
	char driver[GDRT_DRIVER_LEN];

	gdrt_device_driver(d, driver);
	if (nla_put_u32(skb, GDR_TELEMETRY_A_DEVICE_ROLE, device_role(d)) ||
	    nla_put_string(skb, GDR_TELEMETRY_A_DEVICE_NAME, d->name) ||
	    nla_put_u32(skb, GDR_TELEMETRY_A_DEVICE_FLAGS, device_flags(d)) ||
	    (driver[0] && nla_put_string(skb, GDR_TELEMETRY_A_DEVICE_DRIVER, driver)) ||
	    put_ibdevs_of(skb, GDR_TELEMETRY_A_DEVICE_IBDEV, d) ||
	    (d->bar1 && nla_put_u64_64bit(skb, GDR_TELEMETRY_A_DEVICE_BAR1_BYTES, d->bar1,
					  GDR_TELEMETRY_A_DEVICE_PAD)))
		return -EMSGSIZE;
	return put_numbers(skb, d->count, device_numbers, ARRAY_SIZE(device_numbers),
			   d->role == GDRT_IMPORTER, GDR_TELEMETRY_A_DEVICE_PAD);
}

/**
 * gdrt_device_doit() - one device, by its role and name
 * @req: the request
 * @info: its attributes
 *
 * Context: process, may sleep.
 * Return: 0 or a negative errno, with an extack text.
 */
int gdrt_device_doit(struct sk_buff *req, struct genl_info *info)
{
	struct nlattr *role = info->attrs[GDR_TELEMETRY_A_DEVICE_ROLE];
	struct nlattr *name = info->attrs[GDR_TELEMETRY_A_DEVICE_NAME];
	struct gdrt_device *d;

	if (!role || !name) {
		NL_SET_ERR_MSG(info->extack, "role and name of the device are needed");
		return -EINVAL;
	}
	d = gdrt_device_find(nla_get_u32(role) == GDR_TELEMETRY_ROLE_EXPORTER ?
			     GDRT_EXPORTER : GDRT_IMPORTER, string_of(name));
	if (!d || !gdrt_device_visible(d)) {
		NL_SET_ERR_MSG_ATTR(info->extack, name, "no such device in this role");
		return -ENOENT;
	}
	return gdrt_reply(info, GDR_TELEMETRY_CMD_DEVICE_GET, put_record, d);
}

/**
 * gdrt_device_dumpit() - all devices, or those of a role
 * @skb: what they go into
 * @cb: the dump
 *
 * Context: process, may sleep.
 * Return: length of @skb, 0 at the end, or a negative errno.
 */
int gdrt_device_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr **attrs = gdrt_dump_attrs(cb);
	struct nlattr *role = attrs[GDR_TELEMETRY_A_DEVICE_ROLE];
	unsigned long *i = (unsigned long *)cb->ctx;
	void *hdr;

	if (attrs[GDR_TELEMETRY_A_DEVICE_NAME]) {
		NL_SET_ERR_MSG_ATTR(cb->extack, attrs[GDR_TELEMETRY_A_DEVICE_NAME],
				    "a dump takes no name: ask without NLM_F_DUMP");
		return -EINVAL;
	}
	cb->seq = gdrt_devices_count();
	for (; *i < gdrt_devices_count(); (*i)++) {
		struct gdrt_device *d = gdrt_device_at(*i);

		if (!d || !gdrt_device_visible(d) || (role && nla_get_u32(role) != device_role(d)))
			continue;
		hdr = gdrt_dump_begin(skb, cb, GDR_TELEMETRY_CMD_DEVICE_GET);
		if (!hdr || !gdrt_dump_end(skb, cb, hdr, put_record(skb, d)))
			return gdrt_dump_full(skb);
	}
	return skb->len;
}

const struct nla_policy gdrt_device_policy[GDR_TELEMETRY_A_DEVICE_MAX + 1] = {
	[GDR_TELEMETRY_A_DEVICE_ROLE] = NLA_POLICY_MAX(NLA_U32, GDR_TELEMETRY_ROLE_EXPORTER),
	[GDR_TELEMETRY_A_DEVICE_NAME] = { .type = NLA_NUL_STRING, .len = GDRT_NAME_LEN - 1 },
};

/* ---- pair-get ----------------------------------------------------------- */

static const struct number pair_numbers[] = {
	{ GDRT_C_ATTACHMENTS, GDR_TELEMETRY_A_PAIR_ATTACHMENTS },
	{ GDRT_C_BUFFERS, GDR_TELEMETRY_A_PAIR_BUFFERS },
	{ GDRT_C_MAPPED_BYTES, GDR_TELEMETRY_A_PAIR_MAPPED_BYTES },
	{ GDRT_C_PINNED_BYTES, GDR_TELEMETRY_A_PAIR_PINNED_BYTES },
	{ GDRT_C_PINNED_PAGES, GDR_TELEMETRY_A_PAIR_PINNED_PAGES },
	{ GDRT_C_INVALIDATE, GDR_TELEMETRY_A_PAIR_INVALIDATE_TOTAL },
	{ GDRT_C_FAILURES, GDR_TELEMETRY_A_PAIR_FAILURES_TOTAL },
	{ GDRT_C_MRS, GDR_TELEMETRY_A_PAIR_MRS },
	{ GDRT_C_MR_BYTES, GDR_TELEMETRY_A_PAIR_MR_BYTES },
};

static int put_pair(struct sk_buff *skb, const void *what)
{
	const struct gdrt_pair *p = what;

	if (nla_put_string(skb, GDR_TELEMETRY_A_PAIR_EXPORTER, p->exporter->name) ||
	    nla_put_string(skb, GDR_TELEMETRY_A_PAIR_IMPORTER, p->importer->name) ||
	    put_ibdevs_of(skb, GDR_TELEMETRY_A_PAIR_IMPORTER_IBDEV, p->importer))
		return -EMSGSIZE;
	return put_numbers(skb, p->count, pair_numbers, ARRAY_SIZE(pair_numbers), true,
			   GDR_TELEMETRY_A_PAIR_PAD);
}

static bool pair_match(const struct gdrt_pair *p, struct nlattr **attrs)
{
	struct nlattr *exporter = attrs[GDR_TELEMETRY_A_PAIR_EXPORTER];
	struct nlattr *importer = attrs[GDR_TELEMETRY_A_PAIR_IMPORTER];

	return gdrt_pair_visible(p) && !(exporter && nla_strcmp(exporter, p->exporter->name)) &&
	       !(importer && nla_strcmp(importer, p->importer->name));
}

/**
 * gdrt_pair_doit() - one pair, by its exporter and importer
 * @req: the request
 * @info: its attributes
 *
 * Context: process, may sleep.
 * Return: 0 or a negative errno, with an extack text.
 */
int gdrt_pair_doit(struct sk_buff *req, struct genl_info *info)
{
	unsigned int i;

	if (!info->attrs[GDR_TELEMETRY_A_PAIR_EXPORTER] ||
	    !info->attrs[GDR_TELEMETRY_A_PAIR_IMPORTER]) {
		NL_SET_ERR_MSG(info->extack, "exporter and importer of the pair are needed");
		return -EINVAL;
	}
	for (i = 0; i < gdrt_pairs_count(); i++)
		if (pair_match(gdrt_pair_at(i), info->attrs))
			return gdrt_reply(info, GDR_TELEMETRY_CMD_PAIR_GET, put_pair,
					  gdrt_pair_at(i));
	NL_SET_ERR_MSG(info->extack, "there has been no such pair");
	return -ENOENT;
}

/**
 * gdrt_pair_dumpit() - all pairs that match the filters
 * @skb: what they go into
 * @cb: the dump
 *
 * Context: process, may sleep.
 * Return: length of @skb, 0 at the end, or a negative errno.
 */
int gdrt_pair_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	unsigned long *i = (unsigned long *)cb->ctx;
	void *hdr;

	cb->seq = gdrt_pairs_count() + 1;
	for (; *i < gdrt_pairs_count(); (*i)++) {
		const struct gdrt_pair *p = gdrt_pair_at(*i);

		if (!pair_match(p, gdrt_dump_attrs(cb)))
			continue;
		hdr = gdrt_dump_begin(skb, cb, GDR_TELEMETRY_CMD_PAIR_GET);
		if (!hdr || !gdrt_dump_end(skb, cb, hdr, put_pair(skb, p)))
			return gdrt_dump_full(skb);
	}
	return skb->len;
}

const struct nla_policy gdrt_pair_policy[GDR_TELEMETRY_A_PAIR_MAX + 1] = {
	[GDR_TELEMETRY_A_PAIR_EXPORTER] = { .type = NLA_NUL_STRING, .len = GDRT_NAME_LEN - 1 },
	[GDR_TELEMETRY_A_PAIR_IMPORTER] = { .type = NLA_NUL_STRING, .len = GDRT_NAME_LEN - 1 },
};
