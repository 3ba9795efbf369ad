#!/usr/bin/env python3
"""The files of this folder, by netCDF4 of Python (netCDF-C) and h5py (HDF5). What nczdump shall print of each is next to
it: compared with ncdump where that shows the file as it is.

usage: make_files.py netcdf | h5py      in this folder; each with a Python that has that package
"""
import sys, zlib

import numpy as np


def values(*shape, dtype="i4"):
    return (np.arange(int(np.prod(shape))) * 7 % 251).reshape(shape).astype(dtype)


def netcdf():
    import netCDF4

    with netCDF4.Dataset("model.nc", "w") as f:
        f.createDimension("t", None)
        f.createDimension("s", None)
        f.createDimension("x", 4)
        f.createDimension("y", 3)
        f.setncatts({"title": "everything of the model", "numbers": np.arange(3, dtype="f4"), "one": np.int64(-5)})
        f.setncattr_string("texts", ["one", "", "three"])
        for name in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "S1"):
            v = f.createVariable("v_" + name, name, ("x",))
            v[:] = np.array(list("abcd"), "S1") if name == "S1" else np.array([0, 1, 2, 100], name)
        f.createVariable("x", "f8", ("x",))[:] = [0.5, 1.5, 2.5, 3.5]
        t = f.createVariable("t", "i4", ("t",))
        t.units = "days since 2000-01-01"
        t[:] = values(5)
        f.createVariable("short", "i2", ("t",), fill_value=-7)[:3] = [1, 2, 3]
        f.createVariable("never", "f4", ("t", "x"))
        f.createVariable("grown", "i4", ("t", "s"), chunksizes=(2, 3))[0:2, 0:7] = values(2, 7)
        f.createVariable("packed", "i4", ("y", "x"), zlib=True, shuffle=True, fletcher32=True, chunksizes=(2, 3))[:] = values(3, 4)
        f.createVariable("big", "i4", ("y", "x"), endian="big")[:] = values(3, 4)
        f.createVariable("compact", "f8", ("y",), contiguous=True)[:] = [1, 2, 3]
        names = f.createVariable("names", str, ("y",))
        names[0], names[2] = "first", "third: \u00e4"
        f.createVariable("scalar", "f4", ())[...] = 3.5
        f.createVariable("y", "i4", ("x",))[:] = values(4)  # has the name of a dimension, and is none
        pair = f.createCompoundType(np.dtype([("a", "i2"), ("b", "f8", (2,)), ("c", "S1", (3,))]), "pair")
        v = f.createVariable("pairs", pair, ("y",))
        v[:] = np.array([(i, (i, i / 2), list("abc")) for i in range(3)], pair.dtype)
        ragged = f.createVLType(np.int16, "ragged")
        v = f.createVariable("rows", ragged, ("y",))
        v[0], v[2] = np.array([1, 2, 3], "i2"), np.array([4], "i2")
        color = f.createEnumType(np.uint8, "color", {"red": 1, "green": 2})
        f.createVariable("colors", color, ("y",), fill_value=1)[:] = [1, 2, 1]
        g = f.createGroup("g")
        g.createDimension("x", 2)
        g.createVariable("v", "i4", ("x", "y"))[:] = values(2, 3)
        h = g.createGroup("h")
        h.setncattr("deep", 1)
        h.createVariable("v", "i4", ("x", "t"))[:] = values(2, 5)
    with netCDF4.Dataset("strict.nc", "w", format="NETCDF4_CLASSIC") as f:
        f.createDimension("t", None)
        f.createDimension("x", 4)
        f.title = "classic model"
        v = f.createVariable("v", "i2", ("t", "x"), zlib=True, fill_value=-1)
        v.units = "m"
        v[0:3] = values(3, 4)
        f.createVariable("t", "f8", ("t",))[:] = [1, 2, 3]
        f.createVariable("c", "S1", ("x",))[:] = np.array(list("text"), "S1")


def mask(d, at, raw, bits):
    """A chunk of four numbers of which filters are left out: bit 0 shuffle, bit 1 deflate."""
    if bits & 1 == 0:
        raw = np.frombuffer(raw, "u1").reshape(-1, 4).T.tobytes()
    d.id.write_direct_chunk((at,), raw if bits & 2 else zlib.compress(raw), bits)


def filters(h5py, f):
    d = f.create_dataset("masks", (20,), "<i4", chunks=(4,), compression="gzip", shuffle=True, fillvalue=-1)
    for i, bits in enumerate((0, 1, 2, 3)):  # the last is missing
        mask(d, 4 * i, np.arange(4 * i, 4 * i + 4, dtype="<i4").tobytes(), bits)
    for i, chunks in enumerate(((2, 3), (5, 1), (3, 8))):
        for name, how in (("lzf", {"compression": "lzf"}), ("rounded", {"scaleoffset": 0}), ("sum", {"fletcher32": True})):
            d = f.create_dataset("%s%d" % (name, i), (5, 8), ">i4" if i == 1 else "<i4", chunks=chunks, **how)
            d[:] = values(5, 8)
    f.create_dataset("decimals", (6,), "<f4", chunks=(4,), scaleoffset=2)[:] = [0, 0.25, -1.5, 3.125, 9.99, 7]
    bits = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    bits.set_chunk((3,))
    bits.set_filter(h5py.h5z.FILTER_NBIT)
    t = h5py.h5t.STD_I32LE.copy()
    t.set_precision(12)
    t.set_offset(4)
    h5py.Dataset(h5py.h5d.create(f.id, b"bits", t, h5py.h5s.create_simple((5,)), bits))[...] = [-2048, -1, 0, 1, 2047]
    f.create_dataset("texts", (5,), h5py.string_dtype(), chunks=(2,), compression="gzip", fillvalue="nothing")[2:4] = ["two", ""]


def view(h5py, f):
    """What netCDF has no name for, or another one."""
    f["x"] = np.arange(4, dtype="f4")
    f["x"].make_scale()
    f["other"] = np.arange(4, dtype="i2")
    f["other"].make_scale("another name")
    f["attached"] = values(4, 3)
    f["attached"].dims[0].attach_scale(f["x"])
    f["twice"] = values(4)
    f["twice"].dims[0].attach_scale(f["x"])
    f["twice"].dims[0].attach_scale(f["other"])
    f["a/y"], f["a/b/z"], f["c"] = values(3), values(6), values(3, 3)
    f.create_dataset("u", (3, 4), "i2", maxshape=(None, 4))[:] = values(3, 4)
    f.attrs["matrix"] = values(2, 2)
    f.attrs["bool"] = True
    f.attrs["fixed"] = np.bytes_("fixed")
    f.attrs["fixed texts"] = np.array([b"ab", b"c"], "S3")
    f.attrs["texts"] = ["a", "bc", ""]
    f.attrs["nothing"] = h5py.Empty("f4")
    f.attrs["half"] = np.float16(0.5)
    f.attrs["reference"] = f["x"].ref
    f["half"] = values(2, dtype="f2")
    f["bools"] = np.array([True, False])
    f["complex"] = np.array([1 + 2j])
    f["opaque"] = np.array([b"1234"]).view("V4")
    f["fixed"] = np.array([b"ab", b"", b"abcd"], "S4")
    f["letters"] = np.array([b"a", b"b"], "S1")
    f["references"] = np.array([f["x"].ref], h5py.ref_dtype)
    f.create_dataset("arrays", (2,), np.dtype(("<i4", (2, 3))))
    f["type"] = np.dtype([("a", "<i4"), ("b", ">f8")])
    f.create_dataset("of type", (2,), f["type"])
    d = f.create_dataset("record", (1,), np.dtype([("n", "i2"), ("text", "S5"), ("name", h5py.string_dtype())]))
    d[0] = (1, b"abc", "variable")
    d = f.create_dataset("rows", (2,), h5py.vlen_dtype("<i2"))
    d[1] = [1, 2, 3]
    f["soft"], f["dangling"] = h5py.SoftLink("/a/y"), h5py.SoftLink("/nothing")
    f["hard"], f["a/up"] = f["c"], f
    f["elsewhere"] = h5py.ExternalLink("other.h5", "/path")
    f["empty"] = np.zeros((0, 3), "i4")
    f.create_dataset("fill", (3,), ">i2", fillvalue=-9)
    compact = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    compact.set_layout(h5py.h5d.COMPACT)
    h5py.Dataset(h5py.h5d.create(f.id, b"compact", h5py.h5t.STD_I16BE, h5py.h5s.create_simple((2, 2)), compact))[...] = values(2, 2)


def hidden(h5py, f):
    """What netCDF does not show, and mode=hdf5 does."""
    f["x"] = np.arange(3, dtype="f8")
    f["x"].make_scale("x")
    f["g/d"] = values(2, 3)
    d, g = f["g/d"], f["g"]
    d.dims[1].attach_scale(f["x"])
    refs = f.create_dataset("refs", (3,), h5py.ref_dtype)
    refs[0], refs[1] = d.ref, g.ref
    f.create_dataset("regions", (2,), h5py.regionref_dtype)[0] = d.regionref[0, 1:3]
    f.create_dataset("rows", (2,), h5py.vlen_dtype(h5py.ref_dtype))[0] = np.array([d.ref, f["x"].ref], h5py.ref_dtype)
    f.create_dataset("record", (2,), np.dtype([("r", h5py.ref_dtype), ("i", "i4")]))[0] = (g.ref, 5)
    f.attrs["to"] = d.ref
    d.attrs["region"] = d.regionref[:, 1]
    space = h5py.h5s.create_simple((4,))
    bits = h5py.h5d.create(f.id, b"bits", h5py.h5t.STD_B16BE, space)
    bits.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array([1, 2, 65534, 256], "u2"), mtype=h5py.h5t.NATIVE_B16)
    h5py.h5d.create(f.id, b"time", h5py.h5t.UNIX_D32LE, space)
    g["_nc4_non_coord_x"] = values(2)
    f.create_dataset("n", (4,), "f4").make_scale("This is a netCDF dimension but not a netCDF variable.         4")


def refused(h5py, f):
    f["source"] = values(4)
    layout = h5py.VirtualLayout((4,), "i4")
    layout[:] = h5py.VirtualSource(f["source"])
    f.create_virtual_dataset("virtual", layout)
    p = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    p.set_external(b"external.bin", 0, 16)
    h5py.h5d.create(f.id, b"external", h5py.h5t.STD_I32LE, h5py.h5s.create_simple((4,)), p)
    h5py.h5d.create(f.id, b"long double", h5py.h5t.NATIVE_LDOUBLE, h5py.h5s.create_simple((2,)))
    f["no space"] = h5py.Empty("f4")
    d = f.create_dataset("unknown", (4,), "<i4", chunks=(4,), compression="gzip")
    d[:] = values(4)


def shared(h5py, f):
    """20,000 strings that are one of 10,000 bytes: no program writes that."""
    f.create_dataset("one", (1,), h5py.string_dtype())[0] = "x" * 10000
    f.flush()
    with open(f.filename, "rb") as file:
        file.seek(f["one"].id.get_offset())
        place = file.read(16)
    d = f.create_dataset("many", (20000,), h5py.string_dtype(), chunks=(20000,), compression="gzip")
    d.id.write_direct_chunk((0,), zlib.compress(place * 20000))


def fill_type(h5py, f):
    """As NCO's ncpdq packs: the fill value keeps the type of what was packed."""
    f["packed"] = np.array([0, 7, 14], "i2")
    f["packed"].attrs["_FillValue"] = np.array([1e20], "f4")
    f["packed"].attrs["scale_factor"] = np.float32(0.5)


def fill_types(h5py, f):
    """Fill values of other types than their variables', and of other numbers than one."""
    for name, dtype, value in (("d20", "f4", np.float64(1e20)), ("dnan", "f4", np.float64(np.nan)), ("i8", "i2", np.int64(-32768)),
                               ("d9999", "i2", np.float64(-9999)), ("f9", "f8", np.float32(-9)), ("u300", "u1", np.int32(300)),
                               ("half", "i2", np.float64(0.5)), ("text", "f8", np.bytes_("-999.9f")), ("two", "f4", np.array([1, 2], "f4")),
                               ("none", "f4", np.array([], "f4")), ("null", "f4", h5py.Empty("f4")), ("huge", "f4", np.float64(1e300))):
        f[name] = np.arange(2).astype(dtype)
        f[name].attrs["_FillValue"] = value


def rename_filter(path):
    """Deflate (1) becomes a filter that nobody has (40001): in a header of version 1, without checksum."""
    with open(path, "r+b") as f:
        data = f.read()
        old, new = bytes.fromhex("0100080001000100") + b"deflate\0", (40001).to_bytes(2, "little") + bytes.fromhex("080001000100") + b"nobody!\0"
        old = old if old in data else bytes.fromhex("0100080000000100") + b"deflate\0"
        assert data.count(old) == 1, data.count(old)
        f.seek(data.index(old))
        f.write(new)


def hdf5():
    import h5py

    for name, function, libver in (("filters_old", filters, ("earliest", "v108")), ("filters", filters, ("v110", "v110")),
                                   ("view", view, ("earliest", "v110")), ("refused", refused, ("earliest", "v110")),
                                   ("shared", shared, ("v110", "v110")), ("hidden", hidden, ("earliest", "v110")),
                                   ("fill_type", fill_type, ("earliest", "v108")), ("fill_types", fill_types, ("earliest", "v108"))):
        with h5py.File(name + ".h5", "w", libver=libver) as f:
            function(h5py, f)
    rename_filter("refused.h5")


{"netcdf": netcdf, "h5py": hdf5}[sys.argv[1]]()
