/* SPDX-License-Identifier: GPL-2.0 */
/* A device without a machine, for tests of the parts that need none. */
#ifndef GDRT_SIM_TEST_SUPPORT_H
#define GDRT_SIM_TEST_SUPPORT_H

#include "../lib/ktap.h"
#include "connectx.h"

extern unsigned int test_machine_asked;	/* DMA that no range or BAR could serve */
extern struct device test_peer;		/* its BAR 1 is at TEST_BAR */

#define TEST_BAR	0x4000000000ULL
#define TEST_BAR_SIZE	(1ULL << 20)

/* A new device; memory is added with test_map(). */
void test_device(struct device *d);
/* A range of new memory; returns what is behind it. */
uint8_t *test_map(struct device *d, uint64_t iova, uint64_t size, unsigned int prot);
/* An HCA on a new device. */
struct connectx *test_hca(struct device *d, char **words);
/* Every use of the HCA is over. */
void test_hca_free(struct connectx *cx);

#endif /* GDRT_SIM_TEST_SUPPORT_H */
