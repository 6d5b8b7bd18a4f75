#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Who sees what: other users, network namespaces, user namespaces and pid
# namespaces.
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh

REFUSED="errno 1 messages 0 interrupted 0 extack "

# aggregates COMMAND...: what is open to all, as it is shown to that command
aggregates()
{
	"$@" gdrt-nl "do" status
	for a in buffer device pair; do "$@" gdrt-nl dump $a; done
}

# Who they are: each is a command that runs another one.
init_net() { "$@"; }
user() { gdrt-as-user "$@"; }
other_net() { unshare -n "$@"; }
# "root" of a user namespace that a user made, in that user's network namespace, or in the initial one
user_root_net() { gdrt-as-user unshare -U -r -n "$@"; }
user_root() { gdrt-as-user unshare -U -r "$@"; }
# as before, but made by root
root_root_net() { unshare -U -r -n "$@"; }

# hear WHO: starts a listener
hear()
{
	hear_who=$1
	rm -f "/tmp/$hear_who"
	$hear_who gdrt-nl -t 2 events >"/tmp/$hear_who" 2>&1 &
	eval "LISTENER_$hear_who=$!"
}

# heard WHO: waits for its end; what it heard is in HEARD
heard()
{
	eval "wait \$LISTENER_$1"
	HEARD=$(cat "/tmp/$1")
}

# started FILE: the listener has joined or was refused
started()
{
	grep -q . "$1"
}

plan 38
# shellcheck disable=SC2119 # no parameters
bench_up
A=$(hca_name 0)
holder h
must h buffer "$MIB"
must h reg 0 "$A"
PID=$(holder_pid h)
WHOLE=$(aggregates init_net)
has "the aggregates of the scene" "$WHOLE" " attachments=1 mapped=1 pinned=1"

# ---- requests
for who in user other_net user_root_net user_root root_root_net; do
	is "$who: the aggregates are the same" "$(aggregates $who)" "$WHOLE"
done
RECORDS=$(gdrt-nl dump attachment)
has "root sees the attachment and its process" "$RECORDS" " pid=$PID "
is "root in another network namespace as well" "$(other_net gdrt-nl dump attachment)" "$RECORDS"
is "and by its id" "$(other_net gdrt-nl "do" attachment id=1)" "$RECORDS"
for who in user user_root_net user_root root_root_net; do
	is "$who: no list of attachments" "$($who gdrt-nl dump attachment)" "$REFUSED"
	is "$who: nor one of them" "$($who gdrt-nl "do" attachment id=1)" "$REFUSED"
	is "$who: nor whether there is one" "$($who gdrt-nl "do" attachment id=999)" "$REFUSED"
done
is "sysfs in another network namespace" "$(other_net cat $GT/attachments)" 1

# ---- events
for who in init_net user other_net user_root_net user_root root_root_net; do hear $who; done
for who in init_net user other_net user_root_net user_root root_root_net; do
	wait_for 10 started "/tmp/$who" || bail "no listener as $who"
done
must h reg 0 "$A"
must h dereg 1
heard init_net
has "root in the initial network namespace hears the attach" "$HEARD" "event-op=attach"
has "and the detach" "$HEARD" "event-op=detach"
has "and of whom" "$HEARD" "pid=$PID "
heard other_net
is "root in another network namespace hears nothing" "$HEARD" \
	"joined
events 0 gaps 0 overruns 0"
heard user
is "user: may not listen" "$HEARD" "errno 1"
heard user_root
is "user_root: may not listen to the initial network namespace" "$HEARD" "errno 1"
# The kernel lets root of a network namespace join there; no event is sent to it.
for who in user_root_net root_root_net; do
	heard $who
	case $HEARD in
	"errno 1" | "joined
events 0 gaps 0 overruns 0") pass "$who: hears nothing" ;;
	*) diag "$HEARD"; fail "$who: hears nothing" ;;
	esac
done

# ---- pid namespaces
is "from a pid namespace that does not have it, the process has no pid" \
	"$(unshare -p -f gdrt-nl dump attachment)" "$(echo "$RECORDS" | sed "s/ pid=$PID / /")"
has "nor can it be asked for" "$(unshare -p -f gdrt-nl dump attachment pid="$PID")" \
	"errno 0 messages 0 "
has "nor as pid 0" "$(unshare -p -f gdrt-nl dump attachment pid=0)" "errno 0 messages 0 "
rm -f /tmp/n.in /tmp/n.out
mkfifo /tmp/n.in /tmp/n.out
unshare -p -f gdrt-reg /tmp/n.in /tmp/n.out &
PID_n=$!
must n buffer "$MIB"
must n reg 0 "$A"
INSIDE=$(cat "/proc/$PID_n/task/$PID_n/children")
INSIDE=${INSIDE% }
text=$(gdrt-nl dump attachment)
has "seen from outside: its pid there" "$text" " pid=$INSIDE comm=gdrt-reg "
is "seen from its namespace: its pid there, and no other" \
	"$(nsenter -t "$INSIDE" -p gdrt-nl dump attachment | grep -o ' pid=[0-9]*')" " pid=1"
is "where it can be asked for" "$(nsenter -t "$INSIDE" -p gdrt-nl dump attachment pid=1 |
	tail -n 1)" "errno 0 messages 1 interrupted 0 extack "
hear init_net
wait_for 10 started /tmp/init_net
must n reg 0 "$A"
heard init_net
has "an event has the pid of the initial namespace" "$HEARD" " pid=$INSIDE comm=gdrt-reg "
holder_quit n
holder_quit h
compare "all gone" attachments=0 buffers=0
finish
