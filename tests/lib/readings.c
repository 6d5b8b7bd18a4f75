// SPDX-License-Identifier: GPL-2.0
/* The module's totals, and the readings they are compared with. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "readings.h"

#define MAX_NAMES	64
#define NAME_LEN	64

struct names {
	char name[MAX_NAMES][NAME_LEN];
	unsigned int n;
};

/* Returns how many different names there are now. */
static unsigned int names_add(struct names *names, const char *name)
{
	unsigned int i;

	for (i = 0; i < names->n; i++)
		if (!strcmp(names->name[i], name))
			return names->n;
	if (names->n < MAX_NAMES)
		snprintf(names->name[names->n++], NAME_LEN, "%s", name);
	return names->n;
}

static bool read_word(const char *path, char *word, size_t size)
{
	FILE *f = fopen(path, "re");
	bool ok;

	if (!f)
		return false;
	ok = fgets(word, size, f);
	fclose(f);
	if (ok)
		word[strcspn(word, "\n")] = 0;
	return ok;
}

bool reading_total(const char *name, uint64_t *value)
{
	char path[256], word[64], *end;

	snprintf(path, sizeof(path), GDRT_SYSFS "/%s", name);
	if (!read_word(path, word, sizeof(word)))
		return false;
	errno = 0;
	*value = strtoull(word, &end, 10);
	return !errno && end != word && !*end;
}

static bool is_gpu_exporter(const char *exp_name)
{
	return !strcmp(exp_name, "nvidia") || !strcmp(exp_name, "nv_dmabuf");
}

static bool is_hca(const char *device)
{
	char path[1200], word[16];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/vendor", device);
	return read_word(path, word, sizeof(word)) && !strcmp(word, "0x15b3");
}

/*
 * bufinfo: a line with five tabs for each buffer (the exporter's name is the
 * fifth field and may hold spaces), then its attached devices, one a line that
 * starts with a tab.
 */
static bool read_bufinfo(struct readings *r, bool all)
{
	struct names importers = {}, exporters = {};
	char line[1024], exp_name[NAME_LEN] = "";
	bool counted = false, devices = false;
	FILE *f = fopen(GDRT_BUFINFO, "re");

	if (!f) {
		perror(GDRT_BUFINFO);
		return false;
	}
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		if (line[0] != '\t') {
			char *field = line;
			int i;

			for (i = 0; i < 4 && field; i++)
				field = strchr(field, '\t') ? strchr(field, '\t') + 1 : NULL;
			if (!field || line[strspn(line, "0123456789")] != '\t')
				continue;
			snprintf(exp_name, sizeof(exp_name), "%.*s", (int)strcspn(field, "\t"),
				 field);
			counted = devices = false;
			continue;
		}
		if (strstr(line, "Attached Devices:")) {
			devices = true;
			continue;
		}
		if (!devices)
			continue;	/* a fence */
		if (!all && !is_gpu_exporter(exp_name) && !is_hca(line + 1))
			continue;
		r->attachments++;
		if (!is_gpu_exporter(exp_name))
			r->foreign++;
		if (!counted)
			r->buffers++;
		counted = true;
		r->importers = names_add(&importers, line + 1);
		r->exporters = names_add(&exporters, exp_name);
	}
	fclose(f);
	return true;
}

static bool read_exporter(struct readings *r)
{
	uint64_t size = 0, maps, pins;
	char line[1024], kind[16] = "";
	FILE *f = fopen(GDRT_EXP_LEDGER, "re");

	if (!f) {
		perror(GDRT_EXP_LEDGER);
		return false;
	}
	while (fgets(line, sizeof(line), f)) {
		if (!strncmp(line, "calls ", 6)) {
			sscanf(line,
			       "calls attach %*u attach_failed %*u detach %*u map %" SCNu64
			       " map_failed %*u unmap %" SCNu64, &r->map_calls, &r->unmap_calls);
		} else if (sscanf(line, "buffer %*u size %" SCNu64 " gpu %*s kind %15s attachments %*u"
				  " maps %" SCNu64 " pins %" SCNu64, &size, kind, &maps, &pins) == 4) {
			if (maps)
				r->mapped_bytes += size;
			if (strcmp(kind, "dynamic") ? maps : pins)
				r->pinned_bytes += size;
		} else if (sscanf(line, "attachment %*u importer %*s maps %" SCNu64 " pins %" SCNu64,
				  &maps, &pins) == 2) {
			r->mapped += !!maps;
			if (strcmp(kind, "dynamic") ? maps : pins)
				r->pinned_bytes_sum += size;
		}
	}
	fclose(f);
	return true;
}

/* Only where the importer double is loaded. */
static void read_importer(struct readings *r)
{
	FILE *f = fopen(GDRT_IMP_LEDGER, "re");
	char line[1024];

	if (!f)
		return;
	while (fgets(line, sizeof(line), f))
		sscanf(line,
		       "calls attach %*u attach_failed %*u detach %*u map %*u map_failed %*u"
		       " unmap %*u pin %" SCNu64 " pin_failed %*u unpin %" SCNu64,
		       &r->pin_calls, &r->unpin_calls);
	fclose(f);
}

bool readings_take(struct readings *r)
{
	char track[16] = "";

	memset(r, 0, sizeof(*r));
	if (!read_word(GDRT_SYSFS "/track", track, sizeof(track))) {
		perror(GDRT_SYSFS "/track");
		return false;
	}
	if (!read_bufinfo(r, !strcmp(track, "all")) || !read_exporter(r))
		return false;
	read_importer(r);
	return true;
}

static int differs(const char *name, uint64_t other, const char *where, FILE *out)
{
	uint64_t value;

	if (!reading_total(name, &value)) {
		fprintf(out, "%s: cannot be read\n", name);
		return 1;
	}
	if (value == other)
		return 0;
	fprintf(out, "%s is %" PRIu64 ", but %s %" PRIu64 "\n", name, value, where, other);
	return 1;
}

int readings_compare(bool counters, uint64_t reasons, FILE *out)
{
	const char * const bufinfo = "bufinfo has", * const ledger = "the ledger has";
	uint64_t attach = 0, detach = 0, page = sysconf(_SC_PAGESIZE);
	struct readings r;
	int bad = 0;

	if (!readings_take(&r)) {
		fprintf(out, "no independent reading\n");
		return 1;
	}
	bad += differs("attachments", r.attachments, bufinfo, out);
	bad += differs("buffers", r.buffers, bufinfo, out);
	bad += differs("importers_active", r.importers, bufinfo, out);
	bad += differs("exporters_active", r.exporters, bufinfo, out);
	if (!r.foreign) {
		bad += differs("mapped", r.mapped, ledger, out);
		bad += differs("mapped_bytes", r.mapped_bytes, ledger, out);
		bad += differs("pinned_bytes", r.pinned_bytes, ledger, out);
		bad += differs("pinned_pages", r.pinned_bytes / page, ledger, out);
		bad += differs("pinned_bytes_sum", r.pinned_bytes_sum, ledger, out);
	}
	bad += differs("inexact_reasons", reasons, "should be", out);
	bad += differs("inexact", !!reasons, "should be", out);
	if (!counters)
		return bad;

	reading_total("attach_total", &attach);
	reading_total("detach_total", &detach);
	bad += differs("attachments", attach - detach, "attach_total - detach_total is", out);
	bad += differs("map_total", r.map_calls, ledger, out);
	bad += differs("unmap_total", r.unmap_calls, ledger, out);
	bad += differs("pin_total", r.pin_calls, ledger, out);
	bad += differs("unpin_total", r.unpin_calls, ledger, out);
	return bad;
}
