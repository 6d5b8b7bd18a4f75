/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the netlink family share; the contract is
 * Documentation/netlink/specs/gdr-telemetry.yaml.
 */
#ifndef GDRT_NETLINK_H
#define GDRT_NETLINK_H

#include <linux/types.h>

struct genl_family;
struct genl_info;
struct gdrt_device;
struct gdrt_failure;
struct gdrt_ibdevs;
struct gdrt_snapshot;
struct netlink_callback;
struct netlink_ext_ack;
struct nlattr;
struct nla_policy;
struct sk_buff;

extern struct genl_family gdrt_family;

/**
 * struct gdrt_walk - where a dump of records is; kept in the callback between messages
 * @last: id of the record before
 * @bucket: bucket of the table
 * @begun: the above are set
 */
struct gdrt_walk {
	u64	last;
	u32	bucket;
	bool	begun;
};

/* netlink.c */
struct gdrt_walk *gdrt_dump_walk(struct netlink_callback *cb);
int gdrt_put_ibdevs(struct sk_buff *skb, int attr, const struct gdrt_ibdevs *names);
int gdrt_only(struct nlattr **attrs, int max, int a, int b, struct netlink_ext_ack *extack);
int gdrt_reply(struct genl_info *info, u8 cmd,
	       int (*put)(struct sk_buff *skb, const void *what), const void *what);
void *gdrt_dump_begin(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd);
bool gdrt_dump_end(struct sk_buff *skb, struct netlink_callback *cb, void *hdr, int err);
int gdrt_dump_full(const struct sk_buff *skb);

/* netlink_attachment.c, netlink_device.c: requests and their policies */
extern const struct nla_policy gdrt_attachment_policy[];
int gdrt_attachment_doit(struct sk_buff *req, struct genl_info *info);
int gdrt_attachment_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int gdrt_put_event_attachment(struct sk_buff *skb, const struct gdrt_snapshot *s);
int gdrt_put_event_failure(struct sk_buff *skb, const struct gdrt_failure *f);

extern const struct nla_policy gdrt_buffer_policy[];
int gdrt_buffer_doit(struct sk_buff *req, struct genl_info *info);
int gdrt_buffer_dumpit(struct sk_buff *skb, struct netlink_callback *cb);

extern const struct nla_policy gdrt_device_policy[];
int gdrt_device_doit(struct sk_buff *req, struct genl_info *info);
int gdrt_device_dumpit(struct sk_buff *skb, struct netlink_callback *cb);

extern const struct nla_policy gdrt_pair_policy[];
int gdrt_pair_doit(struct sk_buff *req, struct genl_info *info);
int gdrt_pair_dumpit(struct sk_buff *skb, struct netlink_callback *cb);

/* netlink_failure.c */
int gdrt_failure_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int gdrt_failure_log_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int gdrt_latency_dumpit(struct sk_buff *skb, struct netlink_callback *cb);

#endif /* GDRT_NETLINK_H */
