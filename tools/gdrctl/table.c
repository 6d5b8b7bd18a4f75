// SPDX-License-Identifier: GPL-2.0
/* A table of text whose columns are as wide as what is in them. */
#include <stdlib.h>
#include <string.h>

#include "table.h"

/**
 * struct table - cells by row and column
 * @title: of the columns
 * @right: columns aligned to the right
 * @width: of the columns, in characters
 * @columns: how many there are
 * @column: the next to be filled in the row
 * @cell: the cells, TABLE_COLUMNS a row
 * @rows: how many rows
 * @room: for how many
 * @lost: memory ran out
 */
struct table {
	const char *title[TABLE_COLUMNS];
	bool right[TABLE_COLUMNS];
	int width[TABLE_COLUMNS];
	int columns;
	int column;
	char *(*cell)[TABLE_COLUMNS];
	size_t rows;
	size_t room;
	bool lost;
};

struct table *table_new(void)
{
	return calloc(1, sizeof(struct table));
}

void table_row(struct table *t)
{
	if (t->rows == t->room) {
		size_t room = t->room ? 2 * t->room : 16;
		char *(*cell)[TABLE_COLUMNS] = realloc(t->cell, room * sizeof(*cell));

		if (!cell) {
			t->lost = true;
			t->column = TABLE_COLUMNS;
			return;
		}
		t->cell = cell;
		t->room = room;
	}
	memset(t->cell[t->rows++], 0, sizeof(*t->cell));
	t->column = 0;
}

/* Characters, not bytes: continuation bytes of UTF-8 take no room. */
static int width(const char *s)
{
	int n = 0;

	for (; *s; s++)
		n += (*s & 0xc0) != 0x80;
	return n;
}

bool table_cell(struct table *t, const char *title, const char *text, bool right)
{
	int c = t->column;

	if (c >= TABLE_COLUMNS || !t->rows)
		return false;
	t->cell[t->rows - 1][c] = strdup(text);
	if (!t->cell[t->rows - 1][c])
		return false;
	t->column++;
	if (c >= t->columns) {
		t->columns = c + 1;
		t->title[c] = title;
		t->right[c] = right;
		t->width[c] = width(title);
	}
	if (width(text) > t->width[c])
		t->width[c] = width(text);
	return true;
}

static void print_row(const struct table *t, const char *const *cell, int gap, FILE *to)
{
	for (int c = 0; c < t->columns; c++) {
		const char *text = cell[c] ? cell[c] : "";
		int pad = t->width[c] - width(text);

		fprintf(to, "%*s", c ? gap : 0, "");
		if (t->right[c])
			fprintf(to, "%*s%s", pad, "", text);
		else
			/* No blanks at the end of a line. */
			fprintf(to, "%s%*s", text, c == t->columns - 1 ? 0 : pad, "");
	}
	fputc('\n', to);
}

bool table_print(const struct table *t, FILE *to)
{
	int total = 2 * (t->columns - 1);

	for (int c = 0; c < t->columns; c++)
		total += t->width[c];
	if (t->rows)
		print_row(t, t->title, total > TABLE_WIDTH ? 1 : 2, to);
	for (size_t r = 0; r < t->rows; r++)
		print_row(t, (const char *const *)t->cell[r], total > TABLE_WIDTH ? 1 : 2, to);
	return !t->lost;
}

void table_free(struct table *t)
{
	if (!t)
		return;
	for (size_t r = 0; r < t->rows; r++)
		for (int c = 0; c < TABLE_COLUMNS; c++)
			free(t->cell[r][c]);
	free(t->cell);
	free(t);
}
