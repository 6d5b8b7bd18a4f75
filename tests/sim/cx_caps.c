// SPDX-License-Identifier: GPL-2.0
/*
 * Capabilities, and access to bit fields.
 *
 * The smallest set that mlx5_core and mlx5_ib need for an InfiniBand port with
 * dma-buf memory regions, and for DevX. No blue flame (its self-test would
 * measure write combining), no clock.
 */
#include <string.h>

#include "connectx.h"

/**
 * bits_get() - read a field
 * @p: the structure
 * @off: offset of the field's first bit
 * @width: its width, up to 64
 *
 * Return: its value.
 */
uint64_t bits_get(const uint8_t *p, unsigned int off, unsigned int width)
{
	uint64_t v = 0;
	unsigned int i;

	for (i = off; i < off + width; i++)
		v = v << 1 | (p[i / 8] >> (7 - i % 8) & 1);
	return v;
}

/**
 * bits_put() - write a field
 * @p: the structure
 * @off: offset of the field's first bit
 * @width: its width, up to 64
 * @v: the value
 */
void bits_put(uint8_t *p, unsigned int off, unsigned int width, uint64_t v)
{
	unsigned int i;

	for (i = off + width; i-- > off; v >>= 1)
		p[i / 8] = (p[i / 8] & ~(1 << (7 - i % 8))) | (v & 1) << (7 - i % 8);
}

static const struct {
	unsigned int	off, width;
	uint64_t	value;
} general[] = {
	{ 0x080, 8, 15 },	/* log_max_srq_sz */
	{ 0x088, 8, 15 },	/* log_max_qp_sz */
	{ 0x09b, 5, 17 },	/* log_max_qp */
	{ 0x0ab, 5, 16 },	/* log_max_srq */
	{ 0x0c0, 8, 4 },	/* max_sgl_for_optimized_performance */
	{ 0x0c8, 8, 22 },	/* log_max_cq_sz */
	{ 0x0d0, 1, 1 },	/* relaxed_ordering_write_umr */
	{ 0x0db, 5, 16 },	/* log_max_cq */
	{ 0x0e0, 8, 22 },	/* log_max_eq_sz */
	{ 0x0e8, 1, 1 },	/* relaxed_ordering_write */
	{ 0x0ea, 6, 22 },	/* log_max_mkey */
	{ 0x0fc, 4, 6 },	/* log_max_eq */
	{ 0x108, 1, 1 },	/* fixed_buffer_size */
	{ 0x109, 7, 40 },	/* log_max_mrw_sz */
	{ 0x118, 1, 1 },	/* umr_extended_translation_offset */
	{ 0x11a, 6, 16 },	/* log_max_klm_list_size */
	{ 0x14a, 6, 4 },	/* log_max_ra_req_qp */
	{ 0x15a, 6, 4 },	/* log_max_ra_res_qp */
	{ 0x160, 1, 1 },	/* end_pad */
	{ 0x1a2, 1, 1 },	/* ib_virt */
	{ 0x1ab, 5, 16 },	/* local_ca_ack_delay */
	{ 0x1b8, 8, 1 },	/* num_ports */
	{ 0x1c3, 5, 30 },	/* log_max_msg */
	{ 0x1e0, 16, 0x1ff },	/* stat_rate_support */
	{ 0x1fc, 4, 1 },	/* cqe_version */
	{ 0x200, 1, 1 },	/* compact_address_vector */
	{ 0x20a, 2, 2 },	/* umr_fence */
	{ 0x215, 1, 1 },	/* sctr_data_cqe */
	{ 0x221, 1, 1 },	/* cq_resize */
	{ 0x222, 1, 1 },	/* cq_moderation */
	{ 0x227, 1, 1 },	/* pg: on-demand paging, which dma-buf MRs need */
	{ 0x228, 1, 1 },	/* block_lb_mc */
	{ 0x231, 1, 1 },	/* imaicl */
	{ 0x236, 1, 1 },	/* qkv */
	{ 0x237, 1, 1 },	/* pkv */
	{ 0x238, 1, 1 },	/* set_deth_sqpn */
	{ 0x23c, 4, 0xf },	/* xrc, ud, uc, rc */
	{ 0x24a, 6, 5 },	/* uar_sz */
	{ 0x258, 8, 12 },	/* log_pg_sz */
	{ 0x26b, 5, 9 },	/* log_bf_reg_size */
	{ 0x290, 16, 1008 },	/* max_wqe_sz_sq */
	{ 0x2b0, 16, 512 },	/* max_wqe_sz_rq */
	{ 0x2e7, 25, 240 },	/* max_qp_mcg */
	{ 0x318, 8, 21 },	/* log_max_mcg */
	{ 0x323, 5, 16 },	/* log_max_transport_domain */
	{ 0x32b, 5, 23 },	/* log_max_pd */
	{ 0x33b, 5, 23 },	/* log_max_xrcd */
	{ 0x400, 64, 0x30 },	/* general_obj_types: uctx, umem */
	{ 0x463, 5, 8 },	/* log_max_uctx: DevX */
};

/**
 * cx_caps_init() - the general capabilities
 * @caps: CX_CAP_SIZE bytes
 */
void cx_caps_init(uint8_t *caps)
{
	size_t i;

	memset(caps, 0, CX_CAP_SIZE);
	for (i = 0; i < sizeof(general) / sizeof(general[0]); i++)
		bits_put(caps, general[i].off, general[i].width, general[i].value);
}
