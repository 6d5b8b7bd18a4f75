// SPDX-License-Identifier: GPL-2.0
/*
 * What a DMA address reaches: the memory of a GPU, and of which, or that of the
 * host. What cannot be told is "unknown", never a guess.
 *
 * pci.c keeps two tables of the ranges behind which GPUs have memory, one by
 * CPU address and one by bus address, sorted so that a handler searches them in
 * a few steps.
 */
#include <linux/bsearch.h>
#include <linux/device.h>
#include <linux/iommu.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/rcupdate.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "gdr_telemetry.h"

static struct gdrt_ranges __rcu *by_cpu;
static struct gdrt_ranges __rcu *by_bus;

static int by_start(const void *a, const void *b)
{
	const struct gdrt_range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static int contains(const void *key, const void *elt)
{
	const struct gdrt_range *r = elt;
	u64 addr = *(const u64 *)key;

	return addr < r->start ? -1 : addr > r->end;
}

/* The range that an address is in, or NULL. Under RCU. */
static const struct gdrt_range *lookup(const struct gdrt_ranges *t, u64 addr)
{
	return t ? bsearch(&addr, t->range, t->n, sizeof(t->range[0]), contains) : NULL;
}

/**
 * gdrt_ranges_alloc() - make a table
 * @n: how many ranges it has room for
 *
 * Context: process, may sleep.
 * Return: the table, with no range in it, or NULL.
 */
struct gdrt_ranges *gdrt_ranges_alloc(unsigned int n)
{
	struct gdrt_ranges *t;

	return kzalloc(struct_size(t, range, n), GFP_KERNEL);
}

static void replace(struct gdrt_ranges __rcu **p, struct gdrt_ranges *t)
{
	struct gdrt_ranges *old;

	if (t)
		sort(t->range, t->n, sizeof(t->range[0]), by_start, NULL);
	/* One writer: pci.c calls under its mutex. */
	old = rcu_replace_pointer(*p, t, true);
	if (old) {
		synchronize_rcu();
		kfree(old);
	}
}

/**
 * gdrt_ranges_set() - replace the tables
 * @cpu: by CPU address; owned by this file from now on; NULL for none
 * @bus: by bus address; likewise
 *
 * Context: process, may sleep; one caller at a time.
 */
void gdrt_ranges_set(struct gdrt_ranges *cpu, struct gdrt_ranges *bus)
{
	replace(&by_cpu, cpu);
	replace(&by_bus, bus);
}

/*
 * iommu_iova_to_phys() only where the driver's walk takes no lock, since a
 * spinlock may sleep on PREEMPT_RT: Intel, AMD and SMMUv3, which are told by
 * the names that they give their devices under /sys/class/iommu
 * (iommu_device_sysfs_add() in their drivers). The domain is there while the
 * importer's driver is bound, and it is inside a call with a mapping.
 */
static bool walk_is_lockless(struct device *dev)
{
	static const char * const prefixes[] = { "dmar", "ivhd", "smmu3." };
	const char *name;
	unsigned int i;

	name = gdrt_iommu_name(dev);
	for (i = 0; name && i < ARRAY_SIZE(prefixes); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

static struct iommu_domain *translating_domain(struct device *dev)
{
	struct iommu_domain *domain = iommu_get_domain_for_dev(dev);

	return domain && (domain->type & __IOMMU_DOMAIN_PAGING) ? domain : NULL;
}

/* Memory of the host: a page that is online and was not set aside by the firmware. */
static bool is_system_ram(u64 phys)
{
	struct page *page = pfn_to_online_page(PHYS_PFN(phys));

	return page && !PageReserved(page);
}

static enum gdr_telemetry_placement place(const struct gdrt_range *cpu,
					  const struct gdrt_range *bus, u64 phys,
					  struct gdrt_device **gpu)
{
	const struct gdrt_range *r = cpu ?: bus;

	/* A bus address of one GPU that is a CPU address of another tells nothing. */
	if (cpu && bus && cpu->gpu != bus->gpu)
		return GDR_TELEMETRY_PLACEMENT_UNKNOWN;
	if (r) {
		*gpu = r->gpu;
		return r->coherent ? GDR_TELEMETRY_PLACEMENT_COHERENT :
				     GDR_TELEMETRY_PLACEMENT_PEER_BAR;
	}
	return is_system_ram(phys) ? GDR_TELEMETRY_PLACEMENT_SYSTEM_RAM :
				     GDR_TELEMETRY_PLACEMENT_UNKNOWN;
}

/**
 * gdrt_place() - what a mapping reaches
 * @dev: the importing device
 * @sgt: the table, as the core returned it and before the importer trims it
 * @gpu: set to the GPU whose memory it is, if it is one's; else left alone
 *
 * Told from the first DMA address, since a buffer is in one place.
 *
 * Context: any; a probe handler.
 * Return: the placement.
 */
enum gdr_telemetry_placement gdrt_place(struct device *dev, const struct sg_table *sgt,
					struct gdrt_device **gpu)
{
	enum gdr_telemetry_placement result;
	struct iommu_domain *domain;
	u64 addr, phys;

	if (!sgt->sgl || !sgt->nents || !sg_dma_len(sgt->sgl))
		return GDR_TELEMETRY_PLACEMENT_UNKNOWN;
	addr = sg_dma_address(sgt->sgl);
	domain = translating_domain(dev);

	rcu_read_lock();
	if (!domain) {
		result = place(lookup(rcu_dereference(by_cpu), addr),
			       lookup(rcu_dereference(by_bus), addr), addr, gpu);
	} else if (!walk_is_lockless(dev)) {
		result = GDR_TELEMETRY_PLACEMENT_IOMMU;
	} else {
		phys = iommu_iova_to_phys(domain, addr);
		if (phys) {
			result = place(lookup(rcu_dereference(by_cpu), phys), NULL, phys, gpu);
		} else {
			/*
			 * Not translated: a peer reached on the bus, below the
			 * IOMMU. The DMA API keeps its addresses out of the
			 * windows of the host bridge, so this is no accident.
			 */
			const struct gdrt_range *r = lookup(rcu_dereference(by_bus), addr);

			result = r ? place(NULL, r, 0, gpu) : GDR_TELEMETRY_PLACEMENT_IOMMU;
		}
	}
	rcu_read_unlock();
	return result;
}
