# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# What in a console log means that the kernel failed.

# WARN() and what else --allow-warn tolerates
CONSOLE_WARN='WARNING: |refcount_t: |UBSAN: |DMA-API: .*(device driver|exceeded)'
# The rest never passes
CONSOLE_BAD='Kernel panic|Oops|BUG: |general protection fault|stack segment:'
CONSOLE_BAD+='|divide error:|double fault|unable to handle (page fault|kernel)|detected stall|rcu.*(stall|starved)'
CONSOLE_BAD+='|INFO: task .* blocked|blocked for more than|soft lockup|hard LOCKUP'
CONSOLE_BAD+='|possible (circular|recursive|irq lock)|inconsistent lock state|suspicious RCU'
CONSOLE_BAD+='|lock held when returning|held lock freed|bad unlock balance|Invalid wait context'
CONSOLE_BAD+='|lock order detected|locks held!|Nested lock was not|bad contention|non-static key'
CONSOLE_BAD+='|locking correctness validator|lockdep is turned off|ODEBUG: |kmemleak: .*disabled'
CONSOLE_BAD+='|KASAN|KCSAN|KFENCE|list_(add|del) corruption'
CONSOLE_BAD+='|scheduling while atomic|sleeping function called|page allocation failure'
CONSOLE_BAD+='|Call Trace|gdrt: bench: '
# Not reports: what the kernel says about its own set-up
CONSOLE_GOOD='kfence: initialized|stall warnings timeout set|KASLR|[Cc]ommand line:|KernelAddressSanitizer initialized'

# console_bad FILE [--allow-warn]: prints the first report; true if there is one
console_bad()
{
	local re=$CONSOLE_BAD line

	if [ "${2:-}" = --allow-warn ]; then
		# A WARN prints a call trace too.
		re=${re/|Call Trace/}
	else
		re="$re|$CONSOLE_WARN"
	fi
	line=$(tr -d '\r' <"$1" | grep -nE "$re" | grep -vE "$CONSOLE_GOOD" | head -n 1)
	[ -n "$line" ] || return 1
	line=${line%%:*}
	tr -d '\r' <"$1" | sed -n "$((line > 3 ? line - 3 : 1)),$((line + 40))p"
}

# The exit code that the guest left in console log FILE
console_exit_code()
{
	tr -d '\r' <"$1" | sed -n 's/^\[[^]]*\]\(\[[^]]*\]\)\{0,1\} gdrt: exit code \([0-9]*\)$/\2/p' |
		tail -n 1
}
