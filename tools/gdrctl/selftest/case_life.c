// SPDX-License-Identifier: GPL-2.0
/* Cases of gdrctl test: what becomes of an MR when its fd, or its process, goes. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "causes.h"
#include "selftest/run.h"

#define BUFFER	(64u << 10)
#define ROUNDS	50
#define READY_S	20
#define GONE_S	10

void st_fd_closed(struct st_run *r)
{
	struct st_verbs *v = run_hca(r, r->job->hca);
	struct st_memory *m = v ? run_memory(r, r->job->source, BUFFER) : NULL;
	struct st_range g;

	if (!m)
		return;
	g = run_range(m);
	if (!run_register(r, v, m, &g))
		return;
	close(m->fd);
	m->fd = -1;
	if (run_attached(r, m, 1, r->job->hca, &g) && run_deregister(r) &&
	    run_attached(r, m, 0, r->job->hca, NULL))
		run_observed(r, "the MR outlived it");
}

/** struct closer - a thread that closes an fd when it is told to */
struct closer {
	int fd;
	atomic_int go;
};

static void *close_it(void *arg)
{
	struct closer *c = arg;

	while (!atomic_load(&c->go))
		;
	close(c->fd);
	return NULL;
}

static bool race(struct st_run *r, struct st_verbs *v, struct st_memory *m, unsigned int *made)
{
	struct closer c = { .fd = dup(m->fd) };
	struct st_memory other = *m;
	struct st_range g = run_range(m);
	uint64_t since = run_boottime();
	struct ibv_mr *mr;
	pthread_t t;
	int err;

	if (c.fd < 0)
		return run_failed(r, "fds", errno, "dup: %s", strerror(errno));
	other.fd = c.fd;
	err = pthread_create(&t, NULL, close_it, &c);
	if (err) {
		close(c.fd);
		return run_failed(r, "setup", err, "pthread_create: %s", strerror(err));
	}
	atomic_store(&c.go, 1);
	mr = run_try(r, v, &other, &g);
	err = errno;
	pthread_join(t, NULL);
	*made += !!mr;
	if (mr)
		return run_deregister(r);
	/* EINVAL: another thread of this process was given the number. */
	return err == EBADF || err == EINVAL || run_refused(r, err, since);
}

void st_fd_race(struct st_run *r)
{
	struct st_verbs *v = run_hca(r, r->job->hca);
	struct st_memory *m = v ? run_memory(r, r->job->source, BUFFER) : NULL;
	unsigned int made = 0;

	for (unsigned int i = 0; m && i < ROUNDS; i++)
		if (!race(r, v, m, &made))
			return;
	if (m && run_attached(r, m, 0, r->job->hca, NULL))
		run_observed(r, "%u of %d became MRs, the others EBADF", made, ROUNDS);
}

/* What the child does: it holds an MR until it is killed. Its errno goes to @to. */
static _Noreturn void hold(struct st_run *r, const struct st_memory *m, int to, pid_t parent)
{
	struct st_verbs v = { .ctx = NULL };
	struct st_range g = run_range(m);
	int err = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	if (st_verbs_open(&v, &r->scene->hca[r->job->hca]) || !run_try(r, &v, m, &g))
		err = errno ? errno : EIO;
	if (write(to, &err, sizeof(err)) != sizeof(err) || err)
		_exit(1);
	for (;;)
		pause();
}

static bool is_gone(struct st_run *r, pid_t child)
{
	for (int i = 0; i < GONE_S * 20; i++) {
		if (!st_proof_count(r->proof, (uint32_t)child))
			return true;
		usleep(50000);
	}
	return false;
}

static void kill_holder(struct st_run *r, struct st_memory *m, pid_t child, int from)
{
	struct st_want w = { .buffer = m->inode, .size = m->size, .n = 1, .pid = (uint32_t)child,
			     .importer = r->scene->hca[r->job->hca].device };
	bool proven = r->proof->usable && run_tracks(r, m, r->job->hca);
	struct pollfd p = { .fd = from, .events = POLLIN };
	char text[ST_TEXT] = "", name[CAUSE_ERRNO_SIZE];
	int err = ETIMEDOUT;

	if (poll(&p, 1, READY_S * 1000) == 1 && read(from, &err, sizeof(err)) != sizeof(err))
		err = EPIPE;
	if (!err && proven && st_proof_attached(r->proof, &w, text))
		run_failed(r, "record", 0, "before the kill: %.150s", text);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	if (err)
		run_failed(r, "setup", err, "the child has no MR: %s",
			   cause_errno(err, name, sizeof(name)));
	else if (proven && !is_gone(r, child))
		run_failed(r, "record", 0, "%d s after it was killed the module still has its "
			   "attachment", GONE_S);
	r->res->proven |= proven;
}

void st_killed(struct st_run *r)
{
	struct st_memory *m = run_memory(r, r->job->source, BUFFER);
	pid_t self = getpid(), child;
	struct st_verbs *v;
	struct st_range g;
	int fd[2];

	if (!m)
		return;
	/* Nothing that an HCA writes to may be shared with a child. */
	for (uint32_t i = 0; i < r->scene->n_hcas; i++)
		st_verbs_close(&r->verbs[i]);
	if (pipe(fd)) {
		run_failed(r, "fds", errno, "pipe: %s", strerror(errno));
		return;
	}
	child = fork();
	if (!child)
		hold(r, m, fd[1], self);
	close(fd[1]);
	if (child < 0)
		run_failed(r, "setup", errno, "fork: %s", strerror(errno));
	else
		kill_holder(r, m, child, fd[0]);
	close(fd[0]);
	/* The buffer and the HCA are as good as before. */
	g = run_range(m);
	v = run_hca(r, r->job->hca);
	if (v && run_register(r, v, m, &g) && run_attached(r, m, 1, r->job->hca, &g))
		run_observed(r, r->res->proven ? "gone, and the buffer can be registered again" :
			     "the buffer can be registered again");
}
