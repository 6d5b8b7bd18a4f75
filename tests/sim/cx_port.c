// SPDX-License-Identifier: GPL-2.0
/*
 * Commands about the port: one InfiniBand port, active, with one GID and one
 * partition key.
 */
#include <string.h>

#include "connectx.h"

#define PORT_ACTIVE	4
#define PHYS_LINK_UP	5

int cx_vport_context(struct connectx *cx, struct cx_cmd *c)
{
	uint8_t *v = c->out + OUT_VPORT;

	if (c->out_len < OUT_VPORT + 0x80)
		return ST_BAD_PARAM;
	bits_put(v, F_VPORT_HAS_SMI, 0);
	bits_put(v, F_VPORT_PHYS_STATE, PHYS_LINK_UP);
	bits_put(v, F_VPORT_STATE, PORT_ACTIVE);
	bits_put(v, F_VPORT_VSTATE, PORT_ACTIVE);
	bits_put(v, F_VPORT_SYS_GUID, cx->guid + 3);
	bits_put(v, F_VPORT_PORT_GUID, cx->guid + 1);
	bits_put(v, F_VPORT_NODE_GUID, cx->guid);
	bits_put(v, F_VPORT_CAP_MASK1, 0x02514868);
	bits_put(v, F_VPORT_LID, cx->index + 1);
	bits_put(v, F_VPORT_SM_LID, 1);
	bits_put(v, F_VPORT_TIMEOUT, 18);
	return ST_OK;
}

/* Index 0xffff asks for the whole table, of which only the first is set. */
static bool wants_first(const struct cx_cmd *c, unsigned int off, unsigned int width)
{
	uint64_t index = bits_get(c->in, off, width);

	return !index || index == 0xffff;
}

int cx_vport_gid(struct connectx *cx, struct cx_cmd *c)
{
	if (c->out_len < 32)
		return ST_BAD_PARAM;
	bits_put(c->out, F_GIDS_NUM, 1);
	if (wants_first(c, F_GID_INDEX)) {
		be64_put(c->out + 16, 0xfe80ULL << 48);
		be64_put(c->out + 24, cx->guid + 1);
	}
	return ST_OK;
}

int cx_vport_pkey(struct connectx *cx, struct cx_cmd *c)
{
	(void)cx;
	if (c->out_len < 20)
		return ST_BAD_PARAM;
	if (wants_first(c, F_PKEY_INDEX))
		be32_put(c->out + 16, 0xffff);
	return ST_OK;
}

int cx_access_reg(struct connectx *cx, struct cx_cmd *c)
{
	unsigned int reg = bits_get(c->in, F_REGISTER_ID);
	uint8_t r[512] = { 0 };
	size_t in = c->in_len - 16, out = c->out_len - 16;

	memcpy(r, c->in + 16, in < sizeof(r) ? in : sizeof(r));
	switch (reg) {
	case REG_PTYS:			/* 4X EDR */
		bits_put(r, F_PTYS_WIDTH_OPER, 2);
		bits_put(r, F_PTYS_PROTO_OPER, 0x20);
		break;
	case REG_PMTU:
		bits_put(r, F_PMTU_MAX, 4096);
		bits_put(r, F_PMTU_ADMIN, 4096);
		bits_put(r, F_PMTU_OPER, 4096);
		break;
	case REG_PVLC:
		bits_put(r, F_PVLC_VL_HW_CAP, 4);
		break;
	case REG_NODE_DESC:
		memset(r, 0, 64);
		memcpy(r, "simulated ConnectX", 18);
		break;
	case REG_HOST_ENDIANNESS:
		break;
	default:
		if (sim_verbose)
			sim_log(cx->dev, "register %#x is not modelled: echoed", reg);
	}
	memcpy(c->out + 16, r, out < sizeof(r) ? out : sizeof(r));
	return ST_OK;
}
