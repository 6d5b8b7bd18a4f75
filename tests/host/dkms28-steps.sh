# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Runs in a Debian root, as the suite "install" says: dkms28-steps.sh DIR VERSION
set -eu

DIR=$1 VERSION=$2
export DEBIAN_FRONTEND=noninteractive

get()
{
	apt-get -y --no-install-recommends "$@" >/tmp/log 2>&1 || { tail -n 30 /tmp/log; exit 1; }
}

installed()
{
	dkms status | grep "^gdr-telemetry, $VERSION, .*: installed" | cut -d ' ' -f 3
}

old=$(apt-cache madison dkms | awk '$3 ~ /^2\.8/ { print $3 }')
get install "dkms=$old" "$DIR/gdr-telemetry-dkms_${VERSION}_all.deb"
dkms --version | grep -F 2.8

# 5.10, then 6.1
for headers in $(cd /debs && printf '%s\n' linux-headers-*-common_* | sed 's/-common_.*/-amd64/' | sort -V); do
	get install "$headers"
	cat /tmp/log
	case $headers in
	*-5.10.*)
		grep -q 'BUILD_EXCLUSIVE' /tmp/log && grep -q "gdr-telemetry: not for kernel" /tmp/log
		[ -z "$(installed)" ]
		;;
	*-6.1.*) [ "$(installed)" = "${headers#linux-headers-}," ] ;;
	*) echo "$headers?"; exit 1 ;;
	esac
	[ -z "$(dpkg --audit)" ]
done
[ "$(modinfo -k "${headers#linux-headers-}" -F version gdr_telemetry)" = "$VERSION" ]
