#!/usr/bin/env python3
"""Compares the numbers and texts that nczdump reads from files with those that h5py reads.

usage: compare_values.py NCZDUMP FILE ...      ends with `N passed, N failed`
"""
import json, os, subprocess, sys

import h5py
import numpy as np


def flat(x):
    return [z for y in x for z in flat(y)] if isinstance(x, list) else [x]


def first_ones(pairs):
    return dict(reversed(pairs))


def is_compared(d):
    """Not: data elsewhere, dimensions without a variable, and elements that netCDF has no type for or shows as a compound or a sequence."""
    if d.id.get_space().get_simple_extent_type() == h5py.h5s.NULL or d.is_virtual or d.id.get_create_plist().get_external_count():
        return False
    if bytes(d.attrs.get("NAME", b"")).startswith(b"This is a netCDF dimension but not a netCDF variable."):
        return False
    t = d.id.get_type()
    if t.get_class() == h5py.h5t.FLOAT:
        return t.get_size() <= 8
    return t.get_class() == h5py.h5t.INTEGER or (t.get_class() == h5py.h5t.STRING and t.get_size() > 1)


def read(d):
    """As JSON has them: a text up to its first NUL, one that was never written as none or empty."""
    values = d[()]
    if d.id.get_type().get_class() != h5py.h5t.STRING:
        return np.asarray(values).reshape(-1).tolist()
    return [(v if isinstance(v, bytes) else str(v).encode()).decode("utf-8", "surrogateescape") for v in np.asarray(values).reshape(-1)]


def compare_group(found, group, problems, counts):
    for name in group:
        link = group.get(name, getlink=True)
        if not isinstance(link, h5py.HardLink):
            continue
        o = group[name]
        if isinstance(o, h5py.Group):
            if name in found.get("groups", {}):
                compare_group(found["groups"][name], o, problems, counts)
            continue
        if not isinstance(o, h5py.Dataset) or not is_compared(o):
            continue
        v = found.get("variables", {}).get(name[len("_nc4_non_coord_"):] if name.startswith("_nc4_non_coord_") else name)
        got = None if v is None or v.get("data") is None else flat(v["data"])
        try:
            want = read(o)
        except OSError as e:  # HDF5 writes into a file when it reads a chunk of variable length without heap
            print("       %s: h5py: %s" % (o.name, e))
            continue
        if got is not None and o.id.get_type().get_class() == h5py.h5t.STRING:
            got = [x or "" for x in got]
        if got is not None and o.dtype.kind == "f":  # written with as few digits as tell it from its neighbours
            got, want = (np.where(np.isnan(a), None, a).tolist() for a in (np.array(x, "f4" if o.dtype.itemsize <= 4 else "f8") for x in (got, want)))
        if got != want:
            at = next((i for i, (a, b) in enumerate(zip(got, want)) if a != b), "the end") if got is not None else "all"
            problems.append("%s: element %s: found %.200s, expected %.200s" % (o.name, at, str(got), str(want)))
        counts[0] += 1
        counts[1] += len(want)


def main():
    passed = failed = 0
    for path in sys.argv[2:]:
        r = subprocess.run([sys.argv[1], "--json", path], capture_output=True, text=True, encoding="utf-8", errors="surrogateescape")
        problems, counts = [], [0, 0]
        if r.stdout:
            with h5py.File(path) as f:
                compare_group(json.loads(r.stdout, object_pairs_hook=first_ones), f, problems, counts)
        else:
            problems.append("exit %d: %s" % (r.returncode, r.stderr[:500]))
        passed, failed = passed + (not problems), failed + bool(problems)
        print("%s values of %s: %d arrays, %d elements" % ("FAILED" if problems else "ok    ", os.path.basename(path), *counts))
        for p in problems[:8]:
            print("    " + p)
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0 or passed == 0


if __name__ == "__main__":
    sys.exit(main())
