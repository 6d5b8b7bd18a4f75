// SPDX-License-Identifier: GPL-2.0
/*
 * What is tracked: GPUDirect RDMA only, or every attachment on the machine.
 */
#include <linux/moduleparam.h>
#include <linux/string.h>

#include "gdr_telemetry.h"

static const char * const words[] = {
	[GDR_TELEMETRY_TRACK_GDR] = "gdr",
	[GDR_TELEMETRY_TRACK_ALL] = "all",
};

static int track = GDR_TELEMETRY_TRACK_GDR;

/**
 * gdrt_tracked() - is an attachment between these two tracked?
 * @hca: the importer is an mlx5 function
 * @exp: exporter
 *
 * Context: any.
 * Return: true if so.
 */
bool gdrt_tracked(bool hca, const struct gdrt_ident *exp)
{
	return READ_ONCE(track) == GDR_TELEMETRY_TRACK_ALL || hca || exp->is_gdr;
}

/**
 * gdrt_track_get() - what is tracked now
 *
 * Context: any.
 * Return: the setting.
 */
enum gdr_telemetry_track gdrt_track_get(void)
{
	return READ_ONCE(track);
}

/**
 * gdrt_track_word() - what is tracked now, as a word
 *
 * Context: any.
 * Return: "gdr" or "all".
 */
const char *gdrt_track_word(void)
{
	return words[gdrt_track_get()];
}

/**
 * gdrt_track_set() - change what is tracked
 * @word: "gdr" or "all", with or without a newline
 *
 * Records that the new setting leaves out are dropped and counted as
 * untracked. Attachments that it adds are met as preexisting ones are.
 *
 * Context: process.
 * Return: 0, or -EINVAL for another word.
 */
int gdrt_track_set(const char *word)
{
	int i = sysfs_match_string(words, word);

	if (i < 0)
		return -EINVAL;
	WRITE_ONCE(track, i);
	gdrt_exact_track_changed();
	gdrt_registry_drop_untracked();
	return 0;
}

static int param_set(const char *val, const struct kernel_param *kp)
{
	return gdrt_track_set(val);
}

static int param_get(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%s\n", gdrt_track_word());
}

static const struct kernel_param_ops track_ops = {
	.set = param_set,
	.get = param_get,
};

module_param_cb(track, &track_ops, NULL, 0644);
MODULE_PARM_DESC(track,
		 "Attachments to track: gdr (NVIDIA exporter or mlx5 importer, default) or all");
