# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Runs in a Debian root, as the suite "install" says: install-steps.sh DIR VERSION NEXT SERIES...
# DIR has the packages of VERSION in "first", of NEXT in "next", and in "broken" a module of a version
# after that, which does not build. Of the kernels of each series, such as 6.12, apt has the headers.
set -u
. tests/lib/ktap.sh

DIR=$1 VERSION=$2 NEXT=$3
SERIES=("${@:4}")
# Those of one kernel, and not of whichever is the newest
mapfile -t HEADERS < <(cd /debs && printf '%s\n' linux-headers-*-common_* | sed 's/-common_.*/-amd64/')
OURS=(gdr-telemetry-dkms gdrctl gdrctl-extra)
LOG=/tmp/steps
mkdir -p "$LOG"

# Recommended packages come of themselves on a node; here the headers are to come later.
# get NAME WORD...: apt-get; its output goes to LOG/NAME
get()
{
	apt-get -y --no-install-recommends "${@:2}" >"$LOG/$1" 2>&1 || { tail -n 30 "$LOG/$1"; return 1; }
}

# debs NAME: those of "first" or "next", without what is for debuggers
debs()
{
	local f

	for f in "$DIR/$1"/*.deb; do
		case $f in *-dbgsym_*) ;; *) echo "$f" ;; esac
	done
}

# needed_by WORD...: what apt would install for these, other than they themselves and headers
needed_by()
{
	get needed -s install "$@" && awk '/^Inst / { print $2 }' "$LOG/needed" |
		grep -vxE 'gdr-telemetry-dkms|gdrctl|gdrctl-extra|linux-(headers|kbuild)-.*'
}

# All that is on the disk, but what packages do not own anyway: dpkg's and apt's own, and what DKMS and
# depmod make for themselves.
files()
{
	find / -xdev \( -path /proc -o -path /dev -o -path /tmp -o -path /debs -o -path /var/lib/dpkg \
		-o -path /var/lib/apt -o -path /var/cache -o -path /var/log -o -path "$PWD" \) -prune -o -print |
		grep -vE '^/var/lib/dkms/(mok\.|dkms_dbversion)|^/var/lib/(dkms|shim-signed)(/mok)?$' |
		grep -vE '^/usr/lib/modules(/[^/]*(/modules\.[^/]*)?)?$' |
		sort
}

kernels()
{
	local d

	for d in /lib/modules/*/build; do
		[ ! -d "$d/include" ] || basename "${d%/build}"
	done
}

# only REGEX COMMAND...: each line that the command prints matches
only()
{
	local out

	out=$("${@:2}" | grep -vE "$1")
	[ -z "$out" ] || { echo "$out"; return 1; }
}

# complete PACKAGE...: dpkg has these installed, and no package half
complete()
{
	# shellcheck disable=SC2016 # for dpkg-query
	dpkg-query -W "$@" >/dev/null && only '^ii ' dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' "$@" &&
		only '^$' dpkg --audit
}

# built VERSION: the module is of that version for each kernel with headers, and of no other
built()
{
	local k ko

	[ "$(kernels | sed -E 's/^([0-9]+\.[0-9]+).*/\1/' | sort -V | paste -sd ' ')" = "${SERIES[*]}" ] ||
		{ echo "not ${SERIES[*]}: $(kernels)"; return 1; }
	for k in $(kernels); do
		ko=$(modinfo -k "$k" -F filename gdr_telemetry) || { cat "$LOG/headers"; return 1; }
		case $ko in */updates/dkms/*) ;; *) echo "it is $ko"; return 1 ;; esac
		[ "$(modinfo -F version "$ko")" = "$1" ] || { modinfo "$ko"; return 1; }
		[ "$(modinfo -F vermagic "$ko" | cut -d ' ' -f 1)" = "$k" ] || { modinfo "$ko"; return 1; }
	done
	# DKMS has that version alone.
	[ "$(dkms status | grep -c "^gdr-telemetry/$1,.*installed")" = "${#SERIES[@]}" ] || { dkms status; return 1; }
	only "^gdr-telemetry/$1," dkms status || return
	set -- /usr/src/gdr-telemetry-*
	[ $# = 1 ] || { echo "sources: $*"; return 1; }
}

first_install()
{
	local more packages

	mapfile -t packages < <(debs first)
	mapfile -t more < <(needed_by "${packages[@]}" "${HEADERS[@]}")
	get more install "${more[@]}" || return
	files >"$LOG/before"
	get first install "${packages[@]}" && complete "${OURS[@]}"
}

tool_answers()
{
	[[ $(gdrctl -V) == *"$VERSION" ]] || return
	gdrctl explain ENOMEM >/dev/null && gdrctl top --help >/dev/null || return
	# There is no module; it says why.
	gdrctl status 2>&1 | grep -i 'built\|headers' || { gdrctl status; return 1; }
}

not_enabled()
{
	[ "$(systemctl is-enabled gdrctl-textfile.timer)" = disabled ] &&
		grep -qx gdr_telemetry /usr/lib/modules-load.d/gdr-telemetry.conf
}

later_headers()
{
	get headers install "${HEADERS[@]}" && complete "${HEADERS[@]}" && built "$VERSION"
}

upgrade()
{
	local packages

	mapfile -t packages < <(debs next)
	get next install "${packages[@]}" && complete "${OURS[@]}" && built "$NEXT" && [[ $(gdrctl -V) == *"$NEXT" ]]
}

broken_upgrade()
{
	local packages

	mapfile -t packages < <(debs broken)
	get broken install "${packages[@]}" && complete "${OURS[@]}" && ! modinfo -k "$(kernels | head -n 1)" gdr_telemetry >/dev/null 2>&1
}

# As when a new kernel comes for which the module does not build
broken_headers()
{
	local p

	p=$(dpkg -S "/usr/src/linux-headers-$(kernels | head -n 1)" | sed 's/:.*//')
	get again install --reinstall "$p" && complete "$p" &&
		grep -q 'Bad return status for module build' "$LOG/again"
}

purged()
{
	get purge purge "${OURS[@]}" && get purge-headers purge 'linux-headers-*' 'linux-kbuild-*' || return
	files >"$LOG/after"
	diff "$LOG/before" "$LOG/after"
}

plan 11
check "apt installs the packages, without any headers" first_install
check "DKMS says that headers are missing" grep -i 'headers.* cannot be found' "$LOG/first"
check "gdrctl answers, and says why there is no module" tool_answers
check "the timer is not enabled, the module is loaded at boot" not_enabled
check "with headers that come later the module is built for each kernel" later_headers
check "an upgrade takes the place of the older version" upgrade
check "an upgrade that does not build is complete for dpkg" broken_upgrade
check "DKMS says what failed" grep 'Bad return status for module build' "$LOG/broken"
check "headers for which it does not build are complete, too" broken_headers
check "gdrctl says that the build failed" sh -c 'gdrctl status 2>&1 | grep -i "build.*failed\|failed.*build"'
check "after a purge nothing is left" purged
finish
