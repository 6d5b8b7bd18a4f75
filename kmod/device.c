// SPDX-License-Identifier: GPL-2.0
/*
 * Importers and exporters, each kept once until the module is unloaded, with
 * the numbers that are told for it.
 *
 * A device is known by its name: a BDF that comes back after a hot-plug goes on
 * counting where it was. No device and no module is held, since a probe handler
 * could not drop the reference; what is copied here is all there is.
 */
#include <linux/device.h>
#include <linux/jhash.h>
#include <linux/mm.h>
#include <linux/pci.h>
#include <linux/rculist.h>
#include <linux/vmalloc.h>

#include "gdr_telemetry.h"

#define DEVICE_MAX	1024
#define DEVICE_BITS	8

/* When the table is full the rest share one device a side, and stay countable. */
static struct gdrt_device overflow[GDRT_ROLES] = {
	[GDRT_IMPORTER] = { .role = GDRT_IMPORTER, .name = "unknown" },
	[GDRT_EXPORTER] = { .role = GDRT_EXPORTER, .name = "unknown" },
};

static struct gdrt_device *devices;
static unsigned int ndevices;		/* written under the lock, released by its store */
static struct hlist_head table[1U << DEVICE_BITS];
static DEFINE_RAW_SPINLOCK(lock);	/* guards insertion and drivers; readers use RCU */

static struct hlist_head *head_of(enum gdrt_role role, const char *name)
{
	u32 hash = jhash(name, strnlen(name, GDRT_NAME_LEN - 1), role);

	return &table[hash & ((1U << DEVICE_BITS) - 1)];
}

static struct gdrt_device *find(struct hlist_head *head, enum gdrt_role role, const char *name)
{
	struct gdrt_device *d;

	hlist_for_each_entry_rcu(d, head, node, lockdep_is_held(&lock))
		if (d->role == role && !strncmp(d->name, name, sizeof(d->name) - 1))
			return d;
	return NULL;
}

static struct gdrt_device *get(enum gdrt_role role, const char *name, const char *driver,
			       struct device *dev, bool gdr)
{
	struct hlist_head *head = head_of(role, name);
	struct gdrt_device *d;
	unsigned long flags;

	rcu_read_lock();
	d = find(head, role, name);
	rcu_read_unlock();
	if (d)
		return d;

	raw_spin_lock_irqsave(&lock, flags);
	d = find(head, role, name);
	if (!d && ndevices < DEVICE_MAX) {
		d = &devices[ndevices];
		d->role = role;
		d->is_gdr = gdr;
		strscpy(d->name, name, sizeof(d->name));
		strscpy(d->driver, driver, sizeof(d->driver));
		if (dev && dev_is_pci(dev)) {
			d->is_pci = true;
			d->present = true;
			d->domain = pci_domain_nr(to_pci_dev(dev)->bus);
			d->bdf = pci_dev_id(to_pci_dev(dev));
		}
		hlist_add_head_rcu(&d->node, head);
		/* Who reads the number finds the device filled in. */
		smp_store_release(&ndevices, ndevices + 1);
		gdrt_later_kick(&gdrt_later_dirs);
	}
	raw_spin_unlock_irqrestore(&lock, flags);
	return d ?: &overflow[role];
}

static const char *driver_name(struct device *dev)
{
	const struct device_driver *drv = READ_ONCE(dev->driver);

	return drv ? drv->name : "";
}

/**
 * gdrt_device_importer() - the importer that a device is
 * @dev: the device, which the caller keeps alive, its driver bound
 *
 * Context: any; a probe handler.
 * Return: the importer; never NULL.
 */
struct gdrt_device *gdrt_device_importer(struct device *dev)
{
	return get(GDRT_IMPORTER, dev_name(dev), driver_name(dev), dev, gdrt_ident_is_hca(dev));
}

/**
 * gdrt_device_exporter() - the exporter that software stands for
 * @name: its name
 * @gdr: it is an NVIDIA exporter
 *
 * Context: any; a probe handler.
 * Return: the device; never NULL.
 */
struct gdrt_device *gdrt_device_exporter(const char *name, bool gdr)
{
	return get(GDRT_EXPORTER, name, "", NULL, gdr);
}

/**
 * gdrt_device_found() - a PCI function is in the machine
 * @role: which side of attachments it can be on
 * @dev: the function
 * @gdr: it is a GPU or an HCA
 *
 * Context: process.
 * Return: the device; never NULL.
 */
struct gdrt_device *gdrt_device_found(enum gdrt_role role, struct device *dev, bool gdr)
{
	struct gdrt_device *d = get(role, dev_name(dev), "", dev, gdr);

	if (gdr)
		WRITE_ONCE(d->is_gdr, true);
	/* Back after it was gone: so is its directory. */
	if (!READ_ONCE(d->present)) {
		WRITE_ONCE(d->present, true);
		gdrt_later_kick(&gdrt_later_dirs);
	}
	return d;
}

/**
 * gdrt_device_follow() - note the driver of a PCI function that is known
 * @dev: the function, locked, so that its driver stays
 *
 * Context: process.
 */
void gdrt_device_follow(struct device *dev)
{
	struct gdrt_device *d;
	unsigned long flags;
	unsigned int role;

	for (role = 0; role < GDRT_ROLES; role++) {
		d = gdrt_device_find(role, dev_name(dev));
		if (!d)
			continue;
		raw_spin_lock_irqsave(&lock, flags);
		strscpy(d->driver, driver_name(dev), sizeof(d->driver));
		raw_spin_unlock_irqrestore(&lock, flags);
	}
}

/**
 * gdrt_device_gone() - a PCI function has left the machine
 * @dev: the function
 *
 * Context: process.
 */
void gdrt_device_gone(struct device *dev)
{
	struct gdrt_device *d;
	unsigned int role;

	for (role = 0; role < GDRT_ROLES; role++) {
		d = gdrt_device_find(role, dev_name(dev));
		if (d)
			WRITE_ONCE(d->present, false);
	}
	gdrt_later_kick(&gdrt_later_dirs);
}

/**
 * gdrt_device_driver() - driver of a device
 * @d: the device
 * @driver: filled with its name, or the empty string
 *
 * Context: any.
 */
void gdrt_device_driver(struct gdrt_device *d, char driver[GDRT_DRIVER_LEN])
{
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	memcpy(driver, d->driver, GDRT_DRIVER_LEN);
	raw_spin_unlock_irqrestore(&lock, flags);
}

/**
 * gdrt_device_visible() - should a device be shown?
 * @d: the device
 *
 * A PCI function is shown while it is in the machine, and after that as long
 * as an attachment refers to it. What is no PCI function is shown from its
 * first attachment on.
 *
 * Context: any.
 * Return: true if so.
 */
bool gdrt_device_visible(const struct gdrt_device *d)
{
	return !d->is_pci || READ_ONCE(d->present) ||
	       atomic64_read(&d->count[GDRT_C_ATTACHMENTS]);
}

/**
 * gdrt_devices_count() - number of devices, visible or not
 *
 * Context: any.
 * Return: the number; only grows.
 */
unsigned int gdrt_devices_count(void)
{
	/* Pairs with the store in get(). */
	return smp_load_acquire(&ndevices) + GDRT_ROLES;
}

/**
 * gdrt_device_at() - one device
 * @i: which, below gdrt_devices_count()
 *
 * Context: any.
 * Return: the device; NULL for one that stands in for a full table that is not.
 */
struct gdrt_device *gdrt_device_at(unsigned int i)
{
	/* The stand-ins come first, so that an index always names the same device. */
	if (i >= GDRT_ROLES)
		return &devices[i - GDRT_ROLES];
	return gdrt_devices_count() == DEVICE_MAX + GDRT_ROLES ? &overflow[i] : NULL;
}

/**
 * gdrt_device_find() - find a device by its name
 * @role: which side
 * @name: its name
 *
 * Context: any.
 * Return: the device, or NULL.
 */
struct gdrt_device *gdrt_device_find(enum gdrt_role role, const char *name)
{
	struct gdrt_device *d;

	rcu_read_lock();
	d = find(head_of(role, name), role, name);
	rcu_read_unlock();
	return d;
}

/**
 * gdrt_device_attachments() - attachments come to a device or leave it
 * @d: the device
 * @n: how many come; negative if they leave
 *
 * Context: any; a probe handler.
 */
void gdrt_device_attachments(struct gdrt_device *d, s64 n)
{
	s64 now = atomic64_add_return(n, &d->count[GDRT_C_ATTACHMENTS]);
	enum gdrt_total active = d->role == GDRT_EXPORTER ? GDRT_T_EXPORTERS_ACTIVE :
							    GDRT_T_IMPORTERS_ACTIVE;

	if (!n)
		return;
	if (n > 0 && now == n) {
		gdrt_total_add(active, 1);
		/* It is shown as long as something refers to it, present or not. */
		if (d->is_pci && !READ_ONCE(d->present))
			gdrt_later_kick(&gdrt_later_dirs);
	} else if (n < 0 && !now) {
		gdrt_total_add(active, -1);
		if (!gdrt_device_visible(d))
			gdrt_later_kick(&gdrt_later_dirs);
	}
}

/**
 * gdrt_device_add() - add to a number of a device
 * @d: the device
 * @c: which, below GDRT_C_STORED
 * @n: how much; negative for gauges only
 *
 * Context: any.
 */
void gdrt_device_add(struct gdrt_device *d, enum gdrt_count c, s64 n)
{
	atomic64_add(n, &d->count[c]);
}

/**
 * gdrt_count_read() - a number of a device or a pair
 * @count: its numbers
 * @c: which
 *
 * Context: any.
 * Return: the value.
 */
u64 gdrt_count_read(const atomic64_t *count, enum gdrt_count c)
{
	u64 sum = 0;

	switch (c) {
	case GDRT_C_PINNED_PAGES:
		return gdrt_count_read(count, GDRT_C_PINNED_BYTES) >> PAGE_SHIFT;
	case GDRT_C_FAILURES:
		for (c = GDRT_C_FAIL_UNKNOWN; c <= GDRT_C_FAIL_HW; c++)
			sum += atomic64_read(&count[c]);
		return sum;
	default:
		return c < GDRT_C_STORED ? atomic64_read(&count[c]) : 0;
	}
}

/**
 * gdrt_devices_init() - make room for the devices
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int gdrt_devices_init(void)
{
	devices = vzalloc(array_size(DEVICE_MAX, sizeof(*devices)));
	return devices ? 0 : -ENOMEM;
}

/**
 * gdrt_devices_exit() - drop the devices
 *
 * Context: process, may sleep; nothing refers to one.
 */
void gdrt_devices_exit(void)
{
	vfree(devices);
}
