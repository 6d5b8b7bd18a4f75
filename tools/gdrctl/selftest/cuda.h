/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of NVIDIA's CUDA driver API that gdrctl test uses, found at run time in libcuda.so.1.
 * The comment at each symbol and constant is the version of CUDA that has it first.
 */
#ifndef GDRCTL_ST_CUDA_H
#define GDRCTL_ST_CUDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CUDA_ERROR_OUT_OF_MEMORY		2	/* 2.0 */
#define CUDA_ERROR_OPERATING_SYSTEM		304	/* 4.1 */
#define CUDA_ERROR_NOT_SUPPORTED		801	/* 5.5 */

/* CUdevice_attribute */
#define CU_VIRTUAL_MEMORY_MANAGEMENT		102	/* 10.2, …_SUPPORTED */
#define CU_GPU_DIRECT_RDMA_WITH_VMM		110	/* 11.0, …_WITH_CUDA_VMM_SUPPORTED */
#define CU_DMA_BUF				124	/* 11.7, …_SUPPORTED */

#define CU_POINTER_ATTRIBUTE_SYNC_MEMOPS	6	/* 6.0 */
/* CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD */
#define CU_RANGE_DMA_BUF_FD			1	/* 11.7 */
/* CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE */
#define CU_RANGE_MAPPING_PCIE			1	/* 12.8 */
#define CU_ALLOCATION_PINNED			1	/* 10.2, CU_MEM_ALLOCATION_TYPE_PINNED */
#define CU_LOCATION_DEVICE			1	/* 10.2, CU_MEM_LOCATION_TYPE_DEVICE */
/* CU_MEM_ACCESS_FLAGS_PROT_READWRITE */
#define CU_ACCESS_READWRITE			3	/* 10.2 */
#define CU_GRANULARITY_MINIMUM			0	/* 10.2, CU_MEM_ALLOC_GRANULARITY_MINIMUM */

/** struct cu_location - CUmemLocation, 10.2 */
struct cu_location {
	int type;
	int id;
};

/** struct cu_allocation - CUmemAllocationProp, 10.2 */
struct cu_allocation {
	int type;
	int handle_types;
	struct cu_location location;
	void *win32;
	struct {
		unsigned char compression;
		unsigned char gpu_direct_rdma;
		unsigned short usage;
		unsigned char reserved[4];
	} flags;
};

/** struct cu_access - CUmemAccessDesc, 10.2 */
struct cu_access {
	struct cu_location location;
	int flags;
};

/*
 * X(name, symbol, arguments, version): what is called, and the symbol that has this form. All up to
 * and including memory_to_host are needed; of the rest each may be absent.
 */
#define CUDA_SYMBOLS(X)                                                                          \
	X(init, cuInit, (unsigned int flags), 2000)                                              \
	X(driver_version, cuDriverGetVersion, (int *version), 2020)                              \
	X(device_count, cuDeviceGetCount, (int *n), 2000)                                        \
	X(device_get, cuDeviceGet, (int *device, int ordinal), 2000)                             \
	X(device_attribute, cuDeviceGetAttribute, (int *v, int attribute, int device), 2000)     \
	X(device_pci, cuDeviceGetPCIBusId, (char *id, int size, int device), 4010)               \
	X(retain, cuDevicePrimaryCtxRetain, (void **context, int device), 7000)                  \
	X(set_current, cuCtxSetCurrent, (void *context), 4000)                                   \
	X(alloc, cuMemAlloc_v2, (uint64_t *address, size_t size), 3020)                          \
	X(free, cuMemFree_v2, (uint64_t address), 3020)                                          \
	X(host_to_memory, cuMemcpyHtoD_v2, (uint64_t to, const void *from, size_t n), 3020)      \
	X(memory_to_host, cuMemcpyDtoH_v2, (void *to, uint64_t from, size_t n), 3020)            \
	X(error_name, cuGetErrorName, (int error, const char **name), 6000)                      \
	X(pointer_set, cuPointerSetAttribute, (const void *value, int attribute,                 \
					       uint64_t address), 6000)                          \
	X(granularity, cuMemGetAllocationGranularity, (size_t *granularity,                      \
						       const struct cu_allocation *prop,         \
						       int option), 10020)                       \
	X(create, cuMemCreate, (uint64_t *handle, size_t size, const struct cu_allocation *prop, \
				unsigned long long flags), 10020)                                \
	X(release, cuMemRelease, (uint64_t handle), 10020)                                       \
	X(reserve, cuMemAddressReserve, (uint64_t *address, size_t size, size_t alignment,       \
					 uint64_t hint, unsigned long long flags), 10020)        \
	X(unreserve, cuMemAddressFree, (uint64_t address, size_t size), 10020)                   \
	X(map, cuMemMap, (uint64_t address, size_t size, size_t offset, uint64_t handle,         \
			  unsigned long long flags), 10020)                                      \
	X(unmap, cuMemUnmap, (uint64_t address, size_t size), 10020)                             \
	X(set_access, cuMemSetAccess, (uint64_t address, size_t size,                            \
				       const struct cu_access *access, size_t n), 10020)         \
	X(range_handle, cuMemGetHandleForAddressRange, (void *fd, uint64_t address, size_t size, \
							int type, unsigned long long flags),     \
	  11070)

/**
 * struct cuda - the library
 * @version: of CUDA that the driver has: 12080 is 12.8
 */
struct cuda {
	int version;
#define X(name, symbol, args, since) int (*name) args;
	CUDA_SYMBOLS(X)
#undef X
};

/**
 * cuda_load - open the library and initialise it, once
 * @why: why it cannot be used
 * @size: size of @why
 *
 * Return: the library, NULL if it cannot be used
 */
const struct cuda *cuda_load(char *why, size_t size);

/**
 * cuda_lacks - whether the library lacks a symbol of a run of them
 * @c: the library
 * @from: offset in struct cuda of the first
 * @to: of the last
 * @why: which one it is
 * @size: size of @why
 */
bool cuda_lacks(const struct cuda *c, size_t from, size_t to, char *why, size_t size);

/** cuda_error - "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (2)". Return: @buf */
const char *cuda_error(const struct cuda *c, const char *call, int error, char *buf, size_t size);

#endif
