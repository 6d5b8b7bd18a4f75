/* SPDX-License-Identifier: GPL-2.0 */
/* A table of text whose columns are as wide as what is in them. */
#ifndef GDRCTL_TABLE_H
#define GDRCTL_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#define TABLE_COLUMNS 16
#define TABLE_WIDTH 100

struct table;

/** table_new - an empty table. Return: NULL without memory */
struct table *table_new(void);

/** table_row - begin a row */
void table_row(struct table *t);

/**
 * table_cell - the next cell of the row
 * @t: table
 * @title: of the column; the same in each row, not copied
 * @text: the cell, copied
 * @right: aligned to the right
 *
 * Return: false without memory or beyond TABLE_COLUMNS
 */
bool table_cell(struct table *t, const char *title, const char *text, bool right);

/**
 * table_print - write titles and rows; nothing if there is no row
 *
 * Two spaces stand between the columns if that fits TABLE_WIDTH, else one.
 *
 * Return: false if a row was lost to lack of memory
 */
bool table_print(const struct table *t, FILE *to);

/** table_free - free @t, which may be NULL */
void table_free(struct table *t);

#endif
