"""Datasets of version 3 made by hand, byte for byte: documents as strict and as lenient writers have them, odd shards, and
what must be refused. Each array is in a group beside the others, so that one which is refused shows that it stops no other."""
import base64, json, os, struct, zlib

E = 2**64 - 1


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return struct.pack("<I", crc ^ 0xFFFFFFFF)


def array(shape=(4,), chunks=(2,), data_type="int16", codecs=None, **more):
    out = {"zarr_format": 3, "node_type": "array", "shape": list(shape), "data_type": data_type,
           "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(chunks)}},
           "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}}, "fill_value": 0,
           "codecs": codecs if codecs is not None else [{"name": "bytes", "configuration": {"endian": "little"}}]}
    out.update(more)
    return {k: v for k, v in out.items() if v is not LEFT_OUT}


LEFT_OUT = object()
TWO = {"c/0": struct.pack("<2h", 1, 2), "c/1": struct.pack("<2h", 3, 4)}
VALUES = [1, 2, 3, 4]


def lenient():
    """{name: (document or its text, chunks, values)}: what one of the big readers takes, and the meaning of which is clear."""
    le = {"name": "bytes", "configuration": {"endian": "little"}}
    gz = {k: zlib.compress(v, 6, 31) for k, v in TWO.items()}
    out = {
        "short_codecs": (array(data_type="int8", codecs=["bytes"]), {"c/0": b"\1\2", "c/1": b"\3\4"}),
        "short_key_encoding": (array(chunk_key_encoding="default"), TWO),
        "short_v2_key_encoding": (array(chunk_key_encoding="v2"), {"0": TWO["c/0"], "1": TWO["c/1"]}),
        "key_encoding_by_default": (array(chunk_key_encoding={"name": "default"}), TWO),
        "object_data_type": (array(data_type={"name": "int16"}), TWO),
        "object_data_type_configured": (array(data_type={"name": "int16", "configuration": {}}), TWO),
        "gzip_without_configuration": (array(codecs=[le, {"name": "gzip"}]), gz),
        "gzip_short": (array(codecs=[le, "gzip"]), gz),
        "must_understand_in_codec": (array(codecs=[le, {"name": "gzip", "configuration": {"level": 5}, "must_understand": True}]), gz),
        "more_in_codec": (array(codecs=[dict(le, more=1)]), TWO),
        "bytes_without_endian": (array(codecs=[{"name": "bytes"}]), TWO),
        "endian_as_name": (array(codecs=[{"name": "endian", "configuration": {"endian": "little"}}]), TWO),
        "null_attributes": (array(attributes=None), TWO),
        "null_dimension_names": (array(dimension_names=None), TWO),
        "null_fill": (array(fill_value=None), TWO),
        "float_fill": (array(fill_value=5.0, shape=(6,)), TWO, VALUES + [5, 5]),
        "float_shape": (array(shape=(4.0,)), TWO),
        "false_fill": (array(fill_value=False), TWO),
        "float_zarr_format": (array(zarr_format=3.0), TWO),
        "no_storage_transformers": (array(storage_transformers=[]), TWO),
        "unknown_that_may_be_skipped": (array(more={"must_understand": False, "x": [1]}), TWO),
        "attributes_of_all_kinds": (array(attributes={"a": {"b": [None, 1]}, "n": None, "t": True, "l": [1, "x"]}), TWO),
        "separator_escaped": (json.dumps(array()).replace('"/"', '"\\/"'), TWO),
        "bare_nan": (json.dumps(array(attributes={"x": float("nan"), "y": [float("inf")]})), TWO),
        "transpose_c": (array(codecs=[{"name": "transpose", "configuration": {"order": "C"}}, le]), TWO),
        "key_dot": (array(chunk_key_encoding={"name": "default", "configuration": {"separator": "."}}),
                    {"c.0": TWO["c/0"], "c.1": TWO["c/1"]}),
        "nan_spelled": (array(data_type="float32", fill_value="NaN", shape=(2,)), {"c/0": struct.pack("<2f", 1, 2)}, [1, 2]),
        "hex_fill": (array(data_type="float32", fill_value="0x3f800000"), {"c/0": struct.pack("<2f", 5, 2)}, [5, 2, 1, 1]),
        "infinite_fill": (array(data_type="float64", fill_value="-Infinity"), {"c/0": struct.pack("<2d", 5, 2)}, [5, 2, "-Infinity", "-Infinity"]),
        "largest_fill": (array(data_type="uint64", fill_value=E, shape=(3,)), {"c/0": struct.pack("<2Q", 5, 2)}, [5, 2, E]),
        "least_fill": (array(data_type="int64", fill_value=-2**63, shape=(3,)), {"c/0": struct.pack("<2q", 5, 2)}, [5, 2, -2**63]),
        "bool_fill_0": (array(data_type="bool", fill_value=0), {"c/0": b"\1\0"}, [1, 0, 0, 0]),
        "endian_of_one_byte": (array(data_type="uint8"), {"c/0": b"\1\2", "c/1": b"\3\4"}),
        "scalar": (array(shape=(), chunks=()), {"c": struct.pack("<h", 7)}, [7]),
        "scalar_v2": (array(shape=(), chunks=(), chunk_key_encoding={"name": "v2"}), {"0": struct.pack("<h", 7)}, [7]),
        "crc32c": (array(codecs=[le, {"name": "crc32c"}]), {k: v + crc32c(v) for k, v in TWO.items()}),
        "no_chunks": (array(fill_value=9), {}, [9, 9, 9, 9]),
    }
    return {n: e if len(e) == 3 else e + (VALUES,) for n, e in out.items()}


def refused():
    """{name: (document, chunks, what the error names)}: the array is listed or not, its data are an error."""
    le = {"name": "bytes", "configuration": {"endian": "little"}}
    return {
        "unknown_type": (array(data_type="int13"), TWO, "int13"),
        "unknown_codec": (array(codecs=[le, {"name": "no-such-codec", "configuration": {}}]), TWO, "no-such-codec"),
        "unknown_codec_not_needed": (array(codecs=[le, {"name": "no-such-codec", "must_understand": False}]), TWO, "no-such-codec"),
        "unknown_grid": (array(chunk_grid={"name": "hexagonal", "configuration": {}}), TWO, "hexagonal"),
        "unknown_key_encoding": (array(chunk_key_encoding={"name": "hilbert"}), TWO, "hilbert"),
        "storage_transformer": (array(storage_transformers=[{"name": "teleport"}]), TWO, "storage_transformer"),
        "unknown_member": (array(frobnicate=1), TWO, "frobnicate"),
        "chunk_too_short": (array(), dict(TWO, **{"c/1": b"\1"}), "c/1"),
        "chunk_too_long": (array(), dict(TWO, **{"c/1": b"123456"}), "c/1"),
        "empty_chunk": (array(), dict(TWO, **{"c/1": b""}), "c/1"),
        "wrong_crc32c": (array(codecs=[le, {"name": "crc32c"}]), {"c/0": TWO["c/0"] + b"1234", "c/1": TWO["c/1"] + crc32c(TWO["c/1"])}, "c/0"),
        "no_codecs": (array(codecs=LEFT_OUT), TWO, "codecs"),
        "null_shape": (dict(array(), shape=None), TWO, "shape"),
    }


# ---- shards ---------------------------------------------------------------------------------------------------------------

def sharded(location="end", checksum=True, endian="little", inner=(2,), codecs=None, shape=(4,), shard=(4,), after=(), before=()):
    index = [{"name": "bytes", "configuration": {"endian": endian}}] + ([{"name": "crc32c"}] if checksum else [])
    s = {"name": "sharding_indexed", "configuration": {
        "chunk_shape": list(inner), "index_codecs": index, "codecs": codecs or [{"name": "bytes", "configuration": {"endian": "little"}}]}}
    if location is not None:
        s["configuration"]["index_location"] = location
    return array(shape, shard, codecs=list(before) + [s] + list(after))


def index_bytes(entries, checksum=True, endian="little"):
    data = b"".join(struct.pack(("<" if endian == "little" else ">") + "2Q", *e) for e in entries)
    return data + (crc32c(data) if checksum else b"")


def shards():
    """{name: (document, chunks, values, or the text that the error has)}"""
    one, two = struct.pack("<2h", 1, 2), struct.pack("<2h", 3, 4)
    body = one + two
    entries = [(0, 4), (4, 4)]
    at_start = [(36, 4), (40, 4)]
    good = body + index_bytes(entries)
    return {
        "as_written": (sharded(), good, VALUES),
        "location_left_out": (sharded(None), good, VALUES),
        "index_first": (sharded("start"), index_bytes(at_start) + body, VALUES),
        "index_of_the_reference": (sharded("start"), bytes.fromhex(
            "2400000000000000040000000000000028000000000000000400000000000000df3706b70100020003000400"), VALUES),
        "no_checksum": (sharded(checksum=False), body + index_bytes(entries, False), VALUES),
        "big_index": (sharded(endian="big"), body + index_bytes(entries, endian="big"), VALUES),
        "big_index_first_no_checksum": (sharded("start", False, "big"), index_bytes([(32, 4), (36, 4)], False, "big") + body, VALUES),
        "any_order": (sharded(), two + one + index_bytes([(4, 4), (0, 4)]), VALUES),
        "gaps": (sharded(), b"???" + one + b"????" + two + b"!" + index_bytes([(3, 4), (11, 4)]), VALUES),
        "one_range_twice": (sharded(), one + index_bytes([(0, 4), (0, 4)]), [1, 2, 1, 2]),
        "ranges_overlap": (sharded(), struct.pack("<3h", 1, 2, 3) + index_bytes([(0, 4), (2, 4)]), [1, 2, 2, 3]),
        "range_in_the_index": (sharded(), one + index_bytes([(0, 4), (4, 4)]), [1, 2, 0, 0]),
        "one_missing": (sharded(), one + index_bytes([(0, 4), (E, E)]), [1, 2, 0, 0]),
        "all_missing": (sharded(), index_bytes([(E, E), (E, E)]), [0, 0, 0, 0]),
        "no_object": (sharded(), None, [0, 0, 0, 0]),
        "packed_whole": (sharded(after=[{"name": "gzip", "configuration": {"level": 1}}]), zlib.compress(good, 1, 31), VALUES),
        "checked_whole": (sharded(after=[{"name": "crc32c"}]), good + crc32c(good), VALUES),
        "inner_gzip": (sharded(codecs=[{"name": "bytes", "configuration": {"endian": "big"}}, {"name": "gzip", "configuration": {"level": 1}}]),
                       *gzip_shard()),
        "half_an_entry": (sharded(), body + index_bytes([(0, 4), (4, E)]), "c/0"),
        "other_half_an_entry": (sharded(), body + index_bytes([(E, 4), (4, 4)]), "c/0"),
        "past_the_end": (sharded(), body + index_bytes([(0, 4), (4000, 4)]), "c/0"),
        "past_the_end_in_length": (sharded(), body + index_bytes([(0, 4), (4, 4000)]), "c/0"),
        "overflow": (sharded(), body + index_bytes([(0, 4), (E - 1, 4)]), "c/0"),
        "zero_bytes": (sharded(), body + index_bytes([(0, 4), (4, 0)]), "c/0"),
        "inner_too_short": (sharded(), body + index_bytes([(0, 4), (4, 2)]), "c/0"),
        "wrong_checksum": (sharded(), body + index_bytes(entries)[:-4] + b"abcd", "c/0"),
        "shorter_than_the_index": (sharded(), b"abc", "c/0"),
        "inner_does_not_divide": (sharded(inner=(3,)), good, "chunk_shape"),
        "no_index_codecs": (no_index_codecs(), good, "index_codecs"),
    }


def gzip_shard():
    parts = [zlib.compress(struct.pack(">2h", *p), 1, 31) for p in ((1, 2), (3, 4))]
    entries = [(0, len(parts[0])), (len(parts[0]), len(parts[1]))]
    return b"".join(parts) + index_bytes(entries), VALUES


def no_index_codecs():
    d = sharded()
    d["codecs"][0]["configuration"]["index_codecs"] = []
    return d


# ---- netCDF-C's unreleased branch ---------------------------------------------------------------------------------------------

def netcdf_branch():
    """{path: document}, and chunks: what the unfinished branch of netCDF-C writes."""
    root = {"node_type": "group", "zarr_format": 3, "attributes": {
        "title": "test", "_NCProperties": "version=2,netcdf=4.10.0-development,nczarr=3.0.0", "_nczarr_default_separator": ".",
        "_nczarr_group": {"dimensions": {"time": {"size": 2, "unlimited": 1}, "x": {"size": 6, "unlimited": 0}},
                          "arrays": ["t", "scal", "chr"], "groups": ["g"]},
        "_nczarr_superblock": {"version": "3.0.0"},
        "_nczarr_attrs": {"attribute_types": {"title": "char", "_NCProperties": "char", "_nczarr_default_separator": "char", "_nczarr_group": "json",
                                              "_nczarr_superblock": "json", "_nczarr_attrs": "json"}}}}
    dot = {"name": "default", "configuration": {"separator": "."}}
    types = {"_nczarr_array": "json", "_nczarr_attrs": "json", "_ARRAY_DIMENSIONS": "json"}

    def variable(dims, names, types_more=None, array_more=None, **kw):
        attributes = dict(kw.pop("attributes", {}), _ARRAY_DIMENSIONS=names,
                          _nczarr_array=dict({"dimension_references": dims, "storage": "chunked"}, **array_more or {}),
                          _nczarr_attrs={"attribute_types": dict(types, **types_more or {})})
        return array(attributes=attributes, dimension_names=names, chunk_key_encoding=dot, **kw)
    documents = {
        "": root, "g": {"node_type": "group", "zarr_format": 3, "attributes": {"_nczarr_group": {"dimensions": {}, "arrays": [], "groups": []},
                                                                               "_nczarr_attrs": {"attribute_types": {"_nczarr_group": "json", "_nczarr_attrs": "json"}}}},
        "t": variable(["/time", "/x"], ["time", "x"], {"units": "char", "_FillValue": "float32"}, shape=(2, 6), chunks=(2, 3), data_type="float32",
                      fill_value=-9, attributes={"units": "K", "_FillValue": -9}),
        "scal": variable([], [], None, {"scalar": 1}, shape=(), chunks=(), data_type="int32", fill_value=-1),
        "chr": variable(["/x"], ["x"], {"nczarr_type": "char"}, shape=(6,), chunks=(6,), data_type="uint8", fill_value="",
                        attributes={"nczarr_type": "char"})}
    chunks = {"t/c.0.0": struct.pack("<6f", *range(6)), "scal/c": struct.pack("<i", 42), "chr/c.0": b"abcdef"}
    want = {"/t": [0, 1, 2, -9, -9, -9, 3, 4, 5, -9, -9, -9], "/scal": [42], "/chr": list("abcdef")}
    return documents, chunks, want


def consolidated():
    """{name: member of the root's document}: with the array `v` and the group `g` with the array `g/w`."""
    v, group = array(), {"zarr_format": 3, "node_type": "group", "attributes": {}}
    empty = {"kind": "inline", "must_understand": False, "metadata": {}}
    full = {"v": v, "g": dict(group, consolidated_metadata=empty), "g/w": v}
    return {"null": None, "all": {"kind": "inline", "must_understand": False, "metadata": full},
            "children_without": {"kind": "inline", "must_understand": False, "metadata": {"v": v, "g": group, "g/w": v}},
            "must_understand_left_out": {"kind": "inline", "metadata": full}}


def put(root, key, data):
    path = os.path.join(root, key)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data.encode() if isinstance(data, str) else data if isinstance(data, bytes) else json.dumps(data).encode())


def base64_of(value):
    return base64.b64encode(struct.pack("<d", value)).decode()
