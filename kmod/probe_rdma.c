// SPDX-License-Identifier: GPL-2.0
/*
 * Probes on registration: the only file that knows ib_core and ib_uverbs.
 *
 * The arguments of a registration are read from the attribute bundle of the
 * uverbs method (include/rdma/uverbs_ioctl.h), where the scalars and the
 * objects lie inline: nothing is copied from user space. What a method returns
 * is an errno; the MR is then the object of the user object that was made.
 *
 * All of that depends on the layout of structures. Where ib_core or ib_uverbs
 * was not built with this kernel (OFED), and the module not against it, calls
 * and errnos are counted and nothing is followed.
 */
#include <linux/err.h>
#include <linux/kobject.h>
#include <linux/ktime.h>
#include <linux/module.h>

#include "gdr_telemetry.h"

#if IS_ENABLED(CONFIG_INFINIBAND_USER_ACCESS)

#include <rdma/ib_verbs.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/uverbs_ioctl.h>
#include <rdma/uverbs_std_types.h>

/* Which of the modules whose structures are read are not the kernel's own. */
static bool foreign_core, foreign_uverbs;

/* They are of the kind whose headers this was built with. */
static bool readable(void)
{
	return READ_ONCE(foreign_core) == GDRT_RDMA_FOREIGN &&
	       READ_ONCE(foreign_uverbs) == GDRT_RDMA_FOREIGN;
}

/**
 * gdrt_rdma_seen() - a module is there
 * @mod: the module, which is loaded or coming
 *
 * Context: process.
 */
void gdrt_rdma_seen(const struct module *mod)
{
	bool foreign = test_bit(TAINT_OOT_MODULE, &mod->taints);

	if (!strcmp(mod->name, "ib_core"))
		WRITE_ONCE(foreign_core, foreign);
	else if (!strcmp(mod->name, "ib_uverbs"))
		WRITE_ONCE(foreign_uverbs, foreign);
}

static void look(const char *name)
{
	/* A module has its directory in /sys/module until it is gone. */
	struct kobject *kobj = kset_find_obj(THIS_MODULE->mkobj.kobj.kset, name);

	if (!kobj)
		return;
	if (container_of(kobj, struct module_kobject, kobj)->mod)
		gdrt_rdma_seen(container_of(kobj, struct module_kobject, kobj)->mod);
	kobject_put(kobj);
}

/**
 * gdrt_rdma_look() - look at the modules that are there already
 *
 * Context: process, may sleep.
 */
void gdrt_rdma_look(void)
{
	look("ib_core");
	look("ib_uverbs");
}

/* What an entry handler leaves for its return handler, in the instance. */
struct instance {
	struct gdrt_call			*call;
	const struct uverbs_attr_bundle		*bundle;	/* NULL: not to be read */
	u16					handle;
	u64					start;
};

struct dereg_instance {
	struct gdrt_dereg	d;
	u64			start;
};

static void *arg(struct pt_regs *regs, unsigned int n)
{
	return (void *)regs_get_kernel_argument(regs, n);
}

/* ---- registration ------------------------------------------------------- */

/* A scalar of at most 8 bytes lies in the bundle. 0 if it is not there. */
static u64 scalar(const struct uverbs_attr_bundle *bundle, u16 idx)
{
	const struct uverbs_attr *attr = uverbs_attr_get(bundle, idx);

	if (IS_ERR(attr) || !uverbs_attr_ptr_is_inline(attr))
		return 0;
	return attr->ptr_attr.len == sizeof(u32) ? lower_32_bits(attr->ptr_attr.data) :
						   attr->ptr_attr.data;
}

/* A file descriptor has no length; what is in its place is not set. */
static s32 raw_fd(const struct uverbs_attr_bundle *bundle, u16 idx)
{
	const struct uverbs_attr *attr = uverbs_attr_get(bundle, idx);

	return IS_ERR(attr) ? 0 : (s32)attr->ptr_attr.data;
}

/* Which attributes a method has its arguments in; a devx umem has no PD and no iova. */
struct method {
	bool	devx;
	u16	handle;
	u16	pd;
	u16	offset;
	u16	length;
	u16	iova;
	u16	fd;
	u16	access;
};

/* The device of a registration, NULL if it cannot be told; and its PD. */
static const struct ib_device *device_of(const struct uverbs_attr_bundle *bundle,
					 const struct method *m, u32 *pd_number)
{
	const struct ib_pd *pd;

	/* The method makes an object, so the context is set. */
	if (m->devx)
		return bundle->context ? bundle->context->device : NULL;
	pd = uverbs_attr_get_obj(bundle, m->pd);
	if (IS_ERR_OR_NULL(pd))
		return NULL;
	*pd_number = pd->res.id;
	return pd->device;
}

static int begin(struct kretprobe_instance *ri, const struct uverbs_attr_bundle *bundle,
		 const struct method *m)
{
	struct instance *in = (struct instance *)ri->data;
	const struct ib_device *ibdev;
	struct gdrt_reg r = {};

	in->bundle = NULL;
	if (bundle) {
		ibdev = device_of(bundle, m, &r.pd);
		if (!ibdev || !ibdev->dma_device)
			return 1;
		in->bundle = bundle;
		in->handle = m->handle;
		r.dev = ibdev->dma_device;
		r.hca = gdrt_ident_is_hca(r.dev);
		r.devx = m->devx;
		r.offset = scalar(bundle, m->offset);
		r.length = scalar(bundle, m->length);
		if (!m->devx)
			r.iova = scalar(bundle, m->iova);
		r.fd = raw_fd(bundle, m->fd);
		r.access = scalar(bundle, m->access);
	}
	in->call = gdrt_call_begin(GDRT_OP_REGISTER, current);
	if (!in->call)
		return 1;
	in->call->reg = r;
	in->start = ktime_get_mono_fast_ns();
	return 0;
}

static int reg_dmabuf_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	static const struct method m = {
		.handle = UVERBS_ATTR_REG_DMABUF_MR_HANDLE,
		.pd = UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE,
		.offset = UVERBS_ATTR_REG_DMABUF_MR_OFFSET,
		.length = UVERBS_ATTR_REG_DMABUF_MR_LENGTH,
		.iova = UVERBS_ATTR_REG_DMABUF_MR_IOVA,
		.fd = UVERBS_ATTR_REG_DMABUF_MR_FD,
		.access = UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS,
	};

	return begin(ri, readable() ? arg(regs, 0) : NULL, &m);
}

#ifdef GDRT_HAVE_REG_MR_FD
static int reg_mr_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	static const struct method m = {
		.handle = UVERBS_ATTR_REG_MR_HANDLE,
		.pd = UVERBS_ATTR_REG_MR_PD_HANDLE,
		.offset = UVERBS_ATTR_REG_MR_FD_OFFSET,
		.length = UVERBS_ATTR_REG_MR_LENGTH,
		.iova = UVERBS_ATTR_REG_MR_IOVA,
		.fd = UVERBS_ATTR_REG_MR_FD,
		.access = UVERBS_ATTR_REG_MR_ACCESS_FLAGS,
	};
	const struct uverbs_attr_bundle *bundle = arg(regs, 0);

	/* Without a file descriptor it is no dma-buf; and if it cannot be read, no one knows. */
	if (!readable() || !uverbs_attr_is_valid(bundle, UVERBS_ATTR_REG_MR_FD))
		return 1;
	return begin(ri, bundle, &m);
}
#endif

#ifdef GDRT_HAVE_DEVX_FD
static int devx_umem_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	static const struct method m = {
		.devx = true,
		.handle = MLX5_IB_ATTR_DEVX_UMEM_REG_HANDLE,
		.offset = MLX5_IB_ATTR_DEVX_UMEM_REG_ADDR,
		.length = MLX5_IB_ATTR_DEVX_UMEM_REG_LEN,
		.fd = MLX5_IB_ATTR_DEVX_UMEM_REG_DMABUF_FD,
		.access = MLX5_IB_ATTR_DEVX_UMEM_REG_ACCESS,
	};
	const struct uverbs_attr_bundle *bundle = arg(regs, 0);

	/* As with an MR: most umems are memory of the process. */
	if (!readable() || !uverbs_attr_is_valid(bundle, MLX5_IB_ATTR_DEVX_UMEM_REG_DMABUF_FD))
		return 1;
	return begin(ri, bundle, &m);
}
#endif

static void registered(const struct instance *in)
{
	const struct ib_uobject *uobj = uverbs_attr_get_uobject(in->bundle, in->handle);
	const struct ib_mr *ibmr = IS_ERR_OR_NULL(uobj) ? NULL : uobj->object;
	struct gdrt_mr mr = {};

	if (!ibmr)
		return;
	mr.key = ibmr;
	mr.number = ibmr->res.id;
	mr.lkey = ibmr->lkey;
	mr.rkey = ibmr->rkey;
	gdrt_registered(&in->call->reg, &mr, ktime_get_mono_fast_ns() - in->start);
}

static int reg_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct instance *in = (struct instance *)ri->data;
	int err = regs_return_value(regs);

	gdrt_call_end(in->call);
	if (!in->bundle)
		gdrt_register_unread(err);
	else if (err)
		gdrt_register_failed(&in->call->reg, err);
	else if (!in->call->reg.devx)
		registered(in);
	gdrt_pool_put(&gdrt_pool_calls, in->call);
	return 0;
}

/* The arguments were right; now the file descriptor and the range are looked at. */
static int umem_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct gdrt_reg *r = gdrt_call_reg();

	if (r)
		r->looked_up = true;
	return 1;	/* no return handler */
}

static int nothing(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return 0;
}

/* ---- deregistration ----------------------------------------------------- */

static int dereg_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct dereg_instance *in = (struct dereg_instance *)ri->data;

	gdrt_deregister_begin(arg(regs, 0), &in->d);
	in->start = ktime_get_mono_fast_ns();
	return !in->d.attach;
}

static int dereg_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct dereg_instance *in = (struct dereg_instance *)ri->data;

	gdrt_deregister_end(&in->d, regs_return_value(regs),
			    ktime_get_mono_fast_ns() - in->start);
	return 0;
}

/* ---- registration again ------------------------------------------------- */

struct rereg_instance {
	const void		*key;
	struct gdrt_rereg	r;
};

/*
 * What is given with the flags of what is to change. Nothing in the MR tells it
 * when the driver returns: the core sets the protection domain after that.
 */
static int rereg_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct rereg_instance *in = (struct rereg_instance *)ri->data;
	unsigned int flags = (unsigned long)arg(regs, 1);
	const struct ib_pd *pd = arg(regs, 6);

	*in = (struct rereg_instance){ .key = arg(regs, 0) };
	if (flags & IB_MR_REREG_ACCESS) {
		in->r.has_access = true;
		in->r.access = (unsigned long)arg(regs, 5);
	}
	if (flags & IB_MR_REREG_PD && readable() && !IS_ERR_OR_NULL(pd)) {
		in->r.has_pd = true;
		in->r.pd = pd->res.id;
	}
	return 0;
}

static int rereg_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct rereg_instance *in = (struct rereg_instance *)ri->data;

	/* NULL: in place. A new MR means that the old one is deregistered after this. */
	if (!regs_return_value(regs))
		gdrt_reregistered(in->key, &in->r);
	return 0;
}

#define PROBE(symbol, entry, ret, size) {		\
	.rp = {						\
		.kp.symbol_name = symbol,		\
		.entry_handler = entry,			\
		.handler = ret,				\
		.data_size = size,			\
	},						\
	.in_module = true,				\
}

/*
 * The functions of ib_umem_dmabuf are in ib_uverbs before 7.x and in ib_core
 * from then on, so they are named without their module.
 */
struct gdrt_probe gdrt_rdma_probes[] = {
	PROBE("ib_core:ib_dereg_mr_user", dereg_entry, dereg_return,
	      sizeof(struct dereg_instance)),
	PROBE("mlx5_ib:mlx5_ib_rereg_user_mr", rereg_entry, rereg_return,
	      sizeof(struct rereg_instance)),
	PROBE("ib_umem_dmabuf_get", umem_entry, nothing, 0),
	PROBE("ib_umem_dmabuf_get_pinned", umem_entry, nothing, 0),
	PROBE("ib_umem_dmabuf_get_pinned_with_dma_device", umem_entry, nothing, 0),
	PROBE("ib_umem_dmabuf_get_pinned_revocable_and_lock", umem_entry, nothing, 0),
#ifdef GDRT_HAVE_DEVX_FD
	PROBE("mlx5_ib:mlx5_ib_handler_MLX5_IB_METHOD_DEVX_UMEM_REG", devx_umem_entry,
	      reg_return, sizeof(struct instance)),
#endif
#ifdef GDRT_HAVE_REG_MR_FD
	PROBE("ib_uverbs:ib_uverbs_handler_UVERBS_METHOD_REG_MR", reg_mr_entry, reg_return,
	      sizeof(struct instance)),
#endif
	PROBE("ib_uverbs:ib_uverbs_handler_UVERBS_METHOD_REG_DMABUF_MR", reg_dmabuf_entry,
	      reg_return, sizeof(struct instance)),
};

const unsigned int gdrt_rdma_probes_n = ARRAY_SIZE(gdrt_rdma_probes);

/**
 * gdrt_rdma_join() - are attachments joined with the MRs on top of them?
 *
 * Context: any.
 * Return: whether, or why not.
 */
enum gdr_telemetry_mr_join gdrt_rdma_join(void)
{
	/* Both are needed: what registers, which is the last, and what deregisters. */
	if (gdrt_rdma_probes[0].state != GDR_TELEMETRY_PROBE_STATE_ARMED ||
	    gdrt_rdma_probes[ARRAY_SIZE(gdrt_rdma_probes) - 1].state !=
	    GDR_TELEMETRY_PROBE_STATE_ARMED)
		return GDR_TELEMETRY_MR_JOIN_NO_PROBE;
	return readable() ? GDR_TELEMETRY_MR_JOIN_ON : GDR_TELEMETRY_MR_JOIN_FOREIGN_RDMA;
}

#else /* CONFIG_INFINIBAND_USER_ACCESS */

struct gdrt_probe gdrt_rdma_probes[] = {};
const unsigned int gdrt_rdma_probes_n;

void gdrt_rdma_seen(const struct module *mod)
{
}

void gdrt_rdma_look(void)
{
}

enum gdr_telemetry_mr_join gdrt_rdma_join(void)
{
	return GDR_TELEMETRY_MR_JOIN_NO_PROBE;
}

#endif /* CONFIG_INFINIBAND_USER_ACCESS */
