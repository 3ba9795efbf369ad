#!/usr/bin/env python3
"""Reads datasets of version 3 with one peer, and prints for each a line of JSON: {"path", "arrays": {"/v": {"shape", "values"}},
"warnings": [...]}. An array that the peer refuses is {"error": text}; xarray's have "masked", where its decoded values lack,
GDAL's "nodata" where it has one.

usage: v3_read.py zarr|zarrs|xarray|tensorstore|gdal PATH...      run with the Python that has that peer
"""
import json, math, os, sys, warnings

import numpy as np

kind, paths = sys.argv[1], sys.argv[2:]


def plain(v):
    if isinstance(v, (bytes, np.bytes_)):
        return bytes(v).decode("utf-8", "surrogateescape")
    if isinstance(v, (str, np.str_)):
        return str(v)
    if isinstance(v, (bool, int, np.integer, np.bool_)):
        return int(v)
    v = float(v)
    return "NaN" if math.isnan(v) else v if not math.isinf(v) else "Infinity" if v > 0 else "-Infinity"


def entry(a):
    a = np.asarray(a)
    if a.dtype.kind in "mM":
        a = a.astype("i8")
    return {"shape": list(a.shape), "values": [plain(v) for v in a.reshape(-1).tolist()]}


def nodes(path, kind):
    """Paths of all arrays or groups, found in the folder itself: no peer's listing decides what is looked at."""
    out = []
    for folder, _, files in sorted(os.walk(path)):
        if "zarr.json" in files:
            with open(os.path.join(folder, "zarr.json")) as f:
                document = json.load(f)
            if document["node_type"] == kind:
                where = os.path.relpath(folder, path)
                out.append("" if where == "." else where)
    return out


def attempt(read):
    try:
        return read()
    except Exception as e:
        return {"error": "%s: %s" % (type(e).__name__, e)}


def read_zarr(path):
    import zarr
    root = zarr.open_group(path, mode="r", zarr_format=3)
    return {"/" + name: attempt(lambda: entry(root[name][...])) for name in nodes(path, "array")}


def read_tensorstore(path):
    import tensorstore as ts

    def read(name):
        return entry(ts.open({"driver": "zarr3", "kvstore": {"driver": "file", "path": os.path.join(path, name) + "/"}}, open=True, read=True)
                     .result().read().result())
    return {"/" + name: attempt(lambda: read(name)) for name in nodes(path, "array")}


def read_xarray(path):
    import xarray
    out = {}
    for g in nodes(path, "group"):
        prefix = "/" + (g + "/" if g else "")
        options = {"group": g or None, "consolidated": False, "decode_times": False, "concat_characters": False, "chunks": None, "zarr_format": 3}
        stored = xarray.open_zarr(path, mask_and_scale=False, **options)
        meant = xarray.open_zarr(path, mask_and_scale=True, **options)
        for name in stored.variables:
            a = meant[name].values
            out[prefix + name] = dict(entry(stored[name].values), masked=[bool(v) for v in (np.isnan(a) if a.dtype.kind == "f" else np.zeros(a.shape, bool)).reshape(-1)])
    return out


def read_gdal(path):
    from gdal_lib import Gdal
    global gdal
    gdal = gdal or Gdal()
    out = {}

    def flatten(v):
        return [w for item in v for w in flatten(item)] if isinstance(v, list) else [v]

    def walk(g, prefix):
        for name, a in g.get("arrays", {}).items():
            out[prefix + name] = {"values": [{"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(str(x).lower(), x) for x in flatten(a.get("values", []))],
                                  "shape": a.get("dimension_size", [])}
            if "nodata_value" in a:
                out[prefix + name]["nodata"] = a["nodata_value"]
        for name, sub in g.get("groups", {}).items():
            walk(sub, prefix + name + "/")

    gdal.messages.clear()
    walk(gdal.info('ZARR:"%s"' % path), "/")
    for level, text in gdal.messages:
        warnings.warn("GDAL: " + text)
    return out


gdal = None
if kind == "zarrs":
    import zarr, zarrs # noqa: F401  registers the pipeline
    zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline"})
reader = {"zarr": read_zarr, "zarrs": read_zarr, "tensorstore": read_tensorstore, "xarray": read_xarray, "gdal": read_gdal}[kind]
for path in paths:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            line = {"arrays": reader(path)}
        except Exception as e: # the whole dataset
            line = {"arrays": {}, "error": "%s: %s" % (type(e).__name__, e)}
    line.update(path=path, warnings=sorted({"%s: %s" % (w.category.__name__, w.message) for w in caught}))
    print(json.dumps(line), flush=True)
