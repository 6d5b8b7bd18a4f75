# SPDX-License-Identifier: GPL-2.0
# Sphinx: sphinx-build -W Documentation build/html
import os
import re

with open(os.path.join(os.path.dirname(__file__), "../dkms.conf"), encoding="utf-8") as f:
    release = re.search(r'^PACKAGE_VERSION="(.*)"', f.read(), re.M).group(1)
project = "gdr-telemetry"
html_theme = "alabaster"
html_show_copyright = False
