// SPDX-License-Identifier: GPL-2.0
/* Completion of the command line, from the same tables that read it. */
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "external.h"
#include "filter.h"
#include "gpus.h"
#include "names.h"
#include "words.h"

static void offer(const char *word, const char *prefix)
{
	if (!strncmp(word, prefix, strlen(prefix)))
		puts(word);
}

static void offer_options(const struct object *obj, const char *prefix)
{
	char word[32];

	for (const struct object_option *o = obj ? obj->options : NULL; o && o->name; o++) {
		snprintf(word, sizeof(word), "--%s", o->name);
		offer(word, prefix);
	}

	for (const struct option_word *o = option_words; o->name; o++) {
		snprintf(word, sizeof(word), "--%s", o->name);
		offer(word, prefix);
		if (o->letter && prefix[1] != '-') {
			snprintf(word, sizeof(word), "-%c", o->letter);
			offer(word, prefix);
		}
	}
}

static void offer_values(const struct filter_word *w, const char *prefix)
{
	char list[IBDEVS_SIZE], *save, *name;

	if (w->kind == FILTER_EXPORTER)
		for (size_t i = 0; gpus_at(i); i++)
			offer(gpus_at(i)->bdf, prefix);
	if (w->kind != FILTER_IMPORTER)
		return;
	names_ibdevs(NULL, list);
	for (name = strtok_r(list, ",", &save); name; name = strtok_r(NULL, ",", &save))
		offer(name, prefix);
}

static const struct object *find_object(const char *word)
{
	struct words w = { .n = 0 };
	int i;

	for (i = 0; objects[i]; i++)
		words_add(&w, objects[i]->name);
	i = words_find(&w, word);
	return i < 0 ? NULL : objects[i];
}

static const struct filter_word *find_filter(const char *word)
{
	struct words w = { .n = 0 };
	int i;

	for (i = 0; filter_words[i].word; i++)
		words_add(&w, filter_words[i].word);
	i = words_find(&w, word);
	return i < 0 ? NULL : &filter_words[i];
}

static void offer_objects(const char *prefix)
{
	for (size_t i = 0; objects[i]; i++)
		if (external_has(objects[i]->external))
			offer(objects[i]->name, prefix);
}

static bool takes_value(const struct object *obj, const char *option)
{
	for (const struct object_option *o = obj ? obj->options : NULL; o && o->name; o++)
		if (!strncmp(option, "--", 2) && !strcmp(option + 2, o->name))
			return o->value;
	return false;
}

static bool has_command(const struct object *obj, const char *word)
{
	const struct command *c = obj->command;

	while (c->name && strcmp(c->name, word) != 0)
		c++;
	return c->name;
}

void complete(char **words)
{
	const struct object *obj = NULL;
	const struct filter_word *key = NULL;
	const char *own = NULL;
	bool first = true, in_help = false, in_value = false;
	unsigned int filters = 0;
	const char *last = "";

	for (; *words; words++) {
		last = *words;
		if (!words[1])
			break;
		if (in_value) {
			in_value = false;
		} else if (own) {
			own = NULL;
		} else if (key) {
			key = NULL;
		} else if (*last == '-') {
			in_value = takes_value(obj, last);
		} else if (!obj && !in_help) {
			in_help = !strcmp(last, "help");
			obj = find_object(last);
			if (!obj && !in_help)
				return;
		} else if (obj) {
			if (obj->offer_value && obj->offer_value(last, NULL))
				own = last;
			else
				key = find_filter(last);
			first = false;
		}
	}
	/* A path, which the shell knows better. */
	if (in_value)
		return;
	if (own) {
		obj->offer_value(own, last);
		return;
	}
	if (key) {
		offer_values(key, last);
		return;
	}
	if (*last == '-') {
		offer_options(obj, last);
		return;
	}
	if (!obj) {
		offer_objects(last);
		if (!in_help)
			offer("help", last);
		return;
	}
	for (const struct command *c = obj->command; c->name; c++) {
		filters |= c->filters;
		if (first)
			offer(c->name, last);
	}
	if (first)
		offer("help", last);
	if (obj->offer)
		obj->offer(last);
	for (const struct filter_word *w = filter_words; w->word; w++)
		if (filters & 1u << w->kind && !(first && has_command(obj, w->word)))
			offer(w->word, last);
}
