#!/usr/bin/env python3
"""zarr-python's ZipStore: reads an archive, or writes some with a NAME.json beside each.

usage: peer_zip.py read ARCHIVE PREFIX | write FOLDER      run with the Python that has that zarr
"""
import json, os, sys, warnings, zipfile

import numpy as np
import zarr

warnings.filterwarnings("ignore", message="Duplicate name")
three = int(zarr.__version__.split(".")[0]) >= 3
extra = {"zarr_format": 2} if three else {}
ZipStore = zarr.storage.ZipStore


def plain(v):
    if isinstance(v, bytes):
        return v.decode("utf-8", "surrogateescape")
    if isinstance(v, (str, int)):
        return v
    return "NaN" if v != v else "Infinity" if v == float("inf") else "-Infinity" if v == -float("inf") else v


def entry(a):
    a = np.asarray(a)
    return {"shape": list(a.shape), "values": [plain(v) for v in (a.reshape(-1) if a.dtype.kind == "f" else a.reshape(-1).tolist())]}


def floats(out):
    for v in out.values():
        v["values"] = [float(x) if isinstance(x, np.floating) else x for x in v.get("values", [])]
    return out


def read(path, prefix):
    names = [n[len(prefix):] for n in zipfile.ZipFile(path).namelist() if n.startswith(prefix)]
    store = ZipStore(path, mode="r")
    root = zarr.open_group(store, path=prefix.rstrip("/"), mode="r", **extra)
    out = {}
    for n in names:
        if n.endswith("/.zarray"):
            try:
                out["/" + n[:-8]] = entry(root[n[:-8]][...])
            except Exception as e:
                out["/" + n[:-8]] = {"error": "%s: %s" % (type(e).__name__, e)}
    store.close()
    return {k: v if "error" in v else floats({k: v})[k] for k, v in out.items()}


def create(g, name, a, chunks):
    if three:
        z = g.create_array(name, shape=a.shape, dtype=a.dtype, chunks=chunks)
    else:
        z = g.create_dataset(name, shape=a.shape, dtype=a.dtype, chunks=chunks)
    z[...] = a
    return z


def write(folder):
    os.makedirs(folder, exist_ok=True)
    rng = np.random.default_rng(20261120)
    for case, how in (("stored", zipfile.ZIP_STORED), ("deflated", zipfile.ZIP_DEFLATED)):
        arrays = {"/i": rng.integers(-9, 9, size=(30, 20)).astype("<i4"), "/d": rng.normal(size=(7,)),
                  "/g/h/u": rng.integers(0, 255, size=(3, 4, 5)).astype("u1")}
        store = ZipStore(os.path.join(folder, case + ".zip"), mode="w", compression=how)
        root = zarr.open_group(store, mode="w", **extra)
        create(root, "i", arrays["/i"], (7, 9))
        create(root, "d", arrays["/d"], (3,))
        create(root.require_group("g").require_group("h"), "u", arrays["/g/h/u"], (2, 2, 2))
        arrays["/i"][3:20, 5:11] = 77  # chunks are written again: the archive has two entries of a name
        root["i"][3:20, 5:11] = 77
        store.close()
        with open(os.path.join(folder, case + ".json"), "w") as f:
            json.dump(floats({k: entry(v) for k, v in arrays.items()}), f)


if sys.argv[1] == "read":
    print(json.dumps(read(sys.argv[2], sys.argv[3])))
else:
    write(sys.argv[2])
