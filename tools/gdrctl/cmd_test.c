// SPDX-License-Identifier: GPL-2.0
/* gdrctl test [run | list] [gpu GPU] [hca HCA] [source KIND]... [case CASE]... [size SIZE] */
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "format.h"
#include "selftest/choice.h"

/* Each result as it comes: whoever reads along sees how far it is. */
static void progress_ktap(const struct st_plan *p)
{
	(void)st_print_ktap(p, p->done, stdout);
}

static void progress(const struct st_plan *p)
{
	char name[ST_TEXT];

	fprintf(stderr, "\r\033[K[%zu/%zu] %s", p->done + 1, p->n,
		st_job_name(p, &p->job[p->done], name, sizeof(name)));
	fflush(stderr);
}

static enum exit_code check_plan(const struct st_plan *p)
{
	bool found = !*p->choice.gpu;

	for (uint32_t i = 0; i < p->scene.n_sources; i++)
		found |= !strcmp(p->scene.source[i].device, p->choice.gpu);
	if (!found)
		message("gpu %s: CUDA does not have it%s%s", p->choice.gpu,
			*p->scene.cuda ? ": " : "; CUDA_VISIBLE_DEVICES?", p->scene.cuda);
	return st_exit_code(p);
}

static enum exit_code test_run(struct gdrctl *g, struct args *a)
{
	struct st_plan p = { .n = 0 };
	bool terminal = isatty(STDERR_FILENO);
	enum exit_code rc;

	rc = st_choice_read(&p.choice, g->opt.quick, a);
	if (rc)
		return rc;
	terminal &= !g->opt.ktap;
	rc = st_supervise(&p, g->opt.ktap ? progress_ktap : terminal ? progress : NULL);
	if (terminal)
		fputs("\r\033[K", stderr);
	if (!rc)
		rc = g->opt.ktap ? st_print_ktap(&p, p.done, stdout) : st_print(g, &p, stdout);
	if (!rc)
		rc = check_plan(&p);
	st_plan_free(&p);
	return rc;
}

static enum exit_code test_list(struct gdrctl *g, struct args *a)
{
	const char *word = args_next(a);
	char shown[64];

	if (word)
		message("test list takes no word, not \"%s\"",
			format_escape(word, shown, sizeof(shown)));
	return word || a->wrong ? EXIT_USAGE : st_print_cases(g, stdout);
}

static void set_quick(struct options *opt, const char *value)
{
	(void)value;
	opt->quick = true;
}

static void set_ktap(struct options *opt, const char *value)
{
	(void)value;
	opt->ktap = true;
}

static const struct object_option options[] = {
	{ "quick", NULL, set_quick, "a small subset, in seconds" },
	{ "ktap", NULL, set_ktap, "KTAP in place of a table" },
	{ NULL, NULL, NULL, NULL },
};

static const struct command commands[] = {
	{ "run", test_run, 0, "run the test" },
	{ "list", test_list, 0, "list the cases and what is expected of them" },
	{ NULL, NULL, 0, NULL },
};

const struct object object_test = {
	.name = "test",
	.help = "does registration and transfer work, between each GPU and each HCA",
	.notes = "gpu GPU          this GPU alone: BDF, index or UUID\n"
		 "hca HCA          this HCA alone: BDF or RDMA device\n"
		 "source KIND      memory: cuda, cuda-vmm, cuda-pcie, udmabuf, dma-heap; repeat\n"
		 "case CASE        this case alone; repeat it for more; test list has them\n"
		 "size SIZE        the largest buffer, 64M if it is not given\n"
		 "\nExit status: 0 it works, 5 something does not, 4 it cannot be tested here.\n",
	.command = commands,
	.operands = { "[gpu GPU] [hca HCA] [source KIND]... [case CASE]... [size SIZE]" },
	.options = options,
	.offer = st_choice_offer,
	.offer_value = st_choice_offer_value,
};
