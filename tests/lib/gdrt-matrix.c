// SPDX-License-Identifier: GPL-2.0
/*
 * Every kind of exporter with every kind of importer, one call at a time. After
 * each call all totals are compared with bufinfo and the doubles' ledgers, and
 * the state of the attachment with the accounting rules of
 * Documentation/design.rst, written out here for each generation of the core.
 *
 * Needs the doubles and gdr_telemetry loaded together, and two functions of
 * the importer double.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/gdr_telemetry.h>

#include "buffers.h"
#include "ktap.h"
#include "nl.h"
#include "readings.h"

#define SIZE		(1U << 20)

/*
 * One attachment's life. A call is a letter:
 *	a attach   m map   M map under the reservation lock   u, U unmap likewise
 *	p pin   q unpin   i invalidation by the exporter   d detach
 * and the state after it, by core:
 *	- neither   m mapped   P pinned   B both   . no attachment
 * "cached" is that of 6.1 and 6.12 with DMABUF_MOVE_NOTIFY off, as Debian has it.
 */
struct life {
	const char *name;
	unsigned int exporter;	/* GDRT_EXPORT_* */
	unsigned int importer;	/* enum gdrt_import_mode */
	const char *calls;
	const char *states[GDR_TELEMETRY_CORE_INVALIDATE + 1];
};

#define CACHED		.states[GDR_TELEMETRY_CORE_CACHED]
#define INVALIDATE	.states[GDR_TELEMETRY_CORE_INVALIDATE]

static const struct life lives[] = {
	{
		"static exporter, static importer", 0, GDRT_IMPORT_STATIC,
		.calls =     "amuMUd",
		CACHED =     "-B-B-.",
		INVALIDATE = "-B-B-.",
	},
	{
		"static exporter, dynamic importer", 0, GDRT_IMPORT_DYNAMIC,
		.calls =     "ampquMUd",
		CACHED =     "BBBBBBB.",
		INVALIDATE = "-BBB-B-.",
	},
	{
		"static exporter, pinned importer", 0, GDRT_IMPORT_PINNED,
		.calls =     "amumud",
		CACHED =     "BBBBB.",
		INVALIDATE = "-B-B-.",
	},
	{
		"static exporter, revocable importer, invalidated", 0, GDRT_IMPORT_REVOCABLE,
		.calls =     "amid",
		CACHED =     "BBB.",
		INVALIDATE = "-B-.",
	},
	{
		"dynamic exporter, static importer", GDRT_EXPORT_DYNAMIC, GDRT_IMPORT_STATIC,
		.calls =     "amuMUd",
		CACHED =     "BBBBB.",
		INVALIDATE = "-B-B-.",
	},
	{
		"dynamic exporter, dynamic importer", GDRT_EXPORT_DYNAMIC, GDRT_IMPORT_DYNAMIC,
		.calls =     "amuMUpmuqpmqud",
		CACHED =     "-B-B-PBP-PBB-.",
		INVALIDATE = "-m-m-PBP-PBm-.",
	},
	{
		"dynamic exporter, dynamic importer, invalidated", GDRT_EXPORT_DYNAMIC,
		GDRT_IMPORT_DYNAMIC,
		.calls =     "amimud",
		CACHED =     "-B-B-.",
		INVALIDATE = "-m-m-.",
	},
	{
		"dynamic exporter, pinned importer", GDRT_EXPORT_DYNAMIC, GDRT_IMPORT_PINNED,
		.calls =     "amumqud",
		CACHED =     "PBPBB-.",
		INVALIDATE = "PBPBm-.",
	},
	{
		"dynamic exporter, revocable importer, invalidated", GDRT_EXPORT_DYNAMIC,
		GDRT_IMPORT_REVOCABLE,
		.calls =     "amid",
		CACHED =     "PB-.",
		INVALIDATE = "PB-.",
	},
	{
		"dynamic exporter, detach of a mapped and pinned attachment", GDRT_EXPORT_DYNAMIC,
		GDRT_IMPORT_PINNED,
		.calls =     "amd",
		CACHED =     "PB.",
		INVALIDATE = "PB.",
	},
	{
		"system pages, static importer", GDRT_EXPORT_SYSTEM, GDRT_IMPORT_STATIC,
		.calls =     "amud",
		CACHED =     "-B-.",
		INVALIDATE = "-B-.",
	},
	{
		"system pages, dynamic importer", GDRT_EXPORT_SYSTEM, GDRT_IMPORT_DYNAMIC,
		.calls =     "amud",
		CACHED =     "BBB.",
		INVALIDATE = "-B-.",
	},
	/* Where there is no such option, the exporter refuses to make the buffer. */
	{
		"caching exporter, static importer", GDRT_EXPORT_CACHE_SGT, GDRT_IMPORT_STATIC,
		.calls =     "amumud",
		CACHED =     "-BBBB.",
	},
	{
		"caching exporter, dynamic importer", GDRT_EXPORT_CACHE_SGT, GDRT_IMPORT_DYNAMIC,
		.calls =     "amumud",
		CACHED =     "BBBBB.",
	},
};

#define N_LIVES		(sizeof(lives) / sizeof(lives[0]))
#define N_OTHERS	6

/* Differences go to the output; returns true if there are none. */
static bool agrees(const char *when)
{
	char *text = NULL, *line, *save;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	int bad;

	bad = readings_compare(READINGS_COUNTERS, 0, f);
	fclose(f);
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		ktap_diag("%s: %s", when, line);
	free(text);
	return !bad;
}

static bool is(const char *when, const char *total, uint64_t want)
{
	uint64_t value;

	if (reading_total(total, &value) && value == want)
		return true;
	ktap_diag("%s: %s is %" PRIu64 ", expected %" PRIu64, when, total, value, want);
	return false;
}

static int call(char c, const struct life *l, struct buffer *b, uint64_t *handle)
{
	switch (c) {
	case 'a':
		return import_attach(b, 0, l->importer, 1, handle);
	case 'm':
		return import_range(GDRT_MAP, *handle, 1);
	case 'M':
		return import_range(GDRT_MAP_LOCKED, *handle, 1);
	case 'u':
		return import_range(GDRT_UNMAP, *handle, 1);
	case 'U':
		return import_range(GDRT_UNMAP_LOCKED, *handle, 1);
	case 'p':
		return import_range(GDRT_PIN, *handle, 1);
	case 'q':
		return import_range(GDRT_UNPIN, *handle, 1);
	case 'i':
		return buffer_invalidate(b);
	default:
		return import_range(GDRT_DETACH, *handle, 1);
	}
}

static void live(const struct life *l, int core)
{
	const char *state = l->states[core];
	uint64_t handle = 0, invalidations = 0;
	struct buffer b;
	bool ok = true;
	char when[64];
	int i, err;

	err = buffer_export(&b, SIZE, 0, l->exporter);
	if (err) {
		ktap_diag("buffer: %s", strerror(-err));
		ktap_result(false, "%s", l->name);
		return;
	}
	reading_total("invalidate_total", &invalidations);
	for (i = 0; l->calls[i]; i++) {
		bool attached = state[i] != '.', pinned = strchr("PB", state[i]);
		bool mapped = strchr("mB", state[i]);

		snprintf(when, sizeof(when), "call %d of %s", i + 1, l->calls);
		err = call(l->calls[i], l, &b, &handle);
		if (err) {
			ktap_diag("%s: %s", when, strerror(-err));
			ok = false;
			break;
		}
		invalidations += l->calls[i] == 'i';
		ok &= agrees(when);
		ok &= is(when, "attachments", attached);
		ok &= is(when, "mapped", attached && mapped);
		ok &= is(when, "mapped_bytes", attached && mapped ? SIZE : 0);
		ok &= is(when, "pinned_bytes", attached && pinned ? SIZE : 0);
		ok &= is(when, "invalidate_total", invalidations);
	}
	if (err)
		import_range(GDRT_DETACH, handle, 1);
	close(b.fd);
	ktap_result(ok, "%s", l->name);
}

/* Many attachments of one buffer: unique counts it once, sum each time. */
static void many(unsigned int n)
{
	uint64_t handle = 0;
	struct buffer b;
	bool ok = true;
	int err;

	err = buffer_export(&b, SIZE, 0, 0) ?: import_attach(&b, 0, GDRT_IMPORT_STATIC, n, &handle);
	ok &= !err && agrees("attached") && is("attached", "attachments", n) &&
	      is("attached", "pinned_bytes", 0);
	ok &= !import_range(GDRT_MAP, handle, n) && agrees("mapped") &&
	      is("mapped", "pinned_bytes", SIZE) &&
	      is("mapped", "pinned_bytes_sum", (uint64_t)n * SIZE);
	ok &= !import_range(GDRT_UNMAP, handle, n - 1) && agrees("all but one unmapped") &&
	      is("all but one unmapped", "pinned_bytes", SIZE) &&
	      is("all but one unmapped", "pinned_bytes_sum", SIZE);
	ok &= !import_range(GDRT_DETACH, handle, n) && agrees("detached") &&
	      is("detached", "attachments", 0);
	close(b.fd);
	ktap_result(ok, "%u attachments of one buffer", n);
}

static void in_turns(unsigned int n)
{
	uint64_t handle;
	struct buffer b;
	bool ok = true;
	unsigned int i;

	ok &= !buffer_export(&b, SIZE, 0, 0);
	for (i = 0; i < n && ok; i++)
		ok = !import_attach(&b, i % 2, i % 4, 1, &handle) &&
		     !import_range(i % 3 ? GDRT_MAP : GDRT_MAP_LOCKED, handle, 1) &&
		     (i % 5 || !import_range(GDRT_UNMAP, handle, 1)) &&
		     !import_range(GDRT_DETACH, handle, 1);
	ok &= agrees("at the end") && is("at the end", "attachments", 0);
	close(b.fd);
	ktap_result(ok, "%u attachments one after the other", n);
}

static void two_importers(void)
{
	uint64_t one = 0, two = 0;
	struct buffer b, c;
	bool ok = true;

	ok &= !buffer_export(&b, SIZE, 0, 0) && !buffer_export(&c, 2 * SIZE, 0, 0);
	ok &= !import_attach(&b, 0, GDRT_IMPORT_STATIC, 1, &one) &&
	      !import_attach(&b, 1, GDRT_IMPORT_STATIC, 1, &two);
	ok &= !import_range(GDRT_MAP, one, 1) && !import_range(GDRT_MAP, two, 1);
	ok &= agrees("both mapped") && is("both mapped", "importers_active", 2) &&
	      is("both mapped", "buffers", 1) && is("both mapped", "pinned_bytes", SIZE) &&
	      is("both mapped", "pinned_bytes_sum", 2 * SIZE);
	ok &= !import_range(GDRT_DETACH, one, 1) && agrees("one left") &&
	      is("one left", "importers_active", 1) && is("one left", "pinned_bytes", SIZE);
	ok &= !import_attach(&c, 0, GDRT_IMPORT_STATIC, 1, &one) &&
	      !import_range(GDRT_MAP, one, 1) && agrees("two buffers") &&
	      is("two buffers", "buffers", 2) && is("two buffers", "pinned_bytes", 3 * SIZE);
	ok &= !import_range(GDRT_DETACH, one, 1) && !import_range(GDRT_DETACH, two, 1) &&
	      agrees("detached");
	close(b.fd);
	close(c.fd);
	ktap_result(ok, "two importers of one buffer, and another buffer");
}

static bool set_switch(const char *name, const char *value)
{
	char path[128];
	bool ok;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/module/nvidia/parameters/%s", name);
	f = fopen(path, "we");
	if (!f)
		return false;
	ok = fputs(value, f) >= 0;
	return !fclose(f) && ok;
}

/* A call that fails changes no gauge, and is one failure. */
static void failure(const char *name, const char *value, const char *total, unsigned int exporter,
		    unsigned int importer, const char *calls, int want)
{
	uint64_t handle = 0, before = 0, detached = 0;
	const struct life l = { .importer = importer };
	struct buffer b;
	bool ok = true;
	int err = 0;

	reading_total(total, &before);
	reading_total("detach_total", &detached);
	ok &= !buffer_export(&b, SIZE, 0, exporter);
	/* All calls but the last succeed. */
	for (; ok && calls[1]; calls++)
		ok = !call(*calls, &l, &b, &handle);
	ok &= set_switch(name, value);
	if (ok)
		err = call(*calls, &l, &b, &handle);
	set_switch(name, "0");
	if (err != want) {
		ktap_diag("%s: error %d, expected %d", name, -err, -want);
		ok = false;
	}
	ok &= agrees("after the failure") && is("after the failure", total, before + 1);
	if (*calls == 'a') {
		ok &= is("after the failure", "attachments", 0) &&
		      is("after the failure", "detach_total", detached);
	} else {
		ok &= !import_range(GDRT_DETACH, handle, 1) && agrees("detached");
	}
	close(b.fd);
	ktap_result(ok, "%s %s counts once in %s", name, value, total);
}

int main(void)
{
	int core = nl_core();
	unsigned int i;

	if (core < 0)
		ktap_bail("status of gdr-telemetry: %s", strerror(-core));
	ktap_plan(N_LIVES + N_OTHERS);
	for (i = 0; i < N_LIVES; i++) {
		if (core <= GDR_TELEMETRY_CORE_INVALIDATE && lives[i].states[core])
			live(&lives[i], core);
		else
			ktap_skip("this core has no such pairing", "%s", lives[i].name);
	}
	many(500);
	in_turns(300);
	two_importers();
	failure("attach_errno", "16", "failures/attach_total", 0, GDRT_IMPORT_STATIC, "a", -16);
	failure("map_errno", "-1", "failures/map_total", 0, GDRT_IMPORT_STATIC, "am", -12);
	failure("pin_errno", "28", "failures/pin_total", GDRT_EXPORT_DYNAMIC,
		GDRT_IMPORT_DYNAMIC, "ap", -28);
	return ktap_end();
}
