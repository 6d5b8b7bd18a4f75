/* SPDX-License-Identifier: GPL-2.0 */
/* What is known of a failure and of this machine, and what that says of its possible causes. */
#ifndef GDRCTL_FACTS_H
#define GDRCTL_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * enum fact - what has to be so for a cause
 * @FACT_NONE: nothing that could be told here
 * @FACT_NVIDIA: the exporter is NVIDIA's
 * @FACT_NOT_NVIDIA: it is another
 * @FACT_MLX5: the importer is an mlx5 function
 * @FACT_NOT_MLX5: it is another
 * @FACT_NVIDIA_STATIC: NVIDIA's driver, with an importer other than mlx5
 * @FACT_BAR1: the exporter is NVIDIA's, whose BAR1 can be used up
 * @FACT_NV_OLD: NVIDIA's driver before 580.65.06
 * @FACT_NV_NEW: NVIDIA's driver from 580.65.06 on
 * @FACT_NV_IOMMU: NVIDIA's driver from 535 to 575, and an IOMMU that translates
 * @FACT_FLAGS: an access flag that dma-buf MRs do not have
 * @FACT_REMOTE: remote write or atomic without local write
 * @FACT_LONG: 256 MiB or more
 * @FACT_EMPTY: no length
 * @FACT_OVERFLOW: the end is beyond the highest address
 * @FACT_RANGE: some length, and no such end
 */
enum fact {
	FACT_NONE,
	FACT_NVIDIA,
	FACT_NOT_NVIDIA,
	FACT_MLX5,
	FACT_NOT_MLX5,
	FACT_NVIDIA_STATIC,
	FACT_BAR1,
	FACT_NV_OLD,
	FACT_NV_NEW,
	FACT_NV_IOMMU,
	FACT_FLAGS,
	FACT_REMOTE,
	FACT_LONG,
	FACT_EMPTY,
	FACT_OVERFLOW,
	FACT_RANGE,
};

/**
 * enum verdict - what is known of a possible cause; words of the JSON interface
 * @VERDICT_POSSIBLE: nothing says that it is not so
 * @VERDICT_FITS: what is known is enough for it
 * @VERDICT_RULED_OUT: it cannot be
 */
enum verdict { VERDICT_POSSIBLE, VERDICT_FITS, VERDICT_RULED_OUT };

/** enum known - of a question with yes and no */
enum known { UNKNOWN, NO, YES };

#define FACTS_NAME	128
#define FACTS_EVIDENCE	4096
/** FACTS_GPUS - more are left out */
#define FACTS_GPUS	32

/**
 * struct facts_gpu - BAR1 of a GPU
 * @name: its BDF
 * @bar1_bytes: size of its BAR1
 * @pinned_bytes: what dma-buf has pinned of it now, each buffer counted once
 */
struct facts_gpu {
	char name[FACTS_NAME];
	uint64_t bar1_bytes;
	uint64_t pinned_bytes;
};

/**
 * struct facts - what is known of one failure, and of the machine
 * @nvidia: the exporter is NVIDIA's
 * @exporter: name of what exports, for the evidence; "" if not known
 * @mlx5: the importer is an mlx5 function
 * @importer: its BDF; "" if not known
 * @driver: version of NVIDIA's driver that is loaded now: 5806506 for 580.65.06; 0 if not known
 * @driver_text: the same as it writes it
 * @iommu: an IOMMU translates what the importer sends
 * @has_range: what follows is known
 * @offset: of the MR that was wanted
 * @length: its length
 * @access: its access flags
 * @gpu: the GPU of the buffer alone, or, if the record does not tell it, all that there are
 * @gpus: how many these are
 * @gpu_known: it is that of the buffer
 * @unplaced_bytes: what is pinned of GPUs that are not known
 */
struct facts {
	enum known nvidia;
	char exporter[FACTS_NAME];
	enum known mlx5;
	char importer[FACTS_NAME];
	uint32_t driver;
	char driver_text[FACTS_NAME];
	enum known iommu;
	bool has_range;
	uint64_t offset;
	uint64_t length;
	uint32_t access;
	struct facts_gpu gpu[FACTS_GPUS];
	size_t gpus;
	bool gpu_known;
	uint64_t unplaced_bytes;
};

/**
 * facts_machine - find out what the files of this machine tell
 * @f: filled in; @importer is looked at if it is known
 */
void facts_machine(struct facts *f);

/** facts_driver - "580.65.06" as 5806506, 0 if it is no version */
uint32_t facts_driver(const char *version);

/**
 * facts_verdict - what is known of a possible cause
 * @f: the facts
 * @only: what has to be so for it
 * @evidence: why; "" for VERDICT_POSSIBLE without a hint
 *
 * Return: the verdict
 */
enum verdict facts_verdict(const struct facts *f, enum fact only, char evidence[FACTS_EVIDENCE]);

#endif
