// SPDX-License-Identifier: GPL-2.0
/* The files that a report tells of; the first byte says which of them this is. */
#include "cmd.h"
#include "fuzz.h"
#include "machine.h"

#define GPU "0000:41:00.0"
#define HCA "/sys/bus/pci/devices/0000:81:00.0"
#define RDMA "/sys/class/infiniband/mlx5_0"

static const char *const files[] = {
	"/proc/cmdline", "/etc/os-release", "/proc/sys/kernel/tainted", "/sys/class/dmi/id/sys_vendor",
	"/sys/module/gdr_telemetry/refcnt", "/sys/module/gdr_telemetry/parameters/track",
	"/sys/bus/pci/devices/" GPU "/resource", HCA "/device", HCA "/current_link_speed",
	RDMA "/fw_ver", RDMA "/ports/1/state",
};

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const char one[] = "1\n";

	(void)argc;
	(void)argv;
	fuzz_begin();
	/* What has to be there for the others to be looked at. */
	fuzz_file("/proc/driver/nvidia/gpus/" GPU "/information", "Model: A\n", 9);
	fuzz_file(HCA "/vendor", "0x15b3\n", 7);
	fuzz_file(HCA "/class", "0x020000\n", 9);
	fuzz_file(HCA "/infiniband/mlx5_0/uevent", one, 0);
	fuzz_file(HCA "/current_link_width", "16\n", 3);
	fuzz_file(RDMA "/ports/1/link_layer", one, 2);
	fuzz_file(RDMA "/ports/1/rate", one, 2);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *file;
	struct machine m;

	if (!size)
		return 0;
	file = files[data[0] % ARRAY_SIZE(files)];
	fuzz_file(file, data + 1, size - 1);
	if (machine_read(data[0] & 0x80, &m))
		abort();
	for (size_t i = 0; i < MACHINE_PARTS; i++) {
		struct gdrctl g = fuzz_options(i);

		if (list_print(&g, machine_types[i], &m.part[i], false, fuzz_sink()))
			abort();
	}
	machine_free(&m);
	fuzz_no_file(file);
	return 0;
}
