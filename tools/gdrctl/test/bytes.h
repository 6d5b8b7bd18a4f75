/* SPDX-License-Identifier: GPL-2.0 */
/* Netlink messages made by hand, well-formed or not. */
#ifndef GDRCTL_TEST_BYTES_H
#define GDRCTL_TEST_BYTES_H

#include <stdint.h>
#include <string.h>

/** struct bytes - a message that is being made; aligned as a datagram is */
struct bytes {
	_Alignas(8) char data[4096];
	size_t len;
};

static inline void put(struct bytes *b, const void *data, size_t len)
{
	memcpy(b->data + b->len, data, len);
	memset(b->data + b->len + len, 0, 8);
	b->len += (len + 3) & ~(size_t)3;
}

static inline void put_attr(struct bytes *b, uint16_t type, const void *data, size_t len)
{
	uint16_t head[2] = { (uint16_t)(len + 4), type };

	put(b, head, sizeof(head));
	put(b, data, len);
}

static inline void put_attr_u32(struct bytes *b, uint16_t type, uint32_t v)
{
	put_attr(b, type, &v, sizeof(v));
}

static inline void put_attr_u64(struct bytes *b, uint16_t type, uint64_t v)
{
	put_attr(b, type, &v, sizeof(v));
}

static inline void put_attr_str(struct bytes *b, uint16_t type, const char *s)
{
	put_attr(b, type, s, strlen(s) + 1);
}

#endif
