// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/gdr_telemetry/{importers,exporters,pairs}: a directory for each
 * device and each pair. Those of the devices that are there when the module is
 * loaded are made then; a handler that meets another one cannot make a
 * directory, and leaves it to a worker.
 *
 * The directories are plain kobjects of the kernel's own kind, so that nothing
 * of this module is called when their last reference goes.
 */
#include <linux/kobject.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "gdr_telemetry.h"

static struct kobject *tops[GDRT_ROLES], *pairs_top;
static DEFINE_MUTEX(lock);	/* guards which directories there are */

/* A directory has few neighbours, and its files are read far less often than written. */
static struct gdrt_device *device_of(const struct kobject *kobj)
{
	unsigned int i;

	for (i = 0; i < gdrt_devices_count(); i++) {
		struct gdrt_device *d = gdrt_device_at(i);

		if (d && READ_ONCE(d->dir) == kobj)
			return d;
	}
	return NULL;
}

static struct gdrt_pair *pair_of(const struct kobject *kobj)
{
	unsigned int i;

	for (i = 0; i < gdrt_pairs_count(); i++)
		if (READ_ONCE(gdrt_pair_at(i)->dir) == kobj)
			return gdrt_pair_at(i);
	return NULL;
}

/* ---- numbers: a device and a pair have them under the same names -------- */

struct count_attr {
	struct kobj_attribute	ka;
	enum gdrt_count		count;
};

static ssize_t count_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	const struct gdrt_device *d = device_of(kobj);
	const struct gdrt_pair *p = d ? NULL : pair_of(kobj);

	if (!d && !p)
		return -ENODEV;
	return sysfs_emit(buf, "%llu\n",
			  gdrt_count_read(d ? d->count : p->count,
					  container_of(attr, struct count_attr, ka)->count));
}

#define COUNT(var, file, number)							\
	static struct count_attr var = {						\
		.ka = { .attr = { .name = file, .mode = 0444 }, .show = count_show },	\
		.count = GDRT_C_##number,						\
	}

COUNT(attachments, "attachments", ATTACHMENTS);
COUNT(buffers, "buffers", BUFFERS);
COUNT(mapped_bytes, "mapped_bytes", MAPPED_BYTES);
COUNT(pinned_bytes, "pinned_bytes", PINNED_BYTES);
COUNT(pinned_pages, "pinned_pages", PINNED_PAGES);
COUNT(mrs, "mrs", MRS);
COUNT(mr_bytes, "mr_bytes", MR_BYTES);
COUNT(register_total, "register_total", REGISTER);
COUNT(queries_total, "capability_queries_total", QUERIES);
COUNT(attach_total, "attach_total", ATTACH);
COUNT(detach_total, "detach_total", DETACH);
COUNT(invalidate_total, "invalidate_total", INVALIDATE);
COUNT(failures_total, "failures_total", FAILURES);
COUNT(fail_verbs, "verbs_total", FAIL_VERBS);
COUNT(fail_umem, "umem_total", FAIL_UMEM);
COUNT(fail_attach, "attach_total", FAIL_ATTACH);
COUNT(fail_map, "map_total", FAIL_MAP);
COUNT(fail_pin, "pin_total", FAIL_PIN);
COUNT(fail_hw, "hw_total", FAIL_HW);

/* ---- the rest ----------------------------------------------------------- */

static ssize_t driver_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	struct gdrt_device *d = device_of(kobj);
	char driver[GDRT_DRIVER_LEN];

	if (!d)
		return -ENODEV;
	gdrt_device_driver(d, driver);
	return sysfs_emit(buf, "%s\n", driver);
}

static ssize_t ibdev_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	const struct gdrt_device *d = device_of(kobj);
	struct gdrt_ibdevs *names;
	unsigned int i;
	int len = 0;

	if (!d)
		return -ENODEV;
	names = kmalloc(sizeof(*names), GFP_KERNEL);
	if (!names)
		return -ENOMEM;
	gdrt_ibdevs_read(d, names);
	for (i = 0; i < names->n; i++)
		len += sysfs_emit_at(buf, len, "%s%s", i ? " " : "", names->name[i]);
	len += sysfs_emit_at(buf, len, "\n");
	kfree(names);
	return len;
}

static ssize_t bar1_bytes_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	const struct gdrt_device *d = device_of(kobj);

	return d ? sysfs_emit(buf, "%llu\n", d->bar1) : -ENODEV;
}

static struct kobj_attribute driver_attr = __ATTR_RO(driver);
static struct kobj_attribute ibdev_attr = __ATTR_RO(ibdev);
static struct kobj_attribute bar1_bytes_attr = __ATTR_RO(bar1_bytes);

/* What devices and pairs have */
static struct attribute *common_attrs[] = {
	&attachments.ka.attr,
	&buffers.ka.attr,
	&mapped_bytes.ka.attr,
	&pinned_bytes.ka.attr,
	&pinned_pages.ka.attr,
	&mrs.ka.attr,
	&mr_bytes.ka.attr,
	&invalidate_total.ka.attr,
	&failures_total.ka.attr,
	NULL
};

static struct attribute *failure_attrs[] = {
	&fail_verbs.ka.attr,
	&fail_umem.ka.attr,
	&fail_attach.ka.attr,
	&fail_map.ka.attr,
	&fail_pin.ka.attr,
	&fail_hw.ka.attr,
	NULL
};

static struct attribute *importer_attrs[] = {
	&driver_attr.attr,
	&ibdev_attr.attr,
	&register_total.ka.attr,
	&queries_total.ka.attr,
	&attach_total.ka.attr,
	&detach_total.ka.attr,
	NULL
};

static struct attribute *gpu_attrs[] = {
	&driver_attr.attr,
	&bar1_bytes_attr.attr,
	NULL
};

static const struct attribute_group common_group = { .attrs = common_attrs };
static const struct attribute_group failure_group = { .name = "failures", .attrs = failure_attrs };
static const struct attribute_group importer_group = { .attrs = importer_attrs };
static const struct attribute_group gpu_group = { .attrs = gpu_attrs };

/* ---- directories -------------------------------------------------------- */

static void dir_remove(struct kobject **dir)
{
	/* Waits for readers, which look the directory up: it is forgotten after that. */
	kobject_del(*dir);
	kobject_put(*dir);
	WRITE_ONCE(*dir, NULL);
}

/* A device whose directory cannot be made goes on without; netlink shows it. */
static void device_dir(struct gdrt_device *d)
{
	if (gdrt_device_visible(d) == !!d->dir)
		return;
	if (d->dir) {
		dir_remove(&d->dir);
		return;
	}
	WRITE_ONCE(d->dir, kobject_create_and_add(d->name, tops[d->role]));
	if (!d->dir)
		return;
	if (sysfs_create_group(d->dir, &common_group) ||
	    sysfs_create_group(d->dir, &failure_group) ||
	    (d->role == GDRT_IMPORTER && sysfs_create_group(d->dir, &importer_group)) ||
	    (d->role == GDRT_EXPORTER && d->is_pci && sysfs_create_group(d->dir, &gpu_group)))
		dir_remove(&d->dir);
}

static void pair_dir(struct gdrt_pair *p)
{
	char name[2 * GDRT_NAME_LEN + 1];

	if (gdrt_pair_visible(p) == !!p->dir)
		return;
	if (p->dir) {
		dir_remove(&p->dir);
		return;
	}
	snprintf(name, sizeof(name), "%s_%s", p->exporter->name, p->importer->name);
	WRITE_ONCE(p->dir, kobject_create_and_add(name, pairs_top));
	if (p->dir && sysfs_create_group(p->dir, &common_group))
		dir_remove(&p->dir);
}

static void dirs_work(struct work_struct *work)
{
	unsigned int i;

	mutex_lock(&lock);
	for (i = 0; i < gdrt_devices_count(); i++)
		if (gdrt_device_at(i))
			device_dir(gdrt_device_at(i));
	for (i = 0; i < gdrt_pairs_count(); i++)
		pair_dir(gdrt_pair_at(i));
	mutex_unlock(&lock);
}

/**
 * gdrt_sysfs_devices_init() - make the directories
 * @root: where
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM; call gdrt_sysfs_devices_exit() in either case.
 */
int gdrt_sysfs_devices_init(struct kobject *root)
{
	tops[GDRT_IMPORTER] = kobject_create_and_add("importers", root);
	tops[GDRT_EXPORTER] = kobject_create_and_add("exporters", root);
	pairs_top = kobject_create_and_add("pairs", root);
	if (!tops[GDRT_IMPORTER] || !tops[GDRT_EXPORTER] || !pairs_top)
		return -ENOMEM;
	gdrt_later_start(&gdrt_later_dirs, dirs_work);
	dirs_work(NULL);
	return 0;
}

/**
 * gdrt_sysfs_devices_exit() - remove the directories
 *
 * Context: process, may sleep; no probe is armed and no device is followed any
 * more.
 */
void gdrt_sysfs_devices_exit(void)
{
	unsigned int i;

	gdrt_later_stop(&gdrt_later_dirs);
	for (i = 0; i < gdrt_devices_count(); i++)
		if (gdrt_device_at(i) && gdrt_device_at(i)->dir)
			dir_remove(&gdrt_device_at(i)->dir);
	for (i = 0; i < gdrt_pairs_count(); i++)
		if (gdrt_pair_at(i)->dir)
			dir_remove(&gdrt_pair_at(i)->dir);
	for (i = 0; i < GDRT_ROLES; i++)
		if (tops[i])
			dir_remove(&tops[i]);
	if (pairs_top)
		dir_remove(&pairs_top);
}
