# SPDX-License-Identifier: GPL-2.0
# Reads kmod/netlink*.c and prints what the kernel takes, in the words of
# tests/lib/spec.awk:
#	op NAME [do] [dump] [admin-perm]
#	policy SET_NAME TYPE

{ text = text " " $0 }

function next_match(re)
{
	if (!match(text, re))
		return 0
	found = substr(text, RSTART, RLENGTH)
	text = substr(text, RSTART + RLENGTH)
	return 1
}

END {
	gsub(/[ \t]+/, " ", text)
	all = text
	while (next_match("\\[GDR_TELEMETRY_A_[A-Z0-9_]+\\] = ([{] [.]type = |NLA_POLICY_[A-Z_]+[(])NLA_[A-Z0-9_]+")) {
		split(found, w, /[][]/)
		type = found
		sub(/.*NLA_/, "", type)
		sub(/^NUL_/, "", type)
		print "policy", substr(w[2], length("GDR_TELEMETRY_A_") + 1), tolower(type)
	}
	text = all
	while (next_match("[{] [.]cmd = GDR_TELEMETRY_CMD_[^}]*[}]")) {
		split(found, w, /[ ,]+/)
		print "op", substr(w[4], length("GDR_TELEMETRY_CMD_") + 1) \
			(found ~ /\.doit =/ ? " do" : "") (found ~ /\.dumpit =/ ? " dump" : "") \
			(found ~ /GENL_ADMIN_PERM/ ? " admin-perm" : "")
	}
}
