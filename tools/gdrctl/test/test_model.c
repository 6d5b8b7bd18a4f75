// SPDX-License-Identifier: GPL-2.0
/* The parser, fed with what a kernel sends and with what none should. */
#include <errno.h>
#include <stdlib.h>

#include <linux/genetlink.h>
#include <linux/netlink.h>

#include "bytes.h"
#include "ktap.h"
#include "model.h"
#include "reply.h"

#define A(name) GDR_TELEMETRY_A_ATTACHMENT_##name
#define S(name) GDR_TELEMETRY_A_STATUS_##name
#define P(name) GDR_TELEMETRY_A_PROBE_##name

static void attachment_whole(void)
{
	struct bytes b = { .len = 0 };
	struct attachment a;

	put_attr_u64(&b, A(ID), 12);
	put_attr(&b, A(PAD), "", 0);
	put_attr_u64(&b, A(SIZE), 5ULL << 40);
	put_attr_u32(&b, A(FLAGS), 0x80000003);
	put_attr_str(&b, A(IMPORTER), "0000:81:00.0");
	/* A name need not be terminated. */
	put_attr(&b, A(COMM), "abc", 3);
	put_attr_u32(&b, 999, 7);
	put_attr_u32(&b, A(MAX) + 1, 7);
	EXPECT(!model_attachment(b.data, b.len, &a));
	EXPECT(a.id == 12 && a.size == 5ULL << 40 && a.flags == 0x80000003);
	EXPECT_STR(a.importer, "0000:81:00.0");
	EXPECT_STR(a.comm, "abc");
	EXPECT(a.present == (1ULL << A(ID) | 1ULL << A(SIZE) | 1ULL << A(FLAGS) |
			     1ULL << A(IMPORTER) | 1ULL << A(COMM)));
}

static void widths(void)
{
	struct bytes b = { .len = 0 };
	struct attachment a;

	put_attr_u32(&b, A(ID), 3);
	put_attr_u64(&b, A(PID), 4);
	EXPECT(!model_attachment(b.data, b.len, &a));
	EXPECT(a.id == 3 && a.pid == 4);
	put_attr_u64(&b, A(PINS), 1ULL << 32);
	EXPECT(model_attachment(b.data, b.len, &a) == -EBADMSG);
	b.len = 0;
	put_attr(&b, A(ID), "\1\2", 2);
	EXPECT(model_attachment(b.data, b.len, &a) == -EBADMSG);
	b.len = 0;
	put_attr(&b, A(ID), "", 0);
	EXPECT(model_attachment(b.data, b.len, &a) == -EBADMSG);
	b.len = 0;
	put_attr_str(&b, A(FLAGS), "a string");
	EXPECT(model_attachment(b.data, b.len, &a) == -EBADMSG);
}

static void long_strings(void)
{
	struct bytes b = { .len = 0 };
	struct attachment a;
	char s[1000];

	memset(s, 'x', sizeof(s));
	put_attr(&b, A(COMM), s, sizeof(s));
	put_attr(&b, A(EXPORTER), s, MODEL_STR - 1);
	put_attr(&b, A(EXPORTER_NAME), "", 0);
	EXPECT(!model_attachment(b.data, b.len, &a));
	EXPECT(strlen(a.comm) == MODEL_STR - 1);
	EXPECT_STR(a.comm + MODEL_STR - 4, "...");
	EXPECT(strlen(a.exporter) == MODEL_STR - 1 && a.exporter[MODEL_STR - 2] == 'x');
	EXPECT_STR(a.exporter_name, "");
}

/* Every length that a message may be cut to: no read beyond it (ASan looks), no crash. */
static void truncated(void)
{
	struct bytes b = { .len = 0 };
	struct attachment a;

	put_attr_u64(&b, A(ID), 12);
	put_attr_str(&b, A(COMM), "python3");
	for (size_t len = 0; len <= b.len; len++) {
		char *exact = malloc(len + !len);

		if (!exact)
			return;
		memcpy(exact, b.data, len);
		/* Less than a header at the end is padding. */
		EXPECT(model_attachment(exact, len, &a) ==
		       (len < 4 || (len >= 12 && len < 16) || len == b.len ? 0 : -EBADMSG));
		free(exact);
	}
	memcpy(b.data, "\3", 1);
	EXPECT(model_attachment(b.data, b.len, &a) == -EBADMSG);
}

static void status_with_probes(void)
{
	struct bytes b = { .len = 0 }, p = { .len = 0 };
	struct status s;

	put_attr_str(&b, S(VERSION), "0.1.0");
	put_attr_u32(&b, S(INEXACT_REASONS), 5);
	put_attr_u64(&b, S(PINNED_BYTES), 4096);
	put_attr_str(&p, P(SYMBOL), "dma_buf_detach");
	put_attr_u32(&p, P(STATE), GDR_TELEMETRY_PROBE_STATE_FAILED);
	put_attr_u32(&p, P(ERROR), 22);
	put_attr(&p, P(NEEDED), "", 0);
	for (int i = 0; i < 9; i++)
		put_attr(&b, S(PROBE) | (i & 1 ? NLA_F_NESTED : 0), p.data, p.len);
	EXPECT(!model_status(b.data, b.len, &s));
	EXPECT_STR(s.version, "0.1.0");
	EXPECT(s.inexact_reasons == 5 && s.value[S(PINNED_BYTES)] == 4096);
	EXPECT(!model_has(s.present, S(BUFFERS)) && model_has(s.present, S(PROBE)));
	EXPECT(s.n_probes == 9);
	EXPECT_STR(s.probes[8].symbol, "dma_buf_detach");
	EXPECT(s.probes[8].needed && s.probes[8].error == 22);
	EXPECT(!model_has(s.probes[8].present, P(MISSED)));
	model_status_free(&s);

	put_attr(&b, S(PROBE), p.data, p.len - 6);
	EXPECT(model_status(b.data, b.len, &s) == -EBADMSG);
	model_status_free(&s);
	b.len = 0;
	put_attr(&b, S(BUFFERS), "abc", 3);
	EXPECT(model_status(b.data, b.len, &s) == -EBADMSG);
	model_status_free(&s);
}

/* As of a newer module: attributes, nests and values there are no names for. */
static void newer(void)
{
	struct bytes b = { .len = 0 }, p = { .len = 0 }, deep = { .len = 0 };
	struct status s;

	put_attr_u64(&deep, 1, 1);
	put_attr_str(&p, P(SYMBOL), "dma_buf_new");
	put_attr_u32(&p, P(STATE), 77);
	put_attr(&p, P(MAX) + 3, deep.data, deep.len);
	put_attr_str(&b, S(VERSION), "9.0");
	put_attr(&b, S(MAX) + 1, deep.data, deep.len);
	put_attr(&b, S(MAX) + 60, "odd", 3);
	put_attr(&b, 0x3fff, "", 0);
	put_attr_u32(&b, S(CORE), 99);
	put_attr_u32(&b, S(INEXACT_REASONS), 1u << 30);
	put_attr(&b, S(PROBE), p.data, p.len);
	/* A number that has become narrower. */
	put_attr_u32(&b, S(PINNED_BYTES), 7);
	EXPECT(!model_status(b.data, b.len, &s));
	EXPECT(s.core == 99 && s.inexact_reasons == 1u << 30 && s.value[S(PINNED_BYTES)] == 7);
	EXPECT(s.n_probes == 1 && s.probes[0].state == 77);
	EXPECT(s.present == (1ULL << S(VERSION) | 1ULL << S(CORE) | 1ULL << S(INEXACT_REASONS) |
			     1ULL << S(PROBE) | 1ULL << S(PINNED_BYTES)));
	model_status_free(&s);
}

/* As of an older one, down to one that tells nothing. */
static void older(void)
{
	struct bytes b = { .len = 0 };
	struct attachment a;
	struct status s;

	EXPECT(!model_status(b.data, 0, &s) && !s.present && !s.n_probes);
	EXPECT(!model_attachment(b.data, 0, &a) && !a.present);
	put_attr_u64(&b, A(ID), 1);
	EXPECT(!model_attachment(b.data, b.len, &a));
	EXPECT(a.present == 1ULL << A(ID) && !a.mr_number && !*a.comm);
}

static void sorted(void)
{
	struct attachments list = { .n = 0 };
	struct attachment a = { .present = 0 };

	attachments_sort(&list);
	for (uint64_t i = 0; i < 100; i++) {
		a.id = i * 37 % 100;
		EXPECT(!attachments_add(&list, &a));
	}
	attachments_sort(&list);
	for (size_t i = 0; i < list.n; i++)
		EXPECT(list.item[i].id == i);
	attachments_free(&list);
	EXPECT(!list.n && !list.item);
}

static void put_msg(struct bytes *b, uint16_t type, uint16_t flags, uint32_t seq,
		    const void *data, size_t len)
{
	struct nlmsghdr h = { .nlmsg_len = (uint32_t)(sizeof(h) + len), .nlmsg_type = type,
			      .nlmsg_flags = flags, .nlmsg_seq = seq };

	put(b, &h, sizeof(h));
	put(b, data, len);
}

static int count(void *arg, const void *attrs, size_t len)
{
	(void)attrs;
	*(size_t *)arg += 100 + len;
	return 0;
}

static void dump(void)
{
	struct bytes b = { .len = 0 };
	size_t n = 0;
	struct reply r = { .seq = 7, .record = count, .arg = &n };
	int zero = 0;

	put_msg(&b, 20, NLM_F_MULTI, 7, "\1\0\0\0attr", 8);
	put_msg(&b, 20, NLM_F_MULTI | NLM_F_DUMP_INTR, 7, "\1\0\0\0", 4);
	put_msg(&b, 20, NLM_F_MULTI, 6, "\1\0\0\0", 4);
	EXPECT(!reply_feed(&r, b.data, b.len));
	EXPECT(n == 204 && !r.done && r.interrupted);
	b.len = 0;
	put_msg(&b, NLMSG_DONE, NLM_F_MULTI, 7, &zero, sizeof(zero));
	EXPECT(!reply_feed(&r, b.data, b.len) && r.done);
}

static void errors(void)
{
	struct bytes b = { .len = 0 }, e = { .len = 0 };
	struct reply r = { .seq = 7 };
	struct nlmsgerr err = { .error = -ENOENT, .msg = { .nlmsg_len = 24 } };

	put(&e, &err, sizeof(err));
	put(&e, "\1\0\0\0abcd", 8);
	put_attr_str(&e, NLMSGERR_ATTR_MSG, "no such attachment");
	put_msg(&b, NLMSG_ERROR, NLM_F_ACK_TLVS, 7, e.data, e.len);
	EXPECT(reply_feed(&r, b.data, b.len) == -ENOENT);
	EXPECT_STR(r.text, "no such attachment");

	/* The end of a dump may carry an error and its text too. */
	e.len = b.len = 0;
	r = (struct reply){ .seq = 7 };
	put(&e, &(int){ -EINVAL }, sizeof(int));
	put_attr_str(&e, NLMSGERR_ATTR_MSG, "bad");
	put_msg(&b, NLMSG_DONE, NLM_F_MULTI | NLM_F_ACK_TLVS, 7, e.data, e.len);
	EXPECT(reply_feed(&r, b.data, b.len) == -EINVAL);
	EXPECT_STR(r.text, "bad");
}

static void malformed_replies(void)
{
	struct bytes b = { .len = 0 };
	struct nlmsgerr err = { .error = -EPERM, .msg = { .nlmsg_len = UINT32_MAX } };

	put_msg(&b, NLMSG_ERROR, NLM_F_ACK_TLVS, 7, &err, sizeof(err));
	for (size_t len = 0; len <= b.len; len++) {
		struct reply r = { .seq = 7 };
		char *exact = malloc(len + !len);

		if (!exact)
			return;
		memcpy(exact, b.data, len);
		EXPECT(reply_feed(&r, exact, len) == (len == b.len ? -EPERM : len ? -EBADMSG : 0));
		free(exact);
	}
	b.len = 0;
	put_msg(&b, 20, 0, 7, "\1", 1);
	EXPECT(reply_feed(&(struct reply){ .seq = 7 }, b.data, b.len) == -EBADMSG);
	b.len = 0;
	put_msg(&b, NLMSG_ERROR, 0, 7, &(int){ -1 }, sizeof(int));
	EXPECT(reply_feed(&(struct reply){ .seq = 7 }, b.data, b.len) == -EBADMSG);
	memset(b.data, 0, sizeof(b.data));
	EXPECT(reply_feed(&(struct reply){ .seq = 7 }, b.data, 32) == -EBADMSG);
}

static const struct test tests[] = {
	TEST(attachment_whole), TEST(widths), TEST(long_strings), TEST(truncated),
	TEST(status_with_probes), TEST(newer), TEST(older), TEST(sorted), TEST(dump), TEST(errors), TEST(malformed_replies),
};

KTAP_MAIN(tests)
