// SPDX-License-Identifier: GPL-2.0
/*
 * The process that starts workers, waits for their results, and ends those that take too long. It
 * touches no device itself, so that it can always end.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "selftest/advice.h"
#include "selftest/plan.h"
#include "selftest/verbs.h"
#include "selftest/worker.h"

#define LOOK_S	60
#define REAP_S	5
#define FDS	32

/**
 * struct worker - a child process
 * @pid: its id; 0: there is none
 * @fd: our end of the socket
 */
struct worker {
	pid_t pid;
	int fd;
};

static volatile sig_atomic_t caught;

static void on_signal(int sig)
{
	caught = sig;
}

static void catch(void (*handler)(int))
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction sa = { .sa_handler = handler };

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &sa, NULL);
}

/* What a child is before it does anything. */
static void settle(pid_t parent)
{
	struct rlimit none = { 0, 0 };
	static char said[ST_TEXT];

	catch(SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	/* An image of a GPU's address space helps nobody. */
	setrlimit(RLIMIT_CORE, &none);
	/* What it has to say is in its results. */
	message_divert(said, sizeof(said));
}

/* Waits REAP_S at most: a process may be stuck in the kernel. Return: its status, -1 without one */
static int reap(pid_t pid)
{
	int status;

	for (int i = 0; i < REAP_S * 100; i++) {
		pid_t got = waitpid(pid, &status, WNOHANG);

		if (got == pid)
			return status;
		if (got < 0 && errno != EINTR)
			return -1;
		usleep(10000);
	}
	return -1;
}

static int end_worker(struct worker *w, int sig)
{
	int status;

	if (!w->pid)
		return -1;
	close(w->fd);
	if (sig)
		kill(w->pid, sig);
	status = reap(w->pid);
	if (status == -1 && !sig) {
		kill(w->pid, SIGKILL);
		status = reap(w->pid);
	}
	w->pid = 0;
	return status;
}

/* Return: > 0: there is something; 0: not in time; < 0: we are to end, or an error */
static int wait_for(int fd, unsigned int seconds)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint64_t end = st_now_ns() + seconds * 1000000000ULL;
	int n;

	/* A process that was stopped and goes on is told so, too. */
	do {
		uint64_t now = st_now_ns();

		n = poll(&p, 1, now < end ? (int)((end - now) / 1000000) + 1 : 0);
	} while (n < 0 && errno == EINTR && !caught);
	return n;
}

static bool start(struct worker *w, const struct st_plan *p)
{
	pid_t parent = getpid();
	int fd[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd))
		return false;
	fflush(NULL);
	w->pid = fork();
	if (!w->pid) {
		close(fd[0]);
		settle(parent);
		st_work(p, fd[1]);
		_exit(0);
	}
	close(fd[1]);
	w->fd = fd[0];
	if (w->pid > 0)
		return true;
	w->pid = 0;
	close(fd[0]);
	return false;
}

/* A job whose process did not answer. */
static void lost(struct st_result *r, bool late, const struct st_case *c, int status)
{
	r->verdict = ST_FAIL;
	snprintf(r->stage, sizeof(r->stage), "%s", late ? "time-out" : "crash");
	if (late)
		snprintf(r->observed, sizeof(r->observed), "no end after %u s%s", c->timeout_s,
			 status == -1 ? ", and its process cannot be killed" : "");
	else if (status != -1 && WIFSIGNALED(status))
		snprintf(r->observed, sizeof(r->observed), "its process died of signal %d (%s)",
			 WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		snprintf(r->observed, sizeof(r->observed), "its process ended");
	st_advise_step(r);
}

static bool run_job(struct worker *w, struct st_plan *p, uint32_t i)
{
	struct st_result *r = &p->result[i];
	const struct st_job *j = &p->job[i];
	int ready;

	r->job = i;
	if (st_stands_in_the_way(p, j, r->observed)) {
		r->verdict = ST_SKIP;
		return true;
	}
	if (!w->pid && !start(w, p)) {
		message("cannot start a process for the test: %s", strerror(errno));
		return false;
	}
	if (send(w->fd, &i, sizeof(i), MSG_NOSIGNAL) != sizeof(i)) {
		lost(r, false, j->c, end_worker(w, SIGKILL));
		return true;
	}
	ready = wait_for(w->fd, j->c->timeout_s);
	if (caught)
		return true;
	if (ready > 0 && recv(w->fd, r, sizeof(*r), 0) == sizeof(*r) && r->job == i)
		return true;
	memset(r, 0, sizeof(*r));
	r->job = i;
	/* Of one that is gone by itself the status says more. */
	lost(r, !ready, j->c, end_worker(w, ready ? 0 : SIGKILL));
	return true;
}

/* The machine as it is, told by a child. */
static bool look(struct st_plan *p)
{
	static struct st_look l;
	struct worker w = { .pid = 0 };
	pid_t parent = getpid();
	size_t got = 0;
	ssize_t n = 1;
	int fd[2];

	if (pipe(fd))
		return false;
	fflush(NULL);
	w.pid = fork();
	if (!w.pid) {
		close(fd[0]);
		settle(parent);
		st_look_around(&l, &p->choice);
		while (got < sizeof(l) && n > 0) {
			n = write(fd[1], (char *)&l + got, sizeof(l) - got);
			got += n > 0 ? (size_t)n : 0;
		}
		_exit(0);
	}
	close(fd[1]);
	w.fd = fd[0];
	while (w.pid > 0 && got < sizeof(l) && n > 0 && wait_for(fd[0], LOOK_S) > 0) {
		n = read(fd[0], (char *)&l + got, sizeof(l) - got);
		got += n > 0 ? (size_t)n : 0;
	}
	if (w.pid < 0)
		close(fd[0]);
	else
		end_worker(&w, SIGKILL);
	if (got != sizeof(l))
		return false;
	p->scene = l.scene;
	memcpy(p->module, l.module, sizeof(p->module));
	p->proofs = l.proofs;
	return true;
}

/* Without files to open there seems to be no HCA, which would be the wrong answer. */
static bool can_look(void)
{
	int fd[FDS], n = 0;

	while (n < FDS && (fd[n] = dup(STDERR_FILENO)) >= 0)
		n++;
	for (int i = 0; i < n; i++)
		close(fd[i]);
	return n == FDS;
}

enum exit_code st_supervise(struct st_plan *p, void (*progress)(const struct st_plan *p))
{
	struct worker w = { .pid = 0 };
	bool ok = true;

	catch(on_signal);
	p->looked = can_look();
	if (p->looked && !look(p) && !caught) {
		message("cannot find out what there is to test: the process that looked did not "
			"end well within %d s; dmesg. Without CUDA: gdrctl test source udmabuf",
			LOOK_S);
		return EXIT_SYSTEM;
	}
	if (!caught && st_plan_make(p)) {
		message("no memory");
		return EXIT_SYSTEM;
	}
	for (; !caught && ok && p->done < p->n; p->done += ok && !caught) {
		if (progress)
			progress(p);
		ok = run_job(&w, p, (uint32_t)p->done);
	}
	end_worker(&w, caught ? SIGKILL : 0);
	catch(SIG_DFL);
	if (caught) {
		/* The shell has to see what ended us; nothing of ours is left. */
		raise(caught);
	}
	return ok ? EXIT_OK : EXIT_SYSTEM;
}
