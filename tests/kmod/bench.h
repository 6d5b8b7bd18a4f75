/* SPDX-License-Identifier: GPL-2.0 */
/* Keeps the test doubles off machines that are not a test bench. */
#ifndef GDRT_BENCH_H
#define GDRT_BENCH_H

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>

#define GDRT_BENCH_WORD		"gdrt_bench"
#define GDRT_BENCH_MAX		16384

/**
 * gdrt_bench_check - may a test double be loaded on this machine?
 *
 * saved_command_line is not exported, so this reads /proc/cmdline as the
 * process that loads the module sees it.
 *
 * Return: 0 if the kernel command line has the word gdrt_bench, -EPERM if
 * not, another error if it cannot be read.
 */
static inline int gdrt_bench_check(void)
{
	char *text, *rest, *word;
	struct file *file;
	loff_t pos = 0;
	ssize_t len;
	int ret = -EPERM;

	file = filp_open("/proc/cmdline", O_RDONLY, 0);
	if (IS_ERR(file)) {
		pr_err("cannot open /proc/cmdline (%ld): mount /proc first\n", PTR_ERR(file));
		return PTR_ERR(file);
	}
	text = kmalloc(GDRT_BENCH_MAX, GFP_KERNEL);
	if (!text) {
		ret = -ENOMEM;
		goto close;
	}
	len = kernel_read(file, text, GDRT_BENCH_MAX - 1, &pos);
	if (len < 0) {
		pr_err("cannot read /proc/cmdline (%zd)\n", len);
		ret = len;
		goto free;
	}
	text[len] = '\0';
	rest = text;
	while (ret && (word = strsep(&rest, " \t\n")))
		if (!strcmp(word, GDRT_BENCH_WORD))
			ret = 0;
	if (ret)
		pr_err("test double refused: the kernel command line has no word '%s'. It belongs on a test bench only.\n",
		       GDRT_BENCH_WORD);
free:
	kfree(text);
close:
	filp_close(file, NULL);
	return ret;
}

#endif /* GDRT_BENCH_H */
