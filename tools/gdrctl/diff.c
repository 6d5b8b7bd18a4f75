// SPDX-License-Identifier: GPL-2.0
/* Two snapshots compared. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"
#include "json_read.h"
#include "merge.h"

/** struct failing - a process with failures that are new */
struct failing {
	char key[MERGE_KEY];
	const json_object *o;
	uint64_t n;
	bool said;
};

/** struct diff - a comparison on its way */
struct diff {
	const struct snapshot *before;
	const struct snapshot *after;
	enum relation relation;
	const char *what;
	struct failing *failing;
	size_t n_failing;
	struct records *list;
};

/** struct number - a number of an object of a snapshot, and where it goes in a record */
struct number {
	const char *key;
	int attr;
	bool counter;
};

/* Counters of one loading of the module never go back. */
static bool went_back(const struct snapshot *before, const struct snapshot *after)
{
	static const char *const counters[] = {
		"attach_total", "detach_total", "register_total", "map_total",
	};

	for (size_t i = 0; i < ARRAY_SIZE(counters); i++)
		if (json_number_of(after->status, counters[i]) < json_number_of(before->status, counters[i]))
			return true;
	return false;
}

enum relation diff_relation(const struct snapshot *before, const struct snapshot *after)
{
	uint64_t m = before->start_seconds, n = after->start_seconds;

	if (!*before->boot_id || strcmp(before->boot_id, after->boot_id) != 0)
		return RELATION_OTHER_BOOT;
	if ((m > n ? m - n : n - m) > 1 || strcmp(before->version, after->version) != 0 ||
	    went_back(before, after))
		return RELATION_RELOADED;
	return RELATION_SAME_LOAD;
}

bool diff_in_order(const struct snapshot *before, const struct snapshot *after)
{
	return strcmp(before->boot_id, after->boot_id) != 0 ||
	       before->boottime_ns <= after->boottime_ns;
}

static int set_text(struct record *r, int attr, const char *s)
{
	return s ? record_set_text(r, attr, s) : 0;
}

static void set_number(struct record *r, int attr, const json_object *o, const char *key)
{
	uint64_t v;

	if (json_number(o, key, &v))
		record_set_number(r, attr, v);
}

static int set_names(struct record *r, int attr, const json_object *o, const char *key)
{
	json_object *list;
	int err = 0;

	if (!json_object_object_get_ex(o, key, &list) ||
	    !json_object_is_type(list, json_type_array))
		return 0;
	for (size_t i = 0; !err && i < json_object_array_length(list); i++) {
		const char *s = json_object_get_string(json_object_array_get_idx(list, i));

		err = s ? record_add_name(r, attr, s) : 0;
	}
	return err;
}

/* What names a record of any kind, as far as @o has it. */
static int set_names_of(struct record *r, const json_object *o)
{
	set_number(r, X_PID, o, "pid");
	set_number(r, X_START, o, "start_boottime_ns");
	set_number(r, X_ERRNO, o, "errno");
	set_number(r, X_BUFFER, o, "buffer");
	return set_text(r, X_COMM, json_text(o, "comm")) |
	       set_text(r, X_EXPORTER, json_text(o, "exporter")) |
	       set_text(r, X_IMPORTER, json_text(o, "importer")) |
	       set_names(r, X_IBDEVS, o, "importer_ibdevs") |
	       set_text(r, X_STAGE, json_text(o, "stage")) |
	       set_text(r, X_ERRNO_NAME, json_text(o, "errno_name"));
}

static int begin(const struct diff *d, struct record *r, const json_object *b,
		 const json_object *a)
{
	memset(r, 0, sizeof(*r));
	return record_set_text(r, X_WHAT, d->what) |
	       record_set_text(r, X_CHANGE, !b ? "new" : !a ? "gone" : "changed") |
	       set_names_of(r, a ? a : b);
}

static int add(struct diff *d, struct record *r, int err)
{
	if (err) {
		record_free(r);
		return -ENOMEM;
	}
	return records_add(d->list, r);
}

/* The same before and after is no difference. */
static int add_if(struct diff *d, struct record *r, int err, bool differ)
{
	if (err || differ)
		return add(d, r, err);
	record_free(r);
	return 0;
}

/* Counters that began again are not what came on top of what there was before. */
static bool set_both(const struct diff *d, struct record *r, const struct number *n,
		     const json_object *b, const json_object *a)
{
	uint64_t x = 0, y = 0;
	bool has_before = b && json_number(b, n->key, &x);
	bool has_after = a && json_number(a, n->key, &y);

	if (n->counter && d->relation != RELATION_SAME_LOAD)
		has_before = false;
	if (has_before)
		record_set_number(r, n->attr, x);
	if (has_after)
		record_set_number(r, DIFF_AFTER(n->attr), y);
	return (has_before ? x : 0) != (has_after ? y : 0);
}

static bool set_all(const struct diff *d, struct record *r, const struct number *n, size_t count,
		    const json_object *b, const json_object *a)
{
	bool differ = false;

	while (count--)
		differ |= set_both(d, r, n++, b, a);
	return differ;
}

static void key_of_process(const json_object *o, char buf[MERGE_KEY])
{
	uint64_t start = 0, pid = 0;
	bool named = json_number(o, "start_boottime_ns", &start) | json_number(o, "pid", &pid);
	const char *comm = json_text(o, "comm");

	snprintf(buf, MERGE_KEY, "%020" PRIu64 " %010" PRIu64 " %s", start, pid,
		 !named && comm ? comm : "");
}

static uint64_t last_failure(const json_object *log)
{
	uint64_t last = 0;

	for (size_t i = 0; i < json_object_array_length(log); i++) {
		uint64_t id = json_number_of(json_object_array_get_idx(log, i), "id");

		last = last < id ? id : last;
	}
	return last;
}

static struct failing *find_failing(const struct diff *d, const char *key)
{
	for (size_t i = 0; i < d->n_failing; i++)
		if (!strcmp(d->failing[i].key, key))
			return &d->failing[i];
	return NULL;
}

/* Processes with failures that are in the later log and were not in the earlier one. */
static int find_all_failing(struct diff *d)
{
	const json_object *log = d->after->list[SNAPSHOT_FAILURE_LOG];
	size_t n = json_object_array_length(log);
	uint64_t last = d->relation != RELATION_SAME_LOAD ? 0 :
			last_failure(d->before->list[SNAPSHOT_FAILURE_LOG]);

	d->failing = calloc(n + 1, sizeof(*d->failing));
	if (!d->failing)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const json_object *o = json_object_array_get_idx(log, i);
		struct failing *f;
		char key[MERGE_KEY];

		if (json_number_of(o, "id") <= last)
			continue;
		key_of_process(o, key);
		f = find_failing(d, key);
		if (!f) {
			f = &d->failing[d->n_failing++];
			strcpy(f->key, key);
			f->o = o;
		}
		f->n++;
	}
	return 0;
}

static int owner(void *arg, const json_object *b, const json_object *a)
{
	static const struct number numbers[] = {
		{ "attachments", X_ATTACHMENTS, false }, { "orphans", X_ORPHANS, false },
		{ "mrs", X_MRS, false }, { "mr_bytes", X_MR_BYTES, false },
		{ "pinned_bytes", X_PINNED, false },
	};
	struct diff *d = arg;
	char key[MERGE_KEY];
	struct failing *f;
	struct record r;
	int err = begin(d, &r, b, a);
	bool differ = set_all(d, &r, numbers, ARRAY_SIZE(numbers), b, a);

	key_of_process(a ? a : b, key);
	/* One of another boot is another process. */
	f = a || d->relation != RELATION_OTHER_BOOT ? find_failing(d, key) : NULL;
	if (f) {
		record_set_number(&r, X_NEW_FAILURES, f->n);
		f->said = true;
	}
	return add_if(d, &r, err, differ || f || !b || !a);
}

/* Another boot has other processes, whatever their pids. */
static int owner_of_other_boot(void *arg, const json_object *b, const json_object *a)
{
	int err = b ? owner(arg, b, NULL) : 0;

	return err || !a ? err : owner(arg, NULL, a);
}

/* Processes that failed and hold nothing: they have no record yet. */
static int add_failed(struct diff *d)
{
	int err = 0;

	for (size_t i = 0; !err && i < d->n_failing; i++) {
		const struct failing *f = &d->failing[i];
		struct record r = { .present = 0 };

		if (f->said)
			continue;
		err = record_set_text(&r, X_WHAT, d->what) |
		      record_set_text(&r, X_CHANGE, "failed") |
		      set_text(&r, X_COMM, json_text(f->o, "comm"));
		set_number(&r, X_PID, f->o, "pid");
		set_number(&r, X_START, f->o, "start_boottime_ns");
		record_set_number(&r, X_NEW_FAILURES, f->n);
		err = add(d, &r, err);
	}
	return err;
}

static void key_of_device(const json_object *o, char buf[MERGE_KEY])
{
	const char *exporter = json_text(o, "exporter"), *importer = json_text(o, "importer");

	snprintf(buf, MERGE_KEY, "%s %s", exporter ? exporter : "", importer ? importer : "");
}

static int pair(void *arg, const json_object *b, const json_object *a)
{
	static const struct number numbers[] = {
		{ "attachments", X_ATTACHMENTS, false }, { "mrs", X_MRS, false },
		{ "mr_bytes", X_MR_BYTES, false }, { "pinned_bytes", X_PINNED, false },
		{ "failures_total", X_FAILURES, true },
	};
	struct diff *d = arg;
	struct record r;
	int err = begin(d, &r, b, a);
	bool differ = set_all(d, &r, numbers, ARRAY_SIZE(numbers), b, a);

	return add_if(d, &r, err, differ || !b || !a);
}

/* Devices that came or went. */
static int device(void *arg, const json_object *b, const json_object *a)
{
	struct diff *d = arg;
	struct record r;

	if (b && a)
		return 0;
	return add(d, &r, begin(d, &r, b, a));
}

static void key_of_failure(const json_object *o, char buf[MERGE_KEY])
{
	const char *importer = json_text(o, "importer"), *stage = json_text(o, "stage");

	snprintf(buf, MERGE_KEY, "%s %s %010" PRIu64, importer ? importer : "", stage ? stage : "",
		 json_number_of(o, "errno"));
}

static int failure(void *arg, const json_object *b, const json_object *a)
{
	static const struct number count = { "count", X_COUNT, true };
	struct diff *d = arg;
	struct record r;
	int err;

	/* Counters of a load that has ended say nothing of this one. */
	if (!a && d->relation != RELATION_SAME_LOAD)
		return 0;
	err = begin(d, &r, d->relation == RELATION_SAME_LOAD ? b : NULL, a);
	return add_if(d, &r, err, set_both(d, &r, &count, b, a));
}

static void key_of_attachment(const json_object *o, char buf[MERGE_KEY])
{
	snprintf(buf, MERGE_KEY, "%020" PRIu64, json_number_of(o, "id"));
}

static bool is_orphan(const json_object *o)
{
	return o && json_has_word(o, "flags", "orphan");
}

static void set_held(struct record *r, int second, const json_object *o)
{
	uint64_t length;
	bool has_mr;

	if (!o)
		return;
	has_mr = json_number(o, "mr_length_bytes", &length);
	record_set_number(r, X_PINNED + second,
			  json_is_true(o, "pinned") ? json_number_of(o, "size_bytes") : 0);
	record_set_number(r, X_MRS + second, has_mr);
	if (has_mr)
		record_set_number(r, X_MR_BYTES + second, length);
}

static int add_attachment(struct diff *d, const json_object *b, const json_object *a,
			  const char *change)
{
	struct record r;
	int err = begin(d, &r, b, a);

	if (change)
		err |= record_set_text(&r, X_CHANGE, change);
	set_number(&r, X_ID, a ? a : b, "id");
	set_number(&r, X_SIZE, a ? a : b, "size_bytes");
	set_held(&r, 0, b);
	set_held(&r, 1, a);
	return add(d, &r, err);
}

static int attachment(void *arg, const json_object *b, const json_object *a)
{
	struct diff *d = arg;

	if (b && a && json_is_true(b, "pinned") == json_is_true(a, "pinned") &&
	    json_number_of(b, "mr_length_bytes") == json_number_of(a, "mr_length_bytes"))
		return 0;
	return add_attachment(d, b, a, NULL);
}

static int orphan(void *arg, const json_object *b, const json_object *a)
{
	struct diff *d = arg;
	const char *change = "new";

	if (!is_orphan(a) || is_orphan(b))
		return 0;
	/* Its id says nothing of what was before, but it may be younger. */
	if (d->relation == RELATION_RELOADED &&
	    json_number_of(a, "attach_boottime_ns") <= d->before->boottime_ns)
		change = "there";
	return add_attachment(d, b, a, change);
}

static int totals(struct diff *d)
{
	struct json_object_iterator i = json_object_iter_begin(d->after->status);
	struct json_object_iterator end = json_object_iter_end(d->after->status);
	int err = 0;

	for (; !err && !json_object_iter_equal(&i, &end); json_object_iter_next(&i)) {
		const char *name = json_object_iter_peek_name(&i);
		size_t len = strlen(name);
		bool counter = (len > 6 && !strcmp(name + len - 6, "_total")) ||
			       (len > 5 && !strcmp(name + len - 5, "_peak"));
		const struct number n = { name, X_VALUE, counter };
		struct record r = { .present = 0 };

		if (!strcmp(name, "start_time_seconds") ||
		    !set_both(d, &r, &n, d->before->status, d->after->status)) {
			record_free(&r);
			continue;
		}
		err = record_set_text(&r, X_WHAT, "total") |
		      record_set_text(&r, X_CHANGE, "changed") |
		      record_set_text(&r, X_NAME, name);
		err = add(d, &r, err);
	}
	return err;
}

static int head(struct diff *d)
{
	static const char *const relations[] = {
		[RELATION_SAME_LOAD] = "same-load", [RELATION_RELOADED] = "reloaded",
		[RELATION_OTHER_BOOT] = "other-boot",
	};
	const struct snapshot *s[] = { d->before, d->after };
	struct record r = { .present = 0 };
	int err = record_set_text(&r, X_WHAT, "snapshot") |
		  record_set_text(&r, X_CHANGE, relations[d->relation]);

	for (int i = 0; i < 2; i++) {
		record_set_number(&r, X_TIME + i, s[i]->time_seconds);
		record_set_number(&r, X_INEXACT + i, json_is_true(s[i]->status, "inexact"));
		err |= record_set_text(&r, X_BOOT_ID + i, s[i]->boot_id) |
		       record_set_text(&r, X_HOST + i, s[i]->host) |
		       record_set_text(&r, X_VERSION + i, s[i]->version);
	}
	return add(d, &r, err);
}

static int compare(struct diff *d, const char *what, enum snapshot_list list,
		   void (*key)(const json_object *o, char buf[MERGE_KEY]),
		   int (*each)(void *arg, const json_object *b, const json_object *a))
{
	d->what = what;
	return merge(d->before->list[list], d->after->list[list], key, each, d);
}

int diff_make(const struct snapshot *before, const struct snapshot *after, struct records *list)
{
	struct diff d = { .before = before, .after = after, .list = list,
			  .relation = diff_relation(before, after) };
	bool same = d.relation == RELATION_SAME_LOAD;
	int err;

	err = find_all_failing(&d);
	if (!err)
		err = head(&d);
	/* Ids of another load name other attachments. */
	if (!err && same) {
		err = compare(&d, "orphan", SNAPSHOT_ATTACHMENTS, key_of_attachment, orphan);
	} else if (!err) {
		json_object *none = json_object_new_array();

		d.what = "orphan";
		err = none ? merge(none, after->list[SNAPSHOT_ATTACHMENTS], key_of_attachment,
				   orphan, &d) : -ENOMEM;
		json_object_put(none);
	}
	if (!err)
		err = totals(&d);
	if (!err)
		err = compare(&d, "owner", SNAPSHOT_OWNERS, key_of_process,
			      d.relation == RELATION_OTHER_BOOT ? owner_of_other_boot : owner);
	if (!err)
		err = add_failed(&d);
	if (!err)
		err = compare(&d, "pair", SNAPSHOT_PAIRS, key_of_device, pair);
	if (!err)
		err = compare(&d, "failure", SNAPSHOT_FAILURES, key_of_failure, failure);
	if (!err)
		err = compare(&d, "importer", SNAPSHOT_IMPORTERS, key_of_device, device);
	if (!err)
		err = compare(&d, "exporter", SNAPSHOT_EXPORTERS, key_of_device, device);
	if (!err && same)
		err = compare(&d, "attachment", SNAPSHOT_ATTACHMENTS, key_of_attachment,
			      attachment);
	free(d.failing);
	return err;
}
