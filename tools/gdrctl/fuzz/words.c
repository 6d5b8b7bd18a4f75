// SPDX-License-Identifier: GPL-2.0
/* The command line, a word a line: options, filters, questions, completion. */
#include "args.h"
#include "cmd.h"
#include "explain.h"
#include "filter.h"
#include "fuzz.h"
#include "selftest/choice.h"
#include "words.h"

#define WORDS 32

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	fuzz_begin();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *s = fuzz_string(data, size), *word[WORDS + 1] = { NULL }, *rest = s;
	struct options opt = { .json = false };
	struct args a = { .argv = word, .opt = &opt }, b = a, c = a;
	struct st_choice choice = { .kinds = 0 };
	struct words possible = { .n = 0 };
	struct filter f = { .pid = 0 };
	struct question q;

	for (size_t n = 0; n < WORDS && rest; n++)
		word[n] = strsep(&rest, "\n");
	filters_read(&f, &a, ~0u);
	explain_read(&q, &b);
	st_choice_read(&choice, size & 1, &c);
	filters_add_words(&possible, ~0u);
	words_require(&possible, word[0], "word");
	complete(word);
	free(s);
	return 0;
}
