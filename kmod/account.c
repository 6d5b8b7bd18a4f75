// SPDX-License-Identifier: GPL-2.0
/*
 * Totals, and the one rule of what is pinned.
 *
 * Totals are plain atomics: a reader of several may see them at slightly
 * different moments, but each is exact. The per-buffer counts that make
 * "unique" possible are guarded by the lock of the buffer's bucket.
 */
#include <linux/mm.h>

#include "gdr_telemetry.h"

static atomic64_t totals[GDRT_T_DERIVED];

#define TOTAL(id, file, grp, attr) \
	[GDRT_T_##id] = { .name = file, .group = GDRT_GROUP_##grp, .nla = attr }
#define NLA(x) GDR_TELEMETRY_A_STATUS_##x

const struct gdrt_total_desc gdrt_total_desc[GDRT_T_MAX] = {
	TOTAL(BUFFERS, "buffers", TOP, NLA(BUFFERS)),
	TOTAL(ATTACHMENTS, "attachments", TOP, NLA(ATTACHMENTS)),
	TOTAL(MAPPED, "mapped", TOP, NLA(MAPPED)),
	TOTAL(PREEXISTING, "preexisting", TOP, NLA(PREEXISTING)),
	TOTAL(MRS, "mrs", TOP, NLA(MRS)),
	TOTAL(MR_BYTES, "mr_bytes", TOP, NLA(MR_BYTES)),
	TOTAL(ORPHANS, "orphans", TOP, NLA(ORPHANS)),
	TOTAL(IMPORTERS_ACTIVE, "importers_active", TOP, NLA(IMPORTERS_ACTIVE)),
	TOTAL(EXPORTERS_ACTIVE, "exporters_active", TOP, NLA(EXPORTERS_ACTIVE)),
	TOTAL(PINNED_BYTES, "pinned_bytes", TOP, NLA(PINNED_BYTES)),
	TOTAL(PINNED_PAGES, "pinned_pages", TOP, NLA(PINNED_PAGES)),
	TOTAL(PINNED_BYTES_SUM, "pinned_bytes_sum", TOP, NLA(PINNED_BYTES_SUM)),
	TOTAL(PINNED_BYTES_PEAK, "pinned_bytes_peak", TOP, NLA(PINNED_BYTES_PEAK)),
	TOTAL(MAPPED_BYTES, "mapped_bytes", TOP, NLA(MAPPED_BYTES)),
	TOTAL(ATTACHMENTS_PEAK, "attachments_peak", TOP, NLA(ATTACHMENTS_PEAK)),
	TOTAL(ATTACH, "attach_total", TOP, NLA(ATTACH_TOTAL)),
	TOTAL(DETACH, "detach_total", TOP, NLA(DETACH_TOTAL)),
	TOTAL(MAP, "map_total", TOP, NLA(MAP_TOTAL)),
	TOTAL(UNMAP, "unmap_total", TOP, NLA(UNMAP_TOTAL)),
	TOTAL(PIN, "pin_total", TOP, NLA(PIN_TOTAL)),
	TOTAL(UNPIN, "unpin_total", TOP, NLA(UNPIN_TOTAL)),
	TOTAL(INVALIDATE, "invalidate_total", TOP, NLA(INVALIDATE_TOTAL)),
	TOTAL(REGISTER, "register_total", TOP, NLA(REGISTER_TOTAL)),
	TOTAL(DEREGISTER, "deregister_total", TOP, NLA(DEREGISTER_TOTAL)),
	TOTAL(QUERIES, "capability_queries_total", TOP, NLA(CAPABILITY_QUERIES_TOTAL)),
	TOTAL(FAILURES, "failures_total", TOP, 0),
	TOTAL(FAIL_UNKNOWN, "unknown_total", FAILURES, NLA(UNKNOWN_FAILURES_TOTAL)),
	TOTAL(FAIL_VERBS, "verbs_total", FAILURES, NLA(VERBS_FAILURES_TOTAL)),
	TOTAL(FAIL_UMEM, "umem_total", FAILURES, NLA(UMEM_FAILURES_TOTAL)),
	TOTAL(FAIL_HW, "hw_total", FAILURES, NLA(HW_FAILURES_TOTAL)),
	TOTAL(FAIL_ATTACH, "attach_total", FAILURES, NLA(ATTACH_FAILURES_TOTAL)),
	TOTAL(FAIL_MAP, "map_total", FAILURES, NLA(MAP_FAILURES_TOTAL)),
	TOTAL(FAIL_PIN, "pin_total", FAILURES, NLA(PIN_FAILURES_TOTAL)),
	TOTAL(UNTRACKED, "untracked_total", TOP, NLA(UNTRACKED_TOTAL)),
	TOTAL(PREEXISTING_DETACHED, "preexisting_detached_total", TOP,
	      NLA(PREEXISTING_DETACHED_TOTAL)),
	TOTAL(LOST_MISSED, "probe_missed_total", LOST, NLA(LOST_PROBE_MISSED_TOTAL)),
	TOTAL(LOST_POOL, "pool_exhausted_total", LOST, NLA(LOST_POOL_EXHAUSTED_TOTAL)),
	TOTAL(LOST_DETACH, "unknown_detach_total", LOST, NLA(LOST_UNKNOWN_DETACH_TOTAL)),
	TOTAL(LOST_EVENTS, "events_total", LOST, NLA(LOST_EVENTS_TOTAL)),
	TOTAL(LOST_FAILURES, "failure_records_total", LOST, NLA(LOST_FAILURE_RECORDS_TOTAL)),
};

/**
 * gdrt_total_read() - value of a total
 * @t: which
 *
 * Context: any.
 * Return: the value, in the unit that its name says.
 */
u64 gdrt_total_read(enum gdrt_total t)
{
	u64 sum = 0;

	switch (t) {
	case GDRT_T_PINNED_PAGES:
		return gdrt_total_read(GDRT_T_PINNED_BYTES) >> PAGE_SHIFT;
	case GDRT_T_FAILURES:
		for (t = GDRT_T_FAIL_UNKNOWN; t <= GDRT_T_FAIL_HW; t++)
			sum += atomic64_read(&totals[t]);
		return sum;
	case GDRT_T_ORPHANS:
		return gdrt_owners_orphans();
	case GDRT_T_LOST_MISSED:
		return gdrt_probes_missed();
	default:
		return t < GDRT_T_DERIVED ? atomic64_read(&totals[t]) : 0;
	}
}

/**
 * gdrt_total_add() - add to a total that has storage
 * @t: which, below GDRT_T_DERIVED
 * @n: how much; negative for gauges only
 *
 * Context: any.
 * Return: the new value.
 */
s64 gdrt_total_add(enum gdrt_total t, s64 n)
{
	return atomic64_add_return(n, &totals[t]);
}

/**
 * gdrt_total_dec_to_zero() - subtract one from a gauge
 * @t: which, below GDRT_T_DERIVED
 *
 * Context: any.
 * Return: true if it is 0 now.
 */
bool gdrt_total_dec_to_zero(enum gdrt_total t)
{
	return atomic64_dec_and_test(&totals[t]);
}

/**
 * gdrt_total_peak() - raise a peak
 * @peak: which
 * @value: a value that was reached
 *
 * Context: any.
 */
void gdrt_total_peak(enum gdrt_total peak, u64 value)
{
	s64 old = atomic64_read(&totals[peak]);

	while ((s64)value > old && !atomic64_try_cmpxchg(&totals[peak], &old, value))
		;
}

/**
 * gdrt_pinned() - may the exporter not move the memory of this attachment?
 * @a: the attachment
 *
 * The rule of Documentation/design.rst; what makes it true is in
 * drivers/dma-buf/dma-buf.c: a static exporter cannot move memory that is
 * mapped, the core pins on behalf of a static importer, and before 7.x it
 * pins for a dynamic one too unless buffers may move. An explicit
 * dma_buf_pin() pins only where the exporter has a pin operation.
 *
 * Context: the attachment's bucket is locked, or it is a copy.
 * Return: true if it is pinned.
 */
bool gdrt_pinned(const struct gdrt_attachment *a)
{
	if (a->mapped &&
	    (!a->exp_dynamic || !a->imp_dynamic || GDRT_CORE_PINS_DYNAMIC))
		return true;

	return a->exp_dynamic && a->pins;
}

static void follow_mapped(struct gdrt_share *s, bool now)
{
	struct gdrt_buffer *buf = s->buf;
	s64 size = now ? (s64)buf->size : -(s64)buf->size;

	gdrt_total_add(GDRT_T_MAPPED, now ? 1 : -1);
	if (now ? !s->mapped++ : !--s->mapped)
		gdrt_share_add(s, GDRT_C_MAPPED_BYTES, size);
	if (now ? !buf->mapped++ : !--buf->mapped) {
		gdrt_device_add(buf->exporter, GDRT_C_MAPPED_BYTES, size);
		gdrt_total_add(GDRT_T_MAPPED_BYTES, size);
	}
}

static void follow_pinned(struct gdrt_share *s, bool now)
{
	struct gdrt_buffer *buf = s->buf;
	s64 size = now ? (s64)buf->size : -(s64)buf->size;

	gdrt_total_add(GDRT_T_PINNED_BYTES_SUM, size);
	if (now ? !s->pinned++ : !--s->pinned)
		gdrt_share_add(s, GDRT_C_PINNED_BYTES, size);
	if (now ? !buf->pinned++ : !--buf->pinned) {
		gdrt_device_add(buf->exporter, GDRT_C_PINNED_BYTES, size);
		gdrt_total_peak(GDRT_T_PINNED_BYTES_PEAK,
				gdrt_total_add(GDRT_T_PINNED_BYTES, size));
	}
}

/**
 * gdrt_account_state() - give an attachment a new state and follow it in all numbers
 * @a: the attachment
 * @mapped: mappings that it holds from now on
 * @pins: explicit pins that it holds from now on
 *
 * Context: the attachment's bucket is locked; takes the lock of the buffer's.
 */
void gdrt_account_state(struct gdrt_attachment *a, u32 mapped, u32 pins)
{
	bool was_mapped = a->mapped, was_pinned = gdrt_pinned(a);
	bool is_mapped = mapped, is_pinned;
	raw_spinlock_t *lock;

	a->mapped = mapped;
	a->pins = pins;
	is_pinned = gdrt_pinned(a);
	if (is_mapped == was_mapped && is_pinned == was_pinned)
		return;

	lock = gdrt_buffer_lock(a->share->buf);
	raw_spin_lock(lock);
	if (is_mapped != was_mapped)
		follow_mapped(a->share, is_mapped);
	if (is_pinned != was_pinned)
		follow_pinned(a->share, is_pinned);
	raw_spin_unlock(lock);
}
