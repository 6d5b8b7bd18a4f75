// SPDX-License-Identifier: GPL-2.0
/*
 * gdr_telemetry - GPUDirect RDMA over dma-buf, as it happens.
 *
 * Load and unload. Everything is made in the order in which data flows and
 * taken down from the source on: first what follows the PCI bus and the probes,
 * so that nothing new comes in; then the readers; then the records, and last
 * the pools and the queue that they share.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/module.h>
#include <linux/timekeeping.h>

#include "gdr_telemetry.h"

/* More than any machine needs, and far from where sums overflow. */
#define RECORDS_MAX	1048576U

static unsigned int instances;
module_param(instances, uint, 0444);
MODULE_PARM_DESC(instances,
		 "Calls of one function that can be in flight at once (0: the larger of 1024 and 64 a CPU)");

static unsigned int pool = 4096;
module_param(pool, uint, 0444);
MODULE_PARM_DESC(pool, "Records of attachments and of buffers to keep ready (default 4096)");

static unsigned int max_attachments;
module_param(max_attachments, uint, 0444);
MODULE_PARM_DESC(max_attachments,
		 "Attachments to record at most; more are counted as lost (default 0: no limit)");

static time64_t start_time;

/**
 * gdrt_start_time() - when the module was loaded
 *
 * Context: any.
 * Return: seconds since the epoch.
 */
time64_t gdrt_start_time(void)
{
	return start_time;
}

static int __init gdrt_init(void)
{
	int err;

	if (!instances)
		instances = max(1024U, 64 * num_possible_cpus());
	instances = min(instances, RECORDS_MAX);
	pool = clamp(pool, 4U, RECORDS_MAX);	/* fewer would never be seen to run low */
	start_time = ktime_get_real_seconds();

	err = gdrt_later_init();
	if (err)
		return err;
	err = gdrt_pools_init(pool, max_attachments, 2 * instances);
	if (err)
		goto err_pools;
	err = gdrt_calls_init();
	if (err)
		goto err_pools;
	err = gdrt_devices_init();
	if (err)
		goto err_calls;
	err = gdrt_ident_init();
	if (err)
		goto err_devices;
	err = gdrt_pairs_init();
	if (err)
		goto err_ident;
	err = gdrt_latency_init();
	if (err)
		goto err_pairs;
	err = gdrt_failures_init();
	if (err)
		goto err_failures;
	err = gdrt_owners_init();
	if (err)
		goto err_failures;
	err = gdrt_buffers_init();
	if (err)
		goto err_owners;
	err = gdrt_mrs_init();
	if (err)
		goto err_buffers;
	err = gdrt_registry_init();
	if (err)
		goto err_mrs;
	/* Before the first mapping is seen, which has to be told a GPU's. */
	err = gdrt_pci_init();
	if (err)
		goto err_registry;
	/* Before anyone can read: a reader would find probes off. */
	err = gdrt_probes_arm(instances);
	if (err) {
		pr_err("no function of the dma-buf core can be probed (error %d): is this kernel built with kprobes?\n",
		       err);
		goto err_pci;
	}
	err = gdrt_sysfs_init();
	if (err)
		goto err_probes;
	err = gdrt_netlink_init();
	if (err)
		goto err_sysfs;
	err = gdrt_events_init();
	if (err)
		goto err_netlink;
	gdrt_debugfs_init();
	return 0;

err_netlink:
	gdrt_netlink_exit();
err_sysfs:
	gdrt_sysfs_exit();
err_probes:
	gdrt_probes_disarm();
err_pci:
	gdrt_pci_exit();
err_registry:
	gdrt_registry_exit();
err_mrs:
	gdrt_mrs_exit();
err_buffers:
	gdrt_buffers_exit();
err_owners:
	gdrt_owners_exit();
err_failures:
	gdrt_failures_exit();
	gdrt_latency_exit();
err_pairs:
	gdrt_pairs_exit();
err_ident:
	gdrt_ident_exit();
err_devices:
	gdrt_devices_exit();
err_calls:
	gdrt_calls_exit();
err_pools:
	gdrt_pools_exit();
	gdrt_later_exit();
	return err;
}

static void __exit gdrt_exit(void)
{
	gdrt_pci_exit();
	gdrt_probes_disarm();
	gdrt_events_exit();
	gdrt_netlink_exit();
	gdrt_debugfs_exit();
	gdrt_sysfs_exit();
	gdrt_registry_exit();
	gdrt_mrs_exit();
	gdrt_buffers_exit();
	gdrt_owners_exit();
	gdrt_failures_exit();
	gdrt_latency_exit();
	gdrt_pairs_exit();
	gdrt_ident_exit();
	gdrt_devices_exit();
	gdrt_calls_exit();
	gdrt_pools_exit();
	gdrt_later_exit();
}

module_init(gdrt_init);
module_exit(gdrt_exit);

MODULE_DESCRIPTION("Telemetry of GPUDirect RDMA over dma-buf");
MODULE_AUTHOR("gdr-telemetry maintainers");
MODULE_LICENSE("GPL");
MODULE_VERSION(GDRT_VERSION);
