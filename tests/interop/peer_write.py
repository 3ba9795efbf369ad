#!/usr/bin/env python3
"""Writes datasets with one peer, and beside each NAME.zarr a NAME.json that says what a reader must find.

usage: peer_write.py zarr|xarray|netcdf FOLDER      run with the Python that has that peer
"""
import json, math, os, sys

import numpy as np

kind, folder = sys.argv[1:3]
os.makedirs(folder, exist_ok=True)
rng = np.random.default_rng(20261120)


def plain(v):
    if isinstance(v, bytes):
        return v.decode("utf-8", "surrogateescape")
    if isinstance(v, (str, bool, int)):
        return int(v) if isinstance(v, bool) else v
    v = float(v)
    return "NaN" if math.isnan(v) else v if not math.isinf(v) else "Infinity" if v > 0 else "-Infinity"


def expect(name, arrays):
    out = {}
    for path, a in arrays.items():
        a = np.asarray(a)
        if a.dtype.kind in "mM":
            a = a.astype("i8")
        out[path] = {"shape": list(a.shape), "values": [plain(v) for v in a.reshape(-1).tolist()]}
    with open(os.path.join(folder, name + ".json"), "w") as f:
        json.dump(out, f)


def sample(dtype, shape):
    dtype = np.dtype(dtype)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, size=shape, dtype=dtype.newbyteorder("="), endpoint=True).astype(dtype)
    if dtype.kind == "f":
        a = rng.normal(size=shape).astype(dtype)
        a.reshape(-1)[0] = np.nan
        a.reshape(-1)[-1] = -np.inf
        return a
    if dtype.kind == "b":
        return rng.integers(0, 2, size=shape).astype(bool)
    if dtype.kind == "S":
        return np.array([b"ab", b"", b"xyz"] * 100)[: int(np.prod(shape))].reshape(shape).astype(dtype)
    if dtype.kind == "U":
        return np.array(["h\u00e9", "", "z\u2713"] * 100)[: int(np.prod(shape))].reshape(shape).astype(dtype)
    if dtype.kind in "mM":
        return rng.integers(0, 10**9, size=shape).astype("i8").view(dtype)
    raise SystemExit(dtype)


def write_zarr():
    import numcodecs, zarr
    three = int(zarr.__version__.split(".")[0]) >= 3
    extra = {"zarr_format": 2} if three else {}

    def create(group, name, a, **kw):
        if three:
            if "compressor" in kw:
                kw["compressors"] = kw.pop("compressor")
            if kw.get("filters") is None:
                kw.pop("filters", None)
            if "dimension_separator" in kw:
                kw["chunk_key_encoding"] = {"name": "v2", "separator": kw.pop("dimension_separator")}
            z = group.create_array(name, shape=a.shape, dtype=a.dtype, **kw)
            z[...] = a
        else:
            group.create_dataset(name, data=a, shape=a.shape, dtype=a.dtype, **kw)

    arrays = {}
    g = zarr.open_group(os.path.join(folder, "dtypes.zarr"), mode="w", **extra)
    for t in ("b1", "i1", "u1", "<i2", ">i2", "<u2", ">u2", "<i4", ">i4", "<u4", ">u4", "<i8", ">i8", "<u8", ">u8", "<f2", "<f4",
              ">f4", "<f8", ">f8", "S3", "<U4", ">U4", "<M8[s]", "<m8[ns]"):
        a = sample(t, (7, 5))
        name = "v_" + t.replace("<", "le_").replace(">", "be_").replace("[", "_").replace("]", "")
        try:
            create(g, name, a, chunks=(3, 2))
        except Exception as e: # a dtype that this version of the peer refuses to write
            print("%s: not written: %s" % (t, e), file=sys.stderr)
            continue
        arrays["/" + name] = a
    expect("dtypes", arrays)

    arrays = {}
    g = zarr.open_group(os.path.join(folder, "codecs.zarr"), mode="w", **extra)
    codecs = {"none": None, "zlib": numcodecs.Zlib(6), "gzip": numcodecs.GZip(5), "bz2": numcodecs.BZ2(3), "zstd": numcodecs.Zstd(3)}
    for c in ("blosclz", "lz4", "lz4hc", "zlib", "zstd"):
        for s in (0, 1, 2):
            codecs["blosc_%s_%d" % (c, s)] = numcodecs.Blosc(c, 5, s)
    for name, codec in codecs.items():
        a = sample("<i4", (33, 17))
        create(g, name, a, chunks=(10, 9), compressor=codec)
        arrays["/" + name] = a
    for name, filters in (("shuffle", [numcodecs.Shuffle(4)]), ("fletcher", [numcodecs.Fletcher32()])):
        a = sample("<i4", (33, 17))
        create(g, name, a, chunks=(10, 9), compressor=numcodecs.Zlib(1), filters=filters)
        arrays["/" + name] = a
    expect("codecs", arrays)

    arrays = {}
    g = zarr.open_group(os.path.join(folder, "layout.zarr"), mode="w", **extra)
    a = sample("<f8", (5, 6, 7))
    create(g, "order_f", a, chunks=(2, 3, 4), order="F")
    arrays["/order_f"] = a
    create(g, "slash", a, chunks=(2, 3, 4), dimension_separator="/")
    arrays["/slash"] = a
    create(g, "sparse", np.full((40, 40), 7, "<i2"), chunks=(8, 8), fill_value=7)
    arrays["/sparse"] = np.full((40, 40), 7, "<i2")
    sub = g.require_group("one").require_group("two")
    create(sub, "deep", a[0], chunks=(6, 7))
    arrays["/one/two/deep"] = a[0]
    create(g, "scalar", np.array(2.5), **({} if three else {"chunks": ()}))
    arrays["/scalar"] = np.array(2.5)
    g.attrs["title"] = "h\u00e9llo \U0001F600"
    g.attrs["list"] = [1, 2, 3]
    g.attrs["nested"] = {"a": [1, {"b": None}]}
    zarr.consolidate_metadata(os.path.join(folder, "layout.zarr"), **extra)
    expect("layout", arrays)


def write_xarray():
    import xarray, zarr
    three = int(zarr.__version__.split(".")[0]) >= 3
    d = xarray.Dataset(
        {"t": (("time", "y", "x"), rng.normal(size=(4, 3, 5)).astype("f4"), {"units": "K"}),
         "flag": (("y", "x"), rng.integers(0, 2, size=(3, 5)).astype(bool)),
         "n": ((), np.int64(7))},
        coords={"time": np.arange(4), "y": [10.0, 20.0, 30.0], "x": np.arange(5, dtype="i2"),
                "name": ("y", np.array(["a", "bb", "c\u00e9"], dtype="<U2")),
                "label": ("y", np.array(["of any length", "", "c\u00e9"], dtype=object))})
    target = os.path.join(folder, "ds.zarr")
    d.to_zarr(target, mode="w", **({"zarr_format": 2} if three else {}))
    expect("ds", {"/" + k: d[k].values for k in d.variables})


def write_netcdf():
    import netCDF4
    target = os.path.join(folder, "nc.zarr")
    d = netCDF4.Dataset("file://%s#mode=nczarr,file" % target, "w")
    d.createDimension("t", None)
    d.createDimension("x", 6)
    g = d.createGroup("g")
    g.createDimension("y", 4)
    arrays = {}
    for t in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"):
        a = sample(t, (4, 6))
        if t[0] == "f":
            a[0, 0], a[-1, -1] = 1.5, 2.5
        v = d.createVariable("v_" + t, t, ("t", "x"), zlib=True, complevel=3, shuffle=True, chunksizes=(3, 4))
        v[:] = a
        arrays["/v_" + t] = a
        w = g.createVariable("w_" + t, t, ("y", "x"), endian="big" if t[1] != "1" else "little")
        w[:] = a
        arrays["/g/w_" + t] = a
    d.title = "from netCDF4"
    d.close()
    expect("nc", arrays)


{"zarr": write_zarr, "xarray": write_xarray, "netcdf": write_netcdf}[kind]()
