// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/gdr_telemetry: one value a file, for scraping. Every file is
 * described in Documentation/ABI/testing/sysfs-kernel-gdr_telemetry.
 */
#include <linux/kobject.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "gdr_telemetry.h"

static struct kobject *root;

/* ---- totals: the files come from the table in account.c ----------------- */

struct total_attr {
	struct kobj_attribute	ka;
	enum gdrt_total		total;
};

static struct total_attr total_attrs[GDRT_T_MAX];
static struct attribute *group_attrs[GDRT_GROUP_MAX][GDRT_T_MAX + 1];

static const struct attribute_group groups[GDRT_GROUP_MAX] = {
	[GDRT_GROUP_TOP] = { .attrs = group_attrs[GDRT_GROUP_TOP] },
	[GDRT_GROUP_FAILURES] = { .name = "failures", .attrs = group_attrs[GDRT_GROUP_FAILURES] },
	[GDRT_GROUP_LOST] = { .name = "lost", .attrs = group_attrs[GDRT_GROUP_LOST] },
};

static ssize_t total_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	struct total_attr *ta = container_of(attr, struct total_attr, ka);

	return sysfs_emit(buf, "%llu\n", gdrt_total_read(ta->total));
}

static void totals_fill(void)
{
	unsigned int n[GDRT_GROUP_MAX] = {};
	unsigned int i;

	for (i = 0; i < GDRT_T_MAX; i++) {
		struct total_attr *ta = &total_attrs[i];
		enum gdrt_group g = gdrt_total_desc[i].group;

		sysfs_attr_init(&ta->ka.attr);
		ta->total = i;
		ta->ka.attr.name = gdrt_total_desc[i].name;
		ta->ka.attr.mode = 0444;
		ta->ka.show = total_show;
		group_attrs[g][n[g]++] = &ta->ka.attr;
	}
}

/* ---- the rest ----------------------------------------------------------- */

static ssize_t version_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", GDRT_VERSION);
}

static ssize_t start_time_seconds_show(struct kobject *kobj, struct kobj_attribute *attr,
				       char *buf)
{
	return sysfs_emit(buf, "%lld\n", (long long)gdrt_start_time());
}

static ssize_t track_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", gdrt_track_word());
}

static ssize_t track_store(struct kobject *kobj, struct kobj_attribute *attr, const char *buf,
			   size_t count)
{
	int err = gdrt_track_set(buf);

	return err ?: count;
}

static ssize_t inexact_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", !!gdrt_exact_reasons());
}

static ssize_t inexact_reasons_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", gdrt_exact_reasons());
}

static struct kobj_attribute version_attr = __ATTR_RO(version);
static struct kobj_attribute start_time_seconds_attr = __ATTR_RO(start_time_seconds);
static struct kobj_attribute track_attr = __ATTR_RW(track);
static struct kobj_attribute inexact_attr = __ATTR_RO(inexact);
static struct kobj_attribute inexact_reasons_attr = __ATTR_RO(inexact_reasons);

static struct attribute *misc_attrs[] = {
	&version_attr.attr,
	&start_time_seconds_attr.attr,
	&track_attr.attr,
	&inexact_attr.attr,
	&inexact_reasons_attr.attr,
	NULL
};

static const struct attribute_group misc_group = { .attrs = misc_attrs };

static const struct attribute_group *const all_groups[] = {
	&misc_group,
	&groups[GDRT_GROUP_TOP],
	&groups[GDRT_GROUP_FAILURES],
	&groups[GDRT_GROUP_LOST],
};

/**
 * gdrt_sysfs_init() - make the tree
 *
 * Context: process, may sleep.
 * Return: 0 or a negative errno.
 */
int gdrt_sysfs_init(void)
{
	unsigned int i;
	int err;

	totals_fill();
	root = kobject_create_and_add("gdr_telemetry", kernel_kobj);
	if (!root)
		return -ENOMEM;
	for (i = 0; i < ARRAY_SIZE(all_groups); i++) {
		err = sysfs_create_group(root, all_groups[i]);
		if (err)
			goto err_exit;
	}
	err = gdrt_sysfs_devices_init(root);
	if (err)
		goto err_exit;
	return 0;

err_exit:
	gdrt_sysfs_exit();
	return err;
}

/**
 * gdrt_sysfs_exit() - remove the tree
 *
 * Returns when no file is being read any more.
 *
 * Context: process, may sleep.
 */
void gdrt_sysfs_exit(void)
{
	gdrt_sysfs_devices_exit();
	kobject_del(root);
	kobject_put(root);
}
