// SPDX-License-Identifier: GPL-2.0
/* The stress test: the module's failures by kind, added up. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <linux/gdr_telemetry.h>

#include "nl.h"
#include "stress.h"

/* One kind, of one importer. */
struct kind {
	uint32_t stage;
	uint32_t error;
	uint64_t count;
};

static void field(const struct nlattr *attr, void *arg)
{
	struct kind *k = arg;

	switch (attr->nla_type) {
	case GDR_TELEMETRY_A_FAILURE_STAGE:
		memcpy(&k->stage, nl_data(attr), sizeof(k->stage));
		break;
	case GDR_TELEMETRY_A_FAILURE_ERROR:
		memcpy(&k->error, nl_data(attr), sizeof(k->error));
		break;
	case GDR_TELEMETRY_A_FAILURE_COUNT:
		memcpy(&k->count, nl_data(attr), sizeof(k->count));
		break;
	}
}

static void add(uint8_t cmd, const char *attrs, size_t len, void *arg)
{
	struct stress_failures *f = arg;
	struct kind k = {};

	(void)cmd;
	nl_attrs(attrs, len, field, &k);
	if (k.stage == GDR_TELEMETRY_STAGE_CAPABILITY_QUERY) {
		f->queries += k.count;
		return;
	}
	f->all += k.count;
	if (k.error == EBADF)
		f->ebadf += k.count;
	if (k.error == EINVAL)
		f->einval += k.count;
}

bool stress_failures_read(struct stress_failures *f)
{
	struct nl_answer a;
	struct nl_msg m;
	int fd = nl_open();
	bool ok;

	memset(f, 0, sizeof(*f));
	if (fd < 0)
		return false;
	nl_begin(&m, GDR_TELEMETRY_CMD_FAILURE_GET, true);
	ok = nl_ask_messages(fd, &m, &a, add, f) && !a.err;
	close(fd);
	return ok;
}
