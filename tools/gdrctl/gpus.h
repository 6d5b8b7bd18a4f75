/* SPDX-License-Identifier: GPL-2.0 */
/* NVIDIA GPUs: index, UUID and model, from the driver's proc files; without these from PCI. */
#ifndef GDRCTL_GPUS_H
#define GDRCTL_GPUS_H

#include <stdbool.h>
#include <stddef.h>

#include "names.h"

#define GPU_UUID_SIZE 48
#define GPU_MODEL_SIZE 64
#define GPU_VERSION_SIZE 32
#define GPUS_LIST_SIZE 256

/**
 * struct gpu - one GPU
 * @bdf: as the kernel writes it
 * @index: its number in the order of the BDFs, as nvidia-smi counts
 * @uuid: "GPU-…"; "" if the driver does not tell, as before it has initialised the GPU
 * @model: "" if the driver does not tell
 * @firmware: version of the firmware that runs on it; "" likewise
 * @vbios: version of its video BIOS; "" likewise
 */
struct gpu {
	char bdf[BDF_SIZE];
	unsigned int index;
	char uuid[GPU_UUID_SIZE];
	char model[GPU_MODEL_SIZE];
	char firmware[GPU_VERSION_SIZE];
	char vbios[GPU_VERSION_SIZE];
};

/** gpus_find - the GPU with this BDF. Return: NULL if there is none */
const struct gpu *gpus_find(const char *bdf);

/** gpus_at - the GPU with this index. Return: NULL if there is none */
const struct gpu *gpus_at(size_t index);

/**
 * gpus_bdf - find a GPU as people name it
 * @s: its index, or its UUID or the beginning of one that no other has
 * @bdf: its BDF
 *
 * Return: whether there is one
 */
bool gpus_bdf(const char *s, char bdf[BDF_SIZE]);

/** gpus_list - what there is, for messages: "0 (0000:41:00.0), …". Return: @buf */
const char *gpus_list(char buf[GPUS_LIST_SIZE]);

/** gpus_forget - for tests: look again at the next call */
void gpus_forget(void);

#endif
