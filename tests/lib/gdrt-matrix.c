// SPDX-License-Identifier: GPL-2.0
/*
 * Every kind of exporter with every kind of importer, one call at a time. After
 * each call all totals and the numbers of each device and pair are compared
 * with bufinfo and the doubles' ledgers, and the state of the attachment with
 * the table of lives.c, for the generation of the core that runs. Each row is
 * walked by one attachment, and by three at once: two importers of one buffer,
 * and another buffer on another GPU.
 *
 * Needs the doubles and gdr_telemetry loaded together, two GPUs, and two
 * functions of the importer double.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/gdr_telemetry.h>

#include "buffers.h"
#include "ktap.h"
#include "lives.h"
#include "nl.h"
#include "readings.h"

#define SIZE		(1U << 20)
#define N_OTHERS	7

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

static int call(char c, const struct life *l, struct buffer *b, unsigned int function,
		uint64_t *handle)
{
	switch (c) {
	case 'a':
		return import_attach(b, function, l->importer, 1, handle);
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
		err = call(l->calls[i], l, &b, 0, &handle);
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
		ok &= is(when, "pinned_bytes_sum", attached && pinned ? SIZE : 0);
		ok &= is(when, "invalidate_total", invalidations);
	}
	if (err)
		import_range(GDRT_DETACH, handle, 1);
	close(b.fd);
	ktap_result(ok, "%s", l->name);
}

/* ---- three attachments that live the same life ---------------------------- */

#define WALKERS		3

/*
 * Importer 0 and 1 on a buffer of GPU 0, and importer 0 on a larger one of GPU 1,
 * so that nothing is right by accident.
 */
static const struct {
	unsigned int function;
	unsigned int buffer;
} walkers[WALKERS] = { { 0, 0 }, { 1, 0 }, { 0, 1 } };

static char functions[2][32];	/* BDFs */

struct walk {
	struct buffer buffer[2];
	uint64_t handle[WALKERS];
	char state[WALKERS];
};

/* Bytes of the buffers that a walker of @function (or any: -1) has in one of @states. */
static uint64_t bytes_in(const struct walk *w, const char *states, int function)
{
	bool in[2] = { false, false };
	unsigned int i;

	for (i = 0; i < WALKERS; i++)
		if ((function < 0 || walkers[i].function == (unsigned int)function) &&
		    strchr(states, w->state[i]))
			in[walkers[i].buffer] = true;
	return (in[0] ? w->buffer[0].size : 0) + (in[1] ? w->buffer[1].size : 0);
}

static bool as_expected(const char *when, const struct walk *w)
{
	uint64_t attached[2] = { 0, 0 }, mapped = 0, sum = 0;
	char name[64];
	unsigned int i;
	bool ok;

	for (i = 0; i < WALKERS; i++) {
		attached[walkers[i].function] += w->state[i] != '.';
		mapped += !!strchr("mB", w->state[i]);
		sum += strchr("PB", w->state[i]) ? w->buffer[walkers[i].buffer].size : 0;
	}
	ok = agrees(when);
	ok &= is(when, "attachments", attached[0] + attached[1]);
	ok &= is(when, "importers_active", !!attached[0] + !!attached[1]);
	ok &= is(when, "mapped", mapped);
	ok &= is(when, "mapped_bytes", bytes_in(w, "mB", -1));
	ok &= is(when, "pinned_bytes", bytes_in(w, "PB", -1));
	ok &= is(when, "pinned_bytes_sum", sum);
	for (i = 0; i < 2; i++) {
		if (!attached[i])
			continue;	/* it may have no directory yet */
		snprintf(name, sizeof(name), "importers/%s/attachments", functions[i]);
		ok &= is(when, name, attached[i]);
		snprintf(name, sizeof(name), "importers/%s/mapped_bytes", functions[i]);
		ok &= is(when, name, bytes_in(w, "mB", i));
		snprintf(name, sizeof(name), "importers/%s/pinned_bytes", functions[i]);
		ok &= is(when, name, bytes_in(w, "PB", i));
	}
	return ok;
}

/* One call of one walker. An invalidation is one of all walkers of the buffer. */
static bool step(struct walk *w, const struct life *l, int core, unsigned int at, unsigned int who)
{
	unsigned int i, buffer = walkers[who].buffer;
	char when[64];
	int err;

	snprintf(when, sizeof(when), "call %u of %s, walker %u", at + 1, l->calls, who);
	if (l->calls[at] == 'i' && who && walkers[who - 1].buffer == buffer)
		return true;
	err = call(l->calls[at], l, &w->buffer[buffer], walkers[who].function, &w->handle[who]);
	if (err) {
		ktap_diag("%s: %s", when, strerror(-err));
		return false;
	}
	for (i = 0; i < WALKERS; i++)
		if (i == who || (l->calls[at] == 'i' && walkers[i].buffer == buffer))
			w->state[i] = l->states[core][at];
	return as_expected(when, w);
}

static void together(const struct life *l, int core)
{
	struct walk w = { .state = { '.', '.', '.' } };
	bool ok = true;
	unsigned int at, i;

	ok &= !buffer_export(&w.buffer[0], SIZE, 0, l->exporter) &&
	      !buffer_export(&w.buffer[1], 2 * SIZE, 1, l->exporter);
	for (at = 0; ok && l->calls[at]; at++)
		for (i = 0; i < WALKERS; i++)
			ok &= step(&w, l, core, at, i);
	for (i = 0; i < WALKERS; i++)
		if (w.state[i] != '.')
			import_range(GDRT_DETACH, w.handle[i], 1);
	close(w.buffer[0].fd);
	close(w.buffer[1].fd);
	ktap_result(ok, "%s: two importers, two buffers", l->name);
}

/* ---- others --------------------------------------------------------------- */

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

/* A counter of the importer, of the exporter (its GPU once that is told), or of their pair. */
static const char *counter_of(const char *dir, bool told, const char *counter)
{
	static char name[192];
	char gpu[32] = "nvidia";

	if (told)
		gpu_bdf(0, gpu, sizeof(gpu));
	if (dir[0] == 'p')
		snprintf(name, sizeof(name), "pairs/%s_%s/failures_total", gpu, functions[0]);
	else
		snprintf(name, sizeof(name), "%s/%s/%s", dir, dir[0] == 'i' ? functions[0] : gpu,
			 counter);
	return name;
}

/* A call that fails changes no gauge, and is one failure: in all, and of each device. */
static void failure(const char *name, const char *value, const char *total, unsigned int exporter,
		    unsigned int importer, const char *calls, int want)
{
	uint64_t handle = 0, before = 0, detached = 0, of_importer = 0, of_exporter = 0, of_pair = 0;
	const struct life l = { .importer = importer };
	const char * const after = "after the failure";
	bool ok = true, told = strlen(calls) > 2;
	struct buffer b;
	int err = 0;

	ok &= !buffer_export(&b, SIZE, 0, exporter);
	reading_total("detach_total", &detached);
	/* All calls but the last succeed. */
	for (; ok && calls[1]; calls++)
		ok = !call(*calls, &l, &b, 0, &handle);
	ok &= agrees("before the failure");
	reading_total(total, &before);
	reading_total(counter_of("importers", told, total), &of_importer);
	reading_total(counter_of("exporters", told, total), &of_exporter);
	if (told)
		reading_total(counter_of("pairs", told, total), &of_pair);
	ok &= set_switch(name, value);
	if (ok)
		err = call(*calls, &l, &b, 0, &handle);
	set_switch(name, "0");
	if (err != want) {
		ktap_diag("%s: error %d, expected %d", name, -err, -want);
		ok = false;
	}
	ok &= agrees(after) && is(after, total, before + 1);
	ok &= is(after, counter_of("importers", told, total), of_importer + 1);
	ok &= is(after, counter_of("exporters", told, total), of_exporter + 1);
	if (told)
		ok &= is(after, counter_of("pairs", told, total), of_pair + 1);
	if (*calls == 'a') {
		ok &= is(after, "attachments", 0) && is(after, "detach_total", detached);
	} else {
		ok &= !import_range(GDRT_DETACH, handle, 1) && agrees("detached");
	}
	close(b.fd);
	ktap_result(ok, "%s %s counts once in %s%s", name, value, total, told ? ", of the GPU" : "");
}

static bool find_functions(void)
{
	FILE *f = fopen("/sys/kernel/debug/gdrt_importer/functions", "re");
	bool ok;

	if (!f)
		return false;
	ok = fscanf(f, "function 0 bdf %31s function 1 bdf %31s", functions[0], functions[1]) == 2;
	fclose(f);
	return ok;
}

int main(void)
{
	int core = nl_core();
	unsigned int i;

	if (core < 0)
		ktap_bail("status of gdr-telemetry: %s", strerror(-core));
	if (!find_functions())
		ktap_bail("two functions of the importer double are needed");
	if (core > GDR_TELEMETRY_CORE_INVALIDATE)
		ktap_bail("core %d is not in the table", core);
	ktap_plan(2 * n_lives + N_OTHERS);
	for (i = 0; i < n_lives; i++) {
		if (lives[i].states[core]) {
			live(&lives[i], core);
			together(&lives[i], core);
			continue;
		}
		ktap_skip("this core has no such pairing", "%s", lives[i].name);
		ktap_skip("this core has no such pairing", "%s: two importers, two buffers",
			  lives[i].name);
	}
	many(500);
	in_turns(300);
	two_importers();
	failure("attach_errno", "16", "failures/attach_total", 0, GDRT_IMPORT_STATIC, "a", -16);
	failure("map_errno", "-1", "failures/map_total", 0, GDRT_IMPORT_STATIC, "am", -12);
	failure("map_errno", "-1", "failures/map_total", 0, GDRT_IMPORT_STATIC, "amum", -12);
	failure("pin_errno", "28", "failures/pin_total", GDRT_EXPORT_DYNAMIC,
		GDRT_IMPORT_DYNAMIC, "ap", -28);
	return ktap_end();
}
