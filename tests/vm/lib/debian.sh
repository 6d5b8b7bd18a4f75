# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
debian_image() { return 1; }
