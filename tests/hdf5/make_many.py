#!/usr/bin/env python3
"""Many small files, each of one kind of thing in one version of HDF5's format: by h5py, and by netCDF4-python (netCDF-C).

usage: make_many.py h5py | netcdf DIRECTORY      each with a Python that has that package
"""
import os, sys

import numpy as np

LIBVERS = ["earliest", "v108", "v110", "v114", "v200"]


def values(shape, dtype="<i4"):
    return (np.arange(int(np.prod(shape))) * 7 % 251).reshape(shape).astype(dtype)


# ---- h5py -----------------------------------------------------------------------------------------------------------

def number(dtype):
    def make(h5py, f):
        f["contiguous"] = values((5, 3), dtype)
        f.create_dataset("chunked", (7, 9), dtype, chunks=(3, 4), compression="gzip", shuffle=True)[...] = values((7, 9), dtype)
        f.create_dataset("scalar", (), dtype)[...] = 3
        f.create_dataset("fill", (4,), dtype, chunks=(2,), fillvalue=9)[:1] = 1
        f.attrs["one"] = np.dtype(dtype).type(5)
        f["contiguous"].attrs["several"] = values(3, dtype)
    return make


def growing(dtype):
    def make(h5py, f):
        d = f.create_dataset("grown", (2, 6), dtype, chunks=(2, 4), maxshape=(None, 6), fillvalue=7)
        d[...] = values((2, 6), dtype)
        d.resize((9, 6))
        d[7:] = values((2, 6), dtype)
        f.create_dataset("both", (5, 5), dtype, chunks=(2, 2), maxshape=(None, None), compression="gzip")[1:3, 3:] = values((2, 2), dtype)
    return make


def chunked(shape, chunks, most=None, **how):
    def make(h5py, f):
        d = f.create_dataset("d", shape, "<i4", chunks=chunks, maxshape=most, **how)
        d[...] = values(shape)
        f.create_dataset("sparse", shape, "<i4", chunks=chunks, maxshape=most, **how)[tuple(slice(n // 2, n // 2 + 1) for n in shape)] = 5
        f.create_dataset("none", shape, "<i4", chunks=chunks, maxshape=most, **how)
    return make


def layout(kind):
    def make(h5py, f):
        p = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        p.set_layout({"compact": h5py.h5d.COMPACT, "contiguous": h5py.h5d.CONTIGUOUS}[kind])
        for name, t in (("i2", h5py.h5t.STD_I16BE), ("f8", h5py.h5t.IEEE_F64LE)):
            d = h5py.Dataset(h5py.h5d.create(f.id, name.encode(), t, h5py.h5s.create_simple((3, 5)), p))
            d[...] = values((3, 5))
        h5py.h5d.create(f.id, b"never", h5py.h5t.STD_I32LE, h5py.h5s.create_simple((4,)), p)
    return make


def texts(h5py, f):
    f["variable"] = np.array(["a", "", "\u00e4\u00f6"], dtype=object)
    f.create_dataset("ascii", (2,), h5py.string_dtype("ascii"))[:] = ["x", "yz"]
    f.create_dataset("chunked", (5,), h5py.string_dtype(), chunks=(2,))[:3] = ["1", "22", "333"]
    f["fixed"] = np.array([b"ab", b"", b"abcd"], "S4")
    f["letters"] = np.array([b"a", b"b"], "S1")
    f.create_dataset("scalar", (), h5py.string_dtype())[...] = "one"


def attributes(count):
    def make(h5py, f):
        f["d"] = values(3)
        for o in (f, f["d"]):
            for i in range(count):
                o.attrs["a%03d" % i] = i
            o.attrs["text"], o.attrs["bytes"], o.attrs["list"] = "text", np.bytes_("abc"), ["a", "bc"]
            o.attrs["none"] = h5py.Empty("i4")
            o.attrs["flag"] = True
    return make


def links(count, track):
    def make(h5py, f):
        g = f.create_group("g", track_order=track)
        for i in range(count):
            g["d%03d" % ((i * 7) % count)] = i
        g["soft"], f["up"], f["dangling"] = h5py.SoftLink("/g/d000"), h5py.SoftLink("/g"), h5py.SoftLink("/none")
        f["hard"] = g["d000"]
        f.create_group("empty")
        f.create_group("a/b/c/d")["deep"] = values(2)
    return make


def scales(h5py, f):
    for n in ("x", "y"):
        f[n] = values(3 if n == "x" else 4, "f8")
        f[n].make_scale(n)
    f["d"] = values((4, 3))
    f["d"].dims[0].attach_scale(f["y"])
    f["d"].dims[1].attach_scale(f["x"])
    f["half"] = values((4, 3))
    f["half"].dims[1].attach_scale(f["x"])
    f["g/d"] = values((3, 4))
    f["g/d"].dims[0].attach_scale(f["x"])
    f["z"] = values((3, 2))


def records(h5py, f):
    f["numbers"] = np.array([(1, 2.5), (3, 4.5)], [("a", "<i2"), ("b", ">f8")])
    f["array"] = np.array([(1, [1, 2, 3])], [("a", "u1"), ("b", "<i4", (3,))])
    f["inner"] = np.array([((1, 2), 3)], [("p", [("x", "i1"), ("y", "i1")]), ("q", "i8")])
    f["complex"] = np.array([1 + 2j])
    f["type"] = np.dtype([("a", "<i4"), ("b", ">f8")])
    f.create_dataset("of type", (2,), f["type"])


def others(h5py, f):
    f["bools"] = np.array([True, False])
    f.create_dataset("enum", (3,), h5py.enum_dtype({"red": 1, "green": 5}, "<i2"))[:] = [1, 5, 1]
    f["opaque"] = np.array([b"1234", b"abcd"]).view("V4")
    f.create_dataset("rows", (3,), h5py.vlen_dtype("<f4"))[0] = [1.5, 2.5]
    f["empty"] = np.zeros((0, 3), "i2")
    f.create_dataset("growing", (0,), "i2", maxshape=(None,), chunks=(4,))


def userblock(h5py, f):
    f["d"] = values((3, 4))
    f.attrs["where"] = "behind a user block"


def kinds():
    for t in ("i1", "u1", "<i2", ">i2", "<u2", "<i4", ">i4", ">u4", "<i8", ">i8", "<u8", "<f2", "<f4", ">f4", "<f8", ">f8"):
        yield "number_" + t.replace("<", "l").replace(">", "b"), number(t)
        yield "growing_" + t.replace("<", "l").replace(">", "b"), growing(t)
    for name, args in {"single": ((5, 7), (5, 7)), "fixed": ((9, 11), (4, 5)), "growing": ((9, 11), (4, 5), (20, 30)), "first": ((9, 11), (4, 5), (None, 11)),
                       "second": ((9, 11), (4, 5), (9, None)), "both": ((9, 11), (4, 5), (None, None)), "paged": ((2100,), (1,)),
                       "long": ((3000,), (1,), (None,)), "cube": ((5, 6, 7), (2, 3, 4), (None, 6, None))}.items():
        yield "chunks_" + name, chunked(*args)
        yield "deflated_" + name, chunked(*args, compression="gzip", shuffle=True)
    for name, how in {"sum": {"fletcher32": True}, "lzf": {"compression": "lzf"}, "szip": {"compression": "szip"}, "offset": {"scaleoffset": 0}}.items():
        yield "filter_" + name, chunked((9, 11), (4, 6), **how)
    for kind in ("compact", "contiguous"):
        yield "layout_" + kind, layout(kind)
    for n in (0, 5, 12, 60):
        yield "attributes_%d" % n, attributes(n)
    for n in (1, 6, 40):
        yield "links_%d" % n, links(n, False)
        yield "tracked_%d" % n, links(n, True)
    for function in (texts, scales, records, others, userblock):
        yield function.__name__, function


def by_h5py(folder):
    import h5py

    for libver in LIBVERS:
        for name, make in kinds():
            path = os.path.join(folder, "%s.%s.h5" % (name, libver))
            try:
                bounds = ("earliest", "v108") if libver == "earliest" else (libver, libver)
                with h5py.File(path, "w", libver=bounds, userblock_size=1024 if name == "userblock" else None) as f:
                    make(h5py, f)
            except (ValueError, OSError, RuntimeError) as e:  # what this version of the format, or this build, lacks
                print("       %s is left out: %s" % (os.path.basename(path), str(e)[:60]))
                os.path.exists(path) and os.remove(path)


# ---- netCDF-C -------------------------------------------------------------------------------------------------------

def by_netcdf(folder):
    import netCDF4

    types = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "S1", str)
    for form in ("NETCDF4", "NETCDF4_CLASSIC"):
        for t in types:
            if form != "NETCDF4" and (t is str or t in ("u1", "u2", "u4", "i8", "u8")):
                continue
            for how, options in {"contiguous": {"contiguous": True}, "chunked": {"chunksizes": (2, 3)}, "deflated": {"zlib": True, "shuffle": True},
                                 "summed": {"fletcher32": True}, "big": {"endian": "big", "contiguous": True}, "filled": {"fill_value": 1}}.items():
                if (t in ("S1", str) and how in ("big", "filled")) or (t is str and how in ("deflated", "summed")):
                    continue
                name = t if t is not str else "str"
                with netCDF4.Dataset(os.path.join(folder, "%s.%s.%s.nc" % (form.lower(), name, how)), "w", format=form) as f:
                    f.createDimension("x", 4)
                    f.createDimension("y", 5)
                    f.title = "%s, %s" % (name, how)
                    v = f.createVariable("v", t, ("x", "y"), **options)
                    v.units = "1"
                    text = np.array(list("abcdefghijklmnopqrst"))
                    v[:3] = (text.astype("S1") if t == "S1" else text.astype(object) if t is str else values((20,), t)).reshape(4, 5)[:3]
                    f.createVariable("x", "f8", ("x",))[:] = values(4)


{"h5py": by_h5py, "netcdf": by_netcdf}[sys.argv[1]](sys.argv[2])
