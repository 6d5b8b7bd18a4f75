// SPDX-License-Identifier: GPL-2.0
/* What gdrctl looks up by itself: GPUs, cgroups, names of buffers. */
#include <stdint.h>

#include "bufnames.h"
#include "cgroup.h"
#include "gpus.h"
#include "ktap.h"
#include "root.h"

#define C64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void gpus_of_pci(void)
{
	char bdf[BDF_SIZE], list[GPUS_LIST_SIZE];

	gpus_forget();
	EXPECT(!gpus_bdf("0", bdf) && !gpus_at(0));
	EXPECT_STR(gpus_list(list), "");
	root_file("sys/bus/pci/devices/0000:c1:00.0/vendor", "0x10de\n");
	root_file("sys/bus/pci/devices/0000:c1:00.0/class", "0x030200\n");
	root_file("sys/bus/pci/devices/0000:41:00.0/vendor", "0x10de\n");
	root_file("sys/bus/pci/devices/0000:41:00.0/class", "0x030000\n");
	/* Its audio function, a switch of NVIDIA's, an HCA. */
	root_file("sys/bus/pci/devices/0000:41:00.1/vendor", "0x10de\n");
	root_file("sys/bus/pci/devices/0000:41:00.1/class", "0x040300\n");
	root_file("sys/bus/pci/devices/0000:07:00.0/vendor", "0x10de\n");
	root_file("sys/bus/pci/devices/0000:07:00.0/class", "0x068000\n");
	root_file("sys/bus/pci/devices/0000:81:00.0/vendor", "0x15b3\n");
	root_file("sys/bus/pci/devices/0000:81:00.0/class", "0x020700\n");
	gpus_forget();
	EXPECT(gpus_bdf("1", bdf));
	EXPECT_STR(bdf, "0000:c1:00.0");
	EXPECT(!gpus_bdf("2", bdf) && !gpus_bdf("", bdf) && !gpus_bdf("1x", bdf));
	EXPECT_STR(gpus_list(list), "0 (0000:41:00.0), 1 (0000:c1:00.0)");
}

static void gpus_of_driver(void)
{
	char bdf[BDF_SIZE];
	const struct gpu *gpu;

	root_file("proc/driver/nvidia/gpus/10000:01:00.0/information",
		  "Model: \t\t NVIDIA H100 80GB HBM3\nIRQ:   \t\t 120\n"
		  "GPU UUID: \t GPU-01234567-89ab-cdef-0123-456789abcdef\n"
		  "Video BIOS: \t 96.00\nGPU Excluded:\t No\n");
	root_file("proc/driver/nvidia/gpus/0000:c1:00.0/information",
		  "Model: \t\t NVIDIA A100\n"
		  "GPU UUID: \t GPU-????????" "-????" "-????" "-????" "-????????????\n");
	root_file("proc/driver/nvidia/gpus/0000:02:00.0/information",
		  "GPU UUID: \t GPU-01239999-0000-0000-0000-000000000000\n");
	gpus_forget();
	gpu = gpus_find("0000:c1:00.0");
	EXPECT(gpu && gpu->index == 1 && !*gpu->uuid);
	EXPECT_STR(gpu ? gpu->model : "", "NVIDIA A100");
	/* A GPU that another driver has is not counted; a domain of five digits comes last. */
	EXPECT(!gpus_find("0000:41:00.0"));
	EXPECT(gpus_bdf("2", bdf));
	EXPECT_STR(bdf, "10000:01:00.0");
	EXPECT(gpus_bdf("GPU-01234", bdf));
	EXPECT_STR(bdf, "10000:01:00.0");
	EXPECT(gpus_bdf("GPU-01239999-0000-0000-0000-000000000000", bdf));
	EXPECT_STR(bdf, "0000:02:00.0");
	/* The beginning of two of them. */
	EXPECT(!gpus_bdf("GPU-0123", bdf) && !gpus_bdf("GPU-", bdf) && !gpus_bdf("GPU-9", bdf));
}

static void owner_is(const char *path, const char *container, const char *pod, const char *job)
{
	struct cgroup_owner o;

	cgroup_owner(path, &o);
	EXPECT_STR(o.container, container);
	EXPECT_STR(o.pod, pod);
	EXPECT_STR(o.job, job);
}

#define UID_DASHES "6c7b1f3e-0a1b-4c2d-8e9f-001122334455"
#define UID_SYSTEMD "6c7b1f3e_0a1b_4c2d_8e9f_001122334455"

static void cgroup_owners(void)
{
	owner_is("/", "", "", "");
	owner_is("/system.slice/sshd.service", "", "", "");
	owner_is("/system.slice/docker-" C64 ".scope", C64, "", "");
	owner_is("/docker/" C64, C64, "", "");
	owner_is("/machine.slice/libpod-" C64 ".scope/container", C64, "", "");
	owner_is("/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_SYSTEMD
		 ".slice/cri-containerd-" C64 ".scope", C64, UID_DASHES, "");
	owner_is("/kubepods.slice/kubepods-pod" UID_SYSTEMD ".slice/crio-" C64 ".scope", C64,
		 UID_DASHES, "");
	owner_is("/kubepods/besteffort/pod" UID_DASHES "/" C64, C64, UID_DASHES, "");
	owner_is("/kubepods-besteffort-pod" UID_SYSTEMD ".slice:cri-containerd:" C64, C64,
		 UID_DASHES, "");
	/* A static pod's UID is a hash. */
	owner_is("/kubepods/pod0123456789abcdef0123456789abcdef", "",
		 "0123456789abcdef0123456789abcdef", "");
	owner_is("/lxc.payload.web-1/system.slice", "web-1", "", "");
	owner_is("/system.slice/slurmstepd.scope/job_1234/step_0/user/task_0", "", "", "1234");
	/* What only looks like it. */
	owner_is("/job_1234", "", "", "");
	owner_is("/slurm/job_12x4", "", "", "");
	owner_is("/slurm/job_", "", "", "");
	owner_is("/x" C64, "", "", "");
	owner_is("/" C64 "0", "", "", "");
	owner_is("/podcast", "", "", "");
	owner_is("/tripod" UID_DASHES, "", "", "");
	owner_is("/lxc.payload.", "", "", "");
}

static void cgroup_filters(void)
{
	EXPECT(cgroup_is_filter("/") && cgroup_is_filter("/a b") && cgroup_is_filter("77"));
	EXPECT(cgroup_is_filter(C64) && cgroup_is_filter("0123456789ab"));
	EXPECT(cgroup_is_filter(UID_DASHES));
	EXPECT(!cgroup_is_filter("") && !cgroup_is_filter("abc") && !cgroup_is_filter("a/b"));
	EXPECT(!cgroup_is_filter("0123456789xy") && !cgroup_is_filter(C64 "0"));
}

static void cgroup_paths(void)
{
	uint64_t top = root_dir("sys/fs/cgroup"), slice = root_dir("sys/fs/cgroup/a.slice");
	uint64_t pod = root_dir("sys/fs/cgroup/a.slice/pod" UID_DASHES "/" C64);
	uint64_t other = root_dir("sys/fs/cgroup/a.slicex");

	EXPECT(top && slice && pod && other);
	cgroup_forget();
	EXPECT_STR(cgroup_path(top), "/");
	EXPECT_STR(cgroup_path(slice), "/a.slice");
	EXPECT(!cgroup_path(UINT64_MAX));
	EXPECT(cgroup_matches("/a.slice", pod) && cgroup_matches("/a.slice/", pod));
	EXPECT(cgroup_matches("/", other) && cgroup_matches("/a.slice", slice));
	EXPECT(!cgroup_matches("/a.slice", other) && !cgroup_matches("/a.slice/pod", pod));
	EXPECT(cgroup_matches("0123456789abcd", pod) && cgroup_matches(UID_DASHES, pod));
	EXPECT(!cgroup_matches("0123456789abcd", slice) && !cgroup_matches("/", UINT64_MAX));
	/* An id needs no file system. */
	EXPECT(cgroup_matches("77", 77) && !cgroup_matches("77", 78));
	/* Beside those of version 1. */
	slice = root_dir("sys/fs/cgroup/unified/b.slice");
	cgroup_forget();
	EXPECT_STR(cgroup_path(slice), "/b.slice");
	root_file("sys/fs/cgroup/cgroup.controllers", "cpu\n");
	cgroup_forget();
	EXPECT_STR(cgroup_path(slice), "/unified/b.slice");
	cgroup_forget();
}

static void buffer_names(void)
{
	struct bufname b[] = { { .inode = 9 }, { .inode = 77 }, { .inode = 78 }, { .inode = 79 },
			       { .inode = 1234567890123 }, };

	root_file("sys/kernel/debug/dma_buf/bufinfo",
		  "\nDma-buf Objects:\n"
		  "size    \tflags   \tmode    \tcount   \texp_name\tino     \tname\n"
		  "00004096\t00000002\t00080007\t00000001\tnv_dmabuf\t00000077\tweights of 7\n"
		  "\tAttached Devices:\n\t0000:81:00.0\nTotal 1 devices attached\n\n"
		  "1073741824\t00000002\t0008000f\t00000001\tsystem\t1234567890123\t<none>\n"
		  /* A name with a newline that wants to be the line of another buffer. */
		  "00004096\t00000002\t00080007\t00000001\tudmabuf\t00000078\tx\n"
		  "1\t0\t0\t1\ta\t79\tlie\n"
		  "00004096\t00000002\t00080007\t00000001\tudmabuf\t00000080\tof no one asked\n"
		  "00004096\t0000000z\t00080007\t00000001\tudmabuf\t00000009\tbad\n");
	bufnames_read(b, 5);
	EXPECT(!b[0].known && !b[3].known);
	EXPECT(b[1].known);
	EXPECT_STR(b[1].name, "weights of 7");
	EXPECT_STR(b[2].name, "x");
	EXPECT(b[4].known);
	EXPECT_STR(b[4].name, "");
	bufnames_read(NULL, 0);
}

static const struct test tests[] = {
	TEST(gpus_of_pci), TEST(gpus_of_driver), TEST(cgroup_owners), TEST(cgroup_filters),
	TEST(cgroup_paths), TEST(buffer_names),
};

int main(void)
{
	return root_run(tests, sizeof(tests) / sizeof(tests[0]));
}
