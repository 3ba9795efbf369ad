#!/usr/bin/env python3
"""nczdump --check --structure: sound files are sound; each kind of fault, put into a file by hand and with its checksum made
anew, is found and named, with status 3; references to nothing are told apart; other files are refused.

usage: structure.py NCZDUMP      ends with `N passed, N failed`
"""
import os, struct, subprocess, sys, tempfile

import h5py, numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from hdf5_sum import lookup3

nczdump = os.path.abspath(sys.argv[1])
done = {True: 0, False: 0}


class File:
    """The bytes of a file, and where structures are in it."""
    def __init__(self, path):
        with open(path, "rb") as f:
            self.b = bytearray(f.read())

    def find(self, what, n=0):
        at = -1
        for _ in range(n + 1):
            at = self.b.index(what, at + 1)
        return at

    def number(self, at, n):
        return int.from_bytes(self.b[at:at + n], "little")

    def put(self, at, n, value):
        self.b[at:at + n] = (value & (1 << 8 * n) - 1).to_bytes(n, "little")

    def add(self, at, n, more):
        self.put(at, n, self.number(at, n) + more)

    def sum(self, at, n):
        """The last 4 of n bytes are the checksum of the others."""
        self.put(at + n - 4, 4, lookup3(bytes(self.b[at:at + n - 4])))

    def header(self, at):
        """Of version 2: messages as (place of its head, type, length), and the size of all."""
        flags = self.b[at + 5]
        p = at + 6 + (16 if flags & 32 else 0) + (4 if flags & 16 else 0)
        width = 1 << (flags & 3)
        n, p = self.number(p, width), p + width
        end, head, found = p + n, 4 + (2 if flags & 4 else 0), []
        while end - p >= head:
            found.append((p, self.b[p], self.number(p + 1, 2)))
            p += head + found[-1][2]
        return found, head, end + 4 - at

    def message(self, at, kind):
        """The data of a message of a header."""
        found, head, size = self.header(at)
        return next(p + head for p, t, _ in found if t == kind), size

    def tree(self, kind):
        """A B-tree of version 2 whose root is a leaf: its header, the leaf, bytes of a record, records."""
        n = 0
        while True:
            at = self.find(b"BTHD", n)
            if self.b[at + 5] == kind:
                return at, self.number(at + 16, 8), self.number(at + 10, 2), self.number(at + 24, 2)
            n += 1


def structure(path):
    r = subprocess.run([nczdump, "--check", "--structure", path], capture_output=True, text=True)
    return r.returncode, r.stdout, r.stderr


def report(what, problem):
    done[not problem] += 1
    if problem:
        print("FAILED %s: %s" % (what, str(problem)[:400]))


def sound(path):
    code, out, err = structure(path)
    report(path, "" if code == 0 and out.endswith(": %d bytes, sound\n" % os.path.getsize(path)) else out + err)


def fault(path, text, change, code=3):
    f = File(path)
    change(f)
    with open("damaged.h5", "wb") as out:
        out.write(f.b)
    got, out, err = structure("damaged.h5")
    report("%s, %s" % (path, text), "" if got == code and text in out + err else "%d %s%s" % (got, out, err))


# ---- files ----

def make_old():
    with h5py.File("old.h5", "w", libver="earliest") as f:
        for i in range(100):
            f.create_group("g%03d" % i)
        f.create_dataset("d", data=np.arange(4000).reshape(40, 100), chunks=(2, 5))
        f.create_dataset("s", data=["one", "two", "three"], dtype=h5py.string_dtype())
        del f["g050"]


def make_new():
    with h5py.File("new.h5", "w", libver=("v108", "v108"), track_order=True) as f:
        for i in range(10):
            f.create_group("group%d" % i, track_order=True)
        few = f.create_group("few", track_order=True)
        for i in range(3):
            few.create_group("link%d" % i)
        d = f.create_dataset("d", data=np.arange(100.0), track_order=True)
        for i in range(12):
            d.attrs["attribute%d" % i] = i
        e = f.create_dataset("e", data=np.arange(50), track_order=True)
        e.attrs["a"], e.attrs["b"] = 1, 2
        e.attrs["to"] = few["link1"].ref
        f.create_dataset("chunks", data=np.arange(400).reshape(20, 20), chunks=(4, 4))
        f.create_dataset("growing", data=np.arange(400).reshape(20, 20), chunks=(4, 4), maxshape=(None, 20))


# ---- faults ----

def object_of(name, path):
    with h5py.File(path) as f:
        return h5py.h5o.get_info(f[name].id).addr


def in_message(path, name, kind, change):
    """Changes the data of a message, and makes the header's checksum anew."""
    def go(f):
        at = object_of(name, path)
        p, size = f.message(at, kind)
        change(f, p)
        f.sum(at, size)
    return go


def swap_records(kind):
    def go(f):
        _, leaf, size, n = f.tree(kind)
        first = leaf + 6
        f.b[first:first + 2 * size] = f.b[first + size:first + 2 * size] + f.b[first:first + size]
        f.sum(leaf, 6 + n * size + 4)
    return go


def change_heap(at, more):
    def go(f):
        p = f.find(b"FRHP")
        f.add(p + at, 8, more)
        f.sum(p, 146)
    return go


def lose_nil(f):
    """A message of no type becomes zeros."""
    at = -1
    while True:
        at = f.b.index(b"OHDR", at + 1)
        found, head, size = f.header(at)
        for p, kind, n in found:
            if kind == 0 and n >= 2 * head:
                f.b[p:p + head + n] = bytes(head + n)
                f.sum(at, size)
                return


def lose_attributes(f):
    """The messages of all attributes of an object become messages of no type; the one that tells of them stays."""
    at = object_of("e", "new.h5")
    found, _, size = f.header(at)
    for p, kind, _ in found:
        if kind == 12:
            f.b[p] = 0
    f.sum(at, size)


def old_faults():
    fault("old.h5", "last key that is not above", lambda f: f.b.__setitem__(slice(f.find(b"TREE\x01\x00"), None), cut_last_key(f)))
    fault("old.h5", "right neighbour", lambda f: f.put(f.find(b"TREE\x01\x00") + 16, 8, 96))
    fault("old.h5", "left neighbour", lambda f: f.put(f.find(b"TREE\x01\x00") + 8, 8, 96))
    fault("old.h5", "without filters, but chunks have", lambda f: f.add(f.find(b"TREE\x01\x00") + 24, 4, -8))
    fault("old.h5", "behind", swap_entries)
    fault("old.h5", "list of free bytes", lambda f: f.put(f.find(b"HEAP") + 16, 8, 1 << 40))
    fault("old.h5", "free bytes, of", wrong_free_object)
    fault("old.h5", "items of", lambda f: f.add(contiguous(f, b"GCOL"), 4, 1))
    fault("old.h5", "go beyond the end", lambda f: f.add(40, 8, -64))
    fault("old.h5", "the superblock says", lambda f: f.add(40, 8, 64))
    fault("old.h5", "links and uses", lambda f: f.add(object_of("d", "old.h5") + 4, 4, 1))
    fault("old.h5", "messages; it says", lambda f: f.add(object_of("d", "old.h5") + 2, 2, 1))


def cut_last_key(f):
    at = f.find(b"TREE\x01\x00")
    n, key = f.number(at + 6, 2), 8 + 8 * 3
    last = at + 24 + n * (key + 8)
    f.b[last + 8:last + key] = bytes(key - 8)
    return f.b[at:]


def swap_entries(f):
    at = f.find(b"SNOD") + 8
    f.b[at:at + 80] = f.b[at + 40:at + 80] + f.b[at:at + 40]


def wrong_free_object(f):
    at = f.find(b"GCOL") + 16
    while f.number(at, 2) != 0:
        at += 16 + (f.number(at + 8, 8) + 7) // 8 * 8
    f.add(at + 8, 8, 16)


def contiguous(f, signature):
    """The first element that names the collection."""
    at = f.find(signature)
    return f.b.index(struct.pack("<Q", at)) - 4


def new_faults():
    fault("new.h5", "checksum", lambda f: f.add(object_of("d", "new.h5") + 30, 1, 1))
    fault("new.h5", "index of names has", swap_records(5))
    fault("new.h5", "index of names has", swap_records(8))
    fault("new.h5", "index of orders has", swap_records(6))
    fault("new.h5", "index of orders has", swap_records(9))
    fault("new.h5", "not the same ones", other_order)
    fault("new.h5", "another hash", other_hash)
    fault("new.h5", "records, its root", lambda f: (f.add(f.tree(5)[0] + 26, 8, 1), f.sum(f.tree(5)[0], 38)))
    fault("new.h5", "free bytes; it has", change_heap(31, 8))
    fault("new.h5", "objects; it has", change_heap(71, 1))
    fault("new.h5", "bytes of blocks; it has", change_heap(55, 512))
    fault("new.h5", "a gap that is no message", lose_nil)
    fault("new.h5", "which the header does not say", in_message("new.h5", "e", 21, lambda f, p: f.put(p + 1, 1, 1)))
    fault("new.h5", "an info message, and there are none", lose_attributes)
    fault("new.h5", "is said to be the next one", in_message("new.h5", "few", 2, lambda f, p: f.put(p + 2, 8, 1)))
    fault("new.h5", "is there twice", in_message("new.h5", "few", 6, lambda f, p: f.put(p + 2, 8, 1)))
    fault("new.h5", "overlap", in_message("new.h5", "e", 8, lambda f, p: f.put(p + 2, 8, object_of("d", "new.h5"))))
    fault("new.h5", "lies beyond the array", in_message("new.h5", "growing", 1, lambda f, p: f.put(p + 4, 8, 8)))
    fault("new.h5", "go beyond the end", lambda f: (f.add(28, 8, -1), f.sum(0, 48)))
    fault("new.h5", "where no object is", dangling, 0)


def other_order(f):
    _, leaf, size, n = f.tree(6)
    f.add(leaf + 6 + (n - 1) * size, 8, 1)
    f.sum(leaf, 6 + n * size + 4)


def other_hash(f):
    _, leaf, size, n = f.tree(5)
    f.add(leaf + 6 + (n - 1) * size, 4, 1)
    f.sum(leaf, 6 + n * size + 4)


def dangling(f):
    """The reference is the last 8 bytes of an attribute's message."""
    at = object_of("e", "new.h5")
    found, head, size = f.header(at)
    p, n = [(p, n) for p, kind, n in found if kind == 12][-1]
    f.add(p + head + n - 8, 8, 1)
    f.sum(at, size)


def others():
    with open("text.nc", "w") as f:
        f.write("no file of any format")
    with open("classic.nc", "wb") as f:
        f.write(b"CDF\1" + bytes(28))
    os.mkdir("store.zarr")
    with open("store.zarr/.zgroup", "w") as f:
        f.write('{"zarr_format": 2}')
    for name, word in (("text.nc", "file"), ("classic.nc", "no HDF5 file"), ("store.zarr", "not a"), ("absent.nc", "no such")):
        code, out, err = structure(name)
        report(name, "" if code == 1 and word in err.lower().replace("hdf5", "HDF5") and out == "" else "%d %s%s" % (code, out, err))
    for words in (["--structure", "new.h5"], ["--check", "--structure", "-v", "d", "new.h5"]):
        r = subprocess.run([nczdump, *words], capture_output=True, text=True)
        report(" ".join(words), "" if r.returncode == 2 and "--structure" in r.stderr else "%d %s" % (r.returncode, r.stderr))


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    make_old()
    make_new()
    sound("old.h5")
    sound("new.h5")
    old_faults()
    new_faults()
    others()
    os.chdir("/")
print("%d passed, %d failed" % (done[True], done[False]))
sys.exit(done[False] > 0)
