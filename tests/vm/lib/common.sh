# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Paths, messages and locks shared by the bench's scripts.

VM_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
TREE=$(cd "$VM_DIR/../.." && pwd)
BUILD=${GDRT_BUILD:-$TREE/build}
CACHE=${GDRT_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/gdr-telemetry}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
case $CACHE in /*) ;; *) CACHE=$PWD/$CACHE ;; esac

# The exit codes of the bench itself; all others are the guest command's.
EXIT_TIMEOUT=124
EXIT_VM=125
EXIT_USAGE=126
export EXIT_TIMEOUT EXIT_VM EXIT_USAGE

say()
{
	printf '%s: %s\n' "${PROG:-vm}" "$*" >&2
}

die()
{
	say "$@"
	exit "$EXIT_USAGE"
}

# human BYTES
human()
{
	awk -v b="$1" 'BEGIN {
		split("B KiB MiB GiB", u); i = 1
		while (b >= 1024 && i < 4) { b /= 1024; i++ }
		printf(i == 1 ? "%d %s\n" : "%.1f %s\n", b, u[i])
	}'
}

# bytes SIZE: 256M or 1G as a number
bytes()
{
	case $1 in
	*[!0-9KMGkmg]* | "") return 1 ;;
	*[Kk]) echo $((${1%?} << 10)) ;;
	*[Mm]) echo $((${1%?} << 20)) ;;
	*[Gg]) echo $((${1%?} << 30)) ;;
	*) echo "$1" ;;
	esac
}

# with_lock NAME COMMAND...: one process at a time for each NAME of the cache
# or build directory; says so when it has to wait.
with_lock()
{
	local dir=$CACHE name=$1 fd
	shift

	case $name in build/*) dir=$BUILD name=${name#build/} ;; esac
	mkdir -p "$dir/lock" || die "cannot write $dir/lock"
	exec {fd}>"$dir/lock/$name" || die "cannot write $dir/lock/$name"
	if ! flock -n "$fd"; then
		say "another run holds $dir/lock/$name, waiting"
		flock -w 3600 "$fd" || die "gave up on $dir/lock/$name after an hour"
	fi
	# The command must not inherit the lock: a stray child would keep it.
	"$@" {fd}>&-
	local rc=$?
	exec {fd}>&-
	return "$rc"
}

# quietly LOG COMMAND...: the output goes to LOG, and to stderr if it fails.
quietly()
{
	local log=$1
	shift

	"$@" >"$log" 2>&1 </dev/null && return 0
	local rc=$?
	tail -n 40 "$log" >&2
	say "failed ($rc): $*; whole output in $log"
	return "$rc"
}

# Waits until fewer guests run than may at once: with too many, time-outs are
# met by chance. The lock passes on to QEMU and ends with it.
take_slot()
{
	local i waited='' max=${GDRT_VMS:-$(nproc)}

	mkdir -p "$CACHE/lock" || die "cannot write $CACHE/lock"
	while :; do
		for ((i = 0; i < max; i++)); do
			exec {SLOT}>"$CACHE/lock/vm-$i"
			! flock -n "$SLOT" || return 0
			exec {SLOT}>&-
		done
		[ -n "$waited" ] || say "$max guests are running, waiting for one to end"
		waited=1
		sleep 0.5
	done
}
