// SPDX-License-Identifier: GPL-2.0
/* What is printed for a model made by hand: text and JSON, compared with the files in golden/. */
#include <stdlib.h>

#include <json-c/json.h>

#include "cmd.h"
#include "ktap.h"
#include "names.h"

#define A(name) (1ULL << GDR_TELEMETRY_A_ATTACHMENT_##name)
#define S(name) GDR_TELEMETRY_A_STATUS_##name

static const struct gdrctl text = { .boottime_ns = 10000000000000, .realtime_s = 1800000000 };

static struct gdrctl with(struct options opt)
{
	struct gdrctl g = text;

	g.opt = opt;
	return g;
}

#define WITH(...) with((struct options){ __VA_ARGS__ })

static void show_status(const char *golden, struct gdrctl g, const struct status *s)
{
	char *buf = NULL;
	size_t size;
	FILE *f = open_memstream(&buf, &size);

	EXPECT(f && !status_print(&g, s, f));
	fclose(f);
	ktap_golden(golden, buf);
	free(buf);
}

static void show_list(const char *golden, struct gdrctl g, const struct attachments *list)
{
	char *buf = NULL;
	size_t size;
	FILE *f = open_memstream(&buf, &size);

	EXPECT(f && !attachments_print(&g, list, false, f));
	fclose(f);
	ktap_golden(golden, buf);
	if (g.opt.json) {
		json_object *o = json_tokener_parse(buf);

		EXPECT(o && json_object_array_length(o) == list->n);
		json_object_put(o);
	}
	free(buf);
}

static struct probe probe(const char *symbol, uint32_t state, bool needed)
{
	struct probe p = { .state = state, .needed = needed };

	strcpy(p.symbol, symbol);
	p.present = 1 << GDR_TELEMETRY_A_PROBE_SYMBOL | 1 << GDR_TELEMETRY_A_PROBE_STATE |
		    1 << GDR_TELEMETRY_A_PROBE_MISSED;
	return p;
}

static struct probe probes[3];

static struct status status(void)
{
	struct status s = { .version = "1.0", .probes = probes, .n_probes = 3 };

	probes[0] = probe("dma_buf_dynamic_attach", GDR_TELEMETRY_PROBE_STATE_ARMED, true);
	probes[1] = probe("dma_buf_detach", GDR_TELEMETRY_PROBE_STATE_ARMED, true);
	probes[2] = probe("dma_buf_invalidate_mappings", GDR_TELEMETRY_PROBE_STATE_MISSING, false);
	for (int i = 0; i <= GDR_TELEMETRY_A_STATUS_MAX; i++) {
		s.present |= 1ULL << i;
		s.value[i] = (uint64_t)i;
	}
	s.value[S(START_TIME)] = 1800000000 - 3 * 3600;
	s.value[S(PINNED_BYTES)] = 160 << 20;
	s.value[S(PINNED_BYTES_PEAK)] = 160 << 20;
	s.value[S(PINNED_PAGES)] = 40960;
	s.value[S(PINNED_BYTES_SUM)] = 224 << 20;
	s.value[S(MAPPED_BYTES)] = 160 << 20;
	s.value[S(MR_BYTES)] = 128 << 20;
	s.mr_join = GDR_TELEMETRY_MR_JOIN_ON;
	return s;
}

static void status_exact(void)
{
	struct status s = status();

	show_status("status-exact.txt", text, &s);
	show_status("status-exact.json", WITH(.json = true, .pretty = true), &s);
	show_status("status-details.txt", WITH(.details = true, .bytes = true), &s);
	show_status("status-oneline.txt", WITH(.oneline = true), &s);
}

static void status_inexact(void)
{
	struct status s = status();

	s.inexact_reasons = 1 | 2 | 4 | 8 | 16 | 64;
	probes[1].state = GDR_TELEMETRY_PROBE_STATE_FAILED;
	probes[1].error = 22;
	probes[1].missed = 5;
	probes[1].present |= 1 << GDR_TELEMETRY_A_PROBE_ERROR;
	probes[2].needed = true;
	show_status("status-inexact.txt", text, &s);
	show_status("status-inexact.json", WITH(.json = true, .pretty = true), &s);
}

/* A module of another time: fields missing, values that this tool has no word for. */
static void status_unknown(void)
{
	struct status s = status();

	s.n_probes = 0;
	strcpy(s.version, "9.0");
	s.track = 7;
	s.present &= ~(1ULL << S(PINNED_BYTES) | 1ULL << S(INEXACT_REASONS) |
		       1ULL << S(START_TIME) | 1ULL << S(CORE));
	show_status("status-unknown.txt", text, &s);
	show_status("status-unknown.json", WITH(.json = true, .pretty = true), &s);
}

static struct attachment whole(uint64_t id)
{
	struct attachment a = {
		.id = id, .buffer = 77, .size = 2 << 20, .flags = 0xdb, .pid = 4711, .maps = 1,
		.attach_time = 10000000000000 - 192000000000, .importer = "0000:81:00.0",
		.importer_driver = "mlx5_core", .exporter = "0000:41:00.0",
		.exporter_module = "nvidia", .exporter_name = "nv_dmabuf", .comm = "python3",
		.mr_number = 5, .mr_lkey = 0x1a00, .mr_rkey = 0x1a01, .mr_pd = 3, .mr_access = 7,
		.mr_offset = 4096, .mr_length = 1 << 20, .mr_iova = 0x7f0000000000,
	};

	for (int i = GDR_TELEMETRY_A_ATTACHMENT_ID; i <= GDR_TELEMETRY_A_ATTACHMENT_MAX; i++)
		a.present |= 1ULL << i;
	return a;
}

static void list_none(void)
{
	struct attachments list = { .n = 0 };

	show_list("attachment-none.txt", text, &list);
	show_list("attachment-none.json", WITH(.json = true), &list);
}

static void list_one(void)
{
	struct attachment a = whole(12);
	struct attachments list = { .item = &a, .n = 1 };

	show_list("attachment-one.txt", text, &list);
	show_list("attachment-one.json", WITH(.json = true), &list);
	show_list("attachment-details.txt", WITH(.details = true), &list);
	show_list("attachment-oneline.txt", WITH(.oneline = true), &list);
	show_list("attachment-numeric.txt", WITH(.numeric = true, .bytes = true), &list);
}

static void list_many(void)
{
	struct attachment a[5] = { whole(1), whole(99999), whole(100000), whole(100001),
				   whole(100002) };
	struct attachments list = { .item = a, .n = 5 };

	/* As wide as real data get. */
	a[1].size = 1023ULL << 20;
	a[1].pid = 4194304;
	a[1].buffer = 1234567;
	strcpy(a[1].comm, "fifteen-letters");
	/* Hostile, and other states. */
	strcpy(a[2].comm, "a\nb\"\x1b[1m\xff\xc3\xa9");
	a[2].flags = 1;
	a[3].flags = 0;
	/* Older than the module; and next to nothing known, with a flag of the future. */
	a[3].present &= ~(A(ATTACH_TIME) | A(MAPS) | A(PID) | A(COMM));
	a[3].flags = GDR_TELEMETRY_ATTACHMENT_FLAG_PREEXISTING;
	a[3].present &= ~A(MR_NUMBER);
	a[3].kind = GDR_TELEMETRY_KIND_DEVX_UMEM;
	a[2].present &= ~A(MR_CHANGED);
	a[4].present = A(ID) | A(FLAGS) | A(MECHANISM);
	a[4].flags = 1u << 20;
	a[4].mechanism = 9;
	show_list("attachment-many.txt", text, &list);
	show_list("attachment-many.json", WITH(.json = true, .pretty = true), &list);
	show_list("attachment-many-details.txt", WITH(.details = true), &list);
	show_list("attachment-many-oneline.txt", WITH(.oneline = true), &list);
}

static const struct test tests[] = {
	TEST(status_exact), TEST(status_inexact), TEST(status_unknown), TEST(list_none),
	TEST(list_one), TEST(list_many),
};

int main(void)
{
	tool_version = "1.0";
	names_set_root("/nonexistent");
	return ktap_run(tests, sizeof(tests) / sizeof(tests[0]));
}
