# SPDX-License-Identifier: GPL-2.0
# Reads files of Documentation/ABI and prints a line for each path in them:
#	root|all PATH
# "root" if the text of the entry says "by root only".

function flush(	i)
{
	for (i = 1; i <= n; i++)
		print (text ~ /by root only/ ? "root" : "all"), whats[i]
	n = 0
	text = ""
}

FNR == 1 || /^$/ { blank = 1 }
/^What:/ {
	if (blank)
		flush()
	blank = 0
	whats[++n] = $2
	next
}
# A blank line within a text is none between entries: those begin with What.
{ text = text " " $0; gsub(/[ \t]+/, " ", text) }
END { flush() }
