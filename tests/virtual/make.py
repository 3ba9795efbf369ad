#!/usr/bin/env python3
"""Sets of references by kerchunk and VirtualiZarr, of files by netCDF-C and h5py, and what xarray and h5py read of them.
Run by tests/virtual/run with the Pythons of `./dev setup virtual`.

usage: make.py FOLDER [newest]      prints a line of JSON for each set: its name, the variables, and where their values are
"""
import json, os, sys, warnings

import h5py, netCDF4, numpy as np, xarray as xr, zarr
import fsspec, kerchunk.combine, kerchunk.hdf, kerchunk.netCDF3, kerchunk.utils

warnings.simplefilter("ignore")
folder = sys.argv[1]
os.chdir(folder)


def cut(seed, shape):
    return np.random.default_rng(seed).normal(size=shape).round(3)


# ---- the files ----

def netcdf4_file(path, seed=0, hours=(0, 1, 2), **more):
    with netCDF4.Dataset(path, "w") as ds:
        ds.title = "a/b"
        ds.createDimension("time", None)
        ds.createDimension("y", 5)
        ds.createDimension("x", 7)
        time = ds.createVariable("time", "f8", ("time",))
        time.units = "hours since 2026-01-01"
        time[:] = hours
        ds.createVariable("x", "f4", ("x",))[:] = np.arange(7)
        v = ds.createVariable("t", "f4", ("time", "y", "x"), zlib=True, shuffle=True, chunksizes=(1, 3, 4), fill_value=-9, **more)
        v.units = "K"
        v[:] = cut(seed, (len(hours), 5, 7))
        ds.createVariable("crs", "i4", ())[...] = 7
        packed = ds.createVariable("p", "i2", ("time", "y"), zlib=True, chunksizes=(2, 5))
        packed[:] = np.arange(len(hours) * 5).reshape(-1, 5) + seed
        g = ds.createGroup("g")
        g.createVariable("inner", "i4", ("y",), zlib=True)[:] = np.arange(5) * 10


def classic_file(path, format="NETCDF3_64BIT_OFFSET"):
    with netCDF4.Dataset(path, "w", format=format) as ds:
        ds.createDimension("time", None)
        ds.createDimension("x", 6)
        ds.createVariable("x", "f8", ("x",))[:] = np.arange(6) / 2
        ds.createVariable("t", "f4", ("time", "x"))[:] = cut(3, (4, 6))
        ds.createVariable("n", "i2", ("time",))[:] = [4, 3, 2, 1]


def hdf5_file(path):
    with h5py.File(path, "w") as f:
        f.create_dataset("a", data=np.arange(12, dtype="i4").reshape(3, 4))
        f.create_dataset("b", data=cut(5, (6, 4)), chunks=(2, 4), compression="gzip")
        f.create_dataset("sum", data=np.arange(8, dtype="u2"), chunks=(4,), fletcher32=True)
        f.create_dataset("few/deep", data=np.arange(3, dtype="f8"), chunks=(3,))


# ---- the sets ----

def values(path):
    """What xarray reads with fsspec: {name: list}, as they are stored."""
    fs = fsspec.filesystem("reference", fo=path, asynchronous=True, remote_protocol="file", remote_options={"asynchronous": True})
    ds = xr.open_zarr(zarr.storage.FsspecStore(fs, read_only=True, path=""), zarr_format=2, consolidated=False, decode_cf=False)
    return {name: ds[name].values.tolist() for name in ds.variables}


def of_hdf5(path):
    found = {}
    with h5py.File(path) as f:
        f.visititems(lambda name, v: found.update({name: v[()].tolist()}) if isinstance(v, h5py.Dataset) else None)
    return found


def report(name, want, **more):
    print(json.dumps({"set": name, "want": want, **more}))


def write(name, refs):
    with open(name, "w") as f:
        json.dump(refs, f)


def by_kerchunk():
    netcdf4_file("one.nc")
    one = kerchunk.hdf.SingleHdf5ToZarr("one.nc", inline_threshold=0).translate()
    write("kerchunk_hdf5.json", one)
    report("kerchunk_hdf5.json", values("kerchunk_hdf5.json"), group={"g/inner": [0, 10, 20, 30, 40]})
    write("kerchunk_v0.json", one["refs"])
    report("kerchunk_v0.json", values("kerchunk_v0.json"))
    write("kerchunk_inline.json", kerchunk.hdf.SingleHdf5ToZarr("one.nc", inline_threshold=1000).translate())
    report("kerchunk_inline.json", values("kerchunk_inline.json"))
    classic_file("classic.nc")
    write("kerchunk_classic.json", kerchunk.netCDF3.NetCDF3ToZarr("classic.nc", inline_threshold=100).translate())
    report("kerchunk_classic.json", values("kerchunk_classic.json"))
    hdf5_file("plain.h5")
    write("kerchunk_phony.json", kerchunk.hdf.SingleHdf5ToZarr("plain.h5", inline_threshold=0).translate())
    report("kerchunk_phony.json", of_hdf5("plain.h5"))
    parts = []
    for i in range(3):
        netcdf4_file("part%d.nc" % i, i, hours=range(3 * i, 3 * i + 3))
        parts.append(kerchunk.hdf.SingleHdf5ToZarr("part%d.nc" % i, inline_threshold=0).translate())
    all_parts = kerchunk.combine.MultiZarrToZarr(parts, concat_dims=["time"], identical_dims=["x"], remote_protocol="file").translate()
    write("kerchunk_combined.json", all_parts)
    report("kerchunk_combined.json", values("kerchunk_combined.json"))
    write("kerchunk_consolidated.json", kerchunk.utils.consolidate(all_parts["refs"]))
    report("kerchunk_consolidated.json", values("kerchunk_consolidated.json"))


def virtual(path, registry, **more):
    import virtualizarr as vz
    from virtualizarr.parsers import HDFParser

    return vz.open_virtual_dataset(url="file://" + os.path.abspath(path), parser=HDFParser(), registry=registry, **more)


def by_virtualizarr():
    import obstore.store
    from obspec_utils.registry import ObjectStoreRegistry

    registry = ObjectStoreRegistry({"file://": obstore.store.LocalStore()})
    virtual("one.nc", registry, loadable_variables=["time", "x"]).vz.to_kerchunk("virtualizarr.json", format="json")
    # The key of a scalar's chunk is "crs/" there, which others do not find.
    report("virtualizarr.json", {**values("virtualizarr.json"), "crs": 7})
    with h5py.File("sum.h5", "w") as f:
        f.create_dataset("s", data=np.arange(8, dtype="u2"), chunks=(4,), fletcher32=True)
    virtual("sum.h5", registry, loadable_variables=[]).vz.to_kerchunk("virtualizarr_sum.json", format="json")
    report("virtualizarr_sum.json", {"s": list(range(8))})
    return registry


def repository(registry):
    """Two files, and then one more, in an Icechunk repository."""
    import icechunk

    here = "file://" + os.getcwd() + "/"
    config = icechunk.RepositoryConfig.default()
    config.set_virtual_chunk_container(icechunk.VirtualChunkContainer(here, icechunk.local_filesystem_store(os.getcwd())))
    repo = icechunk.Repository.create(icechunk.local_filesystem_storage("series.icechunk"), config=config)
    repo.save_config()
    for i in range(3):
        netcdf4_file("part%d.nc" % i, i, hours=range(3 * i, 3 * i + 3))
        session, part = repo.writable_session("main"), virtual("part%d.nc" % i, registry, loadable_variables=["time", "x"])
        if i == 0:
            part.vz.to_icechunk(session.store)
        else:
            part.drop_vars(["x", "crs"]).vz.to_icechunk(session.store, append_dim="time")
        session.commit("part %d" % i)
    report("series.icechunk", {"time": list(range(9)), "t": [cut(i, (3, 5, 7)).tolist() for i in range(3)], "crs": 7}, allow=True)


if sys.argv[2:] == ["newest"]:
    netcdf4_file("one.nc")
    repository(by_virtualizarr())
else:
    by_kerchunk()
    by_virtualizarr()
