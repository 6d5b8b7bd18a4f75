// SPDX-License-Identifier: GPL-2.0
/*
 * vfio-user messages, byte by byte. Descriptors belong to the message whose
 * bytes they came with, so no read goes beyond the end of a message.
 */
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "vu.h"

/**
 * vu_read() - read from the machine, to the byte
 * @d: the device
 * @buf: where to
 * @len: bytes
 * @m: the message they belong to; takes the descriptors that came with them
 *
 * Return: false if the machine is gone.
 */
bool vu_read(struct device *d, void *buf, size_t len, struct message *m)
{
	uint8_t *p = buf;

	while (len) {
		char control[CMSG_SPACE(MAX_FDS * sizeof(int))];
		struct iovec iov = { p, len };
		struct msghdr mh = {
			.msg_iov = &iov, .msg_iovlen = 1,
			.msg_control = control, .msg_controllen = sizeof(control),
		};
		ssize_t n = recvmsg(d->fd, &mh, MSG_CMSG_CLOEXEC);
		struct cmsghdr *c;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		for (c = CMSG_FIRSTHDR(&mh); c; c = CMSG_NXTHDR(&mh, c)) {
			size_t i, k = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
			int fds[MAX_FDS];

			if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
				continue;
			memcpy(fds, CMSG_DATA(c), k * sizeof(int));
			for (i = 0; i < k; i++) {
				if (m->nfds < MAX_FDS)
					m->fds[m->nfds++] = fds[i];
				else
					close(fds[i]);
			}
		}
		p += n;
		len -= n;
	}
	return true;
}

/**
 * vu_write() - send a message
 * @d: the device
 * @h: its header
 * @data: its payload
 * @len: bytes of that
 * @fds: descriptors to go with it
 * @nfds: how many
 *
 * Return: false if the machine is gone.
 */
bool vu_write(struct device *d, const struct header *h, const void *data, size_t len,
	      const int *fds, unsigned int nfds)
{
	char control[CMSG_SPACE(MAX_FDS * sizeof(int))] = "";
	struct iovec iov[2] = { { (void *)h, sizeof(*h) }, { (void *)data, len } };
	struct msghdr mh = { .msg_iov = iov, .msg_iovlen = len ? 2 : 1 };
	size_t left = sizeof(*h) + len;

	if (nfds) {
		struct cmsghdr *c;

		mh.msg_control = control;
		mh.msg_controllen = CMSG_SPACE(nfds * sizeof(int));
		c = CMSG_FIRSTHDR(&mh);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(nfds * sizeof(int));
		memcpy(CMSG_DATA(c), fds, nfds * sizeof(int));
	}
	while (left) {
		ssize_t n = sendmsg(d->fd, &mh, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		left -= n;
		mh.msg_control = NULL;
		mh.msg_controllen = 0;
		while (mh.msg_iovlen && (size_t)n >= mh.msg_iov[0].iov_len) {
			n -= mh.msg_iov[0].iov_len;
			mh.msg_iov++;
			mh.msg_iovlen--;
		}
		if (mh.msg_iovlen) {
			mh.msg_iov[0].iov_base = (uint8_t *)mh.msg_iov[0].iov_base + n;
			mh.msg_iov[0].iov_len -= n;
		}
	}
	return true;
}

/**
 * vu_reply() - answer a message, unless it wants no answer
 * @d: the device
 * @m: the message
 * @err: 0 or a positive errno
 * @data: payload of the answer
 * @len: bytes of that
 * @fds: descriptors to go with it
 * @nfds: how many
 *
 * Return: false if the machine is gone.
 */
bool vu_reply(struct device *d, const struct message *m, int err, const void *data, size_t len,
	      const int *fds, unsigned int nfds)
{
	struct header h = {
		.id = m->h.id, .cmd = m->h.cmd, .size = sizeof(h) + (err ? 0 : len),
		.flags = FLAG_REPLY | (err ? FLAG_ERROR : 0), .error = err,
	};

	if (m->h.flags & FLAG_NO_REPLY)
		return true;
	return vu_write(d, &h, data, err ? 0 : len, fds, err ? 0 : nfds);
}
