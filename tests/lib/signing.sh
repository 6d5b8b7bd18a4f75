# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# For guests that take only signed modules. After ktap.sh and bench.sh. Programs by their paths are
# kmod's, which nodes have: busybox's shell prefers its own, and those know no signatures.

# shellcheck disable=SC2034
REJECTED="Key was rejected by service"

# refusal COMMAND...: what it says; it has to fail
refusal()
{
	! "$@" 2>&1 || echo "loaded"
}

# install_module FILE: as DKMS leaves it; the bench has modules elsewhere
install_module()
{
	mkdir -p "/lib/modules/$(uname -r)/updates/dkms"
	cp "$1" "/lib/modules/$(uname -r)/updates/dkms/gdr_telemetry.ko"
	/usr/sbin/depmod || bail "depmod after $1 was installed"
}

# What gdrctl status says, after its exit code
status()
{
	echo "$(code gdrctl status) $(cat /tmp/code.err)"
}
