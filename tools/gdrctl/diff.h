/* SPDX-License-Identifier: GPL-2.0 */
/* Two snapshots compared: a record for each difference. */
#ifndef GDRCTL_DIFF_H
#define GDRCTL_DIFF_H

#include "record.h"
#include "snapshot.h"

/**
 * enum relation - what lies between two snapshots
 * @RELATION_SAME_LOAD: nothing: the module was loaded throughout
 * @RELATION_RELOADED: the module was loaded anew: its counters and ids began again
 * @RELATION_OTHER_BOOT: the kernel was booted anew, or it is another machine
 */
enum relation { RELATION_SAME_LOAD, RELATION_RELOADED, RELATION_OTHER_BOOT };

/**
 * enum diff_attr - the attributes of a difference
 * @X_WHAT: what differs: snapshot, orphan, total, owner, pair, failure, importer, exporter,
 *	attachment
 * @X_CHANGE: new, gone, changed; of the snapshot the relation; of an orphan also there; of an owner
 *	also failed
 * @X_NAME: of a total or a device
 * @X_ID: of an attachment
 * @X_EXPORTER: as in the lists
 * @X_IMPORTER: likewise
 * @X_IBDEVS: likewise
 * @X_STAGE: of a failure
 * @X_ERRNO: likewise
 * @X_ERRNO_NAME: likewise
 * @X_PID: of a process
 * @X_COMM: likewise
 * @X_START: likewise: when it started, nanoseconds of CLOCK_BOOTTIME
 * @X_BUFFER: inode number
 * @X_SIZE: of the buffer
 * @X_NEW_FAILURES: failures of the process since
 * @X_TIME: when it was saved; this and the following come in pairs: before, after
 * @X_BOOT_ID: of the kernel
 * @X_HOST: of the machine
 * @X_VERSION: of the module
 * @X_INEXACT: the numbers may be wrong
 * @X_ATTACHMENTS: live ones
 * @X_ORPHANS: those whose process has exited
 * @X_MRS: live ones
 * @X_MR_BYTES: what they cover
 * @X_PINNED: bytes that are pinned
 * @X_FAILURES: failed calls
 * @X_COUNT: how often it failed so
 * @X_VALUE: of a total
 */
enum diff_attr {
	X_WHAT = 1,
	X_CHANGE,
	X_NAME,
	X_ID,
	X_EXPORTER,
	X_IMPORTER,
	X_IBDEVS,
	X_STAGE,
	X_ERRNO,
	X_ERRNO_NAME,
	X_PID,
	X_COMM,
	X_START,
	X_BUFFER,
	X_SIZE,
	X_NEW_FAILURES,
	X_TIME,
	X_BOOT_ID = X_TIME + 2,
	X_HOST = X_BOOT_ID + 2,
	X_VERSION = X_HOST + 2,
	X_INEXACT = X_VERSION + 2,
	X_ATTACHMENTS = X_INEXACT + 2,
	X_ORPHANS = X_ATTACHMENTS + 2,
	X_MRS = X_ORPHANS + 2,
	X_MR_BYTES = X_MRS + 2,
	X_PINNED = X_MR_BYTES + 2,
	X_FAILURES = X_PINNED + 2,
	X_COUNT = X_FAILURES + 2,
	X_VALUE = X_COUNT + 2,
};

/** DIFF_AFTER - the second of a pair */
#define DIFF_AFTER(attr) ((attr) + 1)

/** diff_relation - what lies between @before and @after */
enum relation diff_relation(const struct snapshot *before, const struct snapshot *after);

/** diff_in_order - whether @before is not newer than @after, as far as can be told */
bool diff_in_order(const struct snapshot *before, const struct snapshot *after);

/**
 * diff_make - compare
 * @before: the older one
 * @after: the newer one
 * @list: a record for what the two are, and one for each difference, are appended here; first what
 *	is worst
 *
 * Return: 0 or -ENOMEM
 */
int diff_make(const struct snapshot *before, const struct snapshot *after, struct records *list);

#endif
