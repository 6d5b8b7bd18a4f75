// SPDX-License-Identifier: GPL-2.0
/*
 * Which RDMA devices a function has, by the names that they have now. Found
 * through the driver core, so that no symbol of ib_core is needed.
 */
#include <linux/device.h>
#include <linux/pci.h>
#include <linux/string.h>

#include "gdr_telemetry.h"

/*
 * Each network namespace beside the first has a device of class infiniband of
 * its own for the same RDMA device, by the same name (add_one_compat_dev() in
 * drivers/infiniband/core/device.c).
 */
static bool known(const struct gdrt_ibdevs *names, const char *name)
{
	unsigned int i;

	for (i = 0; i < names->n; i++)
		if (!strcmp(names->name[i], name))
			return true;
	return false;
}

static int ibdev_child(struct device *dev, void *data)
{
	struct gdrt_ibdevs *names = data;

	if (dev->class) {
		if (!strcmp(dev->class->name, "infiniband") && names->n < GDRT_IBDEVS &&
		    !known(names, dev_name(dev)))
			strscpy(names->name[names->n++], dev_name(dev), GDRT_NAME_LEN);
		return 0;
	}
	/* The RDMA device of a subfunction is a child of its auxiliary device. */
	return device_for_each_child(dev, names, ibdev_child);
}

/**
 * gdrt_ibdevs_read() - the RDMA devices of a function
 * @d: the function
 * @names: filled with their names; none if it is not in the machine
 *
 * A function below this one, as the virtual ones of an SR-IOV HCA are not, is
 * not looked at. A name that changes meanwhile can be the old or the new one.
 *
 * Context: process, may sleep.
 */
void gdrt_ibdevs_read(const struct gdrt_device *d, struct gdrt_ibdevs *names)
{
	struct pci_dev *pdev;

	names->n = 0;
	if (!d->is_pci || !READ_ONCE(d->present))
		return;
	pdev = pci_get_domain_bus_and_slot(d->domain, d->bdf >> 8, d->bdf & 0xff);
	if (!pdev)
		return;
	device_for_each_child(&pdev->dev, names, ibdev_child);
	pci_dev_put(pdev);
}
