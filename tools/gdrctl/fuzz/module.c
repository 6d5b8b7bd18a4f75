// SPDX-License-Identifier: GPL-2.0
/* The files that tell why the module is not loaded; the first byte says which of them this is. */
#include "fuzz.h"
#include "module.h"

#define K "6.12.1"
#define DKMS "/var/lib/dkms/gdr-telemetry/0.1.0"

static const char *const installed[] = {
	"/lib/modules/" K "/modules.dep", "/etc/modprobe.d/a.conf", "/proc/cmdline",
	"/sys/kernel/security/lockdown", "/sys/module/module/parameters/sig_enforce",
	"/lib/modules/" K "/gdr_telemetry.ko",
};

static const char *const built[] = {
	DKMS "/source/dkms.conf", DKMS "/build/make.log", "/boot/config-" K,
};

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	fuzz_begin();
	return 0;
}

/* The same each time, but for the one file. */
static void make_files(bool ko)
{
	static const char dep[] = "gdr_telemetry.ko:\n";
	static const char conf[] = "BUILD_EXCLUSIVE_CONFIG=\"CONFIG_PCI !CONFIG_X\"\n";

	fuzz_no_file(installed[0]);
	fuzz_file(built[0], conf, sizeof(conf) - 1);
	if (!ko)
		return;
	fuzz_file(installed[0], dep, sizeof(dep) - 1);
	for (size_t i = 1; i < ARRAY_SIZE(installed); i++)
		fuzz_no_file(installed[i]);
	fuzz_file(installed[4], "Y\n", 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gdrctl g = fuzz_options(0);
	struct module_report r;
	size_t which;

	if (!size)
		return 0;
	which = data[0] % (ARRAY_SIZE(installed) + ARRAY_SIZE(built));
	make_files(which < ARRAY_SIZE(installed));
	fuzz_file(which < ARRAY_SIZE(installed) ? installed[which] :
		  built[which - ARRAY_SIZE(installed)], data + 1, size - 1);
	module_look(K, &r);
	module_message(&r);
	module_print(&g, &r, fuzz_sink());
	return 0;
}
