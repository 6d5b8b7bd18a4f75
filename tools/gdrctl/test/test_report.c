// SPDX-License-Identifier: GPL-2.0
/* Reports: of a machine made of files, with and without the module, with and without names. */
#include <json-c/json.h>

#include "device.h"
#include "gpus.h"
#include "ktap.h"
#include "labels.h"
#include "report.h"
#include "root.h"
#include "scene.h"

#define S(name) GDR_TELEMETRY_A_STATUS_##name
#define SECRET "secret"

static const struct gdrctl at = { .boottime_ns = NOW, .realtime_s = 1800000000 };

static void make_pci(const char *bdf, const char *vendor, const char *class, const char *driver)
{
	char name[128], target[128];

	snprintf(name, sizeof(name), "sys/bus/pci/devices/%s/vendor", bdf);
	root_file(name, vendor);
	snprintf(name, sizeof(name), "sys/bus/pci/devices/%s/class", bdf);
	root_file(name, class);
	snprintf(name, sizeof(name), "sys/bus/pci/devices/%s/device", bdf);
	root_file(name, "0x101c\n");
	snprintf(name, sizeof(name), "sys/bus/pci/devices/%s/numa_node", bdf);
	root_file(name, "1\n");
	snprintf(name, sizeof(name), "sys/bus/pci/devices/%s/current_link_speed", bdf);
	root_file(name, "16.0 GT/s PCIe\n");
	snprintf(name, sizeof(name), "sys/bus/pci/devices/%s/current_link_width", bdf);
	root_file(name, "16\n");
	snprintf(name, sizeof(name), "sys/bus/pci/devices/%s/driver", bdf);
	snprintf(target, sizeof(target), "../../../bus/pci/drivers/%s", driver);
	root_link(name, target);
}

static void make_module(const char *name, const char *version, const char *taint)
{
	char path[128];

	snprintf(path, sizeof(path), "sys/module/%s/initstate", name);
	root_file(path, "live\n");
	snprintf(path, sizeof(path), "sys/module/%s/refcnt", name);
	root_file(path, "3\n");
	snprintf(path, sizeof(path), "sys/module/%s/version", name);
	if (*version)
		root_file(path, version);
	snprintf(path, sizeof(path), "sys/module/%s/taint", name);
	root_file(path, taint);
}

/* What is nobody's business has SECRET in it. */
static void make_root(void)
{
	root_file("proc/sys/kernel/osrelease", "6.12.0-1-amd64\n");
	root_file("proc/sys/kernel/version", "#1 SMP Debian\n");
	root_file("proc/sys/kernel/hostname", SECRET "-host\n");
	root_file("proc/sys/kernel/tainted", "12288\n");
	root_file("proc/sys/kernel/ftrace_enabled", "1\n");
	root_file("sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	root_file("sys/kernel/debug/kprobes/enabled", "1\n");
	root_file("proc/cmdline", "root=UUID=" SECRET " intel_iommu=on iommu=pt password=" SECRET
		  " quiet\n");
	root_file("etc/os-release", "ID=x\nPRETTY_NAME=\"Some \x1b[2J Linux\"\n");
	root_file("sys/class/dmi/id/sys_vendor", "Vendor\n");
	root_file("sys/class/dmi/id/product_name", "X1\n");
	root_file("sys/class/dmi/id/product_serial", SECRET "\n");
	make_module("gdr_telemetry", "1.0\n", "OE\n");
	root_file("sys/module/gdr_telemetry/parameters/track", "gdr\n");
	root_file("sys/module/gdr_telemetry/parameters/pool", "4096\n");
	root_file("sys/module/gdr_telemetry/srcversion", "ABCDEF\n");
	make_module("nvidia", "580.65.06\n", "POE\n");
	make_module("mlx5_core", "24.10-1\n", "OE\n");
	root_dir("sys/module/ib_core/parameters");
	make_module("xen_blkfront", "", "\n");
	make_module("e1000", "", "\n");
	make_pci(GPU0, "0x10de\n", "0x030200\n", "nvidia");
	root_file("sys/bus/pci/devices/" GPU0 "/resource",
		  "0x00000000f0000000 0x00000000f0ffffff 0x0000000000040200\n"
		  "0x0000380000000000 0x0000381fffffffff 0x000000000014220c\n");
	root_file("sys/kernel/iommu_groups/7/type", "DMA-FQ\n");
	root_link("sys/bus/pci/devices/" GPU0 "/iommu_group",
		  "../../../../kernel/iommu_groups/7");
	root_file("proc/driver/nvidia/gpus/" GPU0 "/information",
		  "Model: \t\t NVIDIA H100\nGPU UUID: \t GPU-" SECRET "\n"
		  "Video BIOS: \t 96.00.74\nGPU Firmware: \t 580.65.06\n");
	make_pci(HCA0, "0x15b3\n", "0x020700\n", "mlx5_core");
	root_dir("sys/bus/pci/devices/" HCA0 "/infiniband/mlx5_0");
	root_file("sys/class/infiniband/mlx5_0/fw_ver", "28.39.1002\n");
	root_file("sys/class/infiniband/mlx5_0/hca_type", "MT4129\n");
	root_file("sys/class/infiniband/mlx5_0/board_id", "MT_0000000838\n");
	root_file("sys/class/infiniband/mlx5_0/node_guid", "a088:" SECRET "\n");
	root_file("sys/class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE\n");
	root_file("sys/class/infiniband/mlx5_0/ports/1/link_layer", "InfiniBand\n");
	root_file("sys/class/infiniband/mlx5_0/ports/1/rate", "400 Gb/sec (4X NDR)\n");
	/* One whose driver is not there, and one that is no HCA. */
	make_pci(HCA1, "0x15b3\n", "0x020000\n", "vfio-pci");
	make_pci("0000:83:00.0", "0x8086\n", "0x020000\n", "e1000");
	gpus_forget();
}

static void add_buffer(struct capture *c)
{
	struct record r = { .present = 0 };

	record_set_number(&r, GDR_TELEMETRY_A_BUFFER_INODE, 77);
	EXPECT(!record_set_text(&r, BUFFER_NAME, SECRET));
	EXPECT(!records_add(&c->list[CAPTURE_BUFFERS], &r));
}

/* Two processes of one cgroup, one of a pod, a thread of the kernel; failures of one and another. */
static void make_capture(struct capture *c)
{
	struct record *r;
	struct attachment a;

	memset(c, 0, sizeof(*c));
	c->status.present = 1ULL << S(VERSION) | 1ULL << S(INEXACT_REASONS);
	strcpy(c->status.version, "1.0");
	scene_total(c, S(ATTACHMENTS), 4);
	scene_importer(c, HCA0);
	scene_pair(c, HCA0, 3, 1);
	r = &c->list[CAPTURE_PAIRS].item[0];
	record_set_number(r, DEVICE_GPU_INDEX, 0);
	EXPECT(!record_set_text(r, DEVICE_GPU_UUID, "GPU-" SECRET));
	for (uint64_t id = 1; id <= 4; id++) {
		a = scene_attachment(id, 987650 + (uint32_t)(id + 1) / 2, HCA0, 76 + id);
		strcpy(a.comm, SECRET);
		a.cgroup = 765432 + id / 4;
		a.uid = 98765;
		if (id == 4)
			a.pid = 987654;
		scene_add(c, a);
	}
	a = scene_attachment(5, 0, HCA0, 90);
	a.present &= ~(ATTACHMENT_BIT(PID) | ATTACHMENT_BIT(START_TIME) | ATTACHMENT_BIT(CGROUP));
	strcpy(a.comm, "k-" SECRET);
	scene_add(c, a);
	add_buffer(c);
	scene_failures(c, GDR_TELEMETRY_STAGE_MAP, 12, 2);
	scene_failed(c, 1, 987651, 12);
	scene_failed(c, 2, 987655, 12);
	scene_owners(c);
	for (size_t i = CAPTURE_OWNERS; i <= CAPTURE_CGROUPS; i++)
		for (size_t j = 0; j < c->list[i].n; j++) {
			r = &c->list[i].item[j];
			if (record_number(r, O_CGROUP) != 765433)
				continue;
			EXPECT(!record_set_text(r, O_PATH, "/" SECRET));
			EXPECT(!record_set_text(r, O_POD, SECRET));
			EXPECT(!record_set_text(r, O_CONTAINER, SECRET));
		}
	strcpy(c->why[CAPTURE_LATENCIES], "latency: this module does not know it");
}

static char *text_of(struct options opt, bool module)
{
	struct gdrctl g = at;
	struct report r = { .why = "" };
	char *buf = NULL;
	size_t size;
	FILE *f = open_memstream(&buf, &size);

	g.opt = opt;
	EXPECT(!machine_read(opt.anonymous, &r.machine));
	if (module)
		make_capture(&r.capture);
	else
		strcpy(r.why, "module gdr_telemetry is not loaded; load it: modprobe gdr_telemetry");
	if (opt.anonymous)
		EXPECT(!labels_capture(&r.capture));
	EXPECT(f && !report_write(&g, &r, f));
	fclose(f);
	report_free(&r);
	return buf;
}

static void compare(const char *golden, struct options opt, bool module)
{
	char *text = text_of(opt, module);

	ktap_golden(golden, text);
	if (opt.json) {
		json_object *o = json_tokener_parse(text);

		EXPECT(o && json_object_is_type(o, json_type_object));
		json_object_put(o);
	}
	free(text);
}

#define COMPARE(golden, module, ...) compare(golden, (struct options){ __VA_ARGS__ }, module)

static void with_names(void)
{
	COMPARE("report.txt", true, .json = false);
	COMPARE("report-details.txt", true, .details = true, .bytes = true);
	COMPARE("report-all.json", true, .json = true, .pretty = true);
}

static void without_names(void)
{
	COMPARE("report-anonymous.txt", true, .anonymous = true);
	COMPARE("report-anonymous.json", true, .json = true, .anonymous = true);
}

static void without_module(void)
{
	COMPARE("report-absent.txt", false, .json = false);
	COMPARE("report-absent.json", false, .json = true);
}

/* Whatever the form, nothing of it is left, in words or numbers. */
static void nothing_is_told(void)
{
	static const char *const secrets[] = {
		SECRET, "98765", "76543", "0x1001", "4097", "0x1002", "4098", "7f00000",
		"5000987", "password",
	};
	const struct options opt[] = {
		{ .anonymous = true }, { .anonymous = true, .details = true },
		{ .anonymous = true, .json = true },
		{ .anonymous = true, .numeric = true, .bytes = true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(opt); i++) {
		char *text = text_of(opt[i], true);

		for (size_t j = 0; j < ARRAY_SIZE(secrets); j++)
			if (strstr(text, secrets[j]))
				EXPECT_STR(secrets[j], text);
		EXPECT(strstr(text, "process-1") && strstr(text, "process-2"));
		free(text);
	}
	/* With names they are all there: the scene has what it is to have. */
	for (size_t j = 0; j < ARRAY_SIZE(secrets) - 1; j++) {
		char *text = text_of((struct options){ .json = true }, true);
		char *details = text_of((struct options){ .details = true }, true);

		if (!strstr(text, secrets[j]) && !strstr(details, secrets[j]))
			EXPECT_STR("", secrets[j]);
		free(text);
		free(details);
	}
}

static void labels(void)
{
	struct labels l = { .n = 0 };
	char buf[LABEL_SIZE];

	EXPECT_STR(label_of(&l, "process", "a", buf), "process-1");
	EXPECT_STR(label_of(&l, "pod", "a", buf), "pod-1");
	EXPECT_STR(label_of(&l, "process", "b", buf), "process-2");
	EXPECT_STR(label_of(&l, "process", "a", buf), "process-1");
	EXPECT_STR(label_of(&l, "pod", "b", buf), "pod-2");
	EXPECT(l.n == 4);
	labels_free(&l);
}

static const struct test tests[] = {
	TEST(make_root), TEST(with_names), TEST(without_names), TEST(without_module),
	TEST(nothing_is_told), TEST(labels),
};

int main(void)
{
	tool_version = "1.0";
	return root_run(tests, sizeof(tests) / sizeof(tests[0]));
}
