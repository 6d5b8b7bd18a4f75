#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Every example in gdrctl's man pages, where there is something for it to show: it has to end with
# exit code 0, or that of a comment `.\" exit CODE` on the line before its .EX, and to print something.
# Lines of the page below a command are what it prints: it has to print lines that begin so.
# In the Debian root.
# shellcheck source=tests/lib/ktap.sh
. /gdrt/tests/lib/ktap.sh
# shellcheck source=tests/lib/bench.sh
. /gdrt/tests/lib/bench.sh
# shellcheck source=tests/lib/scene.sh
. /gdrt/tests/lib/scene.sh

MAN=/gdrt/man

# A line an example: PAGE <tab> CODE <tab> LINE. A line of output has "-" for the code.
extract()
{
	awk -v OFS='\t' '
		FNR == 1 { page = FILENAME; sub(/.*\//, "", page); on = 0; code = 0 }
		/^\.SH/ { on = $2 == "EXAMPLES" }
		/^\.\\" exit [0-9]$/ { code = $3 }
		/^\.EE/ { inside = 0; code = 0 }
		inside {
			gsub(/\\-/, "-"); gsub(/\\\(aq/, "\047"); gsub(/\\\(dq/, "\""); gsub(/\\&/, "")
			gsub(/\\f[BIRP]/, ""); gsub(/\\e/, "\\")
			command = /^([$#] )?(sudo )?gdrctl/
			sub(/^[$#] /, "")
			sub(/^sudo /, "")
			# The first line of a block is a command, whatever it is.
			print page, command || first ? code : "-", $0
			first = 0
		}
		/^\.EX/ { inside = on; first = 1 }
	' "$MAN"/*.8
}

# The machine of the pages is another one: its devices and cgroups are those of the scene here.
here()
{
	sed "s/\(0000:\)\{0,1\}41:00\.0/$G0/g; s/\(0000:\)\{0,1\}81:00\.0/$H0/g
		s,/system\.slice,/kubepods,g"
}

# And it has had a failure more.
no_bar1()
{
	holder_of gdrt-fail e
	must e buffer 4096
	switch map_errno 12
	must e reg "$N0" buffer=0
	switch map_errno 0
	holder_quit e
}

# begins LINE: a line of the output begins with the first word of LINE
begins()
{
	awk -v word="${1%% *}" '$1 == word { found = 1 } END { exit !found }' /tmp/example.out
}

run()
{
	run_code=$1 run_line=$2

	# What an example reads there has to be.
	for run_f in $run_line; do
		case $run_f in *.json) [ -e "$run_f" ] || gdrctl snapshot save "$run_f" || return ;; esac
	done
	timeout 100 sh -c "$run_line" </dev/null >/tmp/example.out 2>/tmp/example.err
	run_rc=$?
	if [ "$run_rc" != "$run_code" ]; then
		echo "exit code $run_rc, not $run_code"
		tail -n 5 /tmp/example.out
		cat /tmp/example.err
		return 1
	fi
	# A command that writes a file says nothing.
	[ -s /tmp/example.out ] || [ -s "${run_line##* }" ] || { echo "it printed nothing"; return 1; }
	! grep -q '^No .* matches\.$' /tmp/example.out || { echo "it found nothing:"; cat /tmp/example.out; return 1; }
}

extract >/tmp/examples
pages()
{
	rc=0
	for f in "$MAN"/*.8; do
		grep -q "^${f##*/}	[0-9]" /tmp/examples || { echo "${f##*/} has no example"; rc=1; }
	done
	return "$rc"
}

plan $((2 + $(wc -l </tmp/examples)))
bench_down
# shellcheck disable=SC2119 # no parameters
bench_up
for m in udmabuf system_heap; do
	modprobe -q $m
done
scene_up
scene_failures
no_bar1
check "the scene is there" wait_for 30 orphaned 2
cd /tmp || bail "no /tmp"
check "each page has an example" pages
while IFS='	' read -r page code line; do
	line=$(echo "$line" | here)
	if [ "$code" = - ]; then
		check "$page: prints ${line%% *}" begins "$line"
	else
		check "$page: $line" run "$code" "$line"
	fi
done </tmp/examples
finish
