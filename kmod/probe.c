// SPDX-License-Identifier: GPL-2.0
/*
 * Arming: the one place that registers and unregisters probes.
 *
 * A probe that cannot be armed degrades: the module loads and status says
 * which and why. Probes are armed one by one and disarmed all at once, so that
 * no handler of one can run while the instances of another are given back.
 */
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "gdr_telemetry.h"

static atomic_t canary_hits;
static bool armed;
static int max_instances;
/* One arms or disarms at a time: the load, or a module that comes or goes. */
static DEFINE_MUTEX(lock);

/**
 * gdrt_canary() - a function of our own for a probe to see
 *
 * Not static and opaque to the compiler, so that it has an entry like every
 * probed function and is really called.
 *
 * Context: any.
 */
noinline void gdrt_canary(void)
{
	barrier();
}

static int canary_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	atomic_inc(&canary_hits);
	return 1;	/* the return is of no interest */
}

static int canary_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return 0;
}

static struct gdrt_probe canary = {
	.rp = {
		.kp.symbol_name = "gdr_telemetry:gdrt_canary",
		.entry_handler = canary_entry,
		.handler = canary_return,
	},
	.needed = true,
};

/**
 * gdrt_probes_count() - number of probes, the canary included
 *
 * Context: any.
 * Return: the number.
 */
unsigned int gdrt_probes_count(void)
{
	return gdrt_dmabuf_probes_n + gdrt_rdma_probes_n + 1;
}

static struct gdrt_probe *probe_at(unsigned int i)
{
	if (i < gdrt_dmabuf_probes_n)
		return &gdrt_dmabuf_probes[i];
	i -= gdrt_dmabuf_probes_n;
	return i < gdrt_rdma_probes_n ? &gdrt_rdma_probes[i] : &canary;
}

/**
 * gdrt_probe_at() - one probe
 * @i: which, below gdrt_probes_count()
 *
 * Context: any.
 * Return: the probe.
 */
const struct gdrt_probe *gdrt_probe_at(unsigned int i)
{
	return probe_at(i);
}

/**
 * gdrt_probe_missed() - calls that a probe did not see
 * @p: the probe
 *
 * Either no instance was free (kretprobe.nmissed) or the probe was hit inside
 * another one (kprobe.nmissed); see Documentation/trace/kprobes.rst.
 *
 * Context: any.
 * Return: the number since the module was loaded.
 */
u64 gdrt_probe_missed(const struct gdrt_probe *p)
{
	return READ_ONCE(p->missed) + (unsigned int)READ_ONCE(p->rp.nmissed) +
	       READ_ONCE(p->rp.kp.nmissed);
}

/**
 * gdrt_probes_missed() - calls of the dma-buf core that were not seen
 *
 * Context: any.
 * Return: the number since the module was loaded.
 */
u64 gdrt_probes_missed(void)
{
	u64 sum = gdrt_calls_missed();
	unsigned int i;

	for (i = 0; i < gdrt_dmabuf_probes_n; i++)
		sum += gdrt_probe_missed(&gdrt_dmabuf_probes[i]);
	return sum;
}

static int arm_one(struct gdrt_probe *p, int instances)
{
	int err;

	p->rp.maxactive = instances;
	err = register_kretprobe(&p->rp);
	switch (err) {
	case 0:
		p->state = GDR_TELEMETRY_PROBE_STATE_ARMED;
		break;
	case -ENOENT:
		p->state = GDR_TELEMETRY_PROBE_STATE_MISSING;
		break;
	default:
		p->state = GDR_TELEMETRY_PROBE_STATE_FAILED;
		p->error = -err;
		break;
	}
	return err;
}

/*
 * kprobes fills in the address, and refuses a probe that has both; it also
 * starts its counts anew.
 */
static int arm_again(struct gdrt_probe *p)
{
	p->missed = gdrt_probe_missed(p);
	p->rp.nmissed = 0;
	p->rp.kp.nmissed = 0;
	p->rp.kp.addr = NULL;
	p->rp.kp.flags = 0;
	return arm_one(p, max_instances);
}

/* Those in other modules that are not armed. The lock is held. */
static void arm_in_modules(void)
{
	unsigned int i;

	for (i = 0; i < gdrt_rdma_probes_n; i++)
		if (gdrt_rdma_probes[i].state != GDR_TELEMETRY_PROBE_STATE_ARMED)
			arm_again(&gdrt_rdma_probes[i]);
}

static void disarm(bool (*which)(const struct gdrt_probe *p, const struct module *mod),
		   const struct module *mod, enum gdr_telemetry_probe_state state)
{
	struct kretprobe **rps;
	unsigned int i, n = 0;

	rps = kcalloc(gdrt_probes_count(), sizeof(*rps), GFP_KERNEL | __GFP_NOFAIL);
	for (i = 0; i < gdrt_probes_count(); i++) {
		struct gdrt_probe *p = probe_at(i);

		if (p->state == GDR_TELEMETRY_PROBE_STATE_ARMED && which(p, mod)) {
			p->state = state;
			rps[n++] = &p->rp;
		}
	}
	if (n)
		unregister_kretprobes(rps, n);
	kfree(rps);
}

static bool any(const struct gdrt_probe *p, const struct module *mod)
{
	return true;
}

static bool is_in(const struct gdrt_probe *p, const struct module *mod)
{
	return within_module((unsigned long)p->rp.kp.addr, mod);
}

/* A module comes: its functions can be probed. One goes: kprobes has killed its probes. */
static int module_notified(struct notifier_block *nb, unsigned long action, void *data)
{
	const struct module *mod = data;

	if (action != MODULE_STATE_COMING && action != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	mutex_lock(&lock);
	if (action == MODULE_STATE_GOING) {
		disarm(is_in, mod, GDR_TELEMETRY_PROBE_STATE_MISSING);
	} else {
		gdrt_rdma_seen(mod);
		arm_in_modules();
	}
	mutex_unlock(&lock);
	return NOTIFY_OK;
}

/* After kprobes' own, which kills the probes of a module that goes. */
static struct notifier_block module_notifier = {
	.notifier_call = module_notified,
	.priority = -1,
};

/**
 * gdrt_probes_arm() - arm every probe
 * @instances: calls of one function that can be in flight at once
 *
 * Those of other modules are armed again whenever one is loaded.
 *
 * Context: process, may sleep.
 * Return: 0 if at least one probe on the dma-buf core is armed. -EOPNOTSUPP or
 * the last error if none could be: then there is nothing to observe.
 */
int gdrt_probes_arm(int instances)
{
	unsigned int i, n = 0;
	int err = -EOPNOTSUPP;

	max_instances = instances;
	if (arm_one(&canary, instances))
		pr_warn("the canary cannot be armed (error %d): probes that are switched off go unnoticed\n",
			-canary.error);
	for (i = 0; i < gdrt_dmabuf_probes_n; i++) {
		struct gdrt_probe *p = &gdrt_dmabuf_probes[i];
		int e = arm_one(p, instances);

		if (!e)
			n++;
		else if (e != -ENOENT || p->needed)
			pr_warn("cannot probe %s: error %d\n", p->rp.kp.symbol_name, e);
		err = e ?: err;
	}
	armed = true;
	if (!n)
		goto err_disarm;

	/* First, so that none comes between the look and the notifier. */
	err = register_module_notifier(&module_notifier);
	if (err)
		goto err_disarm;
	mutex_lock(&lock);
	gdrt_rdma_look();
	arm_in_modules();
	mutex_unlock(&lock);
	return 0;

err_disarm:
	disarm(any, NULL, GDR_TELEMETRY_PROBE_STATE_DISARMED);
	armed = false;
	return err;
}

/**
 * gdrt_probes_disarm() - disarm every probe
 *
 * Returns when no handler runs any more. Calls that are in flight return
 * without their return handler.
 *
 * Context: process, may sleep.
 */
void gdrt_probes_disarm(void)
{
	if (!armed)
		return;
	armed = false;
	unregister_module_notifier(&module_notifier);
	mutex_lock(&lock);
	disarm(any, NULL, GDR_TELEMETRY_PROBE_STATE_DISARMED);
	mutex_unlock(&lock);
}

/**
 * gdrt_probes_working() - are the calls seen that the accounting needs?
 *
 * Context: process; not from a probe handler.
 * Return: false if a needed probe is not armed, one that the kernel has was
 * refused, or the canary was called and not seen.
 */
bool gdrt_probes_working(void)
{
	unsigned int i;
	int before;

	for (i = 0; i < gdrt_probes_count(); i++) {
		const struct gdrt_probe *p = probe_at(i);

		if (p->state == GDR_TELEMETRY_PROBE_STATE_FAILED ||
		    (p->needed && p->state != GDR_TELEMETRY_PROBE_STATE_ARMED))
			return false;
	}
	before = atomic_read(&canary_hits);
	gdrt_canary();
	return atomic_read(&canary_hits) != before;
}
