// SPDX-License-Identifier: GPL-2.0
/*
 * gdrt-sim: serves device models to one virtual machine.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "sim.h"

#define MAX_DEVICES	32
#define MAX_WORDS	32

bool sim_verbose;

static struct device devices[MAX_DEVICES];
static unsigned int ndevices;
static FILE *log_file;
static volatile sig_atomic_t stop;

static const char usage[] =
	"usage: gdrt-sim [--log FILE] [-v] --device MODEL,socket=PATH[,WORD...]...\n"
	"  connectx  id=0x101c  pf  strict  fail=COMMAND:N  drop=COMMAND:N: the Nth call\n"
	"            fails, or is never answered (repeat for more)\n"
	"  gpu       id=0x2330  bar1=256M (to 64G)\n"
	"Prints \"ready\" when every socket listens. Ends when every machine that\n"
	"connected is gone, or on SIGTERM.\n";

/**
 * sim_seconds() - time since the start
 *
 * Return: seconds.
 */
double sim_seconds(void)
{
	static struct timespec start;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!start.tv_sec && !start.tv_nsec)
		start = now;
	return now.tv_sec - start.tv_sec + (now.tv_nsec - start.tv_nsec) / 1e9;
}

/**
 * sim_log() - write a line to the log
 * @d: about which device; NULL for none
 * @fmt: as in printf()
 */
void sim_log(const struct device *d, const char *fmt, ...)
{
	va_list ap;

	if (!log_file)
		return;
	fprintf(log_file, "%9.4f %s: ", sim_seconds(), d ? d->name : "sim");
	va_start(ap, fmt);
	vfprintf(log_file, fmt, ap);
	va_end(ap);
	fputc('\n', log_file);
}

/**
 * sim_device_at() - the device whose BAR holds a bus address
 * @addr: the address
 * @len: bytes that must lie in the BAR
 * @bar: set to the number of the BAR
 * @off: set to the offset in it
 *
 * Return: the device, or NULL.
 */
struct device *sim_device_at(uint64_t addr, uint64_t len, unsigned int *bar, uint64_t *off)
{
	unsigned int i, k;
	uint64_t base;

	for (i = 0; i < ndevices; i++) {
		for (k = 0; k < PCI_BARS; k++) {
			uint64_t size = devices[i].bars[k].size;

			if (devices[i].fd < 0 || !pci_bar_base(&devices[i], k, &base) ||
			    addr < base || addr - base >= size || len > size - (addr - base))
				continue;
			*bar = k;
			*off = addr - base;
			return &devices[i];
		}
	}
	return NULL;
}

static int listen_at(struct device *d)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	memcpy(a.sun_path, d->path, sizeof(d->path));
	unlink(d->path);
	d->listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (d->listen_fd < 0 || bind(d->listen_fd, (struct sockaddr *)&a, sizeof(a)) ||
	    listen(d->listen_fd, 1)) {
		fprintf(stderr, "gdrt-sim: socket %s: %s\n", d->path, strerror(errno));
		return -1;
	}
	return 0;
}

static int device_add(char *spec)
{
	static unsigned int hcas, gpus;
	char *words[MAX_WORDS + 1], *model, *w;
	struct device *d = &devices[ndevices];
	unsigned int i, n = 0;

	if (ndevices == MAX_DEVICES) {
		fprintf(stderr, "gdrt-sim: at most %d devices\n", MAX_DEVICES);
		return -1;
	}
	d->fd = -1;
	d->listen_fd = -1;
	d->reset_answer = -1;
	for (i = 0; i < MAX_VECTORS; i++)
		d->irq[i] = -1;
	for (i = 0; i < PCI_BARS; i++)
		d->bars[i].fd = -1;
	model = strtok(spec, ",");
	while ((w = strtok(NULL, ","))) {
		if (!strncmp(w, "socket=", 7)) {
			if (strlen(w + 7) >= sizeof(d->path)) {
				fprintf(stderr, "gdrt-sim: %s: the path is too long (at most %zu)\n", w,
					sizeof(d->path) - 1);
				return -1;
			}
			strcpy(d->path, w + 7);
		} else if (n < MAX_WORDS) {
			words[n++] = w;
		}
	}
	words[n] = NULL;
	if (!model || !d->path[0]) {
		fprintf(stderr, "gdrt-sim: a device needs a model and socket=PATH\n");
		return -1;
	}
	if (!strcmp(model, "connectx")) {
		snprintf(d->name, sizeof(d->name), "connectx%u", hcas);
		if (connectx_create(d, words, hcas++))
			return -1;
	} else if (!strcmp(model, "gpu")) {
		snprintf(d->name, sizeof(d->name), "gpu%u", gpus++);
		if (gpu_create(d, words))
			return -1;
	} else {
		fprintf(stderr, "gdrt-sim: unknown model '%s' (connectx gpu)\n", model);
		return -1;
	}
	ndevices++;
	return listen_at(d);
}

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

static bool all_gone(void)
{
	unsigned int i, been = 0;

	for (i = 0; i < ndevices; i++) {
		if (devices[i].fd >= 0)
			return false;
		been += devices[i].was_connected;
	}
	return been;
}

static void serve(void)
{
	struct pollfd p[2 * MAX_DEVICES];
	unsigned int i;

	while (!stop && !all_gone()) {
		for (i = 0; i < ndevices; i++) {
			p[2 * i] = (struct pollfd){ devices[i].listen_fd, POLLIN, 0 };
			p[2 * i + 1] = (struct pollfd){ devices[i].fd, POLLIN, 0 };
		}
		if (poll(p, 2 * ndevices, -1) < 0)
			continue;
		for (i = 0; i < ndevices; i++) {
			if (p[2 * i].revents)
				vu_accept(&devices[i]);
			if (p[2 * i + 1].revents)
				vu_input(&devices[i]);
		}
		for (i = 0; i < ndevices; i++)
			vu_work(&devices[i]);
	}
}

/**
 * sim_wait() - wait for a message to a device, and serve the other devices
 * @d: the device
 *
 * What the messages to the others ask for is done when @d is done.
 */
void sim_wait(struct device *d)
{
	struct pollfd p[MAX_DEVICES];
	unsigned int i;
	bool mine = false;

	while (!mine && !stop) {
		for (i = 0; i < ndevices; i++)
			p[i] = (struct pollfd){ devices[i].gone ? -1 : devices[i].fd, POLLIN, 0 };
		if (poll(p, ndevices, -1) < 0)
			continue;
		for (i = 0; i < ndevices; i++) {
			if (!p[i].revents)
				continue;
			if (&devices[i] == d)
				mine = true;
			else
				vu_input(&devices[i]);
		}
	}
	if (!mine)
		d->gone = true;		/* told to end */
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = on_signal };
	unsigned int k;
	int i;

	sim_seconds();
	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "-v")) {
			sim_verbose = true;
		} else if (!strcmp(argv[i], "--log") && i + 1 < argc) {
			log_file = fopen(argv[++i], "w");
			if (!log_file) {
				fprintf(stderr, "gdrt-sim: log %s: %s\n", argv[i], strerror(errno));
				return 1;
			}
			setvbuf(log_file, NULL, _IOLBF, 0);
		} else if (!strcmp(argv[i], "--device") && i + 1 < argc) {
			if (device_add(argv[++i]))
				return 1;
		} else if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help")) {
			fputs(usage, stdout);
			return 0;
		} else {
			fprintf(stderr, "gdrt-sim: unknown word '%s'\n%s", argv[i], usage);
			return 1;
		}
	}
	if (!ndevices) {
		fprintf(stderr, "gdrt-sim: no device\n%s", usage);
		return 1;
	}
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGINT, &sa, NULL);
	signal(SIGPIPE, SIG_IGN);
	puts("ready");
	fflush(stdout);
	serve();
	for (k = 0; k < ndevices; k++) {
		vu_close(&devices[k]);
		unlink(devices[k].path);
	}
	return 0;
}
