/* SPDX-License-Identifier: GPL-2.0 */
/* Values as text: names that users control, sizes, times. */
#ifndef GDRCTL_FORMAT_H
#define GDRCTL_FORMAT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** FORMAT_MAX - room that a size, a duration or a date needs, terminator included */
#define FORMAT_MAX 32

/**
 * format_escape - make a name from a user safe to print
 * @s: the name, any bytes
 * @buf: where to
 * @size: size of @buf; what does not fit is left out, never half an escape
 *
 * Backslash and double quote get a backslash; control characters, DEL, C1 controls and bytes that
 * are not UTF-8 become \xNN; characters that change the direction of text become \uNNNN.
 *
 * Return: @buf
 */
const char *format_escape(const char *s, char *buf, size_t size);

/**
 * format_json_string - a JSON string with its quotes, in memory of its own
 * @s: the string, any bytes
 *
 * As format_escape(), in JSON's own escapes. A byte that is not UTF-8 becomes U+FFFD, since JSON
 * has no bytes.
 *
 * Return: the string, to be freed; NULL without memory
 */
char *format_json_string(const char *s);

/**
 * format_label - the value of a label for Prometheus, without its quotes
 * @s: the value, any bytes
 * @buf: where to
 * @size: size of @buf; what does not fit is left out, never half a character
 *
 * Backslash, double quote and newline get a backslash; what format_escape() would escape
 * otherwise becomes U+FFFD, since labels have no other escapes.
 *
 * Return: @buf
 */
const char *format_label(const char *s, char *buf, size_t size);

/** format_size - @bytes for people ("2.0 MiB"); at most 8 characters. Return: @buf */
const char *format_size(uint64_t bytes, char buf[FORMAT_MAX]);

/** format_duration - @seconds for people ("3h12m"); two units, cut. Return: @buf */
const char *format_duration(uint64_t seconds, char buf[FORMAT_MAX]);

/** format_ns - @ns for people ("1.2 ms"), cut; at most 8 characters. Return: @buf */
const char *format_ns(uint64_t ns, char buf[FORMAT_MAX]);

/**
 * format_prose - write text, broken into lines of 80 characters
 * @to: where to
 * @text: words with single blanks between
 * @column: where the first one goes
 * @margin: where those of further lines do
 */
void format_prose(FILE *to, const char *text, int column, int margin);

/** format_date - seconds since the epoch as "2026-01-31 23:59:59 UTC". Return: @buf */
const char *format_date(int64_t seconds, char buf[FORMAT_MAX]);

#endif
