#!/usr/bin/env python3
"""Every codec against numcodecs, both ways: what it encodes we read, what we encode it reads, with the same values.

usage: peer_codecs.py LIBNCZARR.SO FOLDER      run with a peer's Python; prints JSON: [[case, [problem, ...]], ...]

With zarr-python 2 arrays are written and read by it; with a newer one by numcodecs itself, chunk by chunk.
"""
import ctypes, itertools, json, os, sys

import numcodecs, numpy as np, zarr

lib = ctypes.CDLL(os.path.abspath(sys.argv[1]))
folder = sys.argv[2]
rng = np.random.default_rng(20261120)
BY_ZARR = int(zarr.__version__.split(".")[0]) < 3
KNOWN = numcodecs.registry.codec_registry
SHAPE, CHUNKS = (23, 10), (16, 7)

# ---- our side ----------------------------------------------------------------------------------------------------------

lib.nczarr_errmsg.restype = ctypes.c_char_p
NC_STRING = 12
NC_OF = {"i1": 1, "S1": 2, "i2": 3, "i4": 4, "f4": 5, "f8": 6, "u1": 7, "u2": 8, "u4": 9, "i8": 10, "u8": 11}
DTYPE_OF = {v: k for k, v in NC_OF.items()}
sizes = lambda t: (ctypes.c_size_t * len(t))(*t)


class Failure(Exception):
    pass


def ok(rc, what):
    if rc != 0:
        raise Failure("%s: %d %s" % (what, rc, lib.nczarr_errmsg().decode("utf-8", "replace")))


def with_odd_memory(function):
    """Our calls get memory that is not zero (MALLOC_PERTURB_). numcodecs' encoders do not: they take hundreds of MB."""
    byte, M_PERTURB = int(os.environ.get("MALLOC_PERTURB_", "0")), -6
    set_byte = getattr(ctypes.CDLL(None), "mallopt", lambda parameter, value: None)

    def wrapped(*args):
        set_byte(M_PERTURB, byte)
        try:
            return function(*args)
        finally:
            set_byte(M_PERTURB, 0)
    set_byte(M_PERTURB, 0)
    return wrapped


@with_odd_memory
def our_write(path, arrays):
    """{name: problem or None}; an array is (values, dtype, chain)."""
    nc, out, dims = ctypes.c_int(), {}, {}
    ok(lib.nc_create(("file://%s#mode=zarr&durability=none" % path).encode(), 0, ctypes.byref(nc)), "nc_create")
    for name, (a, dtype, chain) in arrays.items():
        ids = (ctypes.c_int * a.ndim)()
        for i, n in enumerate(a.shape):
            if n not in dims:
                dims[n] = ctypes.c_int()
                ok(lib.nc_def_dim(nc, b"d%d" % n, ctypes.c_size_t(n), ctypes.byref(dims[n])), "nc_def_dim")
            ids[i] = dims[n]
        v = ctypes.c_int()
        kind = NC_STRING if dtype.kind in "OU" else NC_OF[dtype.str[1:]]
        try:
            ok(lib.nc_def_var(nc, name.encode(), kind, a.ndim, ids, ctypes.byref(v)), "nc_def_var")
            ok(lib.nc_def_var_chunking(nc, v, 0, sizes(CHUNKS)), "nc_def_var_chunking")
            if dtype.str[0] == ">":
                ok(lib.nc_def_var_endian(nc, v, 2), "nc_def_var_endian")
            for codec in chain:
                ok(lib.nczarr_def_var_codec(nc, v, json.dumps(codec.get_config()).encode()), "nczarr_def_var_codec")
            if kind == NC_STRING:
                texts = [s if isinstance(s, bytes) else text(s).encode() for s in a.reshape(-1)]
                ok(lib.nc_put_var_string(nc, v, (ctypes.c_char_p * len(texts))(*texts)), "nc_put_var_string")
            else:
                b = np.ascontiguousarray(a.astype(dtype.newbyteorder("=")))
                ok(lib.nc_put_var(nc, v, b.ctypes.data_as(ctypes.c_void_p)), "nc_put_var")
            out[name] = None
        except Failure as e:
            out[name] = str(e)
    ok(lib.nc_close(nc), "nc_close")
    return out


@with_odd_memory
def our_read(path):
    nc, n = ctypes.c_int(), ctypes.c_int()
    out = {}
    ok(lib.nc_open(path.encode(), 0, ctypes.byref(nc)), "nc_open")
    ok(lib.nc_inq_nvars(nc, ctypes.byref(n)), "nc_inq_nvars")
    for v in range(n.value):
        name, kind, rank = ctypes.create_string_buffer(1024), ctypes.c_int(), ctypes.c_int()
        ok(lib.nc_inq_var(nc, v, name, ctypes.byref(kind), ctypes.byref(rank), None, None), "nc_inq_var")
        try:
            out[name.value.decode()] = our_values(nc, v, kind.value)
        except Failure as e:
            out[name.value.decode()] = str(e)
    ok(lib.nc_close(nc), "nc_close")
    return out


class Vlen(ctypes.Structure):
    _fields_ = [("len", ctypes.c_size_t), ("p", ctypes.c_void_p)]


def our_sequences(nc, v, kind, n):
    base, rows, a = ctypes.c_int(), (Vlen * n)(), np.empty(n, object)
    ok(lib.nc_inq_vlen(nc, kind, None, None, ctypes.byref(base)), "nc_inq_vlen")
    ok(lib.nc_get_var(nc, v, rows), "nc_get_var")
    dtype = np.dtype(DTYPE_OF[base.value])
    for i, row in enumerate(rows):
        a[i] = np.frombuffer(ctypes.string_at(row.p, row.len * dtype.itemsize) if row.len else b"", dtype)
    ok(lib.nc_free_vlens(ctypes.c_size_t(n), rows), "nc_free_vlens")
    return a.reshape(SHAPE)


def our_values(nc, v, kind):
    n = SHAPE[0] * SHAPE[1]
    if kind == NC_STRING:
        p = (ctypes.c_char_p * n)()
        ok(lib.nc_get_var_string(nc, v, p), "nc_get_var_string")
        a = np.array(list(p), dtype=object).reshape(SHAPE)
        ok(lib.nc_free_string(ctypes.c_size_t(n), p), "nc_free_string")
        return a
    if kind > NC_STRING: # the only user-defined types here
        return our_sequences(nc, v, kind, n)
    a = np.empty(SHAPE, DTYPE_OF[kind])
    ok(lib.nc_get_var(nc, v, a.ctypes.data_as(ctypes.c_void_p)), "nc_get_var")
    return a


# ---- their side --------------------------------------------------------------------------------------------------------

def boxes():
    for i in itertools.product(*[range(-(-s // c)) for s, c in zip(SHAPE, CHUNKS)]):
        yield i, tuple(slice(k * c, min((k + 1) * c, s)) for k, c, s in zip(i, CHUNKS, SHAPE))


def split(chain):
    """numcodecs' own place for each: an object codec or a lone array codec is a filter."""
    if chain and (chain[-1].codec_id in BYTES):
        return chain[:-1], chain[-1]
    return chain, None


def direct_write(path, name, a, dtype, chain, order):
    filters, compressor = split(chain)
    where = os.path.join(path, name)
    os.makedirs(where)
    with open(os.path.join(where, ".zarray"), "w") as f:
        json.dump({"zarr_format": 2, "shape": SHAPE, "chunks": CHUNKS, "dtype": dtype.str, "order": order, "fill_value": None,
                   "filters": [c.get_config() for c in filters] or None,
                   "compressor": compressor.get_config() if compressor else None}, f)
    for index, box in boxes():
        block = np.full(CHUNKS, "" if dtype.kind in "OU" else 0, dtype)
        if chain[0].codec_id in ("vlen-bytes", "vlen-array"):
            for i in np.ndindex(block.shape):
                block[i] = b"" if chain[0].codec_id == "vlen-bytes" else np.empty(0, chain[0].dtype)
        block[tuple(slice(0, b.stop - b.start) for b in box)] = a[box]
        data = np.asarray(block, order=order)
        for codec in chain:
            data = codec.encode(data)
        with open(os.path.join(where, ".".join(map(str, index))), "wb") as f:
            f.write(data.encode() if isinstance(data, str) else data if isinstance(data, bytes) else np.asarray(data).tobytes(order="A"))


def direct_read(path, name):
    where = os.path.join(path, name)
    meta = json.load(open(os.path.join(where, ".zarray")))
    chain = [numcodecs.get_codec(c) for c in (meta["filters"] or []) + ([meta["compressor"]] if meta["compressor"] else [])]
    dtype = np.dtype(meta["dtype"])
    fill = "" if dtype.kind in "OU" else 0
    out = np.full(SHAPE, fill if meta["fill_value"] is None else meta["fill_value"], dtype)
    for index, box in boxes():
        file = os.path.join(where, ".".join(map(str, index)))
        if not os.path.exists(file):
            continue
        data = open(file, "rb").read()
        for codec in reversed(chain):
            data = codec.decode(data)
        block = np.asarray(data, dtype=object) if dtype.kind == "O" else np.frombuffer(np.ascontiguousarray(data), dtype)
        block = block.reshape(CHUNKS, order=meta["order"])
        out[box] = block[tuple(slice(0, b.stop - b.start) for b in box)]
    return out


def zarr_write(path, name, a, dtype, chain, order):
    filters, compressor = split(chain)
    kw = {}
    if dtype.kind == "O":
        kw["object_codec"], filters = filters[0], filters[1:]
    z = zarr.open_group(path, mode="a").create_dataset(name, shape=SHAPE, chunks=CHUNKS, dtype=dtype, order=order, fill_value=None,
                                                       filters=filters or None, compressor=compressor, **kw)
    z[...] = a


def their_write(path, arrays, order):
    out = {}
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, ".zgroup"), "w") as f:
        f.write('{"zarr_format": 2}')
    for name, (a, dtype, chain) in arrays.items():
        (zarr_write if BY_ZARR else direct_write)(path, name, a, dtype, chain, order)
    return out


def their_read(path, name):
    return zarr.open_group(path, mode="r")[name][...] if BY_ZARR else direct_read(path, name)


# ---- what is tried -----------------------------------------------------------------------------------------------------

BYTES = {"zlib", "gzip", "bz2", "lzma", "blosc", "zstd", "lz4", "shuffle", "crc32", "crc32c", "adler32", "fletcher32", "jenkins_lookup3",
         "base64"}
NUMBERS = ("|i1", "|u1", "<i2", ">u2", "<i4", "<u4", "<i8", ">u8", "<f4", ">f4", "<f8")


def codec(id, **kw):
    return numcodecs.get_codec(dict(kw, id=id)) if id in KNOWN else None


def bytes_chains():
    for level in (0, 1, 9, -1):
        yield [codec("zlib", level=level)]
    for level in (1, 9):
        yield [codec("gzip", level=level)]
        yield [codec("bz2", level=level)]
    for kw in ({}, {"preset": 0}, {"preset": 9}, {"check": 0}, {"check": 4}, {"format": 2},
               {"format": 3, "filters": [{"id": 3, "dist": 4}, {"id": 33, "preset": 1}]}):
        yield [codec("lzma", **kw)]
    for level in (-100, -5, -1, 0, 1, 3, 19, 22):
        yield [codec("zstd", level=level)]
    yield [codec("zstd", level=3, checksum=True)]
    for a in (1, 10, -1):
        yield [codec("lz4", acceleration=a)]
    for cname in ("blosclz", "lz4", "lz4hc", "zlib", "zstd"):
        for shuffle in (-1, 0, 1, 2):
            yield [codec("blosc", cname=cname, clevel=5, shuffle=shuffle)]
    yield [codec("blosc", cname="lz4", clevel=0, shuffle=1)]
    yield [codec("blosc", cname="zstd", clevel=9, shuffle=2, blocksize=64)]
    for size in (1, 2, 4, 7, 8):
        yield [codec("shuffle", elementsize=size), codec("zlib", level=1)]
    for name in ("crc32", "crc32c", "adler32"):
        for kw in ({}, {"location": "start"}, {"location": "end"}):
            try:
                yield [codec(name, **kw)]
            except TypeError: # a numcodecs that has no such parameter yet
                pass
    yield [codec("jenkins_lookup3")]
    yield [codec("jenkins_lookup3", initval=12345)]
    yield [codec("fletcher32")]
    yield [codec("base64")]
    yield [codec("fletcher32"), codec("shuffle", elementsize=4), codec("bz2", level=1), codec("crc32"), codec("base64")]
    yield [codec("zlib", level=1), codec("zstd", level=1)]


def array_chains(dtype):
    z = codec("zlib", level=1)
    t = dtype.str
    yield [codec("delta", dtype=t), z]
    if dtype.kind in "iu" and dtype.itemsize < 8: # eight bytes are more than numcodecs can convert
        yield [codec("delta", dtype=t, astype="<i8"), codec("shuffle", elementsize=8), z]
        yield [codec("astype", encode_dtype="<f8", decode_dtype=t), z]
    if dtype.kind == "f":
        yield [codec("fixedscaleoffset", offset=0.5, scale=10, dtype=t, astype="<i4"), z]
        yield [codec("fixedscaleoffset", offset=-3, scale=4, dtype=t, astype="<f8"), codec("delta", dtype="<f8")]
        yield [codec("quantize", digits=2, dtype=t), codec("blosc", cname="lz4")]
        yield [codec("astype", encode_dtype="<f4", decode_dtype=t), z]
        if t[0] == "<": # numcodecs takes the bytes for the machine's own
            yield [codec("bitround", keepbits=5), z]
    if dtype.itemsize == 1:
        yield [codec("delta", dtype=t)]
    if t in ("<i4", "<i8", "<f4", "<f8"):
        yield [codec("zfpy", tolerance=-1)] # without loss
        yield [codec("zfpy", tolerance=0.25), z]
        yield [codec("zfpy", mode=3, precision=24)]
        yield [codec("zfpy", mode=2, rate=12.5)]


def object_chains():
    z = codec("zlib", level=1)
    labels = ["", "a", "bc", "h\u00e9", "z\u2713"]
    for first in (codec("vlen-utf8"), codec("json2"), codec("msgpack2"), codec("categorize", labels=labels, dtype="|O"),
                  codec("categorize", labels=labels, dtype="|O", astype="<u2")):
        for rest in ([], [z], [codec("blosc", cname="zstd", shuffle=1)], [codec("crc32"), codec("lz4")]):
            yield [first] + rest
    for rest in ([], [z]):
        yield [codec("vlen-bytes")] + rest
        yield [codec("vlen-array", dtype="<i2")] + rest
        yield [codec("vlen-array", dtype="<f8")] + rest


def data(dtype, pattern):
    if dtype.kind in "OU":
        words = ["", "a", "bc", "h\u00e9", "z\u2713"]
        pick = {"empty": lambda i: 0, "constant": lambda i: 2, "random": lambda i: int(rng.integers(5)), "smooth": lambda i: i // 50}[pattern]
        return np.array([words[pick(i)] for i in range(SHAPE[0] * SHAPE[1])], dtype=dtype).reshape(SHAPE)
    if pattern == "empty":
        a = np.zeros(SHAPE)
        a[3, 3] = 1
        return a.astype(dtype)
    if pattern == "constant":
        return np.full(SHAPE, 7).astype(dtype)
    if pattern == "smooth":
        return (np.sin(np.arange(SHAPE[0] * SHAPE[1]).reshape(SHAPE) / 40) * 50 + 60).astype(dtype)
    if dtype.kind == "f":
        return (rng.normal(size=SHAPE) * 100).astype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, size=SHAPE).astype(bool)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, size=SHAPE, dtype=dtype.newbyteorder("="), endpoint=True).astype(dtype)


def items(chain, a):
    """Words as what the chain's codec takes: bytes, or runs of numbers."""
    if chain[0].codec_id == "vlen-bytes":
        make = str.encode
    elif chain[0].codec_id == "vlen-array":
        make = lambda s: np.array([ord(c) for c in s] * 2, dtype=chain[0].dtype)
    else:
        return a
    out = np.empty(a.shape, dtype=object)
    for i in np.ndindex(a.shape):
        out[i] = make(a[i])
    return out


def cases():
    """{name: (values, dtype, chain)}: every chain with some types and one pattern each, by turns; each codec meets all of them."""
    patterns = itertools.cycle(("random", "smooth", "constant", "empty"))
    types = itertools.cycle(NUMBERS)
    out = {}

    def add(dtype, pattern, chain):
        if None not in chain:
            label = "+".join(c.codec_id for c in chain)
            out["c%04d %s %s %s" % (len(out), label, dtype.str, pattern)] = (items(chain, data(dtype, pattern)), dtype, chain)

    for chain in bytes_chains():
        for _ in range(3):
            add(np.dtype(next(types)), next(patterns), chain)
        next(patterns)
    for t in NUMBERS:
        for chain in array_chains(np.dtype(t)):
            for _ in range(2):
                add(np.dtype(t), next(patterns), chain)
            next(patterns)
    for pattern in ("random", "empty", "constant"):
        add(np.dtype("bool"), pattern, [codec("packbits")])
        add(np.dtype("bool"), pattern, [codec("packbits"), codec("zlib", level=1)])
    for chain in object_chains():
        for pattern in ("random", "empty", "smooth"):
            add(np.dtype(object), pattern, chain)
    for pattern in ("random", "constant"):
        add(np.dtype("<U2"), pattern, [codec("categorize", labels=["a", "bc", "h\u00e9", "z\u2713"], dtype="<U2"), codec("zlib", level=1)])
    return out


# ---- judging -----------------------------------------------------------------------------------------------------------

def text(v):
    if isinstance(v, np.ndarray):
        return json.dumps(v.tolist(), separators=(",", ":"))
    return v.decode("utf-8", "replace") if isinstance(v, bytes) else "" if v is None else str(v)


def differ(ours, theirs):
    if isinstance(ours, str):
        return [ours]
    if ours.dtype == object or theirs.dtype.kind in "OUS":
        bad = [(i, x, y) for i, (x, y) in enumerate(zip(map(text, ours.reshape(-1)), map(text, np.asarray(theirs).reshape(-1)))) if x != y]
        return ["%d values differ; [%d] ours %r, theirs %r" % ((len(bad),) + bad[0])] if bad else []
    theirs = theirs.astype(theirs.dtype.newbyteorder("="))
    theirs = theirs.astype("u1") if theirs.dtype.kind == "b" else theirs
    if ours.dtype != theirs.dtype:
        return ["type %s, theirs is %s" % (ours.dtype, theirs.dtype)]
    bad = np.flatnonzero(ours.reshape(-1).view("u%d" % ours.itemsize) != np.ascontiguousarray(theirs).reshape(-1).view("u%d" % ours.itemsize))
    return ["%d values differ; [%d] ours %r, theirs %r" % (bad.size, bad[0], ours.reshape(-1)[bad[0]], theirs.reshape(-1)[bad[0]])] if bad.size else []


def key(name):
    return name.split()[0]


def theirs_to_us(all, results):
    for order in "CF":
        path = os.path.join(folder, "theirs-" + order)
        some = {n: c for i, (n, c) in enumerate(all.items()) if order == "C" or
                (i % 3 == 0 or c[1].kind == "O") and c[2][0].codec_id != "zfpy"} # which has no column-major arrays
        their_write(path, {key(n): c for n, c in some.items()}, order)
        mine = our_read(path)
        for name, (a, dtype, chain) in some.items():
            # zarr-python spoils nested lists of a column-major array as it reads them: what it was given is what counts.
            nested = order == "F" and chain[0].codec_id in ("json2", "msgpack2")
            theirs = a if nested else their_read(path, key(name))
            results.append(["%s, order %s: numcodecs -> nczarr" % (name, order), differ(mine.get(key(name), "not listed"), theirs)])


def can_write(dtype):
    """What the netCDF API can define: no truth values, no fixed-width UCS-4."""
    return dtype.kind not in "bU"


def us_to_theirs(all, results):
    path = os.path.join(folder, "ours")
    some = {n: c for n, c in all.items() if can_write(c[1])}
    problems = our_write(path, {key(n): c for n, c in some.items()})
    mine = our_read(path)
    for name, (a, dtype, chain) in some.items():
        bad = [problems[key(name)]] if problems[key(name)] else []
        if not bad:
            theirs = their_read(path, key(name))
            bad = differ(mine[key(name)], theirs)
            if not BY_ZARR and chain[0].codec_id == "vlen-utf8": # what zarr-python 3 knows of objects
                whole = zarr.open_group(path, mode="r", zarr_format=2)[key(name)][...]
                bad = bad or ["zarr-python: " + p for p in differ(mine[key(name)], whole)]
            want = a.reshape(-1) # what numcodecs makes of it, all at once: these codecs work element by element
            for c in [c for c in chain if c.codec_id not in BYTES]:
                if c.codec_id in ("fixedscaleoffset", "quantize", "bitround", "astype"):
                    want = np.asarray(c.decode(np.asarray(c.encode(want)))).view(dtype)
            # Sums of floats depend on what comes before them, the padding of an edge chunk too.
            lossy = any(c.codec_id == "zfpy" and (c.mode, c.tolerance) != (4, -1) for c in chain)
            if not bad and not lossy and not (dtype.kind == "f" and any(c.codec_id == "delta" for c in chain)):
                bad = ["not what was put: " + p for p in differ(mine[key(name)], want.reshape(SHAPE))]
        results.append(["%s: nczarr -> numcodecs" % name, bad])


OURS = BYTES | {"delta", "fixedscaleoffset", "quantize", "bitround", "packbits", "astype", "vlen-utf8", "vlen-bytes", "vlen-array", "json2",
                "msgpack2", "categorize", "zfpy"}

results = []
everything = cases()
theirs_to_us(everything, results)
us_to_theirs(everything, results)
met = {c.codec_id for _, _, chain in everything.values() for c in chain}
results.append(["every codec that numcodecs %s has was met" % numcodecs.__version__, sorted((OURS & set(KNOWN)) - met)])
print(json.dumps(results))
