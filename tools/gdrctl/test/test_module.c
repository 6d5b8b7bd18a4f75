// SPDX-License-Identifier: GPL-2.0
/* Why the module is not loaded, told from files. */
#include <stdlib.h>

#include <json-c/json.h>

#include "ktap.h"
#include "module.h"
#include "root.h"

#define K "6.12.1-amd64"
#define LIB "lib/modules/" K
#define KO LIB "/updates/dkms/gdr_telemetry.ko"
#define DKMS "var/lib/dkms/gdr-telemetry"
#define SIGNED "ELF...~Module signature appended~\n"

static struct module_report r;

static bool has(const char *text, const char *part)
{
	if (strstr(text, part))
		return true;
	printf("# \"%s\" is not in \"%s\"\n", part, text);
	return false;
}

static enum module_state look(void)
{
	module_look(K, &r);
	return r.state;
}

static void gone(const char *name)
{
	char command[PATH_MAX + 16];

	snprintf(command, sizeof(command), "rm -r '%s/%s'", root, name);
	EXPECT(!system(command));
}

static void install(void)
{
	root_file(LIB "/modules.dep", "kernel/a.ko: kernel/b.ko\n"
		  "updates/dkms/gdr_telemetry.ko:\n");
	root_file(KO, "ELF..............................");
}

static void unknown(void)
{
	EXPECT(look() == MODULE_UNKNOWN);
	EXPECT(has(r.why, "not in /lib/modules/" K) && has(r.fix, "make dkms-install"));
	/* What uses it, and names that end so, are others. */
	root_file(LIB "/modules.dep", "kernel/other.ko: updates/dkms/gdr_telemetry.ko\n"
		  "kernel/not_gdr_telemetry.ko:\ngdr_telemetry.konsole:\n");
	EXPECT(look() == MODULE_UNKNOWN && !*r.file);
	gone("lib");
}

static void unbuilt(void)
{
	root_file(DKMS "/0.1.0/source/dkms.conf", "PACKAGE_NAME=gdr-telemetry\n");
	EXPECT(look() == MODULE_UNBUILT);
	EXPECT(has(r.why, "no headers") && has(r.fix, "linux-headers-" K));
	root_dir(LIB "/build");
	EXPECT(look() == MODULE_UNBUILT);
	EXPECT(has(r.why, "not installed it") && has(r.fix, "dkms autoinstall -k " K));
	EXPECT(!*r.log);
	/* Of a directory alone nothing is known, and nothing wrong is said. */
	gone(DKMS "/0.1.0");
	EXPECT(look() == MODULE_UNBUILT && has(r.fix, "dkms autoinstall"));
}

static void failed(void)
{
	root_file(DKMS "/0.1.0/build/make.log",
		  "DKMS make.log for gdr-telemetry-0.1.0 for kernel 6.12.1-amd64-rt (x86_64)\n");
	root_file(DKMS "/0.1.0/source/dkms.conf", "");
	EXPECT(look() == MODULE_UNBUILT);
	/* As DKMS 3.1 begins it. */
	root_file(DKMS "/0.1.0/build/make.log", "DKMS (dkms-3.1.6) make.log for gdr-telemetry/0.1.0 "
		  "for kernel " K " (x86_64)\nmake: *** Error 2\n");
	EXPECT(look() == MODULE_FAILED);
	EXPECT_STR(r.log, "/" DKMS "/0.1.0/build/make.log");
	EXPECT(has(r.why, "/" DKMS "/0.1.0/build/make.log"));
	/* A newer version is another matter, and 0.10 is newer than 0.9. */
	root_file(DKMS "/0.9.0/source/dkms.conf", "");
	root_file(DKMS "/0.10.0/source/dkms.conf", "");
	EXPECT(look() == MODULE_UNBUILT);
	gone(DKMS "/0.9.0");
	gone(DKMS "/0.10.0");
}

static void built(void)
{
	root_file(DKMS "/0.1.0/" K "/x86_64/module/gdr_telemetry.ko.xz", "");
	root_file(DKMS "/0.1.0/" K "/x86_64/log/make.log", "");
	root_link(DKMS "/kernel-" K "-x86_64", "0.1.0/" K "/x86_64");
	EXPECT(look() == MODULE_UNBUILT);
	EXPECT(has(r.why, "built it") && has(r.fix, "dkms install --force gdr-telemetry/0.1.0 -k " K));
	EXPECT_STR(r.log, "/" DKMS "/0.1.0/" K "/x86_64/log/make.log");
	gone("var");
}

static void conf(const char *text)
{
	root_file(DKMS "/0.1.0/source/dkms.conf", text);
}

static void excluded(void)
{
	conf("  BUILD_EXCLUSIVE_KERNEL_MIN=\"6.13\" # no older ones\n");
	EXPECT(look() == MODULE_EXCLUDED && has(r.why, "older than 6.13, its BUILD_EXCLUSIVE"));
	conf("BUILD_EXCLUSIVE_KERNEL_MIN=6.12\nBUILD_EXCLUSIVE_KERNEL_MAX='6.9'\n");
	EXPECT(look() == MODULE_EXCLUDED && has(r.why, "newer than 6.9"));
	conf("BUILD_EXCLUSIVE_KERNEL_MIN=6.2\nBUILD_EXCLUSIVE_KERNEL=\"^5[.]\"\n");
	EXPECT(look() == MODULE_EXCLUDED && has(r.why, "BUILD_EXCLUSIVE_KERNEL ^5[.]"));
	/* What is no pattern says nothing; the last line counts. */
	conf("BUILD_EXCLUSIVE_KERNEL=\"^5[.]\"\nBUILD_EXCLUSIVE_KERNEL=\"(\"\n");
	EXPECT(look() == MODULE_UNBUILT);
	conf("BUILD_EXCLUSIVE_CONFIG=\"CONFIG_PCI !CONFIG_OLD CONFIG_KPROBES\"\n");
	EXPECT(look() == MODULE_UNBUILT);
	root_file("boot/config-" K, "CONFIG_PCI=y\n# CONFIG_KPROBES is not set\nCONFIG_KPROBES_X=y\n");
	EXPECT(look() == MODULE_EXCLUDED && has(r.why, "without CONFIG_KPROBES"));
	/* DKMS reads that of the headers. */
	root_file(LIB "/build/.config", "CONFIG_PCI=y\nCONFIG_OLD=m\nCONFIG_KPROBES=y\n");
	EXPECT(look() == MODULE_EXCLUDED && has(r.why, "with CONFIG_OLD"));
	root_file(LIB "/build/.config", "CONFIG_PCI=m\nCONFIG_KPROBES=y\n");
	EXPECT(look() == MODULE_UNBUILT);
	gone("var");
}

static void unloaded(void)
{
	install();
	EXPECT(look() == MODULE_UNLOADED && !*r.why);
	EXPECT_STR(r.fix, "load it: modprobe gdr_telemetry");
	EXPECT_STR(r.file, "/" KO);
	root_file("sys/module/module/parameters/sig_enforce", "N\n");
	root_file("sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
	root_file("proc/sys/kernel/modules_disabled", "0\n");
	root_file("proc/cmdline", "root=/dev/sda module_blacklist=nvidia,gdr_telemetry_x,gdr-telemetry\n");
	root_file("etc/modprobe.d/a.conf", "blacklist nvidia\n#blacklist gdr_telemetry\n"
		  "options gdr_telemetry track=all\nblacklist gdr_telemetry2\nblacklist\ninstall");
	root_file("etc/modprobe.d/a.conf.bak", "blacklist gdr_telemetry\n");
	EXPECT(look() == MODULE_UNLOADED && !*r.why);
}

static void refused(void)
{
	root_file("sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	EXPECT(look() == MODULE_REFUSED);
	EXPECT(has(r.why, "lockdown") && has(r.why, "not signed") && has(r.fix, "mokutil"));
	/* Of one that is signed it is not known whether the kernel takes it. */
	root_file(KO, SIGNED);
	EXPECT(look() == MODULE_UNLOADED && has(r.why, "not known"));
	root_file(LIB "/modules.dep", "updates/dkms/gdr_telemetry.ko.xz:\n");
	EXPECT(look() == MODULE_UNLOADED && has(r.why, "cannot be seen") && has(r.fix, "modinfo"));
	root_file("sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
	EXPECT(look() == MODULE_UNLOADED && !*r.why);
	install();
	root_file("sys/module/module/parameters/sig_enforce", "Y\n");
	EXPECT(look() == MODULE_REFUSED && has(r.why, "sig_enforce"));
	/* Shorter than a signature, and nothing at all. */
	root_file(KO, "ELF");
	EXPECT(look() == MODULE_UNLOADED && has(r.why, "cannot be seen"));
	gone(KO);
	EXPECT(look() == MODULE_UNLOADED && has(r.why, "cannot be seen"));
	root_file("sys/module/module/parameters/sig_enforce", "N\n");
	root_file("proc/sys/kernel/modules_disabled", "1\n");
	EXPECT(look() == MODULE_REFUSED && has(r.why, "modules_disabled"));
	gone("proc/sys");
	install();
}

static void blacklisted(void)
{
	root_file("usr/lib/modprobe.d/z.conf", "# no\n\nblacklist \\\n gdr-telemetry\n");
	EXPECT(look() == MODULE_BLACKLISTED);
	EXPECT(has(r.why, "/usr/lib/modprobe.d/z.conf, line 4: blacklist") && has(r.fix, "modprobe"));
	/* A file of that name in /etc takes its place, also an empty one. */
	root_file("etc/modprobe.d/z.conf", "");
	EXPECT(look() == MODULE_UNLOADED);
	root_file("etc/modprobe.d/z.conf", "blacklist gdr_telemetry");
	EXPECT(look() == MODULE_BLACKLISTED && has(r.why, "/etc/modprobe.d/z.conf, line 1"));
	/* An install line is stronger than a blacklist, wherever it is. */
	root_file("run/modprobe.d/b.conf", "\tinstall\tgdr_telemetry  /bin/\x1b[2Jfalse\n");
	EXPECT(look() == MODULE_BLACKLISTED);
	EXPECT(has(r.why, "/run/modprobe.d/b.conf, line 1") && has(r.why, "\"/bin/\\x1b[2Jfalse\""));
	gone("run");
	gone("etc");
	gone("usr");
	root_file("proc/cmdline", "quiet modprobe.blacklist=nvidia,gdr-telemetry\n");
	EXPECT(look() == MODULE_BLACKLISTED && has(r.why, "modprobe.blacklist"));
	root_file("proc/cmdline", "module-blacklist=a,gdr_telemetry \"modprobe.blacklist=gdr_telemetry\"\n");
	EXPECT(look() == MODULE_BLACKLISTED && has(r.why, "module_blacklist"));
	/* The last one counts. */
	root_file("proc/cmdline", "module_blacklist=gdr_telemetry module_blacklist=b\n");
	EXPECT(look() == MODULE_UNLOADED);
	/* Signatures cannot be told, but this can. */
	root_file("proc/cmdline", "module_blacklist=gdr_telemetry");
	root_file("sys/module/module/parameters/sig_enforce", "Y\n");
	root_file(KO, SIGNED);
	EXPECT(look() == MODULE_BLACKLISTED && has(r.why, "module_blacklist"));
}

static const char *printed(bool json)
{
	static char buf[2048];
	const struct gdrctl g = { .opt = { .json = json, .oneline = !json } };
	FILE *f = fmemopen(buf, sizeof(buf), "w");

	EXPECT(f && module_print(&g, &r, f) == EXIT_ABSENT);
	fclose(f);
	return buf;
}

static void for_programs(void)
{
	json_object *o, *v;

	look();
	EXPECT(has(printed(false), "absent blacklisted release " K " reason \""));
	o = json_tokener_parse(printed(true));
	EXPECT(json_object_object_get_ex(o, "absent", &v));
	EXPECT_STR(json_object_get_string(v), "blacklisted");
	EXPECT(json_object_object_get_ex(o, "reason", &v));
	EXPECT_STR(json_object_get_string(v), r.why);
	EXPECT(json_object_object_get_ex(o, "fix", &v));
	EXPECT(json_object_object_get_ex(o, "file", &v));
	EXPECT(!json_object_object_get_ex(o, "log", &v));
	json_object_put(o);
	EXPECT(module_message(&r) == EXIT_ABSENT);
}

static void loaded(void)
{
	root_dir("sys/module/gdr_telemetry");
	EXPECT(look() == MODULE_LOADED && names_module(MODULE_NAME));
	EXPECT(module_message(&r) == EXIT_SYSTEM);
	EXPECT(root_remove());
}

static const struct test tests[] = {
	TEST(unknown), TEST(unbuilt), TEST(failed), TEST(built), TEST(excluded), TEST(unloaded),
	TEST(refused), TEST(blacklisted), TEST(for_programs), TEST(loaded),
};

int main(void)
{
	if (!root_make())
		return 1;
	return ktap_run(tests, sizeof(tests) / sizeof(tests[0]));
}
