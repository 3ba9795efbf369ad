"""What the sources of the matrix hold: small datasets, each with one kind of thing that a copy can lose.

A content is a function that fills a writer (writers.py): dimensions, variables, attributes. A writer that has no form for
something raises Cannot; that source does not exist then. Each content also has an ordinary variable, `plain`, so that it
shows when one thing costs others.
"""
import numpy as np

NAN, INF = float("nan"), float("inf")


def plain(w):
    w.dim("x", 4)
    w.var("plain", ["x"], np.array([1, -2, 3, 4], "i4"), attrs={"units": "m"})


def numbers(w):
    plain(w)
    for kind in ("i1", "i2", "i4", "f4", "f8"):
        low, high = (np.iinfo(kind).min, np.iinfo(kind).max) if kind[0] == "i" else (np.finfo(kind).min, np.finfo(kind).max)
        w.var("v_" + kind, ["x"], np.array([low, 0, 1, high], kind), chunks=[3])


def more_numbers(w):
    plain(w)
    for kind in ("u1", "u2", "u4", "i8", "u8"):
        info = np.iinfo(kind)
        w.var("v_" + kind, ["x"], np.array([info.min, 0, 2**53 + 1 if kind[1] == "8" else 1, info.max], kind), chunks=[3])


def special_floats(w):
    plain(w)
    for kind in ("f4", "f8"):
        w.var("v_" + kind, ["x"], np.array([NAN, -0.0, INF, np.finfo(kind).smallest_subnormal], kind))
        w.var("fill_" + kind, ["x"], np.array([NAN, 1, -INF, 5], kind), fill=np.array(NAN, kind)[()])


def float_attributes(w):
    """Values that a float's own digits and a double's tell apart."""
    plain(w)
    f = np.float32
    w.var("v", ["x"], np.array([1, 1e20, 3, -999.9], "f4"), attrs={"missing_value": f(1e20), "valid_max": f(9.96921e36), "few": np.array([0.1, 1 / 3], "f4")})
    w.var("packed", ["x"], np.array([2731, 1, 2, 3], "i2"), attrs={"scale_factor": f(0.1), "add_offset": f(0.3)})
    w.attr("third", f(1) / f(3))


def nan_attributes(w):
    plain(w)
    w.var("v", ["x"], np.array([1, 2, 3, 4], "f4"), attrs={"missing_value": np.float32(NAN), "valid_range": np.array([-INF, NAN]), "one": INF, "name": "NaN", "other": "Infinity"})
    w.attr("nothing", NAN)


def texts(w):
    """Attributes whose text looks like something else."""
    plain(w)
    for i, text in enumerate(["", "17", "true", "null", "1e5", '"quoted"', '{"a": [1, 2]}', "[1, 2]", "line\nline\ttab", "\u00fcn\u00ef \u6c34 \U0001f30a", "\\u00e9 \\n", "ends in NUL?"]):
        w.attr("text%d" % i, text)
    w.attr("sentences", ["one", "", "\u00fc", "four"])
    w.attr("alone", ["one"])


def latin1(w):
    """Text that is not UTF-8."""
    plain(w)
    w.attr("institution", b"M\xe9t\xe9o")
    w.var("t", ["x"], np.array([1, 2, 3, 4], "f4"), attrs={"units": b"\xb0C"})


def strings(w):
    plain(w)
    w.var("s", ["x"], ["a", "", "\u00fc\u6c34", "long " * 60], kind="string")
    w.dim("y", 2)
    w.var("t", ["y", "x"], ["a", "b", "c", "d", "e", "f", "g", "h"], kind="string", chunks=[1, 2])


def nul_strings(w):
    """Strings with a NUL inside, such as digests."""
    plain(w)
    w.var("fixed", ["x"], np.array([b"a\0b", b"\0\0\0z", b"abcd", b""], "S4"), kind="bytes")
    w.var("s", ["x"], ["a\0b", "", "c", "\0d"], kind="string")


def characters(w):
    plain(w)
    w.dim("len", 5)
    w.dim("letters", 4)
    w.var("name", ["x", "len"], np.array([list("abc\0\0"), list("hello"), list("\0\0\0\0\0"), list("a b c")], "S1"), kind="char")
    w.var("letter", ["letters"], np.array(list("wxyz"), "S1"), kind="char", fill=b"-")
    w.var("flag", ["x"], np.array(list("1149"), "S1"), kind="char") # of a dimension that others have


def scalars(w):
    plain(w)
    w.var("height", [], np.array(2.5, "f8"), attrs={"units": "m"})
    w.var("crs", [], np.array(-1, "i4"), attrs={"grid_mapping_name": "latitude_longitude"})
    w.var("word", [], ["\u00e9"], kind="string")
    w.var("letters", [], ["word " * 40], kind="string")


def fill_values(w):
    plain(w)
    w.var("i", ["x"], np.array([1, -9, 3, 4], "i2"), fill=np.int16(-9))
    w.var("f", ["x"], np.array([1, 1e20, 3, 4], "f4"), fill=np.float32(1e20))
    w.var("d", ["x"], np.array([1, -9999.9, 3, 4], "f8"), fill=np.float64(-9999.9), attrs={"missing_value": np.float64(-9999.9)})
    w.var("u", ["x"], np.array([1, 255, 3, 4], "u1"), fill=np.uint8(255))


def misfit_fill(w, value):
    plain(w)
    w.var("v", ["x"], np.array([1, 5, 3, 4], "f4"), attrs={"_FillValue": value, "units": "m"}, foreign_fill=True)


def fill_of_double(w):
    misfit_fill(w, np.float64(5))


def fill_of_two(w):
    misfit_fill(w, np.array([5, 6], "f4"))


def fill_of_text(w):
    misfit_fill(w, "-999.9f")


def fill_too_large(w):
    plain(w)
    w.var("v", ["x"], np.array([1, 5, 3, 4], "u1"), attrs={"_FillValue": np.int32(300)}, foreign_fill=True)


def odd_attributes(w):
    plain(w)
    for name in ("@context", "$schema", "km/h", "1st", "a b", " lead", "\u00fc"):
        w.attr(name, "text")


def empty_name(w):
    plain(w)
    w.attr("", 5)


def odd_names(w):
    plain(w)
    for name in (".hidden", "#refs#", "-x", "(a)", "a b", "\u6c34", "a.b"):
        w.var(name, ["x"], np.array([1, 2, 3, 4], "i4"))


def document_name(w):
    plain(w)
    w.var("zarr.json", ["x"], np.array([1, 2, 3, 4], "i4"))


def reserved_attributes(w):
    """Names that some format keeps for itself."""
    plain(w)
    for name in ("_NCProperties", "CLASS", "NAME", "_nczarr_attrs", "_Netcdf4Dimid"):
        w.attr(name, "text")


def objects(w):
    """Attributes that are JSON documents."""
    plain(w)
    w.json_attr("multiscales", [{"axes": ["y", "x"], "scale": [1.0, NAN], "deep": {"a": None, "b": [True, False]}}])
    w.json_attr("alone", ["cluster"])
    w.json_attr("mixed", [1, "a", None])
    w.json_attr("nothing", None)
    w.json_attr("empty", {})
    w.json_attr("yes", True)


def groups(w):
    plain(w)
    g = w.group("g")
    g.dim("y", 3)
    g.attr("title", "of g")
    g.var("v", ["y", "x"], np.arange(12, dtype="f4").reshape(3, 4), chunks=[2, 2])
    g.group("h").var("plain", ["y"], np.array([1, 2, 3], "i2"))
    w.group("empty")


def unlimited(w):
    w.dim("time", 5, unlimited=True)
    plain(w)
    w.var("v", ["time", "x"], np.arange(20, dtype="f8").reshape(5, 4), chunks=[2, 3])
    w.var("time", ["time"], np.arange(5, dtype="f8"), attrs={"units": "days since 2000-01-01"}, chunks=[2])


def no_records(w):
    w.dim("time", 0, unlimited=True)
    plain(w)
    w.var("v", ["time", "x"], np.zeros((0, 4), "f4"), chunks=[1, 4])


def missing_chunks(w):
    plain(w)
    w.dim("z", 8)
    w.var("v", ["z"], np.array([1, 1, -5, -5, -5, -5, 2, 2], "i4"), chunks=[2], fill=np.int32(-5))


def large_chunks(w):
    """More than one target chunk, and codecs that have something to do."""
    w.dim("a", 40)
    w.dim("b", 30)
    plain(w)
    w.var("v", ["a", "b"], (np.arange(1200).reshape(40, 30) // 7).astype("i4"), chunks=[16, 16], codec="zlib")
    w.var("s", ["a"], ["name %d" % (i % 5) for i in range(40)], kind="string", chunks=[16])


def enums(w):
    plain(w)
    w.enum("e", ["x"], "color", {"red": 1, "blue": 7}, np.array([1, 7, 7, 1], "i1"))


RECORD = np.dtype([("a", "i4"), ("b", "f8")])


def records(w):
    plain(w)
    w.record("r", ["x"], "r_t", np.array([(1, 0.5), (2, NAN), (-3, 1e300), (4, -0.0)], RECORD))


def equal_types(w):
    """Two types that differ in their names only."""
    records(w)
    w.record("second", ["x"], "s_t", np.array([(1, 1), (2, 2), (3, 3), (4, 4)], RECORD))


def text_records(w):
    """scanpy's rank_genes_groups."""
    plain(w)
    w.zarr_only()
    w.var("r", ["x"], np.array([("\u00e9", 1), ("ab", 2), ("", 3), ("xyz", 4)], [("n", "<U3"), ("v", "<i4")]), kind="any")


def zarr_types(w):
    plain(w)
    w.zarr_only()
    w.var("half", ["x"], np.array([1, 0.5, -2, NAN], "f2"), kind="any")
    w.var("yes", ["x"], np.array([True, False, True, True]), kind="any")
    w.var("z", ["x"], np.array([1 + 2j, 0, 1j, -1], "c16"), kind="any")
    w.var("when", ["x"], np.array(["2000-01-01", "2001-02-03", "NaT", "1970-01-01"], "M8[ns]"), kind="any")
    w.var("u", ["x"], np.array(["a", "\u00fc", "", "abcd"], "<U4"), kind="any")


def separators(w):
    """What a document says beside types and codecs."""
    plain(w)
    w.zarr_only()
    w.dim("y", 6)
    w.var("slash", ["y", "x"], np.arange(24, dtype="i4").reshape(6, 4), chunks=[2, 3], separator="/")
    w.var("fortran", ["y", "x"], np.arange(24, dtype="f4").reshape(6, 4), chunks=[4, 3], order="F")
    w.var("big", ["x"], np.array([1, 2, 3, 4], ">i4"), kind="any")


def null_space(w):
    plain(w)
    w.hdf5_null("nothing")


def hdf5_names(w):
    plain(w)
    w.hdf5_name(b"temp\\K")
    w.hdf5_name(b"Temperatur_\xb0C")
    w.hdf5_name(b"bell\x07")


CONTENTS = {f.__name__: f for f in (
    numbers, more_numbers, special_floats, float_attributes, nan_attributes, texts, latin1, strings, nul_strings, characters, scalars,
    fill_values, fill_of_double, fill_of_two, fill_of_text, fill_too_large, odd_attributes, empty_name, odd_names, document_name, reserved_attributes,
    objects, groups, unlimited, no_records, missing_chunks, large_chunks, enums, records, equal_types, text_records, zarr_types,
    separators, null_space, hdf5_names)}
