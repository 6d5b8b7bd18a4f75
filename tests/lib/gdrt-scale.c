// SPDX-License-Identifier: GPL-2.0
/*
 * Many attachments at once, and a reading of every dump of the module.
 *
 *	gdrt-scale IN OUT
 *
 * holds what it makes until it is told otherwise or killed. Reads commands from
 * the FIFO IN and answers in the FIFO OUT, as gdrt-reg does:
 *
 *	buffers N SIZE GPUS	N buffers, over the GPUs in turn; ok N
 *	attach EACH MODE FUNCTIONS [PAUSE_US]
 *				EACH attachments of each buffer (by the importer
 *				double; MODE is a number of enum gdrt_import_mode),
 *				buffers over the functions in turn, a pause after
 *				each; ok COUNT ms=T
 *	map | unmap | detach	all attachments; ok COUNT ms=T
 *	reg EACH HCA...		EACH MRs of each buffer on each of the HCAs;
 *				ok COUNT ms=T
 *	dereg			all of them; ok COUNT ms=T
 *	hog CPU | unhog		keep CPU, not the one for this process, from anything
 *				but real-time work; for less than a second
 *	quit
 *
 *	gdrt-scale dump attachments|buffers|importers|exporters|pairs
 *
 * prints what a dump has in it, in sum, as NAME=VALUE in one line:
 *
 *	attachments	n= ids= (different ones) mapped= pinned= interrupted= ms=
 *	buffers		n= ids= attachments= mapped= pinned= interrupted= ms=
 *	the others	n= attachments= buffers= mapped_bytes= pinned_bytes=
 *			interrupted= ms=
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <linux/gdr_telemetry.h>

#include "command.h"
#include "hca.h"
#include "nl.h"

struct range {
	uint64_t handle;
	unsigned int count;
};

static struct buffer *buffers;
static struct range *ranges;		/* of each buffer */
static struct ibv_mr **mrs;
static unsigned int n_buffers, n_ranges, n_mrs;
static FILE *out;

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ULL + t.tv_nsec / 1000000;
}

static unsigned int number(const char *word)
{
	return word ? strtoul(word, NULL, 0) : 0;
}

/* Each returns how many it worked on, or a negative errno. */
static int cmd_buffers(char **w)
{
	unsigned int n = number(w[1]), gpus = number(w[3]);
	struct rlimit files = { .rlim_cur = n + 64, .rlim_max = n + 64 };
	int err;

	if (!n || !gpus || n_buffers)
		return -EINVAL;
	if (setrlimit(RLIMIT_NOFILE, &files))
		return -errno;
	buffers = calloc(n, sizeof(*buffers));
	ranges = calloc(n, sizeof(*ranges));
	if (!buffers || !ranges)
		return -ENOMEM;
	for (; n_buffers < n; n_buffers++) {
		err = buffer_export(&buffers[n_buffers], strtoull(w[2], NULL, 0), n_buffers % gpus,
				    0);
		if (err)
			return err;
	}
	return n;
}

static int cmd_attach(char **w)
{
	unsigned int each = number(w[1]), functions = number(w[3]);
	int err;

	if (!each || !functions || n_ranges)
		return -EINVAL;
	for (; n_ranges < n_buffers; n_ranges++) {
		struct range *r = &ranges[n_ranges];

		/* Apart from the GPUs' turn, so that every pair comes about. */
		err = import_attach(&buffers[n_ranges], n_ranges / 2 % functions, number(w[2]),
				    each, &r->handle);
		if (err)
			return err;
		r->count = each;
		if (w[4])
			usleep(number(w[4]));
	}
	return n_ranges * each;
}

static int all_ranges(unsigned long request)
{
	unsigned int i, n = 0;
	int err;

	for (i = 0; i < n_ranges; i++) {
		err = import_range(request, ranges[i].handle, ranges[i].count);
		if (err)
			return err;
		n += ranges[i].count;
	}
	if (request == GDRT_DETACH)
		n_ranges = 0;
	return n;
}

static int cmd_reg(char **w)
{
	unsigned int each = number(w[1]), hcas = 0, b, i, h;

	while (w[2 + hcas])
		hcas++;
	if (!each || !hcas || n_mrs)
		return -EINVAL;
	mrs = calloc((size_t)n_buffers * each * hcas, sizeof(*mrs));
	if (!mrs)
		return -ENOMEM;
	for (b = 0; b < n_buffers; b++)
		for (h = 0; h < hcas; h++)
			for (i = 0; i < each; i++) {
				struct hca *hca = hca_get(w[2 + h]);

				if (!hca)
					return -errno;
				mrs[n_mrs] = hca_reg(hca, &buffers[b], 0, buffers[b].size);
				if (!mrs[n_mrs])
					return -errno;
				n_mrs++;
			}
	return n_mrs;
}

static int cmd_dereg(void)
{
	unsigned int n = n_mrs;
	int err;

	while (n_mrs) {
		err = ibv_dereg_mr(mrs[n_mrs - 1]);
		if (err)
			return -err;
		n_mrs--;
	}
	free(mrs);
	mrs = NULL;
	return n;
}

static int run_on(int cpu, bool only)
{
	cpu_set_t set;
	int i;

	CPU_ZERO(&set);
	for (i = 0; i < sysconf(_SC_NPROCESSORS_CONF); i++)
		if ((i == cpu) == only)
			CPU_SET(i, &set);
	return sched_setaffinity(0, sizeof(set), &set) ? -errno : 0;
}

static pid_t hog;

static int cmd_hog(int cpu)
{
	struct sched_param prio = { .sched_priority = 10 };
	int err = run_on(cpu, false);

	if (err)
		return err;
	hog = fork();
	if (hog < 0)
		return -errno;
	if (!hog) {
		if (run_on(cpu, true) || sched_setscheduler(0, SCHED_FIFO, &prio))
			_exit(1);
		for (;;)
			;
	}
	return cpu;
}

static int cmd_unhog(void)
{
	int status;

	kill(hog, SIGKILL);
	if (waitpid(hog, &status, 0) != hog)
		return -errno;
	/* It could not have its CPU if it ended by itself. */
	return WIFSIGNALED(status) ? 0 : -EPERM;
}

static int command(char **w)
{
	if (!strcmp(w[0], "hog") && w[1])
		return cmd_hog(number(w[1]));
	if (!strcmp(w[0], "unhog"))
		return cmd_unhog();
	if (!strcmp(w[0], "buffers") && w[1] && w[2])
		return cmd_buffers(w);
	if (!strcmp(w[0], "attach") && w[1] && w[2])
		return cmd_attach(w);
	if (!strcmp(w[0], "reg") && w[1])
		return cmd_reg(w);
	if (!strcmp(w[0], "dereg"))
		return cmd_dereg();
	if (!strcmp(w[0], "map"))
		return all_ranges(GDRT_MAP);
	if (!strcmp(w[0], "unmap"))
		return all_ranges(GDRT_UNMAP);
	if (!strcmp(w[0], "detach"))
		return all_ranges(GDRT_DETACH);
	return -EINVAL;
}

static int hold(const char *in_path, const char *out_path)
{
	struct command c;
	uint64_t start;
	FILE *in;
	int ret;

	command_open(in_path, out_path, &in, &out);
	if (!in || !out) {
		perror("gdrt-scale");
		return 2;
	}
	setvbuf(in, NULL, _IOLBF, 0);
	setvbuf(out, NULL, _IOLBF, 0);
	while (command_next(in, &c)) {
		if (!strcmp(c.w[0], "quit")) {
			fprintf(out, "ok\n");
			break;
		}
		start = now_ms();
		ret = command(c.w);
		if (ret < 0)
			fprintf(out, "error %d %s\n", -ret, strerror(-ret));
		else
			fprintf(out, "ok %d ms=%" PRIu64 "\n", ret, now_ms() - start);
	}
	return 0;
}

/* ---- dumps -------------------------------------------------------------- */

struct sums {
	uint64_t n;
	uint64_t *ids;
	size_t room;
	uint64_t sum[5];	/* in the order of dumped->sum; of attachments mapped, pinned */
	const struct dumped *dumped;
};

struct summed {
	uint16_t attr;
	const char *name;
};

static const struct dumped {
	const char *word;
	uint8_t cmd;
	uint16_t first;
	bool ids;		/* the first attribute is an identity */
	uint32_t role;		/* ~0: none */
	struct summed sum[5];
} dumps[] = {
	{ "attachments", GDR_TELEMETRY_CMD_ATTACHMENT_GET, GDR_TELEMETRY_A_ATTACHMENT_ID, true, ~0U,
	  { { GDR_TELEMETRY_A_ATTACHMENT_FLAGS, "flags" } } },
	{ "buffers", GDR_TELEMETRY_CMD_BUFFER_GET, GDR_TELEMETRY_A_BUFFER_INODE, true, ~0U,
	  { { GDR_TELEMETRY_A_BUFFER_ATTACHMENTS, "attachments" },
	    { GDR_TELEMETRY_A_BUFFER_MAPPED, "mapped" },
	    { GDR_TELEMETRY_A_BUFFER_PINNED, "pinned" } } },
#define DEVICE_SUMS {								\
	{ GDR_TELEMETRY_A_DEVICE_ATTACHMENTS, "attachments" },			\
	{ GDR_TELEMETRY_A_DEVICE_BUFFERS, "buffers" },				\
	{ GDR_TELEMETRY_A_DEVICE_MAPPED_BYTES, "mapped_bytes" },		\
	{ GDR_TELEMETRY_A_DEVICE_PINNED_BYTES, "pinned_bytes" } }
	{ "importers", GDR_TELEMETRY_CMD_DEVICE_GET, GDR_TELEMETRY_A_DEVICE_ROLE, false,
	  GDR_TELEMETRY_ROLE_IMPORTER, DEVICE_SUMS },
	{ "exporters", GDR_TELEMETRY_CMD_DEVICE_GET, GDR_TELEMETRY_A_DEVICE_ROLE, false,
	  GDR_TELEMETRY_ROLE_EXPORTER, DEVICE_SUMS },
	{ "pairs", GDR_TELEMETRY_CMD_PAIR_GET, GDR_TELEMETRY_A_PAIR_EXPORTER, false, ~0U,
	  { { GDR_TELEMETRY_A_PAIR_ATTACHMENTS, "attachments" },
	    { GDR_TELEMETRY_A_PAIR_BUFFERS, "buffers" },
	    { GDR_TELEMETRY_A_PAIR_MAPPED_BYTES, "mapped_bytes" },
	    { GDR_TELEMETRY_A_PAIR_PINNED_BYTES, "pinned_bytes" } } },
};

static uint64_t value_of(const struct nlattr *attr)
{
	uint64_t v64;
	uint32_t v32;

	if (attr->nla_len == NLA_HDRLEN + sizeof(v64)) {
		memcpy(&v64, nl_data(attr), sizeof(v64));
		return v64;
	}
	memcpy(&v32, nl_data(attr), sizeof(v32));
	return v32;
}

static void add(const struct nlattr *attr, void *arg)
{
	struct sums *s = arg;
	const struct summed *field;
	unsigned int i;

	if (attr->nla_type == s->dumped->first) {
		if (s->n == s->room) {
			s->room = s->room ? 2 * s->room : 1024;
			s->ids = realloc(s->ids, s->room * sizeof(*s->ids));
			if (!s->ids)
				abort();
		}
		s->ids[s->n++] = s->dumped->ids ? value_of(attr) : 0;
		return;
	}
	for (i = 0, field = s->dumped->sum; i < 5 && field->name; i++, field++) {
		if (attr->nla_type != field->attr)
			continue;
		if (s->dumped->cmd != GDR_TELEMETRY_CMD_ATTACHMENT_GET) {
			s->sum[i] += value_of(attr);
		} else {
			s->sum[0] += !!(value_of(attr) & GDR_TELEMETRY_ATTACHMENT_FLAG_MAPPED);
			s->sum[1] += !!(value_of(attr) & GDR_TELEMETRY_ATTACHMENT_FLAG_PINNED);
		}
	}
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void print_sums(struct sums *s, const struct nl_answer *a, uint64_t ms)
{
	uint64_t ids = 0, i;

	printf("n=%" PRIu64, s->n);
	if (s->dumped->ids) {
		qsort(s->ids, s->n, sizeof(*s->ids), by_value);
		for (i = 0; i < s->n; i++)
			ids += !i || s->ids[i] != s->ids[i - 1];
		printf(" ids=%" PRIu64, ids);
	}
	if (s->dumped->cmd == GDR_TELEMETRY_CMD_ATTACHMENT_GET)
		printf(" mapped=%" PRIu64 " pinned=%" PRIu64, s->sum[0], s->sum[1]);
	else
		for (i = 0; i < 5 && s->dumped->sum[i].name; i++)
			printf(" %s=%" PRIu64, s->dumped->sum[i].name, s->sum[i]);
	printf(" interrupted=%d ms=%" PRIu64 "\n", a->interrupted, ms);
}

static int dump(const char *word)
{
	struct sums s = {};
	struct nl_answer a;
	struct nl_msg m;
	unsigned int i;
	uint64_t start;
	int fd = nl_open();

	if (fd < 0) {
		fprintf(stderr, "%s: %s\n", GDR_TELEMETRY_FAMILY_NAME, strerror(-fd));
		return 2;
	}
	for (i = 0; i < sizeof(dumps) / sizeof(*dumps); i++)
		if (!strcmp(dumps[i].word, word))
			s.dumped = &dumps[i];
	if (!s.dumped) {
		fprintf(stderr, "gdrt-scale: unknown dump '%s'\n", word);
		return 2;
	}
	start = now_ms();
	nl_begin(&m, s.dumped->cmd, true);
	if (s.dumped->role != ~0U)
		nl_put(&m, GDR_TELEMETRY_A_DEVICE_ROLE, &s.dumped->role, sizeof(s.dumped->role));
	if (!nl_ask(fd, &m, &a, add, &s) || a.err) {
		fprintf(stderr, "dump of %s: %s %s\n", word, strerror(a.err ?: errno), a.extack);
		return 1;
	}
	print_sums(&s, &a, now_ms() - start);
	free(s.ids);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "dump"))
		return dump(argv[2]);
	if (argc == 3)
		return hold(argv[1], argv[2]);
	fprintf(stderr, "usage: gdrt-scale IN OUT (FIFOs) | dump WHAT\n");
	return 2;
}
