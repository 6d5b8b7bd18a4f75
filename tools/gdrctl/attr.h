/* SPDX-License-Identifier: GPL-2.0 */
/* Single netlink attributes: numbers, strings, and walking over them. */
#ifndef GDRCTL_ATTR_H
#define GDRCTL_ATTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <netlink/attr.h>

/** MODEL_STR - room for a string; a longer one is cut and ends in "..." */
#define MODEL_STR 128

/* What follows the last attribute and is too short for one is padding. */
#define for_each_attr(nla, left, attrs, len)                                                     \
	for ((nla) = (struct nlattr *)(uintptr_t)(attrs), (left) = (int)(len);                   \
	     nla_ok((nla), (left)); (nla) = nla_next((nla), &(left)))

/** attrs_ended - whether @left, what for_each_attr() left over, is no more than padding */
static inline bool attrs_ended(int left)
{
	return left < (int)sizeof(struct nlattr);
}

/**
 * attr_number - read an integer of 4 or 8 bytes
 * @nla: the attribute
 * @max: the highest value that is well-formed
 * @v: where to
 *
 * Return: 0 or -EBADMSG
 */
int attr_number(const struct nlattr *nla, uint64_t max, uint64_t *v);

/** attr_string - read a string, terminated or not; see MODEL_STR */
void attr_string(const struct nlattr *nla, char to[MODEL_STR]);

#endif
