// SPDX-License-Identifier: GPL-2.0
/* What is known of a failure and of this machine, and what that says of its possible causes. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rdma/ib_user_ioctl_verbs.h>

#include "facts.h"
#include "format.h"
#include "names.h"

/* uverbs_std_types_mr.c:UVERBS_METHOD_REG_DMABUF_MR */
#define ACCESS_ALLOWED (IB_UVERBS_ACCESS_LOCAL_WRITE | IB_UVERBS_ACCESS_REMOTE_READ |            \
			IB_UVERBS_ACCESS_REMOTE_WRITE | IB_UVERBS_ACCESS_REMOTE_ATOMIC |         \
			IB_UVERBS_ACCESS_RELAXED_ORDERING)
#define ACCESS_REMOTE (IB_UVERBS_ACCESS_REMOTE_WRITE | IB_UVERBS_ACCESS_REMOTE_ATOMIC)

/* umr.h: MLX5_MAX_UMR_PAGES of 4 KiB */
#define LONG (256ULL << 20)

/* The part of BAR1 that is far from all of it: 1 / FAR. Of 256 MiB some 220 can be had. */
#define FAR 2

/* The versions of NVIDIA's driver between which it behaves otherwise. */
#define NV_ATTACH	5806506
#define NV_IOMMU_FIRST	5350000
#define NV_IOMMU_END	5800000

uint32_t facts_driver(const char *version)
{
	unsigned int major, minor, patch = 0;
	int end = 0;

	if (!isdigit((unsigned char)*version) ||
	    sscanf(version, "%3u.%3u%n.%2u%n", &major, &minor, &end, &patch, &end) < 2 ||
	    version[end])
		return 0;
	/* 550.90.07 is newer than 550.54.15; some have three digits: 570.211.01. */
	return major * 10000 + minor * 100 + patch;
}

static bool starts(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

void facts_machine(struct facts *f)
{
	char line[FACTS_NAME];

	if (names_line(f->driver_text, sizeof(f->driver_text), "/sys/module/nvidia/version"))
		f->driver = facts_driver(f->driver_text);
	if (!*f->importer || strchr(f->importer, '/'))
		return;
	if (names_line(line, sizeof(line), "/sys/bus/pci/devices/%s/vendor", f->importer))
		f->mlx5 = !strcmp(line, "0x15b3") ? YES : NO;
	/* DMA and DMA-FQ translate, identity does not; no group, no IOMMU. */
	if (names_line(line, sizeof(line), "/sys/bus/pci/devices/%s/iommu_group/type",
		       f->importer))
		f->iommu = starts(line, "DMA") ? YES : NO;
	else if (f->mlx5)
		f->iommu = NO;
}

/* What has to be so for a cause and is so does not make it the cause. */
static enum verdict unless(enum known k)
{
	return k == NO ? VERDICT_RULED_OUT : VERDICT_POSSIBLE;
}

static enum known is_not(enum known k)
{
	return k == YES ? NO : k == NO ? YES : UNKNOWN;
}

static enum verdict of_exporter(const struct facts *f, enum known k, char *evidence)
{
	char shown[FACTS_NAME];

	if (f->nvidia)
		snprintf(evidence, FACTS_EVIDENCE, "the exporter is %s",
			 format_escape(f->exporter, shown, sizeof(shown)));
	return unless(k);
}

static enum verdict of_importer(const struct facts *f, enum known k, char *evidence)
{
	if (f->mlx5)
		snprintf(evidence, FACTS_EVIDENCE, "%s is %s", f->importer,
			 f->mlx5 == YES ? "an mlx5 function" : "no mlx5 function");
	return unless(k);
}

/* NVIDIA's driver, of a version that is @k. */
static enum verdict of_driver(const struct facts *f, enum known k, char *evidence)
{
	char shown[FACTS_NAME];

	if (f->nvidia == NO)
		return of_exporter(f, NO, evidence);
	if (k)
		snprintf(evidence, FACTS_EVIDENCE, "NVIDIA's driver is %s",
			 format_escape(f->driver_text, shown, sizeof(shown)));
	return unless(k);
}

static enum verdict of_iommu(const struct facts *f, char *evidence)
{
	enum known version = UNKNOWN;

	if (f->driver)
		version = f->driver >= NV_IOMMU_FIRST && f->driver < NV_IOMMU_END ? YES : NO;
	if (f->nvidia == NO || version == NO || f->iommu != NO)
		return of_driver(f, version, evidence);
	snprintf(evidence, FACTS_EVIDENCE, "no IOMMU translates for %s", f->importer);
	return VERDICT_RULED_OUT;
}

/* Each GPU with its BAR1 and what is pinned of it. */
static size_t put_gpus(const struct facts *f, char *evidence)
{
	char bar1[FORMAT_MAX], pinned[FORMAT_MAX];
	size_t used = 0;

	if (!f->gpu_known)
		used = (size_t)snprintf(evidence, FACTS_EVIDENCE, "the record names no GPU; ");
	for (size_t i = 0; i < f->gpus && used < FACTS_EVIDENCE; i++)
		used += (size_t)snprintf(evidence + used, FACTS_EVIDENCE - used,
				"%s%s has %s, %s of it are pinned by dma-buf now",
				i ? "; that of " : "BAR1 of ", f->gpu[i].name,
				format_size(f->gpu[i].bar1_bytes, bar1),
				format_size(f->gpu[i].pinned_bytes, pinned));
	return used;
}

static enum verdict of_bar1(const struct facts *f, char *evidence)
{
	uint64_t length = f->has_range ? f->length : 0, unplaced = f->unplaced_bytes;
	bool fits = f->nvidia == YES && f->has_range, far = f->has_range;
	char size[FORMAT_MAX];
	size_t used;

	if (f->nvidia == NO)
		return of_exporter(f, NO, evidence);
	if (!f->gpus)
		return VERDICT_POSSIBLE;
	used = put_gpus(f, evidence);
	for (size_t i = 0; i < f->gpus; i++) {
		const struct facts_gpu *gpu = &f->gpu[i];

		fits &= length > gpu->bar1_bytes;
		/* In double: these are sums of what others say. */
		far &= (double)gpu->pinned_bytes + (double)unplaced + (double)length <=
		       (double)gpu->bar1_bytes / FAR;
	}
	if (unplaced && used < FACTS_EVIDENCE)
		used += (size_t)snprintf(evidence + used, FACTS_EVIDENCE - used,
				"; %s more are pinned of a GPU that is not known",
				format_size(unplaced, size));
	if (f->has_range && used < FACTS_EVIDENCE)
		used += (size_t)snprintf(evidence + used, FACTS_EVIDENCE - used,
				"; the MR was to have %s", format_size(length, size));
	if (far && used < FACTS_EVIDENCE)
		snprintf(evidence + used, FACTS_EVIDENCE - used,
			 ". That is far below BAR1, which speaks against this cause; what else "
			 "uses BAR1 is not counted");
	return fits ? VERDICT_FITS : VERDICT_POSSIBLE;
}

/* A question to the arguments, of which all are known or none. */
static enum verdict of_range(const struct facts *f, bool so, char *evidence)
{
	if (!f->has_range)
		return VERDICT_POSSIBLE;
	snprintf(evidence, FACTS_EVIDENCE, "offset %" PRIu64 ", length %" PRIu64, f->offset,
		 f->length);
	return so ? VERDICT_FITS : VERDICT_RULED_OUT;
}

static enum verdict of_access(const struct facts *f, bool so, char *evidence)
{
	if (!f->has_range)
		return VERDICT_POSSIBLE;
	snprintf(evidence, FACTS_EVIDENCE, "access flags 0x%x", f->access);
	return so ? VERDICT_FITS : VERDICT_RULED_OUT;
}

enum verdict facts_verdict(const struct facts *f, enum fact only, char evidence[FACTS_EVIDENCE])
{
	bool overflow = f->offset + f->length < f->offset;
	enum verdict v;

	evidence[0] = 0;
	switch (only) {
	case FACT_NONE:
		break;
	case FACT_NVIDIA:
		return of_exporter(f, f->nvidia, evidence);
	case FACT_NOT_NVIDIA:
		return of_exporter(f, is_not(f->nvidia), evidence);
	case FACT_MLX5:
		return of_importer(f, f->mlx5, evidence);
	case FACT_NOT_MLX5:
		return of_importer(f, is_not(f->mlx5), evidence);
	case FACT_NVIDIA_STATIC:
		if (f->mlx5 == YES)
			return of_importer(f, NO, evidence);
		return of_exporter(f, f->nvidia, evidence);
	case FACT_BAR1:
		return of_bar1(f, evidence);
	case FACT_NV_OLD:
		return of_driver(f, !f->driver ? UNKNOWN : f->driver < NV_ATTACH ? YES : NO,
				 evidence);
	case FACT_NV_NEW:
		return of_driver(f, !f->driver ? UNKNOWN : f->driver < NV_ATTACH ? NO : YES,
				 evidence);
	case FACT_NV_IOMMU:
		return of_iommu(f, evidence);
	case FACT_FLAGS:
		return of_access(f, f->access & ~(uint32_t)ACCESS_ALLOWED, evidence);
	case FACT_REMOTE:
		return of_access(f, f->access & ACCESS_REMOTE &&
				 !(f->access & IB_UVERBS_ACCESS_LOCAL_WRITE), evidence);
	case FACT_LONG:
		v = of_range(f, f->length >= LONG, evidence);
		/* Long enough is no proof: most HCAs take it. */
		return v == VERDICT_FITS ? VERDICT_POSSIBLE : v;
	case FACT_EMPTY:
		return of_range(f, !f->length, evidence);
	case FACT_OVERFLOW:
		return of_range(f, overflow, evidence);
	case FACT_RANGE:
		v = of_range(f, f->length && !overflow, evidence);
		return v == VERDICT_FITS ? VERDICT_POSSIBLE : v;
	}
	return VERDICT_POSSIBLE;
}
