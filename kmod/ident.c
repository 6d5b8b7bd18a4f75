// SPDX-License-Identifier: GPL-2.0
/*
 * The software that exports, each kept once until the module is unloaded, and
 * the table that says what is GPUDirect RDMA. Names are copied, so no module is
 * held.
 */
#include <linux/device.h>
#include <linux/jhash.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/rculist.h>
#include <linux/vmalloc.h>

#include "gdr_telemetry.h"

#define IDENT_MAX	256
#define IDENT_BITS	6

/* When the table is full the rest share one name each, and stay countable. */
static struct gdrt_ident overflow[2] = {
	{ .name = "unknown" },
	{ .name = "unknown", .is_gdr = true },
};

static struct gdrt_ident *idents;
static unsigned int nidents;
static struct hlist_head table[1U << IDENT_BITS];
static DEFINE_RAW_SPINLOCK(lock);	/* guards insertion; readers use RCU */

/*
 * NVIDIA's exporters. The owner module is the better evidence, for exp_name
 * changed from "nvidia" to "nv_dmabuf" with driver 580.65.06.
 */
static bool is_gpu_exporter(const char *module, const char *name)
{
	return !strcmp(module, "nvidia") || !strcmp(module, "nvidia_drm") ||
	       !strcmp(name, "nvidia") || !strcmp(name, "nv_dmabuf");
}

/**
 * gdrt_ident_is_hca() - is a device an mlx5 function?
 * @dev: the device, its driver bound or not
 *
 * It is one of mlx5_core, or a data-direct function, whose PCI driver bears the
 * name of mlx5_ib (drivers/infiniband/hw/mlx5/data_direct.c).
 *
 * Context: any; a probe handler.
 * Return: true if so.
 */
bool gdrt_ident_is_hca(struct device *dev)
{
	const struct device_driver *drv = READ_ONCE(dev->driver);

	return drv && dev_is_pci(dev) && to_pci_dev(dev)->vendor == PCI_VENDOR_ID_MELLANOX &&
	       (!strcmp(drv->name, "mlx5_core") || !strcmp(drv->name, "mlx5_ib"));
}

/**
 * gdrt_ident_is_gpu() - is a device an NVIDIA GPU?
 * @dev: the device
 *
 * Context: any.
 * Return: true if so.
 */
bool gdrt_ident_is_gpu(struct device *dev)
{
	return dev_is_pci(dev) && to_pci_dev(dev)->vendor == PCI_VENDOR_ID_NVIDIA &&
	       to_pci_dev(dev)->class >> 16 == PCI_BASE_CLASS_DISPLAY;
}

static struct gdrt_ident *find(struct hlist_head *head, const char *module, const char *name)
{
	struct gdrt_ident *id;

	hlist_for_each_entry_rcu(id, head, node, lockdep_is_held(&lock))
		if (!strncmp(id->module, module, sizeof(id->module) - 1) &&
		    !strncmp(id->name, name, sizeof(id->name) - 1))
			return id;
	return NULL;
}

/**
 * gdrt_ident_exporter() - the software that exports a buffer
 * @dmabuf: the buffer, which the caller keeps alive
 *
 * Context: any; a probe handler.
 * Return: the software; never NULL.
 */
struct gdrt_ident *gdrt_ident_exporter(struct dma_buf *dmabuf)
{
	const char *module = dmabuf->owner ? module_name(dmabuf->owner) : "";
	const char *name = dmabuf->exp_name ?: "";
	u32 hash = jhash(module, strlen(module), 0);
	struct hlist_head *head = &table[hash & ((1U << IDENT_BITS) - 1)];
	struct gdrt_ident *id;
	unsigned long flags;
	bool gdr;

	rcu_read_lock();
	id = find(head, module, name);
	rcu_read_unlock();
	if (id)
		return id;

	gdr = is_gpu_exporter(module, name);
	raw_spin_lock_irqsave(&lock, flags);
	id = find(head, module, name);
	if (!id && nidents < IDENT_MAX) {
		id = &idents[nidents++];
		id->is_gdr = gdr;
		strscpy(id->module, module, sizeof(id->module));
		strscpy(id->name, name, sizeof(id->name));
		hlist_add_head_rcu(&id->node, head);
	}
	raw_spin_unlock_irqrestore(&lock, flags);
	return id ?: &overflow[gdr];
}

/**
 * gdrt_ident_device() - what stands for a buffer's exporter while no device is known
 * @id: the software
 *
 * Context: any; a probe handler.
 * Return: the device named after its module, or its exp_name if it is built
 * in; never NULL.
 */
struct gdrt_device *gdrt_ident_device(const struct gdrt_ident *id)
{
	const char *name = id->module[0] ? id->module : id->name[0] ? id->name : "unknown";

	return gdrt_device_exporter(name, id->is_gdr);
}

/**
 * gdrt_ident_init() - make room for the names
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int gdrt_ident_init(void)
{
	idents = vzalloc(array_size(IDENT_MAX, sizeof(*idents)));
	return idents ? 0 : -ENOMEM;
}

/**
 * gdrt_ident_exit() - drop the names
 *
 * Context: process, may sleep; no record refers to one.
 */
void gdrt_ident_exit(void)
{
	vfree(idents);
}
