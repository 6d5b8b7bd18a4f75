// SPDX-License-Identifier: GPL-2.0
/*
 * Importer test double: imports dma-bufs in the ways that mlx5 does not.
 * User-space interface in gdrt_importer.h.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/miscdevice.h>
#include <linux/module.h>

#include "../bench.h"
#include "importer.h"

static struct miscdevice importer_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "gdrt_importer",
	.fops = &gdrt_imp_fops,
	.mode = 0666,
};

static int __init importer_init(void)
{
	int ret;

	ret = gdrt_bench_check();
	if (ret)
		return ret;
	ret = gdrt_imp_function_register();
	if (ret)
		return ret;
	gdrt_imp_ledger_init();
	ret = misc_register(&importer_misc);
	if (ret)
		goto unregister;
	return 0;

unregister:
	gdrt_imp_ledger_exit();
	gdrt_imp_function_unregister();
	return ret;
}
module_init(importer_init);

static void __exit importer_exit(void)
{
	misc_deregister(&importer_misc);
	gdrt_imp_ledger_exit();
	gdrt_imp_function_unregister();
}
module_exit(importer_exit);

MODULE_DESCRIPTION("dma-buf importer test double on a PCI function");
MODULE_LICENSE("GPL");
GDRT_IMPORT_DMA_BUF_NS();
