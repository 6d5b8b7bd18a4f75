// SPDX-License-Identifier: GPL-2.0
/* What is made of attachments and a status: owners, holders, probes; compared with golden/. */
#include <json-c/json.h>

#include "cgroup.h"
#include "cmd.h"
#include "gpus.h"
#include "holders.h"
#include "ktap.h"
#include "list.h"
#include "owners.h"
#include "root.h"

#define A(name) (1ULL << GDR_TELEMETRY_A_ATTACHMENT_##name)
#define FLAG(f) GDR_TELEMETRY_ATTACHMENT_FLAG_##f
#define C64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define MIB (1u << 20)
#define HCA0 "0000:81:00.0"
#define HCA1 "0000:82:00.0"
#define GPU0 "0000:41:00.0"
#define GPU1 "0000:42:00.0"
#define NOW 10000000000000

static uint64_t slice, container;

static void show(const char *golden, struct options opt, const struct list_type *t,
		 const struct records *list)
{
	struct gdrctl g = { .opt = opt, .boottime_ns = NOW, .realtime_s = 1800000000 };
	char *buf = NULL;
	size_t size;
	FILE *f = open_memstream(&buf, &size);

	EXPECT(f && !list_print(&g, t, list, false, f));
	fclose(f);
	ktap_golden(golden, buf);
	if (opt.json) {
		json_object *o = json_tokener_parse(buf);

		EXPECT(o && json_object_array_length(o) == list->n);
		json_object_put(o);
	}
	free(buf);
}

#define SHOW(golden, t, list, ...) show(golden, (struct options){ __VA_ARGS__ }, t, list)

static void show_all(const char *name, const struct list_type *t, struct records *list)
{
	char golden[64];

	if (t->order)
		qsort(list->item, list->n, sizeof(*list->item), t->order);
	snprintf(golden, sizeof(golden), "%s-table.txt", name);
	SHOW(golden, t, list, .json = false);
	snprintf(golden, sizeof(golden), "%s-details.txt", name);
	SHOW(golden, t, list, .details = true);
	snprintf(golden, sizeof(golden), "%s-oneline.txt", name);
	SHOW(golden, t, list, .oneline = true);
	snprintf(golden, sizeof(golden), "%s-numeric.txt", name);
	SHOW(golden, t, list, .numeric = true, .bytes = true);
	snprintf(golden, sizeof(golden), "%s-list.json", name);
	SHOW(golden, t, list, .json = true, .pretty = true);
	records_free(list);
}

static struct attachment make(uint64_t id, uint32_t pid, const char *importer,
			      const char *exporter, uint64_t buffer)
{
	struct attachment a = {
		.id = id, .pid = pid, .buffer = buffer, .size = 2 * MIB, .uid = 1000,
		.flags = FLAG(MAPPED) | FLAG(PINNED) | FLAG(EXPORTER_GPU) | FLAG(IMPORTER_HCA),
		.attach_time = NOW - 1000000000 * (100 - id), .start_time = 5000000000 + pid,
		.cgroup = 1, .mr_number = (uint32_t)id, .mr_length = MIB,
		.present = A(ID) | A(BUFFER) | A(SIZE) | A(FLAGS) | A(IMPORTER) | A(EXPORTER) |
			   A(PID) | A(COMM) | A(UID) | A(CGROUP) | A(ATTACH_TIME) |
			   A(START_TIME) | A(MR_NUMBER) | A(MR_LENGTH),
	};

	strcpy(a.importer, importer);
	strcpy(a.exporter, exporter);
	strcpy(a.comm, "python3");
	return a;
}

static void add(struct attachments *list, struct attachment a)
{
	EXPECT(!attachments_add(list, &a));
}

/*
 * 4711: one buffer to two HCAs, another to one, without an MR and not pinned.
 * 4712: the same buffer as 4711, and one of a GPU that is not known; in a container; renamed.
 * 4713: has exited; its pid was taken again by a process that started later.
 * A kernel thread, older than the module.
 */
static struct attachments scene(void)
{
	struct attachments list = { .n = 0 };
	struct attachment a;

	add(&list, make(1, 4711, HCA0, GPU0, 77));
	add(&list, make(4, 4711, HCA1, GPU0, 77));
	a = make(5, 4711, HCA0, GPU1, 78);
	a.flags = FLAG(MAPPED);
	a.present &= ~(A(MR_NUMBER) | A(MR_LENGTH));
	add(&list, a);

	a = make(2, 4712, HCA0, GPU0, 77);
	a.cgroup = container;
	add(&list, a);
	a = make(6, 4712, HCA0, "nvidia", 79);
	a.cgroup = container;
	a.size = 1u << 30;
	strcpy(a.comm, "a\n\"b");
	add(&list, a);

	a = make(3, 4713, HCA1, GPU1, 80);
	a.cgroup = slice;
	a.flags |= FLAG(ORPHAN);
	a.exited = NOW - 60000000000;
	a.present |= A(EXITED);
	add(&list, a);
	a = make(7, 4713, HCA1, GPU1, 81);
	a.cgroup = slice;
	a.start_time += 1000000000;
	add(&list, a);

	a = make(8, 0, "gdrt_platform", "udmabuf", 82);
	a.present = A(ID) | A(BUFFER) | A(SIZE) | A(FLAGS) | A(IMPORTER) | A(EXPORTER);
	a.flags = FLAG(PREEXISTING);
	add(&list, a);
	return list;
}

static void make_root(void)
{
	slice = root_dir("sys/fs/cgroup/a.slice");
	container = root_dir("sys/fs/cgroup/system.slice/docker-" C64 ".scope");
	root_dir("sys/bus/pci/devices/" HCA0 "/infiniband/mlx5_0");
	root_dir("sys/bus/pci/devices/" HCA1 "/infiniband/mlx5_1");
	root_link("sys/bus/pci/devices/" HCA0 "/driver", "../../drivers/mlx5_core");
	root_link("sys/bus/pci/drivers/mlx5_core/module", "../../../../module/mlx5_core");
	root_link("sys/bus/pci/devices/" GPU0 "/driver", "../../drivers/nvidia");
	root_link("sys/bus/pci/drivers/nvidia/module", "../../../../module/nvidia");
	root_dir("proc/driver/nvidia/gpus/" GPU0);
	root_dir("proc/driver/nvidia/gpus/" GPU1);
	root_file("sys/module/nvidia/refcnt", "6\n");
	root_dir("sys/module/nvidia/holders/nvidia_uvm");
	root_dir("sys/module/nvidia/holders/nvidia_modeset");
	root_file("sys/module/nvidia_uvm/refcnt", "0\n");
	root_file("sys/module/mlx5_ib/refcnt", "0\n");
	root_file("sys/module/ib_uverbs/refcnt", "3\n");
	root_file("sys/module/udmabuf/refcnt", "1\n");
	root_link("sys/class/infiniband_verbs/uverbs0/device", "../../../" HCA0);
	root_file("proc/4711/comm", "python3\n");
	root_link("proc/4711/fd/3", "/dev/nvidia0");
	root_link("proc/4711/fd/4", "/dev/nvidiactl");
	root_link("proc/4711/fd/5", "/dev/infiniband/uverbs0");
	root_link("proc/4711/fd/6", "/dev/null");
	root_link("proc/4711/fd/7", "/dev/infiniband/uverbs0");
	root_link("proc/4711/fd/8", "/dev/infiniband/uverbs10");
	root_link("proc/4711/fd/9", "/dev/infiniband/uverbs2");
	root_file("proc/99/comm", "nv-host\"engine\n");
	root_link("proc/99/fd/0", "/dev/nvidiactl");
	root_link("proc/99/fd/2", "/dev/nvidia-caps/nvidia-cap1");
	root_link("proc/99/fd/1", "/dev/nvidia-uvm");
	root_dir("proc/100/fd");
	root_dir("proc/sys/fd");
	cgroup_forget();
	gpus_forget();
}

/* Inode numbers of directories are not the same each time. */
static void settle(struct records *owners)
{
	for (size_t i = 0; i < owners->n; i++) {
		uint64_t id = record_number(&owners->item[i], O_CGROUP);

		if (id == slice || id == container)
			record_set_number(&owners->item[i], O_CGROUP, id == slice ? 100 : 200);
	}
}

static void processes(void)
{
	struct attachments list = scene();
	struct records owners = { .n = 0 };

	EXPECT(!owners_make(OWNER_PROCESS, true, &list, &owners));
	EXPECT(owners.n == 5);
	settle(&owners);
	show_all("owner", &list_owner, &owners);
	attachments_free(&list);
	EXPECT(!owners_make(OWNER_PROCESS, true, &list, &owners) && !owners.n);
	/* Without names. */
	list = scene();
	EXPECT(!owners_make(OWNER_PROCESS, false, &list, &owners));
	EXPECT(owners.n == 5 && !record_has(&owners.item[4], O_IBDEVS));
	records_free(&owners);
	attachments_free(&list);
}

static void cgroups(void)
{
	struct attachments list = scene();
	struct records owners = { .n = 0 };

	EXPECT(!owners_make(OWNER_CGROUP, true, &list, &owners));
	EXPECT(owners.n == 4);
	settle(&owners);
	show_all("owner-cgroup", &list_owner_cgroup, &owners);
	attachments_free(&list);
}

static void pairs(void)
{
	struct attachments list = scene();
	struct records owners = { .n = 0 };
	uint64_t attachments = 0;

	EXPECT(!owners_make(OWNER_PAIR, true, &list, &owners));
	EXPECT(owners.n == 8);
	for (size_t i = 0; i < owners.n; i++)
		attachments += record_number(&owners.item[i], O_ATTACHMENTS);
	EXPECT(attachments == list.n);
	settle(&owners);
	show_all("owner-pair", &list_owner_pair, &owners);
	attachments_free(&list);
}

static void holders(void)
{
	struct attachments list = scene();
	struct records buffers = { .n = 0 }, found = { .n = 0 };
	struct record r = { .present = 0 };
	/* No HCA, although a PCI function. */
	struct attachment other = make(9, 4711, "0000:83:00.0", GPU1, 78);

	strcpy(other.importer_driver, "gdrt_importer");
	strcpy(other.exporter_module, "nvidia");
	other.present |= A(IMPORTER_DRIVER) | A(EXPORTER_MODULE);
	add(&list, other);
	EXPECT(!record_set_text(&r, GDR_TELEMETRY_A_BUFFER_EXPORTER_MODULE, "nvidia"));
	EXPECT(!records_add(&buffers, &r));
	EXPECT(!holders_make(&list, &buffers, NULL, &found));
	show_all("holders", &list_holders, &found);
	EXPECT(!holders_make(&list, &buffers, "udmabuf", &found));
	EXPECT_STR(record_text(&found.item[found.n - 1], H_NAME), "udmabuf");
	EXPECT(record_number(&found.item[found.n - 1], H_REFERENCES) == 1);
	records_free(&found);
	records_free(&buffers);
	attachments_free(&list);
}

static void probes(void)
{
	struct probe p[] = {
		{ .symbol = "dma_buf_dynamic_attach", .state = GDR_TELEMETRY_PROBE_STATE_ARMED,
		  .missed = 3, .needed = true },
		{ .symbol = "dma_buf_move_notify", .state = GDR_TELEMETRY_PROBE_STATE_MISSING },
		{ .symbol = "dma_buf_detach", .state = GDR_TELEMETRY_PROBE_STATE_FAILED,
		  .error = 22, .needed = true },
		{ .symbol = "dma_buf_pin", .state = GDR_TELEMETRY_PROBE_STATE_DISARMED },
		{ .symbol = "later", .state = 9 },
	};
	struct status s = { .probes = p, .n_probes = 5 };
	struct records list = { .n = 0 };

	for (size_t i = 0; i < 5; i++)
		p[i].present = 1 << GDR_TELEMETRY_A_PROBE_SYMBOL |
			       1 << GDR_TELEMETRY_A_PROBE_STATE |
			       1 << GDR_TELEMETRY_A_PROBE_MISSED;
	p[2].present |= 1 << GDR_TELEMETRY_A_PROBE_ERROR;
	EXPECT(!probes_make(&s, &list));
	show_all("probe", &list_probe, &list);
}

static const struct test tests[] = {
	TEST(make_root), TEST(processes), TEST(cgroups), TEST(pairs), TEST(holders), TEST(probes),
};

int main(void)
{
	tool_version = "1.0";
	return root_run(tests, sizeof(tests) / sizeof(tests[0]));
}
