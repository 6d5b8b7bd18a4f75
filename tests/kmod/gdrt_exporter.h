/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User-space interface of the exporter test double (module "nvidia").
 *
 * The double behaves like NVIDIA's driver towards the dma-buf core and keeps
 * a ledger of every call it gets, which the tests use as a reading that is
 * independent of gdr_telemetry.
 *
 * - /dev/gdrt_exporter takes the ioctls below.
 * - /sys/module/nvidia/parameters/ holds the switches; each is writable at run
 *   time and acts on calls made after the write:
 *
 *     generation     (default 1) 0: drivers before 580.65.06 (exp_name "nvidia", no attach
 *                    operation); 1: from 580.65.06 on (exp_name "nv_dmabuf",
 *                    attach operation). Read when a buffer is made.
 *     attach_errno   positive errno that the attach operation returns; 0 is off.
 *                    Works in both generations (generation 0 gets an attach
 *                    operation only while it is set, at buffer creation).
 *     map_errno      -1: map returns NULL (as NVIDIA's does on every failure);
 *                    positive: map returns that errno; 0 is off
 *     pin_errno      positive errno that the pin operation returns; 0 is off
 *     delay_ms       sleep in attach, map and pin
 *     bar1_limit_bytes  0: no limit; else a map that would take the BAR1 use
 *                    of its GPU past this fails (NULL)
 *
 * - /sys/kernel/debug/gdrt_exporter/ledger (0444) is text, one record a line,
 *   fields separated by one space, in this order:
 *
 *     calls attach A attach_failed AF detach D map M map_failed MF unmap U
 *           pin P pin_failed PF unpin UP invalidate I export E release R
 *           (one line; counts of calls of the exporter's operations)
 *     live buffers B attachments A mapped_buffers MB mapped_bytes UNIQUE
 *          mapped_bytes_sum SUM pinned_buffers PB pinned_bytes PUNIQUE
 *          bar1_bytes USED
 *          (one line; "pinned" here is the double's own view: a mapped buffer
 *          of a static exporter, or a pin operation in force)
 *     buffer INO size BYTES gpu BDF|- kind KIND attachments N maps N pins N told BDF|-
 *     attachment INO importer DEVNAME maps N pins N
 *
 *   KIND is static, dynamic (with pin operations, also of system pages) or
 *   system; INO is the dma-buf's inode number. "gpu" is where the memory is now;
 *   "told" the GPU whose BAR1 a mapping of the buffer led to since it had no
 *   attachment, which is when whoever watches can know it. A reading shows one
 *   moment.
 *   A buffer of generation 0 has no attach operation, so that an attachment
 *   enters the ledger with its first map or pin, and A does not count it.
 *
 * - /sys/kernel/debug/gdrt_exporter/gpus (0444): "gpu INDEX bdf BDF start
 *   0xADDRESS size BYTES", a line for each GPU bound; of its BAR1.
 *
 * When a GPU is unbound its buffers stay, but cannot be mapped until it is
 * bound again.
 */
#ifndef GDRT_EXPORTER_H
#define GDRT_EXPORTER_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define GDRT_EXPORTER_DEV	"/dev/gdrt_exporter"

/* Flags of struct gdrt_export */
#define GDRT_EXPORT_DYNAMIC	0x1	/* with pin and unpin operations */
#define GDRT_EXPORT_SYSTEM	0x2	/* system pages, not BAR1 */
#define GDRT_EXPORT_CACHE_SGT	0x4	/* cache_sgt_mapping, where the kernel has it */

/**
 * struct gdrt_export - argument of GDRT_EXPORT
 * @size: bytes wanted, a multiple of the page size
 * @gpu: index of the GPU among those bound, by BDF
 * @flags: GDRT_EXPORT_*
 * @fd: out: the dma-buf, O_RDWR | O_CLOEXEC
 * @pad: 0
 * @inode: out: inode number of the dma-buf
 * @bar_offset: out: offset of the memory in BAR1 (resource1) of the GPU; ~0
 *	for system pages
 */
struct gdrt_export {
	__u64 size;
	__u32 gpu;
	__u32 flags;
	__s32 fd;
	__u32 pad;
	__u64 inode;
	__u64 bar_offset;
};

/**
 * struct gdrt_move - argument of GDRT_MOVE
 * @inode: inode number of the dma-buf
 * @system: 1: to system pages; 0: back to BAR1
 * @pad: 0
 */
struct gdrt_move {
	__u64 inode;
	__u32 system;
	__u32 pad;
};

/*
 * Make a buffer. ENODEV: no such GPU; ENOSPC: BAR1 full; EINVAL: bad size or
 * flags; EOPNOTSUPP: CACHE_SGT on a kernel that has no such thing.
 */
#define GDRT_EXPORT		_IOWR('G', 1, struct gdrt_export)
/* Invalidate the mappings of the buffer with this inode number. ENOENT: none such. */
#define GDRT_INVALIDATE		_IOW('G', 2, __u64)
/*
 * Invalidate the mappings of a dynamic buffer made in BAR1, and let the next
 * ones lead elsewhere; what was in it is not copied. ENOENT: none such; EINVAL:
 * not dynamic, or not made in BAR1; EBUSY: still mapped or pinned then.
 */
#define GDRT_MOVE		_IOW('G', 3, struct gdrt_move)

#endif /* GDRT_EXPORTER_H */
