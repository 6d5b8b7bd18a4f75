/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the fields of mlx5 commands and contexts are: bit offset and width, in
 * big-endian structures (include/linux/mlx5/mlx5_ifc.h; what is here is the same
 * in 6.1, 6.12, 7.2 and 7.3).
 */
#ifndef GDRT_CX_FIELDS_H
#define GDRT_CX_FIELDS_H

#include <stdint.h>

/* Commands: offsets from the start of the input or output. */
#define F_OUT_HANDLE24		0x48, 24	/* most objects */
#define F_OUT_EQN		0x58, 8
#define F_IN_HANDLE24		0x48, 24
#define F_IN_EQN		0x58, 8
#define F_ISSI_SUPPORTED	0x360, 32
#define F_REGISTER_ID		0x50, 16
#define F_GID_INDEX		0x70, 16
#define F_PKEY_INDEX		0x70, 16
#define F_GIDS_NUM		0x60, 16
#define F_RESD_LKEY		0x60, 32
#define F_NULL_MKEY		0x80, 32
#define F_TERM_MKEY		0xa0, 32
#define F_MKEY_OCTWORDS		0x300, 32
#define F_EQ_MASK		0x2c0, 64
#define F_IN_UID		0x10, 16	/* whose command it is */
#define F_IN_UCTX		0x50, 16
#define F_OUT_UID		0x50, 16

#define IN_CONTEXT		16	/* bytes: EQ, CQ, mkey and umem contexts */
#define IN_QPC			24
#define OUT_QPC			24
#define QPC_SIZE		232
#define IN_PAS			272
#define IN_UMEM_MTT		48

/* Contexts: offsets from the start of the context. */
#define F_EQC_LOG_SIZE		0x63, 5
#define F_EQC_INTR		0xb4, 12
#define F_EQC_LOG_PAGE		0xc3, 5

#define F_CQC_CQE_SZ		0x08, 3
#define F_CQC_PAGE_OFFSET	0x54, 6
#define F_CQC_LOG_SIZE		0x63, 5
#define F_CQC_EQN		0xa0, 32
#define F_CQC_LOG_PAGE		0xc3, 5

#define F_QPC_STATE		0x00, 4
#define F_QPC_ST		0x08, 8
#define F_QPC_PD		0x28, 24
#define F_QPC_LOG_RQ_SIZE	0x49, 4
#define F_QPC_LOG_RQ_STRIDE	0x4d, 3
#define F_QPC_LOG_SQ_SIZE	0x51, 4
#define F_QPC_USER_INDEX	0x88, 24
#define F_QPC_LOG_PAGE		0xa3, 5
#define F_QPC_REMOTE_QPN	0xa8, 24
#define F_QPC_LID		0xf0, 16	/* of the other side */
#define F_QPC_CQN_SND		0x3e8, 24
#define F_QPC_PAGE_OFFSET	0x494, 6
#define F_QPC_CQN_RCV		0x4e8, 24
#define F_QPC_DBR		0x500, 64
#define F_QPC_RQ_TYPE		0x565, 3

#define F_MKC_FREE		0x01, 1
#define F_MKC_RW		0x12, 1
#define F_MKC_RR		0x13, 1
#define F_MKC_LW		0x14, 1
#define F_MKC_LR		0x15, 1
#define F_MKC_MODE		0x16, 2
#define F_MKC_LENGTH64		0x60, 1
#define F_MKC_RINVAL		0x67, 1
#define F_MKC_PD		0x68, 24
#define F_MKC_START		0x80, 64
#define F_MKC_LEN		0xc0, 64
#define F_MKC_LOG_PAGE		0x1da, 6

#define F_UMEM_LOG_PAGE		0x9b, 5
#define F_UMEM_ENTRIES		0xc0, 64

/* HCA vport context, 16 bytes into the output. */
#define OUT_VPORT		16
#define F_VPORT_HAS_SMI		0x101, 1
#define F_VPORT_PHYS_STATE	0x110, 4
#define F_VPORT_STATE		0x118, 4
#define F_VPORT_VSTATE		0x11c, 4
#define F_VPORT_SYS_GUID	0x140, 64
#define F_VPORT_PORT_GUID	0x180, 64
#define F_VPORT_NODE_GUID	0x1c0, 64
#define F_VPORT_CAP_MASK1	0x200, 32
#define F_VPORT_LID		0x300, 16
#define F_VPORT_TIMEOUT		0x31b, 5
#define F_VPORT_SM_LID		0x320, 16

/* Registers, 16 bytes into input and output. */
#define REG_PMTU		0x5003
#define REG_PTYS		0x5004
#define REG_PVLC		0x500f
#define REG_NODE_DESC		0x6001
#define REG_HOST_ENDIANNESS	0x7004
#define F_PMTU_MAX		0x20, 16
#define F_PMTU_ADMIN		0x40, 16
#define F_PMTU_OPER		0x60, 16
#define F_PTYS_WIDTH_OPER	0x140, 16
#define F_PTYS_PROTO_OPER	0x150, 16
#define F_PVLC_VL_HW_CAP	0x3c, 4

uint64_t bits_get(const uint8_t *p, unsigned int off, unsigned int width);
void bits_put(uint8_t *p, unsigned int off, unsigned int width, uint64_t v);

#endif /* GDRT_CX_FIELDS_H */
