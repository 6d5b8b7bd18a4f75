// SPDX-License-Identifier: GPL-2.0
/* The live view's lines: compared with golden/, sorted, and filtered. */
#include "cmd.h"
#include "ktap.h"
#include "root.h"
#include "scene.h"
#include "top/top.h"

#define S(name) GDR_TELEMETRY_A_STATUS_##name

static const struct gdrctl at = { .boottime_ns = NOW, .realtime_s = 1800000000 };

/* 4711 with one buffer to two HCAs, 4712 with one larger, not pinned; failures of the second pair. */
static void make_look(struct top_look *look)
{
	struct capture c = { .status.n_probes = 0 };
	struct attachment a;

	scene_add(&c, scene_attachment(1, 4712, HCA0, 77));
	scene_add(&c, scene_attachment(2, 4712, HCA1, 77));
	a = scene_attachment(3, 4711, HCA0, 78);
	a.size = 64 * MIB;
	a.mr_length = 32 * MIB;
	strcpy(a.comm, "tr\xc3\xa4ger\n");
	scene_add(&c, a);
	a = scene_attachment(4, 4711, HCA0, 79);
	a.flags = ATTACHMENT_FLAG(MAPPED);
	scene_add(&c, a);
	scene_pair(&c, HCA0, 3, 0);
	scene_pair(&c, HCA1, 1, 5);
	scene_total(&c, S(ATTACHMENTS), 4);
	scene_total(&c, S(ATTACHMENTS_PEAK), 9);
	scene_total(&c, S(BUFFERS), 3);
	scene_total(&c, S(MRS), 4);
	scene_total(&c, S(PINNED_BYTES), 66 * MIB);
	scene_total(&c, S(REGISTER_TOTAL), 12);
	scene_total(&c, S(MAP_FAILURES_TOTAL), 4);
	scene_total(&c, S(ATTACH_FAILURES_TOTAL), 1);
	strcpy(c.status.version, "1.0");
	memset(look, 0, sizeof(*look));
	look->status = c.status;
	look->attachments = c.attachments;
	look->pairs = c.list[CAPTURE_PAIRS];
	EXPECT(!owners_make(OWNER_PROCESS, true, &look->attachments, &look->owners));
}

static char *frame_of(const struct top *t, struct options opt, const char *why)
{
	struct status first = { .n_probes = 0 };
	struct gdrctl g = at;
	struct top_look look;
	struct frame f;
	char *buf = NULL;
	size_t size;
	FILE *to = open_memstream(&buf, &size);

	g.opt = opt;
	first.value[S(REGISTER_TOTAL)] = 2;
	first.value[S(MAP_FAILURES_TOTAL)] = 2;
	make_look(&look);
	strcpy(look.why, why);
	EXPECT(!top_frame(&g, t, &look, &first, &f));
	EXPECT(f.fixed <= f.n && f.fixed >= 6);
	for (size_t i = 0; to && i < f.n; i++)
		fprintf(to, "%s\n", f.line[i]);
	fclose(to);
	top_frame_free(&f);
	top_look_free(&look);
	return buf;
}

static void compare(const char *golden, struct top t, struct options opt, const char *why)
{
	char *text = frame_of(&t, opt, why);

	ktap_golden(golden, text);
	free(text);
}

#define NO_OPTIONS ((struct options){ .json = false })

static void views(void)
{
	compare("top-owner.txt", (struct top){ .view = TOP_OWNERS }, NO_OPTIONS, "");
	compare("top-pair.txt", (struct top){ .view = TOP_PAIRS }, NO_OPTIONS, "");
	compare("top-attachment.txt", (struct top){ .view = TOP_ATTACHMENTS }, NO_OPTIONS, "");
	compare("top-bytes.txt", (struct top){ .view = TOP_OWNERS },
		(struct options){ .bytes = true, .numeric = true }, "");
}

/* Whoever may not see processes sees pairs, and why there is no more. */
static void not_permitted(void)
{
	compare("top-denied.txt", (struct top){ .view = TOP_OWNERS }, NO_OPTIONS, "not permitted");
	compare("top-pair.txt", (struct top){ .view = TOP_PAIRS }, NO_OPTIONS, "not permitted");
}

static void filtered(void)
{
	struct top t = { .view = TOP_PAIRS, .text = "mlx5_1" };

	compare("top-text.txt", t, NO_OPTIONS, "");
	t.text[0] = 0;
	t.filter.has[FILTER_PID] = true;
	compare("top-pair-pid.txt", t, NO_OPTIONS, "");
}

/* The lines that scroll, each cut to the words in it that tell which it is. */
static void expect_order(struct top t, const char *first, const char *second)
{
	char *text = frame_of(&t, NO_OPTIONS, "");
	char *a = strstr(text, first), *b = strstr(text, second);

	EXPECT(a && b);
	if (!(a && b && a < b))
		EXPECT_STR(text, first);
	free(text);
	t.reverse = true;
	text = frame_of(&t, NO_OPTIONS, "");
	EXPECT(strstr(text, second) < strstr(text, first));
	free(text);
}

static void sorted(void)
{
	/* By pinned, 4711; by attachments they are alike, and the older process comes first. */
	expect_order((struct top){ .view = TOP_OWNERS }, "4711", "4712");
	expect_order((struct top){ .view = TOP_OWNERS, .sort = TOP_ATTACHED }, "4711", "4712");
	expect_order((struct top){ .view = TOP_OWNERS, .sort = TOP_AGE }, "4712", "4711");
	expect_order((struct top){ .view = TOP_OWNERS, .sort = TOP_PROCESS }, "4711", "4712");
	expect_order((struct top){ .view = TOP_PAIRS }, "mlx5_0", "mlx5_1");
	expect_order((struct top){ .view = TOP_PAIRS, .sort = TOP_MRS }, "mlx5_0", "mlx5_1");
	expect_order((struct top){ .view = TOP_PAIRS, .sort = TOP_FAILURES }, "mlx5_1", "mlx5_0");
	expect_order((struct top){ .view = TOP_ATTACHMENTS }, "\n 3 ", "\n 1 ");
	expect_order((struct top){ .view = TOP_ATTACHMENTS, .sort = TOP_MRS }, "\n 3 ", "\n 1 ");
	expect_order((struct top){ .view = TOP_ATTACHMENTS, .sort = TOP_AGE }, "\n 1 ", "\n 3 ");
	expect_order((struct top){ .view = TOP_ATTACHMENTS, .sort = TOP_PROCESS }, "\n 3 ",
		     "\n 1 ");
	expect_order((struct top){ .view = TOP_ATTACHMENTS, .sort = TOP_ATTACHED }, "\n 1 ",
		     "\n 4 ");
}

static bool takes(struct options opt, const char *why)
{
	char said[256] = "";
	struct diversion back = message_divert(said, sizeof(said));
	struct top t = { .view = TOP_OWNERS };
	unsigned int looks = 7;
	int delay = 7;
	enum exit_code rc = top_options(&opt, &t, &delay, &looks);

	message_restore(back);
	if (rc)
		return rc == EXIT_USAGE && why && strstr(said, why);
	return !why && delay == (opt.delay ? 500 : 2000) && looks == (opt.batch ? 3 : 0) &&
	       t.view == (opt.view ? TOP_PAIRS : TOP_OWNERS) &&
	       t.sort == (opt.sort ? TOP_FAILURES : TOP_PINNED);
}

#define TAKES(why, ...) EXPECT(takes((struct options){ __VA_ARGS__ }, why))

static void options(void)
{
	TAKES(NULL, .json = false);
	TAKES(NULL, .view = "pair", .sort = "f", .delay = "0.5", .batch = "3");
	TAKES("unknown view \"x\"; possible: owner, pair, attachment", .view = "x");
	TAKES("\"p\" is ambiguous: pinned, process", .sort = "p");
	TAKES("--delay \"0.01\": not a number of seconds", .delay = "0.01");
	TAKES("--delay \"nan\"", .delay = "nan");
	TAKES("--delay \"1s\"", .delay = "1s");
	TAKES("--delay \"\"", .delay = "");
	TAKES("--batch \"0\": not a number", .batch = "0");
	TAKES("--batch \"-1\"", .batch = "-1");
	TAKES("--batch \"99999999999999999999\"", .batch = "99999999999999999999");
	TAKES("--batch \"\"", .batch = "");
}

static const struct test tests[] = {
	TEST(views), TEST(not_permitted), TEST(filtered), TEST(sorted), TEST(options),
};

int main(void)
{
	tool_version = "1.0";
	return root_run(tests, sizeof(tests) / sizeof(tests[0]));
}
