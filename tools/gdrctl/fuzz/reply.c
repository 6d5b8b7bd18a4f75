// SPDX-License-Identifier: GPL-2.0
/* Datagrams: what the kernel answers, message by message. */
#include "fuzz.h"
#include "model.h"
#include "reply.h"

static struct status s;

static int take(void *arg, const void *attrs, size_t len)
{
	(void)arg;
	model_status_free(&s);
	return model_status(attrs, len, &s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct reply r = { .seq = 7, .record = take };
	/* Where its memory ends the datagram ends. */
	void *exact = malloc(size);

	if (!exact && size)
		abort();
	if (size)
		memcpy(exact, data, size);
	reply_feed(&r, exact, size);
	if (strlen(r.text) >= sizeof(r.text))
		abort();
	model_status_free(&s);
	free(exact);
	return 0;
}
