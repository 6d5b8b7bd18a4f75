// SPDX-License-Identifier: GPL-2.0
/* BDFs, names in sysfs, filters, where the module is. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "filter.h"
#include "ktap.h"
#include "names.h"

static char root[] = "/tmp/gdrctl-test.XXXXXX";

static void in_root(char *path, size_t size, const char *name)
{
	snprintf(path, size, "%s/%s", root, name);
}

static void make_dirs(const char *name)
{
	char path[256];

	in_root(path, sizeof(path), name);
	for (char *p = path + strlen(root) + 1; (p = strchr(p, '/')); p++) {
		*p = 0;
		mkdir(path, 0777);
		*p = '/';
	}
	mkdir(path, 0777);
}

static void bdf_is(const char *in, const char *want)
{
	char bdf[BDF_SIZE] = "";

	EXPECT(names_bdf(in, bdf) == !!*want);
	if (*want)
		EXPECT_STR(bdf, want);
}

static void bdfs(void)
{
	bdf_is("81:00.0", "0000:81:00.0");
	bdf_is("0000:81:00.0", "0000:81:00.0");
	bdf_is("0000:AF:1F.7", "0000:af:1f.7");
	bdf_is("00000000:41:00.0", "0000:41:00.0");
	bdf_is("10000:01:00.0", "10000:01:00.0");
	bdf_is("1:2.3", "0000:01:02.3");
	bdf_is("", "");
	bdf_is(":", "");
	bdf_is("81:00", "");
	bdf_is("81:00.8", "");
	bdf_is("81:20.0", "");
	bdf_is("81:00.0 ", "");
	bdf_is("x81:00.0", "");
	bdf_is("0000:81:00.00", "");
	bdf_is("000000000:81:00.0", "");
	bdf_is("1:0000:81:00.0", "");
	bdf_is("mlx5_0", "");
}

static void ibdevs(void)
{
	char path[256], list[IBDEVS_SIZE], device[BDF_SIZE];

	make_dirs("sys/bus/pci/devices/0000:81:00.0/infiniband/mlx5_10");
	make_dirs("sys/bus/pci/devices/0000:81:00.0/infiniband/mlx5_2");
	make_dirs("sys/class/infiniband/mlx5_2");
	in_root(path, sizeof(path), "sys/class/infiniband/mlx5_2/device");
	EXPECT(!symlink("../../../devices/pci0000:80/0000:81:00.0", path));
	names_set_root(root);
	EXPECT_STR(names_ibdevs("0000:81:00.0", list), "mlx5_2,mlx5_10");
	EXPECT_STR(names_ibdevs("0000:82:00.0", list), "");
	EXPECT_STR(names_ibdevs("../0000:81:00.0", list), "");
	EXPECT_STR(names_ibdevs(NULL, list), "mlx5_2");
	EXPECT(names_ibdev_to_device("mlx5_2", device));
	EXPECT_STR(device, "0000:81:00.0");
	EXPECT(!names_ibdev_to_device("mlx5_3", device));
	EXPECT(!names_ibdev_to_device("../infiniband/mlx5_2", device));
	EXPECT(!names_ibdev_to_device("", device));
}

static const struct filter_word *word(const char *name)
{
	const struct filter_word *w = filter_words;

	while (strcmp(w->word, name))
		w++;
	return w;
}

static enum exit_code add(struct filter *f, const char *name, const char *value)
{
	memset(f, 0, sizeof(*f));
	return filter_add(f, word(name), value);
}

static void right_filters(void)
{
	struct filter f;

	names_set_root(root);
	EXPECT(!add(&f, "hca", "mlx5_2"));
	EXPECT_STR(f.importer, "0000:81:00.0");
	EXPECT(!add(&f, "importer", "AF:00.1"));
	EXPECT_STR(f.importer, "0000:af:00.1");
	EXPECT(!add(&f, "gpu", "41:00.0"));
	EXPECT_STR(f.exporter, "0000:41:00.0");
	EXPECT(!add(&f, "exporter", "udmabuf"));
	EXPECT_STR(f.exporter, "udmabuf");
	EXPECT(!add(&f, "pid", "4711") && f.pid == 4711);
	EXPECT(!add(&f, "buffer", "18446744073709551615") && f.buffer == UINT64_MAX);
	EXPECT(!add(&f, "comm", "-x y") && filter_any(&f));
	memset(&f, 0, sizeof(f));
	EXPECT(!filter_any(&f));
}

static void wrong_filters(void)
{
	static const char *const t[][2] = {
		{ "hca", "" }, { "hca", "mlx5_9" }, { "hca", "81:00" }, { "hca", "a/b" },
		{ "gpu", "41:00" }, { "gpu", "" }, { "exporter", "../x" }, { "pid", "0" },
		{ "pid", "-1" }, { "pid", "+1" }, { "pid", " 1" }, { "pid", "4194305" },
		{ "pid", "1x" }, { "pid", "" }, { "buffer", "18446744073709551616" },
		{ "buffer", "0x10" }, { "comm", "" }, { "comm", "sixteen-letters-" },
		{ "id", "one" }, { "id", NULL },
	};
	struct filter f;

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		if (add(&f, t[i][0], t[i][1]) != EXIT_USAGE)
			EXPECT_STR(t[i][1], "to be refused");
	/* The same twice, by two words. */
	EXPECT(!add(&f, "hca", "81:00.0"));
	EXPECT(filter_add(&f, word("importer"), "81:00.0") == EXIT_USAGE);
}

static void client_filter(void)
{
	struct attachment a = { .comm = "python3" };
	struct filter f;

	EXPECT(!add(&f, "comm", "python3"));
	EXPECT(!filter_client(&f, &a));
	a.present = 1ULL << GDR_TELEMETRY_A_ATTACHMENT_COMM;
	EXPECT(filter_client(&f, &a));
	strcpy(a.comm, "python");
	EXPECT(!filter_client(&f, &a));
	EXPECT(!add(&f, "pid", "1"));
	EXPECT(filter_client(&f, &a));
}

static void clean_up(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	EXPECT(!system(command));
}

static const struct test tests[] = {
	TEST(bdfs), TEST(ibdevs), TEST(right_filters), TEST(wrong_filters), TEST(client_filter),
	TEST(clean_up),
};

int main(void)
{
	if (!mkdtemp(root))
		return 1;
	return ktap_run(tests, sizeof(tests) / sizeof(tests[0]));
}
