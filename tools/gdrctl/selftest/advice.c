// SPDX-License-Identifier: GPL-2.0
/*
 * What the steps of gdrctl test itself mean when they fail. Those of a registration are in the
 * table of causes.
 */
#include <string.h>

#include "selftest/advice.h"

static const struct advice {
	const char *stage;
	const char *means;
	const char *fix;
} advice[] = {
	{ "fds", "No file descriptor is left for this process.",
	  "Raise the limit of open files where it is started: ulimit -n, LimitNOFILE=." },
	{ "memlock", "Memory of the host could not be locked: the limit of this process is too "
	  "low, or the host has none left. dma-buf MRs do not count against the limit; queue pairs and "
	  "the buffers of the host at the other end do.",
	  "Raise the limit where it is started: ulimit -l, LimitMEMLOCK=." },
	{ "source", "The memory could not be had; no HCA was asked.",
	  "Free memory of that kind, or choose another source; a smaller one: size BYTES." },
	{ "setup", "The HCA could not be prepared for the test; no dma-buf was involved.",
	  "ibv_devinfo, the permissions of /dev/infiniband/uverbs*, and dmesg." },
	{ "post", "The work request was not accepted.", "dmesg: lines of the HCA's driver." },
	{ "completion", "The HCA did not carry the transfer out. The registration worked, so the "
	  "HCA could not reach the memory, or the link not carry the loop.",
	  "dmesg: lines of mlx5_core, and of the IOMMU, ACS or AER. If the same transfer works "
	  "with memory of the host (case control), look at the way between HCA and GPU: lspci -t, "
	  "ACS of the bridges between (lspci -vvv, ACSCtl), the IOMMU." },
	{ "data", "The HCA reported success, and the data is not what was sent.",
	  "This is silent corruption: do not use this pair. Look at ACS and the IOMMU between "
	  "them, BIOS and firmware; report it with the output of gdrctl test -d." },
	{ "record", "What the module says of it is not what was done.",
	  "A bug of gdr_telemetry, or something else changed the process: report it with gdrctl "
	  "-d status." },
	{ "deregister", "The MR could not be given up.", "dmesg: lines of the HCA's driver." },
	{ "accepted", "The kernel or the driver takes what it has to refuse: programs that make "
	  "this mistake reach memory that is not theirs, or none.",
	  "Update the kernel or OFED; report it to them." },
	{ "errno", "It was refused, with another errno than is documented; programs that decide by "
	  "it take the wrong way.", "gdrctl explain says what each means." },
	{ "time-out", "The case did not end in its time and its process was killed.",
	  "dmesg: hung tasks, and lines of the HCA's driver. A process that stays behind in state "
	  "D waits in the kernel." },
	{ "crash", "The process of the test died.",
	  "dmesg; a library in it may be broken: libcuda, libibverbs and its providers." },
};

void st_advise_step(struct st_result *r)
{
	for (size_t i = 0; i < ARRAY_SIZE(advice); i++) {
		if (strcmp(advice[i].stage, r->stage) != 0)
			continue;
		snprintf(r->means, sizeof(r->means), "%s", advice[i].means);
		snprintf(r->fix, sizeof(r->fix), "%s", advice[i].fix);
	}
}
