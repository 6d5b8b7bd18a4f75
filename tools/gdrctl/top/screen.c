// SPDX-License-Identifier: GPL-2.0
/* The terminal of the live view. */
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include <curses.h>

#include "format.h"
#include "top/screen.h"

#define ESCAPE 27

static SCREEN *screen;
/* Lines that have scrolled away, and those there is room for. */
static size_t scrolled, room;
/* The text that is being typed after "/". */
static bool typing;

enum exit_code screen_begin(void)
{
	const char *type = getenv("TERM");
	char shown[64];

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		message("top needs a terminal; to print to a file or a pipe: --batch N");
		return EXIT_USAGE;
	}
	/* Names may be in any script; numbers stay as they are. */
	setlocale(LC_CTYPE, "");
	screen = newterm(NULL, stdout, stdin);
	if (!screen) {
		message("terminal type \"%s\" is not known: set TERM, or use --batch N",
			format_escape(type ? type : "", shown, sizeof(shown)));
		return EXIT_SYSTEM;
	}
	set_term(screen);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(50);
	curs_set(0);
	return EXIT_OK;
}

void screen_end(void)
{
	if (!screen)
		return;
	endwin();
	delscreen(screen);
	screen = NULL;
}

/* How many bytes of @s fit into @columns. */
static int fits(const char *s, int columns)
{
	mbstate_t state = { 0 };
	const char *at = s;

	while (*at && columns > 0) {
		wchar_t c;
		size_t n = mbrtowc(&c, at, strlen(at), &state);
		int width = n == (size_t)-1 || n == (size_t)-2 ? 1 : wcwidth(c);

		if (n == (size_t)-1 || n == (size_t)-2) {
			memset(&state, 0, sizeof(state));
			n = 1;
		}
		if (width > columns)
			break;
		columns -= width > 0 ? width : 0;
		at += n;
	}
	return (int)(at - s);
}

static void draw_line(int y, const char *s, int look)
{
	attrset(look);
	mvaddnstr(y, 0, s, fits(s, COLS));
	attrset(A_NORMAL);
	clrtoeol();
}

static void draw_keys(const struct top *t, int delay_ms)
{
	char line[256];

	if (typing)
		snprintf(line, sizeof(line), "/%s_   (Enter: keep lines with it, Esc: all)", t->text);
	else
		snprintf(line, sizeof(line), "q end  o p a %s  s %s  r %s  / %s  +- %.1f s",
			 top_views[t->view], top_sorts[t->sort], t->reverse ? "reverse" : "order",
			 *t->text ? t->text : "filter", delay_ms / 1000.0);
	draw_line(LINES - 1, line, A_REVERSE);
}

void screen_draw(const struct top *t, const struct frame *f, int delay_ms)
{
	size_t rows = LINES > 1 ? (size_t)LINES - 1 : 0;
	size_t fixed = f->fixed < f->n ? f->fixed : f->n, y = 0, left = f->n - fixed;

	room = rows > fixed ? rows - fixed : 0;
	if (scrolled + room > left)
		scrolled = left > room ? left - room : 0;
	erase();
	for (; y < fixed && y < rows; y++)
		draw_line((int)y, f->line[y], y + 1 == fixed && left ? A_REVERSE :
			  y ? A_NORMAL : A_BOLD);
	for (size_t i = fixed + scrolled; i < f->n && y < rows; i++, y++)
		draw_line((int)y, f->line[i], A_NORMAL);
	draw_keys(t, delay_ms);
	refresh();
}

static enum wish type(struct top *t, int c)
{
	size_t len = strlen(t->text);

	if (c == '\r' || c == '\n' || c == KEY_ENTER) {
		typing = false;
	} else if (c == ESCAPE) {
		typing = false;
		t->text[0] = 0;
	} else if (c == KEY_BACKSPACE || c == 127 || c == '\b') {
		/* A character of several bytes goes as a whole. */
		while (len && (t->text[--len] & 0xc0) == 0x80)
			;
		t->text[len] = 0;
	} else if (c >= ' ' && c < 256 && len + 1 < sizeof(t->text)) {
		t->text[len] = (char)c;
		t->text[len + 1] = 0;
	}
	return WISH_DRAW;
}

static enum wish scroll_by(long lines)
{
	if (lines < 0 && (size_t)-lines > scrolled)
		scrolled = 0;
	else
		scrolled += (size_t)lines;
	return WISH_DRAW;
}

static enum wish show(struct top *t, enum top_view view)
{
	t->view = view;
	scrolled = 0;
	return WISH_DRAW;
}

static enum wish press(struct top *t, int c)
{
	switch (c) {
	case 'q':
		return WISH_END;
	case 'o':
		return show(t, TOP_OWNERS);
	case 'p':
		return show(t, TOP_PAIRS);
	case 'a':
		return show(t, TOP_ATTACHMENTS);
	case '\t':
		return show(t, (t->view + 1) % TOP_VIEWS);
	case 's':
		t->sort = (t->sort + 1) % TOP_SORTS;
		return WISH_DRAW;
	case 'r':
		t->reverse = !t->reverse;
		return WISH_DRAW;
	case '/':
		typing = true;
		return WISH_DRAW;
	case '+':
		return WISH_SLOWER;
	case '-':
		return WISH_FASTER;
	case ' ':
		return WISH_LOOK;
	case KEY_UP:
		return scroll_by(-1);
	case KEY_DOWN:
		return scroll_by(1);
	case KEY_PPAGE:
		return scroll_by(-(long)room);
	case KEY_NPAGE:
		return scroll_by((long)room);
	case KEY_HOME:
		return scroll_by(-(long)scrolled);
	default:
		return WISH_DRAW;
	}
}

enum wish screen_wait(struct top *t, int ms)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
	int c = getch(), n = 1, waiting = 0;

	if (c == ERR) {
		n = poll(&p, 1, ms);
		/* Also what ncurses makes of SIGWINCH. */
		c = getch();
	}
	if (c != ERR)
		return typing && c != KEY_RESIZE ? type(t, c) : press(t, c);
	if (n > 0 && (p.revents & POLLIN) && !ioctl(STDIN_FILENO, FIONREAD, &waiting) && waiting)
		n = -1;
	if (n < 0)
		return WISH_NOTHING;
	/* A terminal that has something to say and says nothing is gone. */
	return n ? WISH_END : WISH_LOOK;
}
