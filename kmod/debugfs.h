/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of debugfs share. */
#ifndef GDRT_DEBUGFS_H
#define GDRT_DEBUGFS_H

struct gdrt_owner_desc;
struct seq_file;

int gdrt_failures_show(struct seq_file *m, void *v);
int gdrt_latency_show(struct seq_file *m, void *v);
void gdrt_debugfs_owner(struct seq_file *m, const struct gdrt_owner_desc *o);

#endif /* GDRT_DEBUGFS_H */
