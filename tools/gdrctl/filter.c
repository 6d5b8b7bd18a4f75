// SPDX-License-Identifier: GPL-2.0
/* Filters: which records are wanted. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "causes.h"
#include "cgroup.h"
#include "enums.h"
#include "filter.h"
#include "format.h"
#include "gpus.h"
#include "names.h"
#include "words.h"

#define NS 1000000000u
#define DEVICE "BDF|IBDEV"
#define GPU "BDF|INDEX|UUID"
#define EXPORTER "BDF|MODULE"

const struct filter_word filter_words[] = {
	{ "hca", DEVICE, FILTER_IMPORTER, "importing HCA: 81:00.0 or mlx5_0" },
	{ "importer", DEVICE, FILTER_IMPORTER, "importing device, the same as hca" },
	{ "gpu", GPU, FILTER_EXPORTER, "exporting GPU: 41:00.0, 0 or GPU-1a2b…" },
	{ "exporter", EXPORTER, FILTER_EXPORTER, "exporting device or module: nvidia, udmabuf" },
	{ "pid", "PID", FILTER_PID, "process that attached" },
	{ "comm", "NAME", FILTER_COMM, "command name of that process" },
	{ "cgroup", "PATH|ID|POD", FILTER_CGROUP,
	  "its cgroup, container or pod: a path with all below it, an id" },
	{ "buffer", "INODE", FILTER_BUFFER, "inode number of the dma-buf" },
	{ "module", "NAME", FILTER_MODULE, "kernel module that is held: mlx5_ib" },
	{ "id", "ID", FILTER_ID, "the one attachment with this id" },
	{ "stage", "STAGE", FILTER_STAGE, "where it failed: verbs, umem, attach, map, pin, hw" },
	{ "errno", "ERRNO", FILTER_ERRNO, "ENOMEM or 12" },
	{ "since", "TIME", FILTER_SINCE, "no longer ago than 90s, 10m, 2h or 1d" },
	{ NULL, NULL, 0, NULL },
};

static enum exit_code wrong(const struct filter_word *w, const char *value, const char *should)
{
	char shown[MODEL_STR];

	message("%s \"%s\": %s", w->word, format_escape(value, shown, sizeof(shown)), should);
	return EXIT_USAGE;
}

static bool number(const char *s, uint64_t max, uint64_t *v)
{
	char *end;

	if (!isdigit((unsigned char)*s))
		return false;
	errno = 0;
	*v = strtoull(s, &end, 10);
	return !errno && !*end && *v <= max;
}

static bool is_name(const char *s)
{
	if (!*s || strlen(s) >= MODEL_STR)
		return false;
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && !strchr("_-.", *s))
			return false;
	return true;
}

static enum exit_code add_importer(struct filter *f, const struct filter_word *w, const char *s)
{
	char have[IBDEVS_SIZE], shown[MODEL_STR];

	if (names_bdf(s, f->importer) || names_ibdev_to_device(s, f->importer))
		return EXIT_OK;
	if (strchr(s, ':') || !is_name(s))
		return wrong(w, s, "neither a BDF like 81:00.0 nor an RDMA device like mlx5_0");
	/* An importer that is no PCI function is named by its device, with no RDMA device. */
	if (w->word[0] == 'i' && strncmp(s, "mlx", 3)) {
		strcpy(f->importer, s);
		return EXIT_OK;
	}
	names_ibdevs(NULL, have);
	message("%s \"%s\": no such RDMA device; there %s%s", w->word,
		format_escape(s, shown, sizeof(shown)), *have ? "is: " : "is none", have);
	return EXIT_USAGE;
}

static enum exit_code add_exporter(struct filter *f, const struct filter_word *w, const char *s)
{
	char have[GPUS_LIST_SIZE], shown[MODEL_STR];

	if (names_bdf(s, f->exporter))
		return EXIT_OK;
	if (isdigit((unsigned char)*s) || !strncmp(s, "GPU-", 4)) {
		if (gpus_bdf(s, f->exporter))
			return EXIT_OK;
		if (!strchr(s, ':') && !strchr(s, '.')) {
			gpus_list(have);
			message("%s \"%s\": no such GPU, by index or UUID; there %s%s", w->word,
				format_escape(s, shown, sizeof(shown)), *have ? "is: " : "is none",
				have);
			return EXIT_USAGE;
		}
	}
	if (strchr(s, ':') || strchr(s, '.') || !is_name(s))
		return wrong(w, s, "neither a BDF like 41:00.0 nor a module like nvidia");
	strcpy(f->exporter, s);
	return EXIT_OK;
}

static enum exit_code add_comm(struct filter *f, const struct filter_word *w, const char *s)
{
	/* The kernel's TASK_COMM_LEN, with the terminator. */
	if (!*s || strlen(s) > 15)
		return wrong(w, s, "a command name has 1 to 15 bytes");
	strcpy(f->comm, s);
	return EXIT_OK;
}

static enum exit_code add_module(struct filter *f, const struct filter_word *w, const char *s)
{
	if (!is_name(s) || strchr(s, '.'))
		return wrong(w, s, "not the name of a module, like mlx5_ib");
	/* modprobe takes both, sysfs has the latter. */
	for (char *to = f->module; (*to = *s == '-' ? '_' : *s); to++)
		s++;
	return EXIT_OK;
}

static enum exit_code add_cgroup(struct filter *f, const struct filter_word *w, const char *s)
{
	if (!cgroup_is_filter(s) || strlen(s) >= sizeof(f->cgroup))
		return wrong(w, s, "neither a path like /system.slice, nor an id, nor 12 digits or "
			     "more of a container's id, nor a pod's UID");
	strcpy(f->cgroup, s);
	return EXIT_OK;
}

static enum exit_code add_stage(struct filter *f, const char *s)
{
	struct words w = { .n = 0 };
	int i;

	for (i = 0; stage_words[i].word; i++)
		words_add(&w, stage_words[i].word);
	i = words_require(&w, s, "stage");
	if (i < 0)
		return EXIT_USAGE;
	f->stage = stage_words[i].value;
	return EXIT_OK;
}

/* A number, and what it counts; seconds without. */
static bool duration(const char *s, uint64_t *ns)
{
	static const struct { const char *unit; uint64_t seconds; } units[] = {
		{ "", 1 }, { "s", 1 }, { "m", 60 }, { "h", 3600 }, { "d", 86400 },
	};
	size_t digits = strspn(s, "0123456789");
	char text[32];
	uint64_t v;

	if (!digits || digits >= sizeof(text))
		return false;
	memcpy(text, s, digits);
	text[digits] = 0;
	if (!number(text, UINT32_MAX, &v))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(s + digits, units[i].unit))
			/* What is too long for the number is longer than any machine runs. */
			return !__builtin_mul_overflow(v, units[i].seconds * NS, ns);
	return false;
}

enum exit_code filter_add(struct filter *f, const struct filter_word *w, const char *value)
{
	uint64_t v;

	if (!value) {
		message("%s needs a value: %s %s", w->word, w->word, w->value);
		return EXIT_USAGE;
	}
	if (f->has[w->kind]) {
		message("%s: given twice (hca is importer, gpu is exporter)", w->word);
		return EXIT_USAGE;
	}
	f->has[w->kind] = true;
	switch (w->kind) {
	case FILTER_IMPORTER:
		return add_importer(f, w, value);
	case FILTER_EXPORTER:
		return add_exporter(f, w, value);
	case FILTER_COMM:
		return add_comm(f, w, value);
	case FILTER_MODULE:
		return add_module(f, w, value);
	case FILTER_CGROUP:
		return add_cgroup(f, w, value);
	case FILTER_PID:
		/* The kernel's PID_MAX_LIMIT. */
		if (!number(value, 1 << 22, &v) || !v)
			return wrong(w, value, "not a process id: a number from 1 to 4194304");
		f->pid = (uint32_t)v;
		return EXIT_OK;
	case FILTER_BUFFER:
		return number(value, UINT64_MAX, &f->buffer) ? EXIT_OK :
		       wrong(w, value, "not an inode number, as in column BUFFER");
	case FILTER_ID:
		return number(value, UINT64_MAX, &f->id) ? EXIT_OK :
		       wrong(w, value, "not an id, as in column ID");
	case FILTER_STAGE:
		return add_stage(f, value);
	case FILTER_ERRNO:
		f->err = cause_errno_number(value);
		return f->err ? EXIT_OK :
		       wrong(w, value, "no errno: a name like ENOMEM or its number");
	case FILTER_SINCE:
		return duration(value, &f->since_ns) ? EXIT_OK :
		       wrong(w, value, "not a time: a number with s, m, h or d, as 10m");
	case FILTER_KINDS:
		break;
	}
	return EXIT_USAGE;
}

bool filter_has(const struct filter *f, unsigned int filters)
{
	for (int i = 0; i < FILTER_KINDS; i++)
		if (f->has[i] && filters & 1u << i)
			return true;
	return false;
}

bool filter_any(const struct filter *f)
{
	return filter_has(f, ~0u);
}

bool filter_client(const struct filter *f, const struct attachment *a)
{
	if (f->has[FILTER_COMM] && !(model_has(a->present, GDR_TELEMETRY_A_ATTACHMENT_COMM) &&
				     !strcmp(f->comm, a->comm)))
		return false;
	return !f->has[FILTER_CGROUP] ||
	       (model_has(a->present, GDR_TELEMETRY_A_ATTACHMENT_CGROUP) &&
		cgroup_matches(f->cgroup, a->cgroup));
}

void attachments_filter(struct attachments *list, const struct filter *f)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->n; i++)
		if (filter_client(f, &list->item[i]))
			list->item[kept++] = list->item[i];
	list->n = kept;
}

void filters_add_words(struct words *w, unsigned int filters)
{
	for (const struct filter_word *f = filter_words; f->word; f++)
		if (filters & 1u << f->kind)
			words_add(w, f->word);
}

static const struct filter_word *find_word(const char *name)
{
	const struct filter_word *f = filter_words;

	while (strcmp(f->word, name) != 0)
		f++;
	return f;
}

enum exit_code filters_read(struct filter *f, struct args *a, unsigned int filters)
{
	struct words w = { .n = 0 };
	const char *word;
	int i;

	filters_add_words(&w, filters);
	while ((word = args_next(a))) {
		i = words_require(&w, word, "filter");
		if (i < 0 || filter_add(f, find_word(w.word[i]), args_value(a)))
			return EXIT_USAGE;
	}
	if (a->wrong)
		return EXIT_USAGE;
	for (i = 0; f->has[FILTER_ID] && i < FILTER_KINDS; i++) {
		if (i != FILTER_ID && f->has[i]) {
			message("id: names one attachment and goes with no other filter");
			return EXIT_USAGE;
		}
	}
	return EXIT_OK;
}
