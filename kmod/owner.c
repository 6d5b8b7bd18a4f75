// SPDX-License-Identifier: GPL-2.0
/*
 * The processes that made attachments.
 *
 * A pid reference cannot be dropped in a probe handler on PREEMPT_RT, so none
 * is taken: a process is named by its pid and start time, and looked up again
 * when someone reads. Attachments of one process share a record, so that it can
 * be found out cheaply, every two seconds, which of them have exited.
 */
#include <linux/cred.h>
#include <linux/hash.h>
#include <linux/ktime.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "gdr_telemetry.h"

#define OWNER_BITS	8

/* An exit gives back what the process held; only what is left after that is an orphan. */
#define ORPHAN_NS	(5 * NSEC_PER_SEC)
#define SCAN_INTERVAL	(2 * HZ)

static struct gdrt_bucket *owners;
static atomic_t nowners;
static void scan_work(struct work_struct *work);
static DECLARE_DEFERRABLE_WORK(scan, scan_work);

static struct gdrt_bucket *owner_bucket(pid_t pid)
{
	return &owners[hash_32(pid, OWNER_BITS)];
}

/**
 * gdrt_owner_describe() - describe the current process
 * @o: filled in
 *
 * comm is that of the group leader: the job, not one of its threads. It is read
 * without the lock that get_task_comm() takes, which may sleep on PREEMPT_RT;
 * it can be torn while its owner renames itself, and always ends within its
 * array.
 *
 * Context: any; a probe handler.
 * Return: false for a kernel thread, which owns nothing.
 */
bool gdrt_owner_describe(struct gdrt_owner_desc *o)
{
	struct task_struct *leader;

	memset(o, 0, sizeof(*o));
	if (current->flags & PF_KTHREAD)
		return false;
	rcu_read_lock();
	leader = READ_ONCE(current->group_leader);
	o->pid = task_tgid_nr(current);
	o->start = leader->start_boottime;
	memcpy(o->comm, leader->comm, sizeof(o->comm));
	o->comm[sizeof(o->comm) - 1] = '\0';
	o->uid = from_kuid_munged(&init_user_ns, current_euid());
	o->cgroup = gdrt_current_cgroup();
	rcu_read_unlock();
	return true;
}

static bool same(const struct gdrt_owner_desc *a, const struct gdrt_owner_desc *b)
{
	return a->pid == b->pid && a->start == b->start && a->uid == b->uid &&
	       a->cgroup == b->cgroup && !memcmp(a->comm, b->comm, sizeof(a->comm));
}

/**
 * gdrt_owner_get() - the current process, for one more attachment
 * @none: set if there is no record free
 *
 * A process that changed its name, user or cgroup since its last attachment
 * gets a record of its own.
 *
 * Context: an attachment bucket is locked, interrupts are off.
 * Return: the record; NULL for a kernel thread, which owns nothing, or if none
 * is free.
 */
struct gdrt_owner *gdrt_owner_get(bool *none)
{
	struct gdrt_owner_desc now;
	struct gdrt_bucket *b;
	struct gdrt_owner *o;

	*none = false;
	if (!gdrt_owner_describe(&now))
		return NULL;
	b = owner_bucket(now.pid);
	raw_spin_lock(&b->lock);
	hlist_for_each_entry(o, &b->head, node)
		if (same(&o->desc, &now))
			goto found;
	o = gdrt_pool_get(&gdrt_pool_owners);
	if (!o) {
		*none = true;
		goto out;
	}
	memset(o, 0, sizeof(*o));
	o->desc = now;
	hlist_add_head(&o->node, &b->head);
	atomic_inc(&nowners);
found:
	o->attachments++;
out:
	raw_spin_unlock(&b->lock);
	return o;
}

/**
 * gdrt_owner_put() - an attachment of a process is gone
 * @o: the process, or NULL
 *
 * Context: an attachment bucket is locked, interrupts are off.
 */
void gdrt_owner_put(struct gdrt_owner *o)
{
	struct gdrt_bucket *b;

	if (!o)
		return;
	b = owner_bucket(o->desc.pid);
	raw_spin_lock(&b->lock);
	if (!--o->attachments) {
		hlist_del(&o->node);
		atomic_dec(&nowners);
		gdrt_pool_put(&gdrt_pool_owners, o);
	}
	raw_spin_unlock(&b->lock);
}

/* The leader of an owner's process, if any thread of it is left. Under RCU. */
static struct task_struct *owner_task(const struct gdrt_owner_desc *o)
{
	struct task_struct *task = pid_task(find_pid_ns(o->pid, &init_pid_ns), PIDTYPE_TGID);

	return task && task->start_boottime == o->start ? task : NULL;
}

static bool owner_exited(const struct gdrt_owner *o)
{
	struct task_struct *task;
	bool exited;

	rcu_read_lock();
	task = owner_task(&o->desc);
	/* A zombie has exited, though it can still be found. */
	exited = !task || !atomic_read(&task->signal->live);
	rcu_read_unlock();
	return exited;
}

static void scan_bucket(struct gdrt_bucket *b)
{
	struct gdrt_owner *o;
	unsigned long flags;

	raw_spin_lock_irqsave(&b->lock, flags);
	hlist_for_each_entry(o, &b->head, node)
		if (!o->gone && owner_exited(o))
			o->gone = ktime_get_boottime_ns();
	raw_spin_unlock_irqrestore(&b->lock, flags);
}

static void scan_work(struct work_struct *work)
{
	unsigned int i;

	for (i = 0; atomic_read(&nowners) && i < 1U << OWNER_BITS; i++)
		if (!hlist_empty(&owners[i].head))
			scan_bucket(&owners[i]);
	gdrt_later_delayed(&scan, SCAN_INTERVAL);
}

/**
 * gdrt_owner_vnr() - pid of an owner as the reader sees it
 * @o: the owner
 *
 * Context: process, the reader's.
 * Return: the pid in the reader's pid namespace; 0 if it is not visible there.
 * A process that exited keeps its number in the initial namespace and has none
 * elsewhere.
 */
pid_t gdrt_owner_vnr(const struct gdrt_owner_desc *o)
{
	struct pid_namespace *ns = task_active_pid_ns(current);
	pid_t nr = 0;

	if (ns == &init_pid_ns)
		return o->pid;

	rcu_read_lock();
	if (owner_task(o))
		nr = pid_nr_ns(find_pid_ns(o->pid, &init_pid_ns), ns);
	rcu_read_unlock();
	return nr;
}

/**
 * gdrt_owner_orphan() - has an owner exited and left its attachments behind?
 * @o: the owner, or a copy
 *
 * Context: any.
 * Return: true if it is known to have exited more than 5 s ago.
 */
bool gdrt_owner_orphan(const struct gdrt_owner *o)
{
	return o->gone && ktime_get_boottime_ns() - o->gone > ORPHAN_NS;
}

/**
 * gdrt_owners_orphans() - live attachments whose owner has exited
 *
 * Context: process; takes one bucket lock at a time.
 * Return: how many there are.
 */
u64 gdrt_owners_orphans(void)
{
	struct gdrt_owner *o;
	unsigned long flags;
	unsigned int i;
	u64 n = 0;

	for (i = 0; i < 1U << OWNER_BITS; i++) {
		if (hlist_empty(&owners[i].head))
			continue;
		raw_spin_lock_irqsave(&owners[i].lock, flags);
		hlist_for_each_entry(o, &owners[i].head, node)
			if (gdrt_owner_orphan(o))
				n += o->attachments;
		raw_spin_unlock_irqrestore(&owners[i].lock, flags);
	}
	return n;
}

/**
 * gdrt_owners_init() - make the table, and look for exits from now on
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int gdrt_owners_init(void)
{
	unsigned int i;

	owners = kvcalloc(1U << OWNER_BITS, sizeof(*owners), GFP_KERNEL);
	if (!owners)
		return -ENOMEM;
	for (i = 0; i < 1U << OWNER_BITS; i++)
		raw_spin_lock_init(&owners[i].lock);
	gdrt_later_delayed(&scan, SCAN_INTERVAL);
	return 0;
}

/**
 * gdrt_owners_exit() - drop the table
 *
 * Context: process, may sleep; no attachment is recorded any more.
 */
void gdrt_owners_exit(void)
{
	cancel_delayed_work_sync(&scan);
	kvfree(owners);
	owners = NULL;
}
