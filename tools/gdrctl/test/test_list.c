// SPDX-License-Identifier: GPL-2.0
/* Lists of records, from the attributes to what is printed, compared with the files in golden/. */
#include <errno.h>
#include <stdlib.h>

#include <json-c/json.h>

#include "bytes.h"
#include "cmd.h"
#include "device.h"
#include "ktap.h"
#include "list.h"
#include "names.h"

#define D(name) GDR_TELEMETRY_A_DEVICE_##name
#define P(name) GDR_TELEMETRY_A_PAIR_##name
#define B(name) GDR_TELEMETRY_A_BUFFER_##name

static struct gdrctl with(struct options opt)
{
	struct gdrctl g = { .boottime_ns = 10000000000000, .realtime_s = 1800000000 };

	g.opt = opt;
	return g;
}

#define WITH(...) with((struct options){ __VA_ARGS__ })

static void take(struct records *list, const struct list_type *t, const struct bytes *b)
{
	struct record r;

	EXPECT(!record_parse(b->data, b->len, t->value, t->n, &r));
	EXPECT(!records_add(list, &r));
}

static void show(const char *shape, struct gdrctl g, const struct list_type *t,
		 const struct records *list)
{
	char *buf = NULL, golden[64];
	size_t size;
	FILE *f = open_memstream(&buf, &size);

	snprintf(golden, sizeof(golden), "%s-%s", t->what, shape);
	EXPECT(f && !list_print(&g, t, list, false, f));
	fclose(f);
	ktap_golden(golden, buf);
	if (g.opt.json) {
		json_object *o = json_tokener_parse(buf);

		EXPECT(o && json_object_array_length(o) == list->n);
		json_object_put(o);
	}
	free(buf);
}

/* In all shapes; @list is freed. */
static void show_all(const struct list_type *t, struct records *list)
{
	records_sort(list, t->value, t->ids);
	show("table.txt", WITH(.json = false), t, list);
	show("details.txt", WITH(.details = true), t, list);
	show("oneline.txt", WITH(.oneline = true), t, list);
	show("numeric.txt", WITH(.numeric = true, .bytes = true), t, list);
	show("list.json", WITH(.json = true, .pretty = true), t, list);
	records_free(list);
}

static void buffers(void)
{
	struct records list = { .n = 0 };
	struct bytes b = { .len = 0 };

	put_attr_u64(&b, B(INODE), 1234567);
	put_attr_u64(&b, B(SIZE), 3ULL << 29);
	put_attr_str(&b, B(EXPORTER), "0000:41:00.0");
	put_attr_str(&b, B(EXPORTER_MODULE), "nvidia");
	put_attr_str(&b, B(EXPORTER_NAME), "nv_dmabuf");
	put_attr_u32(&b, B(ATTACHMENTS), 4);
	put_attr_u32(&b, B(MAPPED), 3);
	put_attr_u32(&b, B(PINNED), 2);
	take(&list, &list_buffer, &b);
	/* Built in, and what a newer module may add. */
	b.len = 0;
	put_attr_u64(&b, B(INODE), 77);
	put_attr_u64(&b, B(SIZE), 4096);
	put_attr_str(&b, B(EXPORTER), "a\nb\"\x1b[1m\xff");
	put_attr_u32(&b, B(ATTACHMENTS), 1);
	put_attr_u32(&b, B(MAPPED), 0);
	put_attr_u32(&b, B(PINNED), 0);
	put_attr_u32(&b, B(MAX) + 1, 7);
	put_attr_u32(&b, LOCAL(1), 7);
	take(&list, &list_buffer, &b);
	/* Next to nothing known. */
	b.len = 0;
	put_attr_u64(&b, B(INODE), 99);
	take(&list, &list_buffer, &b);
	EXPECT(!record_set_text(&list.item[0], LOCAL(0), "weights\n7"));
	show_all(&list_buffer, &list);
}

/* All numbers of a device, each another. */
static void put_numbers(struct bytes *b, int first, int last)
{
	for (int i = first; i <= last; i++)
		put_attr_u64(b, (uint16_t)i, 1000u * (unsigned int)i);
}

static void importers(void)
{
	struct records list = { .n = 0 };
	struct bytes b = { .len = 0 };

	put_attr_u32(&b, D(ROLE), GDR_TELEMETRY_ROLE_IMPORTER);
	put_attr_str(&b, D(NAME), "0000:81:00.0");
	put_attr_u32(&b, D(FLAGS), 7 | 1u << 20);
	put_attr_str(&b, D(DRIVER), "mlx5_core");
	put_attr_str(&b, D(IBDEV), "mlx5_0");
	put_attr_str(&b, D(IBDEV), "mlx5_bond_0");
	put_numbers(&b, D(ATTACHMENTS), D(MAX));
	take(&list, &list_importer, &b);
	/* No PCI function, no driver, from a module that tells less. */
	b.len = 0;
	put_attr_str(&b, D(NAME), "virtual");
	put_attr_u32(&b, D(FLAGS), 0);
	put_numbers(&b, D(ATTACHMENTS), D(FAILURES_TOTAL));
	take(&list, &list_importer, &b);
	show_all(&list_importer, &list);
}

static void exporters(void)
{
	struct records list = { .n = 0 };
	struct bytes b = { .len = 0 };

	put_attr_str(&b, D(NAME), "0000:41:00.0");
	put_attr_u32(&b, D(FLAGS), 7);
	put_attr_str(&b, D(DRIVER), "nvidia");
	put_attr_u64(&b, D(BAR1_BYTES), 128ULL << 30);
	put_numbers(&b, D(ATTACHMENTS), D(PINNED_PAGES));
	put_numbers(&b, D(INVALIDATE_TOTAL), D(MR_BYTES));
	put_numbers(&b, D(VERBS_FAILURES_TOTAL), D(MAX));
	take(&list, &list_exporter, &b);
	record_set_number(&list.item[0], DEVICE_GPU_INDEX, 3);
	EXPECT(!record_set_text(&list.item[0], DEVICE_GPU_MODEL, "NVIDIA H100 80GB HBM3"));
	EXPECT(!record_set_text(&list.item[0], DEVICE_GPU_UUID,
				"GPU-01234567-89ab-cdef-0123-456789abcdef"));
	b.len = 0;
	put_attr_str(&b, D(NAME), "udmabuf");
	put_attr_u32(&b, D(FLAGS), 0);
	put_numbers(&b, D(ATTACHMENTS), D(PINNED_PAGES));
	take(&list, &list_exporter, &b);
	show_all(&list_exporter, &list);
}

static void pairs(void)
{
	struct records list = { .n = 0 };
	struct bytes b = { .len = 0 };

	put_attr_str(&b, P(EXPORTER), "0000:41:00.0");
	put_attr_str(&b, P(IMPORTER), "0000:82:00.0");
	put_attr_str(&b, P(IMPORTER_IBDEV), "mlx5_1");
	put_numbers(&b, P(ATTACHMENTS), P(MAX));
	take(&list, &list_pair, &b);
	record_set_number(&list.item[0], DEVICE_GPU_INDEX, 0);
	b.len = 0;
	put_attr_str(&b, P(EXPORTER), "0000:41:00.0");
	put_attr_str(&b, P(IMPORTER), "0000:81:00.0");
	put_numbers(&b, P(ATTACHMENTS), P(MAX));
	take(&list, &list_pair, &b);
	show_all(&list_pair, &list);
}

static void empty(void)
{
	struct records list = { .n = 0 };

	show("none.txt", WITH(.json = false), &list_buffer, &list);
	show("none.json", WITH(.json = true), &list_buffer, &list);
}

static void malformed(void)
{
	struct bytes b = { .len = 0 };
	struct record r;

	put_attr(&b, B(SIZE), "\1\2", 2);
	EXPECT(record_parse(b.data, b.len, list_buffer.value, list_buffer.n, &r) == -EBADMSG);
	record_free(&r);
	b.len = 0;
	put_attr_str(&b, B(EXPORTER), "nvidia");
	put_attr_str(&b, B(EXPORTER), "again");
	put_attr_u64(&b, B(SIZE), 1);
	EXPECT(record_parse(b.data, b.len - 4, list_buffer.value, list_buffer.n, &r) == -EBADMSG);
	record_free(&r);
	EXPECT(!record_parse(b.data, b.len, list_buffer.value, list_buffer.n, &r));
	EXPECT_STR(record_text(&r, B(EXPORTER)), "again");
	record_free(&r);
	EXPECT(!record_text(&r, B(EXPORTER)) && !record_number(&r, B(SIZE)));
}

/* A role that no version has yet, too large for a word of today's. */
static void newer(void)
{
	static const struct enum_word words[] = { { 1, "one", NULL, NULL }, { 0, NULL, NULL, NULL } };
	static const struct value v[] = {
		{ .attr = 1, .kind = VALUE_ENUM, .words = words, .field = { .key = "a" } },
		{ .attr = 2, .kind = VALUE_ENUM, .words = words, .field = { .key = "b" } },
		{ .attr = 3, .kind = VALUE_FLAGS, .words = words, .field = { .key = "c" } },
		{ .attr = 4, .kind = VALUE_COUNT, .field = { .key = "d" } },
	};
	const struct gdrctl g = WITH(.json = true);
	struct bytes b = { .len = 0 };
	char buf[128] = "";
	FILE *f = fmemopen(buf, sizeof(buf), "w");
	struct out *o = out_new(&g.opt, OUT_LINE, false, f);
	struct record r;

	put_attr_u64(&b, 1, 1ULL << 32 | 1);
	put_attr_u32(&b, 2, 5);
	put_attr_u32(&b, 3, 1u << 31 | 1);
	put_attr_str(&b, 63, "beyond");
	put_attr_str(&b, 64, "beyond");
	put_attr_str(&b, 0x3fff, "beyond");
	EXPECT(!record_parse(b.data, b.len, v, 4, &r));
	out_record(o, NULL);
	record_put(&g, o, &r, v, 4);
	EXPECT(!out_finish(o));
	fclose(f);
	EXPECT_STR(buf, "{\"a\":\"unknown-4294967295\",\"b\":\"unknown-5\","
		   "\"c\":[\"one\",\"unknown-2147483648\"]}\n");
	record_free(&r);
}

static void name_lists(void)
{
	struct record r = { .present = 0 };

	EXPECT(!record_add_name(&r, LOCAL(0), "mlx5_1"));
	EXPECT(!record_add_name(&r, LOCAL(0), "mlx5_10"));
	EXPECT(!record_add_name(&r, LOCAL(0), "mlx5_1"));
	EXPECT(!record_add_name(&r, LOCAL(0), "mlx5_10"));
	EXPECT(!record_add_name(&r, LOCAL(0), "mlx5"));
	EXPECT(!record_add_name(&r, LOCAL(0), ""));
	EXPECT_STR(record_text(&r, LOCAL(0)), "mlx5_1,mlx5_10,mlx5");
	record_free(&r);
}

static void matching(void)
{
	struct record r = { .present = 0 };
	struct filter f = { .has[FILTER_EXPORTER] = true, .exporter = "nvidia" };

	EXPECT(!list_matches(&list_buffer, &f, &r));
	EXPECT(!record_set_text(&r, B(EXPORTER), "0000:41:00.0"));
	EXPECT(!list_matches(&list_buffer, &f, &r));
	EXPECT(!record_set_text(&r, B(EXPORTER_MODULE), "nvidia"));
	EXPECT(list_matches(&list_buffer, &f, &r));
	strcpy(f.exporter, "0000:41:00.0");
	EXPECT(list_matches(&list_buffer, &f, &r));
	f.has[FILTER_BUFFER] = true;
	EXPECT(!list_matches(&list_buffer, &f, &r));
	record_set_number(&r, B(INODE), 0);
	EXPECT(list_matches(&list_buffer, &f, &r));
	record_free(&r);
}

static const struct test tests[] = {
	TEST(buffers), TEST(importers), TEST(exporters), TEST(pairs), TEST(empty),
	TEST(malformed), TEST(newer), TEST(name_lists), TEST(matching),
};

int main(void)
{
	tool_version = "1.0";
	names_set_root("/nonexistent");
	return ktap_run(tests, sizeof(tests) / sizeof(tests[0]));
}
