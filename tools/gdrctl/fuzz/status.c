// SPDX-License-Identifier: GPL-2.0
/* The attributes of a status, printed in all shapes, and its metrics. */
#include "cmd.h"
#include "fuzz.h"
#include "metrics.h"
#include "model.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	fuzz_begin();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct metrics m = { .status.n_probes = 0 };
	void *exact = fuzz_string(data, size);

	if (!model_status(exact, size, &m.status)) {
		for (unsigned int i = 0; i < FUZZ_OPTIONS; i++) {
			struct gdrctl g = fuzz_options(i);

			status_print(&g, &m.status, fuzz_sink());
		}
		metrics_write(&m, false, data[0] & 1, fuzz_sink());
	}
	metrics_free(&m);
	free(exact);
	return 0;
}
