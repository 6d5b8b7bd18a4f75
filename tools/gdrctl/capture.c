// SPDX-License-Identifier: GPL-2.0
/* All that the module tells at one time. */
#include <string.h>

#include "capture.h"
#include "cmd.h"
#include "failure.h"
#include "latency.h"
#include "owners.h"

const struct list_type *const capture_types[CAPTURE_LISTS] = {
	[CAPTURE_IMPORTERS] = &list_importer,
	[CAPTURE_EXPORTERS] = &list_exporter,
	[CAPTURE_PAIRS] = &list_pair,
	[CAPTURE_BUFFERS] = &list_buffer,
	[CAPTURE_OWNERS] = &list_owner,
	[CAPTURE_CGROUPS] = &list_owner_cgroup,
	[CAPTURE_FAILURES] = &list_failure,
	[CAPTURE_FAILURE_LOG] = &list_failure_log,
	[CAPTURE_LATENCIES] = &list_latency,
};

const char *const capture_names[CAPTURE_LISTS] = {
	[CAPTURE_IMPORTERS] = "importers",
	[CAPTURE_EXPORTERS] = "exporters",
	[CAPTURE_PAIRS] = "pairs",
	[CAPTURE_BUFFERS] = "buffers",
	[CAPTURE_OWNERS] = "owners",
	[CAPTURE_CGROUPS] = "cgroups",
	[CAPTURE_FAILURES] = "failures",
	[CAPTURE_FAILURE_LOG] = "failure_log",
	[CAPTURE_LATENCIES] = "latencies",
};

/* Owners are made of the same attachments, so that they agree with them. */
static enum exit_code make_owners(const struct gdrctl *g, struct capture *c, enum owner_by by,
				  enum capture_list list)
{
	int err = owners_make(by, !g->opt.numeric, &c->attachments, &c->list[list]);

	attachments_sort(&c->attachments);
	list_sort(capture_types[list], &c->list[list]);
	if (!err)
		return EXIT_OK;
	message("no memory");
	return EXIT_SYSTEM;
}

static enum exit_code read_list(const struct gdrctl *g, struct nl *nl, struct capture *c,
				enum capture_list list)
{
	const struct filter none = { .pid = 0 };

	if (list == CAPTURE_OWNERS)
		return make_owners(g, c, OWNER_PROCESS, list);
	if (list == CAPTURE_CGROUPS)
		return make_owners(g, c, OWNER_CGROUP, list);
	return list_collect(capture_types[list], g, nl, &none, &c->list[list]);
}

enum exit_code capture_read(const struct gdrctl *g, struct nl *nl, bool whole, struct capture *c)
{
	const struct filter none = { .pid = 0 };
	enum exit_code rc;

	memset(c, 0, sizeof(*c));
	rc = kernel_status(nl, &c->status);
	if (rc)
		return rc;
	if (!whole)
		message_divert(c->why_attachments, CAPTURE_WHY);
	rc = kernel_attachments(nl, &none, &c->attachments);
	for (size_t i = 0; i < CAPTURE_LISTS && (!whole || !rc); i++) {
		if (!whole)
			message_divert(c->why[i], CAPTURE_WHY);
		rc = read_list(g, nl, c, (enum capture_list)i);
	}
	message_divert(NULL, 0);
	if (whole)
		return rc;
	/* Without attachments there are no owners: not none, but not known. */
	strcpy(c->why[CAPTURE_OWNERS], c->why_attachments);
	strcpy(c->why[CAPTURE_CGROUPS], c->why_attachments);
	return EXIT_OK;
}

void capture_free(struct capture *c)
{
	model_status_free(&c->status);
	attachments_free(&c->attachments);
	for (size_t i = 0; i < CAPTURE_LISTS; i++)
		records_free(&c->list[i]);
}
