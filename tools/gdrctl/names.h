/* SPDX-License-Identifier: GPL-2.0 */
/* Names of devices: BDFs and RDMA devices, from sysfs. */
#ifndef GDRCTL_NAMES_H
#define GDRCTL_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define BDF_SIZE 24
#define IBDEVS_SIZE 128

/** names_set_root - for tests: the directory that stands for / */
void names_set_root(const char *root);

/** names_forget - look again at the next call */
void names_forget(void);

/** names_in_root - the path @path, as "/sys", below that directory. Return: @buf */
const char *names_in_root(const char *path, char *buf, size_t size);

/**
 * names_open - open a file to read it
 * @fmt: printf format of its path, as "/sys/…"
 *
 * Return: a stream, or NULL
 */
FILE *names_open(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** names_exists - whether there is something of that path, a printf format as "/sys/…" */
bool names_exists(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** names_module - whether a module is loaded, or built into the kernel and known to sysfs */
bool names_module(const char *module);

/**
 * names_line - read the first line of a file
 * @buf: where to, without the newline; left as it is if there is none
 * @size: size of @buf
 * @fmt: printf format of its path, as "/sys/…"
 *
 * Return: whether there is one
 */
bool names_line(char *buf, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * names_link - read the last component of what a symbolic link leads to
 * @buf: where to; left as it is if there is none, or it does not fit
 * @size: size of @buf
 * @fmt: printf format of its path, as "/sys/…"
 *
 * Return: whether there is one
 */
bool names_link(char *buf, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

struct dirent;

/** names_not_hidden - whether an entry of a directory has no dot before its name; for scandir() */
int names_not_hidden(const struct dirent *d);

/**
 * names_bdf - read a PCI address as people write it
 * @s: "81:00.0", "0000:81:00.0", either case
 * @bdf: the address as the kernel writes it: "0000:81:00.0"
 *
 * Return: whether it is one
 */
bool names_bdf(const char *s, char bdf[BDF_SIZE]);

/**
 * names_ibdev_to_device - the device under an RDMA device
 * @ibdev: "mlx5_0"
 * @device: its BDF, or its name if it is no PCI function
 *
 * Return: whether there is such an RDMA device
 */
bool names_ibdev_to_device(const char *ibdev, char device[BDF_SIZE]);

/**
 * names_ibdevs - the RDMA devices there are
 * @device: only those of this PCI function; NULL: all
 * @buf: their names, sorted, with commas between; "" if there are none
 *
 * What was found of a function is remembered until names_set_root(): there may be as many
 * questions as attachments.
 *
 * Return: @buf
 */
const char *names_ibdevs(const char *device, char buf[IBDEVS_SIZE]);

#endif
