// SPDX-License-Identifier: GPL-2.0
/*
 * What a probe handler leaves for a worker to do.
 *
 * A handler may not wake anyone up, and on PREEMPT_RT not even queue work. It
 * raises an irq_work, which queues the work. The queue is unbound, since the
 * task that makes the work may not leave its CPU.
 */
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/workqueue.h>

#include "gdr_telemetry.h"

struct gdrt_later gdrt_later_pools;
struct gdrt_later gdrt_later_dirs;
struct gdrt_later gdrt_later_events;

static struct workqueue_struct *wq;

static void later_kick(struct irq_work *work)
{
	struct gdrt_later *l = container_of(work, struct gdrt_later, kick);

	queue_work(wq, &l->work);
}

/**
 * gdrt_later_init() - make the queue
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int gdrt_later_init(void)
{
	wq = alloc_workqueue("gdr_telemetry", WQ_UNBOUND | WQ_HIGHPRI, 0);
	return wq ? 0 : -ENOMEM;
}

/**
 * gdrt_later_exit() - drop the queue
 *
 * Context: process, may sleep; everything is stopped.
 */
void gdrt_later_exit(void)
{
	destroy_workqueue(wq);
	wq = NULL;
}

/**
 * gdrt_later_start() - allow something to be asked for
 * @l: what
 * @fn: the function; process context, may sleep
 *
 * Context: process.
 */
void gdrt_later_start(struct gdrt_later *l, work_func_t fn)
{
	init_irq_work(&l->kick, later_kick);
	INIT_WORK(&l->work, fn);
	/* Pairs with gdrt_later_kick(), which may run in a handler already. */
	smp_store_release(&l->ready, true);
}

/**
 * gdrt_later_stop() - allow it no longer
 * @l: what; runs no more when this returns
 *
 * Who asks at the same time is answered or not, and does no harm.
 *
 * Context: process, may sleep.
 */
void gdrt_later_stop(struct gdrt_later *l)
{
	if (!l->ready)
		return;
	WRITE_ONCE(l->ready, false);
	/* Who saw it ready has asked by now. */
	synchronize_rcu();
	irq_work_sync(&l->kick);
	cancel_work_sync(&l->work);
}

/**
 * gdrt_later_kick() - ask for it
 * @l: what; runs at least once after this call, if it is started
 *
 * Context: any; a probe handler.
 */
void gdrt_later_kick(struct gdrt_later *l)
{
	preempt_disable();
	/* Pairs with gdrt_later_start(): the kick is set up. */
	if (smp_load_acquire(&l->ready))
		irq_work_queue(&l->kick);
	preempt_enable();
}

/**
 * gdrt_later_delayed() - run a work of the caller's after a while
 * @work: the work, which the caller cancels before gdrt_later_exit()
 * @delay: how long, in jiffies
 *
 * Context: process.
 */
void gdrt_later_delayed(struct delayed_work *work, unsigned long delay)
{
	queue_delayed_work(wq, work, delay);
}
