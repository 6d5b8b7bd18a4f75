// SPDX-License-Identifier: GPL-2.0
/* Failures, what explains them, and latencies: what is printed, compared with the files in golden/. */
#include <errno.h>
#include <stdlib.h>

#include <json-c/json.h>

#include "bytes.h"
#include "causes.h"
#include "cmd.h"
#include "explain.h"
#include "failure.h"
#include "ktap.h"
#include "latency.h"
#include "names.h"

#define L(name) GDR_TELEMETRY_A_LATENCY_##name
#define S 1000000000ULL
#define NOW (10000 * S)

static struct gdrctl with(struct options opt)
{
	struct gdrctl g = { .boottime_ns = NOW, .realtime_s = 1800000000 };

	g.opt = opt;
	return g;
}

#define WITH(...) with((struct options){ __VA_ARGS__ })

static void compare(const char *golden, char *buf)
{
	json_object *o = NULL;

	ktap_golden(golden, buf);
	if (strstr(golden, ".json")) {
		o = json_tokener_parse(buf);
		EXPECT(o && json_object_is_type(o, json_type_array));
	}
	json_object_put(o);
	free(buf);
}

static void show(const char *name, const char *shape, struct gdrctl g, const struct list_type *t,
		 const struct records *list)
{
	char *buf = NULL, golden[64];
	size_t size;
	FILE *f = open_memstream(&buf, &size);

	snprintf(golden, sizeof(golden), "%s-%s", name, shape);
	EXPECT(f && !list_print(&g, t, list, false, f));
	fclose(f);
	compare(golden, buf);
}

static void show_all(const char *name, const struct list_type *t, const struct records *list)
{
	show(name, "table.txt", WITH(.json = false), t, list);
	show(name, "details.txt", WITH(.details = true), t, list);
	show(name, "oneline.txt", WITH(.oneline = true), t, list);
	show(name, "numeric.txt", WITH(.numeric = true, .bytes = true), t, list);
	show(name, "list.json", WITH(.json = true, .pretty = true), t, list);
}

static void take(struct records *list, const struct list_type *t, const struct bytes *b)
{
	struct record r;

	EXPECT(!record_parse(b->data, b->len, t->value, t->n, &r));
	EXPECT(!records_add(list, &r));
}

static void add_counter(struct records *list, const char *importer, uint32_t stage, uint32_t err,
			uint64_t n)
{
	struct bytes b = { .len = 0 };

	if (importer)
		put_attr_str(&b, FAILURE(IMPORTER), importer);
	put_attr_u32(&b, FAILURE(STAGE), stage);
	put_attr_u32(&b, FAILURE(ERROR), err);
	put_attr_u64(&b, FAILURE(COUNT), n);
	take(list, &list_failure, &b);
	if (importer)
		EXPECT(!record_set_text(&list->item[list->n - 1], FAILURE_IBDEVS, "mlx5_0"));
}

static struct records counters(void)
{
	struct records list = { .n = 0 };

	add_counter(&list, "0000:82:00.0", GDR_TELEMETRY_STAGE_MAP, 12, 3);
	add_counter(&list, "0000:81:00.0", GDR_TELEMETRY_STAGE_UMEM, 22, 1);
	add_counter(&list, "0000:81:00.0", GDR_TELEMETRY_STAGE_MAP, 12, 5000000000);
	add_counter(&list, "0000:81:00.0", GDR_TELEMETRY_STAGE_ATTACH, 524, 2);
	/* Importer not known; a stage and an errno of the future. */
	add_counter(&list, NULL, 77, 4000, 1);
	qsort(list.item, list.n, sizeof(*list.item), list_failure.order);
	return list;
}

static void show_counters(void)
{
	struct records list = counters();

	show_all("failure", &list_failure, &list);
	records_free(&list);
	show("failure", "none.txt", WITH(.json = false), &list_failure, &list);
	show("failure", "none.json", WITH(.json = true), &list_failure, &list);
}

/* More kinds than are explained, two errnos of one kind apart from each other. */
static void show_kinds(void)
{
	static const uint32_t kind[][2] = {
		{ GDR_TELEMETRY_STAGE_VERBS, EINVAL }, { GDR_TELEMETRY_STAGE_UMEM, EBADF },
		{ GDR_TELEMETRY_STAGE_ATTACH, EINVAL }, { GDR_TELEMETRY_STAGE_ATTACH, 524 },
		{ GDR_TELEMETRY_STAGE_ATTACH, EBUSY }, { GDR_TELEMETRY_STAGE_MAP, ENOMEM },
		{ GDR_TELEMETRY_STAGE_PIN, EBUSY }, { GDR_TELEMETRY_STAGE_HW, ENOMEM },
		{ GDR_TELEMETRY_STAGE_HW, EIO }, { GDR_TELEMETRY_STAGE_HW, EPERM },
		{ GDR_TELEMETRY_STAGE_UNKNOWN, EINVAL },
	};
	struct records list = { .n = 0 };

	for (size_t i = 0; i < sizeof(kind) / sizeof(kind[0]); i++)
		add_counter(&list, "0000:81:00.0", kind[i][0], kind[i][1], 1);
	show("failure", "kinds.txt", WITH(.json = false), &list_failure, &list);
	records_free(&list);
}

static void put_failure(struct bytes *b, uint64_t seq, uint32_t stage, uint32_t err)
{
	put_attr_u64(b, FAILURE(SEQ), seq);
	put_attr_u64(b, FAILURE(TIME), NOW - seq * S);
	put_attr_u32(b, FAILURE(STAGE), stage);
	put_attr_u32(b, FAILURE(ERROR), err);
	put_attr_str(b, FAILURE(IMPORTER), "0000:81:00.0");
	put_attr_u32(b, FAILURE(PID), 4711);
	put_attr_str(b, FAILURE(COMM), "python3");
	put_attr_u32(b, FAILURE(UID), 1000);
	put_attr_u64(b, FAILURE(CGROUP), 4242);
	put_attr_u64(b, FAILURE(START_TIME), 9000 * S);
}

static void put_range(struct bytes *b, uint64_t offset, uint64_t length, uint32_t access)
{
	put_attr_u64(b, FAILURE(OFFSET), offset);
	put_attr_u64(b, FAILURE(LENGTH), length);
	put_attr_u32(b, FAILURE(ACCESS), access);
}

static void put_buffer(struct bytes *b, const char *exporter, const char *module)
{
	put_attr_str(b, FAILURE(EXPORTER), exporter);
	if (module)
		put_attr_str(b, FAILURE(EXPORTER_MODULE), module);
	put_attr_str(b, FAILURE(EXPORTER_NAME), "nv_dmabuf");
	put_attr_u64(b, FAILURE(BUFFER), 77);
}

static struct records records(void)
{
	struct records list = { .n = 0 };
	struct bytes b = { .len = 0 };

	put_failure(&b, 12, GDR_TELEMETRY_STAGE_MAP, 12);
	put_buffer(&b, "0000:41:00.0", "nvidia");
	put_range(&b, 4096, 300 << 20, 7);
	take(&list, &list_failure_log, &b);
	EXPECT(!record_set_text(&list.item[0], FAILURE_IBDEVS, "mlx5_0"));
	/* Of another exporter, a call outside of a registration, a hostile name. */
	b.len = 0;
	put_attr_u64(&b, FAILURE(SEQ), 13);
	put_attr_u64(&b, FAILURE(TIME), NOW + S);
	put_attr_u32(&b, FAILURE(STAGE), GDR_TELEMETRY_STAGE_PIN);
	put_attr_u32(&b, FAILURE(ERROR), 16);
	put_attr_str(&b, FAILURE(IMPORTER), "0000:82:00.0");
	put_buffer(&b, "amdgpu", "amdgpu");
	put_attr_str(&b, FAILURE(COMM), "a\nb\"\x1b[1m\xff");
	take(&list, &list_failure_log, &b);
	/* In the arguments, so that the buffer is not known. */
	b.len = 0;
	put_failure(&b, 14, GDR_TELEMETRY_STAGE_VERBS, 22);
	put_range(&b, 0, 1 << 20, 0x42);
	take(&list, &list_failure_log, &b);
	/* Next to nothing known, and of the future. */
	b.len = 0;
	put_attr_u64(&b, FAILURE(SEQ), 100000);
	put_attr_u32(&b, FAILURE(STAGE), 77);
	put_attr_u32(&b, FAILURE(ERROR), 4000);
	put_attr_u32(&b, FAILURE(MAX) + 1, 7);
	take(&list, &list_failure_log, &b);
	return list;
}

static void show_records(void)
{
	struct records list = records();

	show_all("failure-log", &list_failure_log, &list);
	records_free(&list);
}

static void filters(void)
{
	struct gdrctl g = WITH(.json = false);
	struct records list = records();
	const struct record *r = &list.item[0];
	struct filter f = { .has[FILTER_STAGE] = true, .stage = GDR_TELEMETRY_STAGE_MAP };

	EXPECT(failure_matches(&g, &f, r) && !failure_matches(&g, &f, &list.item[1]));
	f = (struct filter){ .has[FILTER_ERRNO] = true, .err = 12 };
	EXPECT(failure_matches(&g, &f, r) && !failure_matches(&g, &f, &list.item[1]));
	f = (struct filter){ .has[FILTER_PID] = true, .pid = 4711 };
	EXPECT(failure_matches(&g, &f, r) && !failure_matches(&g, &f, &list.item[1]));
	f = (struct filter){ .has[FILTER_COMM] = true, .comm = "python3" };
	EXPECT(failure_matches(&g, &f, r) && !failure_matches(&g, &f, &list.item[3]));
	/* To the second; what is newer than our clock is no longer ago than anything. */
	f = (struct filter){ .has[FILTER_SINCE] = true, .since_ns = 12 * S };
	EXPECT(failure_matches(&g, &f, r) && failure_matches(&g, &f, &list.item[1]));
	EXPECT(!failure_matches(&g, &f, &list.item[3]));
	f.since_ns = 12 * S - 1;
	EXPECT(!failure_matches(&g, &f, r));
	records_free(&list);
}

/* ---- explain ------------------------------------------------------------- */

static void explain(const char *golden, struct gdrctl g, struct question q,
		    const struct records *seen, const struct record *r, const struct facts *facts)
{
	const struct facts none = { .nvidia = UNKNOWN };
	char *buf = NULL;
	size_t size;
	FILE *f = open_memstream(&buf, &size);

	EXPECT(f && !explain_print(&g, &q, seen, r, facts ? facts : &none, f));
	fclose(f);
	compare(golden, buf);
}

#define Q(...) ((struct question){ .stage = EXPLAIN_ALL, __VA_ARGS__ })

static void explain_errno(void)
{
	const struct gdrctl text = WITH(.json = false), json = WITH(.json = true, .pretty = true);
	struct records seen = counters();

	explain("explain-524.txt", text, Q(.err = 524), &seen, NULL, NULL);
	explain("explain-524.json", json, Q(.err = 524), &seen, NULL, NULL);
	explain("explain-524-oneline.txt", WITH(.oneline = true), Q(.err = 524), NULL, NULL, NULL);
	/* Seen here first and in full, the other stages after it. */
	explain("explain-12.txt", text, Q(.err = 12), &seen, NULL, NULL);
	/* Nothing seen, and no module. */
	explain("explain-11.txt", text, Q(.err = 11), NULL, NULL, NULL);
	explain("explain-11-details.txt", WITH(.details = true), Q(.err = 11), NULL, NULL, NULL);
	/* No entry knows it. */
	explain("explain-exdev.txt", text, Q(.err = 18), NULL, NULL, NULL);
	records_free(&seen);
}

static void explain_stage(void)
{
	struct question q = { .stage = GDR_TELEMETRY_STAGE_ATTACH };

	explain("explain-attach.txt", WITH(.json = false), q, NULL, NULL, NULL);
	q.err = 18;
	explain("explain-attach-exdev.txt", WITH(.json = false), q, NULL, NULL, NULL);
	q = (struct question){ .stage = CAUSE_BEFORE, .err = 14 };
	explain("explain-before-efault.txt", WITH(.json = false), q, NULL, NULL, NULL);
}

static void explain_record(void)
{
	const struct gdrctl text = WITH(.json = false), json = WITH(.json = true, .pretty = true);
	struct records list = records();
	struct facts f = { .driver = 5809505, .driver_text = "580.95.05", .mlx5 = YES,
			   .gpu = { { "0000:41:00.0", 256 << 20, 4 << 20 } }, .gpus = 1,
			   .gpu_known = true };

	failure_facts(&list.item[0], &f);
	explain("explain-record.txt", text, Q(.has_id = true), NULL, &list.item[0], &f);
	explain("explain-record.json", json, Q(.has_id = true), NULL, &list.item[0], &f);
	explain("explain-record-oneline.txt", WITH(.oneline = true), Q(.has_id = true), NULL,
		&list.item[0], &f);
	f = (struct facts){ .nvidia = UNKNOWN };
	failure_facts(&list.item[1], &f);
	EXPECT(f.nvidia == NO && !f.has_range);
	explain("explain-record-other.txt", text, Q(.has_id = true), NULL, &list.item[1], &f);
	failure_facts(&list.item[2], &f);
	explain("explain-record-flags.txt", text, Q(.has_id = true), NULL, &list.item[2], &f);
	f = (struct facts){ .nvidia = UNKNOWN };
	failure_facts(&list.item[3], &f);
	explain("explain-record-unknown.txt", text, Q(.has_id = true), NULL, &list.item[3], &f);
	records_free(&list);
}

/* ---- latency ------------------------------------------------------------- */

static void add_latency(struct records *list, uint32_t op, uint64_t sum, const uint64_t *bucket,
			size_t n)
{
	struct bytes b = { .len = 0 };

	put_attr_str(&b, L(IMPORTER), "0000:81:00.0");
	put_attr_u32(&b, L(OP), op);
	put_attr_u64(&b, L(SUM_NS), sum);
	for (size_t i = 0; i < n; i++)
		put_attr_u64(&b, L(BUCKET), bucket[i]);
	take(list, &list_latency, &b);
}

static void latencies(void)
{
	struct gdrctl g = WITH(.numeric = true);
	struct records list = { .n = 0 };
	uint64_t bucket[40] = { 0 };

	/* Never called. */
	add_latency(&list, GDR_TELEMETRY_LATENCY_OP_PIN, 0, bucket, 40);
	bucket[13] = 900;
	bucket[14] = 89;
	bucket[16] = 10;
	bucket[20] = 1;
	add_latency(&list, GDR_TELEMETRY_LATENCY_OP_REGISTER, 13500000, bucket, 40);
	/* In the last, which has no end; and in the first. */
	memset(bucket, 0, sizeof(bucket));
	bucket[0] = 1;
	bucket[39] = 1;
	add_latency(&list, GDR_TELEMETRY_LATENCY_OP_ATTACH, 600 * S, bucket, 40);
	/* More than there is room for, and of the future. */
	add_latency(&list, 77, 5, (uint64_t[70]){ 0, 1 }, 70);
	EXPECT(!list_latency.add(&g, NULL, &list));
	EXPECT(list.n == 3);
	records_sort(&list, list_latency.value, list_latency.ids);
	for (size_t i = 0; i < list.n; i++)
		EXPECT(!record_set_text(&list.item[i], LATENCY_IBDEVS, "mlx5_0"));
	show_all("latency", &list_latency, &list);
	records_free(&list);
	show("latency", "none.json", WITH(.json = true), &list_latency, &list);
}

static void percentiles(void)
{
	const uint64_t one[] = { 0, 0, 1, 0 }, many[] = { 50, 50, 0, 0 }, last[] = { 1, 0, 0, 1 };
	const uint64_t big[] = { UINT64_MAX / 2, UINT64_MAX / 4, 1, 0 }, none[] = { 0, 0 };

	EXPECT(latency_percentile(one, 4, 1) == 8 && latency_percentile(one, 4, 100) == 8);
	EXPECT(latency_percentile(many, 4, 50) == 2 && latency_percentile(many, 4, 51) == 4);
	EXPECT(latency_percentile(last, 4, 50) == 2 && !latency_percentile(last, 4, 51));
	EXPECT(latency_percentile(big, 4, 50) == 2 && latency_percentile(big, 4, 99) == 4);
	EXPECT(latency_percentile(big, 4, 100) == 8);
	EXPECT(!latency_percentile(none, 2, 50) && !latency_percentile(none, 0, 50));
}

static const struct test tests[] = {
	TEST(show_counters), TEST(show_kinds), TEST(show_records), TEST(filters),
	TEST(explain_errno), TEST(explain_stage), TEST(explain_record), TEST(latencies),
	TEST(percentiles),
};

int main(void)
{
	tool_version = "1.0";
	names_set_root("/nonexistent");
	return ktap_run(tests, sizeof(tests) / sizeof(tests[0]));
}
