# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Completion of gdrctl. The tool itself knows its words, so that this file never falls behind.

_gdrctl()
{
	local words=("${COMP_WORDS[@]:1:COMP_CWORD}")

	mapfile -t COMPREPLY < <("${COMP_WORDS[0]}" --complete "${words[@]}" 2>/dev/null)
}
# Where it offers nothing, as for a path, the shell offers files.
complete -o default -F _gdrctl gdrctl
