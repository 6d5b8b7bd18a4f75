// SPDX-License-Identifier: GPL-2.0
/* Names of devices: BDFs and RDMA devices, from sysfs. */
#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "names.h"

#define KNOWN 64

static const char *names_root = "";

/* Whose RDMA devices were asked for; the first that were are kept. */
static struct known {
	char device[BDF_SIZE];
	char ibdevs[IBDEVS_SIZE];
} known[KNOWN];
static size_t n_known;

void names_set_root(const char *root)
{
	names_root = root;
	n_known = 0;
}

void names_forget(void)
{
	n_known = 0;
}

const char *names_in_root(const char *path, char *buf, size_t size)
{
	snprintf(buf, size, "%s%s", names_root, path);
	return buf;
}

/* Return: false if it is longer than a path can be. */
static bool make_path(char path[PATH_MAX], const char *fmt, va_list ap)
{
	size_t used = (size_t)snprintf(path, PATH_MAX, "%s", names_root);
	int n = used < PATH_MAX ? vsnprintf(path + used, PATH_MAX - used, fmt, ap) : -1;

	return n >= 0 && (size_t)n < PATH_MAX - used;
}

FILE *names_open(const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list ap;
	bool whole;

	va_start(ap, fmt);
	whole = make_path(path, fmt, ap);
	va_end(ap);
	return whole ? fopen(path, "re") : NULL;
}

bool names_exists(const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list ap;
	bool whole;

	va_start(ap, fmt);
	whole = make_path(path, fmt, ap);
	va_end(ap);
	return whole && !access(path, F_OK);
}

bool names_module(const char *module)
{
	return names_exists("/sys/module/%s", module);
}

bool names_line(char *buf, size_t size, const char *fmt, ...)
{
	char path[PATH_MAX], line[256];
	bool found, whole;
	va_list ap;
	FILE *f;

	va_start(ap, fmt);
	whole = make_path(path, fmt, ap);
	va_end(ap);
	f = whole ? fopen(path, "re") : NULL;
	if (!f)
		return false;
	found = fgets(line, sizeof(line), f);
	fclose(f);
	if (!found)
		return false;
	line[strcspn(line, "\n")] = 0;
	snprintf(buf, size, "%s", line);
	return true;
}

bool names_link(char *buf, size_t size, const char *fmt, ...)
{
	char path[PATH_MAX], target[PATH_MAX];
	const char *base;
	va_list ap;
	bool whole;
	ssize_t n;

	va_start(ap, fmt);
	whole = make_path(path, fmt, ap);
	va_end(ap);
	n = whole ? readlink(path, target, sizeof(target) - 1) : -1;
	if (n <= 0)
		return false;
	target[n] = 0;
	base = strrchr(target, '/');
	base = base ? base + 1 : target;
	if (strlen(base) >= size)
		return false;
	strcpy(buf, base);
	return true;
}

/* Reads @min to @max hex digits and moves past them. */
static bool hex(const char **s, int min, int max, unsigned int *v)
{
	int n = 0;

	for (*v = 0; n < max && isxdigit((unsigned char)**s); n++, (*s)++)
		*v = *v * 16 + (unsigned int)(isdigit((unsigned char)**s) ?
					      **s - '0' : tolower((unsigned char)**s) - 'a' + 10);
	return n >= min;
}

static bool skip(const char **s, char c)
{
	if (**s != c)
		return false;
	(*s)++;
	return true;
}

bool names_bdf(const char *s, char bdf[BDF_SIZE])
{
	unsigned int domain = 0, bus, dev, fn;
	const char *colon = strchr(s, ':');

	/* NVIDIA's tools write the domain with eight digits. */
	if (colon && strchr(colon + 1, ':') && !(hex(&s, 1, 8, &domain) && skip(&s, ':')))
		return false;
	if (!hex(&s, 1, 2, &bus) || !skip(&s, ':') || !hex(&s, 1, 2, &dev) || !skip(&s, '.') ||
	    !hex(&s, 1, 1, &fn) || *s || dev > 0x1f || fn > 7)
		return false;
	snprintf(bdf, BDF_SIZE, "%04x:%02x:%02x.%x", domain, bus, dev, fn);
	return true;
}

bool names_ibdev_to_device(const char *ibdev, char device[BDF_SIZE])
{
	return *ibdev && *ibdev != '.' && !strchr(ibdev, '/') &&
	       names_link(device, BDF_SIZE, "/sys/class/infiniband/%s/device", ibdev);
}

int names_not_hidden(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static void read_ibdevs(const char *device, char buf[IBDEVS_SIZE])
{
	struct dirent **entry;
	char path[PATH_MAX];
	size_t used = 0;
	int n;

	buf[0] = 0;
	if (device && strchr(device, '/'))
		return;
	if (device)
		snprintf(path, sizeof(path), "%s/sys/bus/pci/devices/%s/infiniband", names_root,
			 device);
	else
		snprintf(path, sizeof(path), "%s/sys/class/infiniband", names_root);
	n = scandir(path, &entry, names_not_hidden, versionsort);
	for (int i = 0; i < n; i++) {
		size_t len = strlen(entry[i]->d_name);

		if (used + !!used + len < IBDEVS_SIZE) {
			if (used)
				buf[used++] = ',';
			memcpy(buf + used, entry[i]->d_name, len + 1);
			used += len;
		}
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
}

const char *names_ibdevs(const char *device, char buf[IBDEVS_SIZE])
{
	for (size_t i = 0; device && i < n_known; i++)
		if (!strcmp(known[i].device, device))
			return strcpy(buf, known[i].ibdevs);
	read_ibdevs(device, buf);
	if (device && strlen(device) < BDF_SIZE && n_known < KNOWN) {
		strcpy(known[n_known].device, device);
		strcpy(known[n_known++].ibdevs, buf);
	}
	return buf;
}
