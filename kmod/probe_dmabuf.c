// SPDX-License-Identifier: GPL-2.0
/*
 * Probes on the dma-buf core: the only file that knows its functions.
 *
 * Signatures are those of drivers/dma-buf/dma-buf.c, the same from 5.12 to 7.3.
 * Handlers run with preemption off. They read what the caller of the probed
 * function keeps alive (the buffer, the attachment), tell the model, and
 * nothing else.
 *
 * An attachment is recorded when its attach returns, since only then its
 * address is known, and forgotten when its detach is entered, since on return
 * the address can be another's. A mapping is counted on return and its end on
 * entry: in both cases under the reservation lock that the core holds, so that
 * what is counted has the order of what happened.
 *
 * Outer functions (dma_buf_attach(), the _unlocked calls) are probed as well,
 * since a compiler may inline the inner one into them; calls.c lets each call
 * count once.
 */
#include <linux/err.h>
#include <linux/ktime.h>

#include "gdr_telemetry.h"

/* What an entry handler leaves for its return handler, in the instance. */
struct instance {
	struct gdrt_call	*call;
	void			*arg;	/* of an unmap, the table */
	u64			start;	/* ns, monotonic */
};

static struct instance *inst(struct kretprobe_instance *ri)
{
	return (struct instance *)ri->data;
}

static void *arg(struct pt_regs *regs, unsigned int n)
{
	return (void *)regs_get_kernel_argument(regs, n);
}

static void *ret_ptr(struct pt_regs *regs)
{
	return (void *)regs_return_value(regs);
}

/* The core turns a NULL table into -ENOMEM before it returns. */
static int ptr_err(const void *p)
{
	return PTR_ERR_OR_ZERO(p);
}

static int begin(struct kretprobe_instance *ri, enum gdrt_op op, const void *key)
{
	struct gdrt_call *c = gdrt_call_begin(op, key);

	inst(ri)->call = c;
	inst(ri)->start = ktime_get_mono_fast_ns();
	return c ? 0 : 1;	/* 1: no return handler */
}

static u64 took(struct kretprobe_instance *ri)
{
	return ktime_get_mono_fast_ns() - inst(ri)->start;
}

/* ---- attach ------------------------------------------------------------- */

static int attach_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct dma_buf *dmabuf = arg(regs, 0);
	struct device *dev = arg(regs, 1);

	if (!dmabuf || !dev)
		return 1;
	if (begin(ri, GDRT_OP_ATTACH, dmabuf))
		return 1;
	inst(ri)->call->dev = dev;
	return 0;
}

static int attach_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct dma_buf_attachment *attach = ret_ptr(regs);
	struct gdrt_call *c = inst(ri)->call;

	if (gdrt_call_end(c)) {
		if (!IS_ERR_OR_NULL(attach))
			gdrt_attached(attach, took(ri));
		else
			gdrt_attach_failed((struct dma_buf *)c->key, c->dev, ptr_err(attach),
					   c->gave_up);
	}
	gdrt_pool_put(&gdrt_pool_calls, c);
	return 0;
}

/* ---- detach ------------------------------------------------------------- */

static int detach_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct dma_buf *dmabuf = arg(regs, 0);
	struct dma_buf_attachment *attach = arg(regs, 1);

	if (!dmabuf || !attach)
		return 1;
	/*
	 * Listed until it returns even if no record is free for the list: what
	 * the core calls from inside must not bring the attachment back.
	 */
	if (begin(ri, GDRT_OP_DETACH, attach)) {
		gdrt_detached(dmabuf, attach);
		return 1;
	}
	gdrt_detached(dmabuf, attach);
	return 0;
}

static int end_only(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	gdrt_call_end(inst(ri)->call);
	gdrt_pool_put(&gdrt_pool_calls, inst(ri)->call);
	return 0;
}

/* ---- map ---------------------------------------------------------------- */

static int map_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct dma_buf_attachment *attach = arg(regs, 0);

	if (!attach)
		return 1;
	return begin(ri, GDRT_OP_MAP, attach);
}

static int map_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct gdrt_call *c = inst(ri)->call;
	struct dma_buf_attachment *attach = (struct dma_buf_attachment *)c->key;
	struct sg_table *sgt = ret_ptr(regs);

	if (gdrt_call_end(c)) {
		if (!IS_ERR_OR_NULL(sgt))
			gdrt_mapped(attach, sgt, took(ri));
		else
			gdrt_map_failed(attach, ptr_err(sgt));
	}
	gdrt_pool_put(&gdrt_pool_calls, c);
	return 0;
}

/* ---- unmap -------------------------------------------------------------- */

static int unmap_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct dma_buf_attachment *attach = arg(regs, 0);
	struct sg_table *sgt = arg(regs, 1);

	if (!attach || !sgt)
		return 1;
	gdrt_unmapped(attach, sgt);
	/* Listed, so that the unpin that the core makes from inside is known as its own. */
	return begin(ri, GDRT_OP_UNMAP, attach);
}

static int unmap_unlocked_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct dma_buf_attachment *attach = arg(regs, 0);
	struct sg_table *sgt = arg(regs, 1);

	if (!attach || !sgt)
		return 1;
	inst(ri)->arg = sgt;
	return begin(ri, GDRT_OP_UNMAP, attach);
}

static int unmap_unlocked_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct gdrt_call *c = inst(ri)->call;

	/* Only where the compiler inlined dma_buf_unmap_attachment() into it. */
	if (gdrt_call_end(c))
		gdrt_unmapped((struct dma_buf_attachment *)c->key, inst(ri)->arg);
	gdrt_pool_put(&gdrt_pool_calls, c);
	return 0;
}

/* ---- pin, unpin, invalidate --------------------------------------------- */

static int pin_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return begin(ri, GDRT_OP_PIN, arg(regs, 0));
}

static int pin_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct gdrt_call *c = inst(ri)->call;

	if (gdrt_call_end(c))
		gdrt_pin_result((struct dma_buf_attachment *)c->key, regs_return_value(regs),
				took(ri));
	gdrt_pool_put(&gdrt_pool_calls, c);
	return 0;
}

static int unpin_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct dma_buf_attachment *attach = arg(regs, 0);

	/* The core unpins with its own function what it pinned with the exporter's. */
	if (!gdrt_call_inside(GDRT_OP_UNMAP, attach) &&
	    !gdrt_call_inside(GDRT_OP_DETACH, attach))
		gdrt_unpinned(attach);
	return 1;
}

static int invalidate_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	gdrt_invalidated(arg(regs, 0));
	return 1;
}

static int nothing(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return 0;
}

#define PROBE(symbol, entry, ret, need) {		\
	.rp = {						\
		.kp.symbol_name = symbol,		\
		.entry_handler = entry,			\
		.handler = ret,				\
		.data_size = sizeof(struct instance),	\
	},						\
	.needed = need,					\
}

/*
 * In the order of arming: what can meet an unknown attachment first, attaches
 * last, so that no attachment is recorded whose detach would be missed.
 */
struct gdrt_probe gdrt_dmabuf_probes[] = {
	PROBE("dma_buf_detach", detach_entry, end_only, true),
	PROBE("dma_buf_unmap_attachment", unmap_entry, end_only, true),
	PROBE("dma_buf_unmap_attachment_unlocked", unmap_unlocked_entry, unmap_unlocked_return,
	      GDRT_UNLOCKED_NEEDED),
	PROBE("dma_buf_map_attachment", map_entry, map_return, true),
	PROBE("dma_buf_map_attachment_unlocked", map_entry, map_return, GDRT_UNLOCKED_NEEDED),
	PROBE("dma_buf_unpin", unpin_entry, nothing, true),
	PROBE("dma_buf_pin", pin_entry, pin_return, true),
	PROBE(GDRT_INVALIDATE_SYMBOL, invalidate_entry, nothing, true),
	PROBE("dma_buf_dynamic_attach", attach_entry, attach_return, true),
	PROBE("dma_buf_attach", attach_entry, attach_return, true),
};

const unsigned int gdrt_dmabuf_probes_n = ARRAY_SIZE(gdrt_dmabuf_probes);
