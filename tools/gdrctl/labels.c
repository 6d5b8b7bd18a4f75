// SPDX-License-Identifier: GPL-2.0
/* Words that stand for names which are nobody else's business. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "failure.h"
#include "labels.h"
#include "owners.h"

#define NAME_SIZE 320
#define A(name) (1ULL << GDR_TELEMETRY_A_ATTACHMENT_##name)
#define HAS(a, attr) model_has((a)->present, GDR_TELEMETRY_A_ATTACHMENT_##attr)

const char *label_of(struct labels *l, const char *kind, const char *name, char buf[LABEL_SIZE])
{
	char whole[NAME_SIZE];
	unsigned int n = 1;
	struct label *more;

	snprintf(whole, sizeof(whole), "%s %s", kind, name);
	for (size_t i = 0; i < l->n; i++) {
		if (!strcmp(l->item[i].name, whole)) {
			snprintf(buf, LABEL_SIZE, "%s-%u", kind, l->item[i].n);
			return buf;
		}
		n += !strncmp(l->item[i].name, whole, strlen(kind) + 1);
	}
	more = realloc(l->item, (l->n + 1) * sizeof(*more));
	if (!more)
		return NULL;
	l->item = more;
	more[l->n].n = n;
	more[l->n].name = strdup(whole);
	if (!more[l->n].name)
		return NULL;
	l->n++;
	snprintf(buf, LABEL_SIZE, "%s-%u", kind, n);
	return buf;
}

void labels_free(struct labels *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->item[i].name);
	free(l->item);
	memset(l, 0, sizeof(*l));
}

/* A process is told by its start and its pid, as its name changes; of some there is only that. */
static const char *process(struct labels *l, uint64_t start, uint64_t pid, const char *comm,
			   char buf[LABEL_SIZE])
{
	char name[NAME_SIZE];

	snprintf(name, sizeof(name), "%" PRIu64 " %" PRIu64 " %s", start, pid,
		 start || pid || !comm ? "" : comm);
	return label_of(l, "process", name, buf);
}

static int hide_attachment(struct labels *l, struct attachment *a)
{
	char buf[LABEL_SIZE];
	const char *label = process(l, HAS(a, START_TIME) ? a->start_time : 0,
				    HAS(a, PID) ? a->pid : 0, HAS(a, COMM) ? a->comm : NULL, buf);

	if (!label)
		return -ENOMEM;
	if (HAS(a, COMM) || HAS(a, PID)) {
		snprintf(a->comm, sizeof(a->comm), "%s", label);
		a->present |= A(COMM);
	}
	a->present &= ~(A(PID) | A(UID) | A(CGROUP) | A(START_TIME) | A(MR_LKEY) | A(MR_RKEY) |
			A(MR_IOVA));
	return 0;
}

static void unset(struct record *r, const int *attr, size_t n)
{
	while (n--)
		record_unset(r, *attr++);
}

/* The process of a record, whose attributes have these numbers. */
static int hide_process(struct labels *l, struct record *r, int start, int pid, int comm)
{
	const char *name = record_text(r, comm), *label;
	char buf[LABEL_SIZE];

	if (!name && !record_has(r, pid))
		return 0;
	label = process(l, record_number(r, start), record_number(r, pid), name, buf);
	return label ? record_set_text(r, comm, label) : -ENOMEM;
}

static int hide_cgroup(struct labels *l, struct record *r)
{
	const char *kind = record_has(r, O_POD) ? "pod" : record_has(r, O_CONTAINER) ? "container" :
			   record_has(r, O_JOB) ? "job" : "cgroup";
	const int gone[] = { O_CGROUP, O_CONTAINER, O_POD, O_JOB };
	char id[32], buf[LABEL_SIZE];
	const char *label;
	int err;

	if (!record_has(r, O_CGROUP))
		return 0;
	snprintf(id, sizeof(id), "%" PRIu64, record_number(r, O_CGROUP));
	label = label_of(l, kind, id, buf);
	err = label ? record_set_text(r, O_PATH, label) : -ENOMEM;
	unset(r, gone, ARRAY_SIZE(gone));
	return err;
}

static int hide_owner(struct labels *l, struct record *r)
{
	const int gone[] = { O_PID, O_UID, O_START };
	int err = hide_process(l, r, O_START, O_PID, O_COMM);

	if (!err)
		err = hide_cgroup(l, r);
	unset(r, gone, ARRAY_SIZE(gone));
	return err;
}

static int hide_failed(struct labels *l, struct record *r)
{
	const int gone[] = { FAILURE(PID), FAILURE(UID), FAILURE(CGROUP), FAILURE(START_TIME) };
	int err = hide_process(l, r, FAILURE(START_TIME), FAILURE(PID), FAILURE(COMM));

	unset(r, gone, ARRAY_SIZE(gone));
	return err;
}

static int hide_buffer(struct labels *l, struct record *r)
{
	(void)l;
	record_unset(r, BUFFER_NAME);
	return 0;
}

static int hide_gpu(struct labels *l, struct record *r)
{
	(void)l;
	record_unset(r, DEVICE_GPU_UUID);
	return 0;
}

int labels_capture(struct capture *c)
{
	static int (*const hide[CAPTURE_LISTS])(struct labels *l, struct record *r) = {
		[CAPTURE_EXPORTERS] = hide_gpu,
		[CAPTURE_PAIRS] = hide_gpu,
		[CAPTURE_BUFFERS] = hide_buffer,
		[CAPTURE_OWNERS] = hide_owner,
		[CAPTURE_CGROUPS] = hide_cgroup,
		[CAPTURE_FAILURE_LOG] = hide_failed,
	};
	struct labels l = { .n = 0 };
	int err = 0;

	for (size_t i = 0; !err && i < CAPTURE_LISTS; i++)
		for (size_t j = 0; !err && hide[i] && j < c->list[i].n; j++)
			err = hide[i](&l, &c->list[i].item[j]);
	for (size_t i = 0; !err && i < c->attachments.n; i++)
		err = hide_attachment(&l, &c->attachments.item[i]);
	labels_free(&l);
	return err;
}
