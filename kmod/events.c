// SPDX-License-Identifier: GPL-2.0
/*
 * Events: what handlers saw, kept in order in a ring that was made at load, and
 * sent by one worker to the multicast group. Nothing is kept while no one
 * listens. A full ring loses the newest; its number is missing then.
 */
#include <linux/ktime.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <net/genetlink.h>
#include <net/net_namespace.h>

#include "gdr_telemetry.h"
#include "netlink.h"

#define RING_SIZE	2048U	/* a power of two */

static struct gdrt_event *ring;
static unsigned int head, tail;		/* free running; guarded by the lock */
static u64 seq;				/* guarded by the lock */
static DEFINE_RAW_SPINLOCK(lock);

/**
 * gdrt_events_wanted() - does anyone listen?
 *
 * Context: any; a probe handler.
 * Return: true if so.
 */
bool gdrt_events_wanted(void)
{
	/* Not ready: the family is not registered, or no longer. */
	return READ_ONCE(gdrt_later_events.ready) &&
	       genl_has_listeners(&gdrt_family, &init_net, 0) > 0;
}

/**
 * gdrt_events_push() - something happened
 * @e: what; its number and time are filled in
 *
 * Context: any; a probe handler.
 */
void gdrt_events_push(struct gdrt_event *e)
{
	unsigned long flags;
	bool full;

	raw_spin_lock_irqsave(&lock, flags);
	/* Under the lock, so that numbers and times have one order. */
	e->seq = ++seq;
	e->time = ktime_get_boot_fast_ns();
	full = head - tail == RING_SIZE;
	if (!full)
		ring[head++ & (RING_SIZE - 1)] = *e;
	raw_spin_unlock_irqrestore(&lock, flags);
	if (full)
		gdrt_total_add(GDRT_T_LOST_EVENTS, 1);
	gdrt_later_kick(&gdrt_later_events);
}

static bool pop(struct gdrt_event *e)
{
	unsigned long flags;
	bool some;

	raw_spin_lock_irqsave(&lock, flags);
	some = head != tail;
	if (some)
		*e = ring[tail++ & (RING_SIZE - 1)];
	raw_spin_unlock_irqrestore(&lock, flags);
	return some;
}

static int put_event(struct sk_buff *skb, const struct gdrt_event *e)
{
	const int pad = GDR_TELEMETRY_A_ATTACHMENT_PAD;
	void *hdr = genlmsg_put(skb, 0, 0, &gdrt_family, 0, GDR_TELEMETRY_CMD_EVENT);

	if (!hdr ||
	    nla_put_u64_64bit(skb, GDR_TELEMETRY_A_ATTACHMENT_EVENT_SEQ, e->seq, pad) ||
	    nla_put_u64_64bit(skb, GDR_TELEMETRY_A_ATTACHMENT_EVENT_TIME, e->time, pad) ||
	    nla_put_u32(skb, GDR_TELEMETRY_A_ATTACHMENT_EVENT_OP, e->op))
		return -EMSGSIZE;
	if (e->op == GDR_TELEMETRY_EVENT_OP_FAIL ? gdrt_put_event_failure(skb, &e->failure) :
						   gdrt_put_event_attachment(skb, &e->snap))
		return -EMSGSIZE;
	genlmsg_end(skb, hdr);
	return 0;
}

static void events_work(struct work_struct *work)
{
	struct gdrt_event e;
	struct sk_buff *skb;

	while (pop(&e)) {
		skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
		if (!skb || put_event(skb, &e)) {
			nlmsg_free(skb);
			gdrt_total_add(GDRT_T_LOST_EVENTS, 1);
			continue;
		}
		/* A listener that cannot follow is told so by its own socket. */
		genlmsg_multicast(&gdrt_family, skb, 0, 0, GFP_KERNEL);
	}
}

/**
 * gdrt_events_init() - make the ring and start; the family is registered
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int gdrt_events_init(void)
{
	ring = vzalloc(array_size(RING_SIZE, sizeof(*ring)));
	if (!ring)
		return -ENOMEM;
	gdrt_later_start(&gdrt_later_events, events_work);
	return 0;
}

/**
 * gdrt_events_exit() - stop and drop the ring
 *
 * Context: process, may sleep; no probe is armed any more.
 */
void gdrt_events_exit(void)
{
	gdrt_later_stop(&gdrt_later_events);
	vfree(ring);
	ring = NULL;
}
