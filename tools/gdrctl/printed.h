/* SPDX-License-Identifier: GPL-2.0 */
/* An errno in what a program printed. */
#ifndef GDRCTL_PRINTED_H
#define GDRCTL_PRINTED_H

/**
 * printed_errno - find the errno in what a program printed
 * @s: "ibv_reg_dmabuf_mr failed: Cannot allocate memory", "Unknown error 524", "errno: 12"
 *
 * Texts of strerror(3) are found in any case, names (ENOMEM) in capitals.
 *
 * Return: positive errno; 0 if there is none; -EEXIST if there are several
 */
int printed_errno(const char *s);

#endif
