"""Makes the sources of the matrix with the programs that people use: zarr-python, netCDF-C (netCDF4-python) and h5py; what
is NCZarr, with nczgen; what has its data elsewhere, with nczcopy or icechunk."""
import os, subprocess, warnings

import h5py, netCDF4, zarr
import numpy as np
import programs

warnings.simplefilter("ignore")


class Cannot(Exception):
    """The format has no form for this."""


class ZarrWriter:
    """Pure Zarr by zarr-python, as xarray writes it: dimensions are names of arrays."""

    def __init__(self, path, version, shards=False, top=None):
        self.version, self.shards = version, shards
        self.root = top if top is not None else zarr.open_group(path, mode="w", zarr_format=version)
        self.lengths = {}

    def dim(self, name, n, unlimited=False):
        self.lengths[name] = n

    def group(self, name):
        g = ZarrWriter(None, self.version, self.shards, self.root.create_group(name))
        g.lengths = dict(self.lengths)
        return g

    def zarr_only(self):
        pass

    def attr(self, name, value):
        self.root.attrs[name] = plain_value(value)

    def json_attr(self, name, value):
        self.root.attrs[name] = value

    def var(self, name, dims, data, kind="number", chunks=None, fill=None, attrs=None, codec=None, separator=".", order="C", foreign_fill=False):
        if kind == "char" or foreign_fill: # in Zarr the fill value is a member of the document
            raise Cannot
        if name == "zarr.json" or self.version == 3 and getattr(data, "dtype", np.dtype("i4")).names:
            raise Cannot
        data = to_array(data, kind, [self.lengths[d] for d in dims])
        dtype = "str" if kind == "string" else data.dtype
        more = {"dimension_names": dims} if self.version == 3 else {"chunk_key_encoding": {"name": "v2", "separator": separator}, "order": order}
        chunks = chunks or [max(1, n) for n in data.shape]
        if self.shards and data.ndim and 0 not in data.shape:
            more["shards"] = [c * 2 for c in chunks]
        if fill is not None:
            more["fill_value"] = fill
        if codec is None and kind != "string":
            more["compressors"] = None
        if self.version == 3 and order != "C":
            raise Cannot
        a = self.root.create_array(name, shape=data.shape, dtype=dtype, chunks=tuple(chunks), **more)
        if data.size:
            a[...] = data if data.ndim else data[()]
        if self.version == 2:
            a.attrs["_ARRAY_DIMENSIONS"] = list(dims)
        for k, v in (attrs or {}).items():
            a.attrs[k] = plain_value(v)

    def enum(self, *_):
        raise Cannot

    def record(self, name, dims, kind, data):
        self.var(name, dims, data, "any")

    hdf5_null = hdf5_name = enum

    def close(self):
        pass


def plain_value(value):
    if isinstance(value, bytes):
        raise Cannot
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def to_array(data, kind, shape):
    if kind == "string":
        return np.array(data, dtype=object).reshape(shape)
    return data


class NetcdfWriter:
    """netCDF-4 and classic files by netCDF-C; what it refuses to make in a netCDF-4 file, by h5py."""

    def __init__(self, path, form, group=None):
        self.path, self.form, self.late = path, form, []
        self.group_ = group if group is not None else netCDF4.Dataset(path, "w", format=form)
        self.classic = form != "NETCDF4"

    def dim(self, name, n, unlimited=False):
        self.group_.createDimension(name, None if unlimited else n)
        self.lengths = {**getattr(self, "lengths", {}), name: n}

    def group(self, name):
        if self.classic:
            raise Cannot
        g = NetcdfWriter(None, self.form, self.group_.createGroup(name))
        g.lengths = dict(self.lengths)
        return g

    def zarr_only(self, *_):
        raise Cannot

    json_attr = zarr_only

    def attr(self, name, value, of=None):
        of = self.group_ if of is None else of
        if self.classic and isinstance(value, list):
            raise Cannot
        if self.classic and getattr(value, "dtype", np.dtype("f4")).str[1:] in ("u8", "i8"):
            raise Cannot
        if isinstance(value, bytes):
            if self.classic:
                raise Cannot # the binding encodes texts itself
            place = "/" if of is self.group_ else of.name
            self.late.append(lambda f: f[place].attrs.__setitem__(name, np.bytes_(value)))
        elif name == "" or "/" in name or name.startswith(" "):
            raise Cannot
        else:
            try:
                of.setncattr(name, value)
            except (AttributeError, RuntimeError) as e:
                raise Cannot from e

    def var(self, name, dims, data, kind="number", chunks=None, fill=None, attrs=None, codec=None, separator=None, order=None, foreign_fill=False):
        if kind in ("bytes", "any") or (kind == "string" and self.classic):
            raise Cannot
        if kind == "string" and any("\0" in s for s in data):
            raise Cannot
        if "/" in name or name[0] in " " or (foreign_fill and self.classic):
            raise Cannot
        more = {} if self.classic or not dims or not chunks else {"chunksizes": chunks}
        if codec and not self.classic:
            more.update(zlib=True, complevel=2)
        dtype = str if kind == "string" else np.dtype("S1") if kind == "char" else data.dtype
        data = to_array(data, kind, [self.lengths[d] for d in dims])
        try:
            v = self.group_.createVariable(name, dtype, dims, fill_value=fill, **more)
        except (RuntimeError, ValueError, TypeError) as e:
            raise Cannot from e
        v.set_auto_maskandscale(False)
        v.set_auto_chartostring(False)
        if np.size(data):
            v[...] = data if np.ndim(data) else data.item()
        for k, value in (attrs or {}).items():
            if foreign_fill and k == "_FillValue":
                self.late.append(lambda f, k=k, value=value: f[name].attrs.__setitem__(k, value))
            else:
                self.attr(k, value, v)

    def enum(self, name, dims, kind, members, data):
        if self.classic:
            raise Cannot
        t = self.group_.createEnumType(data.dtype, kind, members)
        self.group_.createVariable(name, t, dims)[...] = data

    def record(self, name, dims, kind, data):
        if self.classic:
            raise Cannot
        t = self.group_.createCompoundType(data.dtype, kind)
        self.group_.createVariable(name, t, dims)[...] = data

    def hdf5_null(self, name):
        self.hdf5_name(name.encode(), h5py.Empty("f4"))

    def hdf5_name(self, name, value=None):
        if self.classic:
            raise Cannot
        value = np.array([1, 2, 3], "i4") if value is None else value
        self.late.append(lambda f: f.create_dataset(name, data=value))

    def close(self):
        self.group_.close()
        if self.late:
            with h5py.File(self.path, "a") as f:
                for change in self.late:
                    change(f)


class NczarrWriter(NetcdfWriter):
    """NCZarr, by nczgen from what nczdump prints of the netCDF-4 file."""

    def __init__(self, path, tools, target):
        super().__init__(path + ".nc4", "NETCDF4")
        self.tools, self.target = tools, target

    def hdf5_name(self, *_):
        raise Cannot

    def close(self):
        if self.late:
            raise Cannot
        super().close()
        cdl = programs.run([self.tools.dump, "-s", self.path], capture_output=True, timeout=60)
        out = self.path + ".cdl"
        with open(out, "wb") as f:
            f.write(cdl.stdout)
        r = programs.run([self.tools.gen, "-o", self.target, out], capture_output=True, text=True, errors="replace", timeout=60)
        os.remove(self.path)
        os.remove(out)
        if cdl.returncode or r.returncode:
            raise Cannot(r.stderr)


class ElsewhereWriter(NetcdfWriter):
    """A file whose data lie in a netCDF-4 file beside it: a set of references, an aggregation."""

    def __init__(self, path, tools, *options):
        super().__init__(path + ".nc4", "NETCDF4")
        self.command, self.target = [tools.copy, *options], path

    def close(self):
        super().close()
        r = programs.run([*self.command, self.path, self.target], capture_output=True, text=True, errors="replace", timeout=60)
        if r.returncode:
            raise Cannot(r.stderr)


class IcechunkWriter(ZarrWriter):
    """A repository, by icechunk from what zarr-python writes: of all at once, in finish()."""
    waiting = []

    def __init__(self, path):
        super().__init__(path + ".v3", 3)
        self.waiting += [path + ".v3", path]


def finish():
    """Makes what waits for its writer."""
    here = os.path.dirname(os.path.abspath(__file__))
    python = os.path.join(here, "..", "..", ".cache", "icechunk", "bin", "python")
    if IcechunkWriter.waiting and os.path.exists(python):
        subprocess.run([python, "-B", os.path.join(here, "to_icechunk.py"), *IcechunkWriter.waiting], timeout=600, capture_output=True)


# name of a kind of source -> what its path ends in, and the writer
SOURCES = {
    "v2": (".zarr", lambda p, t: ZarrWriter(p, 2)),
    "v3": (".zarr", lambda p, t: ZarrWriter(p, 3)),
    "shards": (".zarr", lambda p, t: ZarrWriter(p, 3, shards=True)),
    "nczarr": (".zarr", lambda p, t: NczarrWriter(p, t, p)),
    "nczarr3": (".zarr", lambda p, t: NczarrWriter(p, t, p + "#mode=nczarr,v3")),
    "zip": (".zip", lambda p, t: NczarrWriter(p, t, p)),
    "classic": (".nc", lambda p, t: NetcdfWriter(p, "NETCDF3_64BIT_DATA")),
    "netcdf4": (".nc", lambda p, t: NetcdfWriter(p, "NETCDF4")),
    "references": (".json", lambda p, t: ElsewhereWriter(p, t, "--references", "--inline", "0")),
    "aggregation": (".nc", lambda p, t: ElsewhereWriter(p, t, "--aggregate", "--along", "x")),
    "icechunk": (".icechunk", lambda p, t: IcechunkWriter(p)),
}
