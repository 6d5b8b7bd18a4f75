// SPDX-License-Identifier: GPL-2.0
/* The stress test: devices are unbound and bound, pulled out and put back. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live.h"
#include "readings.h"
#include "stress.h"

#define PCI		"/sys/bus/pci"
#define DEVICES		8
#define WAIT_TRIES	6000
#define WAIT_US		10000

enum kind { HCA, GPU, FUNCTION, KINDS };

/* What each kind is known by, and which of its signs say that all of it is back. */
static const struct {
	const char *vendor, *class, *driver, *dir;
} kinds[KINDS] = {
	[HCA] = { "0x15b3", "0x02", "mlx5_core", "importers" },
	[GPU] = { "0x10de", "0x03", "nvidia", "exporters" },
	[FUNCTION] = { "0x1b36", "0x00ff", "gdrt_importer", NULL },
};

static char bdf[KINDS][DEVICES][32];
static unsigned int n_devices[KINDS];

static bool has(const char *device, const char *file, const char *start)
{
	char path[512], word[32];

	snprintf(path, sizeof(path), PCI "/devices/%.200s/%s", device, file);
	return live_word(path, word, sizeof(word)) && !strncmp(word, start, strlen(start));
}

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void find_devices(void)
{
	struct dirent *d;
	DIR *all = opendir(PCI "/devices");
	unsigned int k;

	while (all && (d = readdir(all)))
		for (k = 0; k < KINDS; k++)
			if (d->d_name[0] != '.' && has(d->d_name, "vendor", kinds[k].vendor) &&
			    has(d->d_name, "class", kinds[k].class) && n_devices[k] < DEVICES)
				snprintf(bdf[k][n_devices[k]++], sizeof(bdf[k][0]), "%.31s",
					 d->d_name);
	if (all)
		closedir(all);
	for (k = 0; k < KINDS; k++)
		qsort(bdf[k], n_devices[k], sizeof(bdf[k][0]), by_name);
}

static bool tell(const char *path, const char *word)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok;

	if (fd < 0)
		return false;
	ok = write(fd, word, strlen(word)) > 0;
	close(fd);
	return ok;
}

static bool wait_for(const char *path)
{
	struct stat st;
	int i;

	for (i = 0; stat(path, &st); i++) {
		if (i == WAIT_TRIES)
			return false;
		usleep(WAIT_US);
	}
	return true;
}

/* An HCA is back with its RDMA device. */
static void wait_back(enum kind k, const char *device)
{
	static const char * const sign[KINDS] = {
		[HCA] = "/infiniband", [GPU] = "/driver", [FUNCTION] = "/driver",
	};
	char path[512];

	snprintf(path, sizeof(path), PCI "/devices/%s%s", device, sign[k]);
	if (!wait_for(path))
		fprintf(stderr, "%s does not come back: no %s\n", device, path);
	/* The module's directory may follow later, as long as the module is there. */
	snprintf(path, sizeof(path), GDRT_SYSFS "/%s/%s", kinds[k].dir, device);
	if (kinds[k].dir && !stress->plan.reload && !wait_for(path))
		fprintf(stderr, "%s does not come back: no %s\n", device, path);
}

static void rebind(enum kind k, const char *device, uint32_t us)
{
	char path[256];

	snprintf(path, sizeof(path), PCI "/drivers/%s/unbind", kinds[k].driver);
	tell(path, device);
	usleep(us);
	snprintf(path, sizeof(path), PCI "/drivers/%s/bind", kinds[k].driver);
	tell(path, device);
}

static void replug(const char *device, uint32_t us)
{
	char path[256];

	snprintf(path, sizeof(path), PCI "/devices/%s/remove", device);
	tell(path, "1");
	usleep(us);
	tell(PCI "/rescan", "1");
}

static void devices_round(unsigned int slot, struct rng *rng)
{
	static const enum kind often[] = { HCA, GPU, GPU, FUNCTION, FUNCTION };
	uint32_t which, n = 1 + rng_below(rng, 3), i, us;
	const char *device;
	bool pull;
	char what[64];
	enum kind k;

	if (!n_devices[HCA])
		find_devices();
	for (i = 0; i < n; i++) {
		/* An HCA takes its time. */
		k = often[rng_below(rng, 5)];
		which = rng_next(rng);
		us = rng_below(rng, 50000);
		pull = rng_below(rng, 2);
		if (!stress->plan.devices || !n_devices[k])
			continue;
		device = bdf[k][which % n_devices[k]];
		snprintf(what, sizeof(what), "%s %s", pull ? "replug" : "rebind", device);
		stress_doing(slot, what);
		if (pull)
			replug(device, us);
		else
			rebind(k, device, us);
		wait_back(k, device);
		stress_add(STRESS_UNBOUND, 1);
	}
}

const struct stress_role stress_devices = { "devices", devices_round, NULL };
