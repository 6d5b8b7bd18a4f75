// SPDX-License-Identifier: GPL-2.0
/* The test of the fuzzing: a name is copied as if none were ever too long. It has to be found. */
#include "attr.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *exact = fuzz_string(data, size), name[16] = "";
	struct nlattr *nla;
	int left;

	for_each_attr(nla, left, exact, size) {
		size_t len = (size_t)nla_len(nla);

		if (nla_type(nla) == 7)
			memcpy(name, nla_data(nla), len < 2 * sizeof(name) ? len : sizeof(name));
	}
	free(exact);
	fwrite(name, 1, 1, fuzz_sink());
	return 0;
}
