#!/usr/bin/env python3
"""Reads or writes arrays of structured types with one zarr-python, and prints their values as lists of plain scalars.

usage: peer_types.py read PATH VERSION | write FOLDER VERSION      run with the Python that has that zarr-python

read: {"/path": values or {"error": text}}. write: makes FOLDER/VERSION.zarr and prints the same of what was put; an
array that this zarr-python cannot make is left out.
"""
import json, sys, warnings

import numpy as np

warnings.simplefilter("ignore")
import zarr

three = int(zarr.__version__.split(".")[0]) >= 3


def flat(v, base=None):
    """All scalars of a value in order; bytes that are no character as hexadecimal digits."""
    if isinstance(v, np.void) and v.dtype.names:
        return [x for name in v.dtype.names for x in flat(v[name])]
    if isinstance(v, np.void):
        return ["0X" + bytes(v.tobytes()).hex().upper()]
    if isinstance(v, np.ndarray):
        return [x for item in (v.reshape(-1) if v.dtype.kind != "V" else [v[i] for i in np.ndindex(v.shape)]) for x in flat(item)]
    if isinstance(v, bytes) and base is not None:
        return np.frombuffer(v, base).tolist()
    if isinstance(v, bytes):
        return list(v)
    if isinstance(v, complex) or isinstance(v, np.complexfloating):
        return [float(v.real), float(v.imag)]
    return [v.item() if hasattr(v, "item") else v]


def unpacked(v):
    """The parts of an element {short id; string name; int counts(*); double at(2)}, which this library packs into bytes."""
    size = int.from_bytes(v[2:6], "little")
    counts = np.frombuffer(v, "<i4", int.from_bytes(v[6 + size:10 + size], "little"), 10 + size)
    return [int.from_bytes(v[:2], "little", signed=True), v[6:6 + size].decode(), *counts.tolist(),
            *np.frombuffer(v, "<f8", 2, 10 + size + 4 * len(counts)).tolist()]


def values(a, base=None):
    data = np.asarray(a[...])
    return [flat(data[i], base) for i in np.ndindex(data.shape)]


def walk(g, prefix=""):
    for name, a in g.arrays():
        yield prefix + "/" + name, a
    for name, sub in g.groups():
        yield from walk(sub, prefix + "/" + name)


def read(path, version):
    out = {}
    g = zarr.open_group(path, mode="r", **({"zarr_format": int(version)} if three else {}))
    # One array that cannot be opened must not hide the others.
    for name in ["f", "c", "n", "o", "e", "v", "w", "p"]:
        try:
            a = g[name]
            # Sequences in version 3 are bytes, whose meaning is NCZarr's.
            out["/" + name] = [unpacked(v) for v in np.asarray(a[...])] if name == "p" else values(a, {"v": "<i4", "w": "<f8"}.get(name))
        except KeyError:
            pass
        except Exception as why:
            out["/" + name] = {"error": "%s: %s" % (type(why).__name__, why)}
    return out


def samples(version):
    # In version 3 zarr-python 3.1 stores such a field in another byte order than it says.
    order = ">" if version == "2" else "<"
    record = np.zeros(3, [("a", order + "i2"), ("b", "<f4"), ("c", "u1")])
    record["a"], record["b"], record["c"] = [-1, 258, 3], [0.5, -2, 1e9], [255, 0, 7]
    nested = np.zeros(3, [("x", "<i8"), ("p", [("r", "<f8"), ("n", "<u2")])])
    nested["x"], nested["p"]["r"], nested["p"]["n"] = [1 << 40, -5, 0], [1.25, -0.5, 3], [65535, 1, 2]
    block = np.zeros(3, [("k", "<i4"), ("m", "<f8", (2, 2))])
    block["k"], block["m"] = [1, 2, 3], np.arange(12).reshape(3, 2, 2) / 4
    raw = np.array([b"\1\2\3\xff", b"\0\0\0\0", b"abcd"], "V4")
    return {"record": record, "nested": nested, "block": block, "raw": raw,
            "c8": np.array([1 + 2j, -3.5j, 0], "<c8"), "c16": np.array([1e300 - 2j, 0, -1j], "<c16")}


def write(folder, version):
    import os
    out = {}
    g = zarr.open_group(os.path.join(folder, version + ".zarr"), mode="w", **({"zarr_format": int(version)} if three else {}))
    for name, data in samples(version).items():
        try:
            if three:
                a = g.create_array(name, shape=data.shape, chunks=(2,), dtype=data.dtype)
            else:
                a = g.create_dataset(name, shape=data.shape, chunks=(2,), dtype=data.dtype)
            a[...] = data
            out["/" + name] = values(data)
        except Exception as why:
            print("%s: %s" % (name, why), file=sys.stderr)
    if version == "2" and (not three or zarr.__version__.startswith("3.0.")):
        import numcodecs
        for name, base, lists in (("ints", "<i2", [[1, -2, 300], [], [7]]), ("reals", "<f8", [[0.5], [1e-300, 2], [3]])):
            rows = np.empty(3, object)
            for i, row in enumerate(lists):
                rows[i] = np.array(row, base)
            if three:
                # Of a chunk beyond the array's end 3.0 makes elements that its codec refuses.
                a = g.create_array(name, shape=3, chunks=(3,), dtype=object, filters=[numcodecs.VLenArray(base)], fill_value=None,
                                   config={"write_empty_chunks": True})
            else:
                a = g.create_dataset(name, shape=3, chunks=(2,), dtype=object, object_codec=numcodecs.VLenArray(base))
            a[...] = rows
            out["/" + name] = lists
    return out


action, path, version = sys.argv[1:4]
print(json.dumps(read(path, version) if action == "read" else write(path, version)))
