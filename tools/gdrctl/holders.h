/* SPDX-License-Identifier: GPL-2.0 */
/* What keeps devices and modules from being removed: attachments, modules, open files. */
#ifndef GDRCTL_HOLDERS_H
#define GDRCTL_HOLDERS_H

#include "model.h"
#include "record.h"

/**
 * enum holder_attr - the attributes of a record
 * @H_HELD: "gpu", "hca", "importer" (one that is no HCA) or "module"
 * @H_NAME: its BDF or name
 * @H_DRIVER: of a device: the module that it is bound to
 * @H_IBDEVS: of an HCA: its RDMA devices
 * @H_HOLDER: "process", "module", "buffers", or "references": all a module has
 * @H_PID: the process
 * @H_COMM: its command name
 * @H_EXITED: 1: it has exited, and what it made is still there
 * @H_MODULE: the module
 * @H_REFERENCES: the module's reference count
 * @H_ATTACHMENTS: attachments of the process
 * @H_MRS: MRs on top of them
 * @H_PINNED: bytes of the buffers they pin, each once
 * @H_BUFFERS: buffers that the module exported and that are attached to
 * @H_FILES: files of its that the process has open, each descriptor once
 * @H_PATHS: their names, each once, in order
 * @H_HOW: all that for people
 */
enum holder_attr {
	H_HELD = 1,
	H_NAME,
	H_DRIVER,
	H_IBDEVS,
	H_HOLDER,
	H_PID,
	H_COMM,
	H_EXITED,
	H_MODULE,
	H_REFERENCES,
	H_ATTACHMENTS,
	H_MRS,
	H_PINNED,
	H_BUFFERS,
	H_FILES,
	H_PATHS,
	H_HOW,
};

/**
 * holders_make - find out who holds what
 * @attachments: all there are; their order changes
 * @buffers: all there are, as list_read() makes them
 * @module: look at this module, too; NULL: none
 * @list: a record for each is appended here: GPUs, HCAs, modules
 *
 * Reads /sys/module and /proc.
 *
 * Return: 0 or -ENOMEM
 */
int holders_make(struct attachments *attachments, const struct records *buffers,
		 const char *module, struct records *list);

/** holders_is_mlx5 - whether @driver, NULL if not known, is that of an HCA */
bool holders_is_mlx5(const char *driver);

/**
 * holders_modules - which of the modules are loaded that are always looked at
 * @r: a record
 * @attr: the list that they are added to, of kind VALUE_NAMES
 *
 * Return: 0 or -ENOMEM
 */
int holders_modules(struct record *r, int attr);

#endif
