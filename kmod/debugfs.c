// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/debug/gdr_telemetry: tables for people, nothing to parse. Read
 * only and for root. Described in Documentation/ABI/testing/debugfs-gdr_telemetry.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/string_helpers.h>

#include "debugfs.h"
#include "gdr_telemetry.h"

static struct dentry *root;

/* A walk over a table of the model, which goes on where the last read ended. */
struct cursor {
	bool	(*next)(struct cursor *c);
	loff_t	pos;	/* index of what was read last, from 1 on; 0: before the first */
	u32	bucket;
	u64	last;
	bool	valid;	/* the record below is the one at @pos */
	union {
		struct gdrt_snapshot	attachment;
		struct gdrt_buffer	buffer;
	};
};

static void rewind(struct cursor *c)
{
	c->pos = 0;
	c->bucket = 0;
	c->last = U64_MAX;
	c->valid = false;
}

/* Position 0 is the line of headings; record n is position n. */
static void *cursor_start(struct seq_file *m, loff_t *pos)
{
	struct cursor *c = m->private;

	if (!*pos)
		return SEQ_START_TOKEN;
	if (!c->last || *pos < c->pos)
		rewind(c);
	while (c->pos < *pos) {
		c->valid = c->next(c);
		if (!c->valid)
			return NULL;
		c->pos++;
	}
	return c->valid ? c : NULL;
}

static void *cursor_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return cursor_start(m, pos);
}

static void cursor_stop(struct seq_file *m, void *v)
{
}

static int cursor_open(struct file *file, const struct seq_operations *ops,
		       bool (*next)(struct cursor *c))
{
	struct cursor *c = __seq_open_private(file, ops, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->next = next;
	return 0;
}

/**
 * gdrt_debugfs_owner() - the last two columns of a table: PID and COMM
 * @m: the file
 * @o: the process, NULL if there is none or it is not known
 *
 * Context: process, the reader's.
 */
void gdrt_debugfs_owner(struct seq_file *m, const struct gdrt_owner_desc *o)
{
	char comm[4 * TASK_COMM_LEN + 1] = "";

	if (!o) {
		seq_printf(m, "%-8s -", "-");
		return;
	}
	/* A process chooses its name: it must not break a line or a terminal. */
	string_escape_str(o->comm, comm, sizeof(comm) - 1,
			  ESCAPE_SPACE | ESCAPE_SPECIAL | ESCAPE_NP, NULL);
	seq_printf(m, "%-8d %s", gdrt_owner_vnr(o), comm);
}

/* ---- attachments -------------------------------------------------------- */

static const char * const placements[] = {
	[GDR_TELEMETRY_PLACEMENT_UNKNOWN] = "unknown",
	[GDR_TELEMETRY_PLACEMENT_PEER_BAR] = "peer-bar",
	[GDR_TELEMETRY_PLACEMENT_SYSTEM_RAM] = "system-ram",
	[GDR_TELEMETRY_PLACEMENT_COHERENT] = "coherent",
	[GDR_TELEMETRY_PLACEMENT_IOMMU] = "iommu",
};

static bool next_attachment(struct cursor *c)
{
	return gdrt_registry_next(&c->bucket, &c->last, &c->attachment);
}

static int attachments_show(struct seq_file *m, void *v)
{
	const struct gdrt_snapshot *s = &((struct cursor *)v)->attachment;
	u32 flags;

	if (v == SEQ_START_TOKEN) {
		seq_printf(m, "%-8s %-10s %-14s %-16s %-16s %-10s %-6s %-6s %-8s %s\n", "ID",
			   "BUFFER", "BYTES", "EXPORTER", "IMPORTER", "PLACEMENT", "STATE", "MR",
			   "PID", "COMM");
		return 0;
	}
	flags = gdrt_attachment_flags(s);
	seq_printf(m, "%-8llu %-10llu %-14llu %-16s %-16s %-10s %c%c%c%c%c  ", s->att.id, s->inode,
		   s->size, s->exporter->name, s->importer->name,
		   s->att.mapped ? placements[s->att.placement] : "-",
		   flags & GDR_TELEMETRY_ATTACHMENT_FLAG_MAPPED ? 'm' : '-',
		   flags & GDR_TELEMETRY_ATTACHMENT_FLAG_PINNED ? 'p' : '-',
		   flags & GDR_TELEMETRY_ATTACHMENT_FLAG_PEER2PEER ? 'x' : '-',
		   flags & GDR_TELEMETRY_ATTACHMENT_FLAG_PREEXISTING ? 'o' : '-',
		   flags & GDR_TELEMETRY_ATTACHMENT_FLAG_ORPHAN ? '!' : '-');
	if (s->att.mr.key)
		seq_printf(m, "%-6u ", s->att.mr.number);
	else
		seq_printf(m, "%-6s ", s->att.devx ? "devx" : "-");
	gdrt_debugfs_owner(m, s->has_owner ? &s->owner.desc : NULL);
	seq_putc(m, '\n');
	return 0;
}

static const struct seq_operations attachments_ops = {
	.start = cursor_start,
	.next = cursor_next,
	.stop = cursor_stop,
	.show = attachments_show,
};

static int attachments_open(struct inode *inode, struct file *file)
{
	return cursor_open(file, &attachments_ops, next_attachment);
}

static const struct file_operations attachments_fops = {
	.owner = THIS_MODULE,
	.open = attachments_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = seq_release_private,
};

/* ---- buffers ------------------------------------------------------------ */

static bool next_buffer(struct cursor *c)
{
	return gdrt_buffers_next(&c->bucket, &c->last, &c->buffer);
}

static int buffers_show(struct seq_file *m, void *v)
{
	const struct gdrt_buffer *b = &((struct cursor *)v)->buffer;

	if (v == SEQ_START_TOKEN) {
		seq_printf(m, "%-10s %-14s %-16s %-12s %-8s %s\n", "BUFFER", "BYTES", "EXPORTER",
			   "ATTACHMENTS", "MAPPED", "PINNED");
		return 0;
	}
	seq_printf(m, "%-10llu %-14llu %-16s %-12u %-8u %u\n", b->inode, b->size,
		   b->exporter->name, b->attachments, b->mapped, b->pinned);
	return 0;
}

static const struct seq_operations buffers_ops = {
	.start = cursor_start,
	.next = cursor_next,
	.stop = cursor_stop,
	.show = buffers_show,
};

static int buffers_open(struct inode *inode, struct file *file)
{
	return cursor_open(file, &buffers_ops, next_buffer);
}

static const struct file_operations buffers_fops = {
	.owner = THIS_MODULE,
	.open = buffers_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = seq_release_private,
};

/* ---- failures, latency: debugfs_failure.c -------------------------------- */

DEFINE_SHOW_ATTRIBUTE(gdrt_failures);
DEFINE_SHOW_ATTRIBUTE(gdrt_latency);

/* ---- probes ------------------------------------------------------------- */

static int probes_show(struct seq_file *m, void *v)
{
	static const char * const states[] = {
		[GDR_TELEMETRY_PROBE_STATE_DISARMED] = "disarmed",
		[GDR_TELEMETRY_PROBE_STATE_ARMED] = "armed",
		[GDR_TELEMETRY_PROBE_STATE_MISSING] = "missing",
		[GDR_TELEMETRY_PROBE_STATE_FAILED] = "failed",
	};
	unsigned int i;

	seq_printf(m, "%-36s %-6s %-9s %-6s %s\n", "SYMBOL", "NEEDED", "STATE", "ERROR", "MISSED");
	for (i = 0; i < gdrt_probes_count(); i++) {
		const struct gdrt_probe *p = gdrt_probe_at(i);

		seq_printf(m, "%-36s %-6s %-9s %-6d %llu\n", p->rp.kp.symbol_name,
			   p->needed ? "yes" : "no", states[p->state],
			   p->state == GDR_TELEMETRY_PROBE_STATE_FAILED ? p->error : 0,
			   gdrt_probe_missed(p));
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(probes);

/**
 * gdrt_debugfs_init() - make the directory
 *
 * Without debugfs there is none, which is no error.
 *
 * Context: process, may sleep.
 */
void gdrt_debugfs_init(void)
{
	root = debugfs_create_dir("gdr_telemetry", NULL);
	debugfs_create_file("attachments", 0400, root, NULL, &attachments_fops);
	debugfs_create_file("buffers", 0400, root, NULL, &buffers_fops);
	debugfs_create_file("failures", 0400, root, NULL, &gdrt_failures_fops);
	debugfs_create_file("latency", 0400, root, NULL, &gdrt_latency_fops);
	debugfs_create_file("probes", 0400, root, NULL, &probes_fops);
}

/**
 * gdrt_debugfs_exit() - remove the directory
 *
 * Returns when no file is being read any more.
 *
 * Context: process, may sleep.
 */
void gdrt_debugfs_exit(void)
{
	debugfs_remove_recursive(root);
}
