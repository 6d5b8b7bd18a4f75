// SPDX-License-Identifier: GPL-2.0
/* NVIDIA GPUs: index, UUID and model. */
#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpus.h"

#define GPUS_MAX 64
#define PROC_GPUS "/proc/driver/nvidia/gpus"
#define PCI_DEVICES "/sys/bus/pci/devices"
#define NVIDIA 0x10de
#define CLASS_DISPLAY 0x03

static struct gpu gpus[GPUS_MAX];
static size_t n_gpus;
static bool have_gpus;

/* The rest of the line "KEY:  VALUE", without blanks at its ends; false if it is another line. */
static bool value_of(char *line, const char *key, char *buf, size_t size)
{
	size_t len = strlen(key);
	char *v = line + len, *end;

	if (strncmp(line, key, len) != 0 || *v != ':')
		return false;
	v += 1 + strspn(v + 1, " \t");
	end = v + strlen(v);
	while (end > v && isspace((unsigned char)end[-1]))
		end--;
	*end = 0;
	snprintf(buf, size, "%s", v);
	return true;
}

static void read_information(struct gpu *gpu)
{
	FILE *f = names_open(PROC_GPUS "/%s/information", gpu->bdf);
	char line[256];

	if (!f)
		return;
	while (fgets(line, sizeof(line), f))
		if (!value_of(line, "GPU UUID", gpu->uuid, sizeof(gpu->uuid)) &&
		    !value_of(line, "Model", gpu->model, sizeof(gpu->model)) &&
		    !value_of(line, "GPU Firmware", gpu->firmware, sizeof(gpu->firmware)))
			value_of(line, "Video BIOS", gpu->vbios, sizeof(gpu->vbios));
	fclose(f);
	/* Question marks: the driver has not initialised this GPU. */
	if (strchr(gpu->uuid, '?'))
		gpu->uuid[0] = 0;
	if (strchr(gpu->vbios, '?'))
		gpu->vbios[0] = 0;
}

static unsigned long read_hex(const char *bdf, const char *file)
{
	char line[32];

	return names_line(line, sizeof(line), PCI_DEVICES "/%s/%s", bdf, file) ?
	       strtoul(line, NULL, 16) : 0;
}

static bool is_gpu(const char *bdf)
{
	return read_hex(bdf, "vendor") == NVIDIA &&
	       read_hex(bdf, "class") >> 16 == CLASS_DISPLAY;
}

static int by_bdf(const void *a, const void *b)
{
	const struct gpu *x = a, *y = b;
	unsigned long m = strtoul(x->bdf, NULL, 16), n = strtoul(y->bdf, NULL, 16);

	/* Domains may have four digits or more, the rest has as many in each. */
	return m != n ? (m > n) - (m < n) : strcmp(strchr(x->bdf, ':'), strchr(y->bdf, ':'));
}

static void read_dir(const char *dir, bool all)
{
	char path[PATH_MAX];
	struct dirent *d;
	DIR *at = opendir(names_in_root(dir, path, sizeof(path)));

	while (at && n_gpus < GPUS_MAX && (d = readdir(at))) {
		char bdf[BDF_SIZE];

		if (names_bdf(d->d_name, bdf) && (all || is_gpu(bdf)))
			strcpy(gpus[n_gpus++].bdf, bdf);
	}
	if (at)
		closedir(at);
}

static void look(void)
{
	if (have_gpus)
		return;
	have_gpus = true;
	/* nvidia-smi counts those that the driver has. */
	read_dir(PROC_GPUS, true);
	if (!n_gpus)
		read_dir(PCI_DEVICES, false);
	qsort(gpus, n_gpus, sizeof(*gpus), by_bdf);
	for (size_t i = 0; i < n_gpus; i++) {
		gpus[i].index = (unsigned int)i;
		read_information(&gpus[i]);
	}
}

void gpus_forget(void)
{
	memset(gpus, 0, sizeof(gpus));
	n_gpus = 0;
	have_gpus = false;
}

const struct gpu *gpus_find(const char *bdf)
{
	look();
	for (size_t i = 0; i < n_gpus; i++)
		if (!strcmp(gpus[i].bdf, bdf))
			return &gpus[i];
	return NULL;
}

const struct gpu *gpus_at(size_t index)
{
	look();
	return index < n_gpus ? &gpus[index] : NULL;
}

bool gpus_bdf(const char *s, char bdf[BDF_SIZE])
{
	const struct gpu *found = NULL;
	unsigned long index;
	char *end;

	look();
	if (isdigit((unsigned char)*s)) {
		index = strtoul(s, &end, 10);
		if (!*end)
			found = gpus_at(index);
	} else {
		for (size_t i = 0; i < n_gpus; i++) {
			if (strncmp(gpus[i].uuid, s, strlen(s)) != 0 || !*s)
				continue;
			/* Two of them begin so. */
			if (found)
				return false;
			found = &gpus[i];
		}
	}
	if (found)
		strcpy(bdf, found->bdf);
	return found;
}

const char *gpus_list(char buf[GPUS_LIST_SIZE])
{
	size_t used = 0;

	look();
	buf[0] = 0;
	for (size_t i = 0; i < n_gpus && used < GPUS_LIST_SIZE; i++)
		used += (size_t)snprintf(buf + used, GPUS_LIST_SIZE - used, "%s%u (%s)",
					 i ? ", " : "", gpus[i].index, gpus[i].bdf);
	return buf;
}
