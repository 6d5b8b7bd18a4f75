/* SPDX-License-Identifier: GPL-2.0 */
/*
 * gdr_telemetry - what the files of the module share.
 *
 * Data flows one way: probe_dmabuf.c sees a call of the dma-buf core and
 * probe_rdma.c one of ib_uverbs or ib_core, and they tell the model (calls.c,
 * registry.c, mr.c, failure.c, buffer.c, account.c, device.c, pair.c, owner.c,
 * place.c, latency.c) about it in plain calls; pci.c tells it which devices
 * there are; netlink*.c, sysfs*.c, debugfs*.c, events.c and trace.c present it.
 * The model calls a presenter only to hand it an event that is finished
 * (events.c, trace.c), or to say that there is something to do later (later.c).
 *
 * Locks, all raw and taken with interrupts off, since probe handlers run with
 * preemption off and must not sleep on PREEMPT_RT. Order, outermost first:
 *
 *   attachment bucket (registry.c)  guards the attachments hashed into it
 *     buffer bucket (buffer.c)      guards the buffers hashed into it, and
 *                                   their shares
 *     MR bucket (mr.c)              guards the MRs hashed into it; not held
 *                                   together with a buffer bucket
 *     call bucket (calls.c)         guards the calls in flight hashed into it
 *     owner bucket (owner.c)        guards the owners hashed into it
 *     device lock (device.c)        guards the insertion of a device, drivers
 *     pair lock (pair.c)            guards the insertion of a pair
 *     latency lock (latency.c)      guards who has which histograms
 *     count lock (failure.c)        guards the insertion of a kind of failure
 *     ring lock (failure.c)         guards the records of failures
 *     event lock (events.c)         guards the ring of events
 *       pool (pool.c)               guards a list of free records
 *
 * A record belongs to the bucket it is hashed into, or to its pool. Readers
 * copy it under the bucket lock, so no record needs a reference. Devices, pairs
 * and the names of exporters are never freed while the module is loaded.
 */
#ifndef GDR_TELEMETRY_H
#define GDR_TELEMETRY_H

#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "../include/uapi/linux/gdr_telemetry.h"
#include "devices.h"
#include "failure.h"
#include "mr.h"

#define GDRT_VERSION	"0.1.0"

struct dma_buf;
struct dma_buf_attachment;
struct device;
struct kobject;
struct sg_table;

/* ---- account.c: totals and the rule of what is pinned ------------------- */

/**
 * enum gdrt_total - every number of the module that is not per record
 *
 * Gauges go up and down, counters (named _TOTAL outside) only up. The
 * derived ones, from @GDRT_T_DERIVED on, have no storage of their own.
 */
enum gdrt_total {
	GDRT_T_BUFFERS,
	GDRT_T_ATTACHMENTS,
	GDRT_T_MAPPED,
	GDRT_T_PREEXISTING,
	GDRT_T_MRS,
	GDRT_T_MR_BYTES,
	GDRT_T_IMPORTERS_ACTIVE,
	GDRT_T_EXPORTERS_ACTIVE,
	GDRT_T_PINNED_BYTES,
	GDRT_T_PINNED_BYTES_SUM,
	GDRT_T_PINNED_BYTES_PEAK,
	GDRT_T_MAPPED_BYTES,
	GDRT_T_ATTACHMENTS_PEAK,
	GDRT_T_ATTACH,
	GDRT_T_DETACH,
	GDRT_T_MAP,
	GDRT_T_UNMAP,
	GDRT_T_PIN,
	GDRT_T_UNPIN,
	GDRT_T_INVALIDATE,
	GDRT_T_REGISTER,
	GDRT_T_DEREGISTER,
	GDRT_T_QUERIES,
	GDRT_T_FAIL_UNKNOWN,	/* in the order of enum gdr_telemetry_stage */
	GDRT_T_FAIL_VERBS,
	GDRT_T_FAIL_UMEM,
	GDRT_T_FAIL_ATTACH,
	GDRT_T_FAIL_MAP,
	GDRT_T_FAIL_PIN,
	GDRT_T_FAIL_HW,
	GDRT_T_UNTRACKED,
	GDRT_T_PREEXISTING_DETACHED,
	GDRT_T_LOST_POOL,
	GDRT_T_LOST_DETACH,
	GDRT_T_LOST_EVENTS,
	GDRT_T_LOST_FAILURES,
	GDRT_T_DERIVED,
	GDRT_T_PINNED_PAGES = GDRT_T_DERIVED,
	GDRT_T_ORPHANS,
	GDRT_T_FAILURES,
	GDRT_T_LOST_MISSED,
	GDRT_T_MAX
};

/**
 * enum gdrt_group - sysfs directory that a total is shown in
 */
enum gdrt_group {
	GDRT_GROUP_TOP,
	GDRT_GROUP_FAILURES,
	GDRT_GROUP_LOST,
	GDRT_GROUP_MAX
};

/**
 * struct gdrt_total_desc - how a total is shown
 * @name: file name in sysfs
 * @group: directory in sysfs
 * @nla: attribute in the reply to status-get; 0 for none
 */
struct gdrt_total_desc {
	const char	*name;
	enum gdrt_group	group;
	u16		nla;
};

extern const struct gdrt_total_desc gdrt_total_desc[GDRT_T_MAX];

struct gdrt_attachment;
struct gdrt_buffer;

u64 gdrt_total_read(enum gdrt_total t);
s64 gdrt_total_add(enum gdrt_total t, s64 n);
bool gdrt_total_dec_to_zero(enum gdrt_total t);
void gdrt_total_peak(enum gdrt_total peak, u64 value);
bool gdrt_pinned(const struct gdrt_attachment *a);
void gdrt_account_state(struct gdrt_attachment *a, u32 mapped, u32 pins);

/* ---- later.c: what a handler leaves for a worker to do ------------------- */

/**
 * struct gdrt_later - a function that runs soon after it was asked for
 * @kick: raised by handlers, which may wake nobody up; queues @work
 * @work: runs the function
 * @ready: may be asked for
 */
struct gdrt_later {
	struct irq_work		kick;
	struct work_struct	work;
	bool			ready;
};

extern struct gdrt_later gdrt_later_pools;
extern struct gdrt_later gdrt_later_dirs;
extern struct gdrt_later gdrt_later_events;

int gdrt_later_init(void);
void gdrt_later_exit(void);
void gdrt_later_start(struct gdrt_later *l, work_func_t fn);
void gdrt_later_stop(struct gdrt_later *l);
void gdrt_later_kick(struct gdrt_later *l);
void gdrt_later_delayed(struct delayed_work *work, unsigned long delay);

/* ---- exact.c: may a live gauge be wrong? -------------------------------- */

void gdrt_exact_lost(u32 reason);
bool gdrt_exact_any_loss(void);
void gdrt_exact_drained(void);
void gdrt_exact_unrecorded(void);
void gdrt_exact_track_changed(void);
bool gdrt_exact_has_unrecorded(void);
bool gdrt_exact_unrecorded_gone(void);
u32 gdrt_exact_reasons(void);

/* ---- pool.c: records that a handler can take without allocating --------- */

/**
 * struct gdrt_pool - free records of one kind
 * @lock: guards @free and @nfree; innermost
 * @free: the free records, linked through their first word
 * @nfree: how many
 * @target: how many the worker keeps ready
 * @total: how many there are, free or not; changed by the worker only
 * @limit: how many there may be
 * @cache: where they come from
 */
struct gdrt_pool {
	raw_spinlock_t		lock;
	void			*free;
	unsigned int		nfree;
	unsigned int		target;
	unsigned int		total;
	unsigned int		limit;
	struct kmem_cache	*cache;
};

extern struct gdrt_pool gdrt_pool_attachments;
extern struct gdrt_pool gdrt_pool_buffers;
extern struct gdrt_pool gdrt_pool_shares;
extern struct gdrt_pool gdrt_pool_owners;
extern struct gdrt_pool gdrt_pool_calls;

int gdrt_pools_init(unsigned int records, unsigned int limit, unsigned int calls);
void gdrt_pools_exit(void);
void *gdrt_pool_get(struct gdrt_pool *p);
void gdrt_pool_put(struct gdrt_pool *p, void *record);

/* ---- calls.c: which calls of the dma-buf core are in flight ------------- */

/**
 * enum gdrt_op - kind of a call in flight
 */
enum gdrt_op {
	GDRT_OP_ATTACH,
	GDRT_OP_DETACH,
	GDRT_OP_MAP,
	GDRT_OP_UNMAP,
	GDRT_OP_PIN,
	GDRT_OP_REGISTER,
};

/**
 * struct gdrt_call - one call between its entry and its return
 * @node: in the table of calls, or free
 * @op: kind
 * @counted: an inner call of the same kind did or will do the counting
 * @gave_up: of an attach: the core gave up an attachment inside it
 * @key: what it works on: the dma-buf for an attach, the task itself for a
 *	registration, else the attachment
 * @task: who called
 * @start: start time of @task, since the address of a dead task is used again
 * @dev: the importing device, of an attach
 * @reg: the rest of a registration; of use to its own task only
 */
struct gdrt_call {
	struct hlist_node	node;
	enum gdrt_op		op;
	bool			counted;
	bool			gave_up;
	const void		*key;
	struct task_struct	*task;
	u64			start;
	struct device		*dev;
	struct gdrt_reg		reg;
};

int gdrt_calls_init(void);
void gdrt_calls_exit(void);
struct gdrt_call *gdrt_call_begin(enum gdrt_op op, const void *key);
bool gdrt_call_end(struct gdrt_call *c);
bool gdrt_call_inside(enum gdrt_op op, const void *key);
bool gdrt_call_active(enum gdrt_op op, const void *key);
bool gdrt_call_gave_up(const void *dmabuf);
struct gdrt_reg *gdrt_call_reg(void);
u64 gdrt_calls_missed(void);

/* ---- buffer.c: the buffers that have a recorded attachment -------------- */

/**
 * struct gdrt_bucket - one bucket of a hash table of records
 * @lock: guards the records in it
 * @head: the records
 */
struct gdrt_bucket {
	raw_spinlock_t		lock;
	struct hlist_head	head;
};

/**
 * struct gdrt_buffer - a dma-buf with at least one recorded attachment
 * @node: in its bucket; first, so that the pool can link through it
 * @shares: one for each importer of it
 * @dmabuf: the key; never followed
 * @id: order in which the module met it; ids in a bucket go down from its head
 * @inode: its inode number
 * @size: its size in bytes
 * @ident: the software that exports it
 * @exporter: who owns the memory: a device once a mapping told it
 * @attachments: recorded attachments
 * @mapped: how many of them are mapped
 * @pinned: how many of them are pinned
 */
struct gdrt_buffer {
	struct hlist_node	node;
	struct hlist_head	shares;
	const struct dma_buf	*dmabuf;
	u64			id;
	u64			inode;
	u64			size;
	struct gdrt_ident	*ident;
	struct gdrt_device	*exporter;
	u32			attachments;
	u32			mapped;
	u32			pinned;
};

/**
 * struct gdrt_share - one importer of one buffer, whatever attachments it has
 * @node: in the buffer; first, so that the pool can link through it
 * @buf: the buffer
 * @importer: the importer
 * @pair: the pair, once the exporter's device is known
 * @attachments: recorded attachments
 * @mapped: how many of them are mapped
 * @pinned: how many of them are pinned
 * @mrs: MRs on top of them
 * @mr_bytes: bytes that those MRs cover
 *
 * All counts are guarded by the lock of the buffer's bucket. This is what lets
 * "unique" be told for each importer and pair.
 */
struct gdrt_share {
	struct hlist_node	node;
	struct gdrt_buffer	*buf;
	struct gdrt_device	*importer;
	struct gdrt_pair	*pair;
	u32			attachments;
	u32			mapped;
	u32			pinned;
	u32			mrs;
	u64			mr_bytes;
};

int gdrt_buffers_init(void);
void gdrt_buffers_exit(void);
struct gdrt_share *gdrt_share_get(struct dma_buf *dmabuf, struct gdrt_ident *ident,
				  struct gdrt_device *importer);
void gdrt_share_put(struct gdrt_share *s);
void gdrt_share_add(struct gdrt_share *s, enum gdrt_count c, s64 n);
void gdrt_buffer_told(struct gdrt_buffer *buf, struct gdrt_device *exporter);
raw_spinlock_t *gdrt_buffer_lock(const struct gdrt_buffer *buf);
struct gdrt_device *gdrt_buffer_exporter(struct dma_buf *dmabuf, const struct gdrt_ident *ident);
bool gdrt_buffer_invalidated(struct dma_buf *dmabuf, struct gdrt_buffer *copy);
u32 gdrt_buffers_generation(void);
bool gdrt_buffers_next(u32 *bucket, u64 *last, struct gdrt_buffer *copy);

/* ---- registry.c: the live attachments ----------------------------------- */

/**
 * struct gdrt_attachment - one importer on one buffer
 * @node: in its bucket; first, so that the pool can link through it
 * @mr_node: in the table of MRs, if it has one
 * @key: the kernel's attachment; never followed
 * @share: the buffer and the importer
 * @owner: who attached; NULL for a kernel thread, or if not known
 * @id: its identity; ids in a bucket go down from its head
 * @time: when it attached, in ns of boot time; 0 if older than the module
 * @maps: new mappings made so far
 * @mapped: mappings held now
 * @pins: explicit pins held now, counted only where the exporter has a pin
 *	operation
 * @placement: enum gdr_telemetry_placement of the last mapping
 * @cached: the core keeps the sg_table, so that maps and unmaps change nothing
 * @exp_dynamic: the exporter has a pin operation
 * @imp_dynamic: the importer gave attach operations
 * @peer2peer: the importer accepts peer-to-peer addresses
 * @preexisting: older than the module
 * @hca: the importer was an mlx5 function when it attached
 * @devx: it was made for a devx umem
 * @mr: the MR on top of it
 */
struct gdrt_attachment {
	struct hlist_node			node;
	struct hlist_node			mr_node;
	const struct dma_buf_attachment		*key;
	struct gdrt_share			*share;
	struct gdrt_owner			*owner;
	u64					id;
	u64					time;
	u64					maps;
	u32					mapped;
	u32					pins;
	u8					placement;
	bool					cached:1;
	bool					exp_dynamic:1;
	bool					imp_dynamic:1;
	bool					peer2peer:1;
	bool					preexisting:1;
	bool					hca:1;
	bool					devx:1;
	struct gdrt_mr				mr;
};

/**
 * struct gdrt_snapshot - copy of an attachment and what it refers to
 * @att: the attachment; no pointer in it means anything here
 * @has_owner: @owner is known
 * @owner: copy of its owner
 * @inode: inode number of the buffer
 * @size: size of the buffer
 * @ident: software that exports the buffer
 * @exporter: exporter of the buffer
 * @importer: importer
 */
struct gdrt_snapshot {
	struct gdrt_attachment	att;
	bool			has_owner;
	struct gdrt_owner	owner;
	u64			inode;
	u64			size;
	struct gdrt_ident	*ident;
	struct gdrt_device	*exporter;
	struct gdrt_device	*importer;
};

int gdrt_registry_init(void);
void gdrt_registry_exit(void);
struct gdrt_bucket *gdrt_attachment_bucket(const struct dma_buf_attachment *key);
struct gdrt_attachment *gdrt_attachment_find(struct gdrt_bucket *b,
					     const struct dma_buf_attachment *key);
struct gdrt_bucket *gdrt_attachment_bucket_at(u32 i);
void gdrt_attachment_copy(const struct gdrt_attachment *a, struct gdrt_snapshot *s);
void gdrt_attachment_event(enum gdr_telemetry_event_op op, const struct gdrt_attachment *a);
void gdrt_attached(struct dma_buf_attachment *attach, u64 ns);
void gdrt_detached(struct dma_buf *dmabuf, struct dma_buf_attachment *attach);
void gdrt_mapped(struct dma_buf_attachment *attach, const struct sg_table *sgt, u64 ns);
void gdrt_unmapped(struct dma_buf_attachment *attach, const struct sg_table *sgt);
void gdrt_pin_result(struct dma_buf_attachment *attach, int err, u64 ns);
void gdrt_unpinned(struct dma_buf_attachment *attach);
void gdrt_invalidated(struct dma_buf *dmabuf);
u32 gdrt_registry_generation(void);
bool gdrt_registry_next(u32 *bucket, u64 *last, struct gdrt_snapshot *s);
bool gdrt_registry_find(u64 id, struct gdrt_snapshot *s);

/* ---- track.c: what is tracked ------------------------------------------- */

bool gdrt_tracked(bool hca, const struct gdrt_ident *exp);
enum gdr_telemetry_track gdrt_track_get(void);
int gdrt_track_set(const char *word);
const char *gdrt_track_word(void);
void gdrt_registry_drop_untracked(void);

/* ---- probe.c: arming ---------------------------------------------------- */

/**
 * struct gdrt_probe - a return probe on one kernel function
 * @rp: what kprobes works with; @rp.kp.symbol_name names the function
 * @state: see enum gdr_telemetry_probe_state
 * @error: positive errno, if @state is failed
 * @needed: the accounting is wrong without it on this kernel
 * @in_module: a module has the function, which comes and goes
 * @missed: calls it did not see in earlier times that it was armed
 */
struct gdrt_probe {
	struct kretprobe		rp;
	enum gdr_telemetry_probe_state	state;
	int				error;
	bool				needed;
	bool				in_module;
	u64				missed;
};

int gdrt_probes_arm(int instances);
void gdrt_probes_disarm(void);
unsigned int gdrt_probes_count(void);
const struct gdrt_probe *gdrt_probe_at(unsigned int i);
u64 gdrt_probe_missed(const struct gdrt_probe *p);
u64 gdrt_probes_missed(void);
bool gdrt_probes_working(void);
void gdrt_canary(void);

/* ---- probe_dmabuf.c: the dma-buf core ----------------------------------- */

extern struct gdrt_probe gdrt_dmabuf_probes[];
extern const unsigned int gdrt_dmabuf_probes_n;

/* ---- probe_rdma.c: registrations ---------------------------------------- */

extern struct gdrt_probe gdrt_rdma_probes[];
extern const unsigned int gdrt_rdma_probes_n;
struct module;
void gdrt_rdma_seen(const struct module *mod);
void gdrt_rdma_look(void);
enum gdr_telemetry_mr_join gdrt_rdma_join(void);

/* ---- events.c: the group of events --------------------------------------- */

/**
 * struct gdrt_event - something that happened, finished
 * @seq: its number; given by events.c
 * @time: when, in ns of boot time
 * @op: enum gdr_telemetry_event_op
 * @snap: the attachment; of an invalidate only the buffer and the exporter
 * @failure: of a failure, which has no attachment
 */
struct gdrt_event {
	u64				seq;
	u64				time;
	enum gdr_telemetry_event_op	op;
	union {
		struct gdrt_snapshot	snap;
		struct gdrt_failure	failure;
	};
};

int gdrt_events_init(void);
void gdrt_events_exit(void);
bool gdrt_events_wanted(void);
void gdrt_events_push(struct gdrt_event *e);

/* ---- trace.c: the tracepoints -------------------------------------------- */

void gdrt_trace_attachment(enum gdr_telemetry_event_op op, const struct gdrt_attachment *a);
void gdrt_trace_invalidate(const struct gdrt_buffer *buf);
void gdrt_trace_fail(const struct gdrt_failure *f);

/* ---- the presenters ------------------------------------------------------ */

#define GDRT_IBDEVS	16

/**
 * struct gdrt_ibdevs - RDMA devices of a function, as they are named now
 * @n: how many
 * @name: their names
 */
struct gdrt_ibdevs {
	unsigned int	n;
	char		name[GDRT_IBDEVS][GDRT_NAME_LEN];
};

void gdrt_ibdevs_read(const struct gdrt_device *d, struct gdrt_ibdevs *names);

time64_t gdrt_start_time(void);
int gdrt_sysfs_init(void);
void gdrt_sysfs_exit(void);
int gdrt_sysfs_devices_init(struct kobject *root);
void gdrt_sysfs_devices_exit(void);
void gdrt_debugfs_init(void);
void gdrt_debugfs_exit(void);
int gdrt_netlink_init(void);
void gdrt_netlink_exit(void);
u32 gdrt_attachment_flags(const struct gdrt_snapshot *s);

#endif /* GDR_TELEMETRY_H */
