// SPDX-License-Identifier: GPL-2.0
/* Paths of cgroups, and what filters by them. */
#include "cgroup.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *s = fuzz_string(data, size);
	struct cgroup_owner o;

	cgroup_owner(s, &o);
	if (strlen(o.container) >= sizeof(o.container) || strlen(o.pod) >= sizeof(o.pod) ||
	    strlen(o.job) >= sizeof(o.job))
		abort();
	if (cgroup_is_filter(s))
		cgroup_matches(s, 1);
	free(s);
	return 0;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	fuzz_begin();
	return 0;
}
