/* SPDX-License-Identifier: GPL-2.0 */
/* Control groups (v2): from the id that the kernel gives to path, container and pod. */
#ifndef GDRCTL_CGROUP_H
#define GDRCTL_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct cgroup_owner - who a cgroup belongs to, as its path tells
 * @container: id of the container, 64 hex digits; or its name (LXC); "" if none
 * @pod: UID of the pod, with dashes; "" if none
 * @job: number of the Slurm job; "" if none
 */
struct cgroup_owner {
	char container[80];
	char pod[40];
	char job[16];
};

/**
 * cgroup_path - the path of a cgroup below the mount point of the hierarchy
 * @id: its id: the inode number of its directory
 *
 * Return: "/…", valid until cgroup_forget(); NULL if it is gone or not visible here
 */
const char *cgroup_path(uint64_t id);

/**
 * cgroup_owner - read a path as Docker, Podman, containerd, CRI-O, Kubernetes, LXC and Slurm
 * make it
 * @path: of a cgroup
 * @owner: what it tells
 */
void cgroup_owner(const char *path, struct cgroup_owner *owner);

/**
 * cgroup_is_filter - whether @s can be what cgroup_matches() takes: a path that begins with "/",
 * an id, 12 hex digits or more of a container's id, or the UID of a pod
 */
bool cgroup_is_filter(const char *s);

/**
 * cgroup_matches - whether a cgroup is the one meant
 * @filter: a path, which stands for all below it, too; an id; of a container; of a pod
 * @id: id of the cgroup
 */
bool cgroup_matches(const char *filter, uint64_t id);

/** cgroup_forget - look again at the next call */
void cgroup_forget(void);

#endif
