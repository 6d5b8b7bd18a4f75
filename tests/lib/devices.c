// SPDX-License-Identifier: GPL-2.0
/* The module's directories of devices and pairs, against what is live. */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "devices.h"
#include "readings.h"

#define ANY		LIVE_DEVICES	/* whatever device is on that side */
#define DIR_TRIES	100		/* a directory may follow within a second */
#define DIR_WAIT_US	10000

/* What one directory should say. */
struct expected {
	uint64_t attachments;
	uint64_t buffers;
	uint64_t mapped_bytes;
	uint64_t pinned_bytes;
	bool foreign;	/* what is mapped and pinned is not known */
};

static struct expected expect(const struct live *l, unsigned int exporter, unsigned int importer)
{
	struct expected e = {};
	unsigned int i, d;

	for (i = 0; i < l->n_buffers; i++) {
		const struct live_buffer *b = &l->buffer[i];
		uint32_t attachments = 0, mapped = 0, pinned = 0;

		if (exporter != ANY && b->exporter != exporter)
			continue;
		for (d = 0; d < l->n_importers; d++) {
			if (importer != ANY && d != importer)
				continue;
			attachments += b->share[d].attachments;
			mapped += b->share[d].mapped;
			pinned += b->share[d].pinned;
		}
		if (!attachments)
			continue;
		e.attachments += attachments;
		e.buffers++;
		e.mapped_bytes += mapped ? b->size : 0;
		e.pinned_bytes += pinned ? b->size : 0;
		e.foreign |= !b->is_double;
	}
	return e;
}

static int differs(const char *dir, const char *file, uint64_t other, FILE *out)
{
	char name[256 + 64];
	uint64_t value;
	int i;

	snprintf(name, sizeof(name), "%s/%s", dir, file);
	/* A directory is seen before all of its files are. */
	for (i = 0; !reading_total(name, &value); i++) {
		if (i == DIR_TRIES) {
			fprintf(out, "%s: cannot be read\n", name);
			return 1;
		}
		usleep(DIR_WAIT_US);
	}
	if (value == other)
		return 0;
	fprintf(out, "%s is %" PRIu64 ", the ledgers and bufinfo say %" PRIu64 "\n", name, value,
		other);
	return 1;
}

static int compare_dir(const char *dir, const struct expected *e, FILE *out)
{
	int bad = 0;

	bad += differs(dir, "attachments", e->attachments, out);
	bad += differs(dir, "buffers", e->buffers, out);
	if (e->foreign)
		return bad;
	bad += differs(dir, "mapped_bytes", e->mapped_bytes, out);
	bad += differs(dir, "pinned_bytes", e->pinned_bytes, out);
	bad += differs(dir, "pinned_pages", e->pinned_bytes / sysconf(_SC_PAGESIZE), out);
	return bad;
}

static bool is_there(const char *dir)
{
	char path[256 + 64];
	struct stat st;
	int i;

	snprintf(path, sizeof(path), GDRT_SYSFS "/%s", dir);
	for (i = 0; stat(path, &st); i++) {
		if (i == DIR_TRIES)
			return false;
		usleep(DIR_WAIT_US);
	}
	return true;
}

static unsigned int find(const char names[][LIVE_NAME], unsigned int n, const char *name)
{
	unsigned int i;

	for (i = 0; i < n && strcmp(names[i], name); i++)
		;
	return i;
}

/* Each directory below "importers", "exporters" or "pairs". */
static int compare_all(const struct live *l, const char *top, FILE *out)
{
	char path[256], dir[256], *sep;
	struct expected e;
	struct dirent *d;
	int bad = 0;
	DIR *all;

	snprintf(path, sizeof(path), GDRT_SYSFS "/%s", top);
	all = opendir(path);
	if (!all) {
		fprintf(out, "%s: cannot be read\n", path);
		return 1;
	}
	while ((d = readdir(all))) {
		unsigned int importer = ANY, exporter = ANY;
		bool known = true;

		if (d->d_name[0] == '.')
			continue;
		snprintf(dir, sizeof(dir), "%s/%.200s", top, d->d_name);
		sep = strchr(d->d_name, '_');
		if (top[0] == 'p' && sep) {
			*sep = 0;
			exporter = find(l->exporter, l->n_exporters, d->d_name);
			importer = find(l->importer, l->n_importers, sep + 1);
			known = exporter < l->n_exporters && importer < l->n_importers;
		} else if (top[0] == 'i') {
			importer = find(l->importer, l->n_importers, d->d_name);
			known = importer < l->n_importers;
		} else {
			exporter = find(l->exporter, l->n_exporters, d->d_name);
			known = exporter < l->n_exporters;
		}
		memset(&e, 0, sizeof(e));
		if (known)
			e = expect(l, exporter, importer);
		bad += compare_dir(dir, &e, out);
	}
	closedir(all);
	return bad;
}

static int missing(const char *dir, FILE *out)
{
	if (is_there(dir))
		return 0;
	fprintf(out, "%s: no such directory\n", dir);
	return 1;
}

/* What is live has a directory. */
static int find_missing(const struct live *l, FILE *out)
{
	char dir[256];
	unsigned int i, d;
	int bad = 0;

	for (d = 0; d < l->n_importers; d++) {
		snprintf(dir, sizeof(dir), "importers/%s", l->importer[d]);
		bad += missing(dir, out);
	}
	for (i = 0; i < l->n_buffers; i++) {
		const struct live_buffer *b = &l->buffer[i];

		snprintf(dir, sizeof(dir), "exporters/%s", l->exporter[b->exporter]);
		bad += missing(dir, out);
		for (d = 0; b->is_device && d < l->n_importers; d++) {
			if (!b->share[d].attachments)
				continue;
			snprintf(dir, sizeof(dir), "pairs/%s_%s", l->exporter[b->exporter],
				 l->importer[d]);
			bad += missing(dir, out);
		}
	}
	return bad;
}

/* Each GPU and HCA of the machine has one from the load on: none may come later. */
static int find_present(FILE *out)
{
	char path[512], dir[256], class[16], vendor[16];
	const char *side;
	struct stat st;
	struct dirent *d;
	int bad = 0;
	DIR *all = opendir("/sys/bus/pci/devices");

	while (all && (d = readdir(all))) {
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%.200s/vendor", d->d_name);
		if (!live_word(path, vendor, sizeof(vendor)))
			continue;
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%.200s/class", d->d_name);
		if (!live_word(path, class, sizeof(class)))
			continue;
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%.200s/driver", d->d_name);
		if (!strcmp(vendor, "0x10de") && !strncmp(class, "0x03", 4))
			side = "exporters";
		else if (!strcmp(vendor, "0x15b3") && !strncmp(class, "0x02", 4) && !stat(path, &st))
			side = "importers";
		else
			continue;
		snprintf(dir, sizeof(dir), "%s/%.200s", side, d->d_name);
		snprintf(path, sizeof(path), GDRT_SYSFS "/%s", dir);
		if (!stat(path, &st))
			continue;
		fprintf(out, "%s: no such directory, and the device is there\n", dir);
		bad++;
	}
	if (all)
		closedir(all);
	return bad;
}

int compare_devices(const struct live *l, FILE *out)
{
	return find_present(out) + find_missing(l, out) + compare_all(l, "importers", out) +
	       compare_all(l, "exporters", out) + compare_all(l, "pairs", out);
}
