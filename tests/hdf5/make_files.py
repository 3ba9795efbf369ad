#!/usr/bin/env python3
"""Files of every layout, index, kind of group, type and version that h5py writes.

usage: make_files.py DIRECTORY [NAME ...]      NAME: as in FILES; none: all
       make_files.py --golden DIRECTORY
"""
import os, sys, zlib

import h5py
import numpy as np

LIBVERS = ["earliest", "v108", "v110", "v114", "v200"]


def values(shape, dtype="<i4"):
    return (np.arange(int(np.prod(shape))) * 7 % 251).reshape(shape).astype(dtype)


def chunked(f, name, shape, chunks, maxshape=None, part=None, **more):
    """`part`: only this selection is written."""
    d = f.create_dataset(name, shape, more.pop("dtype", "<i4"), chunks=chunks, maxshape=maxshape, **more)
    part = part or tuple(slice(None) for _ in shape)
    d[part] = values(shape, d.dtype)[part]
    return d


def chunks(f):
    filters = {"plain": {}, "deflate": {"compression": "gzip", "shuffle": True}, "sum": {"fletcher32": True}}
    for name, how in filters.items():
        g = f.create_group(name)
        chunked(g, "single", (5, 7), (5, 7), **how)
        chunked(g, "one_larger_chunk", (5, 7), (8, 9), maxshape=(8, 9), **how)
        chunked(g, "fixed", (20, 31), (4, 5), **how)
        chunked(g, "fixed_growing", (20, 31), (4, 5), maxshape=(30, 43), **how)
        chunked(g, "fixed_sparse", (20, 31), (4, 5), part=(slice(8, 9), slice(10, 30)), **how)
        chunked(g, "fixed_paged", (3000,), (1,), **how)
        chunked(g, "fixed_paged_sparse", (5000,), (1,), part=slice(2500, 2510), **how)
        chunked(g, "first_unlimited", (12, 20), (5, 7), maxshape=(None, 20), **how)
        chunked(g, "second_unlimited", (12, 20), (5, 7), maxshape=(12, None), **how)
        chunked(g, "middle_unlimited", (5, 9, 6), (2, 2, 4), maxshape=(8, None, 7), **how)
        chunked(g, "long_unlimited", (20000,), (1,), maxshape=(None,), part=slice(0, 20000, 37), **how)
        chunked(g, "long_unlimited_end", (300000,), (2,), maxshape=(None,), part=slice(299990, 300000), **how)
        chunked(g, "two_unlimited", (12, 20), (5, 7), maxshape=(None, None), **how)
        chunked(g, "two_unlimited_many", (60, 70), (1, 2), maxshape=(None, None), **how)
        chunked(g, "nothing_written", (12, 20), (5, 7), maxshape=(None, 20), part=(slice(0, 0), slice(0, 0)), **how)
        chunked(g, "no_elements", (0, 20), (5, 7), maxshape=(None, 20), part=(slice(0, 0), slice(0, 0)), **how)
        chunked(g, "rank_5", (3, 4, 2, 3, 4), (2, 2, 2, 2, 3), **how)
        chunked(g, "bytes", (1000,), (10,), dtype="i1", **how)
    early = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    early.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    early.set_chunk((4, 5))
    for name, most in (("implicit", None), ("implicit_growing", (32, 40))):
        space = h5py.h5s.create_simple((20, 31), most)
        d = h5py.Dataset(h5py.h5d.create(f.id, name.encode(), h5py.h5t.STD_I32LE, space, early))
        d[...] = values((20, 31))
    grown = chunked(f, "grown", (4, 6), (2, 3), maxshape=(None, 6))
    grown.resize((11, 6))
    grown[...] = values((11, 6))
    shrunk = chunked(f, "shrunk", (11, 6), (2, 3), maxshape=(None, 6))
    shrunk.resize((3, 6))


def skipped(f):
    """Chunks that skip filters."""
    d = f.create_dataset("masks", (16,), "<i4", chunks=(4,), compression="gzip", shuffle=True)
    d[4:8] = [1, 2, 3, 4]
    for i, mask in enumerate((3, None, 2, 1)):
        if mask is not None:
            raw = np.arange(4, dtype="<i4").tobytes()
            if mask & 1 == 0:
                raw = np.frombuffer(raw, "u1").reshape(-1, 4).T.tobytes()
            d.id.write_direct_chunk((4 * i,), raw if mask & 2 else zlib.compress(raw), mask)
    edges = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    edges.set_chunk((4, 5))
    edges.set_deflate(4)
    if hasattr(edges, "set_chunk_opts"):
        edges.set_chunk_opts(2)
    space = h5py.h5s.create_simple((10, 10))
    h5py.Dataset(h5py.h5d.create(f.id, b"edges", h5py.h5t.STD_I32LE, space, edges))[...] = values((10, 10))


def filters(f):
    """Those that HDF5 and h5py have, with chunks that fit, edges, and one that is larger."""
    kinds = {"deflate": {"compression": "gzip"}, "lzf": {"compression": "lzf"}, "lzf_shuffle": {"compression": "lzf", "shuffle": True},
             "rounded": {"scaleoffset": 0}, "bits": {"scaleoffset": 12}, "all": {"compression": 9, "shuffle": True, "fletcher32": True}}
    if "szip" in h5py.filters.encode:
        kinds["szip"] = {"compression": "szip"}
    for name, how in kinds.items():
        for dtype in ("<i4", ">i2", "u1", "<i8"):
            for i, chunks in enumerate(((4, 5), (10, 8), (7, 3))):
                chunked(f, "%s/%s%d" % (name, dtype.strip("<>"), i), (10, 8), chunks, dtype=dtype, maxshape=(None, 8) if i == 2 else (10, 8), **how)
    for name, how in (("decimals", {"scaleoffset": 2}), ("sum", {"fletcher32": True}), ("floats", {"compression": "lzf", "shuffle": True})):
        for dtype in ("<f4", ">f8"):
            f.create_dataset("%s/%s" % (name, dtype[1:]), (10, 8), dtype, chunks=(4, 5), **how)[...] = values((10, 8)) / 4 - 20
    nbit = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    nbit.set_chunk((4, 5))
    nbit.set_filter(h5py.h5z.FILTER_NBIT)
    t = h5py.h5t.STD_I32BE.copy()
    t.set_precision(11)
    t.set_offset(6)
    h5py.Dataset(h5py.h5d.create(f.id, b"nbit", t, h5py.h5s.create_simple((10, 8)), nbit))[...] = values((10, 8)) - 100


def layouts(f):
    compact = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    compact.set_layout(h5py.h5d.COMPACT)
    space = h5py.h5s.create_simple((4, 3))
    h5py.Dataset(h5py.h5d.create(f.id, b"compact", h5py.h5t.STD_I16BE, space, compact))[...] = values((4, 3))
    f["contiguous"] = values((4, 3), ">f8")
    f.create_dataset("never_written", (4, 3), "<f4")
    f["scalar"] = 3.5
    f["no_space"] = h5py.Empty("f4")
    f.create_dataset("empty", (0,), "<i2")
    f.create_dataset("fill", (4,), "<i2", fillvalue=-9)
    f.create_dataset("fill_chunks", (4,), ">f8", chunks=(2,), fillvalue=1e20)
    for i, when in enumerate((h5py.h5d.FILL_TIME_ALLOC, h5py.h5d.FILL_TIME_NEVER, h5py.h5d.FILL_TIME_IFSET)):
        p = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        p.set_fill_time(when)
        h5py.h5d.create(f.id, b"fill_time%d" % i, h5py.h5t.STD_I16LE, h5py.h5s.create_simple((3,)), p)


def types(f):
    for name in ("i1", "u1", "<i2", ">i2", "<u4", ">u8", "<i8", "<f2", "<f4", ">f8"):
        f[name.replace("<", "le_").replace(">", "be_")] = values((3,), name)
        f.attrs[name] = values((2, 2), name)
    f["fixed_text"] = np.array([b"ab", b"", b"abcd"], "S4")
    f["text"] = ["one", "", "three: \u00e4\u00f6"]
    f["ascii"] = np.array([b"x", b"yy"], h5py.string_dtype("ascii"))
    f["bool"] = np.array([True, False])
    f["complex"] = np.array([1 + 2j, 3 - 1j])
    f["enum"] = np.array([1, 2, 1], h5py.enum_dtype({"red": 1, "green": 2, "a long name of blue": -3}, "i2"))
    f["opaque"] = np.array([np.datetime64("2020-01-01T00:00:00")]).astype(h5py.opaque_dtype("M8[s]"))
    inner = np.dtype([("a", "<i2"), ("b", ">f4", (2, 3))])
    outer = np.dtype([("x", "u1"), ("inner", inner), ("text", "S5"), ("name", h5py.string_dtype())], align=True)
    d = f.create_dataset("compound", (2,), outer)
    d[0] = (1, (2, np.ones((2, 3))), b"abc", "variable")
    v = f.create_dataset("vlen", (3,), h5py.vlen_dtype("<i4"))
    v[0], v[2] = [1, 2, 3], [4]
    f.create_dataset("nested_vlen", (1,), h5py.vlen_dtype(np.dtype([("a", "i4"), ("b", "f8", (2,))])))
    f.create_dataset("array", (2,), np.dtype(("<i4", (2, 3))))
    f["committed"] = np.dtype([("a", "<i4"), ("b", "<f8")])
    f.create_dataset("of_committed", (2,), f["committed"])
    f["committed"].attrs["of a type"] = 1
    f.attrs.create("of committed", np.zeros(2, f["committed"].dtype), dtype=f["committed"])
    f["references"] = np.array([f["bool"].ref, f.ref], h5py.ref_dtype)
    f.create_dataset("regions", (1,), h5py.regionref_dtype)[0] = f["i1"].regionref[0:2]
    half = h5py.h5t.STD_I32LE.copy()
    half.set_precision(24)
    half.set_offset(4)
    h5py.h5d.create(f.id, b"precision", half, h5py.h5s.create_simple((2,)))
    h5py.h5d.create(f.id, b"bits", h5py.h5t.STD_B16BE, h5py.h5s.create_simple((2,)))
    for name, t in (("long_double", h5py.h5t.NATIVE_LDOUBLE), ("time", h5py.h5t.UNIX_D32LE), ("spaces", h5py.h5t.FORTRAN_S1.copy())):
        if name == "spaces":
            t.set_size(6)
        h5py.h5d.create(f.id, name.encode(), t, h5py.h5s.create_simple((2,)))


def attributes(f):
    g = f.create_group("few")
    g.attrs["number"] = 5
    g.attrs["text"] = "text"
    g.attrs["fixed"] = np.bytes_("fixed")
    g.attrs["texts"] = ["a", "bc", ""]
    g.attrs["nothing"] = h5py.Empty("i4")
    g.attrs["no values"] = np.zeros(0, "f8")
    for track in (False, True):
        for n in (8, 9, 100, 1500):
            g = f.create_group("%d%s" % (n, " tracked" if track else ""), track_order=track)
            for i in range(n):
                g.attrs["attribute %d" % (n - i)] = i
    f["a type"] = np.dtype([("field number %d" % i, "i1") for i in range(100)])
    g = f.create_group("of one type")
    for i in range(500):
        g.attrs.create("attribute %d" % i, np.zeros((), f["a type"].dtype), dtype=f["a type"])
    d = f.create_dataset("large", (3,), "i4")
    for i in range(12):
        d.attrs["large %d" % i] = np.arange(30 + 1500 * (i % 3), dtype="<i4")
    if f.libver[0] != "earliest":
        f.attrs["very large"] = np.arange(100000, dtype="<i4")
    for i in range(9):
        f.attrs["deleted %d" % i] = 1
    for i in range(7):
        del f.attrs["deleted %d" % i]


def groups(f):
    for track in (False, True):
        for n in (0, 1, 8, 9, 300, 4000):
            g = f.create_group("%d%s" % (n, " tracked" if track else ""), track_order=track)
            target = f.require_group("target")
            for i in range(n):
                g["link %d of a group" % (n - i)] = target
    g = f.create_group("with blocks of blocks in its heap")
    for i in range(16000):
        g["a link with a name that takes some room, %d" % i] = target
    g = f.create_group("deep/er/and/deeper")
    g["up"] = f
    f["soft"] = h5py.SoftLink("/deep/er")
    g["soft"] = h5py.SoftLink("../up")
    g["relative"] = h5py.SoftLink("up/soft/and")
    f["dangling"] = h5py.SoftLink("/nothing")
    f["circle"] = h5py.SoftLink("circle")
    f["\u00e9t\u00e9"] = f["target"]
    try:
        f["external"] = h5py.ExternalLink("other.h5", "/path")
    except Exception:
        pass
    many = f.create_group("many_kinds")
    for i in range(30):
        many["soft %d" % i] = h5py.SoftLink("/a/path/%d" % i)
    for i in range(20):
        del many["soft %d" % (i + 3)]
    f.create_group("x" * 900)


def rare(f):
    """What is refused by name, next to what is not."""
    f["source"] = values((4, 4))
    if f.libver[0] not in ("earliest", "v108"):
        layout = h5py.VirtualLayout((4, 4), "i4")
        layout[...] = h5py.VirtualSource(f["source"])
        f.create_virtual_dataset("virtual", layout)
    p = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    p.set_external(b"external.bin", 0, 48)
    h5py.h5d.create(f.id, b"external", h5py.h5t.STD_I32LE, h5py.h5s.create_simple((4, 3)), p)


def user_block(f):
    f["a"] = values((10,))
    chunked(f, "chunks", (20,), (3,), compression="gzip")
    f.attrs["text"] = "text"


def paged(f):
    user_block(f)
    groups(f)


def small(f):
    """A little of everything: tests/data/hdf5."""
    for i in range(9):
        f.create_group("dense group/link %d" % i)
        f.attrs["attribute %d" % i] = i
    f.create_group("tracked", track_order=True)["b"] = np.float32(1)
    f["tracked/a"] = h5py.SoftLink("b")
    f["circle"] = h5py.SoftLink("circle")
    f["dangling"] = h5py.SoftLink("/tracked/c")
    f["elsewhere"] = h5py.ExternalLink("other.h5", "/path")
    f["dense group/up"] = f
    kinds = f.create_group("types")
    kinds["committed"] = np.dtype([("a", "<i4"), ("b", ">f8", (2,)), ("c", "S3"), ("d", h5py.string_dtype())])
    kinds.create_dataset("of committed", (1,), kinds["committed"])[0] = (1, (2, 3), b"abc", "variable")
    kinds["enum"] = np.array([1, 2], h5py.enum_dtype({"red": 1, "green": 2}, "i2"))
    kinds["texts"] = ["one", "", "three"]
    kinds["opaque"] = np.array([b"1234"]).view("V4")
    kinds["reference"] = np.array([f.ref], h5py.ref_dtype)
    kinds.create_dataset("vlen", (2,), h5py.vlen_dtype("<i2"), fillvalue=None)[1] = [1, 2, 3]
    f.attrs["text"] = "text"
    f.attrs["large"] = np.arange(1200, dtype="<i4")
    data = f.create_group("data")
    compact = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    compact.set_layout(h5py.h5d.COMPACT)
    h5py.Dataset(h5py.h5d.create(data.id, b"compact", h5py.h5t.STD_I16BE, h5py.h5s.create_simple((2,)), compact))[...] = 7
    data["contiguous"] = values((3, 2), "i2")
    data.create_dataset("never written", (3,), "i2", fillvalue=-1)
    data["nothing"] = h5py.Empty("f4")
    filters = {"compression": "gzip", "shuffle": True, "fletcher32": True}
    chunked(data, "single", (3, 4), (3, 4), dtype="i2", **filters)
    chunked(data, "fixed", (4, 6), (2, 3), dtype="i2")
    chunked(data, "fixed filtered", (4, 6), (2, 3), dtype="i2", **filters)
    chunked(data, "paged", (1100,), (1,), dtype="i1", part=slice(1050, 1060))
    chunked(data, "extensible", (3, 6), (2, 3), (3, None), dtype="i2", **filters)
    chunked(data, "long", (140000,), (1,), (None,), dtype="i1", part=slice(0, 140000, 139999))
    chunked(data, "trees", (10, 20), (1, 2), (None, None), dtype="i1")
    chunked(data, "trees filtered", (6, 4), (2, 3), (None, None), dtype="i2", **filters)
    early = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    early.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    early.set_chunk((2, 2))
    h5py.Dataset(h5py.h5d.create(data.id, b"implicit", h5py.h5t.STD_I8LE, h5py.h5s.create_simple((3, 3)), early))[...] = 1


FILES = {k: globals()[k] for k in "chunks skipped filters layouts types attributes groups rare user_block paged small".split()}


def heap(f):
    """A heap of several blocks, a huge object, attributes of one committed type, rare types."""
    g = f.create_group("group")
    for i in range(40):
        g["a link with a long name, %d" % i] = g
    f["type"] = np.dtype([("a", "<i4"), ("b", "i1")])
    for i in range(10):
        g.attrs.create("attribute %d" % i, np.zeros((), f["type"].dtype), dtype=f["type"])
    g.attrs["huge"] = np.arange(1200, dtype="<i4")
    for name, t in (("double", h5py.h5t.IEEE_F64BE), ("time", h5py.h5t.UNIX_D32LE), ("opaque", h5py.h5t.create(h5py.h5t.OPAQUE, 3))):
        if name == "opaque":
            t.set_tag(b"a tag")
        h5py.h5d.create(f.id, name.encode(), t, h5py.h5s.create_simple((2,)))


def golden():
    """The files of tests/data/hdf5, but for netcdf.nc, which ncgen of netCDF-C 4.9.0 made from tests/data/cdl/unlim.cdl,
    and those that need calls of HDF5 that h5py does not have, by libhdf5 1.10.8: narrow*.h5 (H5Pset_sizes), edges.h5
    (H5Pset_chunk_opts), refused_*.h5 (H5Pset_shared_mesg_index, H5Pset_deflate of a group, H5Pset_mdc_image_config,
    H5Pset_fapl_family)."""
    for name, libver in (("earliest", ("earliest", "v108")), ("v110", ("v110", "v110")), ("v200", ("v200", "v200"))):
        with h5py.File(name + ".h5", "w", libver=libver) as f:
            small(f)
    with h5py.File("heap.h5", "w", libver=("v110", "v110"), fs_strategy="page", fs_page_size=512) as f:
        heap(f)


def main():
    folder, names = sys.argv[1], sys.argv[2:] or list(FILES)
    if folder == "--golden":
        os.chdir(names[0])
        return golden()
    os.makedirs(folder, exist_ok=True)
    os.chdir(folder)
    for name in names:
        for libver in LIBVERS:
            if name == "paged" and libver in ("earliest", "v108"):
                continue
            how = {"userblock_size": 1024} if name == "user_block" else {}
            if name == "paged":
                how = {"fs_strategy": "page", "fs_persist": True}
            with h5py.File("%s.%s.h5" % (name, libver), "w", libver=(libver, libver if libver != "earliest" else "v108"), **how) as f:
                FILES[name](f)


if __name__ == "__main__":
    main()
