/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every difference between the kernels that the module is built for. Which
 * one a kernel has is found in its headers by kmod/Kbuild.probes, which
 * defines GDRT_HAVE_*; version numbers are never asked, since distributions
 * move features between them.
 */
#ifndef GDRT_COMPAT_H
#define GDRT_COMPAT_H

#include <linux/cgroup.h>
#include <linux/dma-buf.h>
#include <linux/iommu.h>
#include <net/genetlink.h>

#if !IS_ENABLED(CONFIG_KRETPROBES)
#error "gdr_telemetry needs a kernel with CONFIG_KPROBES and CONFIG_KRETPROBES"
#endif
#if !IS_ENABLED(CONFIG_DMA_SHARED_BUFFER)
#error "gdr_telemetry needs a kernel with CONFIG_DMA_SHARED_BUFFER"
#endif

/*
 * Generation of the dma-buf core (Documentation/design.rst): until about 6.15
 * the attachment caches its sg_table; then it does not, but importers still
 * have move_notify and the option DMABUF_MOVE_NOTIFY; in 7.x both are gone.
 * The members tell, since the option is absent from 7.x as it is off elsewhere.
 */
#if defined(GDRT_HAVE_ATTACH_SGT)
#define GDRT_CORE	GDR_TELEMETRY_CORE_CACHED
#elif defined(GDRT_HAVE_MOVE_NOTIFY)
#define GDRT_CORE	GDR_TELEMETRY_CORE_MOVE_NOTIFY
#elif defined(GDRT_HAVE_INVALIDATE)
#define GDRT_CORE	GDR_TELEMETRY_CORE_INVALIDATE
#else
#error "this kernel's linux/dma-buf.h is of no generation that gdr_telemetry knows"
#endif

/*
 * Does the core pin when a dynamic importer maps the buffer of a dynamic
 * exporter? Only before 7.x, and only without the option that lets buffers
 * move (dma_buf_pin_on_map() or its open-coded form in drivers/dma-buf/dma-buf.c).
 */
#if defined(GDRT_HAVE_INVALIDATE)
#define GDRT_CORE_PINS_DYNAMIC	false
#else
#define GDRT_CORE_PINS_DYNAMIC	(!IS_ENABLED(CONFIG_DMABUF_MOVE_NOTIFY))
#endif

/* Is it built for an ib_core that is not the kernel's own, with its headers (OFED)? */
#ifdef GDRT_OFED_HEADERS
#define GDRT_RDMA_FOREIGN	true
#else
#define GDRT_RDMA_FOREIGN	false
#endif

/* The function by which an exporter tells importers to drop their mappings. */
#ifdef GDRT_HAVE_INVALIDATE
#define GDRT_INVALIDATE_SYMBOL	"dma_buf_invalidate_mappings"
#else
#define GDRT_INVALIDATE_SYMBOL	"dma_buf_move_notify"
#endif

/* The _unlocked calls came with the reservation-lock rules of 6.2. */
#ifdef GDRT_HAVE_UNLOCKED
#define GDRT_UNLOCKED_NEEDED	true
#else
#define GDRT_UNLOCKED_NEEDED	false
#endif

/**
 * gdrt_attach_sgt() - the sg_table that the core keeps in an attachment
 * @attach: an attachment that the caller owns
 *
 * Context: any.
 * Return: the sg_table, or NULL if none is kept or this core keeps none.
 */
static inline const struct sg_table *gdrt_attach_sgt(const struct dma_buf_attachment *attach)
{
#ifdef GDRT_HAVE_ATTACH_SGT
	return attach->sgt;
#else
	return NULL;
#endif
}

/**
 * gdrt_dump_attrs() - attributes of the request of a dump
 * @cb: the dump
 *
 * Context: in dumpit or start.
 * Return: the parsed attributes, by type.
 */
static inline struct nlattr **gdrt_dump_attrs(struct netlink_callback *cb)
{
#ifdef GDRT_HAVE_GENL_INFO_DUMP
	return genl_info_dump(cb)->attrs;
#else
	return genl_dumpit_info(cb)->attrs;
#endif
}

/**
 * gdrt_current_cgroup() - cgroup (v2) of the current process
 *
 * Context: any, under rcu_read_lock().
 * Return: its id, the inode number of its directory; 0 if the kernel has none.
 */
static inline u64 gdrt_current_cgroup(void)
{
#ifdef CONFIG_CGROUPS
	return cgroup_id(task_dfl_cgroup(current));
#else
	return 0;
#endif
}

/**
 * gdrt_iommu_name() - name of the IOMMU that translates for a device
 * @dev: the device, its driver bound
 *
 * Context: any.
 * Return: the name under /sys/class/iommu, or NULL.
 */
static inline const char *gdrt_iommu_name(struct device *dev)
{
#ifdef CONFIG_IOMMU_API
	if (dev->iommu && dev->iommu->iommu_dev && dev->iommu->iommu_dev->dev)
		return dev_name(dev->iommu->iommu_dev->dev);
#endif
	return NULL;
}

/* Keeps a multicast group to CAP_NET_ADMIN; without it events tell nothing of a process. */
#ifdef GENL_MCAST_CAP_NET_ADMIN
#define GDRT_MCAST_ADMIN	GENL_MCAST_CAP_NET_ADMIN
#else
#define GDRT_MCAST_ADMIN	0
#endif

#endif /* GDRT_COMPAT_H */
