// SPDX-License-Identifier: GPL-2.0
/* What importers, exporters and pairs share. */
#include <errno.h>

#include "device.h"

int device_add_gpu(struct record *r, int exporter)
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
