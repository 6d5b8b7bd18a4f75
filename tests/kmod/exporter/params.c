// SPDX-License-Identifier: GPL-2.0
/* The switches under /sys/module/nvidia/parameters. gdrt_exporter.h describes them. */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/moduleparam.h>

#include "exporter.h"

#define GDRT_EXP_DELAY_MAX	60000

static unsigned int generation = 1;
static unsigned int attach_errno;
static int map_errno;
static unsigned int pin_errno;
static unsigned int delay_ms;
static unsigned long long bar1_limit_bytes;

static int generation_set(const char *val, const struct kernel_param *kp)
{
	return param_set_uint_minmax(val, kp, 0, 1);
}

static int errno_set(const char *val, const struct kernel_param *kp)
{
	return param_set_uint_minmax(val, kp, 0, MAX_ERRNO);
}

static int map_errno_set(const char *val, const struct kernel_param *kp)
{
	int ret, value;

	ret = kstrtoint(val, 0, &value);
	if (ret)
		return ret;
	if (value < -1 || value > MAX_ERRNO)
		return -EINVAL;
	WRITE_ONCE(*(int *)kp->arg, value);
	return 0;
}

static int delay_set(const char *val, const struct kernel_param *kp)
{
	return param_set_uint_minmax(val, kp, 0, GDRT_EXP_DELAY_MAX);
}

static const struct kernel_param_ops generation_ops = {
	.set = generation_set,
	.get = param_get_uint,
};

static const struct kernel_param_ops errno_ops = {
	.set = errno_set,
	.get = param_get_uint,
};

static const struct kernel_param_ops map_errno_ops = {
	.set = map_errno_set,
	.get = param_get_int,
};

static const struct kernel_param_ops delay_ops = {
	.set = delay_set,
	.get = param_get_uint,
};

module_param_cb(generation, &generation_ops, &generation, 0644);
MODULE_PARM_DESC(generation, "0: drivers before 580.65.06; 1: from 580.65.06 on (default)");
module_param_cb(attach_errno, &errno_ops, &attach_errno, 0644);
MODULE_PARM_DESC(attach_errno, "errno that attach returns; 0: off");
module_param_cb(map_errno, &map_errno_ops, &map_errno, 0644);
MODULE_PARM_DESC(map_errno, "errno that map returns; -1: NULL; 0: off");
module_param_cb(pin_errno, &errno_ops, &pin_errno, 0644);
MODULE_PARM_DESC(pin_errno, "errno that pin returns; 0: off");
module_param_cb(delay_ms, &delay_ops, &delay_ms, 0644);
MODULE_PARM_DESC(delay_ms, "sleep in attach, map and pin, at most 60000");
module_param(bar1_limit_bytes, ullong, 0644);
MODULE_PARM_DESC(bar1_limit_bytes, "bytes of BAR1 of a GPU that can be mapped at once; 0: all");

/**
 * gdrt_exp_generation - generation of the driver that new buffers are from
 *
 * Return: 0 or 1.
 */
u32 gdrt_exp_generation(void)
{
	return READ_ONCE(generation);
}

/**
 * gdrt_exp_attach_errno - errno that attach is to return
 *
 * Return: 0 if none, or a negative errno.
 */
int gdrt_exp_attach_errno(void)
{
	return -(int)READ_ONCE(attach_errno);
}

/**
 * gdrt_exp_map_errno - how map is to fail
 *
 * Return: 0 if not at all, 1 for NULL, or a negative errno.
 */
int gdrt_exp_map_errno(void)
{
	return -READ_ONCE(map_errno);
}

/**
 * gdrt_exp_pin_errno - errno that pin is to return
 *
 * Return: 0 if none, or a negative errno.
 */
int gdrt_exp_pin_errno(void)
{
	return -(int)READ_ONCE(pin_errno);
}

/**
 * gdrt_exp_bar1_limit - bytes of BAR1 of one GPU that can be mapped at once
 *
 * Return: the limit, U64_MAX if there is none.
 */
u64 gdrt_exp_bar1_limit(void)
{
	u64 limit = READ_ONCE(bar1_limit_bytes);

	return limit ?: U64_MAX;
}

/**
 * gdrt_exp_delay - sleep as long as attach, map and pin are to take
 */
void gdrt_exp_delay(void)
{
	unsigned int ms = READ_ONCE(delay_ms);

	if (ms)
		msleep(ms);
}
