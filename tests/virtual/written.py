#!/usr/bin/env python3
"""Files of which nczcopy writes sets of references, and what others read of these sets. Run by tests/virtual/run with the
Python of `./dev setup virtual`.

usage: written.py files FOLDER     makes the files; prints a line of JSON for each set that is to be written
       written.py read FOLDER      reads the sets, and compares; prints what differs
"""
import json, os, sys, warnings

import h5py, netCDF4, numpy as np, xarray as xr, zarr
import fsspec

warnings.simplefilter("ignore")
what, folder = sys.argv[1:]
os.chdir(folder)


def cut(seed, shape):
    return np.random.default_rng(seed).normal(size=shape).round(3)


def netcdf_file(path, i, **more):
    with netCDF4.Dataset(path, "w", **more) as ds:
        ds.createDimension("time", None)
        ds.createDimension("y", 50)
        ds.createDimension("x", 40)
        time = ds.createVariable("time", "f8", ("time",))
        time.units = "hours since 2026-01-01"
        time[:] = np.arange(3) + 3 * i
        ds.createVariable("x", "f4", ("x",))[:] = np.arange(40)
        own = {} if "format" in more else {"zlib": True, "shuffle": True, "fletcher32": True, "chunksizes": (1, 25, 40)}
        ds.createVariable("t", "f4", ("time", "y", "x"), fill_value=-9, **own)[:] = cut(i, (3, 50, 40))
        packed = ds.createVariable("p", "i2", ("time", "y"), **({} if "format" in more else {"chunksizes": (1, 50)}))
        packed.scale_factor = 0.5
        packed.set_auto_maskandscale(False)
        packed[:] = np.arange(150).reshape(3, 50) + 100 * i
        ds.createVariable("c", "S1", ("y",))[:] = np.array(list("ab" * 25), "S1")
        ds.createVariable("fixed", "i4", ("y", "x"))[:] = np.arange(2000).reshape(50, 40)
        if "format" not in more:
            ds.createVariable("s", str, ("x",))[:] = np.array(["a" * k for k in range(40)], object)
            ds.createGroup("g").createVariable("inner", "i8", ("y", "x"), zlib=True)[:] = np.arange(2000).reshape(50, 40)


def hdf5_file(path):
    with h5py.File(path, "w") as f:
        f.create_dataset("part", (100000,), "f4", chunks=(1000,), compression="gzip", fillvalue=7)[10:20] = 1
        mask = f.create_dataset("mask", (4000,), "f8", chunks=(2000,), compression="gzip")
        mask.id.write_direct_chunk((0,), np.arange(2000.).tobytes(), 1)
        mask[2000:] = 5
        f.create_dataset("plain", data=np.arange(12000, dtype=">i4").reshape(3, 4000))
        f.create_dataset("lzf", data=np.arange(100.), chunks=(10,), compression="lzf")
        f.create_dataset("few/deep", data=np.arange(1000, dtype="f2"), chunks=(77,))


def zarr_dataset(path, version):
    group = zarr.open_group(path, mode="w", zarr_format=version)
    more = {"dimension_names": ["a", "b"]} if version == 3 else {}
    v = group.create_array("v", shape=(30, 40), chunks=(10, 20), dtype="f8", fill_value=-1.0, **more)
    v[:20] = cut(9, (20, 40))
    if version == 2:
        v.attrs["_ARRAY_DIMENSIONS"] = ["a", "b"]


def values(path, names):
    """What zarr-python reads. It does not list what is in groups of such a store."""
    fs = fsspec.filesystem("reference", fo=path, asynchronous=True, remote_protocol="file", remote_options={"asynchronous": True})
    root = zarr.open_group(zarr.storage.FsspecStore(fs, read_only=True, path=""), zarr_format=2, mode="r")
    return {name: root[name][...] for name in names}


def of_file(paths):
    """What libraries of the formats read, along time."""
    found = {}
    if paths[0].endswith(".zarr"):
        return {name: v[...] for name, v in zarr.open_group(paths[0], mode="r").arrays()}
    if paths[0].endswith(".h5"):
        with h5py.File(paths[0]) as f:
            f.visititems(lambda name, v: found.update({name: v[()]}) if isinstance(v, h5py.Dataset) else None)
        return found
    for path in paths:
        with netCDF4.Dataset(path) as ds:
            ds.set_auto_maskandscale(False)
            ds.set_auto_chartostring(False)
            for prefix, group in [("", ds)] + [(name + "/", g) for name, g in ds.groups.items()]:
                for name, v in group.variables.items():
                    joined = "time" in v.dimensions and prefix + name in found
                    found[prefix + name] = np.concatenate([found[prefix + name], v[...]]) if joined else v[...]
    return found


SETS = {
    "netcdf4": ["n0.nc"], "netcdf4_all": ["n0.nc", "n1.nc", "n2.nc"], "classic": ["c0.nc"], "classic_all": ["c0.nc", "c1.nc", "c2.nc"],
    "hdf5": ["plain.h5"], "zarr2": ["two.zarr"], "zarr3": ["three.zarr"],
}
PLACES = {"zarr2": ["two.zarr/v/%d.%d" % (i, j) for i in range(2) for j in range(2)],
          "zarr3": ["three.zarr/v/c/%d/%d" % (i, j) for i in range(2) for j in range(2)]}


def files():
    for i in range(3):
        netcdf_file("n%d.nc" % i, i)
        netcdf_file("c%d.nc" % i, i, format="NETCDF3_64BIT_OFFSET")
    hdf5_file("plain.h5")
    zarr_dataset("two.zarr", 2)
    zarr_dataset("three.zarr", 3)
    for name, sources in SETS.items():
        want = {k: v.tolist() for k, v in of_file(sources).items() if v.dtype.kind in "iuf"}
        for inline in ["500", "0"]:
            print(json.dumps({"set": "%s_%s.json" % (name, inline), "sources": sources, "want": want,
                              "options": ["--inline", inline], "places": PLACES.get(name, sources)}))


def same(a, b):
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype.kind == "O" or b.dtype.kind in "OT":
        return a.shape == b.shape and [str(x) for x in a.ravel()] == [str(x) for x in b.ravel()]
    return a.shape == b.shape and a.tobytes() == b.astype(a.dtype).tobytes()


def read():
    import obstore.store, virtualizarr as vz
    from obspec_utils.registry import ObjectStoreRegistry
    from virtualizarr.parsers import KerchunkJSONParser

    wrong = []
    registry = ObjectStoreRegistry({"file://": obstore.store.LocalStore()})
    for name, sources in SETS.items():
        want = of_file(sources)
        for inline in ["500", "0"]:
            path = "%s_%s.json" % (name, inline)
            got = values(path, want)
            wrong += ["%s %s: zarr-python" % (path, var) for var in want if not same(want[var], got[var])]
            ds = xr.open_dataset(path, engine="kerchunk", mask_and_scale=False, decode_times=False)
            wrong += ["%s %s: xarray" % (path, var) for var in want if "/" not in var and not same(want[var], ds[var].values)]
        if name in ("netcdf4_all", "classic_all"):  # VirtualiZarr reads nothing that is in the set itself
            path = "%s_0.json" % name
            with open(path) as f:
                inlined = {k.rsplit("/", 1)[0] for k, v in json.load(f)["refs"].items() if str(v).startswith("base64:")}
            parser = KerchunkJSONParser(fs_root="file://" + os.getcwd() + "/", skip_variables=sorted(inlined))
            vds = vz.open_virtual_dataset(url="file://" + os.path.abspath(path), registry=registry, parser=parser,
                                          loadable_variables=["t", "v"], decode_times=False)
            wrong += ["%s %s: VirtualiZarr" % (path, var) for var in set(want) - inlined
                      if "/" not in var and vds[var].shape != want[var].shape]
            wrong += ["%s %s: VirtualiZarr" % (path, var) for var in {"t", "v"} & set(want)
                      if not np.allclose(vds[var].values, want[var], equal_nan=True)]
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


files() if what == "files" else read()
