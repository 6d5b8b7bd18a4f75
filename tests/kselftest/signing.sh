#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Where the kernel takes only modules that are signed with a key it has (module.sig_enforce=1, as
# with Secure Boot): ours, which is not, is refused, and gdrctl says why and what to do.
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh
# shellcheck source=tests/lib/signing.sh
. /gdrt/tests/lib/signing.sh

plan 11
is "the kernel wants signatures" "$(cat /sys/module/module/parameters/sig_enforce)" Y
check "its own modules load" modprobe mlx5_ib
has "ours is refused" "$(refusal insmod "$MODULES/gdr_telemetry.ko")" "$REJECTED"
has "before it is installed, status says that first" "$(status)" \
	"3 gdrctl: module gdr_telemetry is not loaded: it is not in /lib/modules"
install_module "$MODULES/gdr_telemetry.ko"
has "by modprobe, too" "$(refusal /usr/sbin/modprobe gdr_telemetry)" "$REJECTED"
SAID=$(status)
has "status: absent" "$SAID" "3 gdrctl: module gdr_telemetry is not loaded"
has "status: why" "$SAID" "module.sig_enforce is on, and it is not signed"
has "status: what to do" "$SAID" "mokutil --import"
has "for programs" "$(gdrctl -j status)" '"absent":"refused"'
# One with something like a signature may be taken: what gdrctl cannot know it does not claim.
{ cat "$MODULES/gdr_telemetry.ko"; printf '%s\n' "~Module signature appended~"; } >/tmp/signed.ko
install_module /tmp/signed.ko
has "one that is signed may be with another key" "$(gdrctl -j status)" '"absent":"unloaded"'
has "status: how to find out" "$(status)" "$REJECTED"
finish
