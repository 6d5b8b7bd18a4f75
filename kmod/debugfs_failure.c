// SPDX-License-Identifier: GPL-2.0
/*
 * Failures and latency as tables for people, in debugfs. The set of kinds, of
 * records and of devices is small, so each file is shown at once.
 */
#include <linux/seq_file.h>

#include "debugfs.h"
#include "gdr_telemetry.h"

static const char * const stages[] = {
	[GDR_TELEMETRY_STAGE_UNKNOWN] = "unknown",
	[GDR_TELEMETRY_STAGE_VERBS] = "verbs",
	[GDR_TELEMETRY_STAGE_UMEM] = "umem",
	[GDR_TELEMETRY_STAGE_ATTACH] = "attach",
	[GDR_TELEMETRY_STAGE_MAP] = "map",
	[GDR_TELEMETRY_STAGE_PIN] = "pin",
	[GDR_TELEMETRY_STAGE_HW] = "hw",
	[GDR_TELEMETRY_STAGE_CAPABILITY_QUERY] = "query",
};

static void put_number(struct seq_file *m, int width, bool known, u64 n)
{
	if (known)
		seq_printf(m, "%-*llu ", width, n);
	else
		seq_printf(m, "%-*s ", width, "-");
}

/**
 * gdrt_failures_show() - show the failures
 * @m: the file
 * @v: not used
 *
 * Context: process, may sleep.
 * Return: 0.
 */
int gdrt_failures_show(struct seq_file *m, void *v)
{
	struct gdrt_failure f;
	unsigned int i;
	u64 last = 0;

	seq_printf(m, "%-16s %-8s %-6s %s\n", "IMPORTER", "STAGE", "ERRNO", "COUNT");
	for (i = 0; i < gdrt_failure_counts(); i++) {
		const struct gdrt_failure_count *c = gdrt_failure_count_at(i);

		seq_printf(m, "%-16s %-8s %-6d %lld\n", c->importer ? c->importer->name : "-",
			   stages[c->stage], c->err, (long long)atomic64_read(&c->count));
	}
	seq_printf(m, "\n%-8s %-20s %-8s %-6s %-16s %-16s %-10s %-14s %-8s %s\n", "RECORD",
		   "BOOTTIME", "STAGE", "ERRNO", "EXPORTER", "IMPORTER", "BUFFER", "LENGTH", "PID",
		   "COMM");
	while (gdrt_failure_next(&last, &f)) {
		seq_printf(m, "%-8llu %-20llu %-8s %-6d %-16s %-16s ", f.seq, f.time,
			   stages[f.stage], -f.err, f.known ? f.exporter->name : "-",
			   f.importer ? f.importer->name : "-");
		put_number(m, 10, f.known, f.inode);
		put_number(m, 14, f.registration, f.length);
		gdrt_debugfs_owner(m, f.has_owner ? &f.owner : NULL);
		seq_putc(m, '\n');
	}
	return 0;
}

static void show_latency(struct seq_file *m, const struct gdrt_device *d, unsigned int op)
{
	static const char * const ops[GDRT_LATENCY_OPS] = {
		[GDR_TELEMETRY_LATENCY_OP_ATTACH] = "attach",
		[GDR_TELEMETRY_LATENCY_OP_MAP] = "map",
		[GDR_TELEMETRY_LATENCY_OP_PIN] = "pin",
		[GDR_TELEMETRY_LATENCY_OP_REGISTER] = "register",
		[GDR_TELEMETRY_LATENCY_OP_DEREGISTER] = "deregister",
	};
	unsigned int n;

	for (n = 0; n < GDRT_LATENCY_BUCKETS; n++) {
		long long count = atomic64_read(&d->latency->count[op][n]);

		if (count)
			seq_printf(m, "%-16s %-10s %-14llu %lld\n", d->name, ops[op], 1ULL << n,
				   count);
	}
}

/**
 * gdrt_latency_show() - show the histograms
 * @m: the file
 * @v: not used
 *
 * Context: process, may sleep.
 * Return: 0.
 */
int gdrt_latency_show(struct seq_file *m, void *v)
{
	unsigned int i, op;

	seq_printf(m, "%-16s %-10s %-14s %s\n", "IMPORTER", "CALL", "FROM_NS", "COUNT");
	for (i = 0; i < gdrt_devices_count(); i++) {
		const struct gdrt_device *d = gdrt_device_at(i);

		if (!d || !READ_ONCE(d->latency))
			continue;
		for (op = 0; op < GDRT_LATENCY_OPS; op++)
			show_latency(m, d, op);
	}
	return 0;
}
