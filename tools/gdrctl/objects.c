// SPDX-License-Identifier: GPL-2.0
/* The table of objects: a line each. */
#include "cmd.h"

const struct object *const objects[] = {
	&object_status,
	&object_attachment,
	&object_buffer,
	&object_importer,
	&object_exporter,
	&object_pair,
	&object_owner,
	&object_holders,
	&object_probe,
	&object_failure,
	&object_latency,
	&object_explain,
	&object_snapshot,
	&object_report,
	&object_test,
	&object_top,
	&object_metrics,
	NULL,
};
