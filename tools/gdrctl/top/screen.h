/* SPDX-License-Identifier: GPL-2.0 */
/* The terminal of the live view. The only file that knows ncurses is screen.c. */
#ifndef GDRCTL_TOP_SCREEN_H
#define GDRCTL_TOP_SCREEN_H

#include "top/top.h"

/** enum wish - what a user wants */
enum wish {
	WISH_NOTHING,
	WISH_END,
	WISH_LOOK,
	WISH_DRAW,
	WISH_SLOWER,
	WISH_FASTER,
};

/** screen_begin - take the terminal. Return: EXIT_OK; EXIT_USAGE or EXIT_SYSTEM, said */
enum exit_code screen_begin(void);

/** screen_end - give the terminal back, if it was taken */
void screen_end(void);

/**
 * screen_draw - show a frame
 * @t: what is wanted, for the line of keys
 * @f: the frame
 * @delay_ms: for the same
 */
void screen_draw(const struct top *t, const struct frame *f, int delay_ms);

/**
 * screen_wait - wait for a key, or for the time for another look
 * @t: what is wanted; keys change it
 * @ms: how long at most
 *
 * Return: what is to be done; WISH_LOOK when the time is over, WISH_END also when the terminal is gone,
 * WISH_NOTHING if a signal came
 */
enum wish screen_wait(struct top *t, int ms);

#endif
