// SPDX-License-Identifier: GPL-2.0
/* What the module says of what this process did. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "causes.h"
#include "failure.h"
#include "module.h"
#include "names.h"
#include "selftest/proof.h"

#define A(name) GDR_TELEMETRY_A_ATTACHMENT_##name
#define DOUBT (GDR_TELEMETRY_INEXACT_REASON_PROBE_MISSED |                                       \
	       GDR_TELEMETRY_INEXACT_REASON_POOL_EXHAUSTED |                                     \
	       GDR_TELEMETRY_INEXACT_REASON_PROBES_OFF)

static enum exit_code read_attachments(struct st_proof *p, uint32_t pid, struct attachments *list)
{
	struct filter f = { .pid = pid };

	f.has[FILTER_PID] = true;
	return kernel_attachments(&p->nl, &f, list);
}

static void ask_module(struct st_proof *p)
{
	struct attachments list = { .n = 0 };
	struct status s;

	memset(&s, 0, sizeof(s));
	if (kernel_status(&p->nl, &s)) {
		snprintf(p->text, sizeof(p->text), "the module gdr_telemetry does not answer");
	} else if (read_attachments(p, (uint32_t)getpid(), &list)) {
		snprintf(p->text, sizeof(p->text),
			 "what the module gdr_telemetry knows of processes needs root");
	} else if (s.inexact_reasons & DOUBT) {
		snprintf(p->text, sizeof(p->text),
			 "the module's readings are inexact; gdrctl status says why");
	} else {
		p->usable = true;
		p->mrs = s.mr_join == GDR_TELEMETRY_MR_JOIN_ON;
		snprintf(p->text, sizeof(p->text), "compared with the module's records");
	}
	attachments_free(&list);
	model_status_free(&s);
}

void st_proof_open(struct st_proof *p)
{
	memset(p, 0, sizeof(*p));
	if (!names_module(MODULE_NAME))
		snprintf(p->text, sizeof(p->text), "the module gdr_telemetry is not loaded");
	else if (kernel_open(&p->nl))
		snprintf(p->text, sizeof(p->text), "the module gdr_telemetry does not answer");
	else
		ask_module(p);
}

void st_proof_close(struct st_proof *p)
{
	kernel_close(&p->nl);
	memset(p, 0, sizeof(*p));
}

static bool differs(char *text, const char *what, uint64_t is, uint64_t should)
{
	if (is == should)
		return false;
	snprintf(text, ST_TEXT, "the module says %s %" PRIu64 ", not %" PRIu64, what, is, should);
	return true;
}

static bool mr_differs(const struct st_proof *p, const struct attachment *a,
		       const struct st_want *w, char *text)
{
	if (!w->has_mr || !p->mrs)
		return false;
	if (!model_has(a->present, A(MR_LENGTH))) {
		snprintf(text, ST_TEXT, "the module knows no MR on the attachment");
		return true;
	}
	return differs(text, "MR length", a->mr_length, w->length) ||
	       differs(text, "MR offset", a->mr_offset, w->offset) ||
	       differs(text, "MR iova", a->mr_iova, w->iova) ||
	       differs(text, "MR access", a->mr_access, w->access);
}

static bool importer_differs(const struct attachments *list, size_t i, const struct st_want *w,
			     char *text)
{
	const struct attachment *a = &list->item[i];

	if (w->importer && strcmp(a->importer, w->importer) != 0) {
		snprintf(text, ST_TEXT, "the module says importer %.32s, not %.32s", a->importer,
			 w->importer);
		return true;
	}
	for (size_t k = 0; !w->importer && k < i; k++) {
		if (list->item[k].buffer == w->buffer &&
		    !strcmp(list->item[k].importer, a->importer)) {
			snprintf(text, ST_TEXT, "the module says importer %.32s twice",
				 a->importer);
			return true;
		}
	}
	return false;
}

int st_proof_attached(struct st_proof *p, const struct st_want *w, char text[ST_TEXT])
{
	struct attachments list = { .n = 0 };
	size_t n = 0;
	int rc = -1;

	if (read_attachments(p, w->pid, &list)) {
		snprintf(text, ST_TEXT, "the module did not answer");
		goto out;
	}
	for (size_t i = 0; i < list.n; i++) {
		const struct attachment *a = &list.item[i];

		if (a->buffer != w->buffer)
			continue;
		n++;
		if (differs(text, "size", a->size, w->size) ||
		    importer_differs(&list, i, w, text) || mr_differs(p, a, w, text))
			goto out;
	}
	if (n != w->n)
		snprintf(text, ST_TEXT, "the module has %zu attachments of this buffer by this "
			 "process, not %zu", n, w->n);
	else
		rc = 0;
out:
	attachments_free(&list);
	return rc;
}

long st_proof_count(struct st_proof *p, uint32_t pid)
{
	struct attachments list = { .n = 0 };
	long n = read_attachments(p, pid, &list) ? -1 : (long)list.n;

	attachments_free(&list);
	return n;
}

/* What the record says of the causes decides which is told; else the first that is possible. */
static void take_cause(struct st_result *r, const struct cause *c, const struct facts *f)
{
	char evidence[FACTS_EVIDENCE];
	const struct likely *best = NULL;

	for (size_t i = 0; i < cause_likely(c); i++) {
		enum verdict v = facts_verdict(f, c->likely[i].only, evidence);

		if (!*c->likely[i].what || v == VERDICT_RULED_OUT)
			continue;
		if (!best || v == VERDICT_FITS)
			best = &c->likely[i];
		if (v == VERDICT_FITS)
			break;
	}
	snprintf(r->means, sizeof(r->means), "%s%s%s%s", c->means, best ? " Perhaps " : "",
		 best ? best->what : "", best ? "." : "");
	snprintf(r->fix, sizeof(r->fix), "%s", c->fix);
}

void st_advise(struct st_result *r, uint32_t stage, int err)
{
	const struct cause *c = cause_find(stage, err);
	struct facts f = { .nvidia = UNKNOWN };

	facts_machine(&f);
	if (c)
		take_cause(r, c, &f);
}

int st_proof_failure(struct st_proof *p, int err, uint64_t since_ns, struct st_result *r)
{
	const struct record *last = NULL;
	struct records log = { .n = 0 };
	struct facts f = { .nvidia = UNKNOWN };
	const struct cause *c;
	uint32_t stage;
	char unknown[32];

	if (list_read(&list_failure_log, &p->nl, &log))
		goto out;
	for (size_t i = 0; i < log.n; i++)
		if (record_number(&log.item[i], FAILURE(PID)) == (uint64_t)getpid() &&
		    (!last || record_number(&log.item[i], FAILURE(SEQ)) >
			      record_number(last, FAILURE(SEQ))))
			last = &log.item[i];
	if (last && (record_number(last, FAILURE(ERROR)) != (uint64_t)err ||
		     record_number(last, FAILURE(TIME)) < since_ns))
		last = NULL;
	if (!last)
		goto out;
	stage = (uint32_t)record_number(last, FAILURE(STAGE));
	snprintf(r->stage, sizeof(r->stage), "%.15s",
		 enum_name(stage_words, stage, unknown, sizeof(unknown)));
	failure_facts(last, &f);
	facts_machine(&f);
	c = cause_find(stage, err);
	if (c)
		take_cause(r, c, &f);
out:
	records_free(&log);
	return last ? 0 : -1;
}
