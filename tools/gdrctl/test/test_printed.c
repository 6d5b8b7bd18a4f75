// SPDX-License-Identifier: GPL-2.0
/* Errnos in what programs print. */
#include <errno.h>
#include <stdlib.h>

#include "ktap.h"
#include "printed.h"

static void texts(void)
{
	static const struct { const char *text; int err; } read[] = {
		{ "Cannot allocate memory", ENOMEM }, { "cannot allocate MEMORY", ENOMEM },
		{ "Operation not supported", EOPNOTSUPP }, { "Unknown error 524", 524 },
		{ "ibv_reg_dmabuf_mr failed: Cannot allocate memory", ENOMEM },
		{ "Call to ibv_reg_mr_iova2 failed with error Bad address", EFAULT },
		{ "reg_dmabuf failed (Unknown error 524), giving up", 524 },
		{ "Unknown error -12", ENOMEM }, { "errno 95", EOPNOTSUPP }, { "errno=12", ENOMEM },
		{ "errno: -12.", ENOMEM }, { "returned ENOMEM", ENOMEM },
		{ "[Errno 12] Cannot allocate memory: ENOMEM", ENOMEM },
		/* The longer of two that begin so, and words that only begin or end so. */
		{ "No such device or address", ENXIO }, { "open: No such device", ENODEV },
		{ "Cannot allocate memorys", 0 }, { "xCannot allocate memory", 0 },
		{ "GDR_ENOMEM", 0 }, { "ENOMEMX", 0 }, { "enomem", 0 },
		/* Numbers that are no errno. */
		{ "error 12", 0 }, { "errno", 0 }, { "errno -", 0 }, { "errno 12x", 0 },
		{ "Unknown error 52400", 0 }, { "Unknown error 99999999999999999999", 0 },
		{ "Unknown error ", 0 }, { "", 0 }, { " ", 0 }, { "Success", 0 }, { "E", 0 },
		/* More than one. */
		{ "Bad address; Cannot allocate memory", -EEXIST },
		{ "Unknown error 524: EINVAL", -EEXIST },
	};

	for (size_t i = 0; i < sizeof(read) / sizeof(read[0]); i++) {
		if (printed_errno(read[i].text) != read[i].err)
			printf("# %s\n", read[i].text);
		EXPECT(printed_errno(read[i].text) == read[i].err);
	}
}

/* Every text of the C library, alone and with something around it. */
static void all(void)
{
	char line[256];

	for (int err = 1; err <= 133; err++) {
		if (!strerrordesc_np(err))
			continue;
		EXPECT(printed_errno(strerrordesc_np(err)) == err);
		snprintf(line, sizeof(line), "mlx5_0: failed: %s.\n", strerrordesc_np(err));
		EXPECT(printed_errno(line) == err);
	}
}

static const struct test tests[] = { TEST(texts), TEST(all) };

int main(void)
{
	return ktap_run(tests, sizeof(tests) / sizeof(tests[0]));
}
