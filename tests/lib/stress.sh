# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# The stress test as a suite. After ktap.sh and bench.sh.

# Such bursts as no driver makes, while the one that refills the pool may not get to run.
STRESS_POOL=16384

# stress NAME SEED|- [gdrt-stress's options]: one run on a bench that is loaded anew, one result
stress()
{
	stress_name=$1 stress_seed=$2
	shift 2
	[ "$stress_seed" = - ] || set -- --seed "$stress_seed" "$@"
	bench_up pool=$STRESS_POOL
	timeout 600 gdrt-stress "$@" >/tmp/stress.out 2>&1
	stress_rc=$?
	# Its lines are diagnostics already; what else there is becomes one.
	sed 's/^\([^#]\)/# \1/' /tmp/stress.out
	is "$stress_name" "$stress_rc" 0
}
