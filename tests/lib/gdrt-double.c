// SPDX-License-Identifier: GPL-2.0
/*
 * gdrt-double: drives both test doubles from a shell. Arguments are steps,
 * separated by ":"; each prints "STEP OK" or "STEP ERRNO NAME". What the steps
 * made goes with the process.
 */
#define _GNU_SOURCE

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "../kmod/gdrt_exporter.h"
#include "../kmod/gdrt_importer.h"

#define NAMES_MAX	64
#define WORDS_MAX	8
#define KERNEL_ENOTSUPP	524

static const char usage[] =
"usage: gdrt-double [-q] STEP [: STEP]...\n"
"  alloc BUFFER [size=1M] [gpu=0] [dynamic] [system] [cache]\n"
"  free BUFFER                 close its fd\n"
"  attach NAME BUFFER [mode=static] [fn=0] [count=1]\n"
"                              mode: static dynamic pinned revocable no-p2p\n"
"  detach|map|unmap|pin|unpin|map-locked|unmap-locked NAME [first=0] [count=all]\n"
"  invalidate BUFFER\n"
"  fill BUFFER BYTE            write through mmap\n"
"  check BUFFER BYTE           EILSEQ if a byte differs\n"
"  print                       the buffers and attachments by name\n"
"  sleep SECONDS\n"
"  wait                        until standard input has a line, or ends\n"
"  repeat COUNT                the steps after this one, COUNT times\n"
"A step on what is not there says ENOENT.\n"
"-q: print only the steps that fail. Exit code: 0, 1 if a step failed, 2 wrong use.\n";

struct item {
	char name[32];
	bool is_buffer;
	int fd;
	uint64_t inode, size, offset;
	uint64_t handle;
	uint32_t count;
};

struct step {
	char *words[WORDS_MAX];
	int n;
};

static struct item items[NAMES_MAX];
static int exporter = -1, importer = -1;

static void __attribute__((noreturn)) die(const char *what, const char *word)
{
	fprintf(stderr, "gdrt-double: %s '%s'\n%s", what, word, usage);
	exit(2);
}

static uint64_t number(const char *text)
{
	static const char suffixes[] = "kmgt";
	const char *s;
	uint64_t v;
	char *end;

	errno = 0;
	v = strtoull(text, &end, 0);
	if (errno || end == text || *text == '-')
		die("not a number:", text);
	s = *end ? strchr(suffixes, tolower((unsigned char)*end)) : NULL;
	if (s) {
		v <<= 10 * (s - suffixes + 1);
		end++;
	}
	if (*end)
		die("not a number (suffixes: K M G T):", text);
	return v;
}

static struct item *find(const char *name, bool is_buffer)
{
	struct item *i;

	for (i = items; i < items + NAMES_MAX; i++)
		if (i->name[0] && i->is_buffer == is_buffer && !strcmp(i->name, name))
			return i;
	return NULL;
}

/* The item that a word names: NULL if the step that was to make it failed. */
static struct item *named(const struct step *step, int word, bool is_buffer)
{
	if (word >= step->n)
		die(is_buffer ? "which buffer?" : "which attachment?", step->words[0]);
	return find(step->words[word], is_buffer);
}

/* The item of that name, anew. */
static struct item *item_new(const struct step *step, bool is_buffer)
{
	struct item *i;

	if (step->n < 2 || strlen(step->words[1]) >= sizeof(i->name))
		die("a name of 1 to 31 characters is needed after", step->words[0]);
	i = find(step->words[1], is_buffer);
	if (i && is_buffer)
		close(i->fd);
	for (struct item *at = items; !i && at < items + NAMES_MAX; at++)
		if (!at->name[0])
			i = at;
	if (!i)
		die("too many names at", step->words[1]);
	*i = (struct item){ .is_buffer = is_buffer, .fd = -1 };
	return i;
}

/* The value of KEY=VALUE among the words, or NULL. */
static const char *option(const struct step *step, const char *key)
{
	size_t len = strlen(key);

	for (int i = 1; i < step->n; i++)
		if (!strncmp(step->words[i], key, len) && step->words[i][len] == '=')
			return step->words[i] + len + 1;
	return NULL;
}

static uint64_t option_number(const struct step *step, const char *key, uint64_t otherwise)
{
	const char *value = option(step, key);

	return value ? number(value) : otherwise;
}

static bool flag(const struct step *step, const char *word)
{
	for (int i = 2; i < step->n; i++)
		if (!strcmp(step->words[i], word))
			return true;
	return false;
}

static int open_device(int *fd, const char *path)
{
	if (*fd < 0)
		*fd = open(path, O_RDWR | O_CLOEXEC);
	return *fd < 0 ? errno : 0;
}

static int call(int fd, unsigned long request, void *arg)
{
	return ioctl(fd, request, arg) ? errno : 0;
}

static int do_alloc(const struct step *step)
{
	struct gdrt_export arg = {
		.size = option_number(step, "size", 1 << 20),
		.gpu = option_number(step, "gpu", 0),
		.flags = (flag(step, "dynamic") ? GDRT_EXPORT_DYNAMIC : 0) |
			 (flag(step, "system") ? GDRT_EXPORT_SYSTEM : 0) |
			 (flag(step, "cache") ? GDRT_EXPORT_CACHE_SGT : 0),
	};
	struct item *i = item_new(step, true);
	int ret = open_device(&exporter, GDRT_EXPORTER_DEV) ?: call(exporter, GDRT_EXPORT, &arg);

	if (ret)
		return ret;
	strcpy(i->name, step->words[1]);
	i->fd = arg.fd;
	i->inode = arg.inode;
	i->size = arg.size;
	i->offset = arg.bar_offset;
	return 0;
}

static int do_free(const struct step *step)
{
	struct item *i = named(step, 1, true);

	if (!i)
		return ENOENT;
	i->name[0] = 0;
	return close(i->fd) ? errno : 0;
}

static uint32_t import_mode(const char *text)
{
	static const char *const names[] = {
		[GDRT_IMPORT_STATIC] = "static",
		[GDRT_IMPORT_DYNAMIC] = "dynamic",
		[GDRT_IMPORT_PINNED] = "pinned",
		[GDRT_IMPORT_REVOCABLE] = "revocable",
		[GDRT_IMPORT_DYNAMIC_NO_P2P] = "no-p2p",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i], text))
			return i;
	die("unknown mode", text);
}

static int do_attach(const struct step *step)
{
	struct item *buffer = named(step, 2, true);
	struct gdrt_attach arg = {
		.fd = buffer ? buffer->fd : -1,
		.function = option_number(step, "fn", 0),
		.mode = import_mode(option(step, "mode") ?: "static"),
		.count = option_number(step, "count", 1),
	};
	struct item *i = item_new(step, false);
	int ret;

	if (!buffer)
		return ENOENT;
	ret = open_device(&importer, GDRT_IMPORTER_DEV) ?: call(importer, GDRT_ATTACH, &arg);
	if (ret)
		return ret;
	strcpy(i->name, step->words[1]);
	i->handle = arg.handle;
	i->count = arg.count;
	return 0;
}

static int do_range(const struct step *step, unsigned long request)
{
	struct item *i = named(step, 1, false);
	struct gdrt_range arg = { 0 };
	uint32_t first = option_number(step, "first", 0);

	if (!i)
		return ENOENT;
	arg.handle = i->handle + first;
	arg.count = option_number(step, "count", i->count - first);
	return call(importer, request, &arg);
}

static int do_invalidate(const struct step *step)
{
	struct item *i = named(step, 1, true);

	return i ? call(exporter, GDRT_INVALIDATE, &i->inode) : ENOENT;
}

static int do_memory(const struct step *step, bool check)
{
	struct item *i = named(step, 1, true);
	volatile uint8_t *p;
	uint8_t byte;
	int ret = 0;

	if (step->n < 3)
		die("a byte is needed after the buffer of step", step->words[0]);
	byte = number(step->words[2]);
	if (!i)
		return ENOENT;
	p = mmap(NULL, i->size, PROT_READ | PROT_WRITE, MAP_SHARED, i->fd, 0);
	if (p == MAP_FAILED)
		return errno;
	for (uint64_t at = 0; at < i->size && !ret; at++) {
		if (!check)
			p[at] = byte;
		else if (p[at] != byte)
			ret = EILSEQ;
	}
	munmap((void *)p, i->size);
	return ret;
}

static int do_print(void)
{
	for (struct item *i = items; i < items + NAMES_MAX; i++) {
		if (!i->name[0])
			continue;
		if (i->is_buffer)
			printf("buffer %s inode %" PRIu64 " size %" PRIu64 " bar_offset %" PRId64 "\n",
			       i->name, i->inode, i->size, i->offset);
		else
			printf("attachment %s handle %" PRIu64 " count %" PRIu32 "\n",
			       i->name, i->handle, i->count);
	}
	return 0;
}

static int do_sleep(const struct step *step)
{
	struct timespec t;
	double seconds;
	char *end;

	if (step->n < 2)
		die("how long?", step->words[0]);
	seconds = strtod(step->words[1], &end);
	if (*end || end == step->words[1] || !(seconds >= 0 && seconds < INT_MAX))
		die("not a number of seconds:", step->words[1]);
	t.tv_sec = (time_t)seconds;
	t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
	return nanosleep(&t, NULL) ? errno : 0;
}

static int do_wait(void)
{
	int c;

	do
		c = getchar();
	while (c != EOF && c != '\n');
	return 0;
}

static int run(const struct step *step)
{
	static const struct {
		const char *name;
		unsigned long request;
	} ranges[] = {
		{ "detach", GDRT_DETACH }, { "map", GDRT_MAP }, { "unmap", GDRT_UNMAP },
		{ "pin", GDRT_PIN }, { "unpin", GDRT_UNPIN },
		{ "map-locked", GDRT_MAP_LOCKED }, { "unmap-locked", GDRT_UNMAP_LOCKED },
	};
	const char *name = step->words[0];

	for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++)
		if (!strcmp(name, ranges[i].name))
			return do_range(step, ranges[i].request);
	if (!strcmp(name, "alloc"))
		return do_alloc(step);
	if (!strcmp(name, "free"))
		return do_free(step);
	if (!strcmp(name, "attach"))
		return do_attach(step);
	if (!strcmp(name, "invalidate"))
		return do_invalidate(step);
	if (!strcmp(name, "fill") || !strcmp(name, "check"))
		return do_memory(step, name[0] == 'c');
	if (!strcmp(name, "print"))
		return do_print();
	if (!strcmp(name, "sleep"))
		return do_sleep(step);
	if (!strcmp(name, "wait"))
		return do_wait();
	die("unknown step", name);
}

static void report(const char *name, int ret)
{
	if (!ret)
		printf("%s OK\n", name);
	else
		printf("%s %d %s\n", name, ret, ret == KERNEL_ENOTSUPP ? "ENOTSUPP" :
		       strerrorname_np(ret) ?: "unknown");
}

/* Steps from @at on; true if one failed. */
static bool run_all(const struct step *steps, int n, int at, bool quiet)
{
	bool failed = false;

	for (; at < n; at++) {
		const struct step *step = &steps[at];

		if (!strcmp(step->words[0], "repeat")) {
			if (step->n < 2)
				die("how often?", step->words[0]);
			for (uint64_t i = number(step->words[1]); i; i--)
				failed |= run_all(steps, n, at + 1, quiet);
			return failed;
		}
		int ret = run(step);

		if (ret || !quiet)
			report(step->words[0], ret);
		failed |= ret;
		fflush(stdout);
	}
	return failed;
}

int main(int argc, char **argv)
{
	struct step *steps = calloc(argc, sizeof(*steps));
	bool quiet = argc > 1 && !strcmp(argv[1], "-q"), failed;
	int n = 0;

	if (!steps)
		die("no memory", "");
	for (int i = 1 + quiet; i < argc; i++) {
		if (!strcmp(argv[i], ":"))
			n++;
		else if (steps[n].n == WORDS_MAX)
			die("too many words at", argv[i]);
		else
			steps[n].words[steps[n].n++] = argv[i];
	}
	n++;
	for (int i = 0; i < n; i++)
		if (!steps[i].n)
			die("an empty step near", i ? steps[i - 1].words[0] ?: "" : "");
	failed = run_all(steps, n, 0, quiet);
	free(steps);
	return failed;
}
