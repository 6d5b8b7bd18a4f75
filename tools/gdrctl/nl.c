// SPDX-License-Identifier: GPL-2.0
/* The way to the kernel: socket, family, requests. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <linux/genetlink.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>

#include "format.h"
#include "module.h"
#include "nl.h"
#include "reply.h"

#define DUMP_TRIES 5
#define TIMEOUT_S 10

/* Says what a failed request came to. Return: EXIT_SYSTEM */
static enum exit_code refused(const char *what, int err, const char *text)
{
	char shown[2 * REPLY_TEXT];

	if (*text)
		message("kernel: %s", format_escape(text, shown, sizeof(shown)));
	if (err == -EPERM && geteuid())
		message("%s: not permitted: it names processes and needs CAP_NET_ADMIN; "
			"run it as root: sudo gdrctl %s", what, what);
	else if (err == -EPERM)
		message("%s: not permitted: it names processes and needs CAP_NET_ADMIN of the "
			"host; root in a container or user namespace does not have it", what);
	else if (err == -EBADMSG)
		message("%s: the kernel's answer is not well-formed", what);
	else if (err == -EAGAIN)
		message("%s: no answer within %d seconds", what, TIMEOUT_S);
	else if (!*text)
		message("%s: %s", what, strerror(-err));
	return EXIT_SYSTEM;
}

static int send_request(struct nl *nl, int family, int cmd, int flags,
			int (*fill)(struct nl_msg *msg, const void *arg), const void *arg,
			struct reply *r)
{
	struct nl_msg *msg = nlmsg_alloc();
	int err = -ENOMEM;

	if (!msg)
		return err;
	if (genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, family, 0, flags | NLM_F_REQUEST,
			(uint8_t)cmd, GDR_TELEMETRY_FAMILY_VERSION) &&
	    (!fill || !fill(msg, arg)))
		err = nl_send_auto(nl->sk, msg) < 0 ? -EIO : 0;
	r->seq = nlmsg_hdr(msg)->nlmsg_seq;
	nlmsg_free(msg);
	return err;
}

static int receive(struct nl *nl, struct reply *r)
{
	while (!r->done) {
		struct sockaddr_nl from;
		unsigned char *buf = NULL;
		int n = nl_recv(nl->sk, &from, &buf, NULL), err;

		if (n <= 0) {
			free(buf);
			return n == -NLE_AGAIN || !n ? -EAGAIN : n == -NLE_NOMEM ? -ENOBUFS : -EIO;
		}
		/* Only the kernel, port 0, answers; other processes may send to us. */
		err = from.nl_pid ? 0 : reply_feed(r, buf, (size_t)n);
		free(buf);
		if (err)
			return err;
	}
	return 0;
}

static int ask(struct nl *nl, int family, int cmd, int flags,
	       int (*fill)(struct nl_msg *msg, const void *arg), const void *arg, struct reply *r)
{
	int err = send_request(nl, family, cmd, flags, fill, arg, r);

	return err ? err : receive(nl, r);
}

static int fill_family(struct nl_msg *msg, const void *name)
{
	return nla_put_string(msg, CTRL_ATTR_FAMILY_NAME, name);
}

static int read_family(void *arg, const void *attrs, size_t len)
{
	struct nlattr *id = nla_find(attrs, (int)len, CTRL_ATTR_FAMILY_ID);

	if (!id || nla_len(id) != sizeof(uint16_t))
		return -EBADMSG;
	*(int *)arg = nla_get_u16(id);
	return 0;
}

enum exit_code kernel_open(struct nl *nl)
{
	struct timeval timeout = { .tv_sec = TIMEOUT_S };
	struct reply r = { .record = read_family, .arg = &nl->family };
	int err, on = 1, fd;

	nl->family = 0;
	nl->unsupported = false;
	nl->sk = nl_socket_alloc();
	if (!nl->sk)
		return refused("netlink", -ENOMEM, "");
	err = genl_connect(nl->sk);
	if (err) {
		message("cannot open a generic netlink socket: %s", nl_geterror(err));
		return EXIT_SYSTEM;
	}
	/* The answer itself says that it is complete. */
	nl_socket_disable_auto_ack(nl->sk);
	nl_socket_enable_msg_peek(nl->sk);
	fd = nl_socket_get_fd(nl->sk);
	/* Without these there is less to say about an error, no more. */
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(fd, SOL_NETLINK, NETLINK_GET_STRICT_CHK, &on, sizeof(on));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));

	err = ask(nl, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 0, fill_family,
		  GDR_TELEMETRY_FAMILY_NAME, &r);
	if (err == -ENOENT)
		return module_explain_absent();
	return err ? refused("netlink family " GDR_TELEMETRY_FAMILY_NAME, err, r.text) : EXIT_OK;
}

void kernel_close(struct nl *nl)
{
	if (nl->sk)
		nl_socket_free(nl->sk);
	nl->sk = NULL;
}

static int read_status(void *arg, const void *attrs, size_t len)
{
	return model_status(attrs, len, arg);
}

enum exit_code kernel_status(struct nl *nl, struct status *s)
{
	struct reply r = { .record = read_status, .arg = s };
	int err;

	memset(s, 0, sizeof(*s));
	err = ask(nl, nl->family, GDR_TELEMETRY_CMD_STATUS_GET, 0, NULL, NULL, &r);
	return err ? refused("status", err, r.text) : EXIT_OK;
}

static int read_attachment(void *arg, const void *attrs, size_t len)
{
	struct attachment a;
	int err = model_attachment(attrs, len, &a);

	return err ? err : attachments_add(arg, &a);
}

static int fill_id(struct nl_msg *msg, const void *id)
{
	return nla_put_u64(msg, GDR_TELEMETRY_A_ATTACHMENT_ID, *(const uint64_t *)id);
}

enum exit_code kernel_attachment(struct nl *nl, uint64_t id, struct attachments *list)
{
	struct reply r = { .record = read_attachment, .arg = list };
	int err = ask(nl, nl->family, GDR_TELEMETRY_CMD_ATTACHMENT_GET, 0, fill_id, &id, &r);

	return err ? refused("attachment", err, r.text) : EXIT_OK;
}

static int fill_filter(struct nl_msg *msg, const void *arg)
{
	const struct filter *f = arg;
	int err = 0;

	if (f->has[FILTER_IMPORTER])
		err |= nla_put_string(msg, GDR_TELEMETRY_A_ATTACHMENT_IMPORTER, f->importer);
	if (f->has[FILTER_EXPORTER])
		err |= nla_put_string(msg, GDR_TELEMETRY_A_ATTACHMENT_EXPORTER, f->exporter);
	if (f->has[FILTER_PID])
		err |= nla_put_u32(msg, GDR_TELEMETRY_A_ATTACHMENT_PID, f->pid);
	if (f->has[FILTER_BUFFER])
		err |= nla_put_u64(msg, GDR_TELEMETRY_A_ATTACHMENT_BUFFER, f->buffer);
	return err;
}

enum exit_code kernel_dump(struct nl *nl, const struct dump *d)
{
	for (int try = 1;; try++) {
		struct reply r = { .record = d->record, .arg = d->arg };
		int err;

		d->restart(d->arg);
		err = ask(nl, nl->family, d->cmd, NLM_F_DUMP, d->fill, d->fill_arg, &r);
		nl->unsupported = err == -EOPNOTSUPP;
		if (nl->unsupported) {
			message("%s: this module does not know it: it is older than this tool, %s",
				d->what, tool_version);
			return EXIT_SYSTEM;
		}
		if (err)
			return refused(d->what, err, r.text);
		if (!r.interrupted)
			return EXIT_OK;
		if (try < DUMP_TRIES)
			continue;
		message("%s came and went while they were listed, %d times: the list may be "
			"incomplete", d->plural, try);
		return EXIT_OK;
	}
}

static void forget_attachments(void *list)
{
	((struct attachments *)list)->n = 0;
}

enum exit_code kernel_attachments(struct nl *nl, const struct filter *f, struct attachments *list)
{
	const struct dump d = { .what = "attachment", .plural = "attachments",
				.cmd = GDR_TELEMETRY_CMD_ATTACHMENT_GET,
				.fill = fill_filter, .fill_arg = f, .record = read_attachment,
				.restart = forget_attachments, .arg = list };
	enum exit_code rc = kernel_dump(nl, &d);

	attachments_sort(list);
	return rc;
}
