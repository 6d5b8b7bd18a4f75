// SPDX-License-Identifier: GPL-2.0
/*
 * One netlink request, well-formed or not, and what came back:
 *
 *	gdrt-nl status | get ID | no-id | short-id | unknown-attribute | unknown-command |
 *		dump | dump-importer TEXT | dump-exporter TEXT | dump-pid N |
 *		dump-buffer N | dump-short-pid | dump-unknown-attribute
 *
 * Prints "errno E messages N interrupted 0|1 extack TEXT", for a dump before
 * that the ids, one a line. Exit code: 0 if there was an answer, 3 if there is
 * no such family.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/gdr_telemetry.h>

#include "nl.h"

static void print_id(const struct nlattr *attr, void *arg)
{
	uint64_t id;

	(void)arg;
	if (attr->nla_type != GDR_TELEMETRY_A_ATTACHMENT_ID)
		return;
	memcpy(&id, nl_data(attr), sizeof(id));
	printf("%" PRIu64 "\n", id);
}

static bool build(struct nl_msg *m, const char *what, const char *arg)
{
	uint64_t u64 = strtoull(arg, NULL, 0);
	uint32_t u32 = u64;
	uint16_t u16 = 1;

	nl_begin(m, GDR_TELEMETRY_CMD_ATTACHMENT_GET, !strncmp(what, "dump", 4));
	if (!strcmp(what, "status"))
		nl_begin(m, GDR_TELEMETRY_CMD_STATUS_GET, false);
	else if (!strcmp(what, "unknown-command"))
		nl_begin(m, 77, false);
	else if (!strcmp(what, "get"))
		nl_put(m, GDR_TELEMETRY_A_ATTACHMENT_ID, &u64, sizeof(u64));
	else if (!strcmp(what, "short-id"))
		nl_put(m, GDR_TELEMETRY_A_ATTACHMENT_ID, &u16, sizeof(u16));
	else if (!strcmp(what, "unknown-attribute") || !strcmp(what, "dump-unknown-attribute"))
		nl_put(m, 200, &u32, sizeof(u32));
	else if (!strcmp(what, "dump-importer"))
		nl_put(m, GDR_TELEMETRY_A_ATTACHMENT_IMPORTER, arg, strlen(arg) + 1);
	else if (!strcmp(what, "dump-exporter"))
		nl_put(m, GDR_TELEMETRY_A_ATTACHMENT_EXPORTER, arg, strlen(arg) + 1);
	else if (!strcmp(what, "dump-pid"))
		nl_put(m, GDR_TELEMETRY_A_ATTACHMENT_PID, &u32, sizeof(u32));
	else if (!strcmp(what, "dump-buffer"))
		nl_put(m, GDR_TELEMETRY_A_ATTACHMENT_BUFFER, &u64, sizeof(u64));
	else if (!strcmp(what, "dump-short-pid"))
		nl_put(m, GDR_TELEMETRY_A_ATTACHMENT_PID, &u16, sizeof(u16));
	else
		return !strcmp(what, "no-id") || !strcmp(what, "dump");
	return true;
}

int main(int argc, char **argv)
{
	struct nl_answer a;
	struct nl_msg m;
	int fd = nl_open();

	if (fd < 0) {
		fprintf(stderr, "%s: %s\n", GDR_TELEMETRY_FAMILY_NAME, strerror(-fd));
		return fd == -ENOENT ? 3 : 2;
	}
	if (argc < 2 || !build(&m, argv[1], argc > 2 ? argv[2] : "0")) {
		fprintf(stderr, "gdrt-nl: unknown request '%s'\n", argc < 2 ? "" : argv[1]);
		return 2;
	}
	if (!nl_ask(fd, &m, &a, strncmp(argv[1], "dump", 4) ? NULL : print_id, NULL)) {
		perror("netlink");
		return 2;
	}
	printf("errno %d messages %u interrupted %d extack %s\n", a.err, a.messages,
	       a.interrupted, a.extack);
	return 0;
}
