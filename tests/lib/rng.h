/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers that a seed decides: splitmix64, the same on every machine. */
#ifndef GDRT_RNG_H
#define GDRT_RNG_H

#include <stdint.h>

struct rng {
	uint64_t state;
};

static inline uint64_t rng_next(struct rng *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* From 0 to @n - 1. */
static inline uint32_t rng_below(struct rng *r, uint32_t n)
{
	return (rng_next(r) >> 32) * n >> 32;
}

/* A stream of its own for each @a and @b of a seed. */
static inline void rng_seed(struct rng *r, uint64_t seed, uint32_t a, uint32_t b)
{
	r->state = seed;
	r->state = rng_next(r) ^ a;
	r->state = rng_next(r) ^ b;
	rng_next(r);
}

#endif /* GDRT_RNG_H */
