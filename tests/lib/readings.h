/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two views of the same moment: the module's totals, and what the kernel's
 * bufinfo and the exporter double's ledger say. None of the second comes from
 * the module.
 */
#ifndef GDRT_READINGS_H
#define GDRT_READINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define GDRT_SYSFS	"/sys/kernel/gdr_telemetry"
#define GDRT_IMP_LEDGER	"/sys/kernel/debug/gdrt_importer/ledger"

/**
 * struct readings - what is live, as read without the module
 * @attachments: attached devices that the track setting covers
 * @buffers: buffers with one
 * @importers: different importing devices
 * @exporters: different exporters
 * @foreign: of the attachments, those whose exporter is not the double: what
 *	is mapped or pinned through them cannot be read
 * @mapped: attachments with a mapping
 * @mapped_bytes: each mapped buffer once
 * @pinned_bytes: each pinned buffer once
 * @pinned_bytes_sum: size of the buffer for each pinned attachment
 * @map_calls: map operations of the exporter that succeeded
 * @unmap_calls: its unmap operations
 * @pin_calls: calls of dma_buf_pin() by the importer double that succeeded
 * @unpin_calls: its calls of dma_buf_unpin()
 */
struct readings {
	uint64_t attachments;
	uint64_t buffers;
	uint64_t importers;
	uint64_t exporters;
	uint64_t foreign;
	uint64_t mapped;
	uint64_t mapped_bytes;
	uint64_t pinned_bytes;
	uint64_t pinned_bytes_sum;
	uint64_t map_calls;
	uint64_t unmap_calls;
	uint64_t pin_calls;
	uint64_t unpin_calls;
};

/* Reads one total of the module, such as "failures/map_total". False: no such file. */
bool reading_total(const char *name, uint64_t *value);

/*
 * Compares one total with @other. A difference goes to @out, with @where as words for @other:
 * "the ledger has". Returns how many: 0 or 1.
 */
int reading_differs(const char *name, uint64_t other, const char *where, FILE *out);

/* Reads the independent side. False, with a message on stderr: a file is missing. */
bool readings_take(struct readings *r);

/**
 * enum readings_depth - how much is compared
 * @READINGS_TOTALS: the live totals
 * @READINGS_DEVICES: also the numbers of each device and pair; nothing may have
 *	been attached before the module was loaded
 * @READINGS_COUNTERS: also the counters of calls; the doubles and the module
 *	have to be loaded together
 */
enum readings_depth {
	READINGS_TOTALS,
	READINGS_DEVICES,
	READINGS_COUNTERS,
};

/*
 * Compares what the module says with the independent side. @reasons is what
 * inexact_reasons should say. Differences go to @out, a line each; returns how
 * many.
 */
int readings_compare(enum readings_depth depth, uint64_t reasons, FILE *out);

#endif /* GDRT_READINGS_H */
