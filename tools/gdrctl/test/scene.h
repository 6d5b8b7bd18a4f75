/* SPDX-License-Identifier: GPL-2.0 */
/* Parts of scenes that are made by hand. After ktap.h. */
#ifndef GDRCTL_TEST_SCENE_H
#define GDRCTL_TEST_SCENE_H

#include <stdlib.h>

#include "capture.h"
#include "failure.h"
#include "owners.h"

#define NOW 10000000000000ULL
#define MIB (1u << 20)
#define HCA0 "0000:81:00.0"
#define HCA1 "0000:82:00.0"
#define GPU0 "0000:41:00.0"

#define ATTACHMENT_BIT(name) (1ULL << GDR_TELEMETRY_A_ATTACHMENT_##name)
#define ATTACHMENT_FLAG(f) GDR_TELEMETRY_ATTACHMENT_FLAG_##f

/** scene_attachment - one of process @pid, of 2 MiB, mapped and pinned, with an MR of 1 MiB */
static inline struct attachment scene_attachment(uint64_t id, uint32_t pid, const char *importer,
						 uint64_t buffer)
{
	struct attachment a = {
		.id = id, .pid = pid, .buffer = buffer, .size = 2 * MIB, .uid = 1000,
		.flags = ATTACHMENT_FLAG(MAPPED) | ATTACHMENT_FLAG(PINNED) |
			 ATTACHMENT_FLAG(EXPORTER_GPU) | ATTACHMENT_FLAG(IMPORTER_HCA),
		.attach_time = NOW - 1000000000 * (100 - id), .start_time = 5000000000 + pid,
		.cgroup = 7, .mr_number = (uint32_t)id, .mr_length = MIB, .mr_lkey = 0x1001,
		.mr_rkey = 0x1002, .mr_iova = 0x7f0000000000,
		.present = ATTACHMENT_BIT(ID) | ATTACHMENT_BIT(BUFFER) | ATTACHMENT_BIT(SIZE) |
			   ATTACHMENT_BIT(FLAGS) | ATTACHMENT_BIT(IMPORTER) |
			   ATTACHMENT_BIT(EXPORTER) | ATTACHMENT_BIT(PID) | ATTACHMENT_BIT(COMM) |
			   ATTACHMENT_BIT(UID) | ATTACHMENT_BIT(CGROUP) |
			   ATTACHMENT_BIT(ATTACH_TIME) | ATTACHMENT_BIT(START_TIME) |
			   ATTACHMENT_BIT(MR_NUMBER) | ATTACHMENT_BIT(MR_LENGTH) |
			   ATTACHMENT_BIT(MR_LKEY) | ATTACHMENT_BIT(MR_RKEY) |
			   ATTACHMENT_BIT(MR_IOVA),
	};

	strcpy(a.importer, importer);
	strcpy(a.exporter, GPU0);
	strcpy(a.comm, "python3");
	return a;
}

static inline void scene_add(struct capture *c, struct attachment a)
{
	EXPECT(!attachments_add(&c->attachments, &a));
}

static inline void scene_pair(struct capture *c, const char *importer, uint64_t attachments,
			      uint64_t failures)
{
	struct record r = { .present = 0 };

	EXPECT(!record_set_text(&r, GDR_TELEMETRY_A_PAIR_EXPORTER, GPU0));
	EXPECT(!record_set_text(&r, GDR_TELEMETRY_A_PAIR_IMPORTER, importer));
	EXPECT(!record_add_name(&r, GDR_TELEMETRY_A_PAIR_IMPORTER_IBDEV,
				strcmp(importer, HCA0) ? "mlx5_1" : "mlx5_0"));
	record_set_number(&r, GDR_TELEMETRY_A_PAIR_ATTACHMENTS, attachments);
	record_set_number(&r, GDR_TELEMETRY_A_PAIR_MRS, attachments);
	record_set_number(&r, GDR_TELEMETRY_A_PAIR_MR_BYTES, attachments * MIB);
	record_set_number(&r, GDR_TELEMETRY_A_PAIR_PINNED_BYTES, attachments * 2 * MIB);
	record_set_number(&r, GDR_TELEMETRY_A_PAIR_FAILURES_TOTAL, failures);
	EXPECT(!records_add(&c->list[CAPTURE_PAIRS], &r));
}

static inline void scene_importer(struct capture *c, const char *importer)
{
	struct record r = { .present = 0 };

	EXPECT(!record_set_text(&r, GDR_TELEMETRY_A_DEVICE_NAME, importer));
	EXPECT(!records_add(&c->list[CAPTURE_IMPORTERS], &r));
}

static inline void scene_failures(struct capture *c, uint32_t stage, int err, uint64_t count)
{
	struct record r = { .present = 0 };

	EXPECT(!record_set_text(&r, FAILURE(IMPORTER), HCA0));
	record_set_number(&r, FAILURE(STAGE), stage);
	record_set_number(&r, FAILURE(ERROR), (uint64_t)err);
	record_set_number(&r, FAILURE(COUNT), count);
	EXPECT(!records_add(&c->list[CAPTURE_FAILURES], &r));
}

static inline void scene_failed(struct capture *c, uint64_t id, uint32_t pid, int err)
{
	struct record r = { .present = 0 };

	EXPECT(!record_set_text(&r, FAILURE(IMPORTER), HCA0));
	EXPECT(!record_set_text(&r, FAILURE(COMM), "python3"));
	record_set_number(&r, FAILURE(SEQ), id);
	record_set_number(&r, FAILURE(STAGE), GDR_TELEMETRY_STAGE_MAP);
	record_set_number(&r, FAILURE(ERROR), (uint64_t)err);
	record_set_number(&r, FAILURE(PID), pid);
	record_set_number(&r, FAILURE(UID), 1000);
	record_set_number(&r, FAILURE(CGROUP), 7);
	record_set_number(&r, FAILURE(START_TIME), 5000000000 + pid);
	EXPECT(!records_add(&c->list[CAPTURE_FAILURE_LOG], &r));
}

/** scene_owners - add the attachments up; to be done when they are all there */
static inline void scene_owners(struct capture *c)
{
	EXPECT(!owners_make(OWNER_PROCESS, false, &c->attachments, &c->list[CAPTURE_OWNERS]));
	EXPECT(!owners_make(OWNER_CGROUP, false, &c->attachments, &c->list[CAPTURE_CGROUPS]));
	attachments_sort(&c->attachments);
}

static inline void scene_total(struct capture *c, int attr, uint64_t v)
{
	c->status.value[attr] = v;
	c->status.present |= 1ULL << attr;
}

#endif
