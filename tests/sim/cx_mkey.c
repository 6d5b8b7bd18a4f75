// SPDX-License-Identifier: GPL-2.0
/*
 * Memory keys: user-mode registration (UMR) and translation.
 *
 * A translation entry (MTT) holds a page address and, in its low bits, whether
 * the page may be read and written. Without either bit it is not present: a
 * page fault.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "connectx.h"

#define UMR_INLINE		0x80
#define UMR_TRANSLATION_OFFSET	0x10
#define KLM_AT			128	/* in a work request that binds a memory window */
#define MASK_LEN		(1ULL << 0)
#define MASK_PAGE_SIZE		(1ULL << 1)
#define MASK_START		(1ULL << 6)
#define MASK_PD			(1ULL << 7)
#define MASK_LR			(1ULL << 17)
#define MASK_LW			(1ULL << 18)
#define MASK_RR			(1ULL << 19)
#define MASK_RW			(1ULL << 20)
#define MASK_FREE		(1ULL << 29)
#define MTT_PRESENT		3ULL
#define MTT_WRITE		2ULL
#define MTT_MAX			(1U << 26)

/**
 * cx_mkey_find() - the memory key that a key names
 * @cx: the HCA
 * @key: lkey or rkey
 *
 * Return: the key, or NULL.
 */
struct cx_mkey *cx_mkey_find(struct connectx *cx, uint32_t key)
{
	return key >> 8 < cx->mkey_cap ? cx->mkey[key >> 8] : NULL;
}

/**
 * cx_mkey_free() - forget a memory key
 * @k: the key
 */
void cx_mkey_free(struct cx_mkey *k)
{
	free(k->mtt);
	free(k);
}

static int mtt_load(struct connectx *cx, struct cx_mkey *k, uint64_t first, uint64_t addr,
		    uint32_t bytes)
{
	size_t n = bytes / 8, i;
	uint8_t *raw;
	int err;

	if (first > MTT_MAX || n > MTT_MAX - first)
		return ERANGE;
	if (first + n > k->nmtt) {
		uint64_t *t = realloc(k->mtt, (first + n) * sizeof(*t));

		if (!t)
			return ENOMEM;
		memset(t + k->nmtt, 0, (first + n - k->nmtt) * sizeof(*t));
		k->mtt = t;
		k->nmtt = first + n;
	}
	raw = malloc(bytes ? bytes : 1);
	if (!raw)
		return ENOMEM;
	err = dma_read(cx->dev, addr, raw, n * 8);
	for (i = 0; !err && i < n; i++)
		k->mtt[first + i] = be64_get(raw + 8 * i);
	free(raw);
	return err;
}

static void right_set(struct cx_mkey *k, uint64_t mask, uint64_t bit, bool on, unsigned int right)
{
	if (mask & bit)
		k->rights = on ? k->rights | right : k->rights & ~right;
}

/**
 * cx_mkey_umr() - carry out a UMR work request
 * @cx: the HCA
 * @key: the key to change
 * @wqe: the work request
 * @len: its bytes
 *
 * Return: a syndrome, 0 if it went well.
 */
int cx_mkey_umr(struct connectx *cx, uint32_t key, const uint8_t *wqe, size_t len)
{
	struct cx_mkey *k = cx_mkey_find(cx, key);
	const uint8_t *ctrl = wqe + 16, *mkc = wqe + 64;
	uint32_t octwords;
	uint64_t mask;
	uint8_t flags;

	if (!k || len < 128 || cx_injected(cx, "UMR", false))
		return SYN_LOCAL_PROT;
	flags = ctrl[0];
	octwords = be16_get(ctrl + 4);
	mask = be64_get(ctrl + 8);
	if (mask & MASK_FREE)
		k->free = bits_get(mkc, F_MKC_FREE);
	if (mask & MASK_PAGE_SIZE)
		k->shift = bits_get(mkc, F_MKC_LOG_PAGE);
	if (mask & MASK_LEN)
		k->len = bits_get(mkc, F_MKC_LEN);
	if (mask & MASK_START)
		k->start = bits_get(mkc, F_MKC_START);
	if (mask & MASK_PD)
		k->pd = bits_get(mkc, F_MKC_PD);
	right_set(k, mask, MASK_LR, bits_get(mkc, F_MKC_LR), MKEY_LR);
	right_set(k, mask, MASK_LW, bits_get(mkc, F_MKC_LW), MKEY_LW);
	right_set(k, mask, MASK_RR, bits_get(mkc, F_MKC_RR), MKEY_RR);
	right_set(k, mask, MASK_RW, bits_get(mkc, F_MKC_RW), MKEY_RW);

	/* A program binds a memory window to one memory region. */
	if (flags & UMR_INLINE && octwords && len >= KLM_AT + 16) {
		k->below = be32_get(wqe + KLM_AT + 4);
		k->below_at = be64_get(wqe + KLM_AT + 8);
		if (!cx_mkey_find(cx, k->below))
			return SYN_MW_BIND;
	}
	if (!(flags & UMR_INLINE) && octwords && len >= 144) {
		uint64_t off = 0;

		if (flags & UMR_TRANSLATION_OFFSET)	/* in units of two entries */
			off = be16_get(ctrl + 6) | (uint64_t)be32_get(ctrl + 16) << 16;
		if (mtt_load(cx, k, off * 2, be64_get(wqe + 136), be32_get(wqe + 128))) {
			sim_log(cx->dev, "UMR of mkey %#x: its list cannot be read", key);
			return SYN_LOCAL_PROT;
		}
	}
	if (sim_verbose)
		sim_log(cx->dev, "UMR mkey %#x free %d start %#llx len %#llx entries %zu", key, k->free,
			(unsigned long long)k->start, (unsigned long long)k->len, k->nmtt);
	return SYN_OK;
}

/**
 * cx_mkey_copy() - move data through a memory key
 * @cx: the HCA
 * @key: lkey or rkey
 * @addr: virtual address
 * @buf: the data
 * @len: bytes
 * @write: into the memory, else out of it
 * @right: MKEY_* that is needed
 * @fault: set to the address of a page that is not present
 *
 * Return: 0; EACCES if the key does not allow it; EFAULT if a page is not
 * present; another positive errno if the memory cannot be reached.
 */
int cx_mkey_copy(struct connectx *cx, uint32_t key, uint64_t addr, uint8_t *buf, uint32_t len,
		 bool write, unsigned int right, uint64_t *fault)
{
	const struct cx_mkey *k = cx_mkey_find(cx, key);
	uint64_t page;

	if (!k || k->free || (right && !(k->rights & right)))
		return EACCES;
	if (!k->pa && (addr < k->start || len > k->len || addr - k->start > k->len - len))
		return EACCES;
	if (k->below) {
		const struct cx_mkey *region = cx_mkey_find(cx, k->below);

		/* A window of a window there is not. */
		return region && !region->below ?
		       cx_mkey_copy(cx, k->below, addr - k->start + k->below_at, buf, len, write, 0,
				    fault) : EACCES;
	}
	page = 1ULL << (k->shift < 63 ? k->shift : 63);
	while (len) {
		uint64_t dma = addr, mtt, off;
		uint32_t n = len;
		int err;

		if (!k->pa) {
			/* Entry 0 is the page that the key starts in. */
			off = addr - (k->start & ~(page - 1));
			mtt = off / page < k->nmtt ? k->mtt[off / page] : 0;
			if (!(mtt & MTT_PRESENT) || (write && !(mtt & MTT_WRITE))) {
				*fault = addr;
				return EFAULT;
			}
			if (n > page - off % page)
				n = page - off % page;
			dma = (mtt & ~0xfffULL & ~(page - 1)) + off % page;
		}
		err = write ? dma_write(cx->dev, dma, buf, n) : dma_read(cx->dev, dma, buf, n);
		if (err)
			return err == EFAULT ? EIO : err;
		addr += n;
		buf += n;
		len -= n;
	}
	return 0;
}

/**
 * cx_mkey_reach() - as cx_mkey_copy(), for a queue pair
 * @cx: the HCA
 * @pd: protection domain of the queue pair
 * @key: lkey or rkey
 * @addr: virtual address
 * @buf: the data
 * @len: bytes
 * @write: into the memory, else out of it
 * @right: MKEY_* that is needed
 * @fault: set to the address of a page that is not present
 *
 * Return: as cx_mkey_copy(); EACCES also if the key is of another protection domain.
 */
int cx_mkey_reach(struct connectx *cx, uint32_t pd, uint32_t key, uint64_t addr, uint8_t *buf,
		  uint32_t len, bool write, unsigned int right, uint64_t *fault)
{
	const struct cx_mkey *k = cx_mkey_find(cx, key);

	if (!k || k->pd != pd)
		return EACCES;
	return cx_mkey_copy(cx, key, addr, buf, len, write, right, fault);
}

/**
 * cx_mkey_invalidate() - the other side gives a memory window up
 * @cx: the HCA
 * @pd: protection domain of the queue pair it came to
 * @key: the window's key
 *
 * Return: 0, or EACCES if that key is not one it may give up.
 */
int cx_mkey_invalidate(struct connectx *cx, uint32_t pd, uint32_t key)
{
	struct cx_mkey *k = cx_mkey_find(cx, key);

	if (!k || !k->rinval || k->pd != pd)
		return EACCES;
	k->free = true;
	return 0;
}
