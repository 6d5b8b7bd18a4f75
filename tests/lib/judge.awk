# SPDX-License-Identifier: GPL-2.0
# Judges the KTAP output of one suite:
#	awk -v suite=NAME -v kernel=NAME -v rc=EXIT_CODE -f judge.awk SKIPS OUTPUT
# Prints "PASSED FAILED SKIPPED", then each failure with the diagnostics that
# came before it. EXIT_CODE is "none" if the suite did not end.

function problem(text)
{
	failed++
	report = report "  " text "\n"
}

function trim(s)
{
	sub(/^[ \t]+/, "", s)
	sub(/[ \t]+$/, "", s)
	return s
}

BEGIN {
	plan = -1
}

# SKIPS: TEST | KERNELS | REASON
FNR == NR {
	if (/^#/ || !/\|/)
		next
	split($0, f, /\|/)
	gsub(/[ \t]/, "", f[2])
	if (index("," f[2] ",", "," kernel ",") && index(trim(f[1]), suite ": ") == 1)
		listed[substr(trim(f[1]), length(suite) + 3)] = 1
	next
}

/^1\.\.[0-9]+/ {
	if (plan >= 0)
		problem("printed two plans")
	plan = substr($1, 4) + 0
	next
}

/^Bail out!/ {
	problem($0)
	next
}

/^(not )?ok [0-9]+/ {
	good = $1 == "ok"
	number = good ? $2 : $3
	name = $0
	sub(/^(not )?ok [0-9]+ ?(- )?/, "", name)
	skip = ""
	if (match(name, / # SKIP/)) {
		skip = trim(substr(name, RSTART + 7))
		name = substr(name, 1, RSTART - 1)
	}
	name = trim(name)
	done++
	if (number != done)
		problem("result " number " came where " done " was due: " name)
	seen[name] = 1
	if (!good) {
		bad++
		failed++
		report = report notes "  not ok: " name "\n"
	} else if (skip != "") {
		skips++
		if (name in listed) {
			skipped++
		} else {
			problem("skipped, and not listed in tests/skips.txt: " name " (" skip ")")
		}
	} else if (name in listed) {
		problem("ran, although tests/skips.txt lists it: " name)
	} else {
		passed++
	}
	notes = ""
	n_notes = 0
	next
}

/^#/ {
	if (++n_notes <= 12)
		notes = notes "    " $0 "\n"
}

END {
	if (plan < 0)
		problem("printed no plan")
	else if (done != plan)
		problem("planned " plan " tests, ran " done + 0)
	if (rc == "none")
		problem("did not end")
	else if (rc == 124)
		problem("took too long")
	else if (!bad && done == plan) {
		want = plan > 0 && skips == plan ? 4 : 0
		if (rc != want)
			problem("ended with exit code " rc ", expected " want)
	} else if (bad && rc == 0) {
		problem("ended with exit code 0, although tests failed")
	}
	for (name in listed)
		if (!(name in seen) && done == plan)
			problem("is listed in tests/skips.txt and does not exist: " name)
	printf "%d %d %d\n%s", passed, failed, skipped, report
}
