// SPDX-License-Identifier: GPL-2.0
/*
 * failure-get, failure-log-get and latency-get. Kinds of failures and devices
 * stay until the module is unloaded, so their dumps go on by index; the log
 * goes on by the number of a record.
 */
#include <net/genetlink.h>
#include <net/netlink.h>

#include "gdr_telemetry.h"
#include "netlink.h"

static int put_u64(struct sk_buff *skb, int attr, u64 v)
{
	return nla_put_u64_64bit(skb, attr, v, GDR_TELEMETRY_A_FAILURE_PAD);
}

/* ---- failure-get -------------------------------------------------------- */

static int put_count(struct sk_buff *skb, const struct gdrt_failure_count *c)
{
	if ((c->importer &&
	     nla_put_string(skb, GDR_TELEMETRY_A_FAILURE_IMPORTER, c->importer->name)) ||
	    nla_put_u32(skb, GDR_TELEMETRY_A_FAILURE_STAGE, c->stage) ||
	    nla_put_u32(skb, GDR_TELEMETRY_A_FAILURE_ERROR, c->err) ||
	    put_u64(skb, GDR_TELEMETRY_A_FAILURE_COUNT, atomic64_read(&c->count)))
		return -EMSGSIZE;
	return 0;
}

/**
 * gdrt_failure_dumpit() - how many failures of each kind
 * @skb: what they go into
 * @cb: the dump
 *
 * Context: process.
 * Return: length of @skb, 0 at the end, or -EMSGSIZE.
 */
int gdrt_failure_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	unsigned long *i = (unsigned long *)cb->ctx;
	void *hdr;

	cb->seq = gdrt_failure_counts() + 1;
	for (; *i < gdrt_failure_counts(); (*i)++) {
		hdr = gdrt_dump_begin(skb, cb, GDR_TELEMETRY_CMD_FAILURE_GET);
		if (!hdr ||
		    !gdrt_dump_end(skb, cb, hdr, put_count(skb, gdrt_failure_count_at(*i))))
			return gdrt_dump_full(skb);
	}
	return skb->len;
}

/* ---- failure-log-get ---------------------------------------------------- */

static int put_buffer(struct sk_buff *skb, const struct gdrt_failure *f)
{
	if (nla_put_string(skb, GDR_TELEMETRY_A_FAILURE_EXPORTER, f->exporter->name) ||
	    (f->ident->module[0] &&
	     nla_put_string(skb, GDR_TELEMETRY_A_FAILURE_EXPORTER_MODULE, f->ident->module)) ||
	    nla_put_string(skb, GDR_TELEMETRY_A_FAILURE_EXPORTER_NAME, f->ident->name) ||
	    put_u64(skb, GDR_TELEMETRY_A_FAILURE_BUFFER, f->inode))
		return -EMSGSIZE;
	return 0;
}

static int put_owner(struct sk_buff *skb, const struct gdrt_owner_desc *o)
{
	pid_t nr = gdrt_owner_vnr(o);

	if ((nr && nla_put_u32(skb, GDR_TELEMETRY_A_FAILURE_PID, nr)) ||
	    nla_put_string(skb, GDR_TELEMETRY_A_FAILURE_COMM, o->comm) ||
	    nla_put_u32(skb, GDR_TELEMETRY_A_FAILURE_UID, o->uid) ||
	    (o->cgroup && put_u64(skb, GDR_TELEMETRY_A_FAILURE_CGROUP, o->cgroup)) ||
	    put_u64(skb, GDR_TELEMETRY_A_FAILURE_START_TIME, o->start))
		return -EMSGSIZE;
	return 0;
}

static int put_failure(struct sk_buff *skb, const struct gdrt_failure *f)
{
	if (put_u64(skb, GDR_TELEMETRY_A_FAILURE_SEQ, f->seq) ||
	    put_u64(skb, GDR_TELEMETRY_A_FAILURE_TIME, f->time) ||
	    nla_put_u32(skb, GDR_TELEMETRY_A_FAILURE_STAGE, f->stage) ||
	    nla_put_u32(skb, GDR_TELEMETRY_A_FAILURE_ERROR, -f->err) ||
	    (f->importer &&
	     nla_put_string(skb, GDR_TELEMETRY_A_FAILURE_IMPORTER, f->importer->name)) ||
	    (f->known && put_buffer(skb, f)) ||
	    (f->has_owner && put_owner(skb, &f->owner)))
		return -EMSGSIZE;
	if (f->registration &&
	    (put_u64(skb, GDR_TELEMETRY_A_FAILURE_OFFSET, f->offset) ||
	     put_u64(skb, GDR_TELEMETRY_A_FAILURE_LENGTH, f->length) ||
	     nla_put_u32(skb, GDR_TELEMETRY_A_FAILURE_ACCESS, f->access)))
		return -EMSGSIZE;
	return 0;
}

/**
 * gdrt_failure_log_dumpit() - the last failures, oldest first
 * @skb: what they go into
 * @cb: the dump
 *
 * Context: process.
 * Return: length of @skb, 0 at the end, or -EMSGSIZE.
 */
int gdrt_failure_log_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	u64 *last = (u64 *)cb->ctx;
	struct gdrt_failure f;
	u64 next = *last;
	void *hdr;

	while (gdrt_failure_next(&next, &f)) {
		hdr = gdrt_dump_begin(skb, cb, GDR_TELEMETRY_CMD_FAILURE_LOG_GET);
		if (!hdr || !gdrt_dump_end(skb, cb, hdr, put_failure(skb, &f)))
			return gdrt_dump_full(skb);
		*last = next;
	}
	return skb->len;
}

/* ---- latency-get -------------------------------------------------------- */

static int put_latency(struct sk_buff *skb, const struct gdrt_device *d, unsigned int op)
{
	const int pad = GDR_TELEMETRY_A_LATENCY_PAD;
	unsigned int i;

	if (nla_put_string(skb, GDR_TELEMETRY_A_LATENCY_IMPORTER, d->name) ||
	    nla_put_u32(skb, GDR_TELEMETRY_A_LATENCY_OP, op) ||
	    nla_put_u64_64bit(skb, GDR_TELEMETRY_A_LATENCY_SUM_NS,
			      atomic64_read(&d->latency->sum[op]), pad))
		return -EMSGSIZE;
	for (i = 0; i < GDRT_LATENCY_BUCKETS; i++)
		if (nla_put_u64_64bit(skb, GDR_TELEMETRY_A_LATENCY_BUCKET,
				      atomic64_read(&d->latency->count[op][i]), pad))
			return -EMSGSIZE;
	return 0;
}

/**
 * gdrt_latency_dumpit() - histograms of all importers that made a call
 * @skb: what they go into
 * @cb: the dump
 *
 * Context: process.
 * Return: length of @skb, 0 at the end, or -EMSGSIZE.
 */
int gdrt_latency_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	unsigned long *i = (unsigned long *)cb->ctx;
	void *hdr;

	cb->seq = gdrt_devices_count();
	for (; *i < (unsigned long)gdrt_devices_count() * GDRT_LATENCY_OPS; (*i)++) {
		const struct gdrt_device *d = gdrt_device_at(*i / GDRT_LATENCY_OPS);

		if (!d || !READ_ONCE(d->latency) || !gdrt_device_visible(d))
			continue;
		hdr = gdrt_dump_begin(skb, cb, GDR_TELEMETRY_CMD_LATENCY_GET);
		if (!hdr ||
		    !gdrt_dump_end(skb, cb, hdr, put_latency(skb, d, *i % GDRT_LATENCY_OPS)))
			return gdrt_dump_full(skb);
	}
	return skb->len;
}
