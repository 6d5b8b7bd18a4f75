// SPDX-License-Identifier: GPL-2.0
/* Files that hold what the module told at one time: the form they have. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "format.h"
#include "names.h"
#include "snapshot.h"

static void put_text(FILE *to, const char *key, const char *value)
{
	char *quoted = format_json_string(value);

	fprintf(to, "\"%s\":%s,\n", key, quoted ? quoted : "\"\"");
	free(quoted);
}

static void put_line_of(FILE *to, const char *key, const char *path)
{
	char line[256] = "";

	names_line(line, sizeof(line), "%s", path);
	put_text(to, key, line);
}

/* Each part is what the object's -j prints. */
static enum exit_code write_snapshot(const struct gdrctl *g, const struct capture *c, FILE *to)
{
	enum exit_code rc;

	fprintf(to, "{\"format\":\"gdrctl-snapshot\",\n\"format_version\":%d,\n", SNAPSHOT_VERSION);
	put_text(to, "gdrctl_version", tool_version);
	fprintf(to, "\"time_seconds\":%" PRId64 ",\n\"boottime_ns\":%" PRIu64 ",\n",
		g->realtime_s, g->boottime_ns);
	put_line_of(to, "boot_id", "/proc/sys/kernel/random/boot_id");
	put_line_of(to, "host", "/proc/sys/kernel/hostname");
	put_line_of(to, "kernel", "/proc/sys/kernel/osrelease");
	fputs("\"status\":", to);
	rc = status_print(g, &c->status, to);
	fputs(",\"attachments\":", to);
	if (!rc)
		rc = attachments_print(g, &c->attachments, false, to);
	for (size_t i = 0; !rc && i < CAPTURE_LISTS; i++) {
		fprintf(to, ",\"%s\":", capture_names[i]);
		rc = list_print(g, capture_types[i], &c->list[i], false, to);
	}
	fputs("}\n", to);
	return rc;
}

char *snapshot_text(const struct gdrctl *g, const struct capture *c)
{
	struct gdrctl json = *g;
	enum exit_code rc;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	json.opt = (struct options){ .json = true, .numeric = g->opt.numeric };
	rc = f ? write_snapshot(&json, c, f) : EXIT_SYSTEM;
	if (f && (fclose(f) || rc)) {
		free(text);
		text = NULL;
	}
	if (!f || (!text && !rc))
		message("no memory");
	return text;
}
