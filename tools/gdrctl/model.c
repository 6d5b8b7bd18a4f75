// SPDX-License-Identifier: GPL-2.0
/* Netlink attributes as C structures. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "model.h"

enum kind { KIND_NONE, KIND_U32, KIND_U64, KIND_STR };

/**
 * struct field - where an attribute goes
 * @kind: its type; KIND_NONE: not known or not plain
 * @offset: of the member
 */
struct field {
	enum kind kind;
	size_t offset;
};

#define U32(type, member) { KIND_U32, offsetof(struct type, member) }
#define U64(type, member) { KIND_U64, offsetof(struct type, member) }
#define STR(type, member) { KIND_STR, offsetof(struct type, member) }

#define P(attr) [GDR_TELEMETRY_A_PROBE_##attr]
static const struct field probe_fields[GDR_TELEMETRY_A_PROBE_MAX + 1] = {
	P(SYMBOL) = STR(probe, symbol),
	P(STATE) = U32(probe, state),
	P(ERROR) = U32(probe, error),
	P(MISSED) = U64(probe, missed),
};

#define A(attr) [GDR_TELEMETRY_A_ATTACHMENT_##attr]
static const struct field attachment_fields[GDR_TELEMETRY_A_ATTACHMENT_MAX + 1] = {
	A(ID) = U64(attachment, id),
	A(BUFFER) = U64(attachment, buffer),
	A(SIZE) = U64(attachment, size),
	A(MECHANISM) = U32(attachment, mechanism),
	A(FLAGS) = U32(attachment, flags),
	A(IMPORTER) = STR(attachment, importer),
	A(IMPORTER_DRIVER) = STR(attachment, importer_driver),
	A(EXPORTER) = STR(attachment, exporter),
	A(EXPORTER_MODULE) = STR(attachment, exporter_module),
	A(EXPORTER_NAME) = STR(attachment, exporter_name),
	A(PID) = U32(attachment, pid),
	A(COMM) = STR(attachment, comm),
	A(ATTACH_TIME) = U64(attachment, attach_time),
	A(MAPS) = U64(attachment, maps),
	A(PINS) = U32(attachment, pins),
	A(PLACEMENT) = U32(attachment, placement),
	A(KIND) = U32(attachment, kind),
	A(UID) = U32(attachment, uid),
	A(CGROUP) = U64(attachment, cgroup),
	A(START_TIME) = U64(attachment, start_time),
	A(EXITED) = U64(attachment, exited),
	A(MR_NUMBER) = U32(attachment, mr_number),
	A(MR_LKEY) = U32(attachment, mr_lkey),
	A(MR_RKEY) = U32(attachment, mr_rkey),
	A(MR_PD) = U32(attachment, mr_pd),
	A(MR_ACCESS) = U32(attachment, mr_access),
	A(MR_OFFSET) = U64(attachment, mr_offset),
	A(MR_LENGTH) = U64(attachment, mr_length),
	A(MR_IOVA) = U64(attachment, mr_iova),
};

/* The other attributes of a status, all u64, go to value[]. */
#define S(attr) [GDR_TELEMETRY_A_STATUS_##attr]
static const struct field status_fields[GDR_TELEMETRY_A_STATUS_MAX + 1] = {
	S(VERSION) = STR(status, version),
	S(TRACK) = U32(status, track),
	S(CORE) = U32(status, core),
	S(MR_JOIN) = U32(status, mr_join),
	S(INEXACT_REASONS) = U32(status, inexact_reasons),
};

_Static_assert(GDR_TELEMETRY_A_STATUS_MAX < 64, "present has a bit for each attribute");
_Static_assert(GDR_TELEMETRY_A_ATTACHMENT_MAX < 64, "present has a bit for each attribute");

static int get_field(const struct nlattr *nla, const struct field *f, void *to)
{
	char *member = (char *)to + f->offset;
	uint64_t v;
	int err;

	if (f->kind == KIND_STR) {
		attr_string(nla, member);
		return 0;
	}
	err = attr_number(nla, f->kind == KIND_U32 ? UINT32_MAX : UINT64_MAX, &v);
	if (err)
		return err;
	if (f->kind == KIND_U32)
		*(uint32_t *)(void *)member = (uint32_t)v;
	else
		*(uint64_t *)(void *)member = v;
	return 0;
}

static int parse_probe(const struct nlattr *nest, struct probe *p)
{
	struct nlattr *nla;
	int left, err;

	memset(p, 0, sizeof(*p));
	for_each_attr(nla, left, nla_data(nest), nla_len(nest)) {
		int type = nla_type(nla);

		if (type > GDR_TELEMETRY_A_PROBE_MAX)
			continue;
		if (type == GDR_TELEMETRY_A_PROBE_NEEDED) {
			p->needed = true;
		} else if (probe_fields[type].kind) {
			err = get_field(nla, &probe_fields[type], p);
			if (err)
				return err;
		} else {
			continue;
		}
		p->present |= 1ULL << type;
	}
	return attrs_ended(left) ? 0 : -EBADMSG;
}

static int add_probe(const struct nlattr *nest, struct status *s)
{
	/* Room doubles at each power of two, so that many probes stay cheap. */
	if (!(s->n_probes & (s->n_probes - 1))) {
		size_t room = s->n_probes ? 2 * s->n_probes : 1;
		struct probe *p = realloc(s->probes, room * sizeof(*p));

		if (!p)
			return -ENOMEM;
		s->probes = p;
	}
	return parse_probe(nest, &s->probes[s->n_probes++]);
}

int model_status(const void *attrs, size_t len, struct status *s)
{
	struct nlattr *nla;
	int left, err;

	memset(s, 0, sizeof(*s));
	for_each_attr(nla, left, attrs, len) {
		int type = nla_type(nla);

		if (type > GDR_TELEMETRY_A_STATUS_MAX || type <= GDR_TELEMETRY_A_STATUS_PAD)
			continue;
		if (type == GDR_TELEMETRY_A_STATUS_PROBE)
			err = add_probe(nla, s);
		else if (status_fields[type].kind)
			err = get_field(nla, &status_fields[type], s);
		else
			err = attr_number(nla, UINT64_MAX, &s->value[type]);
		if (err)
			return err;
		s->present |= 1ULL << type;
	}
	return attrs_ended(left) ? 0 : -EBADMSG;
}

void model_status_free(struct status *s)
{
	free(s->probes);
	s->probes = NULL;
	s->n_probes = 0;
}

int model_attachment(const void *attrs, size_t len, struct attachment *a)
{
	struct nlattr *nla;
	int left, err;

	memset(a, 0, sizeof(*a));
	for_each_attr(nla, left, attrs, len) {
		int type = nla_type(nla);

		if (type > GDR_TELEMETRY_A_ATTACHMENT_MAX || !attachment_fields[type].kind)
			continue;
		err = get_field(nla, &attachment_fields[type], a);
		if (err)
			return err;
		a->present |= 1ULL << type;
	}
	return attrs_ended(left) ? 0 : -EBADMSG;
}

int attachments_add(struct attachments *list, const struct attachment *a)
{
	if (list->n == list->room) {
		size_t room = list->room ? 2 * list->room : 16;
		struct attachment *item = realloc(list->item, room * sizeof(*item));

		if (!item)
			return -ENOMEM;
		list->item = item;
		list->room = room;
	}
	list->item[list->n++] = *a;
	return 0;
}

static int by_id(const void *a, const void *b)
{
	const struct attachment *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

void attachments_sort(struct attachments *list)
{
	if (list->n)
		qsort(list->item, list->n, sizeof(*list->item), by_id);
}

void attachments_free(struct attachments *list)
{
	free(list->item);
	memset(list, 0, sizeof(*list));
}
