// SPDX-License-Identifier: GPL-2.0
/*
 * The tracepoints of trace.h, by the operation of an event.
 */
#define CREATE_TRACE_POINTS
#include "trace.h"

/**
 * gdrt_trace_attachment() - hit the tracepoint of an operation on an attachment
 * @op: the operation
 * @a: the attachment, its bucket locked
 *
 * Context: any; a probe handler.
 */
void gdrt_trace_attachment(enum gdr_telemetry_event_op op, const struct gdrt_attachment *a)
{
	switch (op) {
	case GDR_TELEMETRY_EVENT_OP_ATTACH:
		trace_gdrt_attach(a);
		break;
	case GDR_TELEMETRY_EVENT_OP_DETACH:
		trace_gdrt_detach(a);
		break;
	case GDR_TELEMETRY_EVENT_OP_MAP:
		trace_gdrt_map(a);
		break;
	case GDR_TELEMETRY_EVENT_OP_UNMAP:
		trace_gdrt_unmap(a);
		break;
	case GDR_TELEMETRY_EVENT_OP_PIN:
		trace_gdrt_pin(a);
		break;
	case GDR_TELEMETRY_EVENT_OP_UNPIN:
		trace_gdrt_unpin(a);
		break;
	case GDR_TELEMETRY_EVENT_OP_REGISTER:
		trace_gdrt_register(a);
		break;
	case GDR_TELEMETRY_EVENT_OP_DEREGISTER:
		trace_gdrt_deregister(a);
		break;
	default:
		break;
	}
}

/**
 * gdrt_trace_invalidate() - hit the tracepoint of an invalidation
 * @buf: the buffer, or a copy
 *
 * Context: any; a probe handler.
 */
void gdrt_trace_invalidate(const struct gdrt_buffer *buf)
{
	trace_gdrt_invalidate(buf);
}

/**
 * gdrt_trace_fail() - hit the tracepoint of a failure
 * @f: the failure
 *
 * Context: any; a probe handler.
 */
void gdrt_trace_fail(const struct gdrt_failure *f)
{
	trace_gdrt_fail(f);
}
