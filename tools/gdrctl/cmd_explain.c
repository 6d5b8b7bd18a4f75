// SPDX-License-Identifier: GPL-2.0
/* gdrctl explain ERRNO | STAGE | id ID | last */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "explain.h"
#include "failure.h"
#include "gpus.h"
#include "module.h"
#include "names.h"

#define D(name) GDR_TELEMETRY_A_DEVICE_##name

/* No more than is needed here of an exporter. */
static const struct value device_values[] = {
	{ .attr = D(NAME), .kind = VALUE_TEXT },
	{ .attr = D(BAR1_BYTES), .kind = VALUE_COUNT },
	{ .attr = D(PINNED_BYTES), .kind = VALUE_COUNT },
};

static const struct list_type exporters = {
	.what = "exporter", .plural = "exporters", .cmd = GDR_TELEMETRY_CMD_DEVICE_GET,
	.role_attr = D(ROLE), .role = GDR_TELEMETRY_ROLE_EXPORTER,
	.value = device_values, .n = ARRAY_SIZE(device_values),
};

void failure_facts(const struct record *r, struct facts *f)
{
	const char *module = record_text(r, FAILURE(EXPORTER_MODULE));
	const char *exporter = record_text(r, FAILURE(EXPORTER));
	const char *importer = record_text(r, FAILURE(IMPORTER));

	if (module)
		f->nvidia = !strcmp(module, "nvidia") || !strcmp(module, "nvidia_drm") ? YES : NO;
	else if (record_has(r, FAILURE(EXPORTER_NAME)))
		f->nvidia = NO;	/* built in, as NVIDIA's driver never is */
	if (module && exporter && strcmp(module, exporter) != 0)
		snprintf(f->exporter, sizeof(f->exporter), "%s, of %s", exporter, module);
	else
		snprintf(f->exporter, sizeof(f->exporter), "%s", module ? module :
			 exporter ? exporter : "");
	snprintf(f->importer, sizeof(f->importer), "%s", importer ? importer : "");
	f->has_range = record_has(r, FAILURE(LENGTH)) && record_has(r, FAILURE(OFFSET)) &&
		       record_has(r, FAILURE(ACCESS));
	f->offset = record_number(r, FAILURE(OFFSET));
	f->length = record_number(r, FAILURE(LENGTH));
	f->access = (uint32_t)record_number(r, FAILURE(ACCESS));
}

static bool same(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

static void add_gpu(const struct record *device, struct facts *f)
{
	struct facts_gpu *gpu = &f->gpu[f->gpus++];

	snprintf(gpu->name, sizeof(gpu->name), "%s", record_text(device, D(NAME)));
	gpu->bar1_bytes = record_number(device, D(BAR1_BYTES));
	gpu->pinned_bytes = record_number(device, D(PINNED_BYTES));
}

void failure_gpus(const struct record *r, const struct records *devices, struct facts *f)
{
	const char *module = record_text(r, FAILURE(EXPORTER_MODULE));
	const char *exporter = record_text(r, FAILURE(EXPORTER));

	f->gpus = 0;
	f->unplaced_bytes = 0;
	/* An exporter that is not known better has the name of its module. */
	f->gpu_known = exporter && !same(exporter, module);
	for (size_t i = 0; i < devices->n; i++) {
		const struct record *device = &devices->item[i];
		const char *name = record_text(device, D(NAME));

		if (same(name, module))
			f->unplaced_bytes = record_number(device, D(PINNED_BYTES));
		else if (name && record_number(device, D(BAR1_BYTES)) && f->gpus < FACTS_GPUS &&
			 (!f->gpu_known || same(name, exporter)))
			add_gpu(device, f);
	}
}

static const struct record *find_record(const struct question *q, const struct records *log)
{
	for (size_t i = log->n; i--;)
		if (q->last || record_number(&log->item[i], FAILURE(SEQ)) == q->id)
			return &log->item[i];
	if (!log->n)
		message("the log is empty: no registration has failed since the module was loaded");
	else
		message("id %" PRIu64 ": no such record; the log has %" PRIu64 " to %" PRIu64,
			q->id, record_number(&log->item[0], FAILURE(SEQ)),
			record_number(&log->item[log->n - 1], FAILURE(SEQ)));
	return NULL;
}

static enum exit_code explain_record(struct gdrctl *g, const struct question *q)
{
	struct records log = { .n = 0 }, devices = { .n = 0 };
	struct facts f = { .nvidia = UNKNOWN };
	const struct record *r = NULL;
	struct nl nl;
	enum exit_code rc = kernel_open(&nl);

	if (!rc)
		rc = list_read(&list_failure_log, &nl, &log);
	if (!rc) {
		r = find_record(q, &log);
		rc = r ? list_read(&exporters, &nl, &devices) : EXIT_SYSTEM;
	}
	if (!rc && list_failure_log.add)
		rc = list_failure_log.add(g, &nl, &log);
	if (!rc) {
		failure_facts(r, &f);
		facts_machine(&f);
		failure_gpus(r, &devices, &f);
		rc = explain_print(g, q, NULL, r, &f, stdout);
	}
	records_free(&devices);
	records_free(&log);
	kernel_close(&nl);
	return rc;
}

static enum exit_code explain_show(struct gdrctl *g, struct args *a)
{
	struct records counters = { .n = 0 };
	struct facts f = { .nvidia = UNKNOWN };
	bool loaded = names_module(MODULE_NAME);
	struct question q;
	struct nl nl = { .sk = NULL };
	enum exit_code rc = explain_read(&q, a);

	if (rc)
		return rc;
	if (q.has_id)
		return explain_record(g, &q);
	/* A module that does not answer says so, and is no reason to say nothing else. */
	if (loaded)
		loaded = !kernel_open(&nl) && !list_read(&list_failure, &nl, &counters);
	kernel_close(&nl);
	facts_machine(&f);
	rc = explain_print(g, &q, loaded ? &counters : NULL, NULL, &f, stdout);
	records_free(&counters);
	return rc;
}

static const struct command commands[] = {
	{ "show", explain_show, 0, "explain it; a record of the log needs root, the rest nothing" },
	{ NULL, NULL, 0, NULL },
};

const struct object object_explain = {
	.name = "explain",
	.help = "what an errno, a stage or a failure means here, its causes, and what to do",
	.notes = "ERRNO is a name, a number or what a program printed of it: ENOMEM, 12, 524,\n"
		 "\"Unknown error 524\", \"Cannot allocate memory\". STAGE: verbs, umem, attach, map,\n"
		 "pin, hw, capability-query, unknown, or before, which leaves no record. Both\n"
		 "together are one answer. ID is that of gdrctl failure log; last is the newest.\n",
	.command = commands,
	.operands = { "ERRNO | STAGE | id ID | last" },
	.offer = explain_offer,
};
