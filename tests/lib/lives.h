/* SPDX-License-Identifier: GPL-2.0 */
/* What becomes of an attachment, by its two sides and the generation of the core. */
#ifndef GDRT_LIVES_H
#define GDRT_LIVES_H

#include <linux/gdr_telemetry.h>

/*
 * One attachment's life. A call is a letter:
 *	a attach   m map   M map under the reservation lock   u, U unmap likewise
 *	p pin   q unpin   i invalidation by the exporter   d detach
 * and the state after it, by core:
 *	- neither   m mapped   P pinned   B both   . no attachment
 * CACHED is the core of 6.1 and 6.12, MOVE_NOTIFY that without kept tables, both
 * with DMABUF_MOVE_NOTIFY off, as Debian has it; INVALIDATE is that of 7.x.
 */
struct life {
	const char *name;
	unsigned int exporter;	/* GDRT_EXPORT_* */
	unsigned int importer;	/* enum gdrt_import_mode */
	const char *calls;
	const char *states[GDR_TELEMETRY_CORE_INVALIDATE + 1];
};

extern const struct life lives[];
extern const unsigned int n_lives;

#endif /* GDRT_LIVES_H */
