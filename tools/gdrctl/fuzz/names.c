// SPDX-License-Identifier: GPL-2.0
/* Names of devices, the files of NVIDIA's driver, versions. */
#include "facts.h"
#include "fuzz.h"
#include "gpus.h"

#define GPU "0000:41:00.0"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	fuzz_begin();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char bdf[BDF_SIZE], ibdevs[IBDEVS_SIZE], list[GPUS_LIST_SIZE];
	struct facts f = { .importer = "0000:81:00.0" };
	char *s = fuzz_string(data, size);

	fuzz_file("/proc/driver/nvidia/gpus/" GPU "/information", data, size);
	fuzz_file("/sys/module/nvidia/version", data, size);
	fuzz_file("/sys/bus/pci/devices/0000:81:00.0/vendor", data, size);
	fuzz_file("/sys/bus/pci/devices/0000:81:00.0/iommu_group/type", data, size);
	gpus_forget();
	gpus_find(GPU);
	gpus_bdf(s, bdf);
	gpus_list(list);
	names_bdf(s, bdf);
	names_ibdev_to_device(s, bdf);
	names_ibdevs(s, ibdevs);
	facts_driver(s);
	facts_machine(&f);
	free(s);
	return 0;
}
