/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Attachments added up by who made them: a record for each process, for each cgroup, or for each
 * process, exporter and importer.
 */
#ifndef GDRCTL_OWNERS_H
#define GDRCTL_OWNERS_H

#include "model.h"
#include "record.h"

/** enum owner_by - what is added up */
enum owner_by { OWNER_PROCESS, OWNER_CGROUP, OWNER_PAIR };

/**
 * enum owner_attr - the attributes of such a record
 * @O_PID: process; absent as in an attachment, and of a cgroup
 * @O_COMM: its command name at the newest attach
 * @O_UID: its user
 * @O_START: when it started, nanoseconds of CLOCK_BOOTTIME
 * @O_EXITED: when it was seen to have exited, likewise; absent while it lives
 * @O_GONE: 1 if it has exited
 * @O_CGROUP: id of the cgroup
 * @O_PATH: its path
 * @O_CONTAINER: the container, as its path tells
 * @O_POD: the pod, likewise
 * @O_JOB: the Slurm job, likewise
 * @O_PROCESSES: how many processes
 * @O_ATTACHMENTS: attachments
 * @O_ORPHANS: those whose process has exited more than 5 seconds ago
 * @O_BUFFERS: buffers, each once
 * @O_PINNED: bytes of those that are pinned
 * @O_MAPPED: bytes of those that are mapped
 * @O_MRS: MRs
 * @O_MR_BYTES: what they cover
 * @O_EXPORTERS: BDFs or modules
 * @O_IMPORTERS: BDFs or names
 * @O_GPUS: the exporters as people call them: indices of GPUs
 * @O_IBDEVS: RDMA devices of the importers
 * @O_OLDEST: when the oldest attachment was made, nanoseconds of CLOCK_BOOTTIME
 */
enum owner_attr {
	O_PID = 1,
	O_COMM,
	O_UID,
	O_START,
	O_EXITED,
	O_GONE,
	O_CGROUP,
	O_PATH,
	O_CONTAINER,
	O_POD,
	O_JOB,
	O_PROCESSES,
	O_ATTACHMENTS,
	O_ORPHANS,
	O_BUFFERS,
	O_PINNED,
	O_MAPPED,
	O_MRS,
	O_MR_BYTES,
	O_EXPORTERS,
	O_IMPORTERS,
	O_GPUS,
	O_IBDEVS,
	O_OLDEST,
};

/**
 * owners_make - add up attachments
 * @by: by what
 * @names: look names up: of RDMA devices, GPUs, cgroups
 * @list: the attachments; their order changes
 * @owners: a record for each owner is appended here
 *
 * Return: 0 or -ENOMEM
 */
int owners_make(enum owner_by by, bool names, struct attachments *list, struct records *owners);

#endif
