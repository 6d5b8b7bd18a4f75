// SPDX-License-Identifier: GPL-2.0
/* Sends, receive queues, protection domains and memory windows, without a machine. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "test_support.h"

#define RAM		0x100000ULL
#define RAM_SIZE	0x100000ULL
#define SENDER		0x80
#define RECEIVER	0x81
#define CQN		0x40
#define PD		7
#define KEY_OUT		(0x10U << 8)
#define KEY_IN		(0x11U << 8)
#define KEY_WINDOW	(0x12U << 8)
#define LENGTH		0x100
/* In RAM: queues, doorbell records, completions, and what is moved */
#define SQ		0x1000
#define RQ		0x2000
#define DBR_SENDER	0x3000
#define DBR_RECEIVER	0x3040
#define CQ		0x4000
#define OUT		0x8000
#define IN		0x9000

static struct device d;
static struct connectx *cx;
static uint8_t *ram;

static struct cx_buf buf(uint64_t at)
{
	struct cx_buf b = { .pas = calloc(1, sizeof(uint64_t)), .n = 1, .shift = 12 };

	b.pas[0] = RAM + at;
	return b;
}

static void key(uint32_t k, uint64_t page, unsigned int rights)
{
	struct cx_mkey *m = calloc(1, sizeof(*m));

	m->mtt = calloc(1, sizeof(*m->mtt));
	m->nmtt = 1;
	m->mtt[0] = (RAM + page) | 3;
	m->shift = 12;
	m->len = LENGTH;
	m->rights = rights;
	m->pd = PD;
	cx->mkey[k >> 8] = m;
}

static struct cx_qp *qp(uint32_t n, uint32_t peer, uint64_t queue, uint64_t dbr)
{
	struct cx_qp *q = calloc(1, sizeof(*q));

	q->buf = buf(queue);
	q->qpn = n;
	q->peer = peer;
	q->lid = 1;
	q->state = QP_RTS;
	q->pd = PD;
	q->log_sq = 4;
	q->log_rq = 3;
	q->log_rq_stride = 5;
	q->has_rq = n == RECEIVER;
	q->cqn = q->cqn_rcv = CQN;
	q->dbr = RAM + dbr;
	cx->qp[n] = q;
	return q;
}

/* Everything anew: two queue pairs, one receive request of two segments. */
static void scene(void)
{
	cx_objects_free(cx);
	memset(ram, 0, RAM_SIZE);
	cx->mkey_cap = 0x20;
	cx->mkey = calloc(cx->mkey_cap, sizeof(*cx->mkey));
	cx->cq[CQN] = calloc(1, sizeof(*cx->cq[CQN]));
	*cx->cq[CQN] = (struct cx_cq){ .buf = buf(CQ), .log = 4, .cqe_size = 64 };
	qp(SENDER, RECEIVER, SQ, DBR_SENDER);
	qp(RECEIVER, SENDER, RQ, DBR_RECEIVER);
	key(KEY_OUT, OUT, MKEY_LR);
	key(KEY_IN, IN, MKEY_LW | MKEY_LR);
	for (int i = 0; i < LENGTH; i++)
		ram[OUT + i] = (uint8_t)(i * 3 + 1);
	be32_put(ram + RQ, 0x10);
	be32_put(ram + RQ + 4, KEY_IN);
	be32_put(ram + RQ + 16, 0x40);
	be32_put(ram + RQ + 20, KEY_IN);
	be64_put(ram + RQ + 24, 0x80);
	be32_put(ram + DBR_RECEIVER, 1);
}

/* Returns the syndrome of the sender. */
static int send_it(uint8_t op, uint32_t len, uint32_t imm)
{
	uint8_t *w = ram + SQ, *e = ram + CQ;

	w[3] = op;
	be32_put(w + 4, SENDER << 8 | 2);
	w[11] = 8;
	be32_put(w + 12, imm);
	be32_put(w + 16, len);
	be32_put(w + 20, KEY_OUT);
	be32_put(ram + DBR_SENDER + 4, 1);
	cx_sq_run(cx, SENDER);
	/* The receiver's comes first, if there is one. */
	if (e[63] >> 4 != CQE_REQ && e[63] >> 4 != CQE_REQ_ERR)
		e += 64;
	return e[63] >> 4 == CQE_REQ_ERR ? e[55] : SYN_OK;
}

/* The receiver's completion is of this kind, and has this syndrome. */
static bool received(uint8_t kind, uint8_t syndrome)
{
	return ram[CQ + 63] >> 4 == kind && ram[CQ + 55] == syndrome;
}

static void sends(void)
{
	scene();
	ktap_result(send_it(OP_SEND, 0x30, 0) == SYN_OK && received(CQE_RESP_SEND, 0) &&
		    !memcmp(ram + IN, ram + OUT, 0x10) &&
		    !memcmp(ram + IN + 0x80, ram + OUT + 0x10, 0x20) && !ram[IN + 0x10] &&
		    be32_get(ram + CQ + 44) == 0x30, "a send to two places");
	scene();
	ktap_result(send_it(OP_SEND_IMM, 8, 0x12345678) == SYN_OK &&
		    received(CQE_RESP_SEND_IMM, 0) && be32_get(ram + CQ + 36) == 0x12345678,
		    "with immediate data");
	scene();
	ktap_result(send_it(OP_SEND, 0x51, 0) == SYN_REM_INVALID &&
		    received(CQE_RESP_ERR, SYN_LOCAL_LENGTH), "more than there is room for");
	scene();
	be32_put(ram + DBR_RECEIVER, 0);
	ktap_result(send_it(OP_SEND, 8, 0) == SYN_RNR && cx->cq[CQN]->pi == 1,
		    "nothing posted to receive it");
	scene();
	cx->qp[SENDER]->lid = 2;
	ktap_result(send_it(OP_SEND, 8, 0) == SYN_RETRY, "a queue pair of another HCA");
	scene();
	cx->qp[RECEIVER]->state = QP_INIT;
	ktap_result(send_it(OP_SEND, 8, 0) == SYN_RETRY, "one that is not ready");
}

static void domains(void)
{
	scene();
	cx->mkey[KEY_IN >> 8]->pd = PD + 1;
	ktap_result(send_it(OP_SEND, 8, 0) == SYN_REM_OP &&
		    received(CQE_RESP_ERR, SYN_LOCAL_PROT) && !ram[IN] &&
		    cx->qp[RECEIVER]->state == QP_ERR, "a receiver's key of another domain");
	scene();
	cx->mkey[KEY_OUT >> 8]->pd = PD + 1;
	ktap_result(send_it(OP_SEND, 8, 0) == SYN_LOCAL_PROT && cx->cq[CQN]->pi == 1 &&
		    cx->qp[RECEIVER]->state == QP_RTS, "a sender's");
	scene();
	cx->mkey[KEY_IN >> 8]->rights = MKEY_LR;
	ktap_result(send_it(OP_SEND, 8, 0) == SYN_REM_OP, "no right to write at the receiver");
}

/* A window of KEY_IN from 0x40 on, at address 0x5000. */
static struct cx_mkey *window(void)
{
	uint8_t wqe[192] = { 0 };

	key(KEY_WINDOW, 0, 0);
	wqe[16] = 0x80 | 0x10;
	be16_put(wqe + 16 + 4, 2);
	be64_put(wqe + 16 + 8, 1 | 1 << 6 | 1 << 20 | 1 << 29);
	bits_put(wqe + 64, F_MKC_RW, 1);
	bits_put(wqe + 64, F_MKC_START, 0x5000);
	bits_put(wqe + 64, F_MKC_LEN, 0x20);
	be32_put(wqe + 128, 0x20);
	be32_put(wqe + 132, KEY_IN);
	be64_put(wqe + 136, 0x40);
	return cx_mkey_umr(cx, KEY_WINDOW, wqe, sizeof(wqe)) == SYN_OK ?
	       cx->mkey[KEY_WINDOW >> 8] : NULL;
}

static int to_window(uint64_t at, uint32_t len)
{
	uint8_t bytes[0x40] = { 0xab };
	uint64_t fault;

	return cx_mkey_reach(cx, PD, KEY_WINDOW, at, bytes, len, true, MKEY_RW, &fault);
}

static void windows(void)
{
	struct cx_mkey *w;

	scene();
	w = window();
	ktap_result(w && !to_window(0x5008, 4) && ram[IN + 0x48] == 0xab, "a write to a window");
	ktap_result(to_window(0x5018, 9) && to_window(0x4fff, 1), "beyond it");
	w->rinval = true;
	ktap_result(send_it(OP_SEND_INV, 8, KEY_WINDOW) == SYN_OK &&
		    received(CQE_RESP_SEND_INV, 0) && w->free && to_window(0x5008, 4),
		    "a send that gives it up");
	scene();
	w = window();
	ktap_result(send_it(OP_SEND_INV, 8, KEY_WINDOW) == SYN_REM_OP && !w->free,
		    "one that may not be given up");
	cx_mkey_free(cx->mkey[KEY_IN >> 8]);
	cx->mkey[KEY_IN >> 8] = NULL;
	ktap_result(to_window(0x5008, 4), "a window of a region that is gone");
}

int main(void)
{
	char *none[] = { NULL };

	ktap_plan(14);
	cx = test_hca(&d, none);
	ram = test_map(&d, RAM, RAM_SIZE, MEM_PROT_READ | MEM_PROT_WRITE);
	sends();
	domains();
	windows();
	test_hca_free(cx);
	munmap(ram, RAM_SIZE);
	return ktap_end();
}
