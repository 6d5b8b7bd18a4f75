// SPDX-License-Identifier: GPL-2.0
/* Open files: the ioctls, and the attachments that belong to a file. */
#include <linux/atomic.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "importer.h"

static LIST_HEAD(files);
static DEFINE_MUTEX(files_lock);
static atomic64_t handles = ATOMIC64_INIT(1);

static void erase(struct gdrt_imp_file *f, struct gdrt_imp_attachment *a)
{
	xa_erase(&f->attachments, a->handle);
	gdrt_imp_detach(a);
}

static int attach_one(struct gdrt_imp_file *f, struct dma_buf *dmabuf,
		      struct gdrt_imp_function *function, u32 mode, u64 handle)
{
	struct gdrt_imp_attachment *a;
	int ret;

	/* Room first, so that an attachment made is never taken back for lack of it. */
	ret = xa_reserve(&f->attachments, handle, GFP_KERNEL);
	if (ret)
		return ret;
	a = gdrt_imp_attach(dmabuf, function, mode, handle);
	if (IS_ERR(a)) {
		xa_release(&f->attachments, handle);
		return PTR_ERR(a);
	}
	xa_store(&f->attachments, handle, a, GFP_KERNEL);
	return 0;
}

static void detach_range(struct gdrt_imp_file *f, u64 first, u64 count)
{
	struct gdrt_imp_attachment *a;
	unsigned long handle;

	if (!count)
		return;
	xa_for_each_range(&f->attachments, handle, a, first, first + count - 1)
		erase(f, a);
}

static int attach_many(struct gdrt_imp_file *f, const struct gdrt_attach *arg)
{
	struct gdrt_imp_function *function;
	struct dma_buf *dmabuf;
	int ret = 0;
	u32 i;

	dmabuf = dma_buf_get(arg->fd);
	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	function = gdrt_imp_function_get(arg->function);
	if (!function) {
		ret = -ENODEV;
		goto put_dmabuf;
	}
	for (i = 0; i < arg->count; i++) {
		ret = fatal_signal_pending(current) ? -EINTR :
			attach_one(f, dmabuf, function, arg->mode, arg->handle + i);
		if (ret) {
			detach_range(f, arg->handle, i);
			break;
		}
		cond_resched();
	}
	gdrt_imp_function_put(function);
put_dmabuf:
	dma_buf_put(dmabuf);
	return ret;
}

static int ioctl_attach(struct gdrt_imp_file *f, struct gdrt_attach __user *user)
{
	struct gdrt_attach arg;
	int ret;

	if (copy_from_user(&arg, user, sizeof(arg)))
		return -EFAULT;
	if (!arg.count)
		return -EINVAL;
	arg.handle = atomic64_fetch_add(arg.count, &handles);
	ret = attach_many(f, &arg);
	if (!ret && copy_to_user(user, &arg, sizeof(arg))) {
		detach_range(f, arg.handle, arg.count);
		ret = -EFAULT;
	}
	return ret;
}

static int do_one(struct gdrt_imp_file *f, unsigned int cmd, struct gdrt_imp_attachment *a)
{
	switch (cmd) {
	case GDRT_DETACH:
		erase(f, a);
		return 0;
	case GDRT_MAP:
		return gdrt_imp_map(a);
	case GDRT_UNMAP:
		return gdrt_imp_unmap(a);
	case GDRT_PIN:
		return gdrt_imp_pin(a);
	case GDRT_UNPIN:
		return gdrt_imp_unpin(a);
	case GDRT_MAP_LOCKED:
		return gdrt_imp_map_locked(a);
	case GDRT_UNMAP_LOCKED:
		return gdrt_imp_unmap_locked(a);
	default:
		return -ENOTTY;
	}
}

static int ioctl_range(struct gdrt_imp_file *f, unsigned int cmd, struct gdrt_range __user *user)
{
	struct gdrt_imp_attachment *a;
	struct gdrt_range arg;
	int ret = 0;
	u32 i;

	if (copy_from_user(&arg, user, sizeof(arg)))
		return -EFAULT;
	if (!arg.count || arg.pad)
		return -EINVAL;
	for (i = 0; i < arg.count && !ret; i++) {
		a = xa_load(&f->attachments, arg.handle + i);
		if (!a)
			return -ENOENT;
		ret = fatal_signal_pending(current) ? -EINTR : do_one(f, cmd, a);
		cond_resched();
	}
	return ret;
}

static long importer_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct gdrt_imp_file *f = file->private_data;
	void __user *user = (void __user *)arg;
	int ret;

	switch (cmd) {
	case GDRT_ATTACH:
	case GDRT_DETACH:
	case GDRT_MAP:
	case GDRT_UNMAP:
	case GDRT_PIN:
	case GDRT_UNPIN:
	case GDRT_MAP_LOCKED:
	case GDRT_UNMAP_LOCKED:
		break;
	default:
		return -ENOTTY;
	}
	if (mutex_lock_killable(&f->lock))
		return -EINTR;
	ret = cmd == GDRT_ATTACH ? ioctl_attach(f, user) : ioctl_range(f, cmd, user);
	mutex_unlock(&f->lock);
	return ret;
}

static int importer_open(struct inode *inode, struct file *file)
{
	struct gdrt_imp_file *f;

	f = kzalloc(sizeof(*f), GFP_KERNEL);
	if (!f)
		return -ENOMEM;
	mutex_init(&f->lock);
	xa_init(&f->attachments);
	file->private_data = f;
	mutex_lock(&files_lock);
	list_add_tail(&f->node, &files);
	mutex_unlock(&files_lock);
	return 0;
}

static int importer_release(struct inode *inode, struct file *file)
{
	struct gdrt_imp_file *f = file->private_data;
	struct gdrt_imp_attachment *a;
	unsigned long handle;

	/*
	 * The file stays in the list while it is emptied, so that a function
	 * that is unbound meanwhile waits for it.
	 */
	mutex_lock(&f->lock);
	xa_for_each(&f->attachments, handle, a) {
		erase(f, a);
		cond_resched();
	}
	mutex_unlock(&f->lock);
	mutex_lock(&files_lock);
	list_del(&f->node);
	mutex_unlock(&files_lock);
	xa_destroy(&f->attachments);
	mutex_destroy(&f->lock);
	kfree(f);
	return 0;
}

/**
 * gdrt_imp_file_drop_function - detach all attachments of a function
 * @function: the function; no file can find it any more
 */
void gdrt_imp_file_drop_function(struct gdrt_imp_function *function)
{
	struct gdrt_imp_attachment *a;
	struct gdrt_imp_file *f;
	unsigned long handle;

	mutex_lock(&files_lock);
	list_for_each_entry(f, &files, node) {
		mutex_lock(&f->lock);
		xa_for_each(&f->attachments, handle, a)
			if (a->function == function)
				erase(f, a);
		mutex_unlock(&f->lock);
	}
	mutex_unlock(&files_lock);
}

const struct file_operations gdrt_imp_fops = {
	.owner = THIS_MODULE,
	.open = importer_open,
	.release = importer_release,
	.unlocked_ioctl = importer_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};
