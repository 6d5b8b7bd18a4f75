# SPDX-License-Identifier: GPL-2.0
# Reads the netlink specification and prints, with names in capitals as the
# kernel's are:
#	attr SET_NAME TYPE NUMBER
#	op NUMBER NAME [do] [dump] [admin-perm]
#	request OP SET_NAME TYPE	attributes of requests, do and dump together
#	reply OP NAME			attributes of replies, or of an event; NAME as it is
#	group NAME
# It knows no YAML, only how this file is indented.

function upper(s)
{
	gsub(/-/, "_", s)
	return toupper(s)
}

function flush(	i)
{
	if (op == "")
		return
	if (mode[op] !~ /event/)
		print "op", number, upper(op) mode[op] flags
	for (i = 1; i <= requests; i++)
		print "request", upper(op), upper(set "-" request[i]), type[set, request[i]]
	op = flags = ""
	requests = 0
}

{ match($0, /^ */); depth = RLENGTH }
depth == 0 && /^[a-z]/ { section = $1; flush() }

section == "attribute-sets:" && depth == 4 && $1 == "name:" { at = $2; n = 0 }
section == "attribute-sets:" && depth == 8 && $1 == "name:" { name = $2; n++ }
section == "attribute-sets:" && depth == 8 && $1 == "type:" {
	type[at, name] = $2
	print "attr", upper(at "-" name), $2, n
}

section == "operations:" && depth == 6 && $1 == "name:" { flush(); op = $2; number++; part = "" }
section == "operations:" && depth == 6 && $1 == "attribute-set:" { set = $2 }
section == "operations:" && depth == 6 && $1 == "flags:" { gsub(/[][,]/, " "); $1 = ""; flags = " " $2 }
section == "operations:" && depth == 6 && $1 ~ /^(do|dump|event):$/ {
	mode[op] = mode[op] " " substr($1, 1, length($1) - 1)
	part = ($1 == "event:") ? "reply:" : ""
}
section == "operations:" && depth == 8 && $1 ~ /^(request|reply):$/ { part = $1 }
section == "operations:" && depth >= 10 && $1 == "-" && part == "request:" && !seen[op, $2]++ { request[++requests] = $2 }
section == "operations:" && depth >= 10 && $1 == "-" && part == "reply:" { print "reply", upper(op), $2 }

section == "mcast-groups:" && depth == 6 && $1 == "name:" { print "group", $2 }
END { flush() }
