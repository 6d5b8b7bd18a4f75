# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Debian packages of any suite, without touching the machine's own apt: a
# private directory for each suite, with an empty dpkg status, so that the
# answer is the same on every machine.

KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg
# Lists younger than this are not asked for again (--refresh does).
LISTS_MAX_MIN=720

# Prints the archive (main or security) that the machine's apt uses.
archive_of()
{
	local want=$1 id='' codename='' key value suite

	while IFS='=' read -r key value; do
		value=${value//\"/}
		case $key in
		ID) id=$value ;;
		VERSION_CODENAME) codename=$value ;;
		esac
	done </etc/os-release
	[ "$id" = debian ] || return 1
	suite=$codename
	[ "$want" = main ] || suite=$codename-security
	# Works before the first apt-get update, unlike indextargets.
	apt-get update --print-uris 2>/dev/null | sed -n "s/^'\(.*\)'.*/\1/p" |
		awk -v s="/dists/$suite/" '{
			i = index($0, s)
			if (i && $0 ~ /Release$/) { print substr($0, 1, i - 1); exit }
		}' | grep .
}

# Sets MIRROR and SECURITY_MIRROR.
find_mirrors()
{
	local tool

	[ -z "${MIRROR:-}" ] || return 0
	for tool in apt-get apt-config dpkg-deb; do
		command -v "$tool" >/dev/null ||
			die "no $tool: reading Debian's archive needs apt and dpkg"
	done
	[ -r "$KEYRING" ] || die "no $KEYRING; install debian-archive-keyring"
	MIRROR=${GDRT_MIRROR:-$(archive_of main)} ||
		die "cannot tell the Debian archive from apt's configuration (this is not" \
			"Debian, or has no plain source); set GDRT_MIRROR to the URL of one"
	SECURITY_MIRROR=${GDRT_SECURITY_MIRROR:-$(archive_of security)} ||
		die "cannot tell the Debian security archive from apt's configuration;" \
			"set GDRT_SECURITY_MIRROR to the URL of one"
	export MIRROR SECURITY_MIRROR
}

# A SUITE may be more than its name: "trixie+arm64" is that of two architectures.
# apt_dir SUITE: prints the private directory
apt_dir()
{
	echo "$CACHE/apt/$1"
}

# Writes the private configuration. Proxies and other Acquire settings of the
# machine are kept; its hooks are not (some clear the archive directory).
write_apt_conf()
{
	local suite=${1%+*} arch=amd64 d base

	d=$(apt_dir "$1")
	base=${suite%-backports}
	[ "$suite" = "$1" ] || arch="amd64; ${1##*+}"
	mkdir -p "$d/etc/preferences.d" "$d/lists/partial" "$d/archives/partial"
	: >"$d/status"
	echo "deb [signed-by=$KEYRING] $MIRROR $base main" >"$d/sources.new"
	# Nothing is fixed in sid but by what is newer.
	[ "$base" = sid ] || cat >>"$d/sources.new" <<-EOF
		deb [signed-by=$KEYRING] $MIRROR $base-updates main
		deb [signed-by=$KEYRING] $SECURITY_MIRROR $base-security main
	EOF
	[ "$suite" = "$base" ] ||
		echo "deb [signed-by=$KEYRING] $MIRROR $suite main" >>"$d/sources.new"
	cat >"$d/apt.conf" <<-EOF
		Dir "$d";
		Dir::State "$d";
		Dir::State::lists "$d/lists";
		Dir::State::status "$d/status";
		Dir::Cache "$d";
		Dir::Cache::archives "$d/archives";
		Dir::Etc "$d/etc";
		Dir::Etc::sourcelist "$d/sources.list";
		Dir::Etc::sourceparts "/dev/null";
		Dir::Etc::parts "/dev/null";
		Dir::Etc::trusted "/dev/null";
		Dir::Etc::trustedparts "/dev/null";
		APT::Architecture "amd64";
		APT::Architectures { $arch; };
		APT::Install-Recommends "false";
		APT::Sandbox::User "root";
		APT::Update::Error-Mode "any";
		Acquire::Languages "none";
		Acquire::Retries "3";
	EOF
	# Backports are preferred only where asked for; elsewhere a default
	# release would rank the security archive's newer versions lower.
	[ "$suite" = "$base" ] || echo "APT::Default-Release \"$suite\";" >>"$d/apt.conf"
	apt-config dump | grep -E '^Acquire::(https?|ftp|Check-|ForceIPv)' >>"$d/apt.conf"
	if ! cmp -s "$d/sources.new" "$d/sources.list"; then
		mv "$d/sources.new" "$d/sources.list"
		rm -f "$d/updated"
	fi
}

# private_apt SUITE COMMAND ARG...
private_apt()
{
	local d

	d=$(apt_dir "$1")
	shift
	APT_CONFIG=$d/apt.conf "$@"
}

# Fetches the package lists of SUITE if they are old. Without a network an
# older list serves, with a warning.
apt_update()
{
	local suite=$1 d

	d=$(apt_dir "$suite")
	find_mirrors
	write_apt_conf "$suite"
	if [ -e "$d/updated" ] && [ -z "${REFRESH:-}" ] &&
	   [ -n "$(find "$d/updated" -mmin -$LISTS_MAX_MIN)" ]; then
		return 0
	fi
	say "fetching the package lists of $suite (about 10 MiB)"
	if ! quietly "$d/update.log" private_apt "$suite" apt-get -q update; then
		[ -e "$d/updated" ] || die "no package lists of $suite"
		say "using the older package lists of $suite"
	fi
	touch "$d/updated"
}

# apt_closure SUITE PACKAGE...: prints "deb-file-name bytes package version",
# a line for each package that these need.
apt_closure()
{
	local suite=$1 d err
	shift

	d=$(apt_dir "$suite")
	err=$d/resolve.$$
	if ! private_apt "$suite" apt-get -y -o Dir::Cache::archives=/dev/null \
	     --print-uris install "$@" 2>"$err" >"$err.out"; then
		grep -v '^W:' "$err" >&2
		tail -n 20 "$err.out" >&2
		rm -f "$err" "$err.out"
		say "apt cannot resolve in $suite: $*"
		return 1
	fi
	awk '/^\047/ {
		n = split($2, p, "_")
		if (n < 3) next
		v = p[2]; gsub(/%3a/, ":", v)
		sub(/\.deb$/, "", p[3])
		print $2, $3, p[1] (p[3] ~ /^(all|amd64)$/ ? "" : ":" p[3]), v
	}' "$err.out"
	rm -f "$err" "$err.out"
}

# unpack_debs ROOT FILE...: into a merged /usr, whatever the package's layout
unpack_debs()
{
	local root=$1 f l
	shift

	mkdir -p "$root"/usr/{bin,sbin,lib,lib64}
	for l in bin sbin lib lib64; do
		[ -e "$root/$l" ] || ln -s "usr/$l" "$root/$l"
	done
	for f in "$@"; do
		dpkg-deb --fsys-tarfile "$f" |
			tar -C "$root" -x --keep-directory-symlink --no-same-owner \
				--exclude './dev/*' || return
	done
}

# download_debs SUITE PACKAGE=VERSION...: into the suite's archives
download_debs()
{
	local suite=$1 d
	shift

	d=$(apt_dir "$suite")
	cd "$d/archives" || return
	quietly "$d/download.log" private_apt "$suite" apt-get -q download "$@"
}

# with_progress WHAT DIR BYTES COMMAND...: says now and then how much DIR grew
with_progress()
{
	local what=$1 dir=$2 bytes=$3 before pid i
	shift 3

	before=$(du -sb "$dir" | cut -f 1)
	"$@" &
	pid=$!
	# Not longer than the command, and quick to see it end.
	for ((i = 1; ; i++)); do
		sleep 0.2
		kill -0 "$pid" 2>/dev/null || break
		[ $((i % 50)) != 0 ] ||
			say "$what: $(human $(($(du -sb "$dir" | cut -f 1) - before))) of $(human "$bytes")"
	done
	wait "$pid"
}

# get_debs SUITE WHAT < closure lines: downloads, saying how much; DEB_FILES then has the archives
get_debs()
{
	local suite=$1 what=$2 d file size pkg ver total=0 have=0
	local specs=()

	d=$(apt_dir "$suite")
	DEB_FILES=()
	while read -r file size pkg ver; do
		DEB_FILES+=("$d/archives/$file")
		total=$((total + size))
		if [ "$(stat -c %s "$d/archives/$file" 2>/dev/null)" = "$size" ]; then
			have=$((have + size))
		else
			specs+=("$pkg=$ver")
		fi
	done
	[ "${#DEB_FILES[@]}" -gt 0 ] || { say "nothing to fetch for $what"; return 1; }
	say "$what: ${#DEB_FILES[@]} packages, $(human "$total")," \
		"of which $(human $((total - have))) to fetch from $suite"
	[ "${#specs[@]}" = 0 ] || with_progress "$what" "$d/archives" $((total - have)) \
		download_debs "$suite" "${specs[@]}"
}

# fetch_debs SUITE WHAT ROOT < closure lines: downloads and unpacks into ROOT,
# which appears only when it is whole. The archives are removed afterwards;
# after an interruption the next run goes on with them.
fetch_debs()
{
	local what=$2 root=$3 part=$3.part.$$ DEB_FILES

	get_debs "$1" "$what" || return
	say "$what: unpacking"
	rm -rf "$root".part.*
	mkdir -p "$part" || return
	unpack_debs "$part" "${DEB_FILES[@]}" || { rm -rf "$part"; return 1; }
	rm -rf "$root"
	mv "$part" "$root" || return
	rm -f "${DEB_FILES[@]}"
}
