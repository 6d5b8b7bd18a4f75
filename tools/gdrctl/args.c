// SPDX-License-Identifier: GPL-2.0
/* The command line, word by word. */
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "format.h"

#define SETTER(name, change) static void set_##name(struct options *o) { change; }

SETTER(version, o->version = true)
SETTER(help, o->help = true)
SETTER(json, o->json = true)
SETTER(pretty, o->json = o->pretty = true)
SETTER(details, o->details = true)
SETTER(oneline, o->oneline = true)
SETTER(numeric, o->numeric = true)
SETTER(bytes, o->bytes = true)

const struct option_word option_words[] = {
	{ 'V', "version", set_version, "print the version and end" },
	{ 'h', "help", set_help, "print help, on an object if one is named" },
	{ 'j', "json", set_json, "JSON" },
	{ 'p', "pretty", set_pretty, "JSON with line breaks" },
	{ 'd', "details", set_details, "all there is, a block a record" },
	{ 'o', "oneline", set_oneline, "one line a record, KEY VALUE pairs" },
	{ 'n', "numeric", set_numeric, "no look-ups of names" },
	{ 0, "bytes", set_bytes, "sizes in bytes, not rounded" },
	{ 0, NULL, NULL, NULL },
};

static bool take_long(struct args *a, const char *name)
{
	for (const struct option_word *o = option_words; o->name; o++) {
		if (!strcmp(o->name, name)) {
			o->set(a->opt);
			return true;
		}
	}
	return false;
}

static bool take_letter(struct args *a, char letter)
{
	for (const struct option_word *o = option_words; o->name; o++) {
		if (o->letter && o->letter == letter) {
			o->set(a->opt);
			return true;
		}
	}
	return false;
}

/* "--name VALUE" or "--name=VALUE". */
static bool take_own(struct args *a, const char *name)
{
	for (const struct object_option *o = a->own; o && o->name; o++) {
		size_t len = strlen(o->name);
		const char *value = NULL;

		if (strncmp(name, o->name, len) != 0 || (name[len] && name[len] != '='))
			continue;
		if (name[len] == '=')
			value = name + len + 1;
		else if (o->value)
			value = args_value(a);
		if (!o->value != !value) {
			message(o->value ? "--%s needs a value: --%s %s" : "--%s takes no value",
				o->name, o->name, o->value);
			a->wrong = true;
			return true;
		}
		o->set(a->opt, value);
		return true;
	}
	return false;
}

static bool take_option(struct args *a, const char *s)
{
	if (s[1] == '-' && take_own(a, s + 2))
		return true;
	/* ip's manners: long options with one dash, as in "ip -json". */
	if (take_long(a, s + (s[1] == '-' ? 2 : 1)))
		return true;
	if (s[1] == '-')
		return false;
	for (s++; *s; s++)
		if (!take_letter(a, *s))
			return false;
	return true;
}

const char *args_next(struct args *a)
{
	const char *s;
	char shown[64];

	while ((s = a->argv[a->i])) {
		a->i++;
		if (a->plain || s[0] != '-' || !s[1])
			return s;
		if (!strcmp(s, "--")) {
			a->plain = true;
		} else if (!take_option(a, s)) {
			message("unknown option \"%s\"; see gdrctl -h",
				format_escape(s, shown, sizeof(shown)));
			a->wrong = true;
		}
		if (a->wrong)
			return NULL;
	}
	return NULL;
}

const char *args_value(struct args *a)
{
	return a->argv[a->i] ? a->argv[a->i++] : NULL;
}

void args_back(struct args *a)
{
	a->i--;
}
