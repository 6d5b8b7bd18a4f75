// SPDX-License-Identifier: GPL-2.0
/*
 * The registry, for readers.
 */
#include "gdr_telemetry.h"

/**
 * gdrt_registry_next() - walk over all attachments
 * @bucket: where the walk is; 0 at first
 * @last: id of the record before, U64_MAX at first
 * @s: filled with a copy of the next attachment
 *
 * A record that lives through the whole walk is met exactly once: within a
 * bucket ids go down, and a record never changes its bucket.
 *
 * Context: process; takes one bucket lock at a time.
 * Return: false at the end.
 */
bool gdrt_registry_next(u32 *bucket, u64 *last, struct gdrt_snapshot *s)
{
	struct gdrt_attachment *a;
	struct gdrt_bucket *b;
	unsigned long flags;

	for (; (b = gdrt_attachment_bucket_at(*bucket)); (*bucket)++, *last = U64_MAX) {
		if (hlist_empty(&b->head))
			continue;
		raw_spin_lock_irqsave(&b->lock, flags);
		hlist_for_each_entry(a, &b->head, node) {
			if (a->id >= *last)
				continue;
			*last = a->id;
			gdrt_attachment_copy(a, s);
			raw_spin_unlock_irqrestore(&b->lock, flags);
			return true;
		}
		raw_spin_unlock_irqrestore(&b->lock, flags);
	}
	return false;
}

/**
 * gdrt_registry_find() - find an attachment by its id
 * @id: the id
 * @s: filled with a copy of it
 *
 * Context: process; walks the table.
 * Return: false if there is none.
 */
bool gdrt_registry_find(u64 id, struct gdrt_snapshot *s)
{
	u64 last = U64_MAX;
	u32 bucket = 0;

	while (gdrt_registry_next(&bucket, &last, s))
		if (s->att.id == id)
			return true;
	return false;
}
