#!/usr/bin/env python3
"""Files as public reports of other libraries describe them, made here: of netCDF-C, HDF4 and HDF5. nczdump reads each with its
values, and checks its structure where there is a check: it ends by itself, in little memory, and names what is wrong.

usage: reports.py NCZDUMP DATA      DATA: tests/data; ends with `N passed, N failed`
"""
import os, resource, struct, subprocess, sys, tempfile

import reports_hdf5

MOST = 64 << 20  # bytes of memory, of the whole process
LONG = 5000  # more than NC_MAX_NAME


class Classic:
    """The header of a classic file, of version 1, 2 or 5."""

    def __init__(self, version=1):
        self.version, self.out = version, b"CDF" + bytes([version]) + self.size(0, version)

    @staticmethod
    def size(n, version):
        return struct.pack(">Q" if version == 5 else ">I", n)

    def n(self, *numbers):
        for n in numbers:
            self.out += self.size(n, self.version)
        return self

    def tag(self, tag, count):
        self.out += struct.pack(">I", tag)
        return self.n(count)

    def name(self, text, length=None):
        self.n(len(text) if length is None else length)
        self.out += text + bytes(-len(text) % 4)
        return self

    def raw(self, form, *values):
        self.out += struct.pack(">" + form, *values)
        return self

    def text_att(self, name, value):
        self.name(name).raw("I", 2).name(value)
        return self


def one_variable(name, dims, version=1, atts=(), nc_type=1):
    c = Classic(version).tag(10, len(dims))
    for i, n in enumerate(dims):
        c.name(b"d%d" % i).n(n)
    c.tag(0, 0).tag(11, 1).name(name).n(len(dims), *range(len(dims))).tag(12 if atts else 0, len(atts))
    for att in atts:
        c.text_att(*att)
    c.raw("I", nc_type).n(4)
    return c.raw("I" if version == 1 else "Q", len(c.out) + (4 if version == 1 else 8)).raw("4s", b"1234").out


def hdf4(objects):
    """Objects are tag, reference, bytes."""
    at = 10 + 12 * len(objects)
    out, data = b"\x0e\x03\x13\x01" + struct.pack(">HI", len(objects), 0), b""
    for tag, ref, content in objects:
        out += struct.pack(">HHII", tag, ref, at + len(data), len(content))
        data += content
    return out + data


def vgroup(members, name, class_name):
    return (struct.pack(">H", len(members)) + b"".join(struct.pack(">H", t) for t, _ in members) + b"".join(struct.pack(">H", r) for _, r in members) +
            struct.pack(">H", len(name)) + name + struct.pack(">H", len(class_name)) + class_name + bytes(10))


def cases():
    """A report, what the file has, its name, its bytes, what is said at least, options."""
    long = b"x" * LONG
    return (
        ("netcdf-c 3376", "a header that ends behind the number of records", "a.nc", b"CDF\1\0\0\0\xb9\x8d\xff\xff\x08\xdb", "header", ()),
        ("netcdf-c 3377", "a name of 4 GiB in a file of 100 bytes", "b.nc", Classic(2).tag(10, 1).name(b"x" * 64, 0xfffffff0).out, "name", ()),
        ("netcdf-c 3153", "a name of 2^64 - 1 bytes", "c.nc", Classic(5).tag(10, 1).name(b"x" * 64, (1 << 64) - 1).out, "name", ()),
        ("netcdf-c 3236 CVE-2025-14933", "a variable whose lengths multiply to more than 64 bits", "d.nc",
         one_variable(b"v", (1 << 40, 1 << 40), 5), "v", ()),
        ("netcdf-c 3236 CVE-2025-14934", "the name of a variable, longer than NC_MAX_NAME", "e.nc", one_variable(long, (4,)), "name of a variable", ()),
        ("netcdf-c 3236 CVE-2025-14935", "the name of a dimension, longer than NC_MAX_NAME", "f.nc", Classic().tag(10, 1).name(long).n(4).tag(0, 0).tag(0, 0).out, "name of a dimension", ()),
        ("netcdf-c 3236 CVE-2025-14936", "the name of an attribute, longer than NC_MAX_NAME", "g.nc", one_variable(b"v", (4,), 1, ((long, b"text"),)), "name of an attribute", ()),
        ("netcdf-c 3236 CVE-2025-14932", "units of time, 5,000 bytes", "h.nc", one_variable(b"v", (4,), 1, ((b"units", b"days since 1-1-1 " + long),)), "", ("-t",)),
        ("netcdf-c 3311 3312 3313", "a dimension and an attribute without a name, with comments on indices", "j.nc",
         one_variable(b"v", (4,), 1, ((b"", b"text"),)).replace(b"\0\0\0\2d0\0\0", b"\0\0\0\0"), "name", ("-b", "f")),
        ("netcdf-c 3191", "records of no bytes", "k.nc",
         Classic().tag(10, 2).name(b"t").n(0).name(b"x").n(0).tag(0, 0).tag(11, 1).name(b"v").n(2, 0, 1).tag(0, 0).raw("I", 4).n(0).raw("I", 100).out, "", ()),
        ("hdf4 872", "a Vgroup's name of 65,535 bytes", "i.hdf",
         hdf4(((1965, 1, vgroup([(1965, 2)], b"file", b"CDF0.0")), (1965, 2, vgroup([(106, 3)], b"x" * 65535, b"Var0.0")), (106, 3, b"\1\x18\x20\1"))), "its name has", ()),
    )


def run(nczdump, options, path):
    """Its status, what it said, and the most memory that it had."""
    p = subprocess.Popen([nczdump, *options, path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                         preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (20, 20)))
    said = p.stderr.read().decode("latin1")
    _, status, used = os.wait4(p.pid, 0)
    return os.waitstatus_to_exitcode(status), said, used.ru_maxrss << 10


def main():
    nczdump, failed, done = sys.argv[1], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        theirs = [(report, what, "%d.h5" % i, content, words, ()) for i, (report, what, content, words) in enumerate(reports_hdf5.cases(sys.argv[2]))]
        for report, what, name, content, words, options in cases() + tuple(theirs):
            path = os.path.join(folder, name)
            with open(path, "wb") as f:
                f.write(content)
            status, said, memory = run(nczdump, options, path)
            good = status in (0, 1) and memory <= MOST and words in said and ("warning" in said or not words or status == 1)
            print("[%s] %s: %s: %s, %d MiB%s" % ("       OK " if good else "  FAILED  ", report, what, "refused" if status == 1 else "status %d" % status,
                                              memory >> 20, "" if good and not os.environ.get("SAID") else ": " + said[-300:]))
            failed, done = failed + (not good), done + good
    print("%d passed, %d failed" % (done, failed))
    return failed > 0


sys.exit(main())
