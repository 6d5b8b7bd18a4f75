/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ConnectX model: enough firmware and data path for mlx5_core and mlx5_ib.
 *
 *   connectx.c   BARs, doorbells, life
 *   cx_cmd.c     the command interface; cx_obj.c, cx_port.c what commands do
 *   cx_caps.c    capabilities
 *   cx_queue.c   event and completion queues
 *   cx_mkey.c    memory keys: create, UMR, translation
 *   cx_qp.c      queue pairs: commands
 *   cx_wq.c      send queues: RDMA and UMR work requests
 *   cx_send.c    sends, and the receive queues that take them
 *   cx_devx.c    DevX: user contexts and umems
 */
#ifndef GDRT_CONNECTX_H
#define GDRT_CONNECTX_H

#include "cx_fields.h"
#include "sim.h"

#define CX_BAR_SIZE	(32ULL << 20)
#define CX_VECTORS	32
#define CX_CMD_SLOTS	32
#define CX_CAP_SIZE	0x1000
#define CX_MKEYS	(1U << 22)
#define CX_TABLE	4096		/* queues of a kind, umems */
#define CX_UCTXS	256

/* Stands for UMR where a command is asked for. */
#define CX_TEST_UMR	0xffff

/* Status of a command (enum mlx5_cmd_stat). */
enum { ST_OK = 0, ST_INT_ERR = 1, ST_BAD_OP = 2, ST_BAD_PARAM = 3, ST_BAD_RES = 5, ST_NO_RES = 0xf };

/* Syndrome of a completion (enum in linux/mlx5/device.h and mlx5_ib). */
enum { SYN_OK = 0, SYN_LOCAL_LENGTH = 0x01, SYN_LOCAL_QP = 0x02, SYN_LOCAL_PROT = 0x04,
       SYN_FLUSH = 0x05, SYN_MW_BIND = 0x06, SYN_REM_INVALID = 0x12, SYN_REM_ACCESS = 0x13,
       SYN_REM_OP = 0x14, SYN_RETRY = 0x15, SYN_RNR = 0x16, SYN_FAULT = -1 };

/* Kinds of completions. */
enum { CQE_REQ = 0, CQE_RESP_WRITE_IMM = 1, CQE_RESP_SEND = 2, CQE_RESP_SEND_IMM = 3,
       CQE_RESP_SEND_INV = 4, CQE_REQ_ERR = 13, CQE_RESP_ERR = 14 };

/* Transport of a queue pair: reliable connection. */
#define QP_ST_RC	0

/* Opcodes of work requests. */
#define OP_SEND_INV	0x01
#define OP_WRITE	0x08
#define OP_WRITE_IMM	0x09
#define OP_SEND		0x0a
#define OP_SEND_IMM	0x0b
#define OP_READ		0x10
#define OP_UMR		0x25

#define MESSAGE_MAX	(1U << 30)	/* log_max_msg, cx_caps.c */
#define PART		(1U << 20)	/* moved at a time; more than any inline data */

/**
 * struct cx_buf - a queue in guest memory, by pages
 * @pas: page addresses
 * @n: how many
 * @shift: log2 of the page size
 * @off: where the queue starts in the first page
 */
struct cx_buf {
	uint64_t	*pas;
	size_t		n;
	unsigned int	shift;
	uint32_t	off;
};

struct cx_eq {
	struct cx_buf	buf;
	unsigned int	log, vector;
	uint32_t	pi;
};

struct cx_cq {
	struct cx_buf	buf;
	unsigned int	log, eqn, cqe_size;
	uint32_t	pi;
	bool		armed;		/* the next completion makes an event */
	bool		arm_pending;	/* to be armed ... */
	uint32_t	arm_ci;		/* ... by a consumer that has seen so many */
};

enum { QP_RST = 0, QP_INIT = 1, QP_RTR = 2, QP_RTS = 3, QP_ERR = 6 };

struct cx_qp {
	struct cx_buf	buf;		/* the receive queue, and the send queue behind it */
	unsigned int	log_sq, log_rq, log_rq_stride, state, st;
	uint32_t	sq_off, cqn, cqn_rcv, uidx, qpn, pd;
	uint32_t	peer, lid;	/* the other side */
	uint16_t	ci, rq_ci;
	uint64_t	dbr;
	uint8_t		created[QPC_SIZE], context[QPC_SIZE];
	bool		has_rq;
	bool		user;		/* completions name the user index */
	bool		pending;	/* waits for a page fault */
	bool		fault_failed;	/* that could not be resolved */
};

#define MKEY_RW		1
#define MKEY_RR		2
#define MKEY_LW		4
#define MKEY_LR		8

/**
 * struct cx_mkey - a memory key
 * @free: nobody may use it
 * @pa: its addresses are those of memory
 * @rinval: a send may make it free
 * @shift: log2 of the size of a page
 * @rights: MKEY_*
 * @pd: its protection domain
 * @start: first address
 * @len: how many
 * @below: of a memory window that is bound the key of the memory region; 0: it is none
 * @below_at: address there that @start stands for
 * @mtt: its pages
 * @nmtt: how many
 */
struct cx_mkey {
	bool		free, pa, rinval;
	unsigned int	shift, rights;
	uint32_t	pd, below;
	uint64_t	start, len, below_at;
	uint64_t	*mtt;
	size_t		nmtt;
};

/* Of a work request: bytes of a segment, and the most there are of them. */
#define SEGMENT		16
#define SEGMENTS_MAX	64

/**
 * struct cx_segment - one place of a message's data
 * @addr: virtual address
 * @len: bytes
 * @lkey: key for it
 * @data: it is here, in the work request itself; NULL: it is at @addr
 */
struct cx_segment {
	uint64_t	addr;
	uint32_t	len, lkey;
	const uint8_t	*data;
};

/**
 * struct cx_done - what a completion says
 * @kind: CQE_*
 * @opcode: of the work request
 * @syndrome: SYN_*
 * @counter: of the work request
 * @bytes: moved
 * @imm: immediate data or invalidated key, as it was in the work request
 */
struct cx_done {
	uint8_t		kind, opcode, syndrome;
	uint16_t	counter;
	uint32_t	bytes;
	uint8_t		imm[4];
};

struct cx_fault {
	uint32_t	token, qpn;
	struct cx_fault	*next;
};

/**
 * struct cx_inject - fail the Nth call of a command, or never answer it
 * @name: of the command, or "UMR"
 * @nth: from 1
 * @seen: calls so far
 * @drop: it is carried out, but not answered
 */
struct cx_inject {
	char		name[40];
	unsigned int	nth, seen;
	bool		drop;
};

struct connectx {
	struct device	*dev;
	unsigned int	index;
	bool		pf, strict;
	uint64_t	guid;
	struct cx_inject inject[8];
	unsigned int	ninject;

	uint32_t	cmdq_high, cmdq_low;
	uint32_t	cmd_pending;
	uint32_t	cmd_held;	/* carried out, and answered once the test allows it */
	bool		restart;	/* the driver starts anew, the objects are to go */
	uint8_t		caps[CX_CAP_SIZE];

	struct cx_eq	*eq[256];
	struct cx_cq	*cq[CX_TABLE];
	struct cx_qp	*qp[CX_TABLE];
	struct cx_mkey	**mkey;
	uint32_t	mkey_cap, mkey_next;
	uint32_t	next_handle;
	uint32_t	uctx[CX_UCTXS / 32];
	uint64_t	umem[CX_TABLE];	/* its size in pages of 4 KiB */
	int		cmd_eq, pf_eq;
	uint32_t	sq_pending[CX_TABLE / 32];
	bool		sq_any;
	bool		arm_any;
	struct cx_fault	*faults;
	uint32_t	fault_token;
};

/* A command while it is carried out. */
struct cx_cmd {
	uint16_t	op, op_mod;
	const uint8_t	*in;
	size_t		in_len;
	uint8_t		*out;
	size_t		out_len;
};

/* cx_cmd.c */
bool cx_command_known(const char *name);
void cx_command_list(const char *near);
void cx_command(struct connectx *cx, unsigned int slot);
bool cx_injected(struct connectx *cx, const char *name, bool drop);
void cx_command_release(struct connectx *cx);
/* cx_caps.c */
void cx_caps_init(uint8_t *caps);
/* cx_obj.c: commands return a status */
uint64_t cx_in_bits(const struct cx_cmd *c, size_t base, unsigned int off, unsigned int width);
void cx_out_bits(struct cx_cmd *c, unsigned int off, unsigned int width, uint64_t v);
bool cx_buf_init(const struct cx_cmd *c, struct cx_buf *b, unsigned int log_page,
		 unsigned int page_offset);
int cx_free_index(void *const *table, int from, int to);
int cx_create_eq(struct connectx *cx, struct cx_cmd *c);
int cx_destroy_eq(struct connectx *cx, struct cx_cmd *c);
int cx_create_cq(struct connectx *cx, struct cx_cmd *c);
int cx_destroy_cq(struct connectx *cx, struct cx_cmd *c);
int cx_create_mkey(struct connectx *cx, struct cx_cmd *c);
int cx_destroy_mkey(struct connectx *cx, struct cx_cmd *c);
int cx_alloc_handle(struct connectx *cx, struct cx_cmd *c);
int cx_page_fault_resume(struct connectx *cx, struct cx_cmd *c);
void cx_objects_free(struct connectx *cx);
/* cx_qp.c */
int cx_create_qp(struct connectx *cx, struct cx_cmd *c);
int cx_destroy_qp(struct connectx *cx, struct cx_cmd *c);
int cx_modify_qp(struct connectx *cx, struct cx_cmd *c);
int cx_query_qp(struct connectx *cx, struct cx_cmd *c);
void cx_qp_free(struct connectx *cx, unsigned int n);
/* cx_devx.c */
int cx_create_uctx(struct connectx *cx, struct cx_cmd *c);
int cx_destroy_uctx(struct connectx *cx, struct cx_cmd *c);
int cx_create_umem(struct connectx *cx, struct cx_cmd *c);
int cx_destroy_umem(struct connectx *cx, struct cx_cmd *c);
/* cx_port.c */
int cx_vport_context(struct connectx *cx, struct cx_cmd *c);
int cx_vport_gid(struct connectx *cx, struct cx_cmd *c);
int cx_vport_pkey(struct connectx *cx, struct cx_cmd *c);
int cx_access_reg(struct connectx *cx, struct cx_cmd *c);
/* cx_queue.c */
int cx_buf_read(struct connectx *cx, const struct cx_buf *b, uint32_t off, void *p, size_t len);
int cx_buf_write(struct connectx *cx, const struct cx_buf *b, uint32_t off, const void *p,
		 size_t len);
void cx_buf_free(struct cx_buf *b);
void cx_eqe(struct connectx *cx, int eqn, uint8_t type, uint8_t sub, const uint8_t *data, size_t len);
void cx_cq_arm(struct connectx *cx, uint32_t cqn, uint32_t ci);
void cx_cq_arm_run(struct connectx *cx);
void cx_cqe(struct connectx *cx, const struct cx_qp *q, uint32_t cqn, const struct cx_done *w);
/* cx_mkey.c */
struct cx_mkey *cx_mkey_find(struct connectx *cx, uint32_t key);
int cx_mkey_umr(struct connectx *cx, uint32_t key, const uint8_t *wqe, size_t len);
int cx_mkey_copy(struct connectx *cx, uint32_t key, uint64_t addr, uint8_t *buf, uint32_t len,
		 bool write, unsigned int right, uint64_t *fault);
int cx_mkey_reach(struct connectx *cx, uint32_t pd, uint32_t key, uint64_t addr, uint8_t *buf,
		  uint32_t len, bool write, unsigned int right, uint64_t *fault);
int cx_mkey_invalidate(struct connectx *cx, uint32_t pd, uint32_t key);
void cx_mkey_free(struct cx_mkey *k);
/* cx_wq.c */
void cx_sq_run(struct connectx *cx, uint32_t qpn);
struct cx_qp *cx_peer(struct connectx *cx, const struct cx_qp *q);
int cx_segments(const uint8_t *wqe, size_t len, size_t at, struct cx_segment *s, uint64_t *total);
int cx_reach(struct connectx *cx, struct cx_qp *q, uint32_t pd, uint32_t key, uint64_t addr,
	     uint8_t *buf, uint32_t len, bool write, unsigned int right, int refused);
/* cx_send.c */
int cx_send(struct connectx *cx, struct cx_qp *q, const uint8_t *wqe, size_t len, uint32_t *bytes);
int cx_write_imm(struct connectx *cx, struct cx_qp *q, const uint8_t *wqe, uint32_t bytes);

#endif /* GDRT_CONNECTX_H */
