// SPDX-License-Identifier: GPL-2.0
/* The GPUs: a PCI driver, and the free ranges of their BAR1. */
#include <linux/genalloc.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "exporter.h"

#define GDRT_EXP_PCI_VENDOR	0x10de
#define GDRT_EXP_RANGE_ORDER	16	/* 64 KiB */

static LIST_HEAD(gpus);
static DEFINE_MUTEX(gpus_lock);

/* BAR1 of NVIDIA's GPUs is the first large one: 64 bits wide and prefetchable. */
static int gpu_find_bar(struct pci_dev *pdev)
{
	const unsigned long want = IORESOURCE_MEM | IORESOURCE_MEM_64 | IORESOURCE_PREFETCH;
	int i;

	for (i = 0; i < PCI_STD_NUM_BARS; i++)
		if ((pci_resource_flags(pdev, i) & want) == want && pci_resource_start(pdev, i))
			return i;
	return -ENODEV;
}

static void gpu_release(struct kref *ref)
{
	struct gdrt_exp_gpu *gpu = container_of(ref, struct gdrt_exp_gpu, ref);

	list_del(&gpu->node);
	mutex_unlock(&gpus_lock);
	gen_pool_destroy(gpu->pool);
	pci_dev_put(gpu->pdev);
	kfree(gpu);
}

static u64 gpu_key(struct pci_dev *pdev)
{
	return (u64)pci_domain_nr(pdev->bus) << 16 | pci_dev_id(pdev);
}

static void gpu_insert(struct gdrt_exp_gpu *gpu)
{
	struct gdrt_exp_gpu *at;

	list_for_each_entry(at, &gpus, node)
		if (gpu_key(at->pdev) > gpu_key(gpu->pdev))
			break;
	list_add_tail(&gpu->node, &at->node);
}

static struct gdrt_exp_gpu *gpu_create(struct pci_dev *pdev, int bar)
{
	struct gdrt_exp_gpu *gpu;
	int ret;

	gpu = kzalloc(sizeof(*gpu), GFP_KERNEL);
	if (!gpu)
		return ERR_PTR(-ENOMEM);
	kref_init(&gpu->ref);
	gpu->start = pci_resource_start(pdev, bar);
	gpu->size = pci_resource_len(pdev, bar);
	gpu->pool = gen_pool_create(GDRT_EXP_RANGE_ORDER, dev_to_node(&pdev->dev));
	if (!gpu->pool) {
		ret = -ENOMEM;
		goto free_gpu;
	}
	ret = gen_pool_add(gpu->pool, gpu->start, gpu->size, dev_to_node(&pdev->dev));
	if (ret)
		goto destroy_pool;
	gpu->pdev = pci_dev_get(pdev);
	return gpu;

destroy_pool:
	gen_pool_destroy(gpu->pool);
free_gpu:
	kfree(gpu);
	return ERR_PTR(ret);
}

/*
 * Buffers outlive an unbind, and hold ranges. So a GPU that is bound again
 * before they are gone must go on with the same list of free ranges.
 */
static struct gdrt_exp_gpu *gpu_revive(struct pci_dev *pdev, int bar)
{
	struct gdrt_exp_gpu *gpu;

	list_for_each_entry(gpu, &gpus, node)
		if (gpu->pdev == pdev && gpu->start == pci_resource_start(pdev, bar) &&
		    gpu->size == pci_resource_len(pdev, bar)) {
			kref_get(&gpu->ref);
			return gpu;
		}
	return NULL;
}

static int gpu_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct gdrt_exp_gpu *gpu;
	int bar, ret;

	bar = gpu_find_bar(pdev);
	if (bar < 0) {
		pci_err(pdev, "no 64-bit prefetchable BAR to take for BAR1\n");
		return bar;
	}
	ret = pci_enable_device_mem(pdev);
	if (ret) {
		pci_err(pdev, "cannot enable the function: %d\n", ret);
		return ret;
	}
	/* BAR1 is not requested: that would bar tests from mapping resource1. */
	pci_set_master(pdev);

	mutex_lock(&gpus_lock);
	gpu = gpu_revive(pdev, bar);
	if (!gpu) {
		gpu = gpu_create(pdev, bar);
		if (IS_ERR(gpu)) {
			ret = PTR_ERR(gpu);
			goto unlock;
		}
		gpu_insert(gpu);
	}
	WRITE_ONCE(gpu->bound, true);
	pci_set_drvdata(pdev, gpu);
	mutex_unlock(&gpus_lock);
	pci_dbg(pdev, "exporter test double: BAR1 %pa, %llu bytes\n", &gpu->start, gpu->size);
	return 0;

unlock:
	mutex_unlock(&gpus_lock);
	pci_disable_device(pdev);
	return ret;
}

static void gpu_remove(struct pci_dev *pdev)
{
	struct gdrt_exp_gpu *gpu = pci_get_drvdata(pdev);

	mutex_lock(&gpus_lock);
	WRITE_ONCE(gpu->bound, false);
	mutex_unlock(&gpus_lock);
	gdrt_exp_gpu_put(gpu);
	pci_disable_device(pdev);
}

static const struct pci_device_id gpu_ids[] = {
	{
		PCI_DEVICE(GDRT_EXP_PCI_VENDOR, PCI_ANY_ID),
		.class = PCI_BASE_CLASS_DISPLAY << 16,
		.class_mask = 0xff << 16,
	},
	{ }
};
MODULE_DEVICE_TABLE(pci, gpu_ids);

static struct pci_driver gpu_driver = {
	.name = KBUILD_MODNAME,
	.id_table = gpu_ids,
	.probe = gpu_probe,
	.remove = gpu_remove,
};

/**
 * gdrt_exp_gpu_register - start to bind to GPUs
 *
 * Return: 0 or a negative errno.
 */
int gdrt_exp_gpu_register(void)
{
	return pci_register_driver(&gpu_driver);
}

/**
 * gdrt_exp_gpu_unregister - let go of all GPUs
 */
void gdrt_exp_gpu_unregister(void)
{
	pci_unregister_driver(&gpu_driver);
}

/**
 * gdrt_exp_gpu_get - look up a GPU and take a reference
 * @index: its place among those bound, sorted by BDF
 *
 * Return: the GPU, or NULL if there are not as many.
 */
struct gdrt_exp_gpu *gdrt_exp_gpu_get(u32 index)
{
	struct gdrt_exp_gpu *gpu, *found = NULL;

	mutex_lock(&gpus_lock);
	list_for_each_entry(gpu, &gpus, node) {
		if (!gpu->bound || index--)
			continue;
		kref_get(&gpu->ref);
		found = gpu;
		break;
	}
	mutex_unlock(&gpus_lock);
	return found;
}

/**
 * gdrt_exp_gpu_put - give a reference back
 * @gpu: the GPU
 */
void gdrt_exp_gpu_put(struct gdrt_exp_gpu *gpu)
{
	kref_put_mutex(&gpu->ref, gpu_release, &gpus_lock);
}

/**
 * gdrt_exp_gpu_alloc - take a range of BAR1
 * @gpu: the GPU
 * @size: bytes; rounded up to 64 KiB
 *
 * Return: where the range starts, 0 if there is none of that size.
 */
phys_addr_t gdrt_exp_gpu_alloc(struct gdrt_exp_gpu *gpu, u64 size)
{
	return size > gpu->size ? 0 : gen_pool_alloc(gpu->pool, size);
}

/**
 * gdrt_exp_gpu_free - give a range of BAR1 back
 * @gpu: the GPU
 * @start: as gdrt_exp_gpu_alloc() returned it
 * @size: as asked for
 */
void gdrt_exp_gpu_free(struct gdrt_exp_gpu *gpu, phys_addr_t start, u64 size)
{
	gen_pool_free(gpu->pool, start, size);
}

/**
 * gdrt_exp_gpu_show - list the GPUs bound
 * @s: where to
 */
void gdrt_exp_gpu_show(struct seq_file *s)
{
	struct gdrt_exp_gpu *gpu;
	unsigned int index = 0;

	mutex_lock(&gpus_lock);
	list_for_each_entry(gpu, &gpus, node)
		if (gpu->bound)
			seq_printf(s, "gpu %u bdf %s start 0x%llx size %llu\n", index++,
				   pci_name(gpu->pdev), (u64)gpu->start, gpu->size);
	mutex_unlock(&gpus_lock);
}
