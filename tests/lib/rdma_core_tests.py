#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
Runs tests of rdma-core, as Debian ships them, and compares which pass with a list.

usage: rdma_core_tests.py LIST DEVICE MODULE...

LIST has a line "TEST | REASON" for each that cannot pass here. Prints a line for each test: "pass
NAME", or "fail NAME: WHY". What is listed and passes is a failure, too.
"""
import gzip
import os
import random
import shutil
import sys
import tempfile
import unittest

SHIPPED = '/usr/share/doc/rdma-core/tests'
SEED = 20261203


def unpack(modules):
    """The tests as a package; without those that are not asked for, which would be loaded, too."""
    where = tempfile.mkdtemp()
    package = os.path.join(where, 'tests')
    os.mkdir(package)
    for name in os.listdir(SHIPPED):
        plain = name[:-3] if name.endswith('.gz') else name
        if plain.startswith('test_') and plain[:-3] not in modules:
            continue
        source = os.path.join(SHIPPED, name)
        opened = gzip.open(source) if name.endswith('.gz') else open(source, 'rb')
        with opened, open(os.path.join(package, plain), 'wb') as to:
            shutil.copyfileobj(opened, to)
    sys.path[:0] = [where, package]
    return where


class Result(unittest.TestResult):
    """What came out of each test, by its name."""

    def __init__(self):
        super().__init__()
        self.seen = {}

    def startTest(self, test):
        super().startTest(test)
        random.seed(SEED)
        self.seen[test.id()] = None

    def addSkip(self, test, reason):
        self.seen[test.id()] = f'skipped: {reason}'

    def addFailure(self, test, err):
        self.seen[test.id()] = f'failed: {err[1]}'

    def addError(self, test, err):
        self.seen[test.id()] = f'{err[0].__name__}: {err[1]}'

    def addSubTest(self, test, subtest, err):
        if err:
            self.seen[test.id()] = f'{err[0].__name__}: {err[1]}'


def read_list(path, modules):
    listed = {}
    with open(path, encoding='utf-8') as f:
        for line in f:
            name, _, reason = line.partition('|')
            if line.startswith('#') or not line.strip():
                continue
            if not reason.strip():
                print(f'fail {name.strip()}: it is listed without a reason')
            if name.strip().split('.')[1] in modules:
                listed[name.strip()] = reason.strip()
    return listed


def main():
    path, device, modules = sys.argv[1], sys.argv[2], sys.argv[3:]
    where = unpack(modules)
    result = Result()

    sys.argv[1:] = ['--dev', device]
    import args_parser
    args_parser.parser.parse_args()
    loader = unittest.TestLoader()
    for m in modules:
        loader.loadTestsFromName(f'tests.{m}').run(result)
    shutil.rmtree(where)

    listed = read_list(path, modules)
    for name, why in result.seen.items():
        first = (why or '').split('\n')[0]
        if why and name not in listed:
            print(f'fail {name}: {first}')
        elif not why and name in listed:
            print(f'fail {name}: it passes, and is listed: {listed[name]}')
        else:
            print(f'pass {name}' + (f' (cannot here: {listed[name]})' if why else ''))
    for name in listed.keys() - result.seen.keys():
        print(f'fail {name}: it is listed, and there is no such test')
    if not result.seen:
        print('fail there are tests')


main()
