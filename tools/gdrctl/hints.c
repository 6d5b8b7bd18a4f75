// SPDX-License-Identifier: GPL-2.0
/* Where words lead that name no object: what people look for, by the names they have for it. */
#include <stddef.h>
#include <strings.h>

#include "cmd.h"
#include "hints.h"

static const struct {
	const char *word, *hint;
} hints[] = {
	{ "bar1", "gdrctl exporter has its size and what is registered, gdrctl owner gpu GPU by whom" },
	{ "cgroup", "gdrctl owner cgroup" },
	{ "container", "gdrctl owner cgroup" },
	{ "error", "gdrctl failure log, gdrctl explain last" },
	{ "gpu", "gdrctl exporter" },
	{ "hca", "gdrctl importer" },
	{ "leak", "gdrctl owner (EXITED), and gdrctl snapshot before and after a job" },
	{ "leaks", "gdrctl owner (EXITED), and gdrctl snapshot before and after a job" },
	{ "mr", "gdrctl -d attachment" },
	{ "nic", "gdrctl importer" },
	{ "orphan", "gdrctl owner (EXITED), gdrctl holders" },
	{ "orphans", "gdrctl owner (EXITED), gdrctl holders" },
	{ "peermem", "gdrctl status says whether nvidia-peermem is loaded; what goes through it is not seen" },
	{ "pin", "gdrctl pair, gdrctl owner" },
	{ "pinned", "gdrctl pair, gdrctl owner" },
	{ "pod", "gdrctl owner cgroup" },
	{ "process", "gdrctl owner" },
	{ "usage", "gdrctl pair, gdrctl owner" },
	{ "who", "gdrctl owner" },
	{ "why", "gdrctl explain last, gdrctl failure log" },
};

const char *hints_find(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(hints); i++)
		if (!strcasecmp(hints[i].word, word))
			return hints[i].hint;
	return NULL;
}
