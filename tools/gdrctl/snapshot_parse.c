// SPDX-License-Identifier: GPL-2.0
/* Reading snapshots: what is wrong with a file is found here and nowhere later. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "json_read.h"
#include "snapshot.h"

/* More than any machine's: 100 bytes are little for an attachment, a million are many of them. */
#define SIZE_LIMIT (1u << 30)
#define DEPTH 16

enum type { NUMBER, TEXT };

/** struct key - one that is looked at, and that must be of its type where it is */
struct key {
	const char *name;
	enum type type;
	bool required;
};

#define KEYS_MAX 16
#define DEVICE_KEYS { "attachments", NUMBER, false }, { "pinned_bytes", NUMBER, false }

/* By enum snapshot_list. */
static const struct {
	const char *name;
	struct key key[KEYS_MAX];
} lists[SNAPSHOT_LISTS] = {
	[SNAPSHOT_IMPORTERS] = { "importers", { { "importer", TEXT, true }, DEVICE_KEYS } },
	[SNAPSHOT_EXPORTERS] = { "exporters", { { "exporter", TEXT, true }, DEVICE_KEYS } },
	[SNAPSHOT_PAIRS] = { "pairs", {
		{ "exporter", TEXT, true }, { "importer", TEXT, true },
		{ "attachments", NUMBER, false }, { "mrs", NUMBER, false },
		{ "mr_bytes", NUMBER, false }, { "pinned_bytes", NUMBER, false },
		{ "failures_total", NUMBER, false } } },
	[SNAPSHOT_ATTACHMENTS] = { "attachments", {
		{ "id", NUMBER, true }, { "exporter", TEXT, false }, { "importer", TEXT, false },
		{ "size_bytes", NUMBER, false }, { "mr_length_bytes", NUMBER, false },
		{ "buffer", NUMBER, false }, { "pid", NUMBER, false }, { "comm", TEXT, false },
		{ "start_boottime_ns", NUMBER, false }, { "attach_boottime_ns", NUMBER, false } } },
	[SNAPSHOT_OWNERS] = { "owners", {
		{ "pid", NUMBER, false }, { "comm", TEXT, false },
		{ "start_boottime_ns", NUMBER, false }, { "attachments", NUMBER, true },
		{ "orphans", NUMBER, false }, { "mrs", NUMBER, false },
		{ "mr_bytes", NUMBER, false }, { "pinned_bytes", NUMBER, false } } },
	[SNAPSHOT_FAILURES] = { "failures", {
		{ "importer", TEXT, false }, { "stage", TEXT, true }, { "errno", NUMBER, true },
		{ "errno_name", TEXT, false }, { "count", NUMBER, true } } },
	[SNAPSHOT_FAILURE_LOG] = { "failure_log", {
		{ "id", NUMBER, true }, { "pid", NUMBER, false }, { "comm", TEXT, false },
		{ "start_boottime_ns", NUMBER, false } } },
};

static enum exit_code wrong(const struct snapshot *s, const char *fmt, ...) PRINTF(2, 3);

static enum exit_code wrong(const struct snapshot *s, const char *fmt, ...)
{
	char why[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	message("\"%s\": %s; what is wanted is a file that gdrctl snapshot save wrote", s->name, why);
	return EXIT_SYSTEM;
}

static enum exit_code check_keys(const struct snapshot *s, const char *where,
				 const json_object *o, const struct key *key)
{
	if (!json_object_is_type(o, json_type_object))
		return wrong(s, "%s is not an object", where);
	for (; key->name; key++) {
		bool is_there = json_object_object_get_ex(o, key->name, NULL);
		uint64_t v;

		if (!is_there && key->required)
			return wrong(s, "%s has no \"%s\"", where, key->name);
		if (is_there && !(key->type == NUMBER ? json_number(o, key->name, &v) :
				  !!json_text(o, key->name)))
			return wrong(s, "\"%s\" of %s is not a %s", key->name, where,
				     key->type == NUMBER ? "number of 0 or more" : "string");
	}
	return EXIT_OK;
}

static enum exit_code check_list(struct snapshot *s, enum snapshot_list list)
{
	const char *name = lists[list].name;
	enum exit_code rc = EXIT_OK;
	char where[64];

	if (!json_object_object_get_ex(s->root, name, &s->list[list]))
		return wrong(s, "it has no \"%s\"", name);
	if (!json_object_is_type(s->list[list], json_type_array))
		return wrong(s, "\"%s\" is not an array", name);
	for (size_t i = 0; !rc && i < json_object_array_length(s->list[list]); i++) {
		snprintf(where, sizeof(where), "%s[%zu]", name, i);
		rc = check_keys(s, where, json_object_array_get_idx(s->list[list], i),
				lists[list].key);
	}
	return rc;
}

static enum exit_code check_format(const struct snapshot *s)
{
	uint64_t version;
	const char *format;

	if (!json_object_is_type(s->root, json_type_object))
		return wrong(s, "it is JSON, but no snapshot");
	format = json_text(s->root, "format");
	if (!format || strcmp(format, "gdrctl-snapshot") != 0)
		return wrong(s, "it is JSON, but its \"format\" is not \"gdrctl-snapshot\"");
	if (!json_number(s->root, "format_version", &version) || !version)
		return wrong(s, "its \"format_version\" is not a number");
	if (version > SNAPSHOT_VERSION) {
		message("\"%s\": its format is version %" PRIu64 ", newer than the %d that this "
			"gdrctl (%s) reads: use the gdrctl that wrote it, or a newer one", s->name,
			version, SNAPSHOT_VERSION, tool_version);
		return EXIT_SYSTEM;
	}
	return EXIT_OK;
}

static enum exit_code check(struct snapshot *s)
{
	static const struct key head[] = {
		{ "time_seconds", NUMBER, true }, { "boottime_ns", NUMBER, true },
		{ "boot_id", TEXT, true }, { "host", TEXT, true }, { NULL, NUMBER, false },
	};
	static const struct key status[] = {
		{ "start_time_seconds", NUMBER, false }, { "version", TEXT, false },
		{ NULL, NUMBER, false },
	};
	enum exit_code rc = check_format(s);

	if (!rc)
		rc = check_keys(s, "the file", s->root, head);
	if (rc)
		return rc;
	if (!json_object_object_get_ex(s->root, "status", &s->status))
		return wrong(s, "it has no \"status\"");
	rc = check_keys(s, "status", s->status, status);
	for (size_t i = 0; !rc && i < SNAPSHOT_LISTS; i++)
		rc = check_list(s, (enum snapshot_list)i);
	if (rc)
		return rc;
	json_number(s->root, "time_seconds", &s->time_seconds);
	json_number(s->root, "boottime_ns", &s->boottime_ns);
	json_number(s->status, "start_time_seconds", &s->start_seconds);
	s->boot_id = json_text(s->root, "boot_id");
	s->host = json_text(s->root, "host");
	s->version = json_text(s->status, "version");
	if (!s->version)
		s->version = "";
	return EXIT_OK;
}

enum exit_code snapshot_parse(struct snapshot *s, const char *name, const char *text, size_t len)
{
	struct json_tokener *t;
	enum json_tokener_error err;
	size_t end;

	memset(s, 0, sizeof(*s));
	format_escape(name, s->name, sizeof(s->name));
	if (!len)
		return wrong(s, "it is empty");
	if (len > SIZE_LIMIT)
		return wrong(s, "it is larger than 1 GiB");
	t = json_tokener_new_ex(DEPTH);
	if (!t) {
		message("no memory");
		return EXIT_SYSTEM;
	}
	json_tokener_set_flags(t, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	s->root = json_tokener_parse_ex(t, text, (int)len);
	err = json_tokener_get_error(t);
	end = json_tokener_get_parse_end(t);
	json_tokener_free(t);
	if (err == json_tokener_continue)
		return wrong(s, "it is cut off: it ends within its JSON");
	if (err != json_tokener_success)
		return wrong(s, "it is not JSON, at byte %zu: %s", end, json_tokener_error_desc(err));
	if (end < len)
		return wrong(s, "something follows its JSON, at byte %zu", end);
	return check(s);
}

/* Return: a positive errno, or 0 with what there was to read. */
static int read_all(FILE *f, char **text, size_t *len)
{
	size_t room = 0, n;

	*text = NULL;
	*len = 0;
	do {
		if (*len == room) {
			char *more = realloc(*text, room ? 2 * room : 65536);

			if (!more)
				return ENOMEM;
			*text = more;
			room = room ? 2 * room : 65536;
		}
		n = fread(*text + *len, 1, room - *len, f);
		*len += n;
	} while (n && *len <= SIZE_LIMIT);
	return ferror(f) ? errno ? errno : EIO : 0;
}

enum exit_code snapshot_load(struct snapshot *s, const char *path)
{
	bool is_stdin = !strcmp(path, "-");
	FILE *f = is_stdin ? stdin : fopen(path, "re");
	enum exit_code rc;
	char *text = NULL;
	size_t len = 0;
	int err;

	memset(s, 0, sizeof(*s));
	errno = f ? 0 : errno;
	err = f ? read_all(f, &text, &len) : errno;
	if (f && !is_stdin)
		fclose(f);
	if (err) {
		message("cannot read \"%s\": %s", format_escape(path, s->name, sizeof(s->name)),
			strerror(err));
		rc = EXIT_SYSTEM;
	} else {
		rc = snapshot_parse(s, is_stdin ? "standard input" : path, text, len);
	}
	free(text);
	return rc;
}

void snapshot_free(struct snapshot *s)
{
	json_object_put(s->root);
	memset(s, 0, sizeof(*s));
}
