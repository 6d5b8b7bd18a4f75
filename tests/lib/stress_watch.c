// SPDX-License-Identifier: GPL-2.0
/* The stress test: who reads and sets what the module shows, and listens to it. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <linux/gdr_telemetry.h>

#include "nl.h"
#include "readings.h"
#include "stress.h"

#define DEBUGFS		"/sys/kernel/debug/gdr_telemetry"
#define DEPTH		3
#define PAUSE_US	20000

/* ---- what is tracked ----------------------------------------------------- */

static void set_track(const char *word)
{
	int fd = open(GDRT_SYSFS "/track", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, word, strlen(word)) > 0)
		stress_add(STRESS_TRACKED, 1);
	close(fd);
}

static void track_round(unsigned int slot, struct rng *rng)
{
	uint32_t n = 2 + rng_below(rng, 8), i, us;

	for (i = 0; i < n; i++) {
		us = rng_below(rng, 2 * PAUSE_US);
		if (!stress->plan.foreign)
			continue;
		stress_doing(slot, "track");
		set_track(i % 2 ? "gdr" : "all");
		usleep(us);
	}
	/* What the ledgers do not know of is left out at a quiet point. */
	if (stress->plan.foreign)
		set_track("gdr");
}

const struct stress_role stress_track = { "track", track_round, NULL };

/* ---- readers ------------------------------------------------------------- */

static void read_file(const char *path)
{
	char buf[4096];
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return;
	while (read(fd, buf, sizeof(buf)) > 0)
		;
	close(fd);
	stress_add(STRESS_READ, 1);
}

static void read_tree(const char *dir, int depth)
{
	char path[512];
	struct dirent *d;
	struct stat st;
	DIR *all = opendir(dir);

	while (all && (d = readdir(all))) {
		if (d->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%.250s/%.250s", dir, d->d_name);
		if (lstat(path, &st))
			continue;
		if (S_ISREG(st.st_mode))
			read_file(path);
		else if (S_ISDIR(st.st_mode) && depth)
			read_tree(path, depth - 1);
	}
	if (all)
		closedir(all);
}

static void dump_all(void)
{
	static const struct {
		uint8_t cmd;
		bool dump;
	} asks[] = {
		{ GDR_TELEMETRY_CMD_STATUS_GET, false },
		{ GDR_TELEMETRY_CMD_ATTACHMENT_GET, true },
		{ GDR_TELEMETRY_CMD_BUFFER_GET, true },
		{ GDR_TELEMETRY_CMD_DEVICE_GET, true },
		{ GDR_TELEMETRY_CMD_PAIR_GET, true },
		{ GDR_TELEMETRY_CMD_FAILURE_GET, true },
		{ GDR_TELEMETRY_CMD_FAILURE_LOG_GET, true },
		{ GDR_TELEMETRY_CMD_LATENCY_GET, true },
	};
	struct timeval limit = { .tv_sec = 2 };
	struct nl_answer a;
	struct nl_msg m;
	unsigned int i;
	int fd = nl_open();

	if (fd < 0)
		return;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	for (i = 0; i < sizeof(asks) / sizeof(*asks); i++) {
		nl_begin(&m, asks[i].cmd, asks[i].dump);
		if (!nl_ask(fd, &m, &a, NULL, NULL))
			break;
		stress_add(STRESS_READ, 1);
	}
	close(fd);
}

static void reader_round(unsigned int slot, struct rng *rng)
{
	static const char * const what[] = { "sysfs", "debugfs", "dumps" };
	uint32_t n = 2 + rng_below(rng, 2), i, which;

	for (i = 0; i < n; i++) {
		which = rng_below(rng, 3);
		stress_doing(slot, what[which]);
		if (which == 0)
			read_tree(GDRT_SYSFS, DEPTH);
		else if (which == 1)
			read_tree(DEBUGFS, DEPTH);
		else
			dump_all();
		/* Dumps and open files hold the module, which has to be idle at times. */
		usleep(PAUSE_US);
	}
}

const struct stress_role stress_reader = { "reader", reader_round, NULL };

/* ---- listener ------------------------------------------------------------ */

static void count_event(uint8_t cmd, const char *attrs, size_t len, void *arg)
{
	(void)cmd;
	(void)attrs;
	(void)len;
	++*(uint64_t *)arg;
}

/* Comes, listens for a while, and goes. */
static void listener_round(unsigned int slot, struct rng *rng)
{
	uint32_t n = 5 + rng_below(rng, 20), i;
	struct timeval limit = { .tv_usec = PAUSE_US };
	uint64_t events = 0;
	int fd;

	stress_doing(slot, "listen");
	fd = nl_open();
	if (fd < 0)
		return;
	if (!nl_join(fd, "events")) {
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
		for (i = 0; i < n; i++)
			while (nl_events(fd, count_event, &events) > 0 &&
			       events < 1000 * (i + 1ULL))
				;
		stress_add(STRESS_EVENTS, events);
	}
	close(fd);
}

const struct stress_role stress_listener = { "listener", listener_round, NULL };
