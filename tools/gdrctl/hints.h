/* SPDX-License-Identifier: GPL-2.0 */
/* Where words lead that name no object. */
#ifndef GDRCTL_HINTS_H
#define GDRCTL_HINTS_H

/**
 * hints_find - what to call for a word that users try
 * @word: as it was given
 *
 * Return: commands and a remark, or NULL if the word is not known
 */
const char *hints_find(const char *word);

#endif
