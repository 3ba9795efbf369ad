#!/usr/bin/env python3
"""Makes datasets of version 3 with one packaged writer, and beside each NAME.zarr a NAME.json that says what a reader
must find: {"arrays": {"/path": {"type", "shape", "values", "dims", "fill", "attributes"}}}, of which only "values" is always there.

usage: v3_make.py zarr|zarrs|tensorstore|xarray|gdal FOLDER quick|all      run with the Python that has that writer
`zarr` is the zarr-python of whichever version this Python has, `zarrs` the same through zarrs' codec pipeline; `all`
crosses every type with every byte order, key encoding and codec where `quick` takes a part of that.
"""
import itertools, json, math, os, sys

import numpy as np

kind, folder, extent = sys.argv[1:4]
os.makedirs(folder, exist_ok=True)
rng = np.random.default_rng(20261122)

NETCDF = {"bool": "ubyte", "int8": "byte", "int16": "short", "int32": "int", "int64": "int64", "uint8": "ubyte", "uint16": "ushort",
          "uint32": "uint", "uint64": "uint64", "float16": "float", "float32": "float", "float64": "double"}
KEYS = {"slash": ("default", "/"), "dot": ("default", "."), "v2dot": ("v2", "."), "v2slash": ("v2", "/")}
LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
CRC = {"name": "crc32c"}
GZIP = {"name": "gzip", "configuration": {"level": 5}}
ZSTD = {"name": "zstd", "configuration": {"level": 3, "checksum": False}}
SHAPE, CHUNKS, SHARDS = (5, 3), (3, 2), (6, 2)


def blosc(cname, shuffle, typesize):
    return {"name": "blosc", "configuration": {"cname": cname, "clevel": 5, "shuffle": shuffle, "typesize": typesize, "blocksize": 0}}


def packers(itemsize):
    """What comes after `bytes`, by name."""
    return {"plain": [], "gzip": [GZIP], "zstd": [ZSTD], "crc32c": [CRC], "zstd_crc32c": [ZSTD, CRC],
            "zstd_checksum": [{"name": "zstd", "configuration": {"level": -5, "checksum": True}}],
            "blosc_lz4": [blosc("lz4", "shuffle", itemsize)], "blosc_zstd": [blosc("zstd", "bitshuffle", itemsize)],
            "blosc_zlib": [blosc("zlib", "noshuffle", itemsize)], "sharded": [], "sharded_zstd": [ZSTD]}


def bytes_codec(order):
    return {"name": "bytes", "configuration": {"endian": order}}


# ---- what must be found -------------------------------------------------------------------------------------------------

def plain(v):
    if isinstance(v, bytes):
        return v.decode("utf-8", "surrogateescape")
    if isinstance(v, str):
        return v
    if isinstance(v, (bool, int)):
        return int(v)
    v = float(v)
    return "NaN" if math.isnan(v) else v if not math.isinf(v) else "Infinity" if v > 0 else "-Infinity"


class Expected:
    def __init__(self, name):
        self.path, self.arrays, self.more = os.path.join(folder, name), {}, {}

    def store(self):
        return self.path + ".zarr"

    def add(self, path, a, type_=None, **more):
        a = np.asarray(a)
        if a.dtype.kind in "mM":
            a = a.astype("i8")
        if type_ is None:
            type_ = "string" if a.dtype.kind in "OTSU" else NETCDF[a.dtype.name]
        self.arrays["/" + path] = dict(more, type=type_, shape=list(a.shape), values=[plain(v) for v in a.reshape(-1).tolist()])

    def done(self, **more):
        with open(self.path + ".json", "w") as f:
            json.dump(dict(more, arrays=self.arrays), f)


def sample(name, shape):
    dtype = np.dtype(name)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        a = rng.integers(info.min, info.max, size=shape, dtype=dtype, endpoint=True)
        if a.size > 1:
            a.reshape(-1)[:2] = info.min, info.max
        return a
    if dtype.kind == "f":
        a = rng.normal(size=shape).astype(dtype)
        a.reshape(-1)[:4] = np.nan, -np.inf, np.finfo(dtype).smallest_subnormal, np.finfo(dtype).max
        return a
    return rng.integers(0, 2, size=shape).astype(bool)


FILLS = {"b": [True, False], "i": [-7, 0], "u": [200, 3], "f": [math.nan, -math.inf, math.inf, -0.5, 0.1]}


def fill_of(dtype, turn):
    dtype = np.dtype(dtype)
    if dtype.kind in "iu" and turn % 3 == 2:
        return int(np.iinfo(dtype).max)
    choice = FILLS[dtype.kind]
    return dtype.type(choice[turn % len(choice)])


def mostly(name, turn, shape=SHAPE):
    """Data, the part of it that is stored, and the fill value that the rest has."""
    fill = fill_of(name, turn)
    data = np.full(shape, fill, name)
    part = (slice(0, 3),) + (slice(None),) * (len(shape) - 1)
    data[part] = sample(name, data[part].shape)
    return data, part, fill


def combinations():
    """(name of the packer, [(type, byte order, key encoding)])"""
    all_keys = itertools.product(NETCDF, ("little", "big"), KEYS)
    some = [(t, o, k) for t, o, k in itertools.product(NETCDF, ("little", "big"), KEYS)
            if k == "slash" or t == "int32" or (t == "float64" and o == "big")]
    every = list(all_keys)
    for p in packers(4):
        yield p, every if extent == "all" else some


# ---- zarr-python, and zarrs as its pipeline ----------------------------------------------------------------------------------

def create(group, name, a, **kw):
    if "key" in kw:
        encoding, separator = KEYS[kw.pop("key")]
        kw["chunk_key_encoding"] = {"name": encoding, "separator": separator}
    return group.create_array(name, shape=a.shape, dtype=kw.pop("dtype", a.dtype), **kw)


def zarr_matrix(zarr):
    for packer, cells in combinations():
        e = Expected("matrix-" + packer)
        g = zarr.open_group(e.store(), mode="w", zarr_format=3)
        for turn, (t, order, key) in enumerate(cells):
            a, part, fill = mostly(t, turn)
            kw = {"chunks": CHUNKS, "compressors": packers(a.itemsize)[packer], "serializer": bytes_codec(order), "fill_value": fill, "key": key,
                  "dimension_names": ["row", "column"]}
            if packer.startswith("sharded"):
                kw["shards"] = SHARDS
                if turn % 2:
                    kw.pop("serializer")
                    inner = [bytes_codec(order)] + packers(a.itemsize)[packer]
                    kw.update(chunks=SHARDS, compressors=[], shards=None,
                              serializer=sharding(CHUNKS, inner, location="start" if turn % 4 == 1 else "end", crc=turn % 8 < 4))
            name = "%s_%s_%s" % (t, order, key)
            create(g, name, a, **kw)[part] = a[part]
            e.add(name, a, dims=["row", "column"])
        e.done()


def sharding(inner_shape, codecs, location="end", crc=True, endian="little"):
    return {"name": "sharding_indexed", "configuration": {
        "chunk_shape": list(inner_shape), "codecs": codecs, "index_location": location,
        "index_codecs": [bytes_codec(endian)] + ([CRC] if crc else [])}}


def zarr_layouts(zarr, version):
    """Shapes, orders, shards and attributes."""
    e = Expected("layouts")
    g = zarr.open_group(e.store(), mode="w", zarr_format=3)
    cube = sample("float64", (5, 6, 7))
    for name, kw in {
            "transposed": {"chunks": (2, 3, 4), "filters": [{"name": "transpose", "configuration": {"order": [2, 1, 0]}}]},
            "turned": {"chunks": (2, 3, 4), "filters": [{"name": "transpose", "configuration": {"order": [1, 2, 0]}}]},
            "big_chunk": {"chunks": (20, 20, 20)}, "whole": {"chunks": (5, 6, 7)},
            "sharded": {"chunks": (1, 3, 2), "shards": (2, 6, 4)},
            "shard_start": {"chunks": (4, 6, 8), "compressors": [], "serializer": sharding((2, 3, 2), [LITTLE, ZSTD], "start")},
            "shard_big_index": {"chunks": (4, 6, 8), "compressors": [], "serializer": sharding((2, 3, 2), [LITTLE], "end", False, "big")},
            "shard_turned_inside": {"chunks": (4, 6, 8), "compressors": [], "serializer": sharding((2, 3, 2), [
                {"name": "transpose", "configuration": {"order": [2, 0, 1]}}, bytes_codec("big"), GZIP])},
            "shard_behind_transpose": {"chunks": (4, 6, 8), "compressors": [], "filters": [{"name": "transpose", "configuration": {"order": [0, 2, 1]}}],
                                       "serializer": sharding((2, 2, 2), [LITTLE, ZSTD])},
            "shard_packed": {"chunks": (4, 6, 8), "compressors": [GZIP, CRC], "serializer": sharding((2, 3, 2), [LITTLE])},
            "shard_nested": {"chunks": (8, 6, 8), "compressors": [], "serializer": sharding((4, 6, 4), [sharding((2, 3, 2), [LITTLE, ZSTD])])},
    }.items():
        if name == "shard_nested" and version < (3, 1):
            continue # 3.0 fails to write it
        # 3.0 cannot leave out a chunk of a shard that it has written before, as at the edge.
        create(g, name, cube, config={"write_empty_chunks": True} if version < (3, 1) else None, **kw)[...] = cube
        e.add(name, cube)
    sparse = np.full((40, 40), 7, "i2")
    sparse[9, 9] = 1
    create(g, "sparse", sparse, chunks=(4, 4), shards=(20, 20), fill_value=7)[9, 9] = 1
    e.add("sparse", sparse)
    for name, a in {"scalar": np.array(2.5), "scalar_int": np.array(-3, "i4"), "empty": np.zeros((0, 4), "i4"), "line": np.arange(1000, dtype="u2")}.items():
        z = create(g, name, a)
        if a.size:
            z[...] = a
        e.add(name, a)
    sub = g.create_group("one").create_group("two")
    create(sub, "deep", cube[0], chunks=(6, 7), attributes={"units": "K"}, dimension_names=["lat", None])[...] = cube[0]
    e.add("one/two/deep", cube[0], attributes={"units": "K"})
    g.attrs.update({"title": "h\u00e9llo \U0001F600", "list": [1, 2, 3], "nested": {"a": [1, {"b": None}]}})
    e.done(attributes={"title": "h\u00e9llo \U0001F600", "list": [1, 2, 3], "nested": '{"a": [1, {"b": null}]}'})
    for name in ("layouts", "matrix-zstd"): # and the same with consolidated metadata
        copy = Expected(name + "-consolidated")
        os.system("cp -r %s.zarr %s.zarr" % (os.path.join(folder, name), copy.path))
        zarr.consolidate_metadata(copy.store())
        os.link(os.path.join(folder, name) + ".json", copy.path + ".json")


def zarr_rectilinear(zarr):
    """Chunks that differ in length."""
    e = Expected("rectilinear")
    g = zarr.open_group(e.store(), mode="w", zarr_format=3)
    plane, cube = sample("int32", (12, 11)), sample("float64", (5, 6, 7))
    with zarr.config.set({"array.rectilinear_chunks": True}):
        for name, a, chunks in (("plane", plane, ((2, 3, 3, 1, 3), (5, 6))), ("cube", cube, ((1, 4), (2, 2, 2), (3, 3, 1))),
                                ("turned", cube, ((2, 3), (5, 1), (1, 6)))):
            kw = {"filters": [{"name": "transpose", "configuration": {"order": [2, 0, 1]}}]} if name == "turned" else {}
            create(g, name, a, chunks=chunks, **kw)[...] = a
            e.add(name, a)
        create(g, "shards", plane[:, :9], chunks=(2, 3), shards=((2, 6, 4), (6, 3)))[...] = plane[:, :9]
        e.add("shards", plane[:, :9])
        create(g, "sparse", plane, chunks=((2, 3, 3, 1, 3), (5, 6)), fill_value=7)[3:6, :5] = plane[3:6, :5]
    sparse = np.full_like(plane, 7)
    sparse[3:6, :5] = plane[3:6, :5]
    e.add("sparse", sparse)
    e.done()


def zarr_text(zarr, version):
    e = Expected("text")
    g = zarr.open_group(e.store(), mode="w", zarr_format=3)
    words = ["h\u00e9", "", "z\u2713", "a longer one " * 20, "b"]
    any_length = {"string": str} if version < (3, 1) else {"string": np.dtypes.StringDType()}
    for name, dtype in any_length.items():
        for more, kw in {"": {}, "_gzip": {"compressors": [GZIP]}, "_sharded": {"shards": (4,)}, "_plain": {"compressors": []}}.items():
            a = np.array(words, dtype=object)
            create(g, name + more, a, dtype=dtype, chunks=(2,), **kw)[...] = a if version < (3, 1) else np.array(words, dtype=dtype)
            e.add(name + more, a)
    short = ["h\u00e9", "", "z\u2713", "abcd", "b"]
    a = np.array(short, "U4")
    create(g, "fixed_u", a, chunks=(2,))[...] = a
    e.add("fixed_u", a)
    b = np.array([b"ab", b"", b"xyz", b"abcd", b"b"], "S4")
    create(g, "fixed_s", b, chunks=(2,))[...] = b
    e.add("fixed_s", b)
    if version >= (3, 1):
        create(g, "fixed_u_big", a, chunks=(2,), serializer=bytes_codec("big"), compressors=[])[...] = a
        e.add("fixed_u_big", a)
        create(g, "fixed_u_sharded", a, chunks=(2,), shards=(4,))[...] = a
        e.add("fixed_u_sharded", a)
        create(g, "bytes", np.array([b"ab", b"", b"xyz"], object), dtype="variable_length_bytes", chunks=(2,))[...] = np.array([b"ab", b"", b"xyz"], object)
        e.add("bytes", np.array([b"ab", b"", b"xyz"], object))
    e.done()


def zarr_times(zarr):
    e = Expected("times")
    g = zarr.open_group(e.store(), mode="w", zarr_format=3)
    for t in ("M8[s]", "M8[D]", "M8[10us]", "m8[ns]", "m8[h]"):
        a = rng.integers(0, 10**6, size=7).astype("i8").view(t)
        a[3] = np.datetime64("NaT") if t[0] == "M" else np.timedelta64("NaT")
        name = t.replace("[", "_").replace("]", "")
        create(g, name, a, chunks=(3,))[...] = a
        e.add(name, a, "int64", has_units=True)
    e.done()


def as_user_type(v):
    """A value as nczdump --json writes one of a user-defined type."""
    if isinstance(v, complex):
        return {"r": v.real, "i": v.imag}
    return "0X" + v.hex().upper() if isinstance(v, bytes) else {"a": v[0], "b": v[1]}


def zarr_user_types(zarr, version):
    """Types that are user-defined ones in netCDF, beside an atomic one."""
    e = Expected("user_types")
    g = zarr.open_group(e.store(), mode="w", zarr_format=3)
    made = {"complex64": np.array([1 + 2j, 3], "c8"), "complex128": np.array([1 + 2j, 3], "c16")}
    if version >= (3, 1):
        made["raw"] = np.array([b"1234567", b"abcdefg"], "V7")
        made["struct"] = np.array([(1, 2.0), (3, 4.0)], [("a", "i4"), ("b", "f8")])
    for name, a in made.items():
        create(g, name, a)[...] = a
        e.arrays["/" + name] = {"type": "/" + name + "_t", "shape": [2], "values": [as_user_type(v) for v in a.tolist()]}
    a = sample("int32", (4,))
    create(g, "good", a)[...] = a
    e.add("good", a)
    e.done()


NUMCODECS = {
    "zlib": {"level": 4}, "gzip": {"level": 3}, "bz2": {"level": 2}, "lzma": {}, "lz4": {"acceleration": 2}, "zstd": {"level": 5},
    "blosc": {"cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0},
    "crc32": {}, "crc32c": {}, "adler32": {}, "fletcher32": {}, "jenkins_lookup3": {}}


def zarr_numcodecs(zarr, version):
    """numcodecs' codecs under their own names, alone and as netCDF-4 files turned into Zarr have them."""
    if version < (3, 1):
        import numcodecs.zarr3 # noqa: F401  registers them
    e = Expected("numcodecs")
    g = zarr.open_group(e.store(), mode="w", zarr_format=3)
    a = np.arange(12 * 8, dtype="f4").reshape(12, 8) / 4
    i = np.arange(12 * 8, dtype="i4").reshape(12, 8)
    for c, configuration in NUMCODECS.items():
        create(g, c, a, chunks=(5, 8), compressors=[{"name": "numcodecs." + c, "configuration": configuration}])[...] = a
        e.add(c, a)
    netcdf4 = [{"name": "numcodecs.shuffle", "configuration": {"elementsize": 4}}, {"name": "numcodecs.zlib", "configuration": {"level": 4}},
               {"name": "numcodecs.fletcher32", "configuration": {}}]
    create(g, "from_netcdf4", a, chunks=(5, 8), compressors=netcdf4)[...] = a
    e.add("from_netcdf4", a)
    create(g, "from_netcdf4_sharded", a, chunks=(2, 8), shards=(6, 8), compressors=netcdf4)[...] = a
    e.add("from_netcdf4_sharded", a)
    for c, source, configuration in (("delta", i, {"dtype": "<i4", "astype": "<i4"}), ("bitround", a, {"keepbits": 20}),
                                     ("quantize", a, {"digits": 6, "dtype": "<f4", "astype": "<f4"}),
                                     ("astype", i, {"encode_dtype": "<i2", "decode_dtype": "<i4"}),
                                     ("fixedscaleoffset", a, {"offset": 1, "scale": 4, "dtype": "<f4", "astype": "<i2"})):
        try:
            z = create(g, c, source, chunks=(5, 8), filters=[{"name": "numcodecs." + c, "configuration": configuration}], compressors=[])
            z[...] = source
            e.add(c, z[...])
        except Exception as why: # what this version cannot write
            print("numcodecs.%s: not written: %s" % (c, why), file=sys.stderr)
            del g[c]
    flags = rng.integers(0, 2, size=(12, 8)).astype(bool)
    try:
        create(g, "packbits", flags, chunks=(5, 8), filters=[{"name": "numcodecs.packbits", "configuration": {}}], compressors=[])[...] = flags
        e.add("packbits", flags)
    except Exception as why:
        print("numcodecs.packbits: not written: %s" % why, file=sys.stderr)
        if "packbits" in g:
            del g["packbits"]
    e.done()


def zarr_newest(zarr):
    """Codecs of values, which only the newest releases have."""
    e = Expected("newest")
    g = zarr.open_group(e.store(), mode="w", zarr_format=3)
    a = np.arange(24, dtype="f8").reshape(6, 4) / 4
    a[4:] = 2.5
    scale = {"name": "scale_offset", "configuration": {"offset": 1.0, "scale": 4.0}}
    cast = {"name": "cast_value", "configuration": {"data_type": "int16", "rounding": "nearest-even", "out_of_range": "clamp"}}
    for name, filters, kw in (("scaled", [scale], {}), ("cast", [{"name": "cast_value", "configuration": {"data_type": "float32"}}], {}),
                              ("packed", [scale, cast], {}), ("packed_gzip", [scale, cast], {"compressors": [GZIP]}),
                              ("packed_sharded", [scale, cast], {"shards": (4, 4)}),
                              ("turned", [scale, {"name": "transpose", "configuration": {"order": [1, 0]}}, cast], {})):
        z = create(g, name, a, chunks=(2, 3) if "shards" not in kw else (2, 2), fill_value=2.5, filters=filters, **{"compressors": [], **kw})
        z[:4] = a[:4]
        e.add(name, a)
    e.done()


def write_zarr():
    import zarr
    version = tuple(int(n) for n in zarr.__version__.split(".")[:2])
    zarr_matrix(zarr)
    zarr_layouts(zarr, version)
    zarr_text(zarr, version)
    zarr_numcodecs(zarr, version)
    zarr_user_types(zarr, version)
    if version >= (3, 1):
        zarr_times(zarr)
    if version >= (3, 2):
        zarr_newest(zarr)
        zarr_rectilinear(zarr)


def write_zarrs():
    import zarr, zarrs # noqa: F401  registers the pipeline
    zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline", "codec_pipeline.strict": True})
    e = Expected("zarrs")
    g = zarr.open_group(e.store(), mode="w", zarr_format=3)
    for turn, (t, packer) in enumerate(itertools.product(NETCDF, packers(4))):
        a, part, fill = mostly(t, turn)
        kw = {"shards": SHARDS} if packer.startswith("sharded") else {}
        create(g, "%s_%s" % (t, packer), a, chunks=CHUNKS, compressors=packers(a.itemsize)[packer], fill_value=fill, **kw)[part] = a[part]
        e.add("%s_%s" % (t, packer), a)
    e.done()


# ---- TensorStore --------------------------------------------------------------------------------------------------------------

def write_tensorstore():
    import tensorstore as ts

    def make(e, name, a, part, codecs, chunks, key, fill):
        encoding, separator = KEYS[key]
        metadata = {"shape": list(a.shape), "data_type": a.dtype.name, "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(chunks)}},
                    "chunk_key_encoding": {"name": encoding, "configuration": {"separator": separator}}, "codecs": codecs,
                    "fill_value": plain(fill) if a.dtype.kind != "b" else bool(fill), "dimension_names": ["y", None]}
        z = ts.open({"driver": "zarr3", "kvstore": {"driver": "file", "path": os.path.join(e.store(), name) + "/"}, "metadata": metadata},
                    create=True, context=context).result()
        z[part].write(a[part]).result()

    context = ts.Context({"file_io_sync": False})
    for packer, cells in combinations():
        e = Expected("matrix-" + packer)
        for turn, (t, order, key) in enumerate(cells):
            a, part, fill = mostly(t, turn)
            codecs, chunks = [bytes_codec(order)] + packers(a.itemsize)[packer], CHUNKS
            if packer.startswith("sharded"):
                codecs, chunks = [sharding(CHUNKS, codecs, "start" if turn % 2 else "end", turn % 4 < 2, "big" if turn % 8 < 4 else "little")], SHARDS
            name = "%s_%s_%s" % (t, order, key)
            make(e, name, a, part, codecs, chunks, key, fill)
            e.add(name, a)
        with open(os.path.join(e.store(), "zarr.json"), "w") as f:
            f.write('{"zarr_format": 3, "node_type": "group"}')
        e.done()
    e = Expected("layouts")
    a, part = sample("float32", (6, 8)), (slice(0, 6),)
    turn = [{"name": "transpose", "configuration": {"order": [1, 0]}}]
    for name, codecs, chunks in (
            ("turned", turn + [LITTLE], (4, 3)), ("turned_shard", turn + [sharding((3, 2), [LITTLE, ZSTD])], (4, 6)),
            ("shard_turned", [sharding((2, 3), turn + [bytes_codec("big"), GZIP])], (4, 6)),
            ("shard_of_shards", [sharding((2, 6), [sharding((1, 3), [LITTLE, ZSTD], "start")])], (4, 6)),
            ("one_object", [sharding((1, 1), [LITTLE])], (6, 8))):
        make(e, name, a, part, codecs, chunks, "slash", np.float32(0))
        e.add(name, a)
    with open(os.path.join(e.store(), "zarr.json"), "w") as f:
        f.write('{"zarr_format": 3, "node_type": "group"}')
    e.done()


# ---- xarray ------------------------------------------------------------------------------------------------------------------------

def write_xarray():
    import xarray, zarr
    old = tuple(int(n) for n in zarr.__version__.split(".")[:2]) < (3, 1)
    t = rng.normal(size=(4, 3, 5)).astype("f4")
    t[1, 1, 1] = np.nan
    d = xarray.Dataset(
        {"t": (("time", "y", "x"), t, {"units": "K", "valid_range": [0.0, 400.5], "flag": True, "nothing": np.nan}),
         "marked": (("y", "x"), t[0].copy()), "packed": (("y", "x"), np.round(rng.normal(size=(3, 5)), 2)),
         "counted": (("y", "x"), np.arange(15, dtype="i4").reshape(3, 5)), "plain": (("y", "x"), np.arange(15, dtype="i8").reshape(3, 5)),
         "flag": (("y", "x"), rng.integers(0, 2, size=(3, 5)).astype(bool)), "n": ((), np.int64(7)), "f": ((), 2.5)},
        coords={"time": np.arange("2020-01-01", "2020-01-05", dtype="M8[D]").astype("M8[ns]"), "y": [10.0, 20.0, 30.0], "x": np.arange(5, dtype="i2"),
                "lag": ("time", np.arange(4).astype("m8[h]").astype("m8[ns]")), "label": ("y", np.array(["of any length", "", "c\u00e9"], dtype=object))},
        attrs={"title": "h\u00e9llo", "history": ["a", "b"], "n": 3})
    if not old:
        d["name"] = ("y", np.array(["a", "bb", "c\u00e9"], dtype="<U2"))
        d["code"] = ("y", np.array([b"a", b"bb", b""], dtype="S2"))
    encoding = {"marked": {"_FillValue": -999.0}, "packed": {"dtype": "i2", "scale_factor": 0.01, "add_offset": 1.0, "_FillValue": -32768},
                "counted": {"_FillValue": -1}, "plain": {"_FillValue": None}, "t": {"chunks": (2, 3, 5), "shards": (4, 3, 5)} if not old else {"chunks": (2, 3, 5)},
                "lag": {"dtype": "int64", "units": "hours"}, "time": {"dtype": "int64", "units": "days since 2020-01-01"}}
    stored = d.copy()
    stored["time"], stored["lag"] = ("time", np.arange(4)), ("time", np.arange(4))
    stored["packed"] = (("y", "x"), np.round((d["packed"].values - 1.0) / 0.01).astype("i2"))
    # A float's _FillValue comes as text in base64, an integer's as a number; times have units of their own.
    attributes = {"t": {"units": "K", "_FillValue": "NaN", "coordinates": None, "valid_range": [0.0, 400.5]}, "marked": {"_FillValue": -999.0},
                  "packed": {"_FillValue": -32768, "scale_factor": 0.01}, "counted": {"_FillValue": -1}, "time": {"units": "days since 2020-01-01"}}
    attributes["t"].pop("coordinates")
    for name, kw in (("ds", {"consolidated": False}), ("ds-consolidated", {"consolidated": True})):
        e = Expected(name)
        d.to_zarr(e.store(), mode="w", zarr_format=3, encoding=encoding, **kw)
        for v in stored.variables:
            a = stored[v].values
            # Older releases of xarray store booleans as int8.
            e.add(v, a.astype("i8") if a.dtype.kind in "mM" else a.astype("i1") if old and v == "flag" else a, dims=list(stored[v].dims),
                  attributes=attributes.get(v, {}))
        e.done(attributes={"title": "h\u00e9llo", "n": 3})
    e = Expected("tree")
    child = d[["counted", "plain"]].drop_vars(["label", "name", "code"], errors="ignore")
    xarray.DataTree.from_dict({"/": child, "/a": child[["plain"]], "/a/b": child[["counted"]]}).to_zarr(e.store(), mode="w", zarr_format=3, encoding={})
    for prefix, names in (("", ("counted", "plain")), ("a/", ("plain",)), ("a/b/", ("counted",))):
        for v in names:
            e.add(prefix + v, child[v].values, dims=["y", "x"])
    e.done()


# ---- GDAL -----------------------------------------------------------------------------------------------------------------------------

def write_gdal():
    """GDAL translates what zarr-python wrote: it has no writer of its own for a program without its Python binding."""
    import zarr
    from gdal_lib import Gdal
    gdal = Gdal()
    source = os.path.join(folder, "source")
    g = zarr.open_group(source, mode="w", zarr_format=3)
    arrays = {}
    for t in NETCDF:
        if t in ("bool", "float16"):
            continue
        arrays[t] = sample(t, (5, 4))
        if t.startswith("float"):
            arrays[t] = np.nan_to_num(arrays[t].astype("f8"), nan=1.5, posinf=2.5, neginf=-2.5).astype(t)
        create(g, t, arrays[t], chunks=(3, 2), dimension_names=["y", "x"], compressors=[GZIP], attributes={"units": "K"})[...] = arrays[t]
    for name, options in {"plain": {}, "gzip": {"COMPRESS": "GZIP"}, "zstd": {"COMPRESS": "ZSTD"}, "blosc": {"COMPRESS": "BLOSC"},
                          "order_f": {"CHUNK_MEMORY_LAYOUT": "F", "BLOCKSIZE": "3,2"}, "dot": {"DIM_SEPARATOR": ".", "BLOCKSIZE": "2,3"}}.items():
        e = Expected(name)
        arguments = ["-of", "Zarr", "-co", "FORMAT=ZARR_V3"]
        for key, value in options.items():
            arguments += ["-co", "ARRAY:%s=%s" % (key, value)]
        gdal.translate('ZARR:"%s"' % source, e.store(), arguments)
        for t, a in arrays.items():
            e.add(t, a, dims=["y", "x"], attributes={"units": "K"})
        e.done()


{"zarr": write_zarr, "zarrs": write_zarrs, "tensorstore": write_tensorstore, "xarray": write_xarray, "gdal": write_gdal}[kind]()
