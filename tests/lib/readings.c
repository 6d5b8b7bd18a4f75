// SPDX-License-Identifier: GPL-2.0
/* The module's totals, and the readings they are compared with. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "devices.h"
#include "live.h"
#include "readings.h"

bool reading_total(const char *name, uint64_t *value)
{
	char path[256], word[64], *end;

	snprintf(path, sizeof(path), GDRT_SYSFS "/%s", name);
	if (!live_word(path, word, sizeof(word)))
		return false;
	errno = 0;
	*value = strtoull(word, &end, 10);
	return !errno && end != word && !*end;
}

/* What the totals should be, from what is live. */
static void add_up(struct readings *r, const struct live *l)
{
	bool importers[LIVE_DEVICES] = {}, exporters[LIVE_DEVICES] = {};
	unsigned int i, d;

	for (i = 0; i < l->n_buffers; i++) {
		const struct live_buffer *b = &l->buffer[i];
		uint32_t mapped = 0, pinned = 0, attachments = 0;

		for (d = 0; d < l->n_importers; d++) {
			attachments += b->share[d].attachments;
			mapped += b->share[d].mapped;
			pinned += b->share[d].pinned;
			importers[d] |= b->share[d].attachments;
		}
		exporters[b->exporter] = true;
		r->buffers++;
		r->attachments += attachments;
		r->foreign += b->is_double ? 0 : attachments;
		r->mapped += mapped;
		r->mapped_bytes += mapped ? b->size : 0;
		r->pinned_bytes += pinned ? b->size : 0;
		r->pinned_bytes_sum += pinned * b->size;
	}
	for (d = 0; d < LIVE_DEVICES; d++) {
		r->importers += importers[d];
		r->exporters += exporters[d];
	}
}

static bool read_exporter(struct readings *r)
{
	FILE *f = fopen(GDRT_EXP_LEDGER, "re");
	char line[1024];

	if (!f) {
		perror(GDRT_EXP_LEDGER);
		return false;
	}
	if (fgets(line, sizeof(line), f))
		sscanf(line,
		       "calls attach %*u attach_failed %*u detach %*u map %" SCNu64
		       " map_failed %*u unmap %" SCNu64, &r->map_calls, &r->unmap_calls);
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

static bool take(struct readings *r, struct live *l)
{
	char track[16] = "";

	memset(r, 0, sizeof(*r));
	memset(l, 0, sizeof(*l));
	if (!live_word(GDRT_SYSFS "/track", track, sizeof(track))) {
		perror(GDRT_SYSFS "/track");
		return false;
	}
	if (!live_read(l, !strcmp(track, "all")) || !read_exporter(r))
		return false;
	add_up(r, l);
	read_importer(r);
	return true;
}

bool readings_take(struct readings *r)
{
	struct live l;
	bool ok = take(r, &l);

	live_free(&l);
	return ok;
}

int reading_differs(const char *name, uint64_t other, const char *where, FILE *out)
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

static int compare_totals(const struct readings *r, uint64_t reasons, FILE *out)
{
	const char * const bufinfo = "bufinfo has", * const ledger = "the ledger has";
	uint64_t page = sysconf(_SC_PAGESIZE);
	int bad = 0;

	bad += reading_differs("attachments", r->attachments, bufinfo, out);
	bad += reading_differs("buffers", r->buffers, bufinfo, out);
	bad += reading_differs("importers_active", r->importers, bufinfo, out);
	bad += reading_differs("exporters_active", r->exporters, bufinfo, out);
	if (!r->foreign) {
		bad += reading_differs("mapped", r->mapped, ledger, out);
		bad += reading_differs("mapped_bytes", r->mapped_bytes, ledger, out);
		bad += reading_differs("pinned_bytes", r->pinned_bytes, ledger, out);
		bad += reading_differs("pinned_pages", r->pinned_bytes / page, ledger, out);
		bad += reading_differs("pinned_bytes_sum", r->pinned_bytes_sum, ledger, out);
	}
	bad += reading_differs("inexact_reasons", reasons, "should be", out);
	bad += reading_differs("inexact", !!reasons, "should be", out);
	return bad;
}

static int compare_counters(const struct readings *r, FILE *out)
{
	const char * const ledger = "the ledger has";
	uint64_t attach = 0, detach = 0;
	int bad = 0;

	reading_total("attach_total", &attach);
	reading_total("detach_total", &detach);
	bad += reading_differs("attachments", attach - detach, "attach_total - detach_total is", out);
	bad += reading_differs("map_total", r->map_calls, ledger, out);
	bad += reading_differs("unmap_total", r->unmap_calls, ledger, out);
	bad += reading_differs("pin_total", r->pin_calls, ledger, out);
	bad += reading_differs("unpin_total", r->unpin_calls, ledger, out);
	return bad;
}

int readings_compare(enum readings_depth depth, uint64_t reasons, FILE *out)
{
	struct readings r;
	struct live l;
	int bad;

	if (take(&r, &l)) {
		bad = compare_totals(&r, reasons, out);
		if (depth >= READINGS_DEVICES)
			bad += compare_devices(&l, out);
		if (depth >= READINGS_COUNTERS)
			bad += compare_counters(&r, out);
	} else {
		fprintf(out, "no independent reading\n");
		bad = 1;
	}
	live_free(&l);
	return bad;
}
