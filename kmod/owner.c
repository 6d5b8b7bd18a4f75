// SPDX-License-Identifier: GPL-2.0
/*
 * The process that made an attachment.
 *
 * A pid reference cannot be dropped in a probe handler on PREEMPT_RT, so none
 * is taken: a process is named by its pid and start time, and looked up again
 * when someone reads.
 */
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "gdr_telemetry.h"

/**
 * gdrt_owner_set() - note the current process
 * @o: where; all zero for a kernel thread, which owns nothing
 *
 * comm is that of the group leader: the job, not one of its threads. It is
 * read without the lock that get_task_comm() takes, which may sleep on
 * PREEMPT_RT; it can be torn while its owner renames itself, and always ends
 * within its array.
 *
 * Context: a probe handler.
 */
void gdrt_owner_set(struct gdrt_owner *o)
{
	struct task_struct *leader;

	memset(o, 0, sizeof(*o));
	if (current->flags & PF_KTHREAD)
		return;

	rcu_read_lock();
	leader = READ_ONCE(current->group_leader);
	o->pid = task_tgid_nr(current);
	o->start = leader->start_boottime;
	memcpy(o->comm, leader->comm, sizeof(o->comm));
	o->comm[sizeof(o->comm) - 1] = '\0';
	rcu_read_unlock();
}

/**
 * gdrt_owner_vnr() - pid of an owner as the reader sees it
 * @o: the owner
 *
 * Context: process, the reader's.
 * Return: the pid in the reader's pid namespace; 0 if there is none, or if it
 * is not visible there. A process that exited keeps its number in the initial
 * namespace and has none elsewhere.
 */
pid_t gdrt_owner_vnr(const struct gdrt_owner *o)
{
	struct pid_namespace *ns = task_active_pid_ns(current);
	struct task_struct *task;
	struct pid *pid;
	pid_t nr = 0;

	if (!o->pid || ns == &init_pid_ns)
		return o->pid;

	rcu_read_lock();
	pid = find_pid_ns(o->pid, &init_pid_ns);
	task = pid_task(pid, PIDTYPE_TGID);
	if (task && task->start_boottime == o->start)
		nr = pid_nr_ns(pid, ns);
	rcu_read_unlock();
	return nr;
}
