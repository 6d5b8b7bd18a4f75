// SPDX-License-Identifier: GPL-2.0
/* gdrctl holders [show] [FILTERS] */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "format.h"
#include "holders.h"
#include "list.h"
#include "names.h"

#define FILTERS                                                                                  \
	(FILTER_BIT(IMPORTER) | FILTER_BIT(EXPORTER) | FILTER_BIT(MODULE) | FILTER_BIT(PID))

/** struct phrase - words that are being put together */
struct phrase {
	char text[2048];
	size_t used;
};

static void say(struct phrase *p, const char *fmt, ...) PRINTF(2, 3);
static void say(struct phrase *p, const char *fmt, ...)
{
	va_list ap;

	if (p->used && p->used < sizeof(p->text))
		p->used += (size_t)snprintf(p->text + p->used, sizeof(p->text) - p->used, ", ");
	if (p->used >= sizeof(p->text))
		return;
	va_start(ap, fmt);
	p->used += (size_t)vsnprintf(p->text + p->used, sizeof(p->text) - p->used, fmt, ap);
	va_end(ap);
}

static void say_number(struct phrase *p, const struct record *r, int attr, const char *one,
		       const char *many)
{
	uint64_t n = record_number(r, attr);

	if (n)
		say(p, "%llu %s", (unsigned long long)n, n == 1 ? one : many);
}

/* Of names in one directory only the first is said with it. */
static void say_files(struct phrase *p, const struct record *r)
{
	uint64_t n = record_number(r, H_FILES);
	const char *path = record_text(r, H_PATHS), *dir = "";
	size_t dir_len = 0;

	for (bool first = true; *path; first = false) {
		size_t len = strcspn(path, ","), base = len;

		while (base && path[base - 1] != '/')
			base--;
		if (first)
			say(p, "%llu open: %.*s", (unsigned long long)n, (int)len, path);
		else if (base == dir_len && !strncmp(path, dir, base))
			say(p, "%.*s", (int)(len - base), path + base);
		else
			say(p, "%.*s", (int)len, path);
		dir = path;
		dir_len = base;
		path += len + !!path[len];
	}
}

/* One phrase of all numbers for people; each number by itself for programs. */
static void put_how(const struct gdrctl *g, struct out *o, const struct record *r,
		    const struct value *v)
{
	uint64_t pinned = record_number(r, H_PINNED);
	struct phrase p = { .used = 0 };
	char size[FORMAT_MAX];

	if (g->opt.json || g->opt.oneline)
		return;
	if (record_number(r, H_EXITED))
		say(&p, "has exited");
	if (record_has(r, H_MODULE))
		say(&p, "module %s", record_text(r, H_MODULE));
	say_number(&p, r, H_REFERENCES, "reference in all", "references in all");
	say_number(&p, r, H_BUFFERS, "buffer of it attached to", "buffers of it attached to");
	say_number(&p, r, H_ATTACHMENTS, "attachment", "attachments");
	say_number(&p, r, H_MRS, "MR", "MRs");
	if (pinned && g->opt.bytes)
		say(&p, "%llu bytes pinned", (unsigned long long)pinned);
	else if (pinned)
		say(&p, "%s pinned", format_size(pinned, size));
	if (record_has(r, H_PATHS))
		say_files(&p, r);
	out_str(o, &v->field, p.text);
}

/* The first alone, as a text. */
static void put_path(const struct gdrctl *g, struct out *o, const struct record *r,
		     const struct value *v)
{
	const char *paths = record_text(r, H_PATHS);
	char path[PATH_MAX];

	(void)g;
	if (!paths)
		return;
	snprintf(path, sizeof(path), "%.*s", (int)strcspn(paths, ","), paths);
	out_str(o, &v->field, path);
}

#define FOR_PROGRAMS(a, k, name)                                                                 \
	{ .attr = (a), .kind = (k), .optional = true,                                            \
	  .field = { .key = (name), .json_only = true } }

static const struct value values[] = {
	{ .attr = H_HELD, .kind = VALUE_TEXT, .field = { .key = "held", .title = "HELD" } },
	{ .attr = H_NAME, .kind = VALUE_TEXT, .field = { .key = "name", .title = "NAME" } },
	{ .attr = H_IBDEVS, .kind = VALUE_NAMES, .row = "RDMA device", .optional = true,
	  .looked_up = true, .field = { .key = "importer_ibdevs", .title = "IBDEV" } },
	{ .attr = H_HOLDER, .kind = VALUE_TEXT, .row = "by",
	  .field = { .key = "holder", .title = "BY" } },
	{ .attr = H_PID, .kind = VALUE_COUNT, .optional = true,
	  .field = { .key = "pid", .title = "PID", .before = "pid", .right = true } },
	{ .attr = H_COMM, .kind = VALUE_TEXT, .optional = true,
	  .field = { .key = "comm", .title = "COMM" } },
	FOR_PROGRAMS(H_EXITED, VALUE_BOOL, "exited"),
	{ .attr = H_HOW, .kind = VALUE_CUSTOM, .row = "how", .put = put_how,
	  .field = { .key = "how", .title = "HOW" } },
	FOR_PROGRAMS(H_MODULE, VALUE_TEXT, "module"),
	FOR_PROGRAMS(H_REFERENCES, VALUE_COUNT, "references"),
	FOR_PROGRAMS(H_ATTACHMENTS, VALUE_COUNT, "attachments"),
	FOR_PROGRAMS(H_MRS, VALUE_COUNT, "mrs"),
	FOR_PROGRAMS(H_PINNED, VALUE_COUNT, "pinned_bytes"),
	FOR_PROGRAMS(H_BUFFERS, VALUE_COUNT, "buffers"),
	FOR_PROGRAMS(H_FILES, VALUE_COUNT, "files"),
	{ .attr = H_PATHS, .kind = VALUE_CUSTOM, .optional = true, .put = put_path,
	  .field = { .key = "path", .json_only = true } },
	FOR_PROGRAMS(H_PATHS, VALUE_NAMES, "paths"),
};

/* What keeps a module is what keeps the devices bound to it. mlx5_ib sits on those of mlx5_core. */
static bool is_of_module(const struct record *r, const char *module)
{
	const char *driver = record_text(r, H_DRIVER);

	if (!strcmp(record_text(r, H_HELD), "module"))
		return !strcmp(record_text(r, H_NAME), module);
	return driver && (!strcmp(driver, module) ||
			  (holders_is_mlx5(driver) && !strcmp(module, "mlx5_ib")));
}

static bool is_importer(const struct record *r)
{
	const char *held = record_text(r, H_HELD);

	return !strcmp(held, "hca") || !strcmp(held, "importer");
}

static bool is_wanted(const void *arg, const struct record *r)
{
	const struct filter *f = arg;
	const char *name = record_text(r, H_NAME);
	bool device = filter_has(f, FILTER_BIT(IMPORTER) | FILTER_BIT(EXPORTER) |
				    FILTER_BIT(MODULE));

	if (f->has[FILTER_PID] && record_number(r, H_PID) != f->pid)
		return false;
	if (!device)
		return true;
	/* Of several devices one is enough: nothing is two of them. */
	return (f->has[FILTER_IMPORTER] && is_importer(r) && !strcmp(name, f->importer)) ||
	       (f->has[FILTER_EXPORTER] && !is_importer(r) && !strcmp(name, f->exporter)) ||
	       (f->has[FILTER_MODULE] && is_of_module(r, f->module));
}

/* That of a module which is not there must not look like one that nothing holds. */
static enum exit_code require_module(const char *module, const struct records *list)
{
	struct record r = { .present = 0 };

	/* A part of the kernel need not be in sysfs to export. */
	for (size_t i = 0; i < list->n; i++)
		if (is_of_module(&list->item[i], module))
			return EXIT_OK;
	if (names_module(module))
		return EXIT_OK;
	if (holders_modules(&r, H_MODULE)) {
		message("no memory");
		return EXIT_SYSTEM;
	}
	message("module \"%s\": no such module is loaded; of those that matter there %s%s", module,
		record_has(&r, H_MODULE) ? "is: " : "is none",
		record_has(&r, H_MODULE) ? record_text(&r, H_MODULE) : "");
	record_free(&r);
	return EXIT_USAGE;
}

static enum exit_code read_holders(const struct gdrctl *g, struct nl *nl, const struct filter *f,
				   struct records *list)
{
	struct attachments attachments = { .n = 0 };
	const struct filter all = { .pid = 0 };
	struct records buffers = { .n = 0 };
	enum exit_code rc = kernel_attachments(nl, &all, &attachments);

	(void)g;
	if (!rc)
		rc = list_read(&list_buffer, nl, &buffers);
	if (!rc && holders_make(&attachments, &buffers, f->has[FILTER_MODULE] ? f->module : NULL,
				list)) {
		message("no memory");
		rc = EXIT_SYSTEM;
	}
	if (!rc && f->has[FILTER_MODULE])
		rc = require_module(f->module, list);
	records_keep(list, is_wanted, f);
	attachments_free(&attachments);
	records_free(&buffers);
	return rc;
}

/* Whoever asks what stands in the way must know what does not. */
static void foot(const struct records *list, FILE *to)
{
	for (size_t i = 0; i < list->n; i++) {
		if (strcmp(record_text(&list->item[i], H_HELD), "hca") != 0 ||
		    !holders_is_mlx5(record_text(&list->item[i], H_DRIVER)))
			continue;
		fputs("\nmlx5_ib lets an HCA go although it is in use: unloading mlx5_ib succeeds, "
		      "and these MRs are lost.\n", to);
		return;
	}
}

const struct list_type list_holders = {
	.what = "holder", .plural = "holders", .command = "holders", .value = values,
	.n = ARRAY_SIZE(values), .ids = 2, .filters = FILTERS, .read = read_holders,
	.foot = foot, .in_order = true,
};

static enum exit_code show(struct gdrctl *g, struct args *a)
{
	return list_show(&list_holders, g, a);
}

static const struct command commands[] = {
	{ "show", show, FILTERS, "list what is held, and by whom; needs root" },
	{ NULL, NULL, 0, NULL },
};

const struct object object_holders = {
	.name = "holders",
	.help = "what keeps a GPU, an HCA or a module from being removed",
	.notes = "Modules: those of NVIDIA, mlx5 and RDMA, and one that the filter module names.\n"
		 "With a module come its devices: who holds a GPU holds nvidia.\n"
		 "mlx5_ib lets an HCA go under those who use it: they lose what they have.\n"
		 "Of several filters for devices and modules one has to match.\n",
	.command = commands,
};
