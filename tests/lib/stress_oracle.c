// SPDX-License-Identifier: GPL-2.0
/*
 * The stress test's oracle: at a quiet point, what the module says against what
 * others say. What is live is compared with bufinfo, the doubles' ledgers and
 * the RDMA core's list of MRs; what was counted, with the ledgers and with what
 * the processes saw.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "live.h"
#include "rdma_mrs.h"
#include "readings.h"
#include "stress.h"

#define PREEXISTING	8	/* GDR_TELEMETRY_INEXACT_REASON_PREEXISTING, as a bit */
#define FAILURE_RING	1024
#define LAG_TRIES	20	/* directories of devices that left or came may lag, for a second */
#define LAG_US		100000

/* Differences between the module and the others that a quiet round must not change. */
enum balance {
	ATTACHMENTS,	/* attach_total - detach_total, and attachments */
	MAPS,		/* map_total, and the exporter's maps */
	UNMAPS,
	PINS,		/* pin_total, and the importer's pins */
	UNPINS,
	BALANCES
};

static const char * const balance_names[BALANCES] = {
	"attach_total - detach_total and attachments",
	"map_total and the exporter's maps",
	"unmap_total and the exporter's unmaps",
	"pin_total and the importer's pins",
	"unpin_total and the importer's unpins",
};

/**
 * struct point - what is counted at a quiet point
 * @balance: by enum balance
 * @registered: register_total
 * @failed: failures_total
 * @queries: capability_queries_total
 * @failures: by kind
 * @count: what the processes know
 * @import_failed: calls of the importer double that failed
 */
struct point {
	int64_t balance[BALANCES];
	uint64_t registered;
	uint64_t failed;
	uint64_t queries;
	struct stress_failures failures;
	uint64_t count[STRESS_COUNTS];
	uint64_t import_failed;
};

static struct point last;
static bool was_older;		/* something was, at the last quiet point */

static uint64_t total(const char *name)
{
	uint64_t value = 0;

	reading_total(name, &value);
	return value;
}

static uint64_t import_failed(void)
{
	uint64_t attach = 0, map = 0, pin = 0;
	FILE *f = fopen(GDRT_IMP_LEDGER, "re");
	char line[1024];

	if (!f)
		return 0;
	if (fgets(line, sizeof(line), f))
		sscanf(line, "calls attach %*u attach_failed %" SCNu64
		       " detach %*u map %*u map_failed %" SCNu64
		       " unmap %*u pin %*u pin_failed %" SCNu64, &attach, &map, &pin);
	fclose(f);
	return attach + map + pin;
}

static bool take(struct point *p, FILE *out)
{
	struct readings r;
	unsigned int i;

	if (!readings_take(&r)) {
		fprintf(out, "no independent reading\n");
		return false;
	}
	p->balance[ATTACHMENTS] = total("attach_total") - total("detach_total") -
				  total("attachments");
	p->balance[MAPS] = total("map_total") - r.map_calls;
	p->balance[UNMAPS] = total("unmap_total") - r.unmap_calls;
	p->balance[PINS] = total("pin_total") - r.pin_calls;
	p->balance[UNPINS] = total("unpin_total") - r.unpin_calls;
	p->registered = total("register_total");
	p->failed = total("failures_total");
	p->queries = total("capability_queries_total");
	for (i = 0; i < STRESS_COUNTS; i++)
		p->count[i] = stress_read(i);
	p->import_failed = import_failed();
	if (stress_failures_read(&p->failures))
		return true;
	fprintf(out, "failure-get: cannot be read\n");
	return false;
}

/* @value has to be from @low to @low + @room. */
static int between(const char *name, uint64_t value, uint64_t low, uint64_t room, FILE *out)
{
	if (value >= low && value <= low + room)
		return 0;
	fprintf(out, "%s went up by %" PRIu64 ", expected %" PRIu64 " to %" PRIu64 "\n", name,
		value, low, low + room);
	return 1;
}

/* What was counted since the last quiet point. */
static int compare_counters(const struct point *now, FILE *out)
{
	uint64_t n[STRESS_COUNTS], unsure;
	int bad = 0;
	unsigned int i;

	for (i = 0; i < STRESS_COUNTS; i++)
		n[i] = now->count[i] - last.count[i];
	/* A process that was killed did not count the registration that it was in. */
	unsure = n[STRESS_BEGUN] - n[STRESS_FINISHED];
	bad += between("register_total", now->registered - last.registered, n[STRESS_REGISTERED],
		       unsure, out);
	bad += between("capability_queries_total", now->queries - last.queries, n[STRESS_QUERIES],
		       unsure + n[STRESS_GONE], out);
	/* The errno of the call that failed first, which here is that of the registration. */
	bad += between("failures with EBADF", now->failures.ebadf - last.failures.ebadf,
		       n[STRESS_EBADF], unsure + n[STRESS_GONE], out);
	bad += between("failures with EINVAL", now->failures.einval - last.failures.einval,
		       n[STRESS_EINVAL], unsure + n[STRESS_GONE], out);
	/* With foreign buffers it depends on track, at that moment; the end of the old never is. */
	if (stress->plan.foreign || was_older)
		return bad;
	bad += between("failures_total", now->failed - last.failed,
		       n[STRESS_FAILED] + now->import_failed - last.import_failed,
		       unsure + n[STRESS_GONE], out);
	for (i = 0; i < BALANCES; i++) {
		if (now->balance[i] == last.balance[i])
			continue;
		fprintf(out, "%s moved apart by %" PRId64 "\n", balance_names[i],
			now->balance[i] - last.balance[i]);
		bad++;
	}
	return bad;
}

static int compare_mrs(FILE *out)
{
	struct rdma_mrs m[RDMA_MRS_DEVICES];
	uint64_t mrs = 0, bytes = 0;
	int n = rdma_mrs_read(m, stress->older), i, bad = 0;
	char name[128];

	if (n < 0) {
		fprintf(out, "RDMA core: no list of MRs: %s\n", strerror(-n));
		return 1;
	}
	for (i = 0; i < n; i++) {
		mrs += m[i].mrs;
		bytes += m[i].bytes;
		snprintf(name, sizeof(name), "importers/%s/mrs", m[i].bdf);
		bad += reading_differs(name, m[i].mrs, "the RDMA core has", out);
		snprintf(name, sizeof(name), "importers/%s/mr_bytes", m[i].bdf);
		bad += reading_differs(name, m[i].bytes, "the RDMA core has", out);
	}
	bad += reading_differs("mrs", mrs, "the RDMA core has", out);
	bad += reading_differs("mr_bytes", bytes, "the RDMA core has", out);
	return bad;
}

static int compare_lost(FILE *out)
{
	uint64_t failed = total("failures_total");
	int bad = 0;

	bad += reading_differs("lost/probe_missed_total", 0, "should be", out);
	bad += reading_differs("lost/pool_exhausted_total", 0, "should be", out);
	bad += reading_differs("lost/unknown_detach_total", 0, "should be", out);
	bad += reading_differs("lost/events_total", 0, "should be", out);
	/* The older ones are overwritten, as they should be. */
	bad += reading_differs("lost/failure_records_total",
		       failed > FAILURE_RING ? failed - FAILURE_RING : 0, "should be", out);
	return bad;
}

/* Directories may lag where devices have just come and gone; the numbers in them may not. */
static int compare_live(uint64_t reasons, FILE *out)
{
	int bad = readings_compare(READINGS_TOTALS, reasons, out), i;
	FILE *null = fopen("/dev/null", "we");

	for (i = 0; null && stress->plan.devices && i < LAG_TRIES; i++) {
		if (!readings_compare(READINGS_DEVICES, reasons, null))
			break;
		usleep(LAG_US);
	}
	if (null)
		fclose(null);
	return bad + (bad ? 0 : readings_compare(READINGS_DEVICES, reasons, out));
}

void stress_oracle_start(void)
{
	take(&last, stdout);
}

int stress_oracle(FILE *out)
{
	uint64_t reasons = total("inexact_reasons");
	struct point now;
	int bad = 0;

	/* What was met as older stays a reason until nothing is left. */
	if (reasons != PREEXISTING || stress->plan.release)
		reasons = 0;
	live_leave_out(stress->kept, stress->older ? STRESS_KEPT : 0);
	bad += compare_live(reasons, out);
	bad += compare_mrs(out);
	bad += compare_lost(out);
	bad += reading_differs("preexisting", 0, "should be", out);
	if (stress->plan.release) {
		bad += reading_differs("attachments", 0, "nothing is held:", out);
		bad += reading_differs("mrs", 0, "nothing is held:", out);
	}
	if (!take(&now, out))
		return bad + 1;
	bad += reading_differs("failures_total", now.failures.all, "failure-get adds up to", out);
	bad += reading_differs("capability_queries_total", now.failures.queries, "failure-get adds up to",
		       out);
	if (!stress->plan.reload) {
		bad += reading_differs("mrs", now.registered - total("deregister_total"),
			       "register_total - deregister_total is", out);
		bad += compare_counters(&now, out);
	}
	last = now;
	was_older = stress->older;
	stress_add(STRESS_COMPARED, total("attachments"));
	stress_add(STRESS_OLDER, was_older);
	return bad;
}
