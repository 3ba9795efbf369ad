#!/usr/bin/env python3
"""Reads a dataset with one peer and prints what it found as JSON: {"/path": {"shape": [...], "values": [flat]}},
or {"error": text} for an array that the peer refuses.

usage: peer_read.py zarr|xarray|netcdf PATH      run with the Python that has that peer
Values: integers as they are, floats as repr-exact numbers or "NaN", "Infinity", "-Infinity", text as strings.
"""
import json, math, os, shutil, sys, tempfile

import numpy as np

kind, path = sys.argv[1:3]


def plain(v):
    if isinstance(v, (bytes, np.bytes_)):
        return bytes(v).decode("utf-8", "surrogateescape")
    if isinstance(v, (str, np.str_)):
        return str(v)
    if isinstance(v, (bool, np.bool_)):
        return int(v)
    if isinstance(v, (int, np.integer)):
        return int(v)
    v = float(v)
    if math.isnan(v):
        return "NaN"
    if math.isinf(v):
        return "Infinity" if v > 0 else "-Infinity"
    return v


def entry(a):
    a = np.asarray(a)
    if a.dtype.kind in "mM":
        a = a.astype("i8")
    return {"shape": list(a.shape), "values": [plain(v) for v in a.reshape(-1).tolist()] if a.dtype.kind != "f"
            else [plain(v) for v in a.reshape(-1)]}


def nodes(kind):
    """Paths of all arrays or groups: the peers' own iterators stop at the first array that they cannot open."""
    out = []
    for folder, dirs, files in sorted(os.walk(path)):
        if (".zarray" in files) == (kind == "array") and (".zarray" in files or ".zgroup" in files):
            where = os.path.relpath(folder, path)
            out.append("" if where == "." else where)
    return out


def read_zarr():
    import zarr
    out = {}
    kwargs = {"zarr_format": 2} if int(zarr.__version__.split(".")[0]) >= 3 else {}
    root = zarr.open_group(path, mode="r", **kwargs)
    for name in nodes("array"):
        try:
            out["/" + name] = entry(root[name][...])
        except Exception as e:
            out["/" + name] = {"error": "%s: %s" % (type(e).__name__, e)}
    return out


def without(refused):
    if not refused:
        return path
    copy = tempfile.mkdtemp(prefix="nczarr-peer-")
    shutil.copytree(path, copy, dirs_exist_ok=True)
    for p in refused:
        shutil.rmtree(os.path.join(copy, p[1:]))
    copies = os.path.join(copy, ".zmetadata")
    if os.path.exists(copies):
        all = json.load(open(copies))
        all["metadata"] = {k: v for k, v in all["metadata"].items() if "/" + os.path.dirname(k) not in refused}
        json.dump(all, open(copies, "w"))
    return copy


def read_xarray():
    import xarray, zarr
    out = {}
    kwargs = {"zarr_format": 2} if int(zarr.__version__.split(".")[0]) >= 3 else {}
    refused = {p: e for p, e in read_zarr().items() if "error" in e}
    out.update(refused)
    for g in nodes("group"):
        prefix = "/" + (g + "/" if g else "")
        # xarray opens every array before it drops any, so those that its zarr-python refuses are taken out of a copy.
        d = xarray.open_zarr(without(refused), group=g or None, mask_and_scale=False,
                             decode_times=False, concat_characters=False, chunks=None, **kwargs)
        for name in d.variables:
            out[prefix + name] = entry(d[name].values)
        d.close()
    return out


def read_netcdf():
    import netCDF4
    out = {}

    def walk(g, prefix):
        for name, v in g.variables.items():
            v.set_auto_maskandscale(False)
            v.set_auto_chartostring(False)
            try:
                out[prefix + name] = entry(v[...])
            except Exception as e:
                out[prefix + name] = {"error": "%s: %s" % (type(e).__name__, e)}
        for name, sub in g.groups.items():
            walk(sub, prefix + name + "/")

    d = netCDF4.Dataset(path, "r")
    walk(d, "/")
    d.close()
    return out


print(json.dumps({"zarr": read_zarr, "xarray": read_xarray, "netcdf": read_netcdf}[kind]()))
