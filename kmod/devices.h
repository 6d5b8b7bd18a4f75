/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of gdr_telemetry.h on who: devices, pairs, what an address reaches,
 * and the processes that attached. Included there.
 */
#ifndef GDRT_DEVICES_H
#define GDRT_DEVICES_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "../include/uapi/linux/gdr_telemetry.h"

struct device;
struct dma_buf;
struct kobject;
struct sg_table;

/* ---- device.c: importers and exporters, kept until unload ---------------- */

#define GDRT_NAME_LEN	64
#define GDRT_DRIVER_LEN	32

/**
 * enum gdrt_role - side of an attachment
 */
enum gdrt_role {
	GDRT_IMPORTER,
	GDRT_EXPORTER,
	GDRT_ROLES
};

/**
 * enum gdrt_count - every number that a device or a pair has
 *
 * Gauges first; from @GDRT_C_TOTALS on counters, which only go up.
 */
enum gdrt_count {
	GDRT_C_ATTACHMENTS,
	GDRT_C_BUFFERS,
	GDRT_C_MAPPED_BYTES,
	GDRT_C_PINNED_BYTES,
	GDRT_C_MRS,
	GDRT_C_MR_BYTES,
	GDRT_C_TOTALS,
	GDRT_C_ATTACH = GDRT_C_TOTALS,
	GDRT_C_DETACH,
	GDRT_C_INVALIDATE,
	GDRT_C_REGISTER,
	GDRT_C_QUERIES,
	GDRT_C_FAIL_UNKNOWN,	/* in the order of enum gdr_telemetry_stage */
	GDRT_C_FAIL_VERBS,
	GDRT_C_FAIL_UMEM,
	GDRT_C_FAIL_ATTACH,
	GDRT_C_FAIL_MAP,
	GDRT_C_FAIL_PIN,
	GDRT_C_FAIL_HW,
	GDRT_C_STORED,
	GDRT_C_PINNED_PAGES = GDRT_C_STORED,
	GDRT_C_FAILURES,
	GDRT_C_MAX
};

/**
 * struct gdrt_device - a device on one side of attachments
 * @node: in the table of devices
 * @role: importer or exporter
 * @name: BDF of a PCI function, else the name of the device (importer) or of
 *	the module or exporter (exporter)
 * @driver: driver that was last seen bound to it, empty if none; guarded by
 *	the device lock
 * @is_pci: @name is a BDF
 * @is_gdr: an NVIDIA exporter or an mlx5 function
 * @present: a PCI function that is in the machine
 * @domain: PCI domain, if @is_pci
 * @bdf: bus, device and function, if @is_pci
 * @bar1: size of BAR 1 in bytes, of a GPU
 * @latency: its histograms, of an importer; latency.c only
 * @dir: its directory in sysfs; sysfs_devices.c only
 * @count: its numbers
 */
struct gdrt_device {
	struct hlist_node	node;
	enum gdrt_role		role;
	char			name[GDRT_NAME_LEN];
	char			driver[GDRT_DRIVER_LEN];
	bool			is_pci;
	bool			is_gdr;
	bool			present;
	u32			domain;
	u16			bdf;
	u64			bar1;
	struct gdrt_latency	*latency;
	struct kobject		*dir;
	atomic64_t		count[GDRT_C_STORED];
};

int gdrt_devices_init(void);
void gdrt_devices_exit(void);
struct gdrt_device *gdrt_device_importer(struct device *dev);
struct gdrt_device *gdrt_device_exporter(const char *name, bool gdr);
struct gdrt_device *gdrt_device_found(enum gdrt_role role, struct device *dev, bool gdr);
void gdrt_device_follow(struct device *dev);
void gdrt_device_gone(struct device *dev);
void gdrt_device_driver(struct gdrt_device *d, char driver[GDRT_DRIVER_LEN]);
bool gdrt_device_visible(const struct gdrt_device *d);
unsigned int gdrt_devices_count(void);
struct gdrt_device *gdrt_device_at(unsigned int i);
struct gdrt_device *gdrt_device_find(enum gdrt_role role, const char *name);
void gdrt_device_attachments(struct gdrt_device *d, s64 n);
void gdrt_device_add(struct gdrt_device *d, enum gdrt_count c, s64 n);
u64 gdrt_count_read(const atomic64_t *count, enum gdrt_count c);

/* ---- ident.c: which software exports, and what is GPUDirect RDMA -------- */

/**
 * struct gdrt_ident - software that exports buffers, kept until unload
 * @node: in the table
 * @is_gdr: an NVIDIA driver
 * @module: owner module, empty if built in
 * @name: exp_name
 */
struct gdrt_ident {
	struct hlist_node	node;
	bool			is_gdr;
	char			module[GDRT_NAME_LEN];
	char			name[GDRT_DRIVER_LEN];
};

int gdrt_ident_init(void);
void gdrt_ident_exit(void);
struct gdrt_ident *gdrt_ident_exporter(struct dma_buf *dmabuf);
struct gdrt_device *gdrt_ident_device(const struct gdrt_ident *id);
bool gdrt_ident_is_hca(struct device *dev);
bool gdrt_ident_is_gpu(struct device *dev);

/* ---- pair.c: exporter device x importer device -------------------------- */

/**
 * struct gdrt_pair - an exporter whose device is known, and an importer
 * @node: in the table of pairs
 * @exporter: the device that owns the memory
 * @importer: the device that reaches it
 * @dir: its directory in sysfs; sysfs_devices.c only
 * @count: its numbers, in the same order as those of a device
 */
struct gdrt_pair {
	struct hlist_node	node;
	struct gdrt_device	*exporter;
	struct gdrt_device	*importer;
	struct kobject		*dir;
	atomic64_t		count[GDRT_C_STORED];
};

int gdrt_pairs_init(void);
void gdrt_pairs_exit(void);
struct gdrt_pair *gdrt_pair_get(struct gdrt_device *exporter, struct gdrt_device *importer);
void gdrt_pair_add(struct gdrt_pair *p, enum gdrt_count c, s64 n);
bool gdrt_pair_visible(const struct gdrt_pair *p);
unsigned int gdrt_pairs_count(void);
struct gdrt_pair *gdrt_pair_at(unsigned int i);

/* ---- pci.c: which devices there are ------------------------------------- */

int gdrt_pci_init(void);
void gdrt_pci_exit(void);

/* ---- place.c: what a DMA address reaches -------------------------------- */

/**
 * struct gdrt_range - addresses behind which a GPU has memory
 * @start: first
 * @end: last
 * @gpu: whose
 * @coherent: a window outside its BARs, as on Grace
 */
struct gdrt_range {
	u64			start;
	u64			end;
	struct gdrt_device	*gpu;
	bool			coherent;
};

/**
 * struct gdrt_ranges - ranges sorted by start, of one kind of address
 * @n: how many
 * @range: they
 */
struct gdrt_ranges {
	unsigned int		n;
	struct gdrt_range	range[];
};

struct gdrt_ranges *gdrt_ranges_alloc(unsigned int n);
void gdrt_ranges_set(struct gdrt_ranges *cpu, struct gdrt_ranges *bus);
enum gdr_telemetry_placement gdrt_place(struct device *dev, const struct sg_table *sgt,
					struct gdrt_device **gpu);

/* ---- owner.c: the processes that attached -------------------------------- */

/**
 * struct gdrt_owner_desc - a process, named without holding a reference to it
 * @pid: thread group id in the initial pid namespace
 * @uid: effective user id in the initial user namespace
 * @start: start time of its leader in ns of boot time, since pids are used
 *	again
 * @cgroup: id of its cgroup (v2) at that time; 0 if unknown
 * @comm: command name of the leader at that time
 */
struct gdrt_owner_desc {
	pid_t	pid;
	u32	uid;
	u64	start;
	u64	cgroup;
	char	comm[TASK_COMM_LEN];
};

/**
 * struct gdrt_owner - a process that has attachments
 * @node: in its bucket; first, so that the pool can link through it
 * @desc: which it is
 * @gone: when it was first seen to have exited, in ns of boot time; 0 if not
 * @attachments: live attachments it made
 */
struct gdrt_owner {
	struct hlist_node	node;
	struct gdrt_owner_desc	desc;
	u64			gone;
	u32			attachments;
};

int gdrt_owners_init(void);
void gdrt_owners_exit(void);
struct gdrt_owner *gdrt_owner_get(bool *none);
void gdrt_owner_put(struct gdrt_owner *o);
bool gdrt_owner_describe(struct gdrt_owner_desc *o);
pid_t gdrt_owner_vnr(const struct gdrt_owner_desc *o);
bool gdrt_owner_orphan(const struct gdrt_owner *o);
u64 gdrt_owners_orphans(void);

#endif /* GDRT_DEVICES_H */
