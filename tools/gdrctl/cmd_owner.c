// SPDX-License-Identifier: GPL-2.0
/* gdrctl owner [show|cgroup|pair] [FILTERS] */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "list.h"
#include "owners.h"

#define FILTERS                                                                                  \
	(FILTER_BIT(IMPORTER) | FILTER_BIT(EXPORTER) | FILTER_BIT(PID) | FILTER_BIT(COMM) |      \
	 FILTER_BIT(CGROUP) | FILTER_BIT(BUFFER))
#define SHORT_ID 12

static bool is_table(const struct gdrctl *g)
{
	return !g->opt.json && !g->opt.oneline && !g->opt.details;
}

/* BDFs, but in a table the names that people know. */
static const char *devices(const struct gdrctl *g, const struct record *r, int attr)
{
	int known = attr == O_IMPORTERS ? O_IBDEVS : O_GPUS;

	return record_text(r, is_table(g) && record_has(r, known) ? known : attr);
}

static void put_devices(const struct gdrctl *g, struct out *o, const struct record *r,
			const struct value *v)
{
	const char *list = devices(g, r, v->attr);

	if (list)
		out_names(o, &v->field, list);
	else
		out_unknown(o, &v->field);
}

/* Of a record that has one of them. */
static void put_device(const struct gdrctl *g, struct out *o, const struct record *r,
		       const struct value *v)
{
	const char *name = devices(g, r, v->attr);

	if (name)
		out_str(o, &v->field, name);
	else
		out_unknown(o, &v->field);
}

/* The whole path, but in a table what is known best of it. */
static void put_path(const struct gdrctl *g, struct out *o, const struct record *r,
		     const struct value *v)
{
	const char *path = record_text(r, O_PATH), *pod = record_text(r, O_POD);
	const char *container = record_text(r, O_CONTAINER), *job = record_text(r, O_JOB);
	char text[128];

	if (!path) {
		out_unknown(o, &v->field);
		return;
	}
	if (!is_table(g) || (!container && !pod && !job)) {
		out_str(o, &v->field, path);
		return;
	}
	if (pod)
		snprintf(text, sizeof(text), "pod %s", pod);
	else if (container)
		snprintf(text, sizeof(text), "container %.*s", SHORT_ID, container);
	else
		snprintf(text, sizeof(text), "job %s", job);
	out_str(o, &v->field, text);
}

/* Of what is no process that we know of, it is not known. */
static void put_exited(const struct gdrctl *g, struct out *o, const struct record *r,
		       const struct value *v)
{
	(void)g;
	if (record_has(r, v->attr))
		out_bool(o, &v->field, record_number(r, v->attr), "yes", "no");
	else
		out_unknown(o, &v->field);
}

static void put_oldest(const struct gdrctl *g, struct out *o, const struct record *r,
		       const struct value *v)
{
	const struct when when = { .title = "OLDEST", .age = "oldest_age_ns",
				   .seconds = "oldest_time_seconds",
				   .boottime = "oldest_boottime_ns" };

	if (record_has(r, v->attr))
		record_put_time(g, o, &when, record_number(r, v->attr));
	else
		out_unknown(o, FIELD(.key = when.age, .title = when.title, .right = true));
}

#define NUMBER(a, label, json, column, words)                                                    \
	{ .attr = (a), .kind = VALUE_COUNT, .row = (label),                                      \
	  .field = { .key = (json), .title = (column), .after = (words), .right = true } }
#define BYTES(a, label, json, column, words)                                                     \
	{ .attr = (a), .kind = VALUE_BYTES, .row = (label),                                      \
	  .field = { .key = (json), .title = (column), .after = (words), .right = true } }

#define VALUE_IBDEVS                                                                     \
	{ .attr = O_IBDEVS, .kind = VALUE_NAMES, .optional = true, .looked_up = true,            \
	  .field = { .key = "importer_ibdevs" } }

#define VALUES_DEVICES                                                                           \
	{ .attr = O_EXPORTERS, .kind = VALUE_CUSTOM, .row = "GPUs", .put = put_devices,          \
	  .field = { .key = "exporters", .title = "GPU" } },                                     \
	{ .attr = O_IMPORTERS, .kind = VALUE_CUSTOM, .row = "HCAs", .put = put_devices,          \
	  .field = { .key = "importers", .title = "HCA" } },                                     \
	VALUE_IBDEVS

#define VALUES_PAIR                                                                      \
	{ .attr = O_EXPORTERS, .kind = VALUE_CUSTOM, .row = "GPU", .put = put_device,            \
	  .field = { .key = "exporter", .title = "GPU" } },                                      \
	{ .attr = O_IMPORTERS, .kind = VALUE_CUSTOM, .row = "HCA", .put = put_device,            \
	  .field = { .key = "importer", .title = "HCA" } },                                      \
	VALUE_IBDEVS

#define VALUES_SUMS                                                                              \
	NUMBER(O_ATTACHMENTS, "attachments", "attachments", "ATTACHMENTS", "live"),              \
	NUMBER(O_BUFFERS, NULL, "buffers", "BUFFERS", "buffers"),                                \
	NUMBER(O_ORPHANS, NULL, "orphans", NULL, "whose process has exited"),                    \
	NUMBER(O_MRS, "MRs", "mrs", "MRS", "live"),                                              \
	BYTES(O_MR_BYTES, NULL, "mr_bytes", NULL, "covered"),                                    \
	BYTES(O_PINNED, "pinned, unique", "pinned_bytes", "PINNED", NULL),                       \
	BYTES(O_MAPPED, "mapped, unique", "mapped_bytes", NULL, NULL),                           \
	{ .attr = O_OLDEST, .kind = VALUE_CUSTOM, .row = "oldest attachment", .put = put_oldest }

#define VALUES_CGROUP                                                                            \
	{ .attr = O_PATH, .kind = VALUE_CUSTOM, .row = "cgroup", .put = put_path,                \
	  .looked_up = true, .field = { .key = "cgroup_path", .title = "CGROUP" } },             \
	{ .attr = O_CONTAINER, .kind = VALUE_TEXT, .row = "container", .optional = true,         \
	  .looked_up = true, .field = { .key = "container" } },                                  \
	{ .attr = O_POD, .kind = VALUE_TEXT, .row = "pod", .optional = true,                     \
	  .looked_up = true, .field = { .key = "pod" } },                                        \
	{ .attr = O_JOB, .kind = VALUE_TEXT, .row = "Slurm job", .optional = true,               \
	  .looked_up = true, .field = { .key = "slurm_job" } }

#define VALUES_PROCESS                                                                           \
	{ .attr = O_PID, .kind = VALUE_COUNT,                                                    \
	  .field = { .key = "pid", .title = "PID", .right = true } },                            \
	{ .attr = O_COMM, .kind = VALUE_TEXT, .row = "command",                                  \
	  .field = { .key = "comm", .title = "COMM" } },                                         \
	{ .attr = O_UID, .kind = VALUE_COUNT, .field = { .key = "uid", .before = "uid" } },      \
	{ .attr = O_GONE, .kind = VALUE_CUSTOM, .row = "exited", .put = put_exited,              \
	  .field = { .key = "exited", .title = "EXITED" } },                                     \
	{ .attr = O_START, .kind = VALUE_COUNT, .optional = true,                                \
	  .field = { .key = "start_boottime_ns", .json_only = true } },                          \
	{ .attr = O_EXITED, .kind = VALUE_COUNT, .optional = true,                               \
	  .field = { .key = "exited_boottime_ns", .json_only = true } }

#define VALUE_CGROUP_ID                                                                          \
	{ .attr = O_CGROUP, .kind = VALUE_COUNT, .row = "cgroup id", .field = { .key = "cgroup" } }

static const struct value process_values[] = {
	VALUES_PROCESS, VALUES_DEVICES, VALUES_SUMS, VALUE_CGROUP_ID, VALUES_CGROUP,
};

static const struct value pair_values[] = {
	VALUES_PROCESS, VALUES_PAIR, VALUES_SUMS, VALUE_CGROUP_ID, VALUES_CGROUP,
};

static const struct value cgroup_values[] = {
	{ .attr = O_CGROUP, .kind = VALUE_COUNT,
	  .field = { .key = "cgroup", .title = "ID", .right = true } },
	NUMBER(O_PROCESSES, "processes", "processes", "PROCESSES", NULL),
	VALUES_DEVICES,
	VALUES_SUMS,
	VALUES_CGROUP,
};

static enum exit_code read_owners(enum owner_by by, const struct gdrctl *g, struct nl *nl,
				  const struct filter *f, struct records *list)
{
	struct attachments attachments = { .n = 0 };
	enum exit_code rc = kernel_attachments(nl, f, &attachments);

	attachments_filter(&attachments, f);
	if (!rc && owners_make(by, !g->opt.numeric, &attachments, list)) {
		message("no memory");
		rc = EXIT_SYSTEM;
	}
	attachments_free(&attachments);
	return rc;
}

static enum exit_code read_processes(const struct gdrctl *g, struct nl *nl,
				     const struct filter *f, struct records *list)
{
	return read_owners(OWNER_PROCESS, g, nl, f, list);
}

static enum exit_code read_cgroups(const struct gdrctl *g, struct nl *nl,
				   const struct filter *f, struct records *list)
{
	return read_owners(OWNER_CGROUP, g, nl, f, list);
}

static enum exit_code read_pairs(const struct gdrctl *g, struct nl *nl, const struct filter *f,
				 struct records *list)
{
	return read_owners(OWNER_PAIR, g, nl, f, list);
}

static int by_text(const struct record *x, const struct record *y, int attr)
{
	const char *m = record_text(x, attr), *n = record_text(y, attr);

	return strcmp(m ? m : "", n ? n : "");
}

/* Who pins most comes first. */
static int by_pinned(const void *a, const void *b)
{
	const struct record *x = a, *y = b;
	uint64_t m = record_number(x, O_PINNED), n = record_number(y, O_PINNED);
	int order;

	if (m != n)
		return m < n ? 1 : -1;
	m = record_number(x, O_PID) ? record_number(x, O_PID) : record_number(x, O_CGROUP);
	n = record_number(y, O_PID) ? record_number(y, O_PID) : record_number(y, O_CGROUP);
	if (m != n)
		return m < n ? -1 : 1;
	order = by_text(x, y, O_EXPORTERS);
	return order ? order : by_text(x, y, O_IMPORTERS);
}

/* Who keeps them is not in any record of theirs. */
static void foot(const struct records *list, FILE *to)
{
	uint64_t n = 0;

	for (size_t i = 0; i < list->n; i++)
		n += record_number(&list->item[i], O_ORPHANS);
	if (n)
		fprintf(to, "\nThe process of %" PRIu64 " %s has exited; what still has the HCA open: "
			"gdrctl holders\n", n, n == 1 ? "attachment" : "attachments");
}

const struct list_type list_owner = {
	.what = "owner", .plural = "owners", .value = process_values,
	.n = ARRAY_SIZE(process_values), .ids = 1, .filters = FILTERS,
	.read = read_processes, .order = by_pinned, .foot = foot,
};

const struct list_type list_owner_cgroup = {
	.what = "cgroup", .plural = "cgroups", .command = "owner cgroup", .value = cgroup_values,
	.n = ARRAY_SIZE(cgroup_values), .ids = 1, .filters = FILTERS,
	.read = read_cgroups, .order = by_pinned, .foot = foot,
};

const struct list_type list_owner_pair = {
	.what = "owner", .plural = "owners", .command = "owner pair", .value = pair_values,
	.n = ARRAY_SIZE(pair_values), .ids = 1, .filters = FILTERS,
	.read = read_pairs, .order = by_pinned, .foot = foot,
};

static enum exit_code show(struct gdrctl *g, struct args *a)
{
	return list_show(&list_owner, g, a);
}

static enum exit_code show_cgroups(struct gdrctl *g, struct args *a)
{
	return list_show(&list_owner_cgroup, g, a);
}

static enum exit_code show_pairs(struct gdrctl *g, struct args *a)
{
	return list_show(&list_owner_pair, g, a);
}

static const struct command commands[] = {
	{ "show", show, FILTERS, "list the processes that attached; needs root" },
	{ "cgroup", show_cgroups, FILTERS, "list their cgroups: containers, pods; needs root" },
	{ "pair", show_pairs, FILTERS, "list each process by GPU and HCA; needs root" },
	{ NULL, NULL, 0, NULL },
};

const struct object object_owner = {
	.name = "owner",
	.help = "who pins how much: processes, or their containers and pods",
	.notes = "PINNED counts each buffer once for an owner; with pair, once for a line, so that a\n"
		 "buffer behind two HCAs is in two lines. Who pins most comes first. With filters,\n"
		 "the numbers are of the attachments that match. The word cgroup after owner is the\n"
		 "command; the filter follows a command: gdrctl owner show cgroup /system.slice.\n",
	.command = commands,
};
