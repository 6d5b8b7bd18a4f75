// SPDX-License-Identifier: GPL-2.0
/* gdrctl-top [OPTIONS] [show] [KEY VALUE]... */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "args.h"
#include "cmd.h"
#include "top/screen.h"
#include "top/top.h"

#define DELAY_MIN_MS 100
#define DELAY_MAX_MS 3600000

static volatile sig_atomic_t signalled;

static void on_signal(int sig)
{
	signalled = sig;
}

static void catch_signals(void)
{
	static const int sigs[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction sa = { .sa_handler = on_signal };

	/* Without SA_RESTART: what waits shall wake. */
	for (size_t i = 0; i < ARRAY_SIZE(sigs); i++)
		sigaction(sigs[i], &sa, NULL);
}

/* What started this sees how it ended. */
static void end_by_signal(void)
{
	signal(signalled, SIG_DFL);
	raise(signalled);
}

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t = { 0 };

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void read_clocks(struct gdrctl *g)
{
	g->boottime_ns = now_ns(CLOCK_BOOTTIME);
	g->realtime_s = (int64_t)(now_ns(CLOCK_REALTIME) / 1000000000u);
}

/* No probes: they are not looked at, and their memory is the look's. */
static void keep_first(struct status *first, bool *have, const struct top_look *look)
{
	if (*have)
		return;
	*first = look->status;
	first->probes = NULL;
	first->n_probes = 0;
	*have = true;
}

static void sleep_ms(int ms)
{
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };

	while (!signalled && nanosleep(&t, &t) && errno == EINTR)
		;
}

static enum exit_code print_frame(const struct frame *f)
{
	for (size_t i = 0; i < f->n; i++)
		puts(f->line[i]);
	if (!fflush(stdout) && !ferror(stdout))
		return EXIT_OK;
	message("cannot write: output error");
	return EXIT_SYSTEM;
}

static enum exit_code batch(struct gdrctl *g, const struct top *t, int delay_ms,
			    unsigned int looks)
{
	struct status first = { .n_probes = 0 };
	enum exit_code rc = EXIT_OK;
	bool have = false;

	for (unsigned int i = 0; !rc && i < looks && !signalled; i++) {
		struct frame f = { .n = 0 };
		struct top_look look;

		if (i) {
			sleep_ms(delay_ms);
			putchar('\n');
		}
		if (signalled)
			break;
		read_clocks(g);
		rc = top_look(g, t, &look);
		keep_first(&first, &have, &look);
		if (!rc)
			rc = top_frame(g, t, &look, &first, &f);
		if (!rc)
			rc = print_frame(&f);
		top_frame_free(&f);
		top_look_free(&look);
	}
	return rc;
}

/* Draws one look, as the user wants it, until it is time for the next one. */
static enum exit_code watch_look(const struct gdrctl *g, struct top *t, struct top_look *look,
				 const struct status *first, int *delay_ms, bool *ended)
{
	uint64_t begun = now_ns(CLOCK_MONOTONIC);
	enum exit_code rc = EXIT_OK;
	enum wish wish = WISH_DRAW;

	while (!rc && !signalled && wish != WISH_LOOK && wish != WISH_END) {
		uint64_t gone_ms;
		struct frame f;

		rc = top_frame(g, t, look, first, &f);
		if (!rc)
			screen_draw(t, &f, *delay_ms);
		top_frame_free(&f);
		gone_ms = (now_ns(CLOCK_MONOTONIC) - begun) / 1000000u;
		wish = screen_wait(t, gone_ms < (uint64_t)*delay_ms ?
				  *delay_ms - (int)gone_ms : 0);
		if (wish == WISH_SLOWER && *delay_ms < DELAY_MAX_MS / 2)
			*delay_ms *= 2;
		if (wish == WISH_FASTER && *delay_ms / 2 >= DELAY_MIN_MS)
			*delay_ms /= 2;
	}
	*ended = wish == WISH_END;
	return rc;
}

static enum exit_code watch(struct gdrctl *g, struct top *t, int delay_ms)
{
	struct status first = { .n_probes = 0 };
	bool have = false, ended = false;
	enum exit_code rc = EXIT_OK;
	char said[1024] = "";

	while (!rc && !ended && !signalled) {
		struct top_look look;

		read_clocks(g);
		said[0] = 0;
		rc = top_look(g, t, &look);
		/* Only when there is something to show; from then on messages have to wait. */
		if (!rc && !have) {
			rc = screen_begin();
			message_divert(said, sizeof(said));
		}
		keep_first(&first, &have, &look);
		if (!rc)
			rc = watch_look(g, t, &look, &first, &delay_ms, &ended);
		top_look_free(&look);
	}
	screen_end();
	message_divert(NULL, 0);
	if (rc && *said)
		message("%s", said);
	return rc;
}

static enum exit_code read_line(struct gdrctl *g, struct args *a, struct top *t)
{
	const char *word = args_next(a);
	enum exit_code rc;

	if (a->wrong)
		return EXIT_USAGE;
	if (word && strcmp(word, "show") != 0)
		args_back(a);
	rc = filters_read(&t->filter, a, TOP_FILTERS);
	if (!rc && (g->opt.json || g->opt.oneline || g->opt.details)) {
		message("top is for people: of the options only -n and --bytes go with it; for "
			"programs: gdrctl -j owner, pair, attachment");
		rc = EXIT_USAGE;
	}
	return rc;
}

int main(int argc, char **argv)
{
	struct gdrctl g = { .opt = { .json = false } };
	struct args a = { .argv = argv, .i = 1, .opt = &g.opt, .own = object_top.options };
	struct top t = { .view = TOP_OWNERS };
	unsigned int looks;
	enum exit_code rc;
	int delay_ms;

	(void)argc;
	for (char **word = argv + 1; *word; word++)
		if (!strcmp(*word, "-h") || !strcmp(*word, "--help") || !strcmp(*word, "help")) {
			help_print(&object_top, stdout);
			return EXIT_OK;
		}
	rc = read_line(&g, &a, &t);
	if (!rc && g.opt.version) {
		printf("gdrctl-top %s\n", tool_version);
		return EXIT_OK;
	}
	if (!rc)
		rc = top_options(&g.opt, &t, &delay_ms, &looks);
	if (rc)
		return rc;
	catch_signals();
	rc = looks ? batch(&g, &t, delay_ms, looks) : watch(&g, &t, delay_ms);
	if (signalled)
		end_by_signal();
	return rc;
}
