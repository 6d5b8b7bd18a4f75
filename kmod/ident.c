// SPDX-License-Identifier: GPL-2.0
/*
 * Names of importers and exporters, each kept once until the module is
 * unloaded, and the table that says which of them are GPUDirect RDMA.
 *
 * A name is copied when it is first seen, so no device or module is held.
 */
#include <linux/device.h>
#include <linux/jhash.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/rculist.h>
#include <linux/vmalloc.h>

#include "gdr_telemetry.h"

#define IDENT_MAX	1024
#define IDENT_BITS	8

/* When the table is full the rest share one name a side, and stay countable. */
static struct gdrt_ident overflow[2][2] = {		/* [exporter][gdr] */
	{
		{ .name = "unknown" },
		{ .name = "unknown", .is_gdr = true },
	}, {
		{ .name = "unknown", .is_exporter = true },
		{ .name = "unknown", .is_exporter = true, .is_gdr = true },
	},
};

static struct gdrt_ident *idents;
static unsigned int nidents;
static struct hlist_head table[1U << IDENT_BITS];
static DEFINE_RAW_SPINLOCK(lock);	/* guards insertion; readers use RCU */

/*
 * NVIDIA's exporters. The owner module is the better evidence, for exp_name
 * changed from "nvidia" to "nv_dmabuf" with driver 580.65.06.
 */
static bool is_gpu_exporter(const char *module, const char *exp_name)
{
	return !strcmp(module, "nvidia") || !strcmp(module, "nvidia_drm") ||
	       !strcmp(exp_name, "nvidia") || !strcmp(exp_name, "nv_dmabuf");
}

/*
 * An mlx5 function: mlx5_core's, or a data-direct function, whose PCI driver
 * bears the name of mlx5_ib.
 */
static bool is_hca(struct device *dev, const char *driver)
{
	return dev_is_pci(dev) && to_pci_dev(dev)->vendor == PCI_VENDOR_ID_MELLANOX &&
	       (!strcmp(driver, "mlx5_core") || !strcmp(driver, "mlx5_ib"));
}

static struct gdrt_ident *find(struct hlist_head *head, bool exporter, const char *name,
			       const char *detail)
{
	struct gdrt_ident *id;

	hlist_for_each_entry_rcu(id, head, node, lockdep_is_held(&lock))
		if (id->is_exporter == exporter &&
		    !strncmp(id->name, name, sizeof(id->name) - 1) &&
		    !strncmp(id->detail, detail, sizeof(id->detail) - 1))
			return id;
	return NULL;
}

static struct gdrt_ident *intern(bool exporter, const char *name, const char *detail, bool gdr)
{
	u32 hash = jhash(name, strnlen(name, GDRT_NAME_LEN - 1), exporter);
	struct hlist_head *head = &table[hash & ((1U << IDENT_BITS) - 1)];
	struct gdrt_ident *id;
	unsigned long flags;

	rcu_read_lock();
	id = find(head, exporter, name, detail);
	rcu_read_unlock();
	if (id)
		return id;

	raw_spin_lock_irqsave(&lock, flags);
	id = find(head, exporter, name, detail);
	if (!id && nidents < IDENT_MAX) {
		id = &idents[nidents++];
		id->is_exporter = exporter;
		id->is_gdr = gdr;
		strscpy(id->name, name, sizeof(id->name));
		strscpy(id->detail, detail, sizeof(id->detail));
		hlist_add_head_rcu(&id->node, head);
	}
	raw_spin_unlock_irqrestore(&lock, flags);
	return id ?: &overflow[exporter][gdr];
}

/**
 * gdrt_ident_importer() - the name of an importing device
 * @dev: the device, which the caller keeps alive
 *
 * Context: any; a probe handler.
 * Return: the name; never NULL.
 */
struct gdrt_ident *gdrt_ident_importer(struct device *dev)
{
	const struct device_driver *drv = READ_ONCE(dev->driver);
	const char *driver = drv ? drv->name : "";

	return intern(false, dev_name(dev), driver, is_hca(dev, driver));
}

/**
 * gdrt_ident_exporter() - the name of the exporter of a buffer
 * @dmabuf: the buffer, which the caller keeps alive
 *
 * Context: any; a probe handler.
 * Return: the name; never NULL.
 */
struct gdrt_ident *gdrt_ident_exporter(struct dma_buf *dmabuf)
{
	const char *module = dmabuf->owner ? module_name(dmabuf->owner) : "";
	const char *exp_name = dmabuf->exp_name ?: "";

	return intern(true, module, exp_name, is_gpu_exporter(module, exp_name));
}

/**
 * gdrt_ident_get() - count a live attachment of a device
 * @id: its name
 *
 * Context: any; a probe handler.
 */
void gdrt_ident_get(struct gdrt_ident *id)
{
	if (atomic_inc_return(&id->live) == 1)
		gdrt_total_add(id->is_exporter ? GDRT_T_EXPORTERS_ACTIVE :
						 GDRT_T_IMPORTERS_ACTIVE, 1);
}

/**
 * gdrt_ident_put() - undo gdrt_ident_get()
 * @id: the name
 *
 * Context: any; a probe handler.
 */
void gdrt_ident_put(struct gdrt_ident *id)
{
	if (atomic_dec_and_test(&id->live))
		gdrt_total_add(id->is_exporter ? GDRT_T_EXPORTERS_ACTIVE :
						 GDRT_T_IMPORTERS_ACTIVE, -1);
}

/**
 * gdrt_ident_exporter_name() - what to call an exporter whose device is not known
 * @id: the exporter
 *
 * Context: any.
 * Return: its module, or its exp_name if it is built in.
 */
const char *gdrt_ident_exporter_name(const struct gdrt_ident *id)
{
	if (id->name[0])
		return id->name;
	return id->detail[0] ? id->detail : "unknown";
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
