// SPDX-License-Identifier: GPL-2.0
/* What files tell of the machine. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpus.h"
#include "machine.h"
#include "names.h"

#define PCI "/sys/bus/pci/devices"
#define OWN "gdr_telemetry"
#define TEXT_SIZE 512

/* Attributes, by what they are called. A record has some of them. */
enum {
	M_KERNEL = 1, M_BUILD, M_OS, M_MACHINE, M_HOST, M_OPTIONS, M_TAINT, M_LOCKDOWN, M_FTRACE,
	M_KPROBES, M_NAME, M_STATE, M_VERSION, M_SRCVERSION, M_REFERENCES, M_PARAMETERS, M_BDF,
	M_IBDEVS, M_INDEX, M_MODEL, M_UUID, M_ID, M_DRIVER, M_DRIVER_VERSION, M_FIRMWARE, M_VBIOS,
	M_BAR1, M_LINK, M_NUMA, M_IOMMU, M_BOARD, M_GUID, M_PORTS,
};

#define T(a, label, json, column)                                                                \
	{ .attr = (a), .kind = VALUE_TEXT, .row = (label), .optional = true,                     \
	  .field = { .key = (json), .title = (column) } }
#define NAMES(a, label, json, column)                                                            \
	{ .attr = (a), .kind = VALUE_NAMES, .row = (label), .optional = true,                    \
	  .field = { .key = (json), .title = (column) } }
#define N(a, label, json, column)                                                                \
	{ .attr = (a), .kind = VALUE_COUNT, .row = (label), .optional = true,                    \
	  .field = { .key = (json), .title = (column), .right = true } }

static const struct value system_values[] = {
	T(M_KERNEL, "kernel", "kernel", NULL), T(M_BUILD, "build", "kernel_build", NULL),
	T(M_OS, "system", "os", NULL), T(M_MACHINE, "machine", "machine", NULL),
	T(M_HOST, "host", "host", NULL), T(M_OPTIONS, "boot options", "boot_options", NULL),
	N(M_TAINT, "tainted", "tainted", NULL), T(M_LOCKDOWN, "lockdown", "lockdown", NULL),
	T(M_FTRACE, "ftrace_enabled", "ftrace_enabled", NULL),
	T(M_KPROBES, "kprobes enabled", "kprobes_enabled", NULL),
};

#define MODULE_VALUES                                                                            \
	T(M_NAME, "module", "module", "MODULE"), T(M_STATE, "state", "state", "STATE"),          \
	T(M_VERSION, "version", "version", "VERSION"),                                           \
	T(M_TAINT, "taints", "taints", "TAINTS"),                                                \
	N(M_REFERENCES, "references", "references", "REFERENCES"),                               \
	T(M_SRCVERSION, "srcversion", "srcversion", "SRCVERSION")

static const struct value module_values[] = {
	MODULE_VALUES, T(M_PARAMETERS, "parameters", "parameters", NULL),
};
static const struct value modules_values[] = { MODULE_VALUES };

#define PCI_VALUES                                                                               \
	T(M_ID, "PCI id", "pci_id", "PCI ID"), T(M_DRIVER, "driver", "driver", "DRIVER"),        \
	T(M_DRIVER_VERSION, "version", "driver_version", "VERSION"),                             \
	T(M_FIRMWARE, "firmware", "firmware", "FIRMWARE"),                                       \
	T(M_LINK, "link", "link", "LINK"), T(M_NUMA, "NUMA node", "numa_node", "NUMA"),          \
	T(M_IOMMU, "IOMMU", "iommu", "IOMMU")

static const struct value gpu_values[] = {
	T(M_BDF, "GPU", "exporter", "EXPORTER"), N(M_INDEX, "index", "gpu_index", "GPU"),
	T(M_MODEL, "model", "gpu_model", "MODEL"), T(M_UUID, "UUID", "gpu_uuid", NULL),
	PCI_VALUES, T(M_VBIOS, "video BIOS", "vbios", NULL),
	{ .attr = M_BAR1, .kind = VALUE_BYTES, .row = "BAR1", .optional = true,
	  .field = { .key = "bar1_bytes", .title = "BAR1", .right = true } },
};

static const struct value hca_values[] = {
	T(M_BDF, "HCA", "importer", "IMPORTER"),
	NAMES(M_IBDEVS, "RDMA devices", "importer_ibdevs", "IBDEV"),
	PCI_VALUES, T(M_MODEL, "type", "hca_type", NULL), T(M_BOARD, "board", "board_id", NULL),
	T(M_GUID, "node GUID", "node_guid", NULL), T(M_PORTS, "ports", "ports", "PORTS"),
};

#define TYPE(name, word, words, values, n_ids)                                                   \
	static const struct list_type name = {                                                   \
		.what = (word), .plural = (words), .value = (values), .n = ARRAY_SIZE(values),   \
		.ids = (n_ids),                                                                  \
	}

TYPE(type_system, "system", "system", system_values, 0);
TYPE(type_module, "module", "module", module_values, 1);
TYPE(type_modules, "module", "modules that matter here", modules_values, 1);
TYPE(type_gpus, "GPU", "NVIDIA GPUs", gpu_values, 1);
TYPE(type_hcas, "HCA", "HCAs", hca_values, 1);

const struct list_type *const machine_types[MACHINE_PARTS] = {
	[MACHINE_SYSTEM] = &type_system,
	[MACHINE_MODULE] = &type_module,
	[MACHINE_MODULES] = &type_modules,
	[MACHINE_GPUS] = &type_gpus,
	[MACHINE_HCAS] = &type_hcas,
};

static int set(struct record *r, int attr, const char *s)
{
	return *s ? record_set_text(r, attr, s) : 0;
}

static int set_line(struct record *r, int attr, const char *path)
{
	char line[TEXT_SIZE] = "";

	names_line(line, sizeof(line), "%s", path);
	return set(r, attr, line);
}

static void append(char *text, size_t size, const char *between, const char *more)
{
	size_t used = strlen(text);

	/* What does not fit is left out as a whole. */
	if (*more && snprintf(text + used, size - used, "%s%s", used ? between : "", more) >=
		     (int)(size - used))
		text[used] = 0;
}

/* The words of the command line that can matter here: others may be secrets. */
static int set_options(struct record *r)
{
	static const char *const words[] = {
		"iommu", "intel_iommu", "amd_iommu", "arm-smmu", "pci", "lockdown", "module",
		"modprobe", "nvidia", "mlx5", "ib_", "gdr_telemetry", "kprobe", "ftrace", "nokaslr",
		"hugepages", "pcie",
	};
	char text[TEXT_SIZE] = "", *line = NULL, *save, *word;
	FILE *f = names_open("/proc/cmdline");
	size_t size = 0;
	int err;

	if (f && getline(&line, &size, f) > 0)
		for (word = strtok_r(line, " \n", &save); word; word = strtok_r(NULL, " \n", &save))
			for (size_t i = 0; i < ARRAY_SIZE(words); i++)
				if (!strncmp(word, words[i], strlen(words[i]))) {
					append(text, sizeof(text), " ", word);
					break;
				}
	if (f)
		fclose(f);
	err = set(r, M_OPTIONS, text);
	free(line);
	return err;
}

/* PRETTY_NAME="Debian GNU/Linux 12 (bookworm)" */
static int set_os(struct record *r)
{
	char line[256], text[TEXT_SIZE] = "";
	FILE *f = names_open("/etc/os-release");

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, "PRETTY_NAME=", 12)) {
			char *s = line + 12 + (line[12] == '"');

			s[strcspn(s, "\"\n")] = 0;
			snprintf(text, sizeof(text), "%s", s);
		}
	if (f)
		fclose(f);
	return set(r, M_OS, text);
}

static int read_system(bool anonymous, struct records *list)
{
	char text[TEXT_SIZE] = "", line[TEXT_SIZE] = "";
	struct record r = { .present = 0 };
	int err = set_line(&r, M_KERNEL, "/proc/sys/kernel/osrelease") |
		  set_line(&r, M_BUILD, "/proc/sys/kernel/version") | set_os(&r) |
		  set_options(&r) |
		  set_line(&r, M_LOCKDOWN, "/sys/kernel/security/lockdown") |
		  set_line(&r, M_FTRACE, "/proc/sys/kernel/ftrace_enabled") |
		  set_line(&r, M_KPROBES, "/sys/kernel/debug/kprobes/enabled");

	if (names_line(line, sizeof(line), "/proc/sys/kernel/tainted"))
		record_set_number(&r, M_TAINT, strtoull(line, NULL, 10));
	if (!anonymous)
		err |= set_line(&r, M_HOST, "/proc/sys/kernel/hostname");
	for (size_t i = 0; i < 3; i++) {
		static const char *const file[] = { "sys_vendor", "product_name", "bios_version" };

		*line = 0;
		names_line(line, sizeof(line), "/sys/class/dmi/id/%s", file[i]);
		append(text, sizeof(text), i == 2 ? ", BIOS " : " ", line);
	}
	err |= set(&r, M_MACHINE, text);
	if (err) {
		record_free(&r);
		return -ENOMEM;
	}
	return records_add(list, &r);
}

static int for_each(const char *dir,
		    int (*each)(struct records *list, const char *name, bool anonymous),
		    struct records *list, bool anonymous)
{
	struct dirent **entry;
	char path[PATH_MAX];
	int n = scandir(names_in_root(dir, path, sizeof(path)), &entry, names_not_hidden, versionsort);
	int err = 0;

	for (int i = 0; i < n; i++) {
		if (!err)
			err = each(list, entry[i]->d_name, anonymous);
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
	return err;
}

static int set_module(struct record *r, const char *name)
{
	char line[TEXT_SIZE] = "";
	static const struct { int attr; const char *file; } files[] = {
		{ M_VERSION, "version" }, { M_TAINT, "taint" }, { M_SRCVERSION, "srcversion" },
	};
	int err = set(r, M_NAME, name);

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		*line = 0;
		names_line(line, sizeof(line), "/sys/module/%s/%s", name, files[i].file);
		err |= set(r, files[i].attr, line);
	}
	if (names_line(line, sizeof(line), "/sys/module/%s/refcnt", name))
		record_set_number(r, M_REFERENCES, strtoull(line, NULL, 10));
	/* What is built in may have a directory, for its parameters, but no state. */
	strcpy(line, names_module(name) ? "built in" : "not loaded");
	names_line(line, sizeof(line), "/sys/module/%s/initstate", name);
	return err | set(r, M_STATE, line);
}

/* NAME=VALUE, one after the other. */
static int set_parameters(struct record *r, const char *name)
{
	char path[PATH_MAX], dir[128], text[TEXT_SIZE] = "", line[TEXT_SIZE], word[TEXT_SIZE + 300];
	struct dirent **entry;
	int n;

	snprintf(dir, sizeof(dir), "/sys/module/%s/parameters", name);
	n = scandir(names_in_root(dir, path, sizeof(path)), &entry, names_not_hidden, versionsort);
	for (int i = 0; i < n; i++) {
		if (names_line(line, sizeof(line), "%s/%s", dir, entry[i]->d_name)) {
			snprintf(word, sizeof(word), "%s=%s", entry[i]->d_name, line);
			append(text, sizeof(text), " ", word);
		}
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
	return set(r, M_PARAMETERS, text);
}

static int add(struct records *list, struct record *r, int err)
{
	if (err) {
		record_free(r);
		return -ENOMEM;
	}
	return records_add(list, r);
}

static int read_module(struct records *list)
{
	struct record r = { .present = 0 };
	int err = set_module(&r, OWN) | set_parameters(&r, OWN);

	return add(list, &r, err);
}

static int add_module(struct records *list, const char *name, bool anonymous)
{
	static const char *const words[] = {
		"nvidia", "nv_peer_mem", "gdrdrv", "mlx5_", "mlx_compat", "ib_", "rdma_", "irdma",
		"bnxt_re", "efa", "mana_ib", "udmabuf", "amdgpu", "i915", "xe", "habanalabs",
	};
	struct record r = { .present = 0 };
	bool wanted = false;

	(void)anonymous;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		size_t len = strlen(words[i]);

		wanted |= !strncmp(name, words[i], len) &&
			  (words[i][len - 1] == '_' || !name[len] || !strcmp(words[i], "nvidia"));
	}
	return wanted ? add(list, &r, set_module(&r, name)) : 0;
}

static bool pci_line(const char *bdf, const char *file, char *line, size_t size)
{
	return names_line(line, size, PCI "/%s/%s", bdf, file);
}

static int set_pci_id(struct record *r, const char *bdf)
{
	char vendor[32], device[32], text[80];

	if (!pci_line(bdf, "vendor", vendor, sizeof(vendor)) || strncmp(vendor, "0x", 2) != 0 ||
	    !pci_line(bdf, "device", device, sizeof(device)) || strncmp(device, "0x", 2) != 0)
		return 0;
	snprintf(text, sizeof(text), "%.4s:%.4s", vendor + 2, device + 2);
	return set(r, M_ID, text);
}

static int set_driver(struct record *r, const char *bdf)
{
	char driver[64] = "", version[TEXT_SIZE] = "";

	if (names_link(driver, sizeof(driver), PCI "/%s/driver", bdf))
		names_line(version, sizeof(version), "/sys/module/%s/version", driver);
	return set(r, M_DRIVER, driver) | set(r, M_DRIVER_VERSION, version);
}

/* "16.0 GT/s PCIe x16": now, not the most that it could. */
static int set_link(struct record *r, const char *bdf)
{
	char speed[64] = "", width[32] = "", text[128] = "";

	if (pci_line(bdf, "current_link_speed", speed, sizeof(speed)) &&
	    pci_line(bdf, "current_link_width", width, sizeof(width)))
		snprintf(text, sizeof(text), "%s x%s", speed, width);
	return set(r, M_LINK, text);
}

/* The type says whether it translates: DMA, DMA-FQ, identity. */
static int set_iommu(struct record *r, const char *bdf)
{
	char group[32], type[64] = "", text[128] = "none";

	if (names_link(group, sizeof(group), PCI "/%s/iommu_group", bdf)) {
		pci_line(bdf, "iommu_group/type", type, sizeof(type));
		snprintf(text, sizeof(text), "%s group %s", type, group);
	}
	return set(r, M_IOMMU, text + (*text == ' '));
}

static int set_pci(struct record *r, const char *bdf)
{
	char line[TEXT_SIZE] = "";

	pci_line(bdf, "numa_node", line, sizeof(line));
	return set(r, M_BDF, bdf) | set_pci_id(r, bdf) | set_driver(r, bdf) | set_link(r, bdf) |
	       set(r, M_NUMA, line) | set_iommu(r, bdf);
}

/* The second line of the resources: "START END FLAGS". */
static void set_bar1(struct record *r, const char *bdf)
{
	FILE *f = names_open(PCI "/%s/resource", bdf);
	uint64_t start, end;
	char line[128];

	for (int i = 0; f && fgets(line, sizeof(line), f) && i <= 1; i++)
		if (i == 1 && sscanf(line, "%" SCNx64 " %" SCNx64, &start, &end) == 2 && end > start)
			record_set_number(r, M_BAR1, end - start + 1);
	if (f)
		fclose(f);
}

static int read_gpus(bool anonymous, struct records *list)
{
	const struct gpu *gpu;
	int err = 0;

	for (size_t i = 0; !err && (gpu = gpus_at(i)); i++) {
		struct record r = { .present = 0 };

		err = set_pci(&r, gpu->bdf) | set(&r, M_MODEL, gpu->model) |
		      set(&r, M_FIRMWARE, gpu->firmware) | set(&r, M_VBIOS, gpu->vbios);
		if (!anonymous)
			err |= set(&r, M_UUID, gpu->uuid);
		record_set_number(&r, M_INDEX, gpu->index);
		set_bar1(&r, gpu->bdf);
		err = add(list, &r, err);
	}
	return err;
}

/* "1: 4: ACTIVE, InfiniBand, 200 Gb/sec (4X HDR)" */
static void add_ports(char *text, size_t size, const char *ibdev)
{
	static const char *const file[] = { "state", "link_layer", "rate" };
	char line[TEXT_SIZE], port[TEXT_SIZE], *state;

	for (int i = 1; i < 64; i++) {
		snprintf(port, sizeof(port), "%s/%d", ibdev, i);
		for (size_t j = 0; j < ARRAY_SIZE(file); j++) {
			if (!names_line(line, sizeof(line), "/sys/class/infiniband/%s/ports/%d/%s",
					ibdev, i, file[j]))
				return;
			/* "4: ACTIVE" */
			state = j ? NULL : strchr(line, ' ');
			append(port, sizeof(port), " ", state ? state + 1 : line);
		}
		append(text, size, "; ", port);
	}
}

static int set_rdma(struct record *r, char *ibdevs, bool anonymous)
{
	static const struct { int attr; const char *file; } files[] = {
		{ M_FIRMWARE, "fw_ver" }, { M_MODEL, "hca_type" }, { M_BOARD, "board_id" },
		{ M_GUID, "node_guid" },
	};
	char line[TEXT_SIZE], ports[TEXT_SIZE] = "", *save, *name;
	int err = *ibdevs ? record_set_text(r, M_IBDEVS, ibdevs) : 0;

	for (name = strtok_r(ibdevs, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		for (size_t i = 0; i < ARRAY_SIZE(files); i++)
			if (!(anonymous && files[i].attr == M_GUID) &&
			    names_line(line, sizeof(line), "/sys/class/infiniband/%s/%s", name,
				       files[i].file))
				err |= set(r, files[i].attr, line);
		add_ports(ports, sizeof(ports), name);
	}
	return err | set(r, M_PORTS, ports);
}

/* Whatever has an RDMA device, and what should have one. */
static int add_hca(struct records *list, const char *name, bool anonymous)
{
	char bdf[BDF_SIZE], ibdevs[IBDEVS_SIZE], vendor[32] = "", class[32] = "";
	struct record r = { .present = 0 };
	int err;

	if (!names_bdf(name, bdf))
		return 0;
	pci_line(bdf, "vendor", vendor, sizeof(vendor));
	pci_line(bdf, "class", class, sizeof(class));
	names_ibdevs(bdf, ibdevs);
	if (!*ibdevs && (strcmp(vendor, "0x15b3") != 0 || strncmp(class, "0x02", 4) != 0))
		return 0;
	err = set_pci(&r, bdf) | set_rdma(&r, ibdevs, anonymous);
	return add(list, &r, err);
}

int machine_read(bool anonymous, struct machine *m)
{
	int err;

	memset(m, 0, sizeof(*m));
	err = read_system(anonymous, &m->part[MACHINE_SYSTEM]);
	if (!err)
		err = read_module(&m->part[MACHINE_MODULE]);
	if (!err)
		err = for_each("/sys/module", add_module, &m->part[MACHINE_MODULES], anonymous);
	if (!err)
		err = read_gpus(anonymous, &m->part[MACHINE_GPUS]);
	return err ? err : for_each(PCI, add_hca, &m->part[MACHINE_HCAS], anonymous);
}

void machine_free(struct machine *m)
{
	for (size_t i = 0; i < MACHINE_PARTS; i++)
		records_free(&m->part[i]);
}
