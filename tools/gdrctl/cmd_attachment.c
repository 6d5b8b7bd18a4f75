// SPDX-License-Identifier: GPL-2.0
/* gdrctl attachment [show] [FILTERS] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "enums.h"
#include "filter.h"
#include "format.h"
#include "list.h"
#include "names.h"
#include "nl.h"
#include "out.h"
#include "record.h"

#define FILTERS                                                                                  \
	(FILTER_BIT(IMPORTER) | FILTER_BIT(EXPORTER) | FILTER_BIT(PID) | FILTER_BIT(COMM) |      \
	 FILTER_BIT(CGROUP) | FILTER_BIT(BUFFER) | FILTER_BIT(ID))
#define FLAG(f) GDR_TELEMETRY_ATTACHMENT_FLAG_##f
#define HAS(a, attr) model_has((a)->present, GDR_TELEMETRY_A_ATTACHMENT_##attr)

static void put_u64(struct out *o, const struct out_field *f, bool has, uint64_t v)
{
	if (has)
		out_u64(o, f, v);
	else
		out_unknown(o, f);
}

static void put_str(struct out *o, const struct out_field *f, bool has, const char *s)
{
	if (has)
		out_str(o, f, s);
	else
		out_unknown(o, f);
}

static void put_exporter(struct out *o, const struct attachment *a)
{
	out_row(o, "exporter");
	put_str(o, FIELD(.key = "exporter", .title = "EXPORTER"), HAS(a, EXPORTER), a->exporter);
	if (HAS(a, EXPORTER_MODULE))
		out_str(o, FIELD(.key = "exporter_module", .before = "module"), a->exporter_module);
	if (HAS(a, EXPORTER_NAME))
		out_str(o, FIELD(.key = "exporter_name", .before = "exp_name"), a->exporter_name);
	if (HAS(a, FLAGS))
		out_text(o, "%s%s", a->flags & FLAG(EXPORTER_GPU) ? ", GPU" : "",
			 a->flags & FLAG(EXPORTER_DYNAMIC) ? ", dynamic" : ", static");
}

static void put_importer(const struct gdrctl *g, struct out *o, const struct attachment *a)
{
	const struct out_field ibdev = { .key = "importer_ibdevs", .title = "IBDEV" };
	char list[IBDEVS_SIZE] = "";

	if (!g->opt.numeric && HAS(a, IMPORTER))
		names_ibdevs(a->importer, list);
	out_row(o, "importer");
	put_str(o, FIELD(.key = "importer", .title = "IMPORTER"), HAS(a, IMPORTER), a->importer);
	if (*list)
		out_names(o, &ibdev, list);
	else if (!g->opt.numeric && !g->opt.details)
		out_unknown(o, &ibdev);
	if (HAS(a, IMPORTER_DRIVER))
		out_str(o, FIELD(.key = "importer_driver", .before = "driver"), a->importer_driver);
	if (HAS(a, FLAGS))
		out_text(o, "%s%s%s", a->flags & FLAG(IMPORTER_HCA) ? ", HCA" : "",
			 a->flags & FLAG(IMPORTER_DYNAMIC) ? ", dynamic" : ", static",
			 a->flags & FLAG(PEER2PEER) ? ", peer2peer" : "");
}

/* Words for all that is set in @flags, those of a newer module as numbers. */
static void put_state(struct out *o, const struct attachment *a)
{
	const struct out_field f = { .key = "flags", .title = "STATE" };
	const char *word[32];
	char state[64], unknown[32][20];
	size_t n = 0;

	out_row(o, "state");
	if (!HAS(a, FLAGS)) {
		out_unknown(o, &f);
		return;
	}
	for (unsigned int bit = 0; bit < 32; bit++)
		if (a->flags & 1u << bit) {
			word[n] = enum_name(flag_words, 1u << bit, unknown[n], sizeof(unknown[n]));
			n++;
		}
	snprintf(state, sizeof(state), "%s%s%s%s",
		 a->flags & FLAG(MAPPED) ? "mapped" : "",
		 a->flags & FLAG(MAPPED) && a->flags & FLAG(PINNED) ? "," : "",
		 a->flags & FLAG(PINNED) ? "pinned" : "",
		 a->flags & (FLAG(MAPPED) | FLAG(PINNED)) ? "" : "attached");
	out_words(o, &f, word, n, state);
	out_bool(o, FIELD(.key = "mapped", .json_only = true), a->flags & FLAG(MAPPED), NULL, NULL);
	out_bool(o, FIELD(.key = "pinned", .json_only = true), a->flags & FLAG(PINNED), NULL, NULL);
}

static void put_hex(struct out *o, const struct out_field *f, uint64_t v)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)v);
	out_number(o, f, v, text);
}

/* Each registration tells all of it; a report has no keys. */
static void put_mr(struct out *o, const struct attachment *a)
{

	out_row(o, "MR");
	out_u64(o, FIELD(.key = "mr_number"), a->mr_number);
	out_bytes(o, FIELD(.key = "mr_length_bytes"), a->mr_length);
	out_u64(o, FIELD(.key = "mr_offset_bytes", .before = "at offset"), a->mr_offset);
	if (HAS(a, MR_IOVA))
		put_hex(o, FIELD(.key = "mr_iova", .before = "iova"), a->mr_iova);
	put_hex(o, FIELD(.key = "mr_access", .before = "access"), a->mr_access);
	out_row(o, "MR's keys");
	if (HAS(a, MR_LKEY))
		put_hex(o, FIELD(.key = "mr_lkey", .before = "lkey"), a->mr_lkey);
	if (HAS(a, MR_RKEY))
		put_hex(o, FIELD(.key = "mr_rkey", .before = "rkey"), a->mr_rkey);
	out_u64(o, FIELD(.key = "mr_pd", .before = "PD"), a->mr_pd);
	out_bool(o, FIELD(.key = "mr_changed"), HAS(a, MR_CHANGED),
		 "registered again since: the above may be old", NULL);
}

static void put_age(const struct gdrctl *g, struct out *o, const struct attachment *a)
{
	const struct when when = { .title = "AGE", .age = "age_ns",
				   .seconds = "attach_time_seconds",
				   .boottime = "attach_boottime_ns" };

	out_row(o, "attached");
	if (!HAS(a, ATTACH_TIME)) {
		out_unknown(o, FIELD(.key = "age_ns", .title = "AGE", .right = true));
		if (HAS(a, FLAGS) && a->flags & FLAG(PREEXISTING))
			out_text(o, ", before the module was loaded");
		return;
	}
	record_put_time(g, o, &when, a->attach_time);
}

static void put_attachment(const struct gdrctl *g, struct out *o, const struct attachment *a)
{
	char heading[FORMAT_MAX], name[32], text[FORMAT_MAX];

	snprintf(heading, sizeof(heading), "attachment %llu", (unsigned long long)a->id);
	out_record(o, HAS(a, ID) ? heading : "attachment");
	if (g->opt.json || !g->opt.details)
		put_u64(o, FIELD(.key = "id", .title = "ID", .right = true), HAS(a, ID), a->id);
	put_exporter(o, a);
	put_importer(g, o, a);
	out_row(o, "size");
	if (HAS(a, SIZE)) {
		out_bytes(o, FIELD(.key = "size_bytes", .title = "SIZE", .right = true), a->size);
		if (!g->opt.bytes)
			out_text(o, ", exactly %llu bytes", (unsigned long long)a->size);
	} else {
		out_unknown(o, FIELD(.key = "size_bytes", .title = "SIZE", .right = true));
	}
	put_state(o, a);
	out_row(o, "placement");
	put_str(o, FIELD(.key = "placement", .title = "PLACEMENT"), HAS(a, PLACEMENT),
		enum_name(placement_words, a->placement, name, sizeof(name)));
	if (HAS(a, KIND)) {
		/* People see an MR by what is told of it. */
		if (a->kind != GDR_TELEMETRY_KIND_MR)
			out_row(o, "kind");
		out_str(o, FIELD(.key = "kind", .json_only = a->kind == GDR_TELEMETRY_KIND_MR),
			enum_name(kind_words, a->kind, name, sizeof(name)));
	}
	if (HAS(a, MR_NUMBER))
		put_mr(o, a);
	put_age(g, o, a);
	out_row(o, "buffer");
	put_u64(o, FIELD(.key = "buffer", .title = "BUFFER", .right = true), HAS(a, BUFFER),
		a->buffer);
	out_row(o, "process");
	put_u64(o, FIELD(.key = "pid", .title = "PID", .right = true), HAS(a, PID), a->pid);
	put_str(o, FIELD(.key = "comm", .title = "COMM"), HAS(a, COMM), a->comm);
	if (HAS(a, UID))
		out_u64(o, FIELD(.key = "uid", .before = "uid"), a->uid);
	if (HAS(a, CGROUP))
		out_u64(o, FIELD(.key = "cgroup", .before = "cgroup"), a->cgroup);
	if (HAS(a, START_TIME))
		out_u64(o, FIELD(.key = "start_boottime_ns", .json_only = true), a->start_time);
	if (HAS(a, EXITED))
		out_u64(o, FIELD(.key = "exited_boottime_ns", .json_only = true), a->exited);
	if (HAS(a, FLAGS) && a->flags & FLAG(ORPHAN))
		out_text(o, ", has exited");
	out_row(o, "counts");
	put_u64(o, FIELD(.key = "maps", .before = "maps made"), HAS(a, MAPS), a->maps);
	put_u64(o, FIELD(.key = "pins", .before = "explicit pins held"), HAS(a, PINS), a->pins);
	out_row(o, "mechanism");
	snprintf(text, sizeof(text), "%s",
		 enum_name(mechanism_words, a->mechanism, name, sizeof(name)));
	put_str(o, FIELD(.key = "mechanism"), HAS(a, MECHANISM), text);
}

enum exit_code attachments_print(const struct gdrctl *g, const struct attachments *list,
				 bool filtered, FILE *to)
{
	struct out *o = out_new(&g->opt, g->opt.oneline ? OUT_LINE :
				g->opt.details ? OUT_BLOCK : OUT_TABLE, true, to);

	if (!o) {
		message("no memory");
		return EXIT_SYSTEM;
	}
	if (!list->n && !g->opt.json)
		fprintf(to, "%s\n", filtered ? "No attachment matches." : "No attachments.");
	for (size_t i = 0; i < list->n; i++)
		put_attachment(g, o, &list->item[i]);
	return out_finish(o);
}

static enum exit_code attachment_show(struct gdrctl *g, struct args *a)
{
	struct attachments list = { .n = 0 };
	struct filter f = { .pid = 0 };
	struct nl nl;
	enum exit_code rc = filters_read(&f, a, FILTERS);

	if (rc)
		return rc;
	rc = kernel_open(&nl);
	if (!rc)
		rc = f.has[FILTER_ID] ? kernel_attachment(&nl, f.id, &list) :
		     kernel_attachments(&nl, &f, &list);
	attachments_filter(&list, &f);
	if (!rc)
		rc = attachments_print(g, &list, filter_any(&f), stdout);
	if (!rc)
		list_note_inexact(g, &nl);
	attachments_free(&list);
	kernel_close(&nl);
	return rc;
}

static const struct command commands[] = {
	{ "show", attachment_show, FILTERS, "list live attachments; needs root" },
	{ NULL, NULL, 0, NULL },
};

const struct object object_attachment = {
	.name = "attachment",
	.help = "who is attached to which buffer, by HCA, GPU and process",
	.notes = "A size is that of the whole buffer. STATE: attached, mapped (the HCA has its\n"
		 "addresses), pinned (the GPU's driver may not move the memory).\n",
	.command = commands,
};
