// SPDX-License-Identifier: GPL-2.0
/*
 * Faults on purpose, one a load: what the debug kernels have to report, to test
 * that they do. Built for all kernels, loaded by tests/host/planted.sh.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "bench.h"

static char *fault = "";
module_param(fault, charp, 0444);
MODULE_PARM_DESC(fault, "use-after-free, sleep, leak, lock-order or rcu");

static DEFINE_MUTEX(lock_a);
static DEFINE_MUTEX(lock_b);

/* The function that the faulty probe is on. The asm keeps calls to it. */
noinline int gdrt_planted_probed(int n);
noinline int gdrt_planted_probed(int n)
{
	asm volatile("" : "+r" (n));
	return n + 1;
}

static int sleeping_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	mutex_lock(&lock_a);
	mutex_unlock(&lock_a);
	return 0;
}

static int sleeping_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return 0;
}

static struct kretprobe sleeping_probe = {
	.kp.symbol_name = "gdrt_planted_probed",
	.entry_handler = sleeping_entry,
	.handler = sleeping_return,
	.maxactive = 4,
};

static int plant_sleep(void)
{
	int ret = register_kretprobe(&sleeping_probe);

	if (ret)
		return ret;
	pr_info("probed: %d\n", gdrt_planted_probed(1));
	unregister_kretprobe(&sleeping_probe);
	return 0;
}

static int plant_use_after_free(void)
{
	int *p = kmalloc(128, GFP_KERNEL);

	if (!p)
		return -ENOMEM;
	p[4] = 1;
	kfree(p);
	pr_info("read after free: %d\n", READ_ONCE(p[4]));
	return 0;
}

/* Not part of planted_init(), whose text is gone by the time that the trace is shown. */
static noinline int plant_leak(void)
{
	int i;

	/* Several: the scan may find one by a pointer left on the stack. */
	for (i = 0; i < 16; i++) {
		char *p = kmalloc(192, GFP_KERNEL);

		if (!p)
			return -ENOMEM;
		strscpy(p, "planted leak", 192);
	}
	return 0;
}

static int plant_lock_order(void)
{
	mutex_lock(&lock_a);
	mutex_lock(&lock_b);
	mutex_unlock(&lock_b);
	mutex_unlock(&lock_a);

	mutex_lock(&lock_b);
	mutex_lock(&lock_a);
	mutex_unlock(&lock_a);
	mutex_unlock(&lock_b);
	return 0;
}

static int planted_value;
static int __rcu *planted_pointer = (int __rcu __force *)&planted_value;

static int plant_rcu(void)
{
	pr_info("read without rcu_read_lock(): %d\n", *rcu_dereference(planted_pointer));
	return 0;
}

static int __init planted_init(void)
{
	int ret = gdrt_bench_check();

	if (ret)
		return ret;
	if (!strcmp(fault, "use-after-free"))
		return plant_use_after_free();
	if (!strcmp(fault, "sleep"))
		return plant_sleep();
	if (!strcmp(fault, "leak"))
		return plant_leak();
	if (!strcmp(fault, "lock-order"))
		return plant_lock_order();
	if (!strcmp(fault, "rcu"))
		return plant_rcu();
	pr_err("fault '%s': use-after-free, sleep, leak, lock-order or rcu\n", fault);
	return -EINVAL;
}

static void __exit planted_exit(void)
{
}

module_init(planted_init);
module_exit(planted_exit);
MODULE_DESCRIPTION("Faults on purpose, for the test of the debug kernels");
MODULE_LICENSE("GPL");
