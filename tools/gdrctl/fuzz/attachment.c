// SPDX-License-Identifier: GPL-2.0
/* The attributes of attachments, two at a time: printed, filtered, added up by process and cgroup. */
#include "cmd.h"
#include "fuzz.h"
#include "list.h"
#include "owners.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	fuzz_begin();
	return 0;
}

static void add_up(struct attachments *list)
{
	for (int by = OWNER_PROCESS; by <= OWNER_CGROUP; by++) {
		const struct list_type *t = by == OWNER_PROCESS ? &list_owner : &list_owner_cgroup;
		struct records owners = { .n = 0 };

		if (!owners_make((enum owner_by)by, true, list, &owners))
			for (unsigned int i = 0; i < FUZZ_OPTIONS; i++) {
				struct gdrctl g = fuzz_options(i);

				list_print(&g, t, &owners, true, fuzz_sink());
			}
		records_free(&owners);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t first = size ? (size_t)data[0] * 4 : 0, left;
	struct filter f = { .has[FILTER_COMM] = true, .comm = "python3" };
	struct attachments list = { .n = 0 };
	struct attachment a;
	char *exact;

	if (!size)
		return 0;
	data++;
	size--;
	if (first > size)
		first = size;
	left = size - first;
	exact = fuzz_string(data, first);
	if (!model_attachment(exact, first, &a) && attachments_add(&list, &a))
		abort();
	free(exact);
	exact = fuzz_string(data + first, left);
	if (!model_attachment(exact, left, &a) && attachments_add(&list, &a))
		abort();
	free(exact);
	attachments_sort(&list);
	for (unsigned int i = 0; i < FUZZ_OPTIONS; i++) {
		struct gdrctl g = fuzz_options(i);

		attachments_print(&g, &list, true, fuzz_sink());
	}
	add_up(&list);
	attachments_filter(&list, &f);
	attachments_free(&list);
	return 0;
}
