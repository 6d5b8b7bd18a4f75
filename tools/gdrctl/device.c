// SPDX-License-Identifier: GPL-2.0
/* What records of several kinds have. */
#include <errno.h>

#include "device.h"
#include "names.h"

static int add_gpu(struct record *r, int exporter)
{
	const char *bdf = record_text(r, exporter);
	const struct gpu *gpu = bdf ? gpus_find(bdf) : NULL;

	if (!gpu)
		return 0;
	record_set_number(r, DEVICE_GPU_INDEX, gpu->index);
	if ((*gpu->uuid && record_set_text(r, DEVICE_GPU_UUID, gpu->uuid)) ||
	    (*gpu->model && record_set_text(r, DEVICE_GPU_MODEL, gpu->model)))
		return -ENOMEM;
	return 0;
}

static int add_ibdevs(struct record *r, int importer, int ibdevs)
{
	const char *device = record_text(r, importer);
	char names[IBDEVS_SIZE];

	return device && *names_ibdevs(device, names) ? record_set_text(r, ibdevs, names) : 0;
}

static enum exit_code no_memory(void)
{
	message("no memory");
	return EXIT_SYSTEM;
}

enum exit_code devices_add_gpus(const struct gdrctl *g, struct records *list, int exporter)
{
	for (size_t i = 0; !g->opt.numeric && i < list->n; i++)
		if (add_gpu(&list->item[i], exporter))
			return no_memory();
	return EXIT_OK;
}

enum exit_code devices_add_ibdevs(const struct gdrctl *g, struct records *list, int importer,
				  int ibdevs)
{
	for (size_t i = 0; !g->opt.numeric && i < list->n; i++)
		if (add_ibdevs(&list->item[i], importer, ibdevs))
			return no_memory();
	return EXIT_OK;
}
