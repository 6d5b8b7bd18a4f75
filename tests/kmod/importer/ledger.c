// SPDX-License-Identifier: GPL-2.0
/* The importer's ledger: a count of each call it makes, and what is in force. */
#include <linux/debugfs.h>
#include <linux/seq_file.h>

#include "importer.h"

static const char * const call_names[GDRT_IMP_CALLS] = {
	[GDRT_IMP_CALL_ATTACH] = "attach",
	[GDRT_IMP_CALL_ATTACH_FAILED] = "attach_failed",
	[GDRT_IMP_CALL_DETACH] = "detach",
	[GDRT_IMP_CALL_MAP] = "map",
	[GDRT_IMP_CALL_MAP_FAILED] = "map_failed",
	[GDRT_IMP_CALL_UNMAP] = "unmap",
	[GDRT_IMP_CALL_PIN] = "pin",
	[GDRT_IMP_CALL_PIN_FAILED] = "pin_failed",
	[GDRT_IMP_CALL_UNPIN] = "unpin",
	[GDRT_IMP_CALL_INVALIDATE] = "invalidate",
};

static const char * const mode_names[] = {
	[GDRT_IMPORT_STATIC] = "static",
	[GDRT_IMPORT_DYNAMIC] = "dynamic",
	[GDRT_IMPORT_PINNED] = "pinned",
	[GDRT_IMPORT_REVOCABLE] = "revocable",
	[GDRT_IMPORT_DYNAMIC_NO_P2P] = "dynamic_no_p2p",
};

static DEFINE_MUTEX(ledger_lock);
static LIST_HEAD(attachments);
static u64 calls[GDRT_IMP_CALLS];
static struct dentry *debugfs_dir;

/**
 * gdrt_imp_ledger_count - count one call
 * @call: which
 */
void gdrt_imp_ledger_count(enum gdrt_imp_call call)
{
	mutex_lock(&ledger_lock);
	calls[call]++;
	mutex_unlock(&ledger_lock);
}

/**
 * gdrt_imp_ledger_attach - enter a new attachment
 * @a: the attachment
 */
void gdrt_imp_ledger_attach(struct gdrt_imp_attachment *a)
{
	mutex_lock(&ledger_lock);
	calls[GDRT_IMP_CALL_ATTACH]++;
	list_add_tail(&a->node, &attachments);
	mutex_unlock(&ledger_lock);
}

/**
 * gdrt_imp_ledger_detach - strike out an attachment
 * @a: the attachment
 */
void gdrt_imp_ledger_detach(struct gdrt_imp_attachment *a)
{
	mutex_lock(&ledger_lock);
	calls[GDRT_IMP_CALL_DETACH]++;
	list_del(&a->node);
	mutex_unlock(&ledger_lock);
}

/**
 * gdrt_imp_ledger_map - enter a map call that succeeded
 * @a: the attachment
 */
void gdrt_imp_ledger_map(struct gdrt_imp_attachment *a)
{
	mutex_lock(&ledger_lock);
	calls[GDRT_IMP_CALL_MAP]++;
	a->mapped = true;
	mutex_unlock(&ledger_lock);
}

/**
 * gdrt_imp_ledger_unmap - enter an unmap call
 * @a: the attachment
 */
void gdrt_imp_ledger_unmap(struct gdrt_imp_attachment *a)
{
	mutex_lock(&ledger_lock);
	calls[GDRT_IMP_CALL_UNMAP]++;
	a->mapped = false;
	mutex_unlock(&ledger_lock);
}

/**
 * gdrt_imp_ledger_pin - enter a pin call that succeeded
 * @a: the attachment, its reservation lock held
 */
void gdrt_imp_ledger_pin(struct gdrt_imp_attachment *a)
{
	mutex_lock(&ledger_lock);
	calls[GDRT_IMP_CALL_PIN]++;
	a->pins++;
	mutex_unlock(&ledger_lock);
}

/**
 * gdrt_imp_ledger_unpin - enter an unpin call
 * @a: the attachment, its reservation lock held
 */
void gdrt_imp_ledger_unpin(struct gdrt_imp_attachment *a)
{
	mutex_lock(&ledger_lock);
	calls[GDRT_IMP_CALL_UNPIN]++;
	a->pins--;
	mutex_unlock(&ledger_lock);
}

static void show_totals(struct seq_file *s)
{
	unsigned int n = 0, mapped = 0, pinned = 0;
	struct gdrt_imp_attachment *a;
	int i;

	seq_puts(s, "calls");
	for (i = 0; i < GDRT_IMP_CALLS; i++)
		seq_printf(s, " %s %llu", call_names[i], calls[i]);
	list_for_each_entry(a, &attachments, node) {
		n++;
		mapped += a->mapped;
		pinned += !!a->pins;
	}
	seq_printf(s, "\nlive attachments %u mapped %u pinned %u\n", n, mapped, pinned);
}

static int ledger_show(struct seq_file *s, void *unused)
{
	struct gdrt_imp_attachment *a;

	mutex_lock(&ledger_lock);
	show_totals(s);
	list_for_each_entry(a, &attachments, node) {
		seq_printf(s, "attachment %llu buffer %llu importer %s mode %s mapped %d pins %u\n",
			   a->handle, a->inode, pci_name(a->function->pdev), mode_names[a->mode],
			   a->mapped, a->pins);
		/* The file is shown again in a larger buffer: go on only if it fits. */
		if (seq_has_overflowed(s))
			break;
	}
	mutex_unlock(&ledger_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(ledger);

static int functions_show(struct seq_file *s, void *unused)
{
	gdrt_imp_function_show(s);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(functions);

/**
 * gdrt_imp_ledger_init - show the ledger in debugfs
 */
void gdrt_imp_ledger_init(void)
{
	debugfs_dir = debugfs_create_dir("gdrt_importer", NULL);
	debugfs_create_file("ledger", 0444, debugfs_dir, NULL, &ledger_fops);
	debugfs_create_file("functions", 0444, debugfs_dir, NULL, &functions_fops);
}

/**
 * gdrt_imp_ledger_exit - take the ledger out of debugfs
 */
void gdrt_imp_ledger_exit(void)
{
	debugfs_remove_recursive(debugfs_dir);
}
