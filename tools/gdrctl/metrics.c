// SPDX-License-Identifier: GPL-2.0
/* Numbers for Prometheus: which there are, and what they are called. */
#include <stdlib.h>
#include <string.h>

#include "causes.h"
#include "exposition.h"
#include "failure.h"
#include "gpus.h"
#include "latency.h"
#include "metrics.h"
#include "names.h"

#define S(name) GDR_TELEMETRY_A_STATUS_##name
#define D(name) GDR_TELEMETRY_A_DEVICE_##name
#define P(name) GDR_TELEMETRY_A_PAIR_##name
#define HAS(s, name) model_has((s)->present, S(name))

/**
 * struct number - one attribute and its family
 * @attr: the attribute
 * @family: the family
 * @what: of a total that is one of several: its label "what"; NULL: none
 */
struct number {
	int attr;
	struct family family;
	const char *what;
};

#define G(a, n, h) { .attr = (a), .family = { .name = (n), .type = GAUGE, .help = (h) } }
#define B(a, n, h)                                                                               \
	{ .attr = (a), .family = { .name = (n), .type = GAUGE, .unit = "bytes", .help = (h) } }
#define C(a, n, h) { .attr = (a), .family = { .name = (n), .type = COUNTER, .help = (h) } }

static const struct number totals[] = {
	G(S(ATTACHMENTS), "attachments", "Live attachments."),
	G(S(ATTACHMENTS_PEAK), "attachments_peak", "The most live attachments there were."),
	G(S(MAPPED), "mapped_attachments", "Live attachments whose importer holds addresses."),
	G(S(PREEXISTING), "preexisting_attachments",
	  "Live attachments that are older than the module."),
	G(S(ORPHANS), "orphans", "Live attachments whose process exited more than 5 s ago."),
	G(S(BUFFERS), "buffers", "Buffers with a live attachment."),
	G(S(EXPORTERS_ACTIVE), "exporters_active", "Exporters with a live attachment."),
	G(S(IMPORTERS_ACTIVE), "importers_active", "Importers with a live attachment."),
	G(S(MRS), "mrs", "MRs on top of live attachments."),
	B(S(MR_BYTES), "mr_bytes", "What these MRs cover."),
	B(S(PINNED_BYTES), "pinned_bytes", "Pinned buffers, each once."),
	B(S(PINNED_BYTES_PEAK), "pinned_peak_bytes", "The most that was pinned, each buffer once."),
	B(S(PINNED_BYTES_SUM), "attachment_pinned_bytes",
	  "Pinned buffers, each once for every attachment that pins it."),
	B(S(MAPPED_BYTES), "mapped_bytes", "Mapped buffers, each once."),
	C(S(ATTACH_TOTAL), "attach", "Attaches."),
	C(S(DETACH_TOTAL), "detach", "Detaches."),
	C(S(MAP_TOTAL), "map", "New mappings."),
	C(S(UNMAP_TOTAL), "unmap", "Mappings given up."),
	C(S(PIN_TOTAL), "pin", "Explicit pins."),
	C(S(UNPIN_TOTAL), "unpin", "Explicit unpins."),
	C(S(INVALIDATE_TOTAL), "invalidate", "Invalidations of a buffer with an attachment."),
	C(S(REGISTER_TOTAL), "register", "Registrations that made an MR."),
	C(S(DEREGISTER_TOTAL), "deregister", "Deregistrations of such MRs."),
	C(S(UNTRACKED_TOTAL), "untracked", "Attaches that are not tracked; no loss."),
	C(S(PREEXISTING_DETACHED_TOTAL), "preexisting_detached",
	  "Detaches of attachments older than the module; no loss."),
};

static const struct family lost = {
	.name = "lost", .type = COUNTER, .help = "What was not seen or not kept.",
};

static const struct number losses[] = {
	{ .attr = S(LOST_PROBE_MISSED_TOTAL), .what = "probe_missed" },
	{ .attr = S(LOST_POOL_EXHAUSTED_TOTAL), .what = "pool_exhausted" },
	{ .attr = S(LOST_UNKNOWN_DETACH_TOTAL), .what = "unknown_detach" },
	{ .attr = S(LOST_EVENTS_TOTAL), .what = "events" },
	{ .attr = S(LOST_FAILURE_RECORDS_TOTAL), .what = "failure_records" },
};

static const struct family build = {
	.name = "build", .type = INFO, .help = "The module, and how it works on this kernel.",
};

static const struct family start_time = {
	.name = "start_time_seconds", .type = GAUGE, .unit = "seconds",
	.help = "When the module was loaded, since the epoch.",
};

static const struct family inexact = {
	.name = "inexact", .type = GAUGE,
	.help = "Whether live numbers may be wrong, for this reason.",
};

static const struct family probe_armed = {
	.name = "probe_armed", .type = GAUGE, .help = "Whether a probe of the module is armed.",
};

static const struct family probe_missed = {
	.name = "probe_missed", .type = COUNTER, .help = "Calls that a probe did not see.",
};

static const struct family failures = {
	.name = "failures", .type = COUNTER,
	.help = "Registrations, and calls outside of one, that failed.",
};

static const struct family queries = {
	.name = "capability_queries", .type = COUNTER,
	.help = "Questions whether dma-buf is supported; EBADF says that it is.",
};

static const struct family durations = {
	.name = "duration_seconds", .type = HISTOGRAM, .unit = "seconds",
	.help = "How long calls took that succeeded.",
};

static const struct number importer_numbers[] = {
	G(D(ATTACHMENTS), "importer_attachments", "Live attachments of an importer."),
	G(D(BUFFERS), "importer_buffers", "Buffers with a live attachment of an importer."),
	G(D(MRS), "importer_mrs", "MRs on top of live attachments of an importer."),
	B(D(MR_BYTES), "importer_mr_bytes", "What these MRs cover."),
	B(D(MAPPED_BYTES), "importer_mapped_bytes",
	  "Buffers that are mapped for an importer, each once."),
	B(D(PINNED_BYTES), "importer_pinned_bytes", "Buffers that an importer pins, each once."),
	C(D(ATTACH_TOTAL), "importer_attach", "Attaches of an importer."),
	C(D(DETACH_TOTAL), "importer_detach", "Detaches of an importer."),
	C(D(REGISTER_TOTAL), "importer_register", "Registrations of an importer that made an MR."),
	C(D(INVALIDATE_TOTAL), "importer_invalidate",
	  "Invalidations of a buffer with an attachment of an importer."),
};

static const struct number exporter_numbers[] = {
	B(D(BAR1_BYTES), "exporter_bar1_bytes", "Size of BAR1 of a GPU."),
	G(D(ATTACHMENTS), "exporter_attachments", "Live attachments to an exporter."),
	G(D(BUFFERS), "exporter_buffers", "Buffers of an exporter with a live attachment."),
	G(D(MRS), "exporter_mrs", "MRs on top of live attachments to an exporter."),
	B(D(MR_BYTES), "exporter_mr_bytes", "What these MRs cover."),
	B(D(MAPPED_BYTES), "exporter_mapped_bytes", "Mapped buffers of an exporter, each once."),
	B(D(PINNED_BYTES), "exporter_pinned_bytes", "Pinned buffers of an exporter, each once."),
	C(D(INVALIDATE_TOTAL), "exporter_invalidate", "Invalidations by an exporter."),
	C(D(FAILURES_TOTAL), "exporter_failures", "Failures after the exporter was known."),
};

static const struct number pair_numbers[] = {
	G(P(ATTACHMENTS), "pair_attachments", "Live attachments of an importer to an exporter."),
	G(P(BUFFERS), "pair_buffers", "Buffers with such an attachment."),
	G(P(MRS), "pair_mrs", "MRs on top of such attachments."),
	B(P(MR_BYTES), "pair_mr_bytes", "What these MRs cover."),
	B(P(MAPPED_BYTES), "pair_mapped_bytes", "Buffers mapped by such attachments, each once."),
	B(P(PINNED_BYTES), "pair_pinned_bytes", "Buffers pinned by such attachments, each once."),
	C(P(INVALIDATE_TOTAL), "pair_invalidate", "Invalidations of a buffer of such."),
	C(P(FAILURES_TOTAL), "pair_failures", "Failures after the exporter's device was known."),
};

#define V(a) { .attr = (a), .kind = VALUE_COUNT }
static const struct value device_values[] = {
	{ .attr = D(NAME), .kind = VALUE_TEXT },
	V(D(BAR1_BYTES)), V(D(ATTACHMENTS)), V(D(BUFFERS)), V(D(MRS)), V(D(MR_BYTES)),
	V(D(MAPPED_BYTES)), V(D(PINNED_BYTES)), V(D(ATTACH_TOTAL)), V(D(DETACH_TOTAL)),
	V(D(REGISTER_TOTAL)), V(D(INVALIDATE_TOTAL)), V(D(FAILURES_TOTAL)),
};

static const struct value pair_values[] = {
	{ .attr = P(EXPORTER), .kind = VALUE_TEXT },
	{ .attr = P(IMPORTER), .kind = VALUE_TEXT },
	V(P(ATTACHMENTS)), V(P(BUFFERS)), V(P(MRS)), V(P(MR_BYTES)), V(P(MAPPED_BYTES)),
	V(P(PINNED_BYTES)), V(P(INVALIDATE_TOTAL)), V(P(FAILURES_TOTAL)),
};

const struct list_type metrics_importers = {
	.what = "importer", .plural = "importers", .command = "metrics",
	.cmd = GDR_TELEMETRY_CMD_DEVICE_GET, .role_attr = D(ROLE),
	.role = GDR_TELEMETRY_ROLE_IMPORTER,
	.value = device_values, .n = ARRAY_SIZE(device_values), .ids = 1,
};

const struct list_type metrics_exporters = {
	.what = "exporter", .plural = "exporters", .command = "metrics",
	.cmd = GDR_TELEMETRY_CMD_DEVICE_GET, .role_attr = D(ROLE),
	.role = GDR_TELEMETRY_ROLE_EXPORTER,
	.value = device_values, .n = ARRAY_SIZE(device_values), .ids = 1,
};

const struct list_type metrics_pairs = {
	.what = "pair", .plural = "pairs", .command = "metrics",
	.cmd = GDR_TELEMETRY_CMD_PAIR_GET,
	.value = pair_values, .n = ARRAY_SIZE(pair_values), .ids = 2,
};

/**
 * struct device_labels - labels of one or two devices, with room for what is looked up
 * @l: the labels
 * @ibdevs: names of the RDMA devices
 */
struct device_labels {
	struct labels l;
	char ibdevs[IBDEVS_SIZE];
};

static void add_importer(struct device_labels *d, bool numeric, const char *importer)
{
	labels_add(&d->l, "importer", importer);
	if (importer && !numeric)
		labels_add(&d->l, "ibdev", names_ibdevs(importer, d->ibdevs));
}

static void add_exporter(struct device_labels *d, bool numeric, const char *exporter)
{
	const struct gpu *gpu = exporter && !numeric ? gpus_find(exporter) : NULL;

	labels_add(&d->l, "exporter", exporter);
	if (gpu)
		labels_add(&d->l, "uuid", gpu->uuid);
}

static void put_build(struct exposition *e, const struct status *s)
{
	char track[32], core[32], join[32];
	struct labels l = { .n = 0 };

	labels_add(&l, "version", s->version);
	if (HAS(s, TRACK))
		labels_add(&l, "track", enum_name(track_words, s->track, track, sizeof(track)));
	if (HAS(s, CORE))
		labels_add(&l, "core", enum_name(core_words, s->core, core, sizeof(core)));
	if (HAS(s, MR_JOIN))
		labels_add(&l, "mr_join",
			   enum_name(mr_join_words, s->mr_join, join, sizeof(join)));
	exposition_u64(e, &build, &l, 1);
	if (HAS(s, START_TIME))
		exposition_u64(e, &start_time, NULL, s->value[S(START_TIME)]);
}

/* Each reason there is, so that a 0 can be told from a reason that does not exist. */
static void put_inexact(struct exposition *e, const struct status *s)
{
	for (unsigned int bit = 0; HAS(s, INEXACT_REASONS) && bit < 32; bit++) {
		struct labels l = { .n = 0 };
		char unknown[32];

		if (!enum_find(inexact_words, 1u << bit) && !(s->inexact_reasons & 1u << bit))
			continue;
		labels_add(&l, "reason", enum_name(inexact_words, 1u << bit, unknown,
						   sizeof(unknown)));
		exposition_u64(e, &inexact, &l, !!(s->inexact_reasons & 1u << bit));
	}
}

static void put_probes(struct exposition *e, const struct status *s, const struct family *f)
{
	for (size_t i = 0; i < s->n_probes; i++) {
		const struct probe *p = &s->probes[i];
		struct labels l = { .n = 0 };

		labels_add(&l, "symbol", p->symbol);
		if (f == &probe_missed) {
			exposition_u64(e, f, &l, p->missed);
			continue;
		}
		labels_add(&l, "needed", p->needed ? "true" : "false");
		exposition_u64(e, f, &l, p->state == GDR_TELEMETRY_PROBE_STATE_ARMED);
	}
}

static void put_status(struct exposition *e, const struct status *s)
{
	put_build(e, s);
	put_inexact(e, s);
	put_probes(e, s, &probe_armed);
	put_probes(e, s, &probe_missed);
	for (size_t i = 0; i < ARRAY_SIZE(totals); i++)
		if (model_has(s->present, totals[i].attr))
			exposition_u64(e, &totals[i].family, NULL, s->value[totals[i].attr]);
	for (size_t i = 0; i < ARRAY_SIZE(losses); i++) {
		struct labels l = { .n = 0 };

		labels_add(&l, "what", losses[i].what);
		if (model_has(s->present, losses[i].attr))
			exposition_u64(e, &lost, &l, s->value[losses[i].attr]);
	}
}

static void put_failures(struct exposition *e, const struct records *list, bool numeric,
			 const struct family *f)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct record *r = &list->item[i];
		uint32_t stage = (uint32_t)record_number(r, FAILURE(STAGE));
		bool query = stage == GDR_TELEMETRY_STAGE_CAPABILITY_QUERY;
		char name[CAUSE_ERRNO_SIZE], unknown[32];
		struct device_labels d = { .l.n = 0 };

		if (query != (f == &queries))
			continue;
		add_importer(&d, numeric, record_text(r, FAILURE(IMPORTER)));
		if (!query)
			labels_add(&d.l, "stage",
				   enum_name(stage_words, stage, unknown, sizeof(unknown)));
		labels_add(&d.l, "errno", cause_errno((int)record_number(r, FAILURE(ERROR)), name,
						      sizeof(name)));
		exposition_u64(e, f, &d.l, record_number(r, FAILURE(COUNT)));
	}
}

static void put_latencies(struct exposition *e, const struct records *list, bool numeric)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct record *r = &list->item[i];
		uint32_t op = (uint32_t)record_number(r, GDR_TELEMETRY_A_LATENCY_OP);
		uint64_t bucket[LATENCY_BUCKETS];
		size_t n = record_numbers(r, GDR_TELEMETRY_A_LATENCY_BUCKET, bucket,
					  LATENCY_BUCKETS);
		struct device_labels d = { .l.n = 0 };
		char unknown[32];

		add_importer(&d, numeric, record_text(r, GDR_TELEMETRY_A_LATENCY_IMPORTER));
		labels_add(&d.l, "op", enum_name(latency_words, op, unknown, sizeof(unknown)));
		exposition_histogram(e, &durations, &d.l, bucket, n,
				     record_number(r, GDR_TELEMETRY_A_LATENCY_SUM_NS));
	}
}

/* All samples of a family follow each other. */
static void put_numbers(struct exposition *e, const struct records *list, bool numeric,
			const struct number *number, size_t n, int exporter, int importer)
{
	for (; n; n--, number++) {
		for (size_t i = 0; i < list->n; i++) {
			const struct record *r = &list->item[i];
			struct device_labels d = { .l.n = 0 };

			if (!record_has(r, number->attr))
				continue;
			if (exporter)
				add_exporter(&d, numeric, record_text(r, exporter));
			if (importer)
				add_importer(&d, numeric, record_text(r, importer));
			exposition_u64(e, &number->family, &d.l, record_number(r, number->attr));
		}
	}
}

void metrics_write(const struct metrics *m, bool numeric, bool openmetrics, FILE *to)
{
	struct exposition e = { .to = to, .openmetrics = openmetrics };

	put_status(&e, &m->status);
	put_failures(&e, &m->failures, numeric, &failures);
	put_failures(&e, &m->failures, numeric, &queries);
	put_numbers(&e, &m->importers, numeric, importer_numbers, ARRAY_SIZE(importer_numbers), 0,
		    D(NAME));
	put_numbers(&e, &m->exporters, numeric, exporter_numbers, ARRAY_SIZE(exporter_numbers),
		    D(NAME), 0);
	put_numbers(&e, &m->pairs, numeric, pair_numbers, ARRAY_SIZE(pair_numbers), P(EXPORTER),
		    P(IMPORTER));
	put_latencies(&e, &m->latencies, numeric);
	exposition_end(&e);
}

void metrics_free(struct metrics *m)
{
	model_status_free(&m->status);
	records_free(&m->importers);
	records_free(&m->exporters);
	records_free(&m->pairs);
	records_free(&m->failures);
	records_free(&m->latencies);
}
