// SPDX-License-Identifier: GPL-2.0
/* Attachments added up by who made them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cgroup.h"
#include "gpus.h"
#include "names.h"
#include "owners.h"

#define HAS(a, attr) model_has((a)->present, GDR_TELEMETRY_A_ATTACHMENT_##attr)
#define FLAG(f) GDR_TELEMETRY_ATTACHMENT_FLAG_##f

static int order(uint64_t m, uint64_t n)
{
	return (m > n) - (m < n);
}

/* A number that is not there comes before 0. */
#define ORDER(x, y, attr, member)                                                                \
	(HAS(x, attr) && HAS(y, attr) ? order((x)->member, (y)->member) :                        \
					!!HAS(x, attr) - !!HAS(y, attr))

static int by_process(const struct attachment *x, const struct attachment *y)
{
	int result = ORDER(x, y, START_TIME, start_time);

	if (!result)
		result = ORDER(x, y, PID, pid);
	/* Without these two, a kernel thread say, the name is all there is. */
	if (!result && !HAS(x, START_TIME) && !HAS(x, PID))
		result = strcmp(x->comm, y->comm);
	return result;
}

static int by_pair(const struct attachment *x, const struct attachment *y)
{
	int result = by_process(x, y);

	if (!result)
		result = strcmp(x->exporter, y->exporter);
	return result ? result : strcmp(x->importer, y->importer);
}

static int by_owner(enum owner_by by, const struct attachment *x, const struct attachment *y)
{
	if (by == OWNER_CGROUP)
		return ORDER(x, y, CGROUP, cgroup);
	return by == OWNER_PAIR ? by_pair(x, y) : by_process(x, y);
}

static int by_owner_and_process(const void *a, const void *b, void *by)
{
	int result = by_owner(*(enum owner_by *)by, a, b);

	return result ? result : by_process(a, b);
}

static int by_owner_and_buffer(const void *a, const void *b, void *by)
{
	const struct attachment *x = a, *y = b;
	int result = by_owner(*(enum owner_by *)by, x, y);

	if (!result)
		result = order(x->buffer, y->buffer);
	return result ? result : order(x->id, y->id);
}

static void count(struct record *r, int attr, uint64_t n)
{
	record_set_number(r, attr, record_number(r, attr) + n);
}

static int add_devices(struct record *r, const struct attachment *a, bool names)
{
	const struct gpu *gpu = names && HAS(a, EXPORTER) ? gpus_find(a->exporter) : NULL;
	char list[IBDEVS_SIZE], *save, *name, index[16];
	int err = 0;

	if (HAS(a, IMPORTER)) {
		err |= record_add_name(r, O_IMPORTERS, a->importer);
		*list = 0;
		if (names)
			names_ibdevs(a->importer, list);
		for (name = strtok_r(list, ",", &save); name; name = strtok_r(NULL, ",", &save))
			err |= record_add_name(r, O_IBDEVS, name);
	}
	if (HAS(a, EXPORTER)) {
		err |= record_add_name(r, O_EXPORTERS, a->exporter);
		snprintf(index, sizeof(index), "%u", gpu ? gpu->index : 0);
		err |= record_add_name(r, O_GPUS, gpu ? index : a->exporter);
	}
	return err ? -ENOMEM : 0;
}

/* What all attachments of a process have alike; the newest comes last. */
static int set_process(struct record *r, const struct attachment *a)
{
	if (HAS(a, PID))
		record_set_number(r, O_PID, a->pid);
	if (HAS(a, UID))
		record_set_number(r, O_UID, a->uid);
	if (HAS(a, START_TIME))
		record_set_number(r, O_START, a->start_time);
	if (HAS(a, EXITED))
		record_set_number(r, O_EXITED, a->exited);
	if (HAS(a, PID) || HAS(a, START_TIME) || HAS(a, EXITED))
		record_set_number(r, O_GONE, HAS(a, EXITED));
	return HAS(a, COMM) ? record_set_text(r, O_COMM, a->comm) : 0;
}

static int set_cgroup(struct record *r, uint64_t id, bool names)
{
	const char *path = names ? cgroup_path(id) : NULL;
	struct cgroup_owner o;
	int err;

	record_set_number(r, O_CGROUP, id);
	if (!path)
		return 0;
	cgroup_owner(path, &o);
	err = record_set_text(r, O_PATH, path);
	if (*o.container)
		err |= record_set_text(r, O_CONTAINER, o.container);
	if (*o.pod)
		err |= record_set_text(r, O_POD, o.pod);
	if (*o.job)
		err |= record_set_text(r, O_JOB, o.job);
	return err ? -ENOMEM : 0;
}

static void add_times(struct record *r, const struct attachment *a)
{
	if (HAS(a, ATTACH_TIME) &&
	    (!record_has(r, O_OLDEST) || a->attach_time < record_number(r, O_OLDEST)))
		record_set_number(r, O_OLDEST, a->attach_time);
}

/* The attachments @a of one owner, those to a buffer one after the other. */
static int add_up(struct record *r, const struct attachment *a, size_t n, enum owner_by by,
		  bool names)
{
	const struct attachment *newest = a, *pinned = NULL, *mapped = NULL;
	int err = 0;

	for (int attr = O_ATTACHMENTS; attr <= O_MR_BYTES; attr++)
		record_set_number(r, attr, 0);
	for (size_t i = 0; !err && i < n; i++) {
		count(r, O_ATTACHMENTS, 1);
		count(r, O_ORPHANS, !!(a[i].flags & FLAG(ORPHAN)));
		count(r, O_BUFFERS, !i || a[i].buffer != a[i - 1].buffer);
		if (a[i].flags & FLAG(PINNED) && !(pinned && pinned->buffer == a[i].buffer)) {
			pinned = &a[i];
			count(r, O_PINNED, a[i].size);
		}
		if (a[i].flags & FLAG(MAPPED) && !(mapped && mapped->buffer == a[i].buffer)) {
			mapped = &a[i];
			count(r, O_MAPPED, a[i].size);
		}
		if (HAS(&a[i], MR_NUMBER)) {
			count(r, O_MRS, 1);
			count(r, O_MR_BYTES, a[i].mr_length);
		}
		if (a[i].id > newest->id)
			newest = &a[i];
		add_times(r, &a[i]);
		err = add_devices(r, &a[i], names);
	}
	if (!err && by != OWNER_CGROUP)
		err = set_process(r, newest);
	if (!err && HAS(newest, CGROUP))
		err = set_cgroup(r, newest->cgroup, names);
	return err;
}

/* How many attachments from @a on are of the same owner. */
static size_t of_owner(enum owner_by by, const struct attachment *a, size_t left)
{
	size_t n = 1;

	while (n < left && !by_owner(by, a, &a[n]))
		n++;
	return n;
}

int owners_make(enum owner_by by, bool names, struct attachments *list, struct records *owners)
{
	size_t first = owners->n, n;
	int err = 0;

	if (!list->n)
		return 0;
	qsort_r(list->item, list->n, sizeof(*list->item), by_owner_and_process, &by);
	for (size_t i = 0; !err && i < list->n; i += n) {
		struct record r = { .present = 0 };

		n = of_owner(by, &list->item[i], list->n - i);
		record_set_number(&r, O_PROCESSES, 1);
		for (size_t j = i + 1; j < i + n; j++)
			count(&r, O_PROCESSES, !!by_process(&list->item[j], &list->item[j - 1]));
		err = records_add(owners, &r);
	}
	/* In the same order of the owners. */
	qsort_r(list->item, list->n, sizeof(*list->item), by_owner_and_buffer, &by);
	for (size_t i = 0; !err && i < list->n; i += n) {
		n = of_owner(by, &list->item[i], list->n - i);
		err = add_up(&owners->item[first++], &list->item[i], n, by, names);
	}
	return err;
}
