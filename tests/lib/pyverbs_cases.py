#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
Does with pyverbs what the jobs of "gdrctl test" did, and compares what came out.

usage: pyverbs_cases.py CASES JOBS [whole]

CASES is what "gdrctl -j test list" says, JOBS what "gdrctl -j test" says. Prints a line for each
comparison: "pass NAME", or "fail NAME: WHY". With "whole" no job may have been skipped.
"""
import ctypes
import errno
import fcntl
import json
import mmap
import os
import signal
import struct
import sys
import time

import pyverbs.enums as e
from pyverbs.addr import AHAttr
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR, DmaBufMR
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsRDMAError
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import SGE, SendWR

PAGE = mmap.PAGESIZE
USUAL = 256 << 10
SMALL = 64 << 10
LARGEST = 64 << 20
MOVED = 1 << 20
GUARD = 64
LW = int(e.IBV_ACCESS_LOCAL_WRITE)
RR = int(e.IBV_ACCESS_REMOTE_READ)
RW = int(e.IBV_ACCESS_REMOTE_WRITE)
ATOMIC = int(e.IBV_ACCESS_REMOTE_ATOMIC)
RELAXED = int(e.IBV_ACCESS_RELAXED_ORDERING)
ON_DEMAND = int(e.IBV_ACCESS_ON_DEMAND)
ACCESS = LW | RR | RW
WRITE = e.IBV_WR_RDMA_WRITE
READ = e.IBV_WR_RDMA_READ

# _IOWR('G', 1, struct gdrt_export), tests/kmod/gdrt_exporter.h
EXPORT = 3 << 30 | 40 << 16 | ord('G') << 8 | 1


class Failed(Exception):
    """What a step of the test itself saw: "data" or "completion"."""


class Buffer:
    """A dma-buf of the exporter double."""

    def __init__(self, gpu, size):
        self.size = size
        with open('/dev/gdrt_exporter', 'r+b', buffering=0) as dev:
            arg = bytearray(struct.pack('=QIIiIQQ', size, gpus().index(gpu), 0, 0, 0, 0, 0))
            fcntl.ioctl(dev, EXPORT, arg)
        _, _, _, self.fd, _, _, self.at = struct.unpack('=QIIiIQQ', arg)
        self.gpu = gpu

    def view(self):
        fd = os.open(f'/sys/bus/pci/devices/{self.gpu}/resource1', os.O_RDWR)
        try:
            return mmap.mmap(fd, self.size, offset=self.at)
        finally:
            os.close(fd)

    def write(self, data):
        with self.view() as v:
            v[:len(data)] = data

    def read(self, size):
        with self.view() as v:
            return v[:size]

    def close(self):
        if self.fd >= 0:
            os.close(self.fd)
        self.fd = -1

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def gpus():
    with open('/sys/kernel/debug/gdrt_exporter/gpus', encoding='ascii') as f:
        return [line.split()[3] for line in f if line.startswith('gpu ')]


class Hca:
    """An HCA, with a loop of two queue pairs where one is wanted."""

    def __init__(self, name, loop=False):
        self.ctx = Context(name=name)
        self.pd = PD(self.ctx)
        self.qp = []
        if loop:
            self.connect()

    def connect(self):
        self.cq = CQ(self.ctx, 16, None, None, 0)
        init = QPInitAttr(qp_type=e.IBV_QPT_RC, scq=self.cq, rcq=self.cq, cap=QPCap())
        attr = QPAttr(port_num=1)
        attr.qp_access_flags = ACCESS
        self.qp = [QP(self.pd, init, attr) for _ in range(2)]
        lid = self.ctx.query_port(1).lid
        for qp, peer in zip(self.qp, reversed(self.qp)):
            attr = QPAttr(port_num=1)
            attr.qp_access_flags = ACCESS
            attr.path_mtu = e.IBV_MTU_1024
            attr.max_dest_rd_atomic = attr.max_rd_atomic = 1
            attr.min_rnr_timer = 12
            attr.timeout = 14
            attr.retry_cnt = attr.rnr_retry = 7
            attr.ah_attr = AHAttr(port_num=1, dlid=lid)
            attr.dest_qp_num = peer.qp_num
            qp.to_rts(attr)

    def move(self, op, local, remote, size):
        """One work request of @size bytes, GUARD bytes into both sides."""
        wr = SendWR(opcode=op, num_sge=1,
                    sg=[SGE(local.address + GUARD, size, local.mr.lkey)])
        wr.set_wr_rdma(remote.mr.rkey, remote.address + GUARD)
        self.qp[0].post_send(wr)
        end = time.monotonic() + 20
        while time.monotonic() < end:
            n, done = self.cq.poll(1)
            if n:
                if done[0].status != e.IBV_WC_SUCCESS:
                    raise Failed('completion')
                return
        raise Failed('completion')

    def close(self):
        self.ctx.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Side:
    """Memory and its MR: of a GPU, or of the host."""

    def __init__(self, hca, gpu, more=0, buffer=None):
        self.buffer = buffer or (Buffer(gpu, MOVED) if gpu else None)
        if self.buffer:
            self.mr = DmaBufMR(hca.pd, MOVED, ACCESS | more, dmabuf=self.buffer.fd)
            self.address = 0
        else:
            self.mr = MR(hca.pd, MOVED, ACCESS)
            self.address = self.mr.buf

    def write(self, data):
        if self.buffer:
            self.buffer.write(data)
        else:
            self.mr.write(data, len(data))

    def read(self):
        return self.buffer.read(MOVED) if self.buffer else self.mr.read(MOVED, 0)

    def close(self):
        self.mr.close()
        if self.buffer:
            self.buffer.close()


def pattern(seed):
    word = struct.Struct('=Q')
    return b''.join(word.pack((seed << 48 | i) * 0x9e3779b97f4a7c15 & (1 << 64) - 1)
                    for i in range(MOVED // 8))


def pattern_of(seed, known={}):
    if seed not in known:
        known[seed] = pattern(seed)
    return known[seed]


def move_and_compare(hca, op, local, remote):
    source, to = (remote, local) if op == READ else (local, remote)
    sent, kept = pattern_of(1), pattern_of(2)

    source.write(sent)
    to.write(kept)
    hca.move(op, local, remote, MOVED - 2 * GUARD)
    if to.read() != kept[:GUARD] + sent[GUARD:-GUARD] + kept[-GUARD:] or source.read() != sent:
        raise Failed('data')


def transfer(job, op, local, remote, more=0):
    with Hca(job['hca'], loop=True) as hca:
        a = Side(hca, local, more)
        b = Side(hca, remote, more)
        move_and_compare(hca, op, a, b)
        a.close()
        b.close()


def refused(job, make):
    """The errno of a registration that has to fail; None if it does not."""
    with Hca(job['hca']) as hca:
        try:
            make(hca).close()
        except PyverbsRDMAError as ex:
            return ex.error_code
    return None


def capability(job):
    return refused(job, lambda h: DmaBufMR(h.pd, PAGE, LW, dmabuf=-1))


def closed_fd():
    fd = os.dup(2)
    os.close(fd)
    return fd


def wrong_file(job):
    fds = os.pipe()
    seen = refused(job, lambda h: DmaBufMR(h.pd, PAGE, ACCESS, dmabuf=fds[0]))
    for fd in fds:
        os.close(fd)
    return seen


def wrong_buffer(job, length, access, offset=0):
    with Buffer(job['gpu'], SMALL) as b:
        return refused(job, lambda h: DmaBufMR(h.pd, length, access, dmabuf=b.fd, offset=offset))


def registered(job, ranges):
    """Ranges of a buffer, (offset, length, access), one after the other."""
    with Buffer(job['gpu'], USUAL) as b, Hca(job['hca']) as hca:
        for offset, length, access in ranges:
            DmaBufMR(hca.pd, length, access, dmabuf=b.fd, offset=offset).close()


def sizes(job):
    size = PAGE
    with Hca(job['hca']) as hca:
        while size <= LARGEST:
            with Buffer(job['gpu'], size) as b:
                DmaBufMR(hca.pd, size, ACCESS, dmabuf=b.fd).close()
            size *= 4


def many_mrs(job):
    with Buffer(job['gpu'], PAGE) as b, Hca(job['hca']) as hca:
        mrs = [DmaBufMR(hca.pd, PAGE, ACCESS, dmabuf=b.fd) for _ in range(64)]
        for mr in mrs:
            mr.close()


def many_buffers(job):
    with Hca(job['hca']) as hca:
        buffers = [Buffer(job['gpu'], PAGE) for _ in range(32)]
        mrs = [DmaBufMR(hca.pd, PAGE, ACCESS, dmabuf=b.fd) for b in buffers]
        for mr, b in zip(mrs, buffers):
            mr.close()
            b.close()


def fd_closed(job):
    with Buffer(job['gpu'], SMALL) as b, Hca(job['hca']) as hca:
        mr = DmaBufMR(hca.pd, SMALL, ACCESS, dmabuf=b.fd)
        b.close()
        if attachments() != 1:
            raise Failed('record')
        mr.close()


def fd_race(job):
    """Python's lock is held during a registration: the thread that closes is none of Python's."""
    libc = ctypes.CDLL(None)
    thread = ctypes.c_ulong()
    with Buffer(job['gpu'], SMALL) as b, Hca(job['hca']) as hca:
        for _ in range(50):
            fd = os.dup(b.fd)
            if libc.pthread_create(ctypes.byref(thread), None, libc.close, ctypes.c_void_p(fd)):
                raise OSError('pthread_create')
            try:
                DmaBufMR(hca.pd, SMALL, ACCESS, dmabuf=fd).close()
            except PyverbsRDMAError as ex:
                if ex.error_code != errno.EBADF:
                    raise
            finally:
                libc.pthread_join(thread, None)


def attachments():
    with open('/sys/kernel/gdr_telemetry/attachments', encoding='ascii') as f:
        return int(f.read())


def killed(job):
    with Buffer(job['gpu'], SMALL) as b:
        ready, tell = os.pipe()
        child = os.fork()
        if not child:
            err = 0
            try:
                hca = Hca(job['hca'])
                mr = DmaBufMR(hca.pd, SMALL, ACCESS, dmabuf=b.fd)
            except PyverbsRDMAError as ex:
                err = ex.error_code
            os.write(tell, struct.pack('=i', err))
            while True:
                signal.pause()
        os.close(tell)
        said = os.read(ready, 4)
        os.close(ready)
        held = attachments()
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        if len(said) != 4 or struct.unpack('=i', said)[0] or held != 1:
            raise Failed('setup')
        end = time.monotonic() + 10
        while attachments() and time.monotonic() < end:
            time.sleep(0.05)
        if attachments():
            raise Failed('record')
        with Hca(job['hca']) as hca:
            DmaBufMR(hca.pd, SMALL, ACCESS, dmabuf=b.fd).close()


def two_hcas(job):
    names = sorted(os.listdir('/sys/class/infiniband'))
    hcas = [Hca(n, loop=True) for n in names]
    with Buffer(job['gpu'], MOVED) as b:
        there = [Side(hca, job['gpu'], buffer=b) for hca in hcas]
        for i, hca in enumerate(hcas):
            k = (i + 1) % len(hcas)
            out, back = Side(hca, None), Side(hcas[k], None)
            out.write(pattern_of(10 + i))
            back.write(pattern_of(5))
            b.write(pattern_of(6))
            hca.move(WRITE, out, there[i], MOVED - 2 * GUARD)
            hcas[k].move(READ, back, there[k], MOVED - 2 * GUARD)
            kept = pattern_of(5)
            if back.read() != kept[:GUARD] + pattern_of(10 + i)[GUARD:-GUARD] + kept[-GUARD:]:
                raise Failed('data')
            out.close()
            back.close()
    for hca in hcas:
        hca.close()


def both(job, local, remote, more=0):
    transfer(job, WRITE, local, remote, more)
    transfer(job, READ, local, remote, more)


# Case: what it is with pyverbs. Those that have to be refused return the errno.
CASES = {
    'capability': capability,
    'control': lambda j: both(j, None, None),
    'wrong-fd': lambda j: refused(
        j, lambda h: DmaBufMR(h.pd, PAGE, ACCESS, dmabuf=closed_fd())),
    'wrong-file': wrong_file,
    'wrong-range': lambda j: wrong_buffer(j, PAGE, ACCESS, 1 << 40),
    'wrong-flags': lambda j: wrong_buffer(j, SMALL, ACCESS | ON_DEMAND),
    'wrong-access': lambda j: wrong_buffer(j, SMALL, RW),
    'register': lambda j: registered(j, [(0, USUAL, ACCESS)]),
    'sizes': sizes,
    'access': lambda j: registered(j, [(0, USUAL, a) for a in (
        0, LW, RR, LW | RR, LW | RW, LW | ATOMIC, ACCESS | ATOMIC, ACCESS | RELAXED)]),
    # At their own address, as DmaBufMR has no other.
    'offsets': lambda j: registered(j, [
        (0, PAGE, ACCESS), (USUAL - PAGE, PAGE, ACCESS), (64, PAGE, ACCESS),
        (USUAL - 192, 128, ACCESS)]),
    'many-mrs': many_mrs,
    'many-buffers': many_buffers,
    'fd-closed': fd_closed,
    'fd-race': fd_race,
    'killed': killed,
    'write': lambda j: transfer(j, WRITE, None, j['gpu']),
    'read': lambda j: transfer(j, READ, None, j['gpu']),
    'write-from': lambda j: transfer(j, WRITE, j['gpu'], None),
    'read-into': lambda j: transfer(j, READ, j['gpu'], None),
    'relaxed': lambda j: both(j, None, j['gpu'], RELAXED),
    'two-hcas': two_hcas,
    'gpu-to-gpu': lambda j: transfer(j, WRITE, j['gpu'], j['target_gpu']),
}

# Case: why there is nothing like it.
NONE = {
    'limit-fds': 'a limit of the process, no registration',
    'limit-memlock': 'a limit of the process, no registration',
    'data-direct': 'a call of mlx5dv that pyverbs has not; the HCA has no such function',
    'wrong-iova': 'DmaBufMR passes its offset for the address, too: the two are always aligned '
                  'alike',
}


def outcome(job):
    """"pass", an errno, or the step that failed; and the errno of what was to be refused."""
    try:
        return 'pass', CASES[job['case']](job)
    except PyverbsRDMAError as ex:
        return ex.error_code, None
    except Failed as ex:
        return str(ex), None


def compare(job):
    name = ' '.join(job[k] for k in ('case', 'hca', 'source', 'target') if job.get(k))
    if job['verdict'] == 'pass':
        theirs = 'pass'
    elif job['stage'] in ('data', 'completion'):
        theirs = job['stage']
    else:
        theirs = job.get('errno')
    ours, seen = outcome(job)
    if ours != theirs:
        print(f'fail {name}: pyverbs {ours}, gdrctl {theirs} ({job["observed"]})')
    elif seen is not None and not job['observed'].startswith(errno.errorcode.get(seen, '?')):
        print(f'fail {name}: pyverbs errno {seen}, gdrctl {job["observed"]}')
    elif ours == 'pass' and seen is None and job['case'].startswith(('wrong-', 'capability')):
        print(f'fail {name}: pyverbs is not refused')
    else:
        print(f'pass {name}: {theirs if seen is None else errno.errorcode[seen]}')


def main():
    with open(sys.argv[1], encoding='ascii') as f:
        cases = [c['case'] for c in json.load(f)]
    with open(sys.argv[2], encoding='utf-8') as f:
        jobs = json.load(f)
    whole = sys.argv[3:] == ['whole']
    gpu = gpus()[0]
    # Not in every build.
    unknown = (set(cases) ^ (set(CASES) | set(NONE))) - {'data-direct'}
    if unknown or set(CASES) & set(NONE):
        print(f'fail each case has its counterpart, or a reason why not: {sorted(unknown)}')
    for job in jobs:
        if job['case'] in NONE:
            continue
        if job['verdict'] == 'skip':
            if whole:
                print(f'fail {job["case"]}: skipped: {job["observed"]}')
            continue
        # Of cases that need some buffer the memory is not told.
        job['gpu'] = job.get('gpu') or gpu
        compare(job)
        sys.stdout.flush()
    if whole and {j['case'] for j in jobs} != set(cases):
        print(f'fail every case was run: {sorted(set(cases) - {j["case"] for j in jobs})}')


main()
