// SPDX-License-Identifier: GPL-2.0
/* Single netlink attributes. */
#include <errno.h>
#include <string.h>

#include "attr.h"

int attr_number(const struct nlattr *nla, uint64_t max, uint64_t *v)
{
	uint32_t narrow;

	if (nla_len(nla) == sizeof(*v)) {
		memcpy(v, nla_data(nla), sizeof(*v));
	} else if (nla_len(nla) == sizeof(narrow)) {
		memcpy(&narrow, nla_data(nla), sizeof(narrow));
		*v = narrow;
	} else {
		return -EBADMSG;
	}
	return *v > max ? -EBADMSG : 0;
}

void attr_string(const struct nlattr *nla, char to[MODEL_STR])
{
	size_t len = strnlen(nla_data(nla), (size_t)nla_len(nla));

	if (len < MODEL_STR) {
		memcpy(to, nla_data(nla), len);
		to[len] = 0;
	} else {
		memcpy(to, nla_data(nla), MODEL_STR - 4);
		memcpy(to + MODEL_STR - 4, "...", 4);
	}
}
