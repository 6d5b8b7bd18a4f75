/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User-space interface of the importer test double (module "gdrt_importer").
 *
 * A PCI driver for QEMU's pci-testdev (1b36:0005) that imports dma-bufs in
 * the ways that mlx5 does not. Attachments belong to the file they were made
 * through; closing it unmaps, unpins and detaches all of them. Its ledger is
 * /sys/kernel/debug/gdrt_importer/ledger (0444):
 *
 *     calls attach A attach_failed AF detach D map M map_failed MF unmap U
 *           pin P pin_failed PF unpin UP invalidate I     (one line)
 *     live attachments N mapped M pinned P                (one line)
 *     attachment HANDLE buffer INO importer DEVNAME mode MODE mapped 0|1 pins N
 *
 * A counts the calls that succeeded, AF those that failed; map and pin likewise.
 * MODE is static, dynamic, pinned, revocable or dynamic_no_p2p. Beside it,
 * "functions" lists the PCI functions bound: "function INDEX bdf BDF".
 * Unbinding a function detaches all that is attached through it.
 */
#ifndef GDRT_IMPORTER_H
#define GDRT_IMPORTER_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define GDRT_IMPORTER_DEV	"/dev/gdrt_importer"

enum gdrt_import_mode {
	GDRT_IMPORT_STATIC,	/* dma_buf_attach() */
	GDRT_IMPORT_DYNAMIC,	/* dynamic attach, unmaps when told to */
	GDRT_IMPORT_PINNED,	/* dynamic attach, explicit dma_buf_pin() right after */
	GDRT_IMPORT_REVOCABLE,	/* as PINNED, and gives up for good when invalidated */
	GDRT_IMPORT_DYNAMIC_NO_P2P, /* as DYNAMIC, but not ready for peer to peer */
};

/**
 * struct gdrt_attach - argument of GDRT_ATTACH
 * @fd: the dma-buf
 * @function: index of the PCI function among those bound, by BDF
 * @mode: enum gdrt_import_mode
 * @count: how many attachments to make (all or none)
 * @handle: out: handle of the first; the others follow in steps of 1
 */
struct gdrt_attach {
	__s32 fd;
	__u32 function;
	__u32 mode;
	__u32 count;
	__u64 handle;
};

/**
 * struct gdrt_range - argument of the other ioctls: [@handle, @handle + @count)
 * @handle: the first
 * @count: how many
 * @pad: 0
 */
struct gdrt_range {
	__u64 handle;
	__u32 count;
	__u32 pad;
};

/*
 * Each goes through the range in order and stops at the first error, which it
 * returns: that of the dma-buf call, or ENODEV once revoked. ENOENT: no such handle; EBUSY:
 * already mapped; EINVAL: not mapped, or not pinned. MAP and UNMAP use the
 * _unlocked calls; MAP_LOCKED and UNMAP_LOCKED take the reservation lock and
 * use the others.
 */
#define GDRT_ATTACH		_IOWR('I', 1, struct gdrt_attach)
#define GDRT_DETACH		_IOW('I', 2, struct gdrt_range)
#define GDRT_MAP		_IOW('I', 3, struct gdrt_range)
#define GDRT_UNMAP		_IOW('I', 4, struct gdrt_range)
#define GDRT_PIN		_IOW('I', 5, struct gdrt_range)
#define GDRT_UNPIN		_IOW('I', 6, struct gdrt_range)
#define GDRT_MAP_LOCKED		_IOW('I', 7, struct gdrt_range)
#define GDRT_UNMAP_LOCKED	_IOW('I', 8, struct gdrt_range)

#endif /* GDRT_IMPORTER_H */
