// SPDX-License-Identifier: GPL-2.0
/* One text with all that is known. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "format.h"
#include "labels.h"
#include "report.h"

#define REPORT_VERSION 1

static const char *const machine_names[MACHINE_PARTS] = {
	[MACHINE_SYSTEM] = "system",
	[MACHINE_MODULE] = "module",
	[MACHINE_MODULES] = "modules",
	[MACHINE_GPUS] = "gpus",
	[MACHINE_HCAS] = "hcas",
};

enum exit_code report_read(const struct gdrctl *g, struct report *r)
{
	enum exit_code rc;
	struct nl nl;
	int err;

	memset(r, 0, sizeof(*r));
	err = machine_read(g->opt.anonymous, &r->machine);
	message_divert(r->why, sizeof(r->why));
	rc = kernel_open(&nl);
	if (!rc)
		rc = capture_read(g, &nl, false, &r->capture);
	message_divert(NULL, 0);
	kernel_close(&nl);
	if (!err && !rc && g->opt.anonymous)
		err = labels_capture(&r->capture);
	if (!err)
		return EXIT_OK;
	message("no memory");
	return EXIT_SYSTEM;
}

void report_free(struct report *r)
{
	machine_free(&r->machine);
	capture_free(&r->capture);
}

/* In JSON a member of the whole, else a heading, and why there may be no more below it. */
static void begin(const struct gdrctl *g, const char *name, const char *why, FILE *to)
{
	char shown[REPORT_WHY * 2];

	if (!g->opt.json) {
		fprintf(to, "\n== %s\n", name);
		if (*why)
			fprintf(to, "note: %s\n", format_escape(why, shown, sizeof(shown)));
		return;
	}
	fprintf(to, ",\n\"%s\":", name);
}

static enum exit_code write_list(const struct gdrctl *g, const struct list_type *t,
				 const char *name, const struct records *list, const char *why,
				 bool details, FILE *to)
{
	struct gdrctl as = *g;

	/* Nothing was read: that is not the same as that there is nothing. */
	if (*why && !list->n && !g->opt.json) {
		begin(g, name, why, to);
		return EXIT_OK;
	}
	as.opt.details |= details;
	begin(g, name, why, to);
	return list_print(&as, t, list, false, to);
}

static enum exit_code write_machine(const struct gdrctl *g, const struct machine *m, FILE *to)
{
	enum exit_code rc = EXIT_OK;

	for (size_t i = 0; !rc && i < MACHINE_PARTS; i++)
		rc = write_list(g, machine_types[i], machine_names[i], &m->part[i], "",
				i != MACHINE_MODULES, to);
	return rc;
}

static enum exit_code write_capture(const struct gdrctl *g, const struct capture *c, FILE *to)
{
	struct gdrctl as = *g;
	enum exit_code rc;

	as.opt.details = true;
	begin(g, "status", "", to);
	rc = status_print(&as, &c->status, to);
	for (size_t i = 0; !rc && i < CAPTURE_LISTS; i++)
		rc = write_list(g, capture_types[i], capture_names[i], &c->list[i], c->why[i],
				i == CAPTURE_LATENCIES, to);
	if (rc)
		return rc;
	begin(g, "attachments", c->why_attachments, to);
	if (*c->why_attachments && !c->attachments.n && !g->opt.json)
		return EXIT_OK;
	return attachments_print(g, &c->attachments, false, to);
}

/* In JSON, why parts are not whole. */
static void write_notes(const struct report *r, FILE *to)
{
	const char *between = "";

	fputs(",\n\"notes\":[", to);
	for (size_t i = 0; i < CAPTURE_LISTS + 2; i++) {
		bool list = i < CAPTURE_LISTS;
		const char *part = list ? capture_names[i] :
				   i == CAPTURE_LISTS ? "attachments" : "status";
		const char *why = list ? r->capture.why[i] :
				  i == CAPTURE_LISTS ? r->capture.why_attachments : r->why;
		char *quoted = *why ? format_json_string(why) : NULL;

		if (!quoted)
			continue;
		fprintf(to, "%s{\"part\":\"%s\",\"why\":%s}", between, part, quoted);
		between = ",";
		free(quoted);
	}
	fputs("]}\n", to);
}

static void write_head(const struct gdrctl *g, FILE *to)
{
	char date[FORMAT_MAX];

	if (g->opt.json) {
		fprintf(to, "{\"format\":\"gdrctl-report\",\n\"format_version\":%d,\n"
			"\"gdrctl_version\":\"%s\",\n\"time_seconds\":%" PRId64 ",\n"
			"\"uptime_seconds\":%" PRIu64 ",\n\"anonymous\":%s", REPORT_VERSION,
			tool_version, g->realtime_s, g->boottime_ns / 1000000000u,
			g->opt.anonymous ? "true" : "false");
		return;
	}
	fprintf(to, "Report of gdrctl %s, %s, ", tool_version, format_date(g->realtime_s, date));
	fprintf(to, "up %s\n", format_duration(g->boottime_ns / 1000000000u, date));
	fputs(g->opt.anonymous ? "Names of processes, users, containers, buffers and this machine "
	      "are left out or replaced;\nUUIDs, GUIDs and keys are left out.\n" :
	      "This names processes, containers and this machine: gdrctl report --anonymous does "
	      "not.\n", to);
}

enum exit_code report_write(const struct gdrctl *g, const struct report *r, FILE *to)
{
	enum exit_code rc;

	write_head(g, to);
	rc = write_machine(g, &r->machine, to);
	if (!rc && *r->why && g->opt.json) {
		begin(g, "status", r->why, to);
		fputs("{}", to);
	} else if (!rc && *r->why) {
		begin(g, "status", r->why, to);
	} else if (!rc) {
		rc = write_capture(g, &r->capture, to);
	}
	if (g->opt.json)
		write_notes(r, to);
	return rc;
}
