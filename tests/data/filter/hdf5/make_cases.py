"""Writes cases.json: chunks that HDF5's filters made, for test_codec_hdf5.c. Run with h5py 3.16 (HDF5 2.0) and
hdf5plugin 7.1.

A case is {"what": a name, "size": bytes of an element as it is stored, "kind": of its dtype, "big": whether it is
big-endian, "filters": [[number, words]], "mask": the chunk's filter mask, "stored": the chunk's bytes in the file,
"data": what HDF5 makes of it, without any conversion}. Bytes are in hexadecimal.
"""
import ctypes
import glob
import json
import os

import h5py
import hdf5plugin
import numpy as np
from h5py import h5d, h5f, h5p, h5s, h5t, h5z

rng = np.random.default_rng(20240229)
cases = []

# HDF5 2.0 makes no datasets of numbers with many unused bits unless it is told to; h5py does not have that call.
hdf5 = ctypes.CDLL(glob.glob(os.path.dirname(h5py.__file__) + "/../h5py.libs/libhdf5-*")[0])
access = h5p.create(h5p.FILE_ACCESS)
access.set_fapl_core(1 << 16, False)
assert hdf5.H5Pset_relax_file_integrity_checks(ctypes.c_int64(access.id), ctypes.c_uint64(1)) >= 0


def case(what, data, filters=(), fill=None, file_type=None, options=None):
    """One chunk of `data`, through `filters` [(number, words)], or h5py's `options`."""
    data = np.asarray(data)
    with h5py.File(h5f.create(b"case.h5", fapl=access)) as f:
        if options is not None:
            if fill is not None:
                options = {**options, "fillvalue": fill}
            d = f.create_dataset("d", data=data, chunks=data.shape, **options).id
        else:
            space = h5s.create_simple(data.shape)
            plist = h5p.create(h5p.DATASET_CREATE)
            plist.set_chunk(data.shape)
            if fill is not None:
                plist.set_fill_value(np.asarray(fill, data.dtype))
            for number, words in filters:
                plist.set_filter(number, h5z.FLAG_OPTIONAL, tuple(words))
            d = h5d.create(f.id, b"d", file_type or h5t.py_create(data.dtype), space, plist)
            d.write(h5s.ALL, h5s.ALL, np.ascontiguousarray(data))
        f.flush()
        mask, stored = d.read_direct_chunk((0,) * data.ndim)
        kind = d.get_type()
        raw = np.empty(data.size * kind.get_size(), "u1")
        d.read(h5s.ALL, h5s.ALL, raw, kind) if raw.shape == data.shape else read_raw(d, raw, kind)
        plist = d.get_create_plist()
        used = [plist.get_filter(i) for i in range(plist.get_nfilters())]
        cases.append({"what": what, "size": kind.get_size(), "kind": data.dtype.kind,
                      "big": data.dtype.byteorder == ">" if file_type is None else False,
                      "filters": [[number, list(words)] for number, _, words, _ in used], "mask": mask,
                      "stored": stored.hex(), "data": raw.tobytes().hex()})


def read_raw(d, raw, kind):
    """h5py wants as many elements as the space has: read through an opaque array of the same elements."""
    count = raw.size // kind.get_size()
    view = raw.view(f"V{kind.get_size()}").reshape(d.get_space().get_simple_extent_dims())
    assert view.size == count
    d.read(h5s.ALL, h5s.ALL, view, kind)


INTS = ["i1", "u1", "<i2", ">i2", "<u2", "<i4", ">i4", "<u4", ">u4", "<i8", ">i8", "<u8", ">u8"]
FLOATS = ["<f4", ">f4", "<f8", ">f8"]


def some(dtype, n, low=-20, high=100):
    dtype = np.dtype(dtype)
    if dtype.kind == "u":
        low, high = 5, high + 25
    return rng.integers(low, high, n).astype(dtype)


# szip: all sizes, both orders, both masks; rows that are shorter than a block, no multiple of one, long
for dtype in INTS + FLOATS:
    for coding, pixels in (("nn", 8), ("ec", 16)):
        case(f"szip {coding} {dtype}", np.cumsum(some(dtype, 40) // 9).astype(dtype),
             options={"compression": "szip", "compression_opts": (coding, pixels)})
for shape in ((7, 9), (4, 5), (3, 33), (150,)):
    case(f"szip rows {shape}", np.arange(np.prod(shape), dtype="<i4").reshape(shape),
         options={"compression": "szip", "compression_opts": ("nn", 8)})


# integers of fewer bits than their bytes have
def narrow(base, precision, offset=0, order=None):
    kind = base.copy()
    kind.set_precision(precision)
    kind.set_offset(offset)
    if order is not None:
        kind.set_order(order)
    return kind


for bits in (3, 11, 17, 24):
    case(f"szip {bits} bits", some("<i4", 64, 0, 7), [(4, (4, 8))], file_type=narrow(h5t.STD_I32LE, bits))

# n-bit
for bits, offset in ((1, 0), (3, 0), (5, 3), (8, 0), (8, 8), (9, 4), (12, 0), (15, 1), (16, 16), (17, 7), (31, 1),
                     (32, 0)):
    for base, order in ((h5t.STD_U32LE, None), (h5t.STD_U32BE, None)):
        case(f"nbit {bits} at {offset}, {'LE' if base == h5t.STD_U32LE else 'BE'}",
             rng.integers(0, 2**bits, 21).astype("<u4"), [(5, ())], file_type=narrow(base, bits, offset))
for base, bits, dtype in ((h5t.STD_I8LE, 5, "i1"), (h5t.STD_I16LE, 10, "<i2"), (h5t.STD_I16BE, 7, "<i2"),
                          (h5t.STD_I64LE, 33, "<i8"), (h5t.STD_I64BE, 63, "<i8"), (h5t.STD_I64LE, 64, "<i8")):
    case(f"nbit signed {bits}", rng.integers(-2**(bits - 1), 2**(bits - 1) - 1, 13).astype(dtype), [(5, ())],
         file_type=narrow(base, bits))
small = h5t.IEEE_F32LE.copy()  # 20 bits: sign, 6 of exponent, 13 of mantissa
small.set_fields(26, 20, 6, 7, 13)
small.set_offset(7)
small.set_precision(20)
small.set_ebias(31)
case("nbit float", np.array([0, 1, -2.5, 3.125, 100, -0.01], "<f4"), [(5, ())], file_type=small)
case("nbit whole", some("<i4", 10), [(5, ())])

record = np.zeros(9, [("a", "<i4"), ("b", "S3"), ("c", "<u2", (2, 3)), ("d", [("e", "i1"), ("f", "<f8")])])
for name in ("a",):
    record[name] = some("<i4", 9)
record["b"] = b"xyz"
record["c"] = rng.integers(0, 500, (9, 2, 3))
record["d"]["e"] = some("i1", 9)
record["d"]["f"] = rng.standard_normal(9)
inner = h5t.create(h5t.COMPOUND, 12)
inner.insert(b"e", 0, narrow(h5t.STD_I8LE, 7))
inner.insert(b"f", 4, h5t.IEEE_F64BE)
outer = h5t.create(h5t.COMPOUND, 40)
outer.insert(b"a", 0, narrow(h5t.STD_I32BE, 9, 2))
outer.insert(b"b", 5, h5t.py_create(np.dtype("S3")))
outer.insert(b"c", 8, h5t.array_create(narrow(h5t.STD_U16LE, 10), (2, 3)))
outer.insert(b"d", 22, inner)
case("nbit compound", record, [(5, ())], file_type=outer)

# scale-offset
for dtype in INTS:
    case(f"scaleoffset {dtype}", some(dtype, 20), options={"scaleoffset": 0})
    case(f"scaleoffset fill {dtype}", np.where(rng.integers(0, 3, 20) == 0, 77, some(dtype, 20)).astype(dtype),
         options={"scaleoffset": 0}, fill=77)
    case(f"scaleoffset 7 bits {dtype}", some(dtype, 20, 0, 99), options={"scaleoffset": 7})
    info = np.iinfo(dtype)
    case(f"scaleoffset extremes {dtype}", np.array([info.min, info.max, 0, 1, 2], dtype), options={"scaleoffset": 0})
    case(f"scaleoffset equal {dtype}", np.full(9, 9, dtype), options={"scaleoffset": 0})
    case(f"scaleoffset all bits {dtype}", some(dtype, 9), options={"scaleoffset": 8 * np.dtype(dtype).itemsize})
for dtype in FLOATS:
    for digits in (0, 1, 3, 5):
        values = (rng.standard_normal(20) * 50).astype(dtype)
        case(f"scaleoffset {digits} digits {dtype}", values, options={"scaleoffset": digits} if digits else None,
             filters=[(6, (0, digits))])
        values[rng.integers(0, 3, 20) == 0] = 1e20 if digits < 3 else -999
        case(f"scaleoffset {digits} digits fill {dtype}", values, [(6, (0, digits))],
             fill=1e20 if digits < 3 else -999)
    case(f"scaleoffset -2 digits {dtype}", (rng.standard_normal(9) * 50000).astype(dtype), [(6, (0, 2**32 - 2))])
    case(f"scaleoffset too wide {dtype}", np.array([1e-30, 1e30, -1e30], dtype), [(6, (0, 6))])

# compressors
text = np.frombuffer(b"the quick brown fox jumps over the lazy dog. " * 4, "u1")
ramp = np.arange(100, dtype="<i4") // 3
wave = np.round(np.sin(np.arange(150) / 20) * 100).astype("<i2")
noise = rng.integers(0, 256, 61, "u1")
samples = (("text", text), ("ramp", ramp), ("wave", wave), ("noise", noise), ("one", np.array([7], "<f8")))
for name, data in samples:
    case(f"lzf {name}", data, options={"compression": "lzf"})
    case(f"lzf shuffle {name}", data, options={"compression": "lzf", "shuffle": True})
    case(f"lz4 {name}", data, options=dict(hdf5plugin.LZ4()))
    case(f"bzip2 {name}", data, options=dict(hdf5plugin.BZip2()))
    case(f"zstd {name}", data, options=dict(hdf5plugin.Zstd()))
    case(f"zstd without words {name}", data, [(32015, ())])
    case(f"deflate {name}", data, options={"compression": "gzip", "shuffle": True, "fletcher32": True})
    case(f"fletcher32 {name}", data, options={"fletcher32": True})
    for cname in ("lz4", "zstd", "none"):
        case(f"bitshuffle {cname} {name}", data, options=dict(hdf5plugin.Bitshuffle(cname=cname)))
for cname in ("lz4", "zstd", "none"):
    case(f"bitshuffle blocks {cname}", wave, options=dict(hdf5plugin.Bitshuffle(nelems=16, cname=cname)))
for cname in ("blosclz", "lz4", "lz4hc", "zlib", "zstd"):
    for shuffle in (0, 1, 2):
        case(f"blosc {cname} {shuffle}", np.arange(300, dtype="<i4") // 9,
             options=dict(hdf5plugin.Blosc(cname, 5, shuffle)))
case("bitshuffle 3 bytes", np.frombuffer(bytes(range(90)), "V3"), options=dict(hdf5plugin.Bitshuffle(cname="lz4")))
case("lz4 blocks", text, options=dict(hdf5plugin.LZ4(nbytes=64)))
case("bitshuffle f8", np.arange(50) * 1.5, options=dict(hdf5plugin.Bitshuffle(cname="lz4")))
case("lzf long copies", np.zeros(500, "<i2"), options={"compression": "lzf"})
case("lzf far copies", np.concatenate([rng.integers(0, 256, 300, "u1")] * 2), options={"compression": "lzf"})

# several
case("scaleoffset deflate", some("<i4", 60), [(6, (2, 0)), (1, (4,))])
case("scaleoffset lzf", some("<i4", 60), options={"scaleoffset": 0, "compression": "lzf"})
case("scaleoffset fletcher32", some("<i4", 60), [(6, (2, 0)), (3, ())])
case("nbit deflate", some("<i4", 50, 0, 200), [(5, ()), (1, (9,))], file_type=narrow(h5t.STD_I32LE, 9))
case("lz4 fletcher32", wave, [(32004, (0,)), (3, ())])
case("shuffle szip", wave, [(2, ()), (4, (141, 8))])

with open("cases.json", "w") as out:
    out.write("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")
print(len(cases), "cases")
