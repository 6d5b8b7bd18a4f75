// SPDX-License-Identifier: GPL-2.0
/* The text for Prometheus, compared with the files in golden/, and how its file is written. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bytes.h"
#include "exposition.h"
#include "failure.h"
#include "format.h"
#include "gpus.h"
#include "ktap.h"
#include "latency.h"
#include "metrics.h"
#include "replace.h"
#include "names.h"

#define S(name) GDR_TELEMETRY_A_STATUS_##name
#define D(name) GDR_TELEMETRY_A_DEVICE_##name
#define P(name) GDR_TELEMETRY_A_PAIR_##name
#define L(name) GDR_TELEMETRY_A_LATENCY_##name

static char root[] = "/tmp/gdrctl-test.XXXXXX";

static void in_root(char *path, size_t size, const char *name)
{
	snprintf(path, size, "%s/%s", root, name);
}

static void make_file(const char *name, const char *text)
{
	ktap_make_file(root, name, text);
}

/* Two GPUs, one with a UUID, and an HCA with two RDMA devices. */
static void machine(void)
{
	make_file("sys/bus/pci/devices/0000:41:00.0/vendor", "0x10de\n");
	make_file("sys/bus/pci/devices/0000:41:00.0/class", "0x030200\n");
	make_file("sys/bus/pci/devices/0000:42:00.0/vendor", "0x10de\n");
	make_file("sys/bus/pci/devices/0000:42:00.0/class", "0x030200\n");
	make_file("proc/driver/nvidia/gpus/0000:41:00.0/information",
		  "Model: \t\t NVIDIA H100\nGPU UUID: \t GPU-1a2b3c4d-0000-1111-2222-333344445555\n");
	make_file("sys/bus/pci/devices/0000:81:00.0/infiniband/mlx5_0/x", "");
	make_file("sys/bus/pci/devices/0000:82:00.0/infiniband/mlx5_2/x", "");
	make_file("sys/bus/pci/devices/0000:82:00.0/infiniband/mlx5_10/x", "");
	names_set_root(root);
	gpus_forget();
}

static void take(struct records *list, const struct list_type *t, const struct bytes *b)
{
	struct record r;

	EXPECT(!record_parse(b->data, b->len, t->value, t->n, &r));
	EXPECT(!records_add(list, &r));
}

static void add_device(struct records *list, const char *name, uint64_t bar1, uint64_t n)
{
	struct bytes b = { .len = 0 };

	put_attr_str(&b, D(NAME), name);
	if (bar1)
		put_attr_u64(&b, D(BAR1_BYTES), bar1);
	for (int attr = D(ATTACHMENTS); attr <= D(MAX); attr++)
		if (bar1 == 0 || (attr != D(ATTACH_TOTAL) && attr != D(DETACH_TOTAL) &&
				  attr != D(REGISTER_TOTAL)))
			put_attr_u64(&b, (uint16_t)attr, n + (uint64_t)attr);
	take(list, &metrics_importers, &b);
}

static void add_failure(struct records *list, const char *importer, uint32_t stage, uint32_t err)
{
	struct bytes b = { .len = 0 };

	if (importer)
		put_attr_str(&b, FAILURE(IMPORTER), importer);
	put_attr_u32(&b, FAILURE(STAGE), stage);
	put_attr_u32(&b, FAILURE(ERROR), err);
	put_attr_u64(&b, FAILURE(COUNT), err + 1);
	take(list, &list_failure, &b);
}

static void add_latency(struct records *list, uint32_t op)
{
	struct bytes b = { .len = 0 };

	put_attr_str(&b, L(IMPORTER), "0000:81:00.0");
	put_attr_u32(&b, L(OP), op);
	put_attr_u64(&b, L(SUM_NS), 601234567890);
	/* Below the first range that is told, in some of them, above the last, and in the last. */
	for (uint64_t i = 0; i < 40; i++)
		put_attr_u64(&b, L(BUCKET), i == 0 || i == 9 || i == 33 || i == 34 || i == 39);
	take(list, &list_latency, &b);
}

static struct probe probes[2];

static struct metrics scene(void)
{
	struct metrics m = { .status = { .version = "1.0", .probes = probes, .n_probes = 2 } };
	struct bytes b = { .len = 0 };

	strcpy(probes[0].symbol, "dma_buf_detach");
	probes[0].state = GDR_TELEMETRY_PROBE_STATE_ARMED;
	probes[0].needed = true;
	strcpy(probes[1].symbol, "dma_buf_invalidate_mappings");
	probes[1].state = GDR_TELEMETRY_PROBE_STATE_MISSING;
	for (int i = 0; i <= S(MAX); i++) {
		m.status.present |= 1ULL << i;
		m.status.value[i] = (uint64_t)i;
	}
	m.status.mr_join = GDR_TELEMETRY_MR_JOIN_ON;
	m.status.inexact_reasons = GDR_TELEMETRY_INEXACT_REASON_PREEXISTING | 1 << 20;
	m.status.value[S(PINNED_BYTES)] = UINT64_MAX;
	add_device(&m.importers, "0000:81:00.0", 0, 100);
	add_device(&m.importers, "0000:82:00.0", 0, 200);
	add_device(&m.exporters, "0000:41:00.0", 256 << 20, 300);
	add_device(&m.exporters, "0000:42:00.0", 64ULL << 30, 400);
	add_device(&m.exporters, "a\nb\"c\\\x1b[1m\xff\xc3\xa9", 0, 500);
	put_attr_str(&b, P(EXPORTER), "0000:41:00.0");
	put_attr_str(&b, P(IMPORTER), "0000:82:00.0");
	for (int attr = P(ATTACHMENTS); attr <= P(MAX); attr++)
		put_attr_u64(&b, (uint16_t)attr, 600 + (uint64_t)attr);
	take(&m.pairs, &metrics_pairs, &b);
	add_failure(&m.failures, "0000:81:00.0", GDR_TELEMETRY_STAGE_MAP, 12);
	add_failure(&m.failures, "0000:81:00.0", GDR_TELEMETRY_STAGE_CAPABILITY_QUERY, 9);
	add_failure(&m.failures, "0000:82:00.0", GDR_TELEMETRY_STAGE_ATTACH, 524);
	add_failure(&m.failures, NULL, 77, 4000);
	add_latency(&m.latencies, GDR_TELEMETRY_LATENCY_OP_REGISTER);
	add_latency(&m.latencies, 77);
	return m;
}

static char *text_of(const struct metrics *m, bool numeric, bool openmetrics)
{
	char *buf = NULL;
	size_t size;
	FILE *f = open_memstream(&buf, &size);

	EXPECT(f != NULL);
	metrics_write(m, numeric, openmetrics, f);
	fclose(f);
	return buf;
}

static void show(const char *golden, const struct metrics *m, bool numeric, bool openmetrics)
{
	char *buf = text_of(m, numeric, openmetrics);

	ktap_golden(golden, buf);
	free(buf);
}

/* The probes are not the list's to free. */
static void done(struct metrics *m)
{
	m->status.probes = NULL;
	metrics_free(m);
}

static void whole(void)
{
	struct metrics m = scene();

	show("metrics.prom", &m, false, false);
	show("metrics.openmetrics", &m, false, true);
	show("metrics-numeric.prom", &m, true, false);
	done(&m);
}

/* Nothing known: no head without a sample. */
static void empty(void)
{
	struct metrics m = { .status.n_probes = 0 };
	char *text = text_of(&m, false, false);

	EXPECT_STR(text, "# HELP gdr_telemetry_build_info The module, and how it works on this "
		   "kernel.\n# TYPE gdr_telemetry_build_info gauge\ngdr_telemetry_build_info 1\n");
	free(text);
	text = text_of(&m, false, true);
	EXPECT_STR(text + strlen(text) - 6, "# EOF\n");
	free(text);
}

/* All samples of a family stand together, under one head. */
static void families(void)
{
	struct metrics m = scene();
	char *text = text_of(&m, false, false), *save, *line, seen[16384] = "";
	char name[128], last[128] = "", key[140];
	size_t n = 0;

	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (sscanf(line, "# TYPE %127s", name) == 1) {
			snprintf(key, sizeof(key), " %s ", name);
			EXPECT(!strstr(seen, key));
			strcat(seen, key);
			strcpy(last, name);
			n++;
		} else if (line[0] != '#') {
			/* A histogram's samples begin with its name. */
			EXPECT(!strncmp(line, last, strlen(last)));
		}
	}
	EXPECT(n > 50);
	free(text);
	done(&m);
}

static void label(const char *in, size_t size, const char *want)
{
	char buf[64];

	EXPECT_STR(format_label(in, buf, size), want);
}

static void labels(void)
{
	label("", 64, "");
	label("mlx5_0", 64, "mlx5_0");
	label("a\\b\"c\nd", 64, "a\\\\b\\\"c\\nd");
	label("\x01\xff\xe2\x80\xae.", 64, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd.");
	label("\xc3\xa9", 64, "\xc3\xa9");
	/* Never half a character. */
	label("ab\n", 4, "ab");
	label("ab\xc3\xa9", 4, "ab");
}

/* ---- the file ------------------------------------------------------------ */

static void write_text(FILE *to, const void *arg)
{
	fputs(arg, to);
}

static void contents(const char *path, const char *want)
{
	char got[64] = "";
	FILE *f = fopen(path, "r");

	EXPECT(f && fgets(got, sizeof(got), f));
	if (f)
		fclose(f);
	EXPECT_STR(got, want);
}

static size_t files_in(const char *dir)
{
	struct dirent *d;
	size_t n = 0;
	DIR *at = opendir(dir);

	while (at && (d = readdir(at)))
		n += d->d_name[0] != '.';
	if (at)
		closedir(at);
	return n;
}

static void replaced(void)
{
	char dir[256], path[300];
	struct stat st;

	make_file("out/gdr.prom", "old");
	in_root(dir, sizeof(dir), "out");
	snprintf(path, sizeof(path), "%s/gdr.prom", dir);
	umask(022);
	EXPECT(!replace_file(path, 0666, write_text, "new"));
	contents(path, "new");
	/* For node_exporter, another user. */
	EXPECT(!stat(path, &st) && (st.st_mode & 0777) == 0644);
	unlink(path);
	EXPECT(!replace_file(path, 0666, write_text, "made"));
	contents(path, "made");
	EXPECT(files_in(dir) == 1);
}

static void fail(FILE *to, const void *arg)
{
	write_text(to, arg);
	fflush(to);
	/* As a full disk is met. */
	close(fileno(to));
}

static void old_stays(void)
{
	char dir[256], path[300], other[320];

	make_file("stays/gdr.prom", "old");
	in_root(dir, sizeof(dir), "stays");
	snprintf(path, sizeof(path), "%s/gdr.prom", dir);
	EXPECT(replace_file(path, 0666, fail, "half") == EXIT_SYSTEM);
	contents(path, "old");
	/* A directory, one that is not there, a device, no name. */
	EXPECT(replace_file(dir, 0666, write_text, "x") == EXIT_SYSTEM);
	snprintf(other, sizeof(other), "%s/none/gdr.prom", dir);
	EXPECT(replace_file(other, 0666, write_text, "x") == EXIT_SYSTEM);
	EXPECT(replace_file("/dev/null", 0666, write_text, "x") == EXIT_SYSTEM);
	EXPECT(replace_file("", 0666, write_text, "x") == EXIT_SYSTEM);
	EXPECT(files_in(dir) == 1);
}

static const struct test tests[] = {
	TEST(whole), TEST(empty), TEST(families), TEST(labels), TEST(replaced), TEST(old_stays),
};

int main(void)
{
	char command[64];
	int rc;

	if (!mkdtemp(root))
		return 1;
	machine();
	rc = ktap_run(tests, sizeof(tests) / sizeof(tests[0]));
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command) || rc;
}
