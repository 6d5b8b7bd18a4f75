// SPDX-License-Identifier: GPL-2.0
/*
 * Which GPUs and HCAs are in the machine, and behind which addresses the GPUs
 * have memory. Followed by a notifier of the PCI bus; handlers see the result
 * only.
 */
#include <linux/device.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/pci.h>
#include <linux/property.h>
#include <linux/slab.h>

#include "gdr_telemetry.h"

/* BAR 1 is the window to a GPU's memory; all of its BARs can be the target of a peer. */
#define GPU_MEMORY_BAR		1
#define RANGES_PER_GPU		(PCI_STD_NUM_BARS + 1)

static DEFINE_MUTEX(lock);	/* one change of the tables at a time */

static void range_add(struct gdrt_ranges *t, u64 start, u64 len, struct gdrt_device *gpu,
		      bool coherent)
{
	struct gdrt_range *r = &t->range[t->n++];

	r->start = start;
	r->end = start + len - 1;
	r->gpu = gpu;
	r->coherent = coherent;
}

static void add_bars(struct gdrt_ranges *cpu, struct gdrt_ranges *bus, struct pci_dev *pdev,
		     struct gdrt_device *gpu)
{
	unsigned int i;

	for (i = 0; i < PCI_STD_NUM_BARS; i++) {
		if (!(pci_resource_flags(pdev, i) & IORESOURCE_MEM) || !pci_resource_len(pdev, i) ||
		    pci_resource_flags(pdev, i) & IORESOURCE_UNSET)
			continue;
		range_add(cpu, pci_resource_start(pdev, i), pci_resource_len(pdev, i), gpu, false);
		range_add(bus, pci_bus_address(pdev, i), pci_resource_len(pdev, i), gpu, false);
	}
}

/* Grace: the firmware names the window (drivers/vfio/pci/nvgrace-gpu/main.c). */
static void add_coherent(struct gdrt_ranges *cpu, struct pci_dev *pdev, struct gdrt_device *gpu)
{
	u64 start, len;

	if (!device_property_read_u64(&pdev->dev, "nvidia,gpu-mem-base-pa", &start) &&
	    !device_property_read_u64(&pdev->dev, "nvidia,gpu-mem-size", &len) && len)
		range_add(cpu, start, len, gpu, true);
}

static struct pci_dev *next_gpu(struct pci_dev *pdev)
{
	while ((pdev = pci_get_device(PCI_VENDOR_ID_NVIDIA, PCI_ANY_ID, pdev)))
		if (gdrt_ident_is_gpu(&pdev->dev))
			break;
	return pdev;
}

static int rebuild(void)
{
	struct gdrt_ranges *cpu = NULL, *bus = NULL;
	struct pci_dev *pdev = NULL;
	unsigned int n = 0;
	int err = 0;

	mutex_lock(&lock);
	while ((pdev = next_gpu(pdev)))
		n++;
	/* What appears between the two walks has a notification of its own to come. */
	if (n) {
		cpu = gdrt_ranges_alloc(n * RANGES_PER_GPU);
		bus = gdrt_ranges_alloc(n * RANGES_PER_GPU);
		if (!cpu || !bus) {
			kfree(cpu);
			kfree(bus);
			err = -ENOMEM;
			goto out;
		}
	}
	while (n && (pdev = next_gpu(pdev))) {
		struct gdrt_device *gpu = gdrt_device_found(GDRT_EXPORTER, &pdev->dev, true);

		gpu->bar1 = pci_resource_len(pdev, GPU_MEMORY_BAR);
		add_bars(cpu, bus, pdev, gpu);
		add_coherent(cpu, pdev, gpu);
		n--;
	}
	pci_dev_put(pdev);
	gdrt_ranges_set(cpu, bus);
out:
	mutex_unlock(&lock);
	return err;
}

/* The function is locked: its driver stays. */
static void found(struct device *dev)
{
	bool hca = gdrt_ident_is_hca(dev);

	if (hca || gdrt_device_find(GDRT_IMPORTER, dev_name(dev)))
		gdrt_device_found(GDRT_IMPORTER, dev, hca);
	gdrt_device_follow(dev);
}

static int notified(struct notifier_block *nb, unsigned long action, void *data)
{
	struct device *dev = data;

	switch (action) {
	case BUS_NOTIFY_ADD_DEVICE:
	case BUS_NOTIFY_BOUND_DRIVER:	/* by now the BARs are where they stay */
	case BUS_NOTIFY_UNBOUND_DRIVER:
	case BUS_NOTIFY_REMOVED_DEVICE:
		break;
	default:
		return NOTIFY_DONE;
	}
	/* Without memory the old table stays: a new GPU is then unknown. */
	if (gdrt_ident_is_gpu(dev))
		rebuild();
	if (action == BUS_NOTIFY_REMOVED_DEVICE)
		gdrt_device_gone(dev);
	else
		found(dev);
	return NOTIFY_OK;
}

static struct notifier_block notifier = { .notifier_call = notified };

/**
 * gdrt_pci_init() - find the devices, and follow them
 *
 * Context: process, may sleep.
 * Return: 0 or a negative errno.
 */
int gdrt_pci_init(void)
{
	struct pci_dev *pdev = NULL;
	int err;

	/* First, so that nothing comes or goes between the walk and the notifier. */
	err = bus_register_notifier(&pci_bus_type, &notifier);
	if (err)
		return err;
	err = rebuild();
	if (err) {
		gdrt_pci_exit();
		return err;
	}
	for_each_pci_dev(pdev) {
		/* One that is locked is being bound or unbound, and is notified after that. */
		if (!device_trylock(&pdev->dev))
			continue;
		found(&pdev->dev);
		device_unlock(&pdev->dev);
	}
	return 0;
}

/**
 * gdrt_pci_exit() - follow them no more
 *
 * Context: process, may sleep.
 */
void gdrt_pci_exit(void)
{
	bus_unregister_notifier(&pci_bus_type, &notifier);
	mutex_lock(&lock);
	gdrt_ranges_set(NULL, NULL);
	mutex_unlock(&lock);
}
