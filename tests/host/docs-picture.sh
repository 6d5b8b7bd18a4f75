# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# The picture of the architecture in README.md and Documentation/index.rst. After check.sh.

# picture FILE: from the application to the monitoring agents, without indentation
picture()
{
	sed -n '/^ *application --/,/monitoring agents$/s/^ *//p' "$1"
}

# patterns FILE: what the picture names below kmod/ and tools/gdrctl/, a line each
patterns()
{
	picture "$1" | awk '
		/^kmod\// { dir = "kmod/" }
		/tools\/gdrctl\// { dir = "tools/gdrctl/" }
		dir {
			for (i = 1; i <= NF; i++)
				if ($i ~ /^[A-Za-z0-9_*]+(\.[ch*]|\/)$/ || $i ~ /^[A-Za-z0-9_]+\*$/ || $i == "Makefile")
					if ($i != dir) print dir $i
		}'
}

# Sources of the module and the tool, without what is built
pictured_files()
{
	find kmod tools/gdrctl -type f ! -name '*.o' ! -name '*.ko' ! -name '*.mod' ! -name '*.mod.c' \
		! -name '.*' ! -name Module.symvers ! -name modules.order | sort
}

# unpictured PATTERNS < file names: prints the files that no pattern has, and the patterns that have
# no file. A pattern that ends in "/" has all below it; a "*" goes no deeper.
unpictured()
{
	awk '
		FNR == NR {
			re = $0
			gsub(/[.]/, "[.]", re)
			gsub(/[*]/, "[^/]*", re)
			p[$0] = "^" re (re ~ /\/$/ ? "" : "$")
			next
		}
		{ hit = 0; for (k in p) if ($0 ~ p[k]) { used[k] = hit = 1 } }
		!hit { print "not in the picture: " $0 }
		END { for (k in p) if (!(k in used)) print "in the picture, and no file: " k }' "$1" -
}
