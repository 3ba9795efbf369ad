#!/usr/bin/env python3
"""Files that hdf5_make writes are as libhdf5's own for libhdf5: h5py reads them, changes them, and reads what it made of them.

Of each: links are added until they are dense, and more; a third is deleted, until a few are left; attributes likewise; objects are
renamed; small ones go, large ones come. After each step all is as it should be, which the reader sees alike (compare.py).

usage: change_written.py HDF5_MAKE HDF5_DUMP      ends with `N passed, N failed`
"""
import os, shutil, subprocess, sys, tempfile

import h5py
import numpy as np
from h5py import h5, h5a, h5g, h5s, h5t

here = os.path.dirname(os.path.abspath(__file__))
LARGE = ("links25000.h5", "attributes20000.h5", "netcdf5000.h5")  # compare.py takes minutes
UNCHANGED = ("attributes20000.h5",)                               # libhdf5 takes minutes
UNREADABLE = ("foreign.h5",)                                      # it has a filter of 32015


def attributes(o):
    """Names and bytes. Elements of variable length lie elsewhere afterwards: compare.py has their values."""
    out = {}
    names = []
    h5a.iterate(o, lambda n: names.append(n))
    for name in names:
        a = h5a.open(o, name)
        t, s = a.get_type(), a.get_space()
        value = None
        if s.get_simple_extent_type() != h5s.NULL and not t.detect_class(h5t.VLEN) and not (t.get_class() == h5t.STRING and t.is_variable_str()):
            value = np.zeros(s.shape, "V%d" % t.get_size())
            if value.size:
                a.read(value, t)
            value = value.tobytes()
        out[a.name] = value
    return out


def ordered(g):
    names = []
    g.links.iterate(lambda n: names.append(n), idx_type=h5.INDEX_CRT_ORDER, order=h5.ITER_INC)
    return names


class Change:
    """A group of a file: what it should have, beside what it has."""

    def __init__(self, path, where):
        self.path, self.where, self.bad, self.added = path, where, [], 0
        with h5py.File(path, "r") as f:
            self.links, self.attributes = ordered(f[where].id), attributes(f[where].id)

    def step(self, what, function):
        with h5py.File(self.path, "r+") as f:
            function(f[self.where].id)
        with h5py.File(self.path, "r") as f:
            g = f[self.where].id
            if ordered(g) != self.links:
                self.bad.append("%s: the links are others" % what)
            if sorted(g) != sorted(self.links):
                self.bad.append("%s: links by name are others" % what)
            if attributes(g) != self.attributes:
                self.bad.append("%s: the attributes are others" % what)

    def add_links(self, n):
        def add(g):
            for i in range(n):
                name = b"added %d" % self.added
                self.added += 1
                if i % 3 == 0:
                    h5g.create(g, name, gcpl=tracked())
                else:
                    g.links.create_soft(name, b"/nowhere")
                self.links.append(name)
        self.step("%d links added" % n, add)

    def delete_links(self, which):
        def delete(g):
            for name in which(self.links):
                g.unlink(name)
                self.links.remove(name)
        self.step("links deleted", delete)

    def rename_links(self):
        def rename(g):
            for name in self.links[::3]:
                g.links.move(name, g, b"new " + name)
                self.links.remove(name)
                self.links.append(b"new " + name)
        before = list(self.links)
        self.step("links renamed", rename)
        # A link that is moved has the next number in some versions, and its old one in others.
        if self.bad and self.bad[-1].endswith("the links are others"):
            self.bad.pop()
            with h5py.File(self.path, "r") as f:
                self.links = ordered(f[self.where].id)
            if sorted(self.links) != sorted(b"new " + n if i % 3 == 0 else n for i, n in enumerate(before)):
                self.bad.append("links are lost by renaming")

    def add_attributes(self, n, size=12):
        def add(g):
            for _ in range(n):
                name, value = b"added %d" % self.added, np.arange(size, dtype="u1")
                self.added += 1
                a = h5a.create(g, name, h5t.STD_U8LE, h5s.create_simple((size,)))
                a.write(value)
                self.attributes[name] = value.tobytes()
        self.step("%d attributes added" % n, add)

    def delete_attributes(self, which):
        def delete(g):
            for name in which(sorted(self.attributes)):
                h5a.delete(g, name)
                del self.attributes[name]
        self.step("attributes deleted", delete)


def tracked():
    p = h5py.h5p.create(h5py.h5p.GROUP_CREATE)
    p.set_link_creation_order(h5py.h5p.CRT_ORDER_TRACKED | h5py.h5p.CRT_ORDER_INDEXED)
    p.set_attr_creation_order(h5py.h5p.CRT_ORDER_TRACKED | h5py.h5p.CRT_ORDER_INDEXED)
    return p


def change(path, where):
    c = Change(path, where)
    many = len(c.links) > 1000 or len(c.attributes) > 1000
    c.add_links(3)
    c.add_links(2000 if many else 20)
    c.delete_links(lambda v: v[::3])
    c.rename_links() if not many else None
    c.add_links(500)
    c.delete_links(lambda v: v[4:])
    c.add_links(30)
    c.add_attributes(1)
    c.add_attributes(3000 if many else 12)
    c.add_attributes(3, 5000)
    c.delete_attributes(lambda v: v[::3])
    c.add_attributes(1, 60000)
    c.delete_attributes(lambda v: v[3:])
    c.add_attributes(9)
    return c.bad


def run(*args):
    return subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")


def look(paths, dump):
    """The reader and h5py see the same; the tools of libhdf5, which may be another version, read all. What is bad, by path."""
    bad = {p: [] for p in paths}
    small = [p for p in paths if not p.endswith(LARGE)]
    r = run(sys.executable, os.path.join(here, "compare.py"), dump, *small)
    for line in [x for x in r.stdout.splitlines() if not x.startswith("ok")]:
        for p in small:
            if os.path.basename(p) in line:
                bad[p].append("compare.py: " + line)
    if r.returncode:
        bad[small[0]].append("compare.py: " + r.stdout[-400:])
    for tool in [t for t in ("h5dump", "h5stat") if shutil.which(t)]:
        for p in paths:
            r = run(tool, p)
            if r.returncode or "error" in r.stdout.lower():
                bad[p].append("%s: %s" % (tool, r.stdout[-400:]))
    return bad


def change_file(path):
    with h5py.File(path, "r") as f:
        groups = [n for n in ("g1/g1", "g1", "many") if n in f] + ["/"]
    return ["%s: %s" % (where, b) for where in groups for b in change(path, where)]


def main():
    with tempfile.TemporaryDirectory() as folder:
        made = run(sys.argv[1], folder)
        if made.returncode:
            print("FAILED hdf5_make: %s\n0 passed, 1 failed" % made.stdout)
            return 1
        paths = [os.path.join(folder, n) for n in sorted(os.listdir(folder))]
        readable = [p for p in paths if not p.endswith(UNREADABLE)]
        bad = look(readable, sys.argv[2])
        changed = {p: change_file(p) for p in paths if not p.endswith(UNCHANGED)}
        again = look([p for p in readable if p in changed], sys.argv[2])
    failed = 0
    for p in paths:
        all_bad = bad.get(p, []) + changed.get(p, []) + ["changed: " + b for b in again.get(p, [])]
        failed += bool(all_bad)
        for b in all_bad:
            print("FAILED %s: %s" % (os.path.basename(p), b))
    print("%d passed, %d failed" % (len(paths) - failed, failed))
    return failed > 0


sys.exit(main())
