// SPDX-License-Identifier: GPL-2.0
/* What keeps devices and modules from being removed. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gdrctl.h"
#include "holders.h"
#include "names.h"
#include "owners.h"
#include "procfd.h"

#define HAS(a, attr) model_has((a)->present, GDR_TELEMETRY_A_ATTACHMENT_##attr)

/* What stands in the way of "openibd restart" and of a new NVIDIA driver, from top to bottom. */
static const char *const modules[] = {
	"nvidia_peermem", "nvidia_fs", "gdrdrv", "nvidia_drm", "nvidia_modeset", "nvidia_uvm",
	"nvidia", "rdma_ucm", "ib_umad", "mlx5_ib", "mlx5_core", "ib_uverbs", "ib_core",
	"gdr_telemetry", NULL,
};

/** struct device_file - files below /dev whose openers hold modules */
static const struct device_file {
	const char *prefix;
	const char *module;
} device_files[] = {
	/* The first that fits counts. */
	{ "/dev/nvidia-uvm", "nvidia_uvm" },
	{ "/dev/nvidia-modeset", "nvidia_modeset" },
	{ "/dev/nvidia-fs", "nvidia_fs" },
	{ "/dev/nvidia-caps", "nvidia" },
	{ "/dev/nvidia", "nvidia" },
	{ "/dev/gdrdrv", "gdrdrv" },
	/* Not mlx5_ib, which lets its devices go under an open context. */
	{ "/dev/infiniband/uverbs", "ib_uverbs" },
	{ "/dev/infiniband/umad", "ib_umad" },
	{ "/dev/infiniband/issm", "ib_umad" },
	{ "/dev/infiniband/rdma_cm", "rdma_ucm" },
};

bool holders_is_mlx5(const char *driver)
{
	/* A data-direct function is one of the latter. */
	return driver && (!strcmp(driver, "mlx5_core") || !strcmp(driver, "mlx5_ib"));
}

static int begin(struct record *r, const char *held, const char *name, const char *holder)
{
	memset(r, 0, sizeof(*r));
	return record_set_text(r, H_HELD, held) || record_set_text(r, H_NAME, name) ||
	       record_set_text(r, H_HOLDER, holder) ? -ENOMEM : 0;
}

static int end(struct records *list, struct record *r, int err)
{
	if (!err)
		return records_add(list, r);
	record_free(r);
	return err;
}

/* ---- open files ---- */

/**
 * struct files - the files that processes have open
 * @list: "process" records, those of a process one after the other
 * @err: memory ran out
 */
struct files {
	struct records list;
	int err;
};

/* Adds a name to those of the files, which are in order: uverbs2 before uverbs10. */
static int add_path(struct record *r, const char *path)
{
	const char *have = record_text(r, H_PATHS);
	char *copy = have ? strdup(have) : NULL, *save, *at;
	bool added = false;
	int err = have && !copy ? -ENOMEM : 0;

	record_unset(r, H_PATHS);
	for (at = copy ? strtok_r(copy, ",", &save) : NULL; !err && at;
	     at = strtok_r(NULL, ",", &save)) {
		if (!added && strverscmp(path, at) < 0) {
			err = record_add_name(r, H_PATHS, path);
			added = true;
		}
		err = err ? err : record_add_name(r, H_PATHS, at);
	}
	free(copy);
	return err ? err : record_add_name(r, H_PATHS, path);
}

static void count_file(struct files *files, const char *held, const char *name,
		       const struct procfd *fd)
{
	struct record *r, made;
	char comm[16];
	int err;

	for (size_t i = files->list.n; i; i--) {
		r = &files->list.item[i - 1];
		if (record_number(r, H_PID) != fd->pid)
			break;
		if (!strcmp(record_text(r, H_HELD), held) &&
		    !strcmp(record_text(r, H_NAME), name)) {
			record_set_number(r, H_FILES, record_number(r, H_FILES) + 1);
			files->err |= add_path(r, fd->target);
			return;
		}
	}
	procfd_comm(fd->pid, comm);
	err = begin(&made, held, name, "process");
	record_set_number(&made, H_PID, fd->pid);
	record_set_number(&made, H_FILES, 1);
	err = err ? err : add_path(&made, fd->target);
	if (!err && *comm)
		err = record_set_text(&made, H_COMM, comm);
	files->err |= end(&files->list, &made, err);
}

/* The HCA of /dev/infiniband/uverbsN. */
static bool uverbs_device(const char *target, char device[BDF_SIZE])
{
	const char *name = strrchr(target, '/') + 1;
	char base[BDF_SIZE];

	return !strncmp(name, "uverbs", 6) &&
	       names_link(base, sizeof(base), "/sys/class/infiniband_verbs/%s/device", name) &&
	       names_bdf(base, device);
}

static bool take_file(void *arg, const struct procfd *fd)
{
	char device[BDF_SIZE];

	for (size_t i = 0; i < ARRAY_SIZE(device_files); i++) {
		const struct device_file *f = &device_files[i];

		if (strncmp(fd->target, f->prefix, strlen(f->prefix)) != 0)
			continue;
		count_file(arg, "module", f->module, fd);
		if (uverbs_device(fd->target, device))
			count_file(arg, "hca", device, fd);
		break;
	}
	return true;
}

/* The record of the same process on the same device. */
static struct record *find_same(struct records *list, const struct record *of)
{
	for (size_t i = list->n; i; i--) {
		struct record *r = &list->item[i - 1];

		if (strcmp(record_text(r, H_NAME), record_text(of, H_NAME)) != 0 ||
		    strcmp(record_text(r, H_HELD), record_text(of, H_HELD)) != 0)
			return NULL;
		if (record_has(r, H_PID) && record_number(r, H_PID) == record_number(of, H_PID))
			return r;
	}
	return NULL;
}

static int merge(struct record *to, const struct record *from)
{
	record_set_number(to, H_FILES, record_number(from, H_FILES));
	return record_set_text(to, H_PATHS, record_text(from, H_PATHS));
}

/* Moves those that are of @name to the list. */
static int add_files(struct files *files, const char *held, const char *name,
		     struct records *list)
{
	int err = 0;

	for (size_t i = 0; !err && i < files->list.n; i++) {
		struct record *r = &files->list.item[i], *same;

		if (!record_has(r, H_HELD) || strcmp(record_text(r, H_HELD), held) != 0 ||
		    strcmp(record_text(r, H_NAME), name) != 0)
			continue;
		same = find_same(list, r);
		if (same) {
			err = merge(same, r);
			continue;
		}
		err = records_add(list, r);
		memset(r, 0, sizeof(*r));
	}
	return err;
}

/* ---- attachments ---- */

static const char *name_of(const struct attachment *a, bool exporter)
{
	if (exporter)
		return HAS(a, EXPORTER) ? a->exporter : NULL;
	return HAS(a, IMPORTER) ? a->importer : NULL;
}

static void copy_number(struct record *to, int to_attr, const struct record *from, int attr)
{
	if (record_has(from, attr))
		record_set_number(to, to_attr, record_number(from, attr));
}

static int add_owner(const struct record *owner, const char *held, const char *name,
		     struct records *list)
{
	struct record r;
	int err = begin(&r, held, name, "process");

	copy_number(&r, H_PID, owner, O_PID);
	copy_number(&r, H_ATTACHMENTS, owner, O_ATTACHMENTS);
	copy_number(&r, H_MRS, owner, O_MRS);
	copy_number(&r, H_PINNED, owner, O_PINNED);
	copy_number(&r, H_EXITED, owner, O_GONE);
	if (!err && record_has(owner, O_COMM))
		err = record_set_text(&r, H_COMM, record_text(owner, O_COMM));
	return end(list, &r, err);
}

/* Who holds the one device by attachments. */
static int add_owners(const struct attachments *all, bool exporter, const char *held,
		      const char *name, struct records *list)
{
	struct attachments some = { .n = 0 };
	struct records owners = { .n = 0 };
	int err = 0;

	for (size_t i = 0; !err && i < all->n; i++) {
		const char *at = name_of(&all->item[i], exporter);

		if (at && !strcmp(at, name))
			err = attachments_add(&some, &all->item[i]);
	}
	if (!err)
		err = owners_make(OWNER_PROCESS, false, &some, &owners);
	for (size_t i = 0; !err && i < owners.n; i++)
		err = add_owner(&owners.item[i], held, name, list);
	records_free(&owners);
	attachments_free(&some);
	return err;
}

static int by_string(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/**
 * struct device - one device, or what is in its place
 * @held: what it is called: see H_HELD
 * @driver: the module that it is bound to; "": not known
 * @ibdevs: its RDMA devices, with commas between
 */
struct device {
	const char *held;
	char driver[MODEL_STR];
	char ibdevs[IBDEVS_SIZE];
};

/* What sysfs knows no more, the attachments may. */
static void read_driver(const struct attachments *all, bool exporter, const char *name,
			char driver[MODEL_STR])
{
	driver[0] = 0;
	if (names_link(driver, MODEL_STR, "/sys/bus/pci/devices/%s/driver/module", name))
		return;
	for (size_t i = 0; !*driver && i < all->n; i++) {
		const struct attachment *a = &all->item[i];
		const char *at = name_of(a, exporter);

		if (!at || strcmp(at, name) != 0)
			continue;
		if (exporter && HAS(a, EXPORTER_MODULE))
			strcpy(driver, a->exporter_module);
		else if (!exporter && HAS(a, IMPORTER_DRIVER))
			strcpy(driver, a->importer_driver);
	}
}

static void read_device(const struct attachments *all, bool exporter, const char *name,
			struct device *d)
{
	char bdf[BDF_SIZE];
	bool pci = names_bdf(name, bdf);

	read_driver(all, exporter, name, d->driver);
	d->ibdevs[0] = 0;
	if (exporter) {
		d->held = pci ? "gpu" : "module";
		return;
	}
	if (pci)
		names_ibdevs(name, d->ibdevs);
	d->held = pci && (*d->ibdevs || holders_is_mlx5(d->driver)) ? "hca" : "importer";
}

static int set_device(struct record *r, const struct device *d)
{
	return (*d->driver && record_set_text(r, H_DRIVER, d->driver)) ||
	       (*d->ibdevs && record_set_text(r, H_IBDEVS, d->ibdevs)) ? -ENOMEM : 0;
}

/* Every device on one side of the attachments, and every HCA that a file of is open. */
static int add_devices(const struct attachments *all, bool exporter, struct files *files,
		       struct records *list)
{
	const char **name = calloc(all->n + files->list.n + 1, sizeof(*name)), *last = NULL;
	size_t n = 0, first;
	int err = name ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < all->n; i++)
		if (name_of(&all->item[i], exporter))
			name[n++] = name_of(&all->item[i], exporter);
	for (size_t i = 0; !err && !exporter && i < files->list.n; i++)
		if (!strcmp(record_text(&files->list.item[i], H_HELD), "hca"))
			name[n++] = record_text(&files->list.item[i], H_NAME);
	if (n)
		qsort(name, n, sizeof(*name), by_string);
	for (size_t i = 0; !err && i < n; i++) {
		struct device d;

		if (last && !strcmp(last, name[i]))
			continue;
		last = name[i];
		first = list->n;
		read_device(all, exporter, last, &d);
		err = add_owners(all, exporter, d.held, last, list);
		/* A name may be that of a record which moves now: its text moves along. */
		if (!err && !exporter)
			err = add_files(files, "hca", last, list);
		for (; !err && first < list->n; first++)
			err = set_device(&list->item[first], &d);
	}
	free(name);
	return err;
}

/* ---- modules ---- */

static long read_refcnt(const char *module)
{
	char line[32];

	return names_line(line, sizeof(line), "/sys/module/%s/refcnt", module) ?
	       strtol(line, NULL, 10) : -1;
}

static int add_number(const char *module, const char *holder, int attr, uint64_t n,
		      struct records *list)
{
	struct record r;
	int err = begin(&r, "module", module, holder);

	record_set_number(&r, attr, n);
	return end(list, &r, err);
}

/* Modules that use it. */
static int add_modules(const char *module, struct records *list)
{
	char path[PATH_MAX], dir[128];
	struct dirent **entry;
	int n, err = 0;

	snprintf(dir, sizeof(dir), "/sys/module/%s/holders", module);
	n = scandir(names_in_root(dir, path, sizeof(path)), &entry, names_not_hidden, alphasort);
	for (int i = 0; i < n; i++) {
		struct record r;

		if (!err) {
			err = begin(&r, "module", module, "module");
			err = err ? err : record_set_text(&r, H_MODULE, entry[i]->d_name);
			err = end(list, &r, err);
		}
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
	return err;
}

static int add_module(const char *module, const struct records *buffers, struct files *files,
		      struct records *list)
{
	long refs = read_refcnt(module);
	uint64_t n = 0;
	int err = 0;

	if (refs <= 0)
		return 0;
	err = add_number(module, "references", H_REFERENCES, (uint64_t)refs, list);
	for (size_t i = 0; i < buffers->n; i++) {
		const char *exporter = record_text(&buffers->item[i],
						   GDR_TELEMETRY_A_BUFFER_EXPORTER_MODULE);

		n += exporter && !strcmp(exporter, module);
	}
	if (!err && n)
		err = add_number(module, "buffers", H_BUFFERS, n, list);
	if (!err)
		err = add_modules(module, list);
	return err ? err : add_files(files, "module", module, list);
}

int holders_make(struct attachments *attachments, const struct records *buffers,
		 const char *module, struct records *list)
{
	struct files files = { .err = 0 };
	bool known = !module;
	int err;

	procfd_each("/dev/", take_file, &files);
	err = files.err;
	if (!err)
		err = add_devices(attachments, true, &files, list);
	if (!err)
		err = add_devices(attachments, false, &files, list);
	for (size_t i = 0; !err && modules[i]; i++) {
		known |= module && !strcmp(module, modules[i]);
		err = add_module(modules[i], buffers, &files, list);
	}
	if (!err && !known)
		err = add_module(module, buffers, &files, list);
	records_free(&files.list);
	return err;
}

int holders_modules(struct record *r, int attr)
{
	int err = 0;

	for (size_t i = 0; !err && modules[i]; i++)
		if (names_module(modules[i]))
			err = record_add_name(r, attr, modules[i]);
	return err;
}
