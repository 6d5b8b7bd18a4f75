// SPDX-License-Identifier: GPL-2.0
/*
 * Exactness: whether a live gauge may be wrong, and why.
 *
 * What was lost is counted for good elsewhere; here is only what it means
 * now. A reason stays until the registry drains to empty, which is a new
 * baseline: nothing recorded is left that the loss could have touched.
 */
#include "gdr_telemetry.h"

static atomic_t sticky;		/* bit mask of enum gdr_telemetry_inexact_reason */
static atomic_t ever_off;	/* the canary was not seen at least once */
static atomic_t unrecorded;	/* live attachments known to have no record */
static atomic64_t missed_base;	/* missed calls that no longer matter */

/**
 * gdrt_exact_lost() - something was lost, so gauges may be wrong from now on
 * @reason: one bit of enum gdr_telemetry_inexact_reason
 *
 * Context: any.
 */
void gdrt_exact_lost(u32 reason)
{
	atomic_or(reason, &sticky);
}

/**
 * gdrt_exact_any_loss() - was anything lost since the module was loaded?
 *
 * Tells a detach of an attachment whose attach was missed from one of an
 * attachment older than the module.
 *
 * Context: any.
 * Return: true if so.
 */
bool gdrt_exact_any_loss(void)
{
	return gdrt_probes_missed() || atomic_read(&ever_off) ||
	       gdrt_total_read(GDRT_T_LOST_POOL);
}

/**
 * gdrt_exact_drained() - the registry is empty: take a new baseline
 *
 * Attachments that are known to be live without a record keep their reason.
 *
 * Context: any; a probe handler.
 */
void gdrt_exact_drained(void)
{
	u32 keep = 0;

	if (gdrt_exact_has_unrecorded())
		keep = GDR_TELEMETRY_INEXACT_REASON_POOL_EXHAUSTED;
	atomic64_set(&missed_base, gdrt_probes_missed());
	atomic_and(keep, &sticky);
}

/**
 * gdrt_exact_unrecorded() - an attachment could not be recorded
 *
 * Context: any; a probe handler.
 */
void gdrt_exact_unrecorded(void)
{
	gdrt_total_add(GDRT_T_LOST_POOL, 1);
	atomic_inc(&unrecorded);
	gdrt_exact_lost(GDR_TELEMETRY_INEXACT_REASON_POOL_EXHAUSTED);
}

/**
 * gdrt_exact_track_changed() - what is tracked has changed
 *
 * A detach of something that is no longer tracked says nothing, so attachments
 * without a record are not waited for any more. The reason stays until the
 * registry drains.
 *
 * Context: any.
 */
void gdrt_exact_track_changed(void)
{
	atomic_set(&unrecorded, 0);
}

/**
 * gdrt_exact_has_unrecorded() - are attachments live that could not be recorded?
 *
 * Context: any; a probe handler.
 * Return: true if so.
 */
bool gdrt_exact_has_unrecorded(void)
{
	return atomic_read(&unrecorded) > 0;
}

/**
 * gdrt_exact_unrecorded_gone() - an attachment without a record was detached
 *
 * Context: any; a probe handler.
 * Return: true if it is taken to be one that gdrt_exact_unrecorded() was told of.
 */
bool gdrt_exact_unrecorded_gone(void)
{
	if (!atomic_add_unless(&unrecorded, -1, 0))
		return false;
	if (!gdrt_exact_has_unrecorded() && !gdrt_total_read(GDRT_T_ATTACHMENTS))
		gdrt_exact_drained();
	return true;
}

/**
 * gdrt_exact_reasons() - why live gauges may be wrong
 *
 * Calls the canary, so that probes which were switched off behind our back
 * (kernel.ftrace_enabled, debugfs kprobes/enabled) are noticed although they
 * count no miss.
 *
 * Context: process; not from a probe handler.
 * Return: bit mask of enum gdr_telemetry_inexact_reason; 0 means exact.
 */
u32 gdrt_exact_reasons(void)
{
	u32 mask;

	if (!gdrt_probes_working()) {
		atomic_set(&ever_off, 1);
		gdrt_exact_lost(GDR_TELEMETRY_INEXACT_REASON_PROBES_OFF);
	}
	mask = atomic_read(&sticky);
	/* These two hold as long as there is one, whatever drained meanwhile. */
	if (gdrt_exact_has_unrecorded())
		mask |= GDR_TELEMETRY_INEXACT_REASON_POOL_EXHAUSTED;
	if (gdrt_total_read(GDRT_T_PREEXISTING))
		mask |= GDR_TELEMETRY_INEXACT_REASON_PREEXISTING;
	if (gdrt_probes_missed() > atomic64_read(&missed_base))
		mask |= GDR_TELEMETRY_INEXACT_REASON_PROBE_MISSED;
	return mask;
}
