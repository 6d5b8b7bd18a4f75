# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Runs in a Debian root, as the suite "rpm" says: rpm-steps.sh DIR VERSION NEXT BROKEN
# DIR has the sources of VERSION in "first", of NEXT in "next", and in "broken" those of a version after
# that, whose module does not build.
set -u
. tests/lib/ktap.sh

DIR=$1 VERSION=$2 NEXT=$3 BROKEN=$4
MADE=/tmp/made
LOG=/tmp/steps
mkdir -p "$LOG" "$MADE"
set -- /lib/modules/*/build/include
KERNEL=$(basename "${1%/build/include}")

# make_rpms NAME [OPTION...]: the packages of these sources into MADE/NAME. What they need is named as
# Fedora names it, so that Debian's rpm cannot know it.
make_rpms()
{
	cp -r "$DIR/$1" "/tmp/$1" || return
	GDRT_BUILD=/tmp/build-$1 "/tmp/$1/packaging/rpm/build" --nodeps "${@:2}" >"$LOG/make-$1" 2>&1 ||
		{ tail -n 40 "$LOG/make-$1"; return 1; }
	mv "/tmp/build-$1/rpm" "$MADE/$1"
}

# rpms NAME: those to install, without what is for debuggers
rpms()
{
	local f

	for f in "$MADE/$1"/*.rpm; do
		case $f in *.src.rpm | *-debuginfo-* | *-debugsource-*) ;; *) echo "$f" ;; esac
	done
}

all_made()
{
	make_rpms first && [ "$(rpms first | sed 's,.*/,,; s/-[0-9].*//' | sort | paste -sd ' ')" = \
		"gdr-telemetry-dkms gdrctl gdrctl-extra" ] && ls "$MADE/first/gdr-telemetry-$VERSION"-1*.src.rpm
}

# Not what a distribution adds: its menus of groups, a signature, and spelling as one dictionary has it.
lint()
{
	# shellcheck disable=SC2046 # names without spaces
	rpmlint -c packaging/rpm/rpmlint.toml $(rpms first) packaging/rpm/gdr-telemetry.spec
}

# What "make install" and "make dkms-source" install is in the packages, and nothing else but the units,
# the list of modules and documents.
same_files()
{
	local to=/tmp/expected

	make -s -C /tmp/first install dkms-source GDRT_BUILD=/tmp/tools PREFIX=/usr "DESTDIR=$to" >"$LOG/tools" 2>&1 ||
		{ tail -n 20 "$LOG/tools"; return 1; }
	rm -rf "$to/usr/src/gdr-telemetry-$VERSION/LICENSES"
	install -D -m 644 -t "$to"/usr/lib/systemd/system packaging/systemd/* &&
		install -D -m 644 -t "$to"/usr/lib/modules-load.d packaging/modules-load.d/* || return
	# shellcheck disable=SC2046 # names without spaces
	diff <(cd "$to" && find . -type f | sed 's/^\.//' | sort) \
		<(rpm -qp --qf '[%{FILENAMES} %{FILEMODES:perms}\n]' $(rpms first) |
			awk '$2 ~ /^-/ && $1 !~ "^/usr/share/(doc|licenses)/" { sub(/\.gz$/, "", $1); print $1 }' | sort)
}

# Debian's rpm wants to be told that it is meant.
rpm_does()	# NAME OPTION...
{
	rpm --force-debian --nodeps "${@:2}" >"$LOG/$1" 2>&1 || { tail -n 30 "$LOG/$1"; return 1; }
}

says_what_is_missing()
{
	local out rc

	mv /usr/bin/rpmbuild /tmp/ || return
	out=$(packaging/rpm/build 2>&1)
	rc=$?
	mv /tmp/rpmbuild /usr/bin/
	if [ "$rc" = 0 ] || [[ $out != *"dnf install rpm-build"* ]]; then
		echo "$rc: $out"
		return 1
	fi
}

# All that is on the disk but rpm's database and what DKMS and depmod make for themselves
files()
{
	find / -xdev \( -path /proc -o -path /dev -o -path /tmp -o -path /var/lib/rpm -o -path /root \
		-o -path /var/cache -o -path /var/log -o -path "$PWD" \) -prune -o -print |
		grep -vE '^/var/lib/dkms(/mok\..*|/dkms_dbversion)?$|^/usr/lib/modules(/[^/]*(/(modules\.[^/]*|updates))?)?$' |
		sort
}

# has VERSION: the packages, the module for the kernel, and DKMS's sources are of that version alone.
has()
{
	local p ko

	for p in gdr-telemetry-dkms gdrctl gdrctl-extra; do
		[ "$(rpm -q --qf '%{VERSION} ' "$p")" = "$1 " ] || { rpm -q "$p"; return 1; }
	done
	[ "$(dkms status)" = "gdr-telemetry/$1, $KERNEL, x86_64: installed" ] || { dkms status; return 1; }
	ko=$(echo "/lib/modules/$KERNEL/updates/dkms"/gdr_telemetry.ko*)
	[ "$(modinfo -F version "$ko")" = "$1" ] || { modinfo "$ko"; return 1; }
	[ "$(echo /usr/src/gdr-telemetry-*)" = "/usr/src/gdr-telemetry-$1" ] || { ls /usr/src; return 1; }
	[[ $(gdrctl -V) == *" $1" ]] || { gdrctl -V; return 1; }
}

first_install()
{
	files >"$LOG/before"
	# shellcheck disable=SC2046 # names without spaces
	rpm_does first -i $(rpms first) && has "$VERSION"
}

upgrade()
{
	# shellcheck disable=SC2046
	make_rpms next --without check && rpm_does next -U $(rpms next) && has "$NEXT"
}

broken_upgrade()
{
	# shellcheck disable=SC2046
	make_rpms broken --without check && rpm_does broken -U $(rpms broken) || return
	[ "$(rpm -q --qf '%{VERSION}' gdr-telemetry-dkms)" = "$BROKEN" ] || { rpm -qa; return 1; }
	set -- "/lib/modules/$KERNEL/updates/dkms"/gdr_telemetry.ko*
	[ ! -e "$1" ] || { echo "there is $1"; return 1; }
	grep "no module for kernel $KERNEL" "$LOG/broken"
}

removed()
{
	rpm_does removed -e gdr-telemetry-dkms gdrctl gdrctl-extra || return
	files >"$LOG/after"
	diff "$LOG/before" "$LOG/after"
}

cd "$(dirname "$0")/../.." || exit 1
plan 10
check "the packages build from a clean clone, and their checks pass" all_made
check "rpmlint finds nothing" lint
check "each file is in them, and no other" same_files
check "they install, and DKMS builds the module" first_install
check "the module is loaded at boot" grep -qx gdr_telemetry /usr/lib/modules-load.d/gdr-telemetry.conf
check "gdrctl answers" sh -c 'gdrctl explain ENOMEM >/dev/null && gdrctl top --help >/dev/null'
check "an upgrade takes the place of the older version" upgrade
check "an upgrade whose module does not build is complete, and says so" broken_upgrade
check "after removal nothing is left" removed
check "without rpmbuild it says what is needed" says_what_is_missing
finish
