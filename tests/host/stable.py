#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Prints what programs may rely on, as the tree in the current directory has it, a line each:
KEY, a tab, and what of it may not change. The one argument is the name of an interface."""
import glob
import json
import re
import sys

import yaml

MAN = "tools/gdrctl/man/gdrctl-"


def text_of(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def netlink():
    spec = yaml.safe_load(text_of("Documentation/netlink/specs/gdr-telemetry.yaml"))
    yield "family", f"{spec['name']} version {spec.get('version', 1)}"
    for d in spec["definitions"]:
        number = d.get("value-start", 0)
        for e in d["entries"]:
            number = e.get("value", number)
            yield f"{d['type']} {d['name']} {e['name']}", \
                1 << number if d["type"] == "flags" else number
            number += 1
    for s in spec["attribute-sets"]:
        number = 1
        for a in s["attributes"]:
            number = a.get("value", number)
            more = [f"{k} {a[k]}" for k in ("enum", "nested-attributes", "byte-order") if k in a]
            more += [k for k in ("enum-as-flags", "multi-attr") if a.get(k)]
            yield f"attribute {s['name']} {a['name']}", " ".join([str(number), a["type"]] + more)
            number += 1
    number = 1
    for o in spec["operations"]["list"]:
        number = o.get("value", number)
        yield f"operation {o['name']}", \
            " ".join([str(number), "of", o["attribute-set"]] + o.get("flags", []))
        number += 1
        for m in ("do", "dump", "event"):
            if m not in o:
                continue
            yield f"operation {o['name']} {m}", "yes"
            for part in ("request", "reply"):
                has = o[m] if m == "event" and part == "reply" else o[m].get(part)
                for name in has["attributes"] if has else []:
                    yield f"{part} {o['name']} {m} {name}", "yes"
    for g in spec["mcast-groups"]["list"]:
        yield f"group {g['name']}", "yes"


UNITS = ("bytes", "pages", "seconds", "ns")
WORDS = ("version", "track", "ibdev", "driver")


def sysfs_file(name, text):
    """Kind, unit and mode of a file. Its name and its text have to agree on the unit."""
    parts = name.split("_")
    unit = [u for u in UNITS if u in parts]
    said = re.match(r"(Bytes|Pages|Seconds|Nanoseconds)\b", text)
    if said and said.group(1).lower() not in [u.replace("ns", "nanoseconds") for u in unit]:
        unit = [f"{said.group(1)} by its text, not by its name"]
    kind = "word" if name in WORDS else "counter" if parts[-1] == "total" else "gauge"
    return " ".join([kind] + unit + ["root"] * ("by root only" in text) +
                    ["writable"] * bool(re.search(r"\bRoot may write\b", text)))


def sysfs():
    entries, whats, text = [], [], ""
    for line in text_of("Documentation/ABI/testing/sysfs-kernel-gdr_telemetry").split("\n") + ["What:"]:
        if line.startswith("What:"):
            if text:
                entries += [(w, " ".join(text.split())) for w in whats]
                whats, text = [], ""
            whats.append(line[5:].strip())
        elif line.startswith("Description:"):
            text = line[12:]
        elif text and not line.startswith("Users:"):
            text += line
    for path, text in entries:
        inner = any(p.startswith(path + "/") for p, _ in entries)
        yield path, "directory" if inner else sysfs_file(path.split("/")[-1], text)


def json_type(v):
    return {bool: "boolean", int: "integer", float: "number", str: "string", list: "array",
            dict: "object", type(None): "null"}[type(v)]


def json_walk(v, path, found):
    found.setdefault(path, set()).add(json_type(v))
    if isinstance(v, dict):
        for k, x in v.items():
            json_walk(x, f"{path}.{k}", found)
    elif isinstance(v, list):
        for x in v:
            json_walk(x, path + "[]", found)


def man_keys(page):
    """The words in the tags of the section JSON, and the keys of a file that a page describes."""
    on = tag = False
    for line in text_of(page).split("\n"):
        if line.startswith((".SH", ".SS")):
            on = line[4:] == "JSON"
        elif on and tag:
            words = re.split(r' ", " ', line.split(" ", 1)[-1])
            yield from (w for w in words if re.fullmatch(r"[a-z][a-z0-9_]*", w))
        tag = line == ".TP"


def json_keys():
    found = {}
    for f in sorted(glob.glob("tools/gdrctl/test/golden/*.json") + glob.glob("tests/host/golden/*.json") +
                    ["tools/gdrctl/test/golden/snapshot.saved"]):
        # What differs each time stands there as a word in capitals.
        text = re.sub(r"(: |, |\[\s*)[A-Z]{2,}\b", r"\g<1>0", text_of(f))
        name = re.match(r"failure-log|owner-cgroup|snapshot\.saved|[a-z]+", f.split("/")[-1])
        json_walk(json.loads(text), name.group(), found)
    for key, types in found.items():
        # Whole numbers are a promise, which one fraction ends.
        yield key, " ".join(sorted(types - ({"integer"} if "number" in types else set())))
    for page in sorted(glob.glob(MAN + "*.8")):
        for key in sorted(set(man_keys(page))):
            yield f"page {page[len(MAN):-2]} {key}", "described"


def metrics():
    kind, labels = {}, {}
    for f in ("tools/gdrctl/test/golden/metrics.prom", "tests/host/golden/metrics.prom"):
        for line in text_of(f).split("\n"):
            if line.startswith("# TYPE "):
                _, _, name, kind[name] = line.split(" ")
            elif line and not line.startswith("#"):
                name, has = re.match(r"([a-z0-9_]+)(?:\{(.*)\})? ", line).groups()
                labels.setdefault(name, set()).update(re.findall(r'([a-z_]+)="(?:[^"\\]|\\.)*"', has or ""))
    for name in labels:
        family = name if name in kind else re.sub(r"_(bucket|sum|count)$", "", name)
        yield name, " ".join([kind[family]] + sorted(labels[name]))


def exit_codes():
    codes = re.search(r"^enum exit_code \{\n(.*?)^\};", text_of("tools/gdrctl/gdrctl.h"), re.M | re.S)
    for name, number in re.findall(r"EXIT_([A-Z]+) = (\d+),", codes.group(1)):
        yield number, name.lower()


for k, v in {"netlink": netlink, "sysfs": sysfs, "json": json_keys, "metrics": metrics,
             "exit-codes": exit_codes}[sys.argv[1]]():
    print(f"{k}\t{v}")
