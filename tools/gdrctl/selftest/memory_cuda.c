// SPDX-License-Identifier: GPL-2.0
/* Memory of NVIDIA GPUs, through CUDA. */
#include <errno.h>
#include <string.h>

#include "selftest/cuda.h"
#include "selftest/memory.h"

#define VERSION_DMA_BUF	11070
#define VERSION_PCIE	12080
#define RANGE_HANDLE	offsetof(struct cuda, range_handle)

static int failed(const struct cuda *c, struct st_trouble *t, const char *call, int error)
{
	cuda_error(c, call, error, t->text, sizeof(t->text));
	if (error == CUDA_ERROR_OUT_OF_MEMORY)
		t->err = ENOMEM;
	t->missing = error == CUDA_ERROR_NOT_SUPPORTED;
	return -1;
}

/* The context stays: the worker that has it ends soon. */
static int use_device(const struct cuda *c, unsigned int index, struct st_trouble *t)
{
	static void *context[ST_SOURCES];
	int device, err;

	err = c->device_get(&device, (int)index);
	if (err)
		return failed(c, t, "cuDeviceGet", err);
	if (index < ST_SOURCES && !context[index]) {
		err = c->retain(&context[index], device);
		if (err)
			return failed(c, t, "cuDevicePrimaryCtxRetain", err);
	}
	err = c->set_current(index < ST_SOURCES ? context[index] : NULL);
	return err ? failed(c, t, "cuCtxSetCurrent", err) : 0;
}

/* Like cudaMalloc(). Small allocations may begin anywhere, a dma-buf begins at a page. */
static int alloc_plain(const struct cuda *c, struct st_memory *m, struct st_trouble *t)
{
	uint64_t page = st_page();
	int err = c->alloc(&m->raw, m->size);

	if (err)
		return failed(c, t, "cuMemAlloc", err);
	if (m->raw % page) {
		c->free(m->raw);
		m->raw = 0;
		err = c->alloc(&m->raw, m->size + page);
		if (err)
			return failed(c, t, "cuMemAlloc", err);
	}
	m->address = (m->raw + page - 1) & ~(page - 1);
	return 0;
}

static int alloc_vmm(const struct cuda *c, struct st_memory *m, struct st_trouble *t)
{
	struct cu_allocation prop = {
		.type = CU_ALLOCATION_PINNED,
		.location = { CU_LOCATION_DEVICE, (int)m->source->index },
		.flags = { .gpu_direct_rdma = 1 },
	};
	struct cu_access access = { prop.location, CU_ACCESS_READWRITE };
	size_t granularity;
	int err;

	err = c->granularity(&granularity, &prop, CU_GRANULARITY_MINIMUM);
	if (err || !granularity)
		return failed(c, t, "cuMemGetAllocationGranularity", err);
	m->size = (m->size + granularity - 1) / granularity * granularity;
	err = c->create(&m->handle, m->size, &prop, 0);
	if (err)
		return failed(c, t, "cuMemCreate", err);
	err = c->reserve(&m->raw, m->size, 0, 0, 0);
	if (err)
		return failed(c, t, "cuMemAddressReserve", err);
	err = c->map(m->raw, m->size, 0, m->handle, 0);
	if (err)
		return failed(c, t, "cuMemMap", err);
	m->address = m->raw;
	err = c->set_access(m->address, m->size, &access, 1);
	return err ? failed(c, t, "cuMemSetAccess", err) : 0;
}

static int cuda_open(struct st_memory *m, uint64_t size, struct st_trouble *t)
{
	const struct cuda *c = cuda_load(t->text, sizeof(t->text));
	unsigned long long flags = m->source->kind == ST_CUDA_PCIE ? CU_RANGE_MAPPING_PCIE : 0;
	unsigned int on = 1;
	int fd = -1, err;

	if (!c || use_device(c, m->source->index, t))
		return -1;
	m->size = size;
	if (m->source->kind == ST_CUDA_VMM ? alloc_vmm(c, m, t) : alloc_plain(c, m, t))
		return -1;
	/* Copies are done when their call returns. */
	if (c->pointer_set)
		(void)c->pointer_set(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, m->address);
	err = c->range_handle(&fd, m->address, m->size, CU_RANGE_DMA_BUF_FD, flags);
	if (err == CUDA_ERROR_OPERATING_SYSTEM && errno == EMFILE)
		return st_trouble_errno(t, "cuMemGetHandleForAddressRange");
	if (err)
		return failed(c, t, "cuMemGetHandleForAddressRange", err);
	return st_take_fd(m, fd, m->size, t);
}

static void cuda_close(struct st_memory *m)
{
	char why[ST_TEXT];
	const struct cuda *c = cuda_load(why, sizeof(why));
	struct st_trouble t;

	if (!c || use_device(c, m->source->index, &t))
		return;
	if (m->source->kind != ST_CUDA_VMM) {
		if (m->raw)
			c->free(m->raw);
		return;
	}
	if (m->address)
		c->unmap(m->address, m->size);
	if (m->raw)
		c->unreserve(m->raw, m->size);
	if (m->handle)
		c->release(m->handle);
}

static int cuda_write(struct st_memory *m, uint64_t at, const void *from, size_t n,
		      struct st_trouble *t)
{
	const struct cuda *c = cuda_load(t->text, sizeof(t->text));
	int err;

	if (!c || use_device(c, m->source->index, t))
		return -1;
	err = c->host_to_memory(m->address + at, from, n);
	return err ? failed(c, t, "cuMemcpyHtoD", err) : 0;
}

static int cuda_read(struct st_memory *m, uint64_t at, void *to, size_t n, struct st_trouble *t)
{
	const struct cuda *c = cuda_load(t->text, sizeof(t->text));
	int err;

	if (!c || use_device(c, m->source->index, t))
		return -1;
	err = c->memory_to_host(to, m->address + at, n);
	return err ? failed(c, t, "cuMemcpyDtoH", err) : 0;
}

const struct st_ops st_ops_cuda = {
	.open = cuda_open, .close = cuda_close, .write = cuda_write, .read = cuda_read,
};

static bool has(const struct cuda *c, int attribute, int device)
{
	int v = 0;

	return !c->device_attribute(&v, attribute, device) && v;
}

static void say_version(char *why, const struct cuda *c, const char *what, int since)
{
	snprintf(why, ST_TEXT, "%s is of CUDA %d.%d; this driver has %d.%d", what, since / 1000,
		 since % 1000 / 10, c->version / 1000, c->version % 1000 / 10);
}

/* Why a GPU gives no dma-buf of a kind of memory. */
static void say_missing(const struct cuda *c, enum st_kind kind, int device, char *why)
{
	if (c->version < VERSION_DMA_BUF)
		say_version(why, c, "cuMemGetHandleForAddressRange()", VERSION_DMA_BUF);
	else if (cuda_lacks(c, RANGE_HANDLE, RANGE_HANDLE, why, ST_TEXT))
		return;
	else if (!has(c, CU_DMA_BUF, device))
		snprintf(why, ST_TEXT, "this GPU or its driver exports no dma-buf "
			 "(CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED is 0): it needs NVIDIA's open "
			 "kernel modules and a GPU from Turing on");
	else if (kind == ST_CUDA_PCIE && c->version < VERSION_PCIE)
		say_version(why, c, "the PCIe mapping", VERSION_PCIE);
	else if (kind == ST_CUDA_VMM &&
		 cuda_lacks(c, offsetof(struct cuda, granularity),
			    offsetof(struct cuda, set_access), why, ST_TEXT))
		return;
	else if (kind == ST_CUDA_VMM && (!has(c, CU_VIRTUAL_MEMORY_MANAGEMENT, device) ||
					 !has(c, CU_GPU_DIRECT_RDMA_WITH_VMM, device)))
		snprintf(why, ST_TEXT, "this GPU has no GPUDirect RDMA of memory of cuMemCreate()");
}

static void add_gpu(struct st_scene *s, const struct cuda *c, unsigned int index)
{
	static const struct { enum st_kind kind; const char *suffix; } kinds[] = {
		{ ST_CUDA, "" }, { ST_CUDA_VMM, "-vmm" }, { ST_CUDA_PCIE, "-pcie" },
	};
	char bdf[BDF_SIZE] = "";
	int device;

	if (c->device_get(&device, (int)index))
		return;
	if (c->device_pci(bdf, sizeof(bdf), device))
		bdf[0] = 0;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct st_source *n = st_add_source(s, kinds[i].kind, index);

		if (!n)
			return;
		snprintf(n->name, sizeof(n->name), "cuda%u%s", index, kinds[i].suffix);
		/* CUDA writes hexadecimal digits as capitals. */
		if (!names_bdf(bdf, n->device))
			snprintf(n->device, sizeof(n->device), "%s", bdf);
		say_missing(c, kinds[i].kind, device, n->missing);
	}
}

void st_cuda_sources(struct st_scene *s)
{
	const struct cuda *c = cuda_load(s->cuda, sizeof(s->cuda));
	int n = 0, err;

	if (!c)
		return;
	err = c->device_count(&n);
	if (err)
		cuda_error(c, "cuDeviceGetCount", err, s->cuda, sizeof(s->cuda));
	else if (!n)
		snprintf(s->cuda, sizeof(s->cuda), "CUDA has no GPU (CUDA_VISIBLE_DEVICES?)");
	for (int i = 0; i < n; i++)
		add_gpu(s, c, (unsigned int)i);
}
