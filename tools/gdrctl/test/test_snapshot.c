// SPDX-License-Identifier: GPL-2.0
/* Snapshots: written, read again, compared; and files that are none. */
#include "diff.h"
#include "diff_print.h"
#include "ktap.h"
#include "root.h"
#include "scene.h"
#include "snapshot.h"

#define S(name) GDR_TELEMETRY_A_STATUS_##name
#define BOOT "11111111-2222-3333-4444-555555555555"
#define OTHER "99999999-2222-3333-4444-555555555555"

static const struct gdrctl at = { .boottime_ns = NOW, .realtime_s = 1800000000 };
static const struct gdrctl later = { .boottime_ns = NOW + 90000000000,
				     .realtime_s = 1800000090 };

static void base(struct capture *c)
{
	memset(c, 0, sizeof(*c));
	c->status.present = 1ULL << S(VERSION) | 1ULL << S(INEXACT_REASONS);
	strcpy(c->status.version, "1.0");
	scene_total(c, S(START_TIME), 1800000000 - 3600);
	scene_total(c, S(ATTACH_TOTAL), 10);
	scene_importer(c, HCA0);
}

/* 4711 with two attachments, 4712 with one, both failed before. */
static void make_before(struct capture *c)
{
	base(c);
	scene_total(c, S(ATTACHMENTS), 3);
	scene_total(c, S(PINNED_BYTES), 6 * MIB);
	scene_total(c, S(REGISTER_TOTAL), 5);
	scene_add(c, scene_attachment(1, 4711, HCA0, 77));
	scene_add(c, scene_attachment(2, 4711, HCA0, 78));
	scene_add(c, scene_attachment(3, 4712, HCA0, 79));
	scene_pair(c, HCA0, 3, 1);
	scene_failures(c, GDR_TELEMETRY_STAGE_MAP, 12, 1);
	scene_failures(c, GDR_TELEMETRY_STAGE_ATTACH, 524, 2);
	scene_failed(c, 1, 4711, 12);
	scene_owners(c);
}

/*
 * One of 4711's has gone, 4712 has exited, 4713 came with two, one without an MR; 4711 failed
 * again, and 4714, which holds nothing; another HCA.
 */
static void make_after(struct capture *c)
{
	struct attachment a;

	base(c);
	scene_total(c, S(ATTACHMENTS), 4);
	scene_total(c, S(PINNED_BYTES), 8 * MIB);
	scene_total(c, S(REGISTER_TOTAL), 7);
	scene_total(c, S(ATTACH_TOTAL), 12);
	scene_total(c, S(PINNED_BYTES_PEAK), 8 * MIB);
	scene_importer(c, HCA1);
	scene_add(c, scene_attachment(1, 4711, HCA0, 77));
	a = scene_attachment(3, 4712, HCA0, 79);
	a.flags |= ATTACHMENT_FLAG(ORPHAN);
	a.exited = NOW + 1;
	a.present |= ATTACHMENT_BIT(EXITED);
	scene_add(c, a);
	a = scene_attachment(101, 4713, HCA1, 80);
	strcpy(a.comm, "a\n\"b");
	scene_add(c, a);
	a = scene_attachment(102, 4713, HCA1, 80);
	a.present &= ~(ATTACHMENT_BIT(MR_NUMBER) | ATTACHMENT_BIT(MR_LENGTH));
	a.flags = ATTACHMENT_FLAG(MAPPED);
	scene_add(c, a);
	scene_pair(c, HCA0, 2, 3);
	scene_pair(c, HCA1, 2, 0);
	scene_failures(c, GDR_TELEMETRY_STAGE_MAP, 12, 2);
	scene_failures(c, GDR_TELEMETRY_STAGE_ATTACH, 524, 2);
	scene_failures(c, GDR_TELEMETRY_STAGE_MAP, 14, 2);
	scene_failed(c, 1, 4711, 12);
	scene_failed(c, 2, 4711, 12);
	scene_failed(c, 3, 4714, 14);
	scene_failed(c, 4, 4714, 14);
	scene_owners(c);
}

static void parse(struct snapshot *s, const char *name, const char *text)
{
	EXPECT(text && !snapshot_parse(s, name, text, strlen(text)));
}

/* @text with the first @from in it replaced by @to. */
static char *replaced(const char *text, const char *from, const char *to)
{
	const char *found = strstr(text, from);
	char *result = NULL;

	EXPECT(found && asprintf(&result, "%.*s%s%s", (int)(found - text), text, to,
				 found + strlen(from)) > 0);
	return result;
}

static char *before_text, *after_text;

static void written(void)
{
	struct capture c;
	json_object *o;

	root_file("proc/sys/kernel/random/boot_id", BOOT "\n");
	root_file("proc/sys/kernel/hostname", "node\"1\n");
	root_file("proc/sys/kernel/osrelease", "6.12.0\n");
	make_before(&c);
	before_text = snapshot_text(&at, &c);
	capture_free(&c);
	make_after(&c);
	after_text = snapshot_text(&later, &c);
	capture_free(&c);
	ktap_golden("snapshot.saved", before_text);
	o = json_tokener_parse(before_text);
	EXPECT(o && json_object_object_length(o) == 19);
	json_object_put(o);
}

static void compare(const char *golden, const char *before, const char *after,
		    struct options opt)
{
	struct gdrctl g = later;
	struct snapshot b, a;
	struct records list = { .n = 0 };
	char *buf = NULL;
	size_t size;
	FILE *f = open_memstream(&buf, &size);

	g.opt = opt;
	parse(&b, "before", before);
	parse(&a, "after", after);
	EXPECT(!diff_make(&b, &a, &list));
	EXPECT(f && !diff_print(&g, &list, f));
	fclose(f);
	ktap_golden(golden, buf);
	if (opt.json) {
		json_object *o = json_tokener_parse(buf);

		EXPECT(o && json_object_array_length(o) == list.n);
		json_object_put(o);
	}
	free(buf);
	records_free(&list);
	snapshot_free(&b);
	snapshot_free(&a);
}

#define COMPARE(golden, b, a, ...) compare(golden, b, a, (struct options){ __VA_ARGS__ })

static void compared(void)
{
	COMPARE("snapshot-table.txt", before_text, after_text, .json = false);
	COMPARE("snapshot-bytes.txt", before_text, after_text, .bytes = true, .numeric = true);
	COMPARE("snapshot-details.txt", before_text, after_text, .details = true);
	COMPARE("snapshot-oneline.txt", before_text, after_text, .oneline = true);
	COMPARE("snapshot-list.json", before_text, after_text, .json = true, .pretty = true);
	COMPARE("snapshot-none.txt", before_text, before_text, .json = false);
}

static void nearly_the_same(void)
{
	char *attached = replaced(before_text, "\"attach_total\":10", "\"attach_total\":11");

	COMPARE("snapshot-minor.txt", before_text, attached, .json = false);
	free(attached);
}

/* Seconds are those of a clock that is set now and then. */
static void clock_is_off_by_one(void)
{
	char *off = replaced(after_text, "\"start_time_seconds\":1799996400",
			     "\"start_time_seconds\":1799996401");

	COMPARE("snapshot-table.txt", before_text, off, .json = false);
	free(off);
}

static void loaded_anew(void)
{
	char *reloaded = replaced(after_text, "\"start_time_seconds\":1799996400",
				  "\"start_time_seconds\":1800000010");
	char *back = replaced(after_text, "\"attach_total\":12", "\"attach_total\":9");
	struct snapshot b, a;

	COMPARE("snapshot-reloaded.txt", before_text, reloaded, .json = false);
	COMPARE("snapshot-reloaded.json", before_text, reloaded, .json = true, .pretty = true);
	parse(&b, "b", before_text);
	parse(&a, "a", back);
	/* Within the same second. */
	EXPECT(diff_relation(&b, &a) == RELATION_RELOADED);
	EXPECT(diff_in_order(&b, &a) && !diff_in_order(&a, &b));
	snapshot_free(&b);
	snapshot_free(&a);
	free(reloaded);
	free(back);
}

static void booted_anew(void)
{
	char *boot = replaced(after_text, BOOT, OTHER);
	char *host = replaced(boot, "node\\\"1", "node2");
	char *version = replaced(host, "\"version\":\"1.0\"", "\"version\":\"2.0\"");

	COMPARE("snapshot-boot.txt", before_text, boot, .json = false);
	COMPARE("snapshot-boot.json", before_text, boot, .json = true, .pretty = true);
	COMPARE("snapshot-host.txt", before_text, version, .json = false);
	free(boot);
	free(host);
	free(version);
}

/* Thousands of attachments that a job left are not printed one by one. */
static void many(void)
{
	struct capture c;
	char *text;

	make_after(&c);
	for (uint64_t id = 1000; id < 3000; id++)
		scene_add(&c, scene_attachment(id, 5000, HCA0, id));
	text = snapshot_text(&later, &c);
	capture_free(&c);
	COMPARE("snapshot-many.txt", before_text, text, .json = false);
	free(text);
}

static void refused(const char *text, size_t len, const char *why)
{
	char said[512] = "";
	struct snapshot s;

	message_divert(said, sizeof(said));
	EXPECT(snapshot_parse(&s, "x\n.json", text, len) == EXIT_SYSTEM);
	message_divert(NULL, 0);
	snapshot_free(&s);
	EXPECT(strstr(said, "\"x\\x0a.json\": "));
	if (!strstr(said, why))
		EXPECT_STR(said, why);
}

static void refused_instead(const char *from, const char *to, const char *why)
{
	char *text = replaced(before_text, from, to);

	refused(text, strlen(text), why);
	free(text);
}

static void no_snapshots(void)
{
	refused("", 0, "it is empty");
	refused("hello", 5, "it is not JSON, at byte 0");
	refused("\0", 1, "it is not JSON, at byte 0");
	refused("{}\0", 3, "something follows its JSON, at byte 2");
	refused(before_text, strlen(before_text) / 2, "it is cut off");
	refused("[]", 2, "no snapshot");
	refused("null ", 5, "no snapshot");
	refused("{}", 2, "its \"format\" is not \"gdrctl-snapshot\"");
	refused("{\"a\":[[[[[[[[[[[[[[[[[[[[[[[[[", 30, "it is not JSON");
	refused_instead("gdrctl-snapshot", "gdrctl-report", "its \"format\" is not");
	refused_instead("\"format_version\":1", "\"format_version\":2",
			"its format is version 2, newer than the 1 that this gdrctl (1.0) reads");
	refused_instead("\"format_version\":1", "\"format_version\":0",
			"its \"format_version\" is not a number");
	refused_instead("\"boot_id\"", "\"boot\"", "the file has no \"boot_id\"");
	refused_instead("\"status\":{", "\"status\":[],\"x\":{", "status is not an object");
	refused_instead("\"status\":{", "\"x\":{", "it has no \"status\"");
	refused_instead("\"pairs\":[", "\"pears\":[", "it has no \"pairs\"");
	refused_instead("\"pairs\":[", "\"pairs\":{},\"x\":[", "\"pairs\" is not an array");
	refused_instead("\"pairs\":[", "\"pairs\":[3,", "pairs[0] is not an object");
	refused_instead("\"id\":2", "\"id\":-2",
			"\"id\" of attachments[1] is not a number of 0 or more");
	refused_instead("\"id\":2", "\"id\":2.5", "\"id\" of attachments[1] is not a number");
	refused_instead("\"id\":3", "\"no\":3", "attachments[2] has no \"id\"");
	refused_instead("\"comm\":\"python3\"", "\"comm\":3", "\"comm\" of attachments[0]");
	refused_instead("\"comm\":\"python3\"", "\"comm\":\"\xff\"", "it is not JSON");
	refused_instead("\n}\n", "\n}\n{", "it is not JSON, at byte");
}

static const struct test tests[] = {
	TEST(written), TEST(compared), TEST(nearly_the_same), TEST(clock_is_off_by_one),
	TEST(loaded_anew), TEST(booted_anew), TEST(many), TEST(no_snapshots),
};

int main(void)
{
	int rc;

	tool_version = "1.0";
	rc = root_run(tests, sizeof(tests) / sizeof(tests[0]));
	free(before_text);
	free(after_text);
	return rc;
}
