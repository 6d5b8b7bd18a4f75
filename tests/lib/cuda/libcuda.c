// SPDX-License-Identifier: GPL-2.0
/*
 * A libcuda.so.1 to test with: what gdrctl test calls of CUDA, on the memory of the GPUs that the
 * exporter double has (tests/kmod/gdrt_exporter.h).
 *
 * Each allocation is one buffer of the double; the handle of an address range is its dma-buf, so
 * that a range has to be the whole allocation. Addresses are made up: one GiB each.
 *
 * GDRT_CUDA_VERSION, at build, is the version of CUDA that it is of; what a later one brought is
 * absent. In the environment:
 *
 *	GDRT_CUDA_NO_DMA_BUF=1	the GPUs export no dma-buf (attribute 124 is 0)
 *	GDRT_CUDA_COHERENT=1	the GPUs take the PCIe mapping, which others refuse
 *	GDRT_CUDA_INIT=N	cuInit() ends with this error
 *	GDRT_CUDA_VERSION_ERROR=N	cuDriverGetVersion() does
 *	GDRT_CUDA_NO_ATTRIBUTE=N	this attribute of a device or a pointer is not known
 *	GDRT_CUDA_HANG=1	cuMemGetHandleForAddressRange() does not return
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../buffers.h"

#ifndef GDRT_CUDA_VERSION
#define GDRT_CUDA_VERSION 13000
#endif

#define MAX		128
#define STRIDE		(1ULL << 30)
#define FIRST		0x7f0000000000ULL
#define RESERVED	0x7e0000000000ULL	/* of cuMemAddressReserve() */
#define GRANULE		(2u << 20)
#define INVALID_VALUE	1
#define OUT_OF_MEMORY	2
#define OPERATING_SYSTEM 304
#define NOT_SUPPORTED	801

static struct allocation {
	struct buffer b;
	volatile uint8_t *view;
} allocations[MAX];
static uint64_t reserved[MAX];	/* 0: free; 1: no memory mapped there; else its address */
static int current;

static int env(const char *name)
{
	const char *s = getenv(name);

	return s ? atoi(s) : 0;
}

static int gpus(void)
{
	char bdf[32];
	int n = 0;

	while (!gpu_bdf(n, bdf, sizeof(bdf)))
		n++;
	return n;
}

static int allocate(unsigned int gpu, size_t size, uint64_t *address)
{
	uint64_t page = sysconf(_SC_PAGESIZE);
	int i = 0;

	while (i < MAX && allocations[i].b.size)
		i++;
	if (i == MAX || buffer_export(&allocations[i].b, (size + page - 1) / page * page, gpu, 0))
		return OUT_OF_MEMORY;
	allocations[i].view = buffer_map(&allocations[i].b);
	*address = FIRST + i * STRIDE;
	return allocations[i].view ? 0 : OPERATING_SYSTEM;
}

static struct allocation *find(uint64_t address)
{
	uint64_t i = (address - RESERVED) / STRIDE;

	if (address >= RESERVED && i < MAX)
		address = reserved[i];
	i = (address - FIRST) / STRIDE;
	return address >= FIRST && i < MAX && allocations[i].b.size ? &allocations[i] : NULL;
}

static int forget(uint64_t address)
{
	struct allocation *a = find(address);

	if (!a)
		return INVALID_VALUE;
	if (a->view)
		munmap((void *)a->view, a->b.size);
	close(a->b.fd);
	memset(a, 0, sizeof(*a));
	return 0;
}

/* BAR1 is read and written in words, as a GPU wants it. */
static int copy(struct allocation *a, uint64_t at, void *to, const void *from, size_t n)
{
	size_t i;

	if (!a || at > a->b.size || n > a->b.size - at)
		return INVALID_VALUE;
	for (i = 0; i < n; i += 8) {
		uint64_t v;

		if (to) {
			v = *(volatile uint64_t *)(a->view + at + i);
			memcpy((uint8_t *)to + i, &v, n - i < 8 ? n - i : 8);
		} else {
			memcpy(&v, (const uint8_t *)from + i, 8);
			*(volatile uint64_t *)(a->view + at + i) = v;
		}
	}
	return 0;
}

int cuInit(unsigned int flags)
{
	(void)flags;
	return env("GDRT_CUDA_INIT");
}

int cuDriverGetVersion(int *version)
{
	*version = GDRT_CUDA_VERSION;
	return env("GDRT_CUDA_VERSION_ERROR");
}

int cuDeviceGetCount(int *n)
{
	*n = gpus();
	return 0;
}

int cuDeviceGet(int *device, int ordinal)
{
	*device = ordinal;
	return ordinal >= 0 && ordinal < gpus() ? 0 : 101;
}

int cuDeviceGetAttribute(int *v, int attribute, int device)
{
	(void)device;
	if (attribute == env("GDRT_CUDA_NO_ATTRIBUTE"))
		return INVALID_VALUE;
	*v = attribute == 124 ? !env("GDRT_CUDA_NO_DMA_BUF") && GDRT_CUDA_VERSION >= 11070 : 1;
	return 0;
}

int cuDeviceGetPCIBusId(char *id, int size, int device)
{
	return gpu_bdf(device, id, size) ? INVALID_VALUE : 0;
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
	static char contexts[MAX];

	*context = &contexts[device];
	return 0;
}

int cuCtxSetCurrent(void *context)
{
	void *first;

	cuDevicePrimaryCtxRetain(&first, 0);
	current = (char *)context - (char *)first;
	return 0;
}

int cuMemAlloc_v2(uint64_t *address, size_t size)
{
	return allocate(current, size, address);
}

int cuMemFree_v2(uint64_t address)
{
	return forget(address);
}

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t n)
{
	return copy(find(to), (to - FIRST) % STRIDE, NULL, from, n);
}

int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t n)
{
	return copy(find(from), (from - FIRST) % STRIDE, to, NULL, n);
}

int cuGetErrorName(int error, const char **name)
{
	switch (error) {
	case INVALID_VALUE: *name = "CUDA_ERROR_INVALID_VALUE"; break;
	case OUT_OF_MEMORY: *name = "CUDA_ERROR_OUT_OF_MEMORY"; break;
	case 100: *name = "CUDA_ERROR_NO_DEVICE"; break;
	case OPERATING_SYSTEM: *name = "CUDA_ERROR_OPERATING_SYSTEM"; break;
	case NOT_SUPPORTED: *name = "CUDA_ERROR_NOT_SUPPORTED"; break;
	default: return INVALID_VALUE;
	}
	return 0;
}

int cuPointerSetAttribute(const void *value, int attribute, uint64_t address)
{
	(void)value;
	return find(address) && attribute != env("GDRT_CUDA_NO_ATTRIBUTE") ? 0 : INVALID_VALUE;
}

#if GDRT_CUDA_VERSION >= 10020
struct prop {
	int type, handle_types, location_type, device;
};

int cuMemGetAllocationGranularity(size_t *granularity, const struct prop *prop, int option)
{
	(void)prop;
	(void)option;
	*granularity = GRANULE;
	return 0;
}

/* A handle is the address of its only mapping. */
int cuMemCreate(uint64_t *handle, size_t size, const struct prop *prop, unsigned long long flags)
{
	(void)flags;
	return size % GRANULE ? INVALID_VALUE : allocate(prop->device, size, handle);
}

int cuMemRelease(uint64_t handle)
{
	return forget(handle);
}

static uint64_t *place(uint64_t address)
{
	uint64_t i = (address - RESERVED) / STRIDE;

	return address >= RESERVED && i < MAX && reserved[i] ? &reserved[i] : NULL;
}

int cuMemAddressReserve(uint64_t *address, size_t size, size_t alignment, uint64_t hint,
			unsigned long long flags)
{
	int i = 0;

	(void)alignment;
	(void)hint;
	(void)flags;
	while (i < MAX && reserved[i])
		i++;
	if (i == MAX || size > STRIDE)
		return OUT_OF_MEMORY;
	reserved[i] = 1;
	*address = RESERVED + i * STRIDE;
	return 0;
}

int cuMemAddressFree(uint64_t address, size_t size)
{
	uint64_t *p = place(address);

	(void)size;
	if (!p || *p != 1)
		return INVALID_VALUE;
	*p = 0;
	return 0;
}

int cuMemMap(uint64_t address, size_t size, size_t offset, uint64_t handle,
	     unsigned long long flags)
{
	uint64_t *p = place(address);
	struct allocation *a = find(handle);

	(void)flags;
	if (!p || *p != 1 || !a || offset || size != a->b.size)
		return INVALID_VALUE;
	*p = handle;
	return 0;
}

int cuMemUnmap(uint64_t address, size_t size)
{
	uint64_t *p = place(address);

	(void)size;
	if (!p || *p == 1)
		return INVALID_VALUE;
	*p = 1;
	return 0;
}

int cuMemSetAccess(uint64_t address, size_t size, const void *access, size_t n)
{
	uint64_t *p = place(address);

	(void)size;
	(void)access;
	return p && *p != 1 && n == 1 ? 0 : INVALID_VALUE;
}
#endif

#if GDRT_CUDA_VERSION >= 11070
int cuMemGetHandleForAddressRange(void *handle, uint64_t address, size_t size, int type,
				  unsigned long long flags)
{
	struct allocation *a = find(address);
	int fd;

	while (env("GDRT_CUDA_HANG"))
		pause();
	if (!a || address % STRIDE || size != a->b.size || type != 1 || flags & ~1ULL ||
	    (flags && GDRT_CUDA_VERSION < 12080))
		return INVALID_VALUE;
	if (flags && !env("GDRT_CUDA_COHERENT"))
		return NOT_SUPPORTED;
	fd = fcntl(a->b.fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return OPERATING_SYSTEM;
	*(int *)handle = fd;
	return 0;
}
#endif
