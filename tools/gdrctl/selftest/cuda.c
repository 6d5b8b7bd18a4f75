// SPDX-License-Identifier: GPL-2.0
/* libcuda.so.1, found at run time. */
#include <dlfcn.h>
#include <stdio.h>

#include "selftest/cuda.h"

static const struct cuda_symbol {
	const char *symbol;
	size_t at;
	int since;
} symbols[] = {
#define X(name, sym, args, from) { #sym, offsetof(struct cuda, name), from },
	CUDA_SYMBOLS(X)
#undef X
};

const char *cuda_error(const struct cuda *c, const char *call, int error, char *buf, size_t size)
{
	const char *name = NULL;

	if (!c->error_name || c->error_name(error, &name) || !name)
		snprintf(buf, size, "%s: CUDA error %d", call, error);
	else
		snprintf(buf, size, "%s: %s (%d)", call, name, error);
	return buf;
}

/* POSIX has functions and data of one size. */
static void find(struct cuda *c, void *lib)
{
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++)
		*(void **)((char *)c + symbols[i].at) = dlsym(lib, symbols[i].symbol);
}

bool cuda_lacks(const struct cuda *c, size_t from, size_t to, char *why, size_t size)
{
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		const struct cuda_symbol *s = &symbols[i];

		if (s->at < from || s->at > to || *(void *const *)((const char *)c + s->at))
			continue;
		snprintf(why, size, "libcuda.so.1 has no %s, which CUDA has from %d.%d on",
			 s->symbol, s->since / 1000, s->since % 1000 / 10);
		return true;
	}
	return false;
}

const struct cuda *cuda_load(char *why, size_t size)
{
	static struct cuda cuda;
	static bool ready;
	void *lib;
	int err;

	if (ready)
		return &cuda;
	lib = dlopen("libcuda.so.1", RTLD_NOW);
	if (!lib) {
		const char *text = dlerror();

		snprintf(why, size, "%s", text ? text : "libcuda.so.1 cannot be loaded");
		return NULL;
	}
	/* Never closed: the library has threads of its own. */
	find(&cuda, lib);
	if (cuda_lacks(&cuda, 0, offsetof(struct cuda, memory_to_host), why, size))
		return NULL;
	err = cuda.init(0);
	if (err) {
		cuda_error(&cuda, "cuInit", err, why, size);
		return NULL;
	}
	err = cuda.driver_version(&cuda.version);
	if (err) {
		cuda_error(&cuda, "cuDriverGetVersion", err, why, size);
		return NULL;
	}
	ready = true;
	return &cuda;
}
