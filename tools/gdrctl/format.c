// SPDX-License-Identifier: GPL-2.0
/* Values as text: names that users control, sizes, times. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "format.h"

#define INVALID 0xffffffffu
#define DEL 0x7fu
#define LINE_WIDTH 80

/*
 * Reads one character of UTF-8 and moves past it. INVALID for a byte that is none: overlong forms,
 * surrogates and what is above U+10FFFF included.
 */
static uint32_t next_char(const unsigned char **p)
{
	static const uint32_t lowest[] = { 0, 0x80, 0x800, 0x10000 };
	const unsigned char *s = *p;
	uint32_t c = *s;
	int more;

	*p = s + 1;
	if (c < 0x80)
		return c;
	if (c >= 0xc2 && c <= 0xdf)
		more = 1;
	else if (c >= 0xe0 && c <= 0xef)
		more = 2;
	else if (c >= 0xf0 && c <= 0xf4)
		more = 3;
	else
		return INVALID;
	c &= 0x3fu >> more;
	for (int i = 1; i <= more; i++) {
		/* The terminator is no continuation byte, so this stops in time. */
		if ((s[i] & 0xc0) != 0x80)
			return INVALID;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < lowest[more] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return INVALID;
	*p = s + 1 + more;
	return c;
}

static bool is_control(uint32_t c)
{
	return c < 0x20 || (c >= DEL && c < 0xa0);
}

static bool is_direction(uint32_t c)
{
	return c == 0x061c || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069);
}

/* One character of the input, [from, to), as text into @e. Return: its length. */
static size_t text_char(uint32_t c, const unsigned char *from, const unsigned char *to, char e[16])
{
	size_t n = 0;

	if (c == '\\' || c == '"')
		return (size_t)sprintf(e, "\\%c", (char)c);
	if (is_direction(c))
		return (size_t)sprintf(e, "\\u%04x", c);
	for (; from < to; from++) {
		if (c == INVALID || is_control(c))
			n += (size_t)sprintf(e + n, "\\x%02x", *from);
		else
			e[n++] = (char)*from;
	}
	e[n] = 0;
	return n;
}

/* The same in the label of a metric, where only a newline has an escape besides. */
static size_t label_char(uint32_t c, const unsigned char *from, const unsigned char *to,
			 char e[16])
{
	if (c == '\n')
		return (size_t)sprintf(e, "\\n");
	if (c == INVALID || is_control(c) || is_direction(c))
		return (size_t)sprintf(e, "\xef\xbf\xbd");
	return text_char(c, from, to, e);
}

/* As many whole characters as there is room for. */
static const char *escape(const char *s, char *buf, size_t size,
			  size_t (*one)(uint32_t c, const unsigned char *from,
					const unsigned char *to, char e[16]))
{
	const unsigned char *p = (const unsigned char *)s;
	size_t used = 0;

	while (*p) {
		const unsigned char *from = p;
		uint32_t c = next_char(&p);
		char e[16];
		size_t n = one(c, from, p, e);

		if (used + n >= size)
			break;
		memcpy(buf + used, e, n);
		used += n;
	}
	buf[used] = 0;
	return buf;
}

const char *format_escape(const char *s, char *buf, size_t size)
{
	return escape(s, buf, size, text_char);
}

const char *format_label(const char *s, char *buf, size_t size)
{
	return escape(s, buf, size, label_char);
}

char *format_json_string(const char *s)
{
	const unsigned char *p = (const unsigned char *)s;
	/* The longest escape of one byte has six characters. */
	char *buf = malloc(6 * strlen(s) + 3), *o = buf;

	if (!buf)
		return NULL;
	*o++ = '"';
	while (*p) {
		const unsigned char *from = p;
		uint32_t c = next_char(&p);

		if (c == '\\' || c == '"') {
			*o++ = '\\';
			*o++ = (char)c;
		} else if (c == INVALID) {
			o += sprintf(o, "\\ufffd");
		} else if (is_control(c) || is_direction(c)) {
			o += sprintf(o, "\\u%04x", c);
		} else {
			memcpy(o, from, (size_t)(p - from));
			o += p - from;
		}
	}
	*o++ = '"';
	*o = 0;
	return buf;
}

const char *format_size(uint64_t bytes, char buf[FORMAT_MAX])
{
	static const char *const unit[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	uint64_t rest = 0;
	size_t i = 0;

	if (bytes < 1024) {
		snprintf(buf, FORMAT_MAX, "%" PRIu64 " B", bytes);
		return buf;
	}
	while (bytes >= 1024) {
		rest = bytes & 1023;
		bytes >>= 10;
		i++;
	}
	/* Rounded down, so that what is nearly full never reads as more than there is. */
	if (bytes < 100)
		snprintf(buf, FORMAT_MAX, "%" PRIu64 ".%" PRIu64 " %s", bytes, rest * 10 / 1024,
			 unit[i]);
	else
		snprintf(buf, FORMAT_MAX, "%" PRIu64 " %s", bytes, unit[i]);
	return buf;
}

const char *format_duration(uint64_t s, char buf[FORMAT_MAX])
{
	if (s < 60)
		snprintf(buf, FORMAT_MAX, "%" PRIu64 "s", s);
	else if (s < 3600)
		snprintf(buf, FORMAT_MAX, "%" PRIu64 "m%02" PRIu64 "s", s / 60, s % 60);
	else if (s < 86400)
		snprintf(buf, FORMAT_MAX, "%" PRIu64 "h%02" PRIu64 "m", s / 3600, s / 60 % 60);
	else
		snprintf(buf, FORMAT_MAX, "%" PRIu64 "d%02" PRIu64 "h", s / 86400, s / 3600 % 24);
	return buf;
}

const char *format_ns(uint64_t ns, char buf[FORMAT_MAX])
{
	static const char *const unit[] = { "ns", "us", "ms", "s" };
	uint64_t whole = ns, rest = 0;
	size_t i = 0;

	for (; whole >= 1000 && i + 1 < sizeof(unit) / sizeof(unit[0]); i++) {
		rest = whole % 1000;
		whole /= 1000;
	}
	if (i && whole < 100)
		snprintf(buf, FORMAT_MAX, "%" PRIu64 ".%" PRIu64 " %s", whole, rest / 100, unit[i]);
	else
		snprintf(buf, FORMAT_MAX, "%" PRIu64 " %s", whole, unit[i]);
	return buf;
}

const char *format_date(int64_t seconds, char buf[FORMAT_MAX])
{
	time_t t = (time_t)seconds;
	struct tm tm;

	if (!gmtime_r(&t, &tm) || !strftime(buf, FORMAT_MAX, "%Y-%m-%d %H:%M:%S UTC", &tm))
		snprintf(buf, FORMAT_MAX, "%" PRId64 " s", seconds);
	return buf;
}

void format_prose(FILE *to, const char *text, int column, int margin)
{
	for (bool first = true; *text; first = false) {
		int len = (int)strcspn(text, " ");

		if (!first && column + 1 + len > LINE_WIDTH) {
			fprintf(to, "\n%*s", margin, "");
			column = margin;
		} else if (!first) {
			fputc(' ', to);
			column++;
		}
		fprintf(to, "%.*s", len, text);
		column += len;
		text += len + (text[len] == ' ');
	}
}
