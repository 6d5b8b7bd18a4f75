/* SPDX-License-Identifier: GPL-2.0 */
/* What files tell of the machine: kernel, modules, GPUs, HCAs. For reports. */
#ifndef GDRCTL_MACHINE_H
#define GDRCTL_MACHINE_H

#include "list.h"

/** enum machine_part - the parts */
enum machine_part {
	MACHINE_SYSTEM,
	MACHINE_MODULE,
	MACHINE_MODULES,
	MACHINE_GPUS,
	MACHINE_HCAS,
	MACHINE_PARTS,
};

/** machine_types - their kinds; of the first two there is one record */
extern const struct list_type *const machine_types[MACHINE_PARTS];

/** struct machine - what was found */
struct machine {
	struct records part[MACHINE_PARTS];
};

/**
 * machine_read - look
 * @anonymous: leave out names of the machine and serial numbers
 * @m: empty; to be given to machine_free() whatever is returned
 *
 * Return: 0 or -ENOMEM
 */
int machine_read(bool anonymous, struct machine *m);

/** machine_free - free what @m holds */
void machine_free(struct machine *m);

#endif
