/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Netlink attributes as C structures. One parser serves answers to a do request, records of a dump
 * and, later, events. It takes bytes and touches no socket.
 */
#ifndef GDRCTL_MODEL_H
#define GDRCTL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/gdr_telemetry.h>

#include "attr.h"

/**
 * struct probe - one probe of the module; @present has a bit for each attribute that came
 * @present: 1 << GDR_TELEMETRY_A_PROBE_…
 * @symbol: the kernel function
 * @state: enum gdr_telemetry_probe_state
 * @error: errno, positive
 * @missed: calls not seen
 * @needed: the readings are inexact without it
 */
struct probe {
	uint64_t present;
	char symbol[MODEL_STR];
	uint32_t state;
	uint32_t error;
	uint64_t missed;
	bool needed;
};

/**
 * struct status - totals of the module; names and units are those of the netlink specification
 * @present: 1 << GDR_TELEMETRY_A_STATUS_… for each attribute that came
 * @version: version of the module
 * @track: enum gdr_telemetry_track
 * @core: enum gdr_telemetry_core
 * @mr_join: enum gdr_telemetry_mr_join
 * @inexact_reasons: bits of enum gdr_telemetry_inexact_reason
 * @value: the u64 attributes by number: bytes, counts, seconds for START_TIME
 * @probes: the probes, in memory of their own
 * @n_probes: how many
 */
struct status {
	uint64_t present;
	char version[MODEL_STR];
	uint32_t track;
	uint32_t core;
	uint32_t mr_join;
	uint32_t inexact_reasons;
	uint64_t value[GDR_TELEMETRY_A_STATUS_MAX + 1];
	struct probe *probes;
	size_t n_probes;
};

/**
 * struct attachment - one attachment; names and units are those of the netlink specification
 * @present: 1 << GDR_TELEMETRY_A_ATTACHMENT_… for each attribute that came
 * @id: identity, never used again while the module is loaded
 * @buffer: inode number of the dma-buf
 * @size: bytes of the whole buffer
 * @attach_time: nanoseconds of CLOCK_BOOTTIME
 * @maps: new mappings made so far
 * @mechanism: enum gdr_telemetry_mechanism
 * @flags: bits of enum gdr_telemetry_attachment_flag
 * @pid: process, in our pid namespace
 * @pins: explicit pins held
 * @placement: enum gdr_telemetry_placement, while mapped
 * @kind: enum gdr_telemetry_kind, what was made on top of it
 * @uid: user of the process, in the initial user namespace
 * @cgroup: id of its cgroup (v2)
 * @start_time: when it started, nanoseconds of CLOCK_BOOTTIME
 * @exited: when it was seen to have exited, likewise
 * @mr_number: number of the MR on it, as rdma resource shows it
 * @mr_lkey: its local key
 * @mr_rkey: its remote key
 * @mr_pd: number of its protection domain
 * @mr_access: its access flags, enum ib_access_flags
 * @mr_offset: its offset in the buffer, bytes
 * @mr_length: its length, bytes
 * @mr_iova: address at which peers reach it
 * @importer: BDF or device name
 * @importer_driver: driver of the importer
 * @exporter: BDF or module name
 * @exporter_module: module that owns the buffer
 * @exporter_name: exp_name
 * @comm: command name, any bytes
 */
struct attachment {
	uint64_t present;
	uint64_t id;
	uint64_t buffer;
	uint64_t size;
	uint64_t attach_time;
	uint64_t maps;
	uint32_t mechanism;
	uint32_t flags;
	uint32_t pid;
	uint32_t pins;
	uint32_t placement;
	uint32_t kind;
	uint32_t uid;
	uint64_t cgroup;
	uint64_t start_time;
	uint64_t exited;
	uint32_t mr_number;
	uint32_t mr_lkey;
	uint32_t mr_rkey;
	uint32_t mr_pd;
	uint32_t mr_access;
	uint64_t mr_offset;
	uint64_t mr_length;
	uint64_t mr_iova;
	char importer[MODEL_STR];
	char importer_driver[MODEL_STR];
	char exporter[MODEL_STR];
	char exporter_module[MODEL_STR];
	char exporter_name[MODEL_STR];
	char comm[MODEL_STR];
};

/** struct attachments - a growing array of @n attachments, room for @room */
struct attachments {
	struct attachment *item;
	size_t n;
	size_t room;
};

/** model_has - whether attribute @attr came, @present being the structure's */
static inline bool model_has(uint64_t present, int attr)
{
	return present & 1ULL << attr;
}

/**
 * model_status - read the attributes of a status
 * @attrs: the first attribute, aligned to 4 bytes
 * @len: bytes there
 * @s: where to; to be given to model_status_free() whatever is returned
 *
 * What is not known is ignored. Integers may have 4 or 8 bytes.
 *
 * Return: 0; -EBADMSG if the message is not well-formed; -ENOMEM
 */
int model_status(const void *attrs, size_t len, struct status *s);

/** model_status_free - free what @s holds, not @s */
void model_status_free(struct status *s);

/** model_attachment - read the attributes of an attachment; as model_status() */
int model_attachment(const void *attrs, size_t len, struct attachment *a);

/** attachments_add - append a copy of @a. Return: 0 or -ENOMEM */
int attachments_add(struct attachments *list, const struct attachment *a);

/** attachments_sort - sort by id */
void attachments_sort(struct attachments *list);

/** attachments_free - free what @list holds and leave it empty */
void attachments_free(struct attachments *list);

#endif
