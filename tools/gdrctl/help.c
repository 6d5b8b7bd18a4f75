// SPDX-License-Identifier: GPL-2.0
/* Help, from the tables. */
#include "cmd.h"
#include "external.h"
#include "filter.h"

static void print_options(FILE *to)
{
	fputs("\nOptions, anywhere on the line\n", to);
	for (const struct option_word *o = option_words; o->name; o++) {
		if (o->letter)
			fprintf(to, "  -%c, --%-12s %s\n", o->letter, o->name, o->help);
		else
			fprintf(to, "      --%-12s %s\n", o->name, o->help);
	}
}

static void print_tool(FILE *to)
{
	fputs("GPUDirect RDMA over dma-buf: who is attached to which GPU's memory, and how much\n"
	      "stays pinned.\n\n"
	      "Usage: gdrctl [OPTIONS] OBJECT [COMMAND] [KEY VALUE]...\n"
	      "       gdrctl help [OBJECT]\n"
	      "\nObjects, by any prefix that is unique\n", to);
	for (size_t i = 0; objects[i]; i++)
		if (external_has(objects[i]->external))
			fprintf(to, "  %-18s %s\n", objects[i]->name, objects[i]->help);
	fputs("  help               this, or the help of an object\n", to);
	print_options(to);
	fputs("\nExit status: 0 done, 1 wrong usage, 2 refused by the kernel or the system,\n"
	      "3 module not loaded, 4 cannot be tested here, 5 a test found a problem\n"
	      "\nExamples\n"
	      "  gdrctl status                     is GPU memory registered now, and how much\n"
	      "  gdrctl pair                       through which HCA, of which GPU\n"
	      "  gdrctl owner                      by which process; owner cgroup: container, pod\n"
	      "  gdrctl owner pair                 which process, which GPU, through which HCA\n"
	      "  gdrctl attachment hca mlx5_0      one by one, with MR and state\n"
	      "  gdrctl holders module nvidia      what keeps a driver from being unloaded\n"
	      "  gdrctl explain 524                what an errno means here, and the fix\n"
	      "  gdrctl test --quick               does it work between GPUs and HCAs\n"
	      "  gdrctl -j -p attachment pid 4711  for programs\n", to);
}

static void print_object(const struct object *obj, FILE *to)
{
	unsigned int filters = 0;

	fprintf(to, "gdrctl %s: %s\n\n", obj->name, obj->help);
	for (const struct command *c = obj->command; c->name; c++) {
		bool dflt = c == obj->command && !obj->needs_command;
		size_t i = (size_t)(c - obj->command);
		const char *operands = i < OPERANDS_MAX ? obj->operands[i] : NULL;

		fprintf(to, "%s gdrctl [OPTIONS] %s %s%s%s%s%s\n",
			c == obj->command ? "Usage:" : "      ",
			obj->name, dflt ? "[" : "", c->name, dflt ? "]" : "",
			operands ? " " : c->filters ? " [KEY VALUE]..." : "",
			operands ? operands : "");
		filters |= c->filters;
	}
	fputs("\nCommands\n", to);
	for (const struct command *c = obj->command; c->name; c++)
		fprintf(to, "  %-18s %s%s\n", c->name, c->help,
			c == obj->command && !obj->needs_command ? " (the default)" : "");
	if (filters) {
		fputs("\nFilters; a record has to match all that are given\n", to);
		for (const struct filter_word *w = filter_words; w->word; w++)
			if (filters & 1u << w->kind)
				fprintf(to, "  %-8s %-15s %s\n", w->word, w->value, w->help);
	}
	if (obj->options)
		fputs("\nOptions of this object, after its name\n", to);
	for (const struct object_option *o = obj->options; o && o->name; o++)
		fprintf(to, "      --%-11s %-5s %s\n", o->name, o->value ? o->value : "", o->help);
	if (obj->notes)
		fprintf(to, "\n%s", obj->notes);
	print_options(to);
}

void help_print(const struct object *object, FILE *to)
{
	if (object)
		print_object(object, to);
	else
		print_tool(to);
}
