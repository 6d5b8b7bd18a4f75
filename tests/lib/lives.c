// SPDX-License-Identifier: GPL-2.0
/*
 * The accounting rules of Documentation/design.rst, as a table: each kind of
 * exporter with each kind of importer, for each generation of the core.
 */
#include "buffers.h"
#include "lives.h"

#define CACHED		.states[GDR_TELEMETRY_CORE_CACHED]
#define MOVE_NOTIFY	.states[GDR_TELEMETRY_CORE_MOVE_NOTIFY]
#define INVALIDATE	.states[GDR_TELEMETRY_CORE_INVALIDATE]

const struct life lives[] = {
	{
		"static exporter, static importer", 0, GDRT_IMPORT_STATIC,
		.calls =      "amuMUd",
		CACHED =      "-B-B-.",
		MOVE_NOTIFY = "-B-B-.",
		INVALIDATE =  "-B-B-.",
	},
	{
		"static exporter, dynamic importer", 0, GDRT_IMPORT_DYNAMIC,
		.calls =      "ampquMUd",
		CACHED =      "BBBBBBB.",
		MOVE_NOTIFY = "-BBB-B-.",
		INVALIDATE =  "-BBB-B-.",
	},
	{
		"static exporter, pinned importer", 0, GDRT_IMPORT_PINNED,
		.calls =      "amumud",
		CACHED =      "BBBBB.",
		MOVE_NOTIFY = "-B-B-.",
		INVALIDATE =  "-B-B-.",
	},
	{
		"static exporter, revocable importer, invalidated", 0, GDRT_IMPORT_REVOCABLE,
		.calls =      "amid",
		CACHED =      "BBB.",
		MOVE_NOTIFY = "-B-.",
		INVALIDATE =  "-B-.",
	},
	{
		"dynamic exporter, static importer", GDRT_EXPORT_DYNAMIC, GDRT_IMPORT_STATIC,
		.calls =      "amuMUd",
		CACHED =      "BBBBB.",
		MOVE_NOTIFY = "-B-B-.",
		INVALIDATE =  "-B-B-.",
	},
	{
		"dynamic exporter, dynamic importer", GDRT_EXPORT_DYNAMIC, GDRT_IMPORT_DYNAMIC,
		.calls =      "amuMUpmuqpmqud",
		CACHED =      "-B-B-PBP-PBB-.",
		MOVE_NOTIFY = "-B-B-PBP-PBB-.",
		INVALIDATE =  "-m-m-PBP-PBm-.",
	},
	{
		"dynamic exporter, dynamic importer, invalidated", GDRT_EXPORT_DYNAMIC,
		GDRT_IMPORT_DYNAMIC,
		.calls =      "amimud",
		CACHED =      "-B-B-.",
		MOVE_NOTIFY = "-B-B-.",
		INVALIDATE =  "-m-m-.",
	},
	{
		"dynamic exporter, pinned importer", GDRT_EXPORT_DYNAMIC, GDRT_IMPORT_PINNED,
		.calls =      "amumqud",
		CACHED =      "PBPBB-.",
		MOVE_NOTIFY = "PBPBB-.",
		INVALIDATE =  "PBPBm-.",
	},
	{
		"dynamic exporter, revocable importer, invalidated", GDRT_EXPORT_DYNAMIC,
		GDRT_IMPORT_REVOCABLE,
		.calls =      "amid",
		CACHED =      "PB-.",
		MOVE_NOTIFY = "PB-.",
		INVALIDATE =  "PB-.",
	},
	{
		"dynamic exporter, detach of a mapped and pinned attachment", GDRT_EXPORT_DYNAMIC,
		GDRT_IMPORT_PINNED,
		.calls =      "amd",
		CACHED =      "PB.",
		MOVE_NOTIFY = "PB.",
		INVALIDATE =  "PB.",
	},
	{
		"system pages, static importer", GDRT_EXPORT_SYSTEM, GDRT_IMPORT_STATIC,
		.calls =      "amud",
		CACHED =      "-B-.",
		MOVE_NOTIFY = "-B-.",
		INVALIDATE =  "-B-.",
	},
	{
		"system pages, dynamic importer", GDRT_EXPORT_SYSTEM, GDRT_IMPORT_DYNAMIC,
		.calls =      "amud",
		CACHED =      "BBB.",
		MOVE_NOTIFY = "-B-.",
		INVALIDATE =  "-B-.",
	},
	{
		"system pages, pinned importer", GDRT_EXPORT_SYSTEM, GDRT_IMPORT_PINNED,
		.calls =      "amuMUd",
		CACHED =      "BBBBB.",
		MOVE_NOTIFY = "-B-B-.",
		INVALIDATE =  "-B-B-.",
	},
	/* Where there is no such option, the exporter refuses to make the buffer. */
	{
		"caching exporter, static importer", GDRT_EXPORT_CACHE_SGT, GDRT_IMPORT_STATIC,
		.calls =      "amumud",
		CACHED =      "-BBBB.",
	},
	{
		"caching exporter, dynamic importer", GDRT_EXPORT_CACHE_SGT, GDRT_IMPORT_DYNAMIC,
		.calls =      "amumud",
		CACHED =      "BBBBB.",
	},
	{
		"caching exporter, pinned importer", GDRT_EXPORT_CACHE_SGT, GDRT_IMPORT_PINNED,
		.calls =      "amuMUd",
		CACHED =      "BBBBB.",
	},
};

const unsigned int n_lives = sizeof(lives) / sizeof(lives[0]);
