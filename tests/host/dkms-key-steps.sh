# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# Runs in a guest whose kernel has one key for modules and takes no others, as the suite "dkms-key"
# says. /gdrt/extra has a module signed with a key that DKMS made for itself, and one with that key.
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh
# shellcheck source=tests/lib/signing.sh
. /gdrt/tests/lib/signing.sh

EXTRA=/gdrt/extra

signer()
{
	/usr/sbin/modinfo -F signer gdr_telemetry
}

# Signed, and not what was signed any more
altered()
{
	cp "$EXTRA/known.ko" /tmp/altered.ko
	printf 'X' | dd of=/tmp/altered.ko bs=1 seek=4096 conv=notrunc 2>/dev/null
	! cmp -s "$EXTRA/known.ko" /tmp/altered.ko && refusal insmod /tmp/altered.ko
}

plan 13
is "the kernel wants signatures" "$(cat /sys/module/module/parameters/sig_enforce)" Y
check "the kernel's own modules load" modprobe ib_uverbs

install_module "$MODULES/gdr_telemetry.ko"
has "not signed: refused" "$(refusal /usr/sbin/modprobe gdr_telemetry)" "$REJECTED"
has "status says why" "$(status)" "3 gdrctl: module gdr_telemetry is not loaded: \
module.sig_enforce is on, and it is not signed"

install_module "$EXTRA/unknown.ko"
has "a key that the kernel does not have: refused" "$(refusal /usr/sbin/modprobe gdr_telemetry)" \
	"$REJECTED"
is "modinfo names that key" "$(signer)" "DKMS module signing key"
has "status says how to find out, and what to do" "$(status)" "3 gdrctl: module gdr_telemetry is \
not loaded: module.sig_enforce is on; it is signed, but whether the kernel has the key is not \
known; modprobe gdr_telemetry; if that says \"$REJECTED\": modinfo -F signer gdr_telemetry, and \
mokutil --import for its key"

install_module "$EXTRA/known.ko"
is "modinfo names the other key" "$(signer)" "gdr-telemetry bench, module signing key"
has "altered after it was signed: refused" "$(altered)" "$REJECTED"
check "signed with a key that the kernel has: loaded" /usr/sbin/modprobe gdr_telemetry
is "the kernel took the signature" "$(cat /sys/module/gdr_telemetry/taint)" O
check "status answers" gdrctl status
check "it unloads" unload gdr_telemetry
finish
