"""Writes cases.json: what numcodecs makes of small arrays, for test_codec_numcodecs.c. Run with numcodecs 0.16.

A case is {"dtype": of the array, "filters", "compressor": as they stand in .zarray, "data": the array's bytes,
"encoded": numcodecs' bytes, "decoded": what numcodecs makes of those (absent: "data" again), "same": whether every
encoder must come to the same bytes}. Bytes are in hexadecimal.
"""
import json
import lzma
import warnings

import numcodecs
import numpy as np

warnings.simplefilter("ignore")
rng = np.random.default_rng(20240229)
cases = []


def run(array, codecs):
    buf = array
    for config in codecs:
        buf = numcodecs.get_codec(dict(config)).encode(buf)
    encoded = bytes(np.ascontiguousarray(buf).tobytes()) if isinstance(buf, np.ndarray) else bytes(buf)
    buf = encoded
    for config in reversed(codecs):
        buf = numcodecs.get_codec(dict(config)).decode(buf)
    decoded = np.asarray(buf).tobytes() if isinstance(buf, np.ndarray) else bytes(buf)
    return encoded, decoded


def case(array, *codecs, same=True):
    array = np.ascontiguousarray(array)
    encoded, decoded = run(array, codecs)
    entry = {"dtype": array.dtype.str, "filters": codecs[:-1] or None, "compressor": codecs[-1],
             "data": array.tobytes().hex(), "encoded": encoded.hex(), "same": same}
    if decoded != array.tobytes():
        entry["decoded"] = decoded.hex()
    cases.append(entry)


def codec(id, **config):
    return {"id": id, **config}


ints = np.array([0, 1, 2, 3, 100, -5, 32767, -32768, 7, 8, 9], "<i2")
text = np.frombuffer(b"the quick brown fox jumps over the lazy dog" * 3, "u1")

# checksums, at lengths around their steps
for n in (0, 1, 3, 4, 8, 11, 12, 13, 24, 25, 100):
    for id in ("crc32", "crc32c", "adler32", "jenkins_lookup3"):
        case(text[:n], codec(id))
for id in ("crc32", "crc32c", "adler32"):
    case(text, codec(id, location="start"))
    case(text, codec(id, location="end"))
case(text, codec("jenkins_lookup3", initval=0xCAFEBABE, prefix=None))
case(np.arange(1050, dtype="<u4"), codec("crc32c"), codec("zlib", level=9), same=False)

for n in (0, 1, 2, 3, 4, 5, 60):
    case(rng.integers(0, 256, n, dtype="u1"), codec("base64"))

# lz4 and lzma
for a in (ints, text, np.zeros(60, "<f8"), rng.integers(0, 256, 100, dtype="u1")):
    case(a, codec("lz4", acceleration=1), same=False)
    case(a, codec("lzma", format=1, check=-1, preset=None, filters=None), same=False)
case(text, codec("lz4", acceleration=-7), same=False)
case(text, codec("lzma", format=1, check=lzma.CHECK_SHA256, preset=9), same=False)
case(text, codec("lzma", format=1, check=lzma.CHECK_NONE, preset=0 | lzma.PRESET_EXTREME), same=False)
case(text, codec("lzma", format=2, preset=2), same=False)
case(text, codec("lzma", format=2), same=False)
raw = [dict(id=lzma.FILTER_DELTA, dist=4), dict(id=lzma.FILTER_LZMA2, preset=1)]
case(np.arange(100, dtype="<i4"), codec("lzma", format=3, filters=raw), same=False)
raw = [dict(id=lzma.FILTER_X86), dict(id=lzma.FILTER_DELTA, dist=2),
       dict(id=lzma.FILTER_LZMA1, dict_size=65536, lc=2, lp=1, pb=0, mode=1, nice_len=40, mf=0x03, depth=5)]
case(np.arange(100, dtype="<i2"), codec("lzma", format=3, filters=raw), same=False)

# delta
for t in ("|i1", "|u1", "<i2", ">i2", "<u2", "<i4", ">i4", "<u4", "<i8", ">u8"):
    info = np.iinfo(t)
    a = np.concatenate([[info.min, info.max, 0, 1, info.max, info.min], rng.integers(0, 120, 7)]).astype(t)
    case(a, codec("delta", dtype=t))
for t in ("<f4", ">f4", "<f8", ">f8"):
    case(np.array([-0.0, 0.5, 1.25, 1e30, -1e30, 0.1, np.inf, 3.0], t), codec("delta", dtype=t))
case(np.array([1000, 1001, 1003, 1000, 990], "<i8"), codec("delta", dtype="<i8", astype="<i2"))
case(np.array([100, 102, 90, 100, 101], "<i4"), codec("delta", dtype="<i4", astype="|i1"))
case(np.array([100, 102, 90, 100, 101], ">i4"), codec("delta", dtype=">i4", astype="<f8"))
case(np.array([0.5, 1.5, 3.25, 2.0], "<f8"), codec("delta", dtype="<f8", astype="<f2"))
case(np.array([1, 2, 4, 1], "<f4"), codec("delta", dtype="<f4", astype="<i2"))
case(np.arange(600, dtype="<i4") * 7, codec("delta", dtype="<i4"), codec("zlib", level=9), same=False)

# fixedscaleoffset
line = np.linspace(1000, 1001, 10)
case(line, codec("fixedscaleoffset", scale=10, offset=1000, dtype="<f8", astype="|u1"))
case(line, codec("fixedscaleoffset", scale=1000, offset=1000, dtype="<f8", astype="<u2"))
case(line.astype("<f4"), codec("fixedscaleoffset", scale=1000, offset=1000, dtype="<f4", astype="<i2"))
case(line.astype(">f4"), codec("fixedscaleoffset", scale=100.0, offset=1000.25, dtype=">f4", astype=">i4"))
case(np.array([0.5, 1.5, 2.5, -0.5, -1.5, 0.1, 1e5]), codec("fixedscaleoffset", scale=1, offset=0, dtype="<f8",
                                                            astype="<i4"))
case(np.array([270.5, 300.25, 250.125], "<f4"), codec("fixedscaleoffset", scale=0.1, offset=-3.3, dtype="<f4"))
case(np.array([270.5, 300.25, 250.125], "<f8"), codec("fixedscaleoffset", scale=1.0 / 3, offset=-3.3, dtype="<f8",
                                                      astype="<f4"))
case(np.array([5, 6, 1000], "<i4"), codec("fixedscaleoffset", scale=2, offset=5, dtype="<i4", astype="<i2"))
case(np.array([5, 6, 1000], "<u2"), codec("fixedscaleoffset", scale=0.5, offset=4.5, dtype="<u2", astype="<i4"))

# quantize
wild = np.array([0, 0.11111111, -0.5, 123.456, -9.87654e-5, 1e-12, 6.02e23, np.inf, -np.inf])
for digits in (-3, -1, 0, 1, 2, 3, 7, 10):
    case(wild, codec("quantize", digits=digits, dtype="<f8"))
    case(wild.astype("<f4"), codec("quantize", digits=digits, dtype="<f4"))
case(wild, codec("quantize", digits=2, dtype="<f8", astype="<f4"))
case(wild[:6], codec("quantize", digits=2, dtype="<f8", astype="<f2"))
case(wild.astype(">f4"), codec("quantize", digits=2, dtype=">f4", astype=">f8"))

# bitround
noise = rng.normal(size=20) * 10.0 ** rng.integers(-20, 20, 20)
for t, keeps in (("<f4", (0, 1, 3, 10, 22, 23)), ("<f8", (0, 4, 20, 51, 52)), ("<f2", (0, 3, 10))):
    for keep in keeps:
        with np.errstate(over="ignore", under="ignore"):
            case(np.concatenate([noise, [0, -0.0, 1.5, 3.5, np.inf, np.nan]]).astype(t), codec("bitround", keepbits=keep))

# packbits
for n in (0, 1, 7, 8, 9, 16, 30):
    case(rng.integers(0, 2, n).astype("?"), codec("packbits"))
case(rng.integers(0, 2, 30).astype("?"), codec("packbits"), codec("zlib", level=1), same=False)

# astype
small = np.array([0, 1, 2, 100, 127, 3])
for e, d in (("|i1", "<i2"), ("<i2", "|u1"), ("<f4", "<f8"), (">f4", "<f8"), ("<i4", ">f8"), ("<f8", "<i8"),
             ("<u2", ">u4"), ("<f2", "<f4"), ("<i2", "<f2"), ("|b1", "<i4"), ("<i4", "|b1")):
    case(small.astype(d), codec("astype", encode_dtype=e, decode_dtype=d))
case(np.array([0.1, 1e30, 1e300, -1e-300, np.inf, np.nan]), codec("astype", encode_dtype="<f4", decode_dtype="<f8"))
case(np.array([0.1, 65504, 65519.99, 65520, 1e-8, 6e-8, -3]), codec("astype", encode_dtype="<f2", decode_dtype="<f8"))
case(np.array([-1, 300, 70000, 2**31 - 1, -2**31], "<i4"), codec("astype", encode_dtype="|u1", decode_dtype="<i4"))
case(np.array([0.5, 0, -1, np.nan, 2e-310]), codec("astype", encode_dtype="|b1", decode_dtype="<f8"))

# several of them
f8 = np.round(np.sin(np.arange(64) / 7) * 50, 2)
scaled = codec("fixedscaleoffset", scale=100, offset=0, dtype="<f8", astype="<i4")
case(f8, scaled, codec("delta", dtype="<i4", astype="<i2"), codec("shuffle", elementsize=2), codec("crc32"))
case(f8, scaled, codec("shuffle", elementsize=4), codec("zlib", level=6), same=False)
case(f8, codec("quantize", digits=3, dtype="<f8", astype="<f4"), codec("bitround", keepbits=9),
     codec("shuffle", elementsize=4), codec("fletcher32"))
case(f8, scaled, codec("blosc", cname="lz4", clevel=5, shuffle=1, blocksize=0), same=False)
case(f8, codec("shuffle", elementsize=8), codec("blosc", cname="lz4", clevel=5, shuffle=1, blocksize=0), same=False)
case(f8, codec("astype", encode_dtype=">f4", decode_dtype="<f8"), codec("lz4", acceleration=1),
     codec("jenkins_lookup3", initval=3, prefix=None), codec("base64"), same=False)
case(f8, codec("zlib", level=1), codec("delta", dtype="|u1"), codec("adler32"), same=False)
case(rng.integers(0, 2, 77).astype("?"), codec("packbits"), codec("delta", dtype="|u1"), codec("crc32c"))

with open("cases.json", "w") as f:
    f.write("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")
