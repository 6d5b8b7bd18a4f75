// SPDX-License-Identifier: GPL-2.0
/* What is known of a failure and of a machine, and what that says of causes. */
#include <stdlib.h>

#include "bytes.h"
#include "cmd.h"
#include "facts.h"
#include "failure.h"
#include "ktap.h"
#include "names.h"

static void take(struct records *list, const struct list_type *t, const struct bytes *b)
{
	struct record r;

	EXPECT(!record_parse(b->data, b->len, t->value, t->n, &r));
	EXPECT(!records_add(list, &r));
}

static void verdict(const struct facts *f, enum fact only, enum verdict want, const char *evidence)
{
	char got[FACTS_EVIDENCE];

	EXPECT(facts_verdict(f, only, got) == want);
	EXPECT_STR(got, evidence);
}

static void verdicts(void)
{
	struct facts f = { .nvidia = UNKNOWN };

	/* Nothing known: nothing ruled out. */
	for (enum fact only = FACT_NONE; only <= FACT_RANGE; only++)
		verdict(&f, only, VERDICT_POSSIBLE, "");
	f = (struct facts){ .driver = facts_driver("550.90.07"), .driver_text = "550.90.07",
			    .iommu = NO, .importer = "0000:81:00.0", .mlx5 = NO };
	verdict(&f, FACT_NV_IOMMU, VERDICT_RULED_OUT, "no IOMMU translates for 0000:81:00.0");
	verdict(&f, FACT_NV_NEW, VERDICT_RULED_OUT, "NVIDIA's driver is 550.90.07");
	verdict(&f, FACT_NV_OLD, VERDICT_POSSIBLE, "NVIDIA's driver is 550.90.07");
	verdict(&f, FACT_MLX5, VERDICT_RULED_OUT, "0000:81:00.0 is no mlx5 function");
	f.nvidia = YES;
	strcpy(f.exporter, "nvidia");
	verdict(&f, FACT_NV_OLD, VERDICT_POSSIBLE, "NVIDIA's driver is 550.90.07");
	verdict(&f, FACT_NVIDIA_STATIC, VERDICT_POSSIBLE, "the exporter is nvidia");
	f.iommu = YES;
	verdict(&f, FACT_NV_IOMMU, VERDICT_POSSIBLE, "NVIDIA's driver is 550.90.07");
	f.nvidia = NO;
	strcpy(f.exporter, "amdgpu");
	verdict(&f, FACT_NV_IOMMU, VERDICT_RULED_OUT, "the exporter is amdgpu");
	verdict(&f, FACT_BAR1, VERDICT_RULED_OUT, "the exporter is amdgpu");
	f = (struct facts){ .has_range = true, .offset = UINT64_MAX, .length = 2, .access = 0x100007 };
	verdict(&f, FACT_OVERFLOW, VERDICT_FITS, "offset 18446744073709551615, length 2");
	verdict(&f, FACT_EMPTY, VERDICT_RULED_OUT, "offset 18446744073709551615, length 2");
	verdict(&f, FACT_RANGE, VERDICT_RULED_OUT, "offset 18446744073709551615, length 2");
	verdict(&f, FACT_FLAGS, VERDICT_RULED_OUT, "access flags 0x100007");
	verdict(&f, FACT_REMOTE, VERDICT_RULED_OUT, "access flags 0x100007");
	f.length = 256 << 20;
	f.offset = 0;
	verdict(&f, FACT_LONG, VERDICT_POSSIBLE, "offset 0, length 268435456");
	f.length--;
	verdict(&f, FACT_LONG, VERDICT_RULED_OUT, "offset 0, length 268435455");
}

static void add_exporter(struct records *list, const char *name, uint64_t bar1, uint64_t pinned)
{
	struct bytes b = { .len = 0 };

	put_attr_str(&b, GDR_TELEMETRY_A_DEVICE_NAME, name);
	if (bar1)
		put_attr_u64(&b, GDR_TELEMETRY_A_DEVICE_BAR1_BYTES, bar1);
	put_attr_u64(&b, GDR_TELEMETRY_A_DEVICE_PINNED_BYTES, pinned);
	take(list, &list_exporter, &b);
}

static void add_failure(struct records *list, const char *exporter, uint64_t length)
{
	struct bytes b = { .len = 0 };

	put_attr_u32(&b, FAILURE(STAGE), GDR_TELEMETRY_STAGE_MAP);
	put_attr_u32(&b, FAILURE(ERROR), 12);
	put_attr_str(&b, FAILURE(EXPORTER), exporter);
	put_attr_str(&b, FAILURE(EXPORTER_MODULE), "nvidia");
	put_attr_u64(&b, FAILURE(OFFSET), 0);
	put_attr_u64(&b, FAILURE(LENGTH), length);
	put_attr_u32(&b, FAILURE(ACCESS), 7);
	take(list, &list_failure_log, &b);
}

#define FAR ". That is far below BAR1, which speaks against this cause; what else uses BAR1 is "    \
	"not counted"

/* Whose BAR1 is told: that of the GPU that a record has, or each. */
static void gpus(void)
{
	struct records failures = { .n = 0 }, devices = { .n = 0 }, none = { .n = 0 };
	struct facts f = { .nvidia = UNKNOWN };
	const struct record *known, *unknown;

	add_failure(&failures, "0000:41:00.0", 300 << 20);
	add_failure(&failures, "nvidia", 4 << 20);
	known = &failures.item[0];
	unknown = &failures.item[1];
	add_exporter(&devices, "0000:05:00.0", 256 << 20, 8 << 20);
	add_exporter(&devices, "0000:41:00.0", 512 << 20, 200 << 20);
	add_exporter(&devices, "nvidia", 0, 1 << 20);
	/* Not more than the BAR1 of this GPU, though of another one, and not far below. */
	failure_facts(known, &f);
	failure_gpus(known, &devices, &f);
	verdict(&f, FACT_BAR1, VERDICT_POSSIBLE, "BAR1 of 0000:41:00.0 has 512 MiB, 200 MiB of it "
		"are pinned by dma-buf now; 1.0 MiB more are pinned of a GPU that is not known; "
		"the MR was to have 300 MiB");
	/* At half of it, and above. */
	f.length = 55 << 20;
	verdict(&f, FACT_BAR1, VERDICT_POSSIBLE, "BAR1 of 0000:41:00.0 has 512 MiB, 200 MiB of it "
		"are pinned by dma-buf now; 1.0 MiB more are pinned of a GPU that is not known; "
		"the MR was to have 55.0 MiB" FAR);
	f.length++;
	verdict(&f, FACT_BAR1, VERDICT_POSSIBLE, "BAR1 of 0000:41:00.0 has 512 MiB, 200 MiB of it "
		"are pinned by dma-buf now; 1.0 MiB more are pinned of a GPU that is not known; "
		"the MR was to have 55.0 MiB");
	/* A GPU that the module does not list is not one of the others. */
	failure_gpus(known, &none, &f);
	verdict(&f, FACT_BAR1, VERDICT_POSSIBLE, "");

	failure_facts(unknown, &f);
	failure_gpus(unknown, &devices, &f);
	verdict(&f, FACT_BAR1, VERDICT_POSSIBLE, "the record names no GPU; BAR1 of 0000:05:00.0 has "
		"256 MiB, 8.0 MiB of it are pinned by dma-buf now; that of 0000:41:00.0 has "
		"512 MiB, 200 MiB of it are pinned by dma-buf now; 1.0 MiB more are pinned of a "
		"GPU that is not known; the MR was to have 4.0 MiB" FAR);
	/* Enough for one of them is not enough to say that it is the cause. */
	f.length = 300 << 20;
	EXPECT(facts_verdict(&f, FACT_BAR1, (char[FACTS_EVIDENCE]){ 0 }) == VERDICT_POSSIBLE);
	f.length = 513 << 20;
	EXPECT(facts_verdict(&f, FACT_BAR1, (char[FACTS_EVIDENCE]){ 0 }) == VERDICT_FITS);
	records_free(&failures);
	records_free(&devices);
}

static char root[] = "/tmp/gdrctl-test.XXXXXX";

static void make_file(const char *name, const char *text)
{
	ktap_make_file(root, name, text);
}

/* What the files of a machine tell: with an IOMMU that translates, with one that does not, none. */
static void machines(void)
{
	struct facts f = { .importer = "0000:81:00.0" };

	facts_machine(&f);
	EXPECT(f.mlx5 == UNKNOWN && f.iommu == UNKNOWN && !f.driver);
	EXPECT(mkdtemp(root) != NULL);
	names_set_root(root);
	make_file("sys/module/nvidia/version", "550.90.07\n");
	make_file("sys/bus/pci/devices/0000:81:00.0/vendor", "0x15b3\n");
	facts_machine(&f);
	EXPECT(f.mlx5 == YES && f.iommu == NO && f.driver == facts_driver("550.90.07"));
	EXPECT_STR(f.driver_text, "550.90.07");
	make_file("sys/bus/pci/devices/0000:81:00.0/iommu_group/type", "identity\n");
	facts_machine(&f);
	EXPECT(f.iommu == NO);
	make_file("sys/bus/pci/devices/0000:81:00.0/iommu_group/type", "DMA-FQ\n");
	make_file("sys/bus/pci/devices/0000:81:00.0/vendor", "0x8086\n");
	/* No newline, an empty file, a directory. */
	make_file("sys/module/nvidia/version", "TempVersion");
	facts_machine(&f);
	EXPECT(f.mlx5 == NO && f.iommu == YES && !f.driver);
	make_file("sys/bus/pci/devices/0000:82:00.0/vendor", "");
	make_file("sys/bus/pci/devices/0000:83:00.0/vendor/x", "");
	f = (struct facts){ .importer = "0000:82:00.0" };
	facts_machine(&f);
	EXPECT(f.mlx5 == UNKNOWN);
	f = (struct facts){ .importer = "0000:83:00.0" };
	facts_machine(&f);
	EXPECT(f.mlx5 == UNKNOWN);
	/* Names are not paths. */
	f = (struct facts){ .importer = "../devices/0000:81:00.0" };
	facts_machine(&f);
	EXPECT(f.mlx5 == UNKNOWN);
	names_set_root("/nonexistent");
}

static void drivers(void)
{
	EXPECT(facts_driver("580.65.06") == 5806506);
	EXPECT(facts_driver("515.43.04") < facts_driver("515.105.01"));
	EXPECT(facts_driver("570.211.01") < facts_driver("580.65.06"));
	EXPECT(facts_driver("580.142") > facts_driver("580.65.06"));
	EXPECT(!facts_driver("") && !facts_driver("TempVersion") && !facts_driver("580"));
	EXPECT(!facts_driver("580.65.06x") && !facts_driver("580.") && !facts_driver("-1.2"));
}

static const struct test tests[] = {
	TEST(verdicts), TEST(gpus), TEST(drivers), TEST(machines),
};

int main(void)
{
	char command[64];
	int rc;

	names_set_root("/nonexistent");
	rc = ktap_run(tests, sizeof(tests) / sizeof(tests[0]));
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command) || rc;
}
