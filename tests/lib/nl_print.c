// SPDX-License-Identifier: GPL-2.0
/* What the family sends, in words. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/gdr_telemetry.h>

#include "nl.h"
#include "nl_print.h"

static const char *const mechanisms[] = { "dma-buf", NULL };
static const char *const tracks[] = { "gdr", "all", NULL };
static const char *const cores[] = { "cached", "move-notify", "invalidate", NULL };
static const char *const reasons[] = {
	"probe-missed", "pool-exhausted", "unknown-detach", "preexisting", "probes-off", NULL
};
static const char *const flags[] = {
	"mapped", "pinned", "exporter-dynamic", "importer-dynamic", "peer2peer", "preexisting",
	"exporter-gpu", "importer-hca", "orphan", NULL
};
static const char *const placements[] = {
	"unknown", "peer-bar", "system-ram", "coherent", "iommu", NULL
};
static const char *const kinds[] = { "mr", "devx-umem", NULL };
static const char *const roles[] = { "importer", "exporter", NULL };
static const char *const device_flags[] = { "pci", "present", "gdr", NULL };
static const char *const event_ops[] = {
	"attach", "detach", "map", "unmap", "pin", "unpin", "invalidate", "register",
	"deregister", "fail", NULL
};
static const char *const stages[] = {
	"unknown", "verbs", "umem", "attach", "map", "pin", "hw", "capability-query", NULL
};
static const char *const mr_joins[] = { "no-probe", "on", "foreign-rdma", NULL };
static const char *const latency_ops[] = {
	"attach", "map", "pin", "register", "deregister", NULL
};
static const char *const probe_states[] = { "disarmed", "armed", "missing", "failed", NULL };

#define A(set, field) [GDR_TELEMETRY_A_##set##_##field]

static const struct nl_field probe[] = {
	A(PROBE, SYMBOL) = { "symbol", NL_STRING },
	A(PROBE, STATE) = { "state", NL_ENUM, .names = probe_states },
	A(PROBE, ERROR) = { "error", NL_U32 },
	A(PROBE, MISSED) = { "missed", NL_U64 },
	A(PROBE, NEEDED) = { "needed", NL_FLAG },
};

static const struct nl_field status[] = {
	A(STATUS, VERSION) = { "version", NL_STRING },
	A(STATUS, START_TIME) = { "start-time", NL_U64 },
	A(STATUS, TRACK) = { "track", NL_ENUM, .names = tracks },
	A(STATUS, CORE) = { "core", NL_ENUM, .names = cores },
	A(STATUS, INEXACT_REASONS) = { "inexact-reasons", NL_FLAGS, .names = reasons },
	A(STATUS, BUFFERS) = { "buffers", NL_U64 },
	A(STATUS, ATTACHMENTS) = { "attachments", NL_U64 },
	A(STATUS, MAPPED) = { "mapped", NL_U64 },
	A(STATUS, PREEXISTING) = { "preexisting", NL_U64 },
	A(STATUS, IMPORTERS_ACTIVE) = { "importers-active", NL_U64 },
	A(STATUS, EXPORTERS_ACTIVE) = { "exporters-active", NL_U64 },
	A(STATUS, PINNED_BYTES) = { "pinned-bytes", NL_U64 },
	A(STATUS, PINNED_PAGES) = { "pinned-pages", NL_U64 },
	A(STATUS, PINNED_BYTES_SUM) = { "pinned-bytes-sum", NL_U64 },
	A(STATUS, PINNED_BYTES_PEAK) = { "pinned-bytes-peak", NL_U64 },
	A(STATUS, MAPPED_BYTES) = { "mapped-bytes", NL_U64 },
	A(STATUS, ATTACHMENTS_PEAK) = { "attachments-peak", NL_U64 },
	A(STATUS, ATTACH_TOTAL) = { "attach-total", NL_U64 },
	A(STATUS, DETACH_TOTAL) = { "detach-total", NL_U64 },
	A(STATUS, MAP_TOTAL) = { "map-total", NL_U64 },
	A(STATUS, UNMAP_TOTAL) = { "unmap-total", NL_U64 },
	A(STATUS, PIN_TOTAL) = { "pin-total", NL_U64 },
	A(STATUS, UNPIN_TOTAL) = { "unpin-total", NL_U64 },
	A(STATUS, INVALIDATE_TOTAL) = { "invalidate-total", NL_U64 },
	A(STATUS, ATTACH_FAILURES_TOTAL) = { "attach-failures-total", NL_U64 },
	A(STATUS, MAP_FAILURES_TOTAL) = { "map-failures-total", NL_U64 },
	A(STATUS, PIN_FAILURES_TOTAL) = { "pin-failures-total", NL_U64 },
	A(STATUS, UNTRACKED_TOTAL) = { "untracked-total", NL_U64 },
	A(STATUS, PREEXISTING_DETACHED_TOTAL) = { "preexisting-detached-total", NL_U64 },
	A(STATUS, LOST_PROBE_MISSED_TOTAL) = { "lost-probe-missed-total", NL_U64 },
	A(STATUS, LOST_POOL_EXHAUSTED_TOTAL) = { "lost-pool-exhausted-total", NL_U64 },
	A(STATUS, LOST_UNKNOWN_DETACH_TOTAL) = { "lost-unknown-detach-total", NL_U64 },
	A(STATUS, PROBE) = { "probe", NL_NEST, true, .set = probe },
	A(STATUS, ORPHANS) = { "orphans", NL_U64 },
	A(STATUS, LOST_EVENTS_TOTAL) = { "lost-events-total", NL_U64 },
	A(STATUS, MRS) = { "mrs", NL_U64 },
	A(STATUS, MR_BYTES) = { "mr-bytes", NL_U64 },
	A(STATUS, REGISTER_TOTAL) = { "register-total", NL_U64 },
	A(STATUS, DEREGISTER_TOTAL) = { "deregister-total", NL_U64 },
	A(STATUS, CAPABILITY_QUERIES_TOTAL) = { "capability-queries-total", NL_U64 },
	A(STATUS, UNKNOWN_FAILURES_TOTAL) = { "unknown-failures-total", NL_U64 },
	A(STATUS, VERBS_FAILURES_TOTAL) = { "verbs-failures-total", NL_U64 },
	A(STATUS, UMEM_FAILURES_TOTAL) = { "umem-failures-total", NL_U64 },
	A(STATUS, HW_FAILURES_TOTAL) = { "hw-failures-total", NL_U64 },
	A(STATUS, LOST_FAILURE_RECORDS_TOTAL) = { "lost-failure-records-total", NL_U64 },
	A(STATUS, MR_JOIN) = { "mr-join", NL_ENUM, .names = mr_joins },
};

static const struct nl_field attachment[] = {
	A(ATTACHMENT, ID) = { "id", NL_U64 },
	A(ATTACHMENT, BUFFER) = { "buffer", NL_U64 },
	A(ATTACHMENT, SIZE) = { "size", NL_U64 },
	A(ATTACHMENT, MECHANISM) = { "mechanism", NL_ENUM, .names = mechanisms },
	A(ATTACHMENT, FLAGS) = { "flags", NL_FLAGS, .names = flags },
	A(ATTACHMENT, IMPORTER) = { "importer", NL_STRING },
	A(ATTACHMENT, IMPORTER_DRIVER) = { "importer-driver", NL_STRING },
	A(ATTACHMENT, EXPORTER) = { "exporter", NL_STRING },
	A(ATTACHMENT, EXPORTER_MODULE) = { "exporter-module", NL_STRING },
	A(ATTACHMENT, EXPORTER_NAME) = { "exporter-name", NL_STRING },
	A(ATTACHMENT, PID) = { "pid", NL_U32 },
	A(ATTACHMENT, COMM) = { "comm", NL_STRING },
	A(ATTACHMENT, ATTACH_TIME) = { "attach-time", NL_U64 },
	A(ATTACHMENT, MAPS) = { "maps", NL_U64 },
	A(ATTACHMENT, PINS) = { "pins", NL_U32 },
	A(ATTACHMENT, PLACEMENT) = { "placement", NL_ENUM, .names = placements },
	A(ATTACHMENT, IMPORTER_IBDEV) = { "importer-ibdev", NL_STRING, true },
	A(ATTACHMENT, UID) = { "uid", NL_U32 },
	A(ATTACHMENT, CGROUP) = { "cgroup", NL_U64 },
	A(ATTACHMENT, START_TIME) = { "start-time", NL_U64 },
	A(ATTACHMENT, EXITED) = { "exited", NL_U64 },
	A(ATTACHMENT, EVENT_SEQ) = { "event-seq", NL_U64 },
	A(ATTACHMENT, EVENT_TIME) = { "event-time", NL_U64 },
	A(ATTACHMENT, EVENT_OP) = { "event-op", NL_ENUM, .names = event_ops },
	A(ATTACHMENT, MR_NUMBER) = { "mr-number", NL_U32 },
	A(ATTACHMENT, MR_LKEY) = { "mr-lkey", NL_U32 },
	A(ATTACHMENT, MR_RKEY) = { "mr-rkey", NL_U32 },
	A(ATTACHMENT, MR_PD) = { "mr-pd", NL_U32 },
	A(ATTACHMENT, MR_OFFSET) = { "mr-offset", NL_U64 },
	A(ATTACHMENT, MR_LENGTH) = { "mr-length", NL_U64 },
	A(ATTACHMENT, MR_IOVA) = { "mr-iova", NL_U64 },
	A(ATTACHMENT, MR_ACCESS) = { "mr-access", NL_U32 },
	A(ATTACHMENT, MR_CHANGED) = { "mr-changed", NL_FLAG },
	A(ATTACHMENT, STAGE) = { "stage", NL_ENUM, .names = stages },
	A(ATTACHMENT, ERROR) = { "error", NL_U32 },
	A(ATTACHMENT, KIND) = { "kind", NL_ENUM, .names = kinds },
};

static const struct nl_field buffer[] = {
	A(BUFFER, INODE) = { "inode", NL_U64 },
	A(BUFFER, SIZE) = { "size", NL_U64 },
	A(BUFFER, EXPORTER) = { "exporter", NL_STRING },
	A(BUFFER, EXPORTER_MODULE) = { "exporter-module", NL_STRING },
	A(BUFFER, EXPORTER_NAME) = { "exporter-name", NL_STRING },
	A(BUFFER, ATTACHMENTS) = { "attachments", NL_U32 },
	A(BUFFER, MAPPED) = { "mapped", NL_U32 },
	A(BUFFER, PINNED) = { "pinned", NL_U32 },
};

static const struct nl_field device[] = {
	A(DEVICE, ROLE) = { "role", NL_ENUM, .names = roles },
	A(DEVICE, NAME) = { "name", NL_STRING },
	A(DEVICE, FLAGS) = { "flags", NL_FLAGS, .names = device_flags },
	A(DEVICE, DRIVER) = { "driver", NL_STRING },
	A(DEVICE, IBDEV) = { "ibdev", NL_STRING, true },
	A(DEVICE, BAR1_BYTES) = { "bar1-bytes", NL_U64 },
	A(DEVICE, ATTACHMENTS) = { "attachments", NL_U64 },
	A(DEVICE, BUFFERS) = { "buffers", NL_U64 },
	A(DEVICE, MAPPED_BYTES) = { "mapped-bytes", NL_U64 },
	A(DEVICE, PINNED_BYTES) = { "pinned-bytes", NL_U64 },
	A(DEVICE, PINNED_PAGES) = { "pinned-pages", NL_U64 },
	A(DEVICE, ATTACH_TOTAL) = { "attach-total", NL_U64 },
	A(DEVICE, DETACH_TOTAL) = { "detach-total", NL_U64 },
	A(DEVICE, INVALIDATE_TOTAL) = { "invalidate-total", NL_U64 },
	A(DEVICE, ATTACH_FAILURES_TOTAL) = { "attach-failures-total", NL_U64 },
	A(DEVICE, MAP_FAILURES_TOTAL) = { "map-failures-total", NL_U64 },
	A(DEVICE, PIN_FAILURES_TOTAL) = { "pin-failures-total", NL_U64 },
	A(DEVICE, FAILURES_TOTAL) = { "failures-total", NL_U64 },
	A(DEVICE, MRS) = { "mrs", NL_U64 },
	A(DEVICE, MR_BYTES) = { "mr-bytes", NL_U64 },
	A(DEVICE, REGISTER_TOTAL) = { "register-total", NL_U64 },
	A(DEVICE, CAPABILITY_QUERIES_TOTAL) = { "capability-queries-total", NL_U64 },
	A(DEVICE, VERBS_FAILURES_TOTAL) = { "verbs-failures-total", NL_U64 },
	A(DEVICE, UMEM_FAILURES_TOTAL) = { "umem-failures-total", NL_U64 },
	A(DEVICE, HW_FAILURES_TOTAL) = { "hw-failures-total", NL_U64 },
};

static const struct nl_field pair[] = {
	A(PAIR, EXPORTER) = { "exporter", NL_STRING },
	A(PAIR, IMPORTER) = { "importer", NL_STRING },
	A(PAIR, IMPORTER_IBDEV) = { "importer-ibdev", NL_STRING, true },
	A(PAIR, ATTACHMENTS) = { "attachments", NL_U64 },
	A(PAIR, BUFFERS) = { "buffers", NL_U64 },
	A(PAIR, MAPPED_BYTES) = { "mapped-bytes", NL_U64 },
	A(PAIR, PINNED_BYTES) = { "pinned-bytes", NL_U64 },
	A(PAIR, PINNED_PAGES) = { "pinned-pages", NL_U64 },
	A(PAIR, INVALIDATE_TOTAL) = { "invalidate-total", NL_U64 },
	A(PAIR, FAILURES_TOTAL) = { "failures-total", NL_U64 },
	A(PAIR, MRS) = { "mrs", NL_U64 },
	A(PAIR, MR_BYTES) = { "mr-bytes", NL_U64 },
};

static const struct nl_field failure[] = {
	A(FAILURE, IMPORTER) = { "importer", NL_STRING },
	A(FAILURE, STAGE) = { "stage", NL_ENUM, .names = stages },
	A(FAILURE, ERROR) = { "error", NL_U32 },
	A(FAILURE, COUNT) = { "count", NL_U64 },
	A(FAILURE, SEQ) = { "seq", NL_U64 },
	A(FAILURE, TIME) = { "time", NL_U64 },
	A(FAILURE, EXPORTER) = { "exporter", NL_STRING },
	A(FAILURE, EXPORTER_MODULE) = { "exporter-module", NL_STRING },
	A(FAILURE, EXPORTER_NAME) = { "exporter-name", NL_STRING },
	A(FAILURE, BUFFER) = { "buffer", NL_U64 },
	A(FAILURE, OFFSET) = { "offset", NL_U64 },
	A(FAILURE, LENGTH) = { "length", NL_U64 },
	A(FAILURE, ACCESS) = { "access", NL_U32 },
	A(FAILURE, PID) = { "pid", NL_U32 },
	A(FAILURE, COMM) = { "comm", NL_STRING },
	A(FAILURE, UID) = { "uid", NL_U32 },
	A(FAILURE, CGROUP) = { "cgroup", NL_U64 },
	A(FAILURE, START_TIME) = { "start-time", NL_U64 },
};

static const struct nl_field latency[] = {
	A(LATENCY, IMPORTER) = { "importer", NL_STRING },
	A(LATENCY, OP) = { "op", NL_ENUM, .names = latency_ops },
	A(LATENCY, SUM_NS) = { "sum-ns", NL_U64 },
	A(LATENCY, BUCKET) = { "bucket", NL_U64, true },
};

static const struct {
	const char *name;
	uint8_t cmd;
	unsigned int max;
	const struct nl_field *set;
} sets[] = {
	{ "status", GDR_TELEMETRY_CMD_STATUS_GET, GDR_TELEMETRY_A_STATUS_MAX, status },
	{ "attachment", GDR_TELEMETRY_CMD_ATTACHMENT_GET, GDR_TELEMETRY_A_ATTACHMENT_MAX,
	  attachment },
	{ "buffer", GDR_TELEMETRY_CMD_BUFFER_GET, GDR_TELEMETRY_A_BUFFER_MAX, buffer },
	{ "device", GDR_TELEMETRY_CMD_DEVICE_GET, GDR_TELEMETRY_A_DEVICE_MAX, device },
	{ "pair", GDR_TELEMETRY_CMD_PAIR_GET, GDR_TELEMETRY_A_PAIR_MAX, pair },
	{ "event", GDR_TELEMETRY_CMD_EVENT, GDR_TELEMETRY_A_ATTACHMENT_MAX, attachment },
	{ "failure", GDR_TELEMETRY_CMD_FAILURE_GET, GDR_TELEMETRY_A_FAILURE_MAX, failure },
	{ "failure-log", GDR_TELEMETRY_CMD_FAILURE_LOG_GET, GDR_TELEMETRY_A_FAILURE_MAX,
	  failure },
	{ "latency", GDR_TELEMETRY_CMD_LATENCY_GET, GDR_TELEMETRY_A_LATENCY_MAX, latency },
	{ "probe", 0, GDR_TELEMETRY_A_PROBE_MAX, probe },
};

#define SETS	(sizeof(sets) / sizeof(*sets))

static unsigned int set_max(const struct nl_field *set)
{
	for (unsigned int i = 0; i < SETS; i++)
		if (sets[i].set == set)
			return sets[i].max;
	return 0;
}

const struct nl_field *nl_set(const char *name, uint8_t *cmd)
{
	for (unsigned int i = 0; i < SETS; i++)
		if (sets[i].cmd && !strcmp(sets[i].name, name)) {
			*cmd = sets[i].cmd;
			return sets[i].set;
		}
	return NULL;
}

const struct nl_field *nl_set_of(uint8_t cmd)
{
	for (unsigned int i = 0; i < SETS; i++)
		if (sets[i].cmd == cmd)
			return sets[i].set;
	return NULL;
}

int nl_field_number(const struct nl_field *set, const char *name)
{
	if (isdigit((unsigned char)*name))
		return atoi(name);
	for (unsigned int i = 1; i <= set_max(set); i++)
		if (set[i].name && !strcmp(set[i].name, name))
			return i;
	return -1;
}

/* ---- values -------------------------------------------------------------- */

/* Where a record is being printed. */
struct printer {
	const struct nl_field *set;
	const char *attrs;
	size_t len;
	bool json;
	unsigned int n;		/* fields so far */
};

static void put_text(const char *s, size_t len, bool json)
{
	if (json)
		putchar('"');
	for (; len && *s; s++, len--) {
		unsigned char c = *s;

		if (json && (c == '"' || c == '\\'))
			printf("\\%c", c);
		else if (json && c < ' ')
			printf("\\u%04x", c);
		else if (!json && (c <= ' ' || c == '\\' || c == ',' || c > '~'))
			printf("\\x%02x", c);
		else
			putchar(c);
	}
	if (json)
		putchar('"');
}

static const char *name_of(const char *const *names, uint32_t i)
{
	while (i && *names) {
		names++;
		i--;
	}
	return *names ? *names : "?";
}

static void put_flags(const struct nl_field *f, uint32_t v, bool json)
{
	const char *sep = "";

	if (json)
		putchar('[');
	for (unsigned int i = 0; i < 32; i++) {
		if (!(v >> i & 1))
			continue;
		printf(json ? "%s\"%s\"" : "%s%s", sep, name_of(f->names, i));
		sep = ",";
	}
	if (json)
		putchar(']');
}

static void print_fields(struct printer *p);

static void put_value(const struct nl_field *f, const struct nlattr *attr, bool json)
{
	struct printer nest = { .json = json };
	uint64_t u64 = 0;
	uint32_t u32;

	memcpy(&u64, nl_data(attr), nl_len(attr) < sizeof(u64) ? nl_len(attr) : sizeof(u64));
	u32 = u64;
	switch (f->kind) {
	case NL_U32:
	case NL_U64:
		printf("%" PRIu64, u64);
		break;
	case NL_STRING:
		put_text(nl_data(attr), nl_len(attr), json);
		break;
	case NL_ENUM:
		put_text(name_of(f->names, u32), 64, json);
		break;
	case NL_FLAGS:
		put_flags(f, u32, json);
		break;
	case NL_FLAG:
		fputs(json ? "true" : "1", stdout);
		break;
	case NL_NEST:
		nest.set = f->set;
		nest.attrs = nl_data(attr);
		nest.len = nl_len(attr);
		putchar('{');
		print_fields(&nest);
		putchar('}');
		break;
	}
}

/* All values of one field, which is printed when its first attribute is met. */
struct values {
	struct printer *p;
	unsigned int type;
	unsigned int n;
};

static void one_value(const struct nlattr *attr, void *arg)
{
	struct values *v = arg;
	const struct nl_field *f = &v->p->set[v->type];

	if ((attr->nla_type & NLA_TYPE_MASK) != v->type)
		return;
	if (v->p->json) {
		if (!v->n)
			printf("%s\"%s\":%s", v->p->n ? "," : "", f->name, f->multi ? "[" : "");
		else
			putchar(',');
	} else {
		printf("%s%s=", v->p->n || v->n ? " " : "", f->name);
	}
	put_value(f, attr, v->p->json);
	v->n++;
}

static void print_fields(struct printer *p)
{
	for (unsigned int i = 1; i <= set_max(p->set); i++) {
		struct values v = { p, i, 0 };

		if (!p->set[i].name)
			continue;
		nl_attrs(p->attrs, p->len, one_value, &v);
		if (v.n && p->json && p->set[i].multi)
			putchar(']');
		p->n += !!v.n;
	}
}

static void unknown(const struct nlattr *attr, void *arg)
{
	const struct nl_field *set = arg;
	unsigned int type = attr->nla_type & NLA_TYPE_MASK;

	/* 1 is pad. */
	if (type != 1 && (type > set_max(set) || !set[type].name))
		fprintf(stderr, "gdrt-nl: attribute %u is unknown\n", type);
}

void nl_print(const struct nl_field *set, const char *attrs, size_t len, bool json)
{
	struct printer p = { set, attrs, len, json, 0 };

	if (json)
		putchar('{');
	print_fields(&p);
	puts(json ? "}" : "");
	nl_attrs(attrs, len, unknown, (void *)set);
}
