#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The module built and signed by Debian's DKMS, on a kernel that takes only signed modules and was
# built with one key for them: with that key DKMS's module is taken, with the key that DKMS makes
# for itself, which nobody has enrolled here, it is not, and gdrctl says what to do.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/host/check.sh

NAME=signed
VERSION=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"$/\1/p' dkms.conf)
T=$BUILD/check/dkms-key
STEPS=13

# by_dkms NAME [LINE...]: built and signed as on a node, with the LINEs in framework.conf; then
# T/extra has NAME.ko
by_dkms()
{
	local to=$T/$1 ko
	shift

	mkdir -p "$to"/{src,var,"lib/$KVER",modules-load.d} "$T/extra"
	printf '%s\n' "$@" >"$to/framework.conf"
	# shellcheck disable=SC2016 # for the inner shell
	tests/vm/in-tree --kernel "$NAME" --with dkms -- sh -c '
		cat "$0" >>/etc/dkms/framework.conf && exec "$@"' "$to/framework.conf" \
		make dkms-install "KVER=$KVER" "DKMS_SRC=$to/src/gdr-telemetry-$VERSION" \
		"MODULES_LOAD=$to/modules-load.d" \
		"DKMS=dkms --sourcetree $to/src --dkmstree $to/var --installtree $to/lib" || return
	ko=$(find "$to/lib/$KVER/updates/dkms" -name gdr_telemetry.ko)
	cp "$ko" "$T/extra/${to##*/}.ko"
}

# The results of dkms-key-steps.sh as results of this suite
steps()
{
	cp tests/host/dkms-key-steps.sh "$T/extra/steps.sh"
	tests/vm/run --kernel "$NAME" --gpus 0 --hcas 0 --append module.sig_enforce=1 --extra "$T/extra" \
		--timeout 400 --log "$T/guest" -- sh /gdrt/extra/steps.sh >"$T/steps.log" 2>"$T/run.log"
	GUEST=$?
	results_of "$T/steps.log" "$STEPS" ||
		{ sed 's/^/# /' "$T/run.log"; bail "not all results: see $T/steps.log"; }
}

rm -rf "$T"
mkdir -p "$T"
needs "$NAME"
KVER=$(tests/vm/kernels version "$NAME") || exit 1
plan $((3 + STEPS))
check "DKMS signs with a key that it makes" by_dkms unknown
# Beside the kernel, which is the tree's root.
check "DKMS signs with the key that the kernel was built with" \
	by_dkms known mok_signing_key=/mok/dkms.key mok_certificate=/mok/dkms.der
steps
is "the guest ended well" "$GUEST" 0
finish
