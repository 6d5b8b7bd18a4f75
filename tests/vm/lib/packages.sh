# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The machine's own packages that the bench needs.

# need_packages FILE...: installs what is missing, or says how.
need_packages()
{
	local p missing=()

	command -v dpkg-query >/dev/null ||
		{ say "no dpkg here: cannot check the packages in $*"; return 0; }
	while read -r p; do
		case $(dpkg-query -W -f '${Status}' "$p" 2>/dev/null) in
		*' installed') ;;
		*) missing+=("$p") ;;
		esac
	done < <(sed 's/#.*//' "$@" | tr -s ' \t' '\n' | grep . | sort -u)
	[ "${#missing[@]}" -gt 0 ] || return 0
	if [ "$(id -u)" != 0 ]; then
		say "packages are missing; as root run:"
		echo "apt-get install --no-install-recommends ${missing[*]}"
		exit "$EXIT_USAGE"
	fi
	say "installing ${missing[*]}"
	mkdir -p "$CACHE"
	export DEBIAN_FRONTEND=noninteractive
	quietly "$CACHE/packages.log" apt-get -q update ||
		say "apt-get update failed; going on with the lists as they are"
	quietly "$CACHE/packages.log" apt-get -qy install --no-install-recommends \
		"${missing[@]}" || die "cannot install ${missing[*]}"
}
