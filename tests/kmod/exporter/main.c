// SPDX-License-Identifier: GPL-2.0
/*
 * Exporter test double: a stand-in for NVIDIA's driver towards the dma-buf
 * core. User-space interface in gdrt_exporter.h.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/file.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/uaccess.h>

#include "../bench.h"
#include "exporter.h"

static long ioctl_export(struct gdrt_export __user *user)
{
	struct gdrt_exp_buffer *b;
	struct gdrt_export arg;
	struct dma_buf *dmabuf;
	int fd, ret;

	if (copy_from_user(&arg, user, sizeof(arg)))
		return -EFAULT;
	if (arg.pad)
		return -EINVAL;
	b = gdrt_exp_buffer_create(&arg);
	if (IS_ERR(b))
		return PTR_ERR(b);
	dmabuf = b->dmabuf;

	fd = get_unused_fd_flags(O_RDWR | O_CLOEXEC);
	if (fd < 0) {
		ret = fd;
		goto put_dmabuf;
	}
	arg.fd = fd;
	arg.inode = b->inode;
	arg.bar_offset = b->gpu ? b->start - b->gpu->start : ~0ULL;
	if (copy_to_user(user, &arg, sizeof(arg))) {
		ret = -EFAULT;
		goto put_fd;
	}
	/* From here on the buffer is user space's, and may be gone at once. */
	fd_install(fd, dmabuf->file);
	return 0;

put_fd:
	put_unused_fd(fd);
put_dmabuf:
	dma_buf_put(dmabuf);
	return ret;
}

static long exporter_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	void __user *user = (void __user *)arg;
	struct gdrt_move move;
	u64 inode;

	switch (cmd) {
	case GDRT_EXPORT:
		return ioctl_export(user);
	case GDRT_INVALIDATE:
		if (copy_from_user(&inode, user, sizeof(inode)))
			return -EFAULT;
		return gdrt_exp_buffer_invalidate(inode);
	case GDRT_MOVE:
		if (copy_from_user(&move, user, sizeof(move)))
			return -EFAULT;
		if (move.pad || move.system > 1)
			return -EINVAL;
		return gdrt_exp_buffer_move(move.inode, move.system);
	default:
		return -ENOTTY;
	}
}

static const struct file_operations exporter_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = exporter_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice exporter_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "gdrt_exporter",
	.fops = &exporter_fops,
	.mode = 0666,
};

static int __init exporter_init(void)
{
	int ret;

	ret = gdrt_bench_check();
	if (ret)
		return ret;
	ret = gdrt_exp_gpu_register();
	if (ret)
		return ret;
	gdrt_exp_ledger_init();
	/* Last: once a buffer can be made, this must not fail any more. */
	ret = misc_register(&exporter_misc);
	if (ret)
		goto unregister;
	return 0;

unregister:
	gdrt_exp_ledger_exit();
	gdrt_exp_gpu_unregister();
	return ret;
}
module_init(exporter_init);

static void __exit exporter_exit(void)
{
	misc_deregister(&exporter_misc);
	gdrt_exp_ledger_exit();
	gdrt_exp_gpu_unregister();
}
module_exit(exporter_exit);

MODULE_DESCRIPTION("dma-buf exporter test double, in the place of NVIDIA's driver");
MODULE_LICENSE("GPL");
GDRT_IMPORT_DMA_BUF_NS();
