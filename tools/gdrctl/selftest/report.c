// SPDX-License-Identifier: GPL-2.0
/* The results of gdrctl test, for people and for programs. */
#include <string.h>

#include "causes.h"
#include "format.h"
#include "out.h"
#include "selftest/cases.h"
#include "selftest/selftest.h"

const char *const st_verdict_words[] = {
	[ST_PASS] = "pass", [ST_FAIL] = "fail", [ST_SKIP] = "skip",
};

static void put_text(struct out *o, const struct out_field *f, const char *s)
{
	if (*s)
		out_str(o, f, s);
	else
		out_unknown(o, f);
}

static void put_where(struct out *o, const struct st_plan *p, const struct st_job *j, bool table)
{
	char both[2 * ST_NAME + 4];

	const struct st_hca *h = j->hca == ST_NONE ? NULL : &p->scene.hca[j->hca];
	const struct st_source *s = j->source == ST_NONE ? NULL : &p->scene.source[j->source];
	const struct st_source *t = j->target == ST_NONE ? NULL : &p->scene.source[j->target];

	/* A row says what there is, a column also what there is not. */
	if (h || table) {
		out_row(o, "HCA");
		put_text(o, FIELD(.key = "hca", .title = "HCA"), h ? h->name : "");
		put_text(o, FIELD(.key = "hca_device"), h ? h->device : "");
	}
	if (!s && !table)
		return;
	out_row(o, "memory");
	/* A column that few rows have would be one too many. */
	snprintf(both, sizeof(both), "%s%s%s", s ? s->name : "", t && table ? " to " : "",
		 t && table ? t->name : "");
	put_text(o, FIELD(.key = "source", .title = "MEMORY"), both);
	put_text(o, FIELD(.key = "source_kind", .json_only = true),
		 s ? st_kind_words[s->kind] : "");
	if (s && *s->device)
		out_str(o, FIELD(.key = "gpu"), s->device);
	if (!t)
		return;
	out_row(o, "to");
	put_text(o, FIELD(.key = "target"), t->name);
	put_text(o, FIELD(.key = "target_gpu"), t->device);
}

static void put_ns(struct out *o, const struct out_field *f, uint64_t ns)
{
	char text[FORMAT_MAX];

	if (ns)
		out_number(o, f, ns, format_ns(ns, text));
}

static void put_failure(struct out *o, const struct st_result *r)
{
	char name[CAUSE_ERRNO_SIZE];

	out_row(o, "failed at");
	put_text(o, FIELD(.key = "stage"), r->stage);
	if (r->err) {
		out_u64(o, FIELD(.key = "errno", .json_only = true), (uint64_t)r->err);
		out_str(o, FIELD(.key = "errno_name"), cause_errno(r->err, name, sizeof(name)));
	}
	if (*r->means) {
		out_row(o, "means");
		out_prose(o, FIELD(.key = "means"), r->means);
	}
	if (*r->fix) {
		out_row(o, "do");
		out_prose(o, FIELD(.key = "fix"), r->fix);
	}
}

static void put_job(struct out *o, const struct st_plan *p, size_t i, bool table)
{
	const struct st_result *r = &p->result[i];
	const struct st_job *j = &p->job[i];
	char name[ST_TEXT], rate[FORMAT_MAX];

	out_record(o, st_job_name(p, j, name, sizeof(name)));
	out_row(o, "result");
	out_str(o, FIELD(.key = "verdict", .title = "RESULT"), st_verdict_words[r->verdict]);
	out_str(o, FIELD(.key = "case", .title = "CASE", .json_only = true), j->c->name);
	put_where(o, p, j, table);
	out_row(o, "expected");
	out_str(o, FIELD(.key = "expected"), j->c->expected);
	out_row(o, r->verdict == ST_SKIP ? "as" : "observed");
	out_str(o, FIELD(.key = "observed", .title = "OBSERVED"), r->observed);
	if (r->verdict == ST_FAIL)
		put_failure(o, r);
	out_row(o, "module");
	out_bool(o, FIELD(.key = "proven"), r->proven, "its records agree", "not asked");
	if (r->duration_ns)
		out_row(o, "took");
	put_ns(o, FIELD(.key = "duration_ns"), r->duration_ns);
	put_ns(o, FIELD(.key = "register_ns", .after = "the last registration"), r->register_ns);
	if (r->bytes_per_s) {
		format_size(r->bytes_per_s, rate);
		strncat(rate, "/s", sizeof(rate) - strlen(rate) - 1);
		out_number(o, FIELD(.key = "bytes_per_second"), r->bytes_per_s, rate);
	}
}

static bool has_source(const struct st_plan *p, bool cuda)
{
	for (uint32_t i = 0; i < p->scene.n_sources; i++)
		if (!*p->scene.source[i].missing &&
		    (p->scene.source[i].kind <= ST_CUDA_PCIE) == cuda &&
		    st_wants_source(&p->choice, &p->scene.source[i]))
			return true;
	return false;
}

/* What was not tested, and why: who reads "passed" has to know of what. */
static void put_limits(const struct st_plan *p, FILE *to)
{
	char text[2 * ST_TEXT];

	if (!p->looked) {
		fputs("What there is to test was not looked for: too few files can be opened.\n",
		      to);
		return;
	}
	if (!p->scene.n_hcas)
		fputs("No HCA: libibverbs finds none, so nothing of RDMA was tested. "
		      "modprobe mlx5_ib ib_uverbs; ls /sys/class/infiniband.\n", to);
	if (!has_source(p, true)) {
		snprintf(text, sizeof(text), "No GPU's memory was tested%s%s.",
			 *p->scene.cuda ? ": " : "", p->scene.cuda);
		format_prose(to, text, 0, 0);
		fputc('\n', to);
		if (!has_source(p, false))
			fputs("No dma-buf of the host either: modprobe udmabuf, and run it as "
			      "root.\n", to);
	}
	if (!p->proofs && *p->module) {
		snprintf(text, sizeof(text), "Nothing was compared with the kernel's side: %s.",
			 p->module);
		format_prose(to, text, 0, 0);
		fputc('\n', to);
	}
}

static void put_foot(const struct st_plan *p, FILE *to)
{
	char name[ST_TEXT];
	size_t count[3];

	for (size_t i = 0; i < p->done; i++) {
		const struct st_result *r = &p->result[i];

		if (r->verdict != ST_FAIL)
			continue;
		fprintf(to, "\n%s failed at stage %s:\n    ",
			st_job_name(p, &p->job[i], name, sizeof(name)), r->stage);
		format_prose(to, r->observed, 4, 4);
		if (*r->means) {
			fputs("\n    ", to);
			format_prose(to, r->means, 4, 4);
		}
		if (*r->fix) {
			fputs("\n    -> ", to);
			format_prose(to, r->fix, 7, 7);
		}
		fputc('\n', to);
	}
	st_counts(p, count);
	fputc('\n', to);
	put_limits(p, to);
	fprintf(to, "%zu passed, %zu failed, %zu skipped\n", count[ST_PASS], count[ST_FAIL],
		count[ST_SKIP]);
}

enum exit_code st_print(const struct gdrctl *g, const struct st_plan *p, FILE *to)
{
	enum out_shape shape = g->opt.oneline ? OUT_LINE : g->opt.details ? OUT_BLOCK : OUT_TABLE;
	struct out *o = out_new(&g->opt, shape, true, to);
	bool table = shape == OUT_TABLE && !g->opt.json;
	enum exit_code rc;

	if (!o) {
		message("no memory");
		return EXIT_SYSTEM;
	}
	for (size_t i = 0; i < p->done; i++)
		put_job(o, p, i, table);
	rc = out_finish(o);
	if (!rc && table)
		put_foot(p, to);
	return rc;
}

static void ktap_line(const char *label, const char *text, FILE *to)
{
	if (*text)
		fprintf(to, "# %s: %s\n", label, text);
}

enum exit_code st_print_ktap(const struct st_plan *p, size_t from, FILE *to)
{
	char name[ST_TEXT];

	if (!from)
		fprintf(to, "TAP version 13\n1..%zu\n", p->n);
	for (size_t i = from ? from - 1 : 0; i < p->done; i++) {
		const struct st_result *r = &p->result[i];

		if (r->verdict == ST_FAIL) {
			ktap_line("expected", p->job[i].c->expected, to);
			ktap_line("observed", r->observed, to);
			ktap_line("stage", r->stage, to);
			ktap_line("means", r->means, to);
			ktap_line("fix", r->fix, to);
		}
		fprintf(to, "%s %zu %s%s%s\n", r->verdict == ST_FAIL ? "not ok" : "ok", i + 1,
			st_job_name(p, &p->job[i], name, sizeof(name)),
			r->verdict == ST_SKIP ? " # SKIP " : "",
			r->verdict == ST_SKIP ? r->observed : "");
	}
	return fflush(to) || ferror(to) ? EXIT_SYSTEM : EXIT_OK;
}

enum exit_code st_print_cases(const struct gdrctl *g, FILE *to)
{
	static const char *const scopes[] = {
		[ST_MACHINE] = "once", [ST_HCA] = "hca", [ST_ANY] = "hca",
		[ST_PAIR] = "hca-memory", [ST_SHARED] = "memory", [ST_BETWEEN] = "hca-gpu-gpu",
	};
	enum out_shape shape = g->opt.oneline ? OUT_LINE : g->opt.details ? OUT_BLOCK : OUT_TABLE;
	struct out *o = out_new(&g->opt, shape, true, to);

	if (!o) {
		message("no memory");
		return EXIT_SYSTEM;
	}
	for (const struct st_case *c = st_cases; c->name; c++) {
		out_record(o, c->name);
		out_str(o, FIELD(.key = "case", .title = "CASE", .json_only = true), c->name);
		out_row(o, "run");
		out_str(o, FIELD(.key = "scope", .title = "FOR EACH"), scopes[c->scope]);
		out_bool(o, FIELD(.key = "quick", .title = "QUICK"), c->quick, "quick", "-");
		out_number(o, FIELD(.key = "timeout_seconds", .title = "SECONDS", .right = true),
			   c->timeout_s, NULL);
		out_row(o, "expected");
		out_str(o, FIELD(.key = "expected", .title = "EXPECTED"), c->expected);
	}
	return out_finish(o);
}
