/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints gdr_telemetry:*, for perf, trace-cmd and bpftrace. They tell what
 * the group of events tells, to whoever may trace.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM gdr_telemetry

#if !defined(GDRT_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define GDRT_TRACE_H

#include <linux/tracepoint.h>

#include "gdr_telemetry.h"

/*
 * Names as netlink and gdrctl have them. Programs that read records do not know
 * the kernel's enumerators unless they are told.
 */
TRACE_DEFINE_ENUM(GDR_TELEMETRY_PLACEMENT_UNKNOWN);
TRACE_DEFINE_ENUM(GDR_TELEMETRY_PLACEMENT_PEER_BAR);
TRACE_DEFINE_ENUM(GDR_TELEMETRY_PLACEMENT_SYSTEM_RAM);
TRACE_DEFINE_ENUM(GDR_TELEMETRY_PLACEMENT_COHERENT);
TRACE_DEFINE_ENUM(GDR_TELEMETRY_PLACEMENT_IOMMU);

#define show_gdrt_placement(placement) __print_symbolic(placement,	\
	{ GDR_TELEMETRY_PLACEMENT_UNKNOWN,	"unknown" },		\
	{ GDR_TELEMETRY_PLACEMENT_PEER_BAR,	"peer-bar" },		\
	{ GDR_TELEMETRY_PLACEMENT_SYSTEM_RAM,	"system-ram" },		\
	{ GDR_TELEMETRY_PLACEMENT_COHERENT,	"coherent" },		\
	{ GDR_TELEMETRY_PLACEMENT_IOMMU,	"iommu" })

TRACE_DEFINE_ENUM(GDR_TELEMETRY_STAGE_UNKNOWN);
TRACE_DEFINE_ENUM(GDR_TELEMETRY_STAGE_VERBS);
TRACE_DEFINE_ENUM(GDR_TELEMETRY_STAGE_UMEM);
TRACE_DEFINE_ENUM(GDR_TELEMETRY_STAGE_ATTACH);
TRACE_DEFINE_ENUM(GDR_TELEMETRY_STAGE_MAP);
TRACE_DEFINE_ENUM(GDR_TELEMETRY_STAGE_PIN);
TRACE_DEFINE_ENUM(GDR_TELEMETRY_STAGE_HW);

#define show_gdrt_stage(stage) __print_symbolic(stage,			\
	{ GDR_TELEMETRY_STAGE_UNKNOWN,	"unknown" },			\
	{ GDR_TELEMETRY_STAGE_VERBS,	"verbs" },			\
	{ GDR_TELEMETRY_STAGE_UMEM,	"umem" },			\
	{ GDR_TELEMETRY_STAGE_ATTACH,	"attach" },			\
	{ GDR_TELEMETRY_STAGE_MAP,	"map" },			\
	{ GDR_TELEMETRY_STAGE_PIN,	"pin" },			\
	{ GDR_TELEMETRY_STAGE_HW,	"hw" })

DECLARE_EVENT_CLASS(gdrt_attachment,
	TP_PROTO(const struct gdrt_attachment *a),
	TP_ARGS(a),
	TP_STRUCT__entry(
		__field(u64, id)
		__field(u64, inode)
		__field(u64, size)
		__field(u64, mr_length)
		__field(u32, mr_number)
		__field(u32, mr_lkey)
		__field(u32, mr_rkey)
		__field(u32, placement)
		__field(int, pid)
		__array(char, exporter, GDRT_NAME_LEN)
		__array(char, importer, GDRT_NAME_LEN)
	),
	TP_fast_assign(
		__entry->id = a->id;
		__entry->inode = a->share->buf->inode;
		__entry->size = a->share->buf->size;
		__entry->mr_length = a->mr.key ? a->mr.length : 0;
		__entry->mr_number = a->mr.key ? a->mr.number : 0;
		__entry->mr_lkey = a->mr.key ? a->mr.lkey : 0;
		__entry->mr_rkey = a->mr.key ? a->mr.rkey : 0;
		__entry->placement = a->placement;
		__entry->pid = a->owner ? a->owner->desc.pid : 0;
		memcpy(__entry->exporter, READ_ONCE(a->share->buf->exporter)->name,
		       GDRT_NAME_LEN);
		memcpy(__entry->importer, a->share->importer->name, GDRT_NAME_LEN);
	),
	TP_printk("id=%llu inode=%llu size=%llu exporter=%s importer=%s placement=%s pid=%d mr_number=%u mr_lkey=%#x mr_rkey=%#x mr_length=%llu",
		  __entry->id, __entry->inode, __entry->size, __entry->exporter,
		  __entry->importer, show_gdrt_placement(__entry->placement), __entry->pid,
		  __entry->mr_number, __entry->mr_lkey, __entry->mr_rkey, __entry->mr_length)
);

#define GDRT_ATTACHMENT_EVENT(name)					\
	DEFINE_EVENT(gdrt_attachment, name,				\
		     TP_PROTO(const struct gdrt_attachment *a),		\
		     TP_ARGS(a))

GDRT_ATTACHMENT_EVENT(gdrt_attach);
GDRT_ATTACHMENT_EVENT(gdrt_detach);
GDRT_ATTACHMENT_EVENT(gdrt_map);
GDRT_ATTACHMENT_EVENT(gdrt_unmap);
GDRT_ATTACHMENT_EVENT(gdrt_pin);
GDRT_ATTACHMENT_EVENT(gdrt_unpin);
GDRT_ATTACHMENT_EVENT(gdrt_register);
GDRT_ATTACHMENT_EVENT(gdrt_deregister);

TRACE_EVENT(gdrt_invalidate,
	TP_PROTO(const struct gdrt_buffer *buf),
	TP_ARGS(buf),
	TP_STRUCT__entry(
		__field(u64, inode)
		__field(u64, size)
		__field(u32, attachments)
		__array(char, exporter, GDRT_NAME_LEN)
	),
	TP_fast_assign(
		__entry->inode = buf->inode;
		__entry->size = buf->size;
		__entry->attachments = buf->attachments;
		memcpy(__entry->exporter, buf->exporter->name, GDRT_NAME_LEN);
	),
	TP_printk("inode=%llu size=%llu exporter=%s attachments=%u", __entry->inode,
		  __entry->size, __entry->exporter, __entry->attachments)
);

TRACE_EVENT(gdrt_fail,
	TP_PROTO(const struct gdrt_failure *f),
	TP_ARGS(f),
	TP_STRUCT__entry(
		__field(u64, seq)
		__field(u64, inode)
		__field(u64, length)
		__field(u32, stage)
		__field(int, error)
		__field(int, pid)
		__array(char, importer, GDRT_NAME_LEN)
		__array(char, exporter, GDRT_NAME_LEN)
	),
	TP_fast_assign(
		__entry->seq = f->seq;
		__entry->inode = f->known ? f->inode : 0;
		__entry->length = f->registration ? f->length : 0;
		__entry->stage = f->stage;
		__entry->error = f->err;
		__entry->pid = f->has_owner ? f->owner.pid : 0;
		if (f->importer)
			memcpy(__entry->importer, f->importer->name, GDRT_NAME_LEN);
		else
			__entry->importer[0] = '\0';
		if (f->known)
			memcpy(__entry->exporter, f->exporter->name, GDRT_NAME_LEN);
		else
			__entry->exporter[0] = '\0';
	),
	TP_printk("seq=%llu stage=%s error=%d exporter=%s importer=%s inode=%llu length=%llu pid=%d",
		  __entry->seq, show_gdrt_stage(__entry->stage), __entry->error,
		  __entry->exporter, __entry->importer, __entry->inode, __entry->length,
		  __entry->pid)
);

#endif /* GDRT_TRACE_H */

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
