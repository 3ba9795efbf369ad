#!/usr/bin/env python3
"""Odd and damaged files, made with h5py and changed by hand: what cannot be read of one object costs that object; what is there of a file
that lost its end is read; names that netCDF cannot have are shown; what a file may cost is bounded; numbers of any form.

usage: faults.py NCZDUMP      ends with `N passed, N failed`
"""
import json, os, re, resource, struct, subprocess, sys, tempfile

import h5py, numpy as np
from h5py import h5a, h5d, h5g, h5p, h5s, h5t, h5z

tools = os.path.dirname(os.path.abspath(sys.argv[1]))
done = {True: 0, False: 0}
TEXT = h5py.string_dtype()


def report(what, problems):
    done[not problems] += 1
    if problems:
        print("FAILED %s: %s" % (what, str(problems)[:600]))


def run(tool, *args, memory=None):
    limit = (lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory))) if memory else None
    return subprocess.run([os.path.join(tools, tool), *args], capture_output=True, text=True, errors="surrogateescape", timeout=300,
                          preexec_fn=limit)


def dump(name, *options):
    r = run("nczdump", "--json", *options, name)
    try:
        return json.loads(r.stdout), r
    except ValueError:
        return {"variables": {}, "groups": {}}, r


def data(name, *options):
    d, r = dump(name, *options)
    return {n: v.get("data") for n, v in d["variables"].items()}, r


def change(name, *changes):
    with open(name, "r+b") as f:
        for at, what in changes:
            f.seek(at)
            f.write(what)


def bytes_of(name):
    with open(name, "rb") as f:
        return f.read()


def write(name, what):
    with open(name, "wb") as f:
        f.write(what)


def low(f, name, kind=h5t.NATIVE_INT32, n=2):
    """A dataset with any bytes as its name."""
    return h5d.create(f.id, name, kind, h5s.create_simple((n,)))


# ---- one object --------------------------------------------------------------------------------------------------------

def filters():
    """Filters with fewer parameters than their writers give."""
    bad = []
    for number, words in ((h5z.FILTER_SCALEOFFSET, ()), (h5z.FILTER_NBIT, (1, 0)), (h5z.FILTER_SZIP, (1,)), (32008, ()), (32015, (1,) * 20)):
        with h5py.File("filter.h5", "w", libver="earliest") as f:
            f["plain"] = np.array([1, 2], "i4")
            f.create_dataset("v", (4,), "i4", chunks=(2,), compression="gzip")[...] = [5, 6, 7, 8]
        whole = bytes_of("filter.h5")
        at = whole.index(struct.pack("<HHHH", 1, 8, 1, 1) + b"deflate\0")
        room = struct.pack("<HHHH", number, 8, 1, len(words)) + b"changed\0" + struct.pack("<%dI" % len(words), *words)
        if len(words) > 2:
            continue  # there is no room for them
        write("filter.h5", whole[:at] + room.ljust(24, b"\0") + whole[at + 24:])
        got, r = data("filter.h5")
        if got.get("plain") != [1, 2] or "v" not in got or "/v" not in r.stderr:
            bad.append("filter %d: %s %s" % (number, got, r.stderr))
    report("filters with few parameters", bad)


def damaged_heap():
    """The heap of a DIMENSION_LIST, of a fill value, of one chunk of strings."""
    with h5py.File("heap.h5", "w", libver="earliest") as f:
        f["plain"] = np.array([1, 2], "i4")
        f["x"] = np.arange(2.0)
        f["x"].make_scale()
        f["d"] = np.array([3, 4], "i4")
        f["d"].dims[0].attach_scale(f["x"])
    at = bytes_of("heap.h5").index(b"GCOL")
    change("heap.h5", (at, b"none"))
    got, r = data("heap.h5")
    report("a damaged DIMENSION_LIST", [] if got == {"plain": [1, 2], "d": [3, 4], "x": [0, 1]} and "/d: DIMENSION_LIST" in r.stderr else (got, r.stderr))

    with h5py.File("heap.h5", "w", libver="earliest") as f:
        f["plain"] = np.array([1, 2], "i4")
        f.create_dataset("v", (4,), TEXT, chunks=(2,), fillvalue="nothing")
    change("heap.h5", (bytes_of("heap.h5").index(b"GCOL"), b"none"))
    got, r = data("heap.h5")
    report("a damaged fill value", [] if got["plain"] == [1, 2] and got["v"] is None and "/v" in r.stderr else (got, r.stderr))

    with h5py.File("heap.h5", "w", libver="earliest") as f:
        v = f.create_dataset("g/v", (12,), TEXT, chunks=(4,))
        v[...] = ["text %d" % i for i in range(12)]
        at = [v.id.get_chunk_info(i).byte_offset for i in range(3)]
    change("heap.h5", (at[1], b"\xff" * 4))
    r = run("nczdump", "-v", "/g/v", "heap.h5")
    bad = [] if r.returncode == 1 and "/g/v: chunk 1 at address %d: " % at[1] in r.stderr else [r.stderr]
    d, r = dump("heap.h5", "--damaged=fill")
    want = ["text %d" % i for i in range(4)] + [""] * 4 + ["text %d" % i for i in range(8, 12)]
    if d["groups"]["g"]["variables"]["v"]["data"] not in (want, [w or None for w in want]) or r.returncode != 3:
        bad.append((d["groups"]["g"]["variables"]["v"], r.returncode, r.stderr))
    report("a chunk whose strings are damaged", bad)


def sizes():
    """A large string, a dataset of more bytes than 63 bits count, long names and paths, deep groups."""
    with h5py.File("sizes.h5", "w") as f:
        f["plain"] = np.array([1, 2], "i4")
        h5d.create(f.id, b"texts", fixed(20 << 20), h5s.create_simple((1,)))
        h5d.create(f.id, b"huge", h5t.IEEE_F64LE, h5s.create_simple((1 << 30, 1 << 30)))
    got, r = data("sizes.h5", "-v", "plain,texts,huge")
    report("large elements, and datasets", [] if got.get("plain") == [1, 2] and got["texts"] is None and got["huge"] is None and
           "element_bytes" in r.stderr and "/huge: it is larger than a file can be" in r.stderr else (got, r.stderr))
    for version in ("earliest", "latest"):
        with h5py.File("links.h5", "w", libver=version) as f:
            f["plain"] = np.array([1, 2], "i4")
            f["nowhere"] = h5py.SoftLink("/" + "a" * 1500)
            f["far"] = h5py.ExternalLink("f" * 1500 + ".h5", "/x")
            f["n" * 1200] = np.array([7], "i4")
            f["m" * 257] = np.array([7], "i4")
            f["m" * 256] = np.array([7, 8], "i4")
            f["loop"] = f["/"]
            f["round"] = h5py.SoftLink("/" + "loop/" * 300 + "plain")
            g = f
            for i in range(70):
                g = g.create_group("g%d" % i)
            g["below"] = 5
            f["plain"].attrs["a" * 1100] = 1
            f["plain"].attrs["fine"] = np.int32(3)
        d, r = dump("links.h5")
        v = d["variables"]
        bad = [] if {n: w.get("data") for n, w in v.items()} == {"plain": [1, 2], "round": [1, 2], "m" * 256: [7, 8]} and list(v["plain"]["attributes"]) == ["fine"] else [v]
        bad += [w for w in ("n" * 80 + ": the name of a link", "m" * 257 + ": it is not shown", "g64: it and what is below it are not shown", "plain: ") if w not in r.stderr]
        report("long names and paths, deep groups (%s)" % version, bad + [r.stderr[:900]] if bad else [])


def fixed(n):
    t = h5t.C_S1.copy()
    t.set_size(n)
    return t


def parts_of_lists():
    """One table of links, and one record of an index of attributes, that are damaged: the others are there."""
    with h5py.File("tables.h5", "w", libver="earliest") as f:
        for i in range(60):
            f["v%02d" % i] = np.array([i], "i4")
    whole = bytes_of("tables.h5")
    at = [m.start() for m in re.finditer(b"SNOD", whole)]
    change("tables.h5", (at[len(at) // 2], b"none"))
    got, r = data("tables.h5")
    bad = [] if 30 < len(got) < 60 and all(got[n] == [int(n[1:])] for n in got) and "some of its links" in r.stderr else [(len(got), r.stderr)]
    r = run("nczdump", "--check", "tables.h5")
    report("a damaged table of links", bad + ([] if r.returncode == 3 and "1 warning" in r.stdout else [r.stdout]))


# ---- a file that lost its end --------------------------------------------------------------------------------------------

def cut():
    for version in ("earliest", "v110", "v114"):
        n = 300
        with h5py.File("whole.h5", "w", libver=version) as f:
            for k in range(3):
                f.create_dataset("v%d" % k, (n, n), "i4", chunks=(10, 10), maxshape=(None, n) if k != 1 else None, compression="gzip",
                                 fillvalue=-1)[...] = values(n)
            f.create_dataset("last", (9000,), "f8")[...] = np.arange(9000)
            f.create_dataset("texts", (100,), TEXT, chunks=(4,))[...] = ["text %d" % i for i in range(100)]
        whole, bad = bytes_of("whole.h5"), []
        for part in (99.5, 98, 90, 60, 30):
            write("cut.h5", whole[:int(len(whole) * part / 100)])
            d, r = dump("cut.h5", "--damaged=fill")
            found = 0
            for k in range(3):
                if "v%d" % k not in d["variables"]:  # its header is gone, which is said
                    bad += [] if "warning: v%d: " % k in r.stderr else ["%g %%: no v%d: %s" % (part, k, r.stderr[:300])]
                    continue
                a = np.array([[-1 if e is None else e for e in row] for row in d["variables"]["v%d" % k]["data"]])
                if ((a != values(n)) & (a != -1)).any():
                    bad.append("%g %%: wrong values of v%d" % (part, k))
                found += (a == values(n)).sum()
            if found < 3 * n * n * (part - 15) / 100 * len(whole) / (len(whole) + 80000) - 20000 or "the file is cut: it has" not in r.stderr or r.returncode != 3:
                bad.append("%g %%: %d values found; %d %s" % (part, found, r.returncode, r.stderr[:300]))
            r = run("nczdump", "--check", "cut.h5")
            if r.returncode != 3 or "damaged chunk" not in r.stdout or not re.search(r"^/\w+: chunk \d", r.stdout, re.M):
                bad.append("--check: %d %s" % (r.returncode, r.stdout[-300:]))
        write("cut.h5", whole[:int(len(whole) * 0.98)])
        r = run("nczdump", "--html", "cut.h5")
        if r.returncode != 3 or "what they have is missing" not in r.stdout or "9000" not in r.stdout or "</html>" not in r.stdout[-99:]:
            bad.append("--html: %d %s" % (r.returncode, r.stderr[:300]))
        if run("nczcopy", "cut.h5", "cut.zarr").returncode != 1:
            bad.append("nczcopy copies what is not there")
        r = run("nczcopy", "--damaged=fill", "cut.h5", "cut.zarr")
        back, s = dump("cut.zarr")[0], dump("cut.h5", "--damaged=fill")[0]
        if r.returncode != 3 or any(back["variables"][n]["data"] != s["variables"][n]["data"] for n in s["variables"]):
            bad.append("nczcopy --damaged=fill: %d %s" % (r.returncode, r.stderr[:300]))
        subprocess.run(["rm", "-rf", "cut.zarr", "cut.zarr.nczcopy"])
        report("a file that lost its end (%s)" % version, bad)


def values(n):
    return (np.arange(n * n) * 7 % 100003).reshape(n, n).astype("i4")


def only_slack():
    """What was lost was nobody's: said, and all values are there."""
    with h5py.File("slack.h5", "w", libver="earliest") as f:
        f["v"] = np.array([1, 2], "i4")
    change("slack.h5", (40, struct.pack("<Q", os.path.getsize("slack.h5") + 100)))
    got, r = data("slack.h5")
    check = run("nczdump", "--check", "slack.h5")
    report("a cut file whose values are all there", [] if got == {"v": [1, 2]} and "the file is cut" in r.stderr and check.returncode == 3 else
           (got, r.stderr, check.stdout))


def named_chunk():
    with h5py.File("named.h5", "w") as f:
        v = f.create_dataset("g/v", (40, 40), "i4", chunks=(10, 10), compression="gzip")
        v[...] = np.arange(1600).reshape(40, 40)
        at = v.id.get_chunk_info_by_coord((10, 20)).byte_offset
    change("named.h5", (at + 4, b"\xff" * 8))
    want = "/g/v: chunk 1,2 at address %d: codec" % at
    outputs = [run("nczdump", "named.h5").stderr, run("nczdump", "--check", "named.h5").stdout, run("nczdump", "--damaged=fill", "named.h5").stderr,
               run("nczcopy", "-F", "*,zstd,3", "named.h5", "named.zarr").stderr]
    report("a damaged chunk has a name", [o for o in outputs if want not in o])
    subprocess.run(["rm", "-rf", "named.zarr", "named.zarr.nczcopy"])


# ---- names -----------------------------------------------------------------------------------------------------------------

def names():
    shown = {b"plain": "plain", b"temp\\K": "temp%5CK", b"T_\xb0C": "T_%B0C", b"a\nb": "a%0Ab", b"50%": "50%", b"50%\\": "50%25%5C",
             "gr\u00fcn".encode(): "gr\u00fcn", b"n\xc3": "n%C3", b"n\x7f": "n%7F"}
    atts = {b"m/s": "m/s", b"a\\b": "a\\b", b"c\x01d": "c\x01d", b"\xb0C": "%B0C", b"@context": "@context"}
    with h5py.File("names.h5", "w") as f:
        for i, n in enumerate(shown):
            h5py.Dataset(low(f, n))[...] = [i, i]
        plain = f["plain"].id
        for a in atts:
            h5a.create(plain, a, h5t.NATIVE_INT32, h5s.create(h5s.SCALAR)).write(np.array(7, "i4"))
        h5py.Group(h5g.create(f.id, b"up" + bytes([92]) + b"down"))["v"] = np.array([3], "i4")
        f["refs"] = np.array([h5py.h5r.create(f.id, n, h5py.h5r.OBJECT) for n in shown], dtype=h5py.ref_dtype)
    d, r = dump("names.h5")
    bad = [] if {n: v["data"][0] for n, v in d["variables"].items()} == {v: i for i, v in enumerate(shown.values())} else [list(d["variables"])]
    if sorted(d["variables"]["plain"]["attributes"]) != sorted(atts.values()) or d["groups"]["up%5Cdown"]["variables"]["v"]["data"] != [3]:
        bad.append((d["variables"]["plain"], list(d["groups"])))
    for i, n in enumerate(shown.values()):
        if data("names.h5", "-v", n)[0].get(n) != [i, i]:
            bad.append("-v " + n)
    paths = data("names.h5#mode=hdf5")[0]["refs"]
    if paths != ["/" + n for n in shown.values()]:
        bad.append(paths)
    with h5py.File("names.h5", "r+") as f:
        for a in atts:
            h5a.delete(f["plain"].id, a)
    for version in "23":
        r = run("nczcopy", "--verify", "--zarr-format", version, "names.h5", "names.zarr")
        back = {n: v["data"][0] for n, v in dump("names.zarr")[0]["variables"].items()}
        if r.returncode or back != {v: i for i, v in enumerate(shown.values())}:
            bad.append((r.stderr, back))
        subprocess.run(["rm", "-rf", "names.zarr", "names.zarr.nczcopy"])
    report("names that netCDF cannot have", bad)


# ---- bounds ----------------------------------------------------------------------------------------------------------------

def bounds():
    for version in ("earliest", "latest"):
        with h5py.File("links.h5", "w", libver=version) as f:
            groups = [f.create_group("g0")]
            for i in range(1, 40):
                groups.append(groups[-1].create_group("l"))
                groups[-2]["r"] = groups[-1]
            groups[-1]["v"] = 1
        r = run("nczdump", "-h", "links.h5", memory=400 << 20)
        bad = [] if r.returncode == 0 and "limit `objects`" in r.stderr and "int64 v" in r.stdout else [(r.returncode, r.stderr[-300:])]
        n = 3000
        with h5py.File("links.h5", "w", libver=version) as f:
            f["d"] = np.array([1, 2], "i4")
            f["l0"] = h5py.SoftLink("/d")
            for i in range(1, n):
                f["l%d" % i] = h5py.SoftLink("/l%d" % (i - 1))
                f["m%d" % i] = h5py.SoftLink("/d")
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        r = run("nczdump", "-h", "links.h5")
        took = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        shown = r.stdout.count("(phony_dim_0) ;")
        if shown != n + 41 or "more than 40 that lead to each other" not in r.stderr or took > 30:
            bad.append("%d shown, %g s: %s" % (shown, took, r.stderr[-300:]))
        report("links in a grid, and in a chain (%s)" % version, bad)


def heaps():
    """Collections of the global heap that overlap: strings that refer to them in turn read each of them again."""
    n = 4096
    with h5py.File("heaps.h5", "w", libver="earliest") as f:
        v = f.create_dataset("v", (n,), TEXT, chunks=(n,))
        v[...] = ["x"] * n
        ids = v.id.get_chunk_info(0).byte_offset
        f.create_dataset("room", (9 << 20,), "u1")[...] = 1
        room = f["room"].id.get_offset()
        f["plain"] = np.array([1, 2], "i4")
    size, heads = 8 << 20, 24
    # Each head is 64 bytes behind the one before, in the first object of that; the last one's object is what all strings name.
    parts = [(room + 64 * k, b"GCOL" + struct.pack("<IQ", 1, size - 64 * k) + struct.pack("<HHIQ", 2, 1, 0, 32)) for k in range(heads)]
    parts += [(room + 64 * heads, struct.pack("<HHIQ", 1, 1, 0, 1) + b"y")]
    change("heaps.h5", *parts)
    change("heaps.h5", (ids, b"".join(struct.pack("<IQI", 1, room + 64 * (i % heads), 1) for i in range(n))))
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    r = run("nczdump", "-v", "v", "heaps.h5")
    took = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    report("heaps that overlap", [] if r.returncode == 1 and took < 60 and data("heaps.h5", "-v", "plain")[0]["plain"] == [1, 2] else (r.stderr, took))


# ---- forms -----------------------------------------------------------------------------------------------------------------

def floats():
    numbers = [0, -0.0, 1.5, -2.25, 100, -1e3, 0.001, np.inf, -np.inf, np.nan, 1 / 3, 2.0 ** -31]
    with h5py.File("floats.h5", "w") as f:
        for name, base, fields, at, bits, bias, size in ((b"n20le", h5t.IEEE_F32LE, (26, 20, 6, 7, 13), 7, 20, 31, 4),
                                                         (b"n20be", h5t.IEEE_F32BE, (26, 20, 6, 7, 13), 7, 20, 31, 4),
                                                         (b"n60", h5t.IEEE_F64LE, (55, 44, 11, 10, 34), 5, 60, 1023, 8),
                                                         (b"bfloat16", h5t.IEEE_F32LE, (15, 7, 8, 0, 7), 0, 16, 127, 2),
                                                         (b"bfloat16be", h5t.IEEE_F32BE, (15, 7, 8, 0, 7), 0, 16, 127, 2)):
            for nbit in (False, True):
                t = base.copy()
                t.set_fields(*fields)
                t.set_offset(at)
                t.set_precision(bits)
                t.set_size(size)
                t.set_ebias(bias)
                p = h5p.create(h5p.DATASET_CREATE)
                if nbit:
                    p.set_chunk((5,))
                    p.set_filter(h5z.FILTER_NBIT)
                h5d.create(f.id, name + b"_nbit" * nbit, t, h5s.create_simple((len(numbers),)), p).write(h5s.ALL, h5s.ALL, np.array(numbers))
        want = {}
        for n in f:
            want[n] = np.empty(len(numbers))
            f[n].id.read(h5s.ALL, h5s.ALL, want[n])
    d, r = dump("floats.h5")
    bad = []
    for n in want:
        v = d["variables"].get(n, {"data": []})
        got = np.array([float({"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}.get(x, x)) if x is not None else np.nan for x in v["data"]])
        if v["type"] == "float":
            got = got.astype("f4").astype("f8")
        if not np.array_equal(got, want[n], equal_nan=True) or not np.array_equal(np.signbit(got[:9]), np.signbit(want[n][:9])) or v["type"] != ("double" if n.startswith("n60") else "float"):
            bad.append((n, v, want[n]))
    report("floating-point numbers of other forms", bad)


def reasons():
    with h5py.File("reasons.h5", "w") as f:
        f.create_dataset("c", (2,), dtype=[("a", "i4"), ("which one", h5py.ref_dtype)])
        f["empty"] = h5py.Empty("f4")
        f["empty"].attrs["why"] = np.int32(3)
    got, r = dump("reasons.h5")
    bad = [] if "compounds with field 'which one' of references" in r.stderr else [r.stderr]
    if got["variables"]["empty"].get("data") != [] or got["variables"]["empty"]["attributes"]["why"]["value"] != 3:
        bad.append(got["variables"]["empty"])
    r = run("nczcopy", "--verify", "--skip-unreadable", "reasons.h5", "reasons.zarr")
    report("which field is the reason; a null dataspace has no values", bad + ([r.stderr] if r.returncode else []))


def blocks():
    with h5py.File("block.h5", "w", libver="earliest") as f:
        f["a"] = np.array([1, 2, 3], "i4")
    whole, bad = bytes_of("block.h5"), []
    for n in (512, 4096, 8192, 1 << 15, 1 << 17, 1 << 20):
        write("block.h5", b"<xmp>".ljust(n) + whole)
        got, r = data("block.h5")
        if got != {"a": [1, 2, 3]}:
            bad.append((n, r.stderr))
    write("block.h5", bytes(3 << 12) + whole)
    if run("nczdump", "block.h5").returncode == 0:
        bad.append("12288 is no double of 512")
    report("blocks of the user of any size", bad)


def element_sizes():
    """The element size of a layout that is not the type's (PureHDF)."""
    bad = []
    for size in (1, 8):
        with h5py.File("element.h5", "w", libver="earliest") as f:
            f.create_dataset("v", (8,), "i4", chunks=(4,))[...] = range(8)
        whole = bytes_of("element.h5")
        m = re.search(re.escape(struct.pack("<BBB", 3, 2, 2)) + b"(.{8})" + re.escape(struct.pack("<II", 4, 4)), whole, re.S)
        change("element.h5", (m.end() - 4, struct.pack("<I", size)))
        got, r = data("element.h5")
        if got != {"v": list(range(8))}:
            bad.append((size, got, r.stderr))
    report("layouts with another size of elements", bad)


def short():
    """What a chunk holds beyond the dataset is never shown; what lies beyond a dataset is the type's default fill."""
    with h5py.File("short.h5", "w", libver="earliest") as f:
        f.create_dataset("t", (6,), "i4", maxshape=(None,), chunks=(4,))[...] = range(6)
        f["t"].make_scale()
        for name, kind in (("i2", "i2"), ("f8", "f8"), ("packed", "i4"), ("texts", TEXT)):
            v = f.create_dataset(name, (2,), kind, maxshape=(None,), chunks=(4,), **({"compression": "gzip"} if name == "packed" else {}))
            v[...] = ["a", "b"] if name == "texts" else [1, 2]
            v.dims[0].attach_scale(f["t"])
        at = {n: f[n].id.get_chunk_info(0).byte_offset for n in ("i2", "f8", "texts")}
    change("short.h5", (at["i2"] + 4, struct.pack("<hh", 77, 78)), (at["f8"] + 16, struct.pack("<dd", 77, 78)), (at["texts"] + 32, b"junk" * 8))
    want = {"i2": [1, 2] + [-32767] * 4, "f8": [1, 2] + [9.969209968386869e36] * 4, "packed": [1, 2] + [-2147483647] * 4, "texts": ["a", "b"] + [""] * 4}
    got, r = data("short.h5")
    plain = lambda g: {n: ["" if x is None and n == "texts" else -32767 if x is None and n == "i2" else 9.969209968386869e36 if x is None and n == "f8" else
                           -2147483647 if x is None else x for x in g.get(n, [])] for n in want}
    bad = [] if plain(got) == want else [(got, r.stderr)]
    r = run("nczcopy", "--verify", "short.h5", "short.zarr")
    if r.returncode or plain(data("short.zarr")[0]) != want:
        bad.append((r.stderr, data("short.zarr")[0]))
    subprocess.run(["rm", "-rf", "short.zarr"])
    report("datasets shorter than their dimension", bad)


def short_without_chunks():
    """A chunk that was never stored has the fill value, also where it reaches beyond the dataset."""
    with h5py.File("sparse.h5", "w", libver="earliest") as f:
        f.create_dataset("t", (7,), "i4", maxshape=(None,), chunks=(4,))[...] = range(7)
        f.create_dataset("x", (4,), "i4")[...] = range(4)
        v = f.create_dataset("v", (4, 2), "i4", maxshape=(4, None), chunks=(2, 4), fillvalue=-7)
        v[3, 1] = 42
        for name in "tx":
            f[name].make_scale()
        v.dims[0].attach_scale(f["x"])
        v.dims[1].attach_scale(f["t"])
        v.attrs["_FillValue"] = np.int32(-7)
    got, r = data("sparse.h5")
    flat = str(got.get("v")).replace("None", "-7")
    want = str([[-7] * 7] * 3 + [[-7, 42] + [-7] * 5])
    report("chunks that are missing in a dataset shorter than its dimension", [] if flat == want else [(flat, r.stderr)])


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for case in (filters, damaged_heap, sizes, parts_of_lists, cut, only_slack, named_chunk, names, bounds, heaps, floats, reasons, blocks, element_sizes, short,
                 short_without_chunks):
        try:
            case()
        except Exception as e:
            report(case.__name__, [repr(e)])
    os.chdir("/")
print("%d passed, %d failed" % (done[True], done[False]))
sys.exit(done[False] > 0)
