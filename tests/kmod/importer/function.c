// SPDX-License-Identifier: GPL-2.0
/* The PCI functions that import. */
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "importer.h"

#define GDRT_IMP_PCI_VENDOR	0x1b36
#define GDRT_IMP_PCI_DEVICE	0x0005

static LIST_HEAD(functions);
static DEFINE_MUTEX(functions_lock);

static u64 function_key(struct pci_dev *pdev)
{
	return (u64)pci_domain_nr(pdev->bus) << 16 | pci_dev_id(pdev);
}

static void function_insert(struct gdrt_imp_function *function)
{
	struct gdrt_imp_function *at;

	mutex_lock(&functions_lock);
	list_for_each_entry(at, &functions, node)
		if (function_key(at->pdev) > function_key(function->pdev))
			break;
	list_add_tail(&function->node, &at->node);
	mutex_unlock(&functions_lock);
}

static void function_release(struct kref *ref)
{
	struct gdrt_imp_function *function = container_of(ref, struct gdrt_imp_function, ref);

	pci_dev_put(function->pdev);
	kfree(function);
}

static int function_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct gdrt_imp_function *function;
	int ret;

	ret = pci_enable_device(pdev);
	if (ret) {
		pci_err(pdev, "cannot enable the function: %d\n", ret);
		return ret;
	}
	ret = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));
	if (ret) {
		pci_err(pdev, "no 64-bit DMA: %d\n", ret);
		goto disable;
	}
	pci_set_master(pdev);
	function = kzalloc(sizeof(*function), GFP_KERNEL);
	if (!function) {
		ret = -ENOMEM;
		goto disable;
	}
	kref_init(&function->ref);
	function->pdev = pci_dev_get(pdev);
	pci_set_drvdata(pdev, function);
	function_insert(function);
	pci_dbg(pdev, "importer test double\n");
	return 0;

disable:
	pci_disable_device(pdev);
	return ret;
}

static void function_remove(struct pci_dev *pdev)
{
	struct gdrt_imp_function *function = pci_get_drvdata(pdev);

	/* First no new attachments, then none of the old ones. */
	mutex_lock(&functions_lock);
	list_del(&function->node);
	mutex_unlock(&functions_lock);
	gdrt_imp_file_drop_function(function);
	gdrt_imp_function_put(function);
	pci_disable_device(pdev);
}

static const struct pci_device_id function_ids[] = {
	{ PCI_DEVICE(GDRT_IMP_PCI_VENDOR, GDRT_IMP_PCI_DEVICE) },
	{ }
};
MODULE_DEVICE_TABLE(pci, function_ids);

static struct pci_driver function_driver = {
	.name = KBUILD_MODNAME,
	.id_table = function_ids,
	.probe = function_probe,
	.remove = function_remove,
};

/**
 * gdrt_imp_function_register - start to bind to functions
 *
 * Return: 0 or a negative errno.
 */
int gdrt_imp_function_register(void)
{
	return pci_register_driver(&function_driver);
}

/**
 * gdrt_imp_function_unregister - let go of all functions
 */
void gdrt_imp_function_unregister(void)
{
	pci_unregister_driver(&function_driver);
}

/**
 * gdrt_imp_function_get - look up a function and take a reference
 * @index: its place among those bound, sorted by BDF
 *
 * Return: the function, or NULL if there are not as many.
 */
struct gdrt_imp_function *gdrt_imp_function_get(u32 index)
{
	struct gdrt_imp_function *function, *found = NULL;

	mutex_lock(&functions_lock);
	list_for_each_entry(function, &functions, node) {
		if (index--)
			continue;
		kref_get(&function->ref);
		found = function;
		break;
	}
	mutex_unlock(&functions_lock);
	return found;
}

/**
 * gdrt_imp_function_ref - take one more reference
 * @function: the function
 */
void gdrt_imp_function_ref(struct gdrt_imp_function *function)
{
	kref_get(&function->ref);
}

/**
 * gdrt_imp_function_put - give a reference back
 * @function: the function
 */
void gdrt_imp_function_put(struct gdrt_imp_function *function)
{
	kref_put(&function->ref, function_release);
}

/**
 * gdrt_imp_function_show - list the functions bound
 * @s: where to
 */
void gdrt_imp_function_show(struct seq_file *s)
{
	struct gdrt_imp_function *function;
	unsigned int index = 0;

	mutex_lock(&functions_lock);
	list_for_each_entry(function, &functions, node)
		seq_printf(s, "function %u bdf %s\n", index++, pci_name(function->pdev));
	mutex_unlock(&functions_lock);
}
