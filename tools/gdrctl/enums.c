// SPDX-License-Identifier: GPL-2.0
/* The words for the numbers of the uAPI: those of the netlink specification. */
#include <stdio.h>

#include <linux/gdr_telemetry.h>

#include "enums.h"

const struct enum_word mechanism_words[] = {
	{ GDR_TELEMETRY_MECHANISM_DMA_BUF, "dma-buf", NULL, NULL },
	{ 0, NULL, NULL, NULL },
};

const struct enum_word track_words[] = {
	{ GDR_TELEMETRY_TRACK_GDR, "gdr", "NVIDIA exporters or mlx5 importers", NULL },
	{ GDR_TELEMETRY_TRACK_ALL, "all", "every attachment on the machine", NULL },
	{ 0, NULL, NULL, NULL },
};

const struct enum_word core_words[] = {
	{ GDR_TELEMETRY_CORE_CACHED, "cached", "the attachment caches its mapping", NULL },
	{ GDR_TELEMETRY_CORE_MOVE_NOTIFY, "move-notify", "no cache, move_notify", NULL },
	{ GDR_TELEMETRY_CORE_INVALIDATE, "invalidate", "no cache, invalidate_mappings", NULL },
	{ 0, NULL, NULL, NULL },
};

const struct enum_word inexact_words[] = {
	{ GDR_TELEMETRY_INEXACT_REASON_PROBE_MISSED, "probe-missed",
	  "calls of the dma-buf core were not seen",
	  "reload the module with its parameter instances set higher" },
	{ GDR_TELEMETRY_INEXACT_REASON_POOL_EXHAUSTED, "pool-exhausted",
	  "attachments were not recorded, as no record was ready",
	  "reload the module with its parameter pool set higher" },
	{ GDR_TELEMETRY_INEXACT_REASON_UNKNOWN_DETACH, "unknown-detach",
	  "an attachment without a record was detached",
	  "exact again when no attachment is left" },
	{ GDR_TELEMETRY_INEXACT_REASON_PREEXISTING, "preexisting",
	  "attachments older than the module cannot be counted whole",
	  "exact again when no attachment is left; load the module at boot" },
	{ GDR_TELEMETRY_INEXACT_REASON_PROBES_OFF, "probes-off",
	  "probes are switched off or not armed",
	  "kernel.ftrace_enabled and debug/kprobes/enabled must be 1" },
	{ 0, NULL, NULL, NULL },
};

const struct enum_word flag_words[] = {
	{ GDR_TELEMETRY_ATTACHMENT_FLAG_MAPPED, "mapped", NULL, NULL },
	{ GDR_TELEMETRY_ATTACHMENT_FLAG_PINNED, "pinned", NULL, NULL },
	{ GDR_TELEMETRY_ATTACHMENT_FLAG_EXPORTER_DYNAMIC, "exporter-dynamic", NULL, NULL },
	{ GDR_TELEMETRY_ATTACHMENT_FLAG_IMPORTER_DYNAMIC, "importer-dynamic", NULL, NULL },
	{ GDR_TELEMETRY_ATTACHMENT_FLAG_PEER2PEER, "peer2peer", NULL, NULL },
	{ GDR_TELEMETRY_ATTACHMENT_FLAG_PREEXISTING, "preexisting", NULL, NULL },
	{ GDR_TELEMETRY_ATTACHMENT_FLAG_EXPORTER_GPU, "exporter-gpu", NULL, NULL },
	{ GDR_TELEMETRY_ATTACHMENT_FLAG_IMPORTER_HCA, "importer-hca", NULL, NULL },
	{ GDR_TELEMETRY_ATTACHMENT_FLAG_ORPHAN, "orphan", NULL, NULL },
	{ 0, NULL, NULL, NULL },
};

const struct enum_word placement_words[] = {
	{ GDR_TELEMETRY_PLACEMENT_UNKNOWN, "unknown", "it cannot be told", NULL },
	{ GDR_TELEMETRY_PLACEMENT_PEER_BAR, "peer-bar", "a BAR of the GPU", NULL },
	{ GDR_TELEMETRY_PLACEMENT_SYSTEM_RAM, "system-ram", "the host's memory", NULL },
	{ GDR_TELEMETRY_PLACEMENT_COHERENT, "coherent", "the GPU's memory, coherent", NULL },
	{ GDR_TELEMETRY_PLACEMENT_IOMMU, "iommu", "hidden by the IOMMU", NULL },
	{ 0, NULL, NULL, NULL },
};

const struct enum_word kind_words[] = {
	{ GDR_TELEMETRY_KIND_MR, "mr", "a memory region (ibv_reg_dmabuf_mr)", NULL },
	{ GDR_TELEMETRY_KIND_DEVX_UMEM, "devx-umem", "memory of a DevX object, without keys", NULL },
	{ 0, NULL, NULL, NULL },
};

const struct enum_word device_flag_words[] = {
	{ GDR_TELEMETRY_DEVICE_FLAG_PCI, "pci", NULL, NULL },
	{ GDR_TELEMETRY_DEVICE_FLAG_PRESENT, "present", NULL, NULL },
	{ GDR_TELEMETRY_DEVICE_FLAG_GDR, "gdr", NULL, NULL },
	{ 0, NULL, NULL, NULL },
};

const struct enum_word mr_join_words[] = {
	{ GDR_TELEMETRY_MR_JOIN_NO_PROBE, "no-probe", "ib_uverbs is not loaded or not probed",
	  NULL },
	{ GDR_TELEMETRY_MR_JOIN_ON, "on", "MRs are shown with their attachments", NULL },
	{ GDR_TELEMETRY_MR_JOIN_FOREIGN_RDMA, "foreign-rdma",
	  "ib_core or ib_uverbs is not this kernel's, registrations are counted only", NULL },
	{ 0, NULL, NULL, NULL },
};

const struct enum_word stage_words[] = {
	{ GDR_TELEMETRY_STAGE_VERBS, "verbs",
	  "in the arguments, before the buffer was looked up", NULL },
	{ GDR_TELEMETRY_STAGE_UMEM, "umem", "with the file descriptor, or the range", NULL },
	{ GDR_TELEMETRY_STAGE_ATTACH, "attach", "the exporter refused the importer", NULL },
	{ GDR_TELEMETRY_STAGE_MAP, "map",
	  "the exporter gave no mapping, or did not pin where the core pins on the way there",
	  NULL },
	{ GDR_TELEMETRY_STAGE_PIN, "pin",
	  "an explicit pin, which plain MRs of mlx5 do not make", NULL },
	{ GDR_TELEMETRY_STAGE_HW, "hw", "after the attach, in the HCA's driver or in the HCA",
	  NULL },
	{ GDR_TELEMETRY_STAGE_CAPABILITY_QUERY, "capability-query",
	  "no failure: a question whether dma-buf is supported", NULL },
	{ GDR_TELEMETRY_STAGE_UNKNOWN, "unknown", "the module could not look into it", NULL },
	{ 0, NULL, NULL, NULL },
};

const struct enum_word latency_words[] = {
	{ GDR_TELEMETRY_LATENCY_OP_ATTACH, "attach", NULL, NULL },
	{ GDR_TELEMETRY_LATENCY_OP_MAP, "map", NULL, NULL },
	{ GDR_TELEMETRY_LATENCY_OP_PIN, "pin", NULL, NULL },
	{ GDR_TELEMETRY_LATENCY_OP_REGISTER, "register", NULL, NULL },
	{ GDR_TELEMETRY_LATENCY_OP_DEREGISTER, "deregister", NULL, NULL },
	{ 0, NULL, NULL, NULL },
};

const struct enum_word probe_words[] = {
	{ GDR_TELEMETRY_PROBE_STATE_DISARMED, "disarmed", NULL, NULL },
	{ GDR_TELEMETRY_PROBE_STATE_ARMED, "armed", NULL, NULL },
	{ GDR_TELEMETRY_PROBE_STATE_MISSING, "missing", "no such symbol", NULL },
	{ GDR_TELEMETRY_PROBE_STATE_FAILED, "failed", NULL, NULL },
	{ 0, NULL, NULL, NULL },
};

const struct enum_word *enum_find(const struct enum_word *table, uint32_t value)
{
	for (; table->word; table++)
		if (table->value == value)
			return table;
	return NULL;
}

const char *enum_name(const struct enum_word *table, uint32_t value, char *buf, size_t size)
{
	const struct enum_word *e = enum_find(table, value);

	if (e)
		return e->word;
	snprintf(buf, size, "unknown-%u", value);
	return buf;
}
