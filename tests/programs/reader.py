#!/usr/bin/env python3
"""Reads datasets with a library that is not ours. From stdin: [[name, url], ...]; to stdout: {name: {"arrays": {path:
{"shape", "dims", "values"}}, "atts": {...}} or {"error": text}}. Values are those stored: no mask, no scale.

usage: reader.py netcdf|zarr      netcdf: netCDF4-python, files and NCZarr's directories; zarr: zarr-python, which takes
s3://BUCKET/KEY of the endpoint AWS_ENDPOINT_URL, too
"""
import json, os, sys, zipfile


def plain(value):
    return value.decode() if isinstance(value, bytes) else value


def entry(array, dims):
    return {"shape": list(array.shape), "dims": dims, "values": [plain(v) for v in array.reshape(-1).tolist()]}


def read_netcdf(url):
    import netCDF4
    with netCDF4.Dataset(url) as d:
        d.set_auto_maskandscale(False)
        d.set_auto_chartostring(False)
        groups = [("", d)] + list(d.groups.items())
        arrays = {os.path.join(where, name): entry(v[...], list(v.dimensions)) for where, g in groups for name, v in g.variables.items()}
        return {"arrays": arrays, "atts": {n: str(d.getncattr(n)) for n in d.ncattrs()}}


def root_in(archive):
    """The folder of the root group: in the archives of NCZarr it has their name."""
    with zipfile.ZipFile(archive) as z:
        return min((os.path.dirname(n) for n in z.namelist() if os.path.basename(n) in (".zgroup", "zarr.json")), key=len)


def open_zarr(url):
    import zarr
    if url.startswith("s3://"):
        store = zarr.storage.FsspecStore.from_url(url, read_only=True, storage_options={"endpoint_url": os.environ["AWS_ENDPOINT_URL"]})
        return zarr.open_group(store, mode="r")
    if url.endswith(".zip"):
        return zarr.open_group(zarr.storage.ZipStore(url, mode="r"), path=root_in(url), mode="r")
    return zarr.open_group(url, mode="r")


def read_zarr(url):
    import zarr
    root = open_zarr(url)
    arrays = {}
    for path, node in root.members(max_depth=1):
        if isinstance(node, zarr.Array):
            dims = node.metadata.dimension_names if node.metadata.zarr_format == 3 else node.attrs.get("_ARRAY_DIMENSIONS")
            arrays[path] = entry(node[...], dims and list(dims))
    return {"arrays": arrays, "atts": {n: str(v) for n, v in root.attrs.items()}}


def attempt(read, url):
    try:
        return read(url)
    except Exception as e:
        return {"error": "%s: %s" % (type(e).__name__, e)}


read = {"netcdf": read_netcdf, "zarr": read_zarr}[sys.argv[1]]
json.dump({name: attempt(read, url) for name, url in json.load(sys.stdin)}, sys.stdout)
