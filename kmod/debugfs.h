/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of debugfs share. */
#ifndef GDRT_DEBUGFS_H
#define GDRT_DEBUGFS_H

#include <linux/fs.h>

struct gdrt_owner_desc;
struct seq_file;

extern const struct file_operations gdrt_failures_fops;
extern const struct file_operations gdrt_latency_fops;

void gdrt_debugfs_owner(struct seq_file *m, const struct gdrt_owner_desc *o);

#endif /* GDRT_DEBUGFS_H */
