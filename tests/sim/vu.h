/* SPDX-License-Identifier: GPL-2.0 */
/* vfio-user messages: what vfio_user.c and vu_msg.c share. */
#ifndef GDRT_VU_H
#define GDRT_VU_H

#include <string.h>

#include "sim.h"

#define FLAG_TYPE	0xfU
#define FLAG_REPLY	1U
#define FLAG_NO_REPLY	0x10U
#define FLAG_ERROR	0x20U

#define MAX_FDS		16

struct header {
	uint16_t	id, cmd;
	uint32_t	size, flags, error;
};

struct message {
	struct header	h;
	uint8_t		*data;
	size_t		len;
	int		fds[MAX_FDS];
	unsigned int	nfds;
};

static inline uint32_t u32_at(const struct message *m, size_t off)
{
	uint32_t v = 0;

	if (off + sizeof(v) <= m->len)
		memcpy(&v, m->data + off, sizeof(v));
	return v;
}

static inline uint64_t u64_at(const struct message *m, size_t off)
{
	uint64_t v = 0;

	if (off + sizeof(v) <= m->len)
		memcpy(&v, m->data + off, sizeof(v));
	return v;
}

static inline void put32(uint8_t *p, uint32_t v)
{
	memcpy(p, &v, sizeof(v));
}

static inline void put64(uint8_t *p, uint64_t v)
{
	memcpy(p, &v, sizeof(v));
}

bool vu_read(struct device *d, void *buf, size_t len, struct message *m);
bool vu_write(struct device *d, const struct header *h, const void *data, size_t len,
	      const int *fds, unsigned int nfds);
bool vu_reply(struct device *d, const struct message *m, int err, const void *data, size_t len,
	      const int *fds, unsigned int nfds);

#endif /* GDRT_VU_H */
