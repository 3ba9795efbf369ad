#!/usr/bin/env python3
"""nczcopy from Zarr to Zarr: what documents say and netCDF does not is in the copy, and so are whole strings.

usage: carried.py TOOLS     (the folder of the built commands)

The sources are written by hand, as zarr-python, anndata and others write them.
"""
import json, os, shutil, struct, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import cases, programs
from cases import report

tools = os.path.abspath(sys.argv[1])
NAN = float("nan")
ATTRIBUTES = {"@context": "http://x", "$schema": 1, "km/h": [1.5], "one": ["cluster"], "object": {"a": NAN, "b": [{"c": 1}]}, "": "empty",
              "CLASS": "c", "nested": [[1, 2], [3]], "null": None, "true": True, "mixed": [1, "a"], "text": "{\"a\": 1}", "none": [], "of/ ": ""}
TYPES = {"<i4": "int32", "<f4": "float32", "<f8": "float64", "<i8": "int64"}


def run(command, *args):
    return programs.run([os.path.join(tools, command), *args], capture_output=True, text=True, timeout=120)


def write(path, data):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "wb") as f:
        f.write(data if isinstance(data, bytes) else json.dumps(data).encode())


def group(path, version, attributes=None):
    if version == 2:
        write(path + "/.zgroup", {"zarr_format": 2})
        write(path + "/.zattrs", attributes or {})
    else:
        write(path + "/zarr.json", {"zarr_format": 3, "node_type": "group", "attributes": attributes or {}})


def array(path, version, dtype, shape, chunks, data, attributes=None, separator=None, names=None, **members):
    """`data`: chunks by index."""
    if version == 2:
        doc = {"zarr_format": 2, "shape": shape, "chunks": chunks, "dtype": dtype, "fill_value": None, "order": "C", "compressor": None,
               "filters": None}
        if separator:
            doc["dimension_separator"] = separator
        doc.update(members)
        write(path + "/.zarray", doc)
        write(path + "/.zattrs", dict(attributes or {}, **({"_ARRAY_DIMENSIONS": names} if names else {})))
    else:
        doc = {"zarr_format": 3, "node_type": "array", "shape": shape, "data_type": dtype, "fill_value": 0,
               "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunks}},
               "chunk_key_encoding": {"name": "default", "configuration": {"separator": separator or "/"}},
               "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}], "attributes": attributes or {}}
        if names:
            doc["dimension_names"] = names
        doc.update(members)
        write(path + "/zarr.json", doc)
    for index, b in data.items():
        s = separator or ("." if version == 2 else "/")
        key = s.join(map(str, index)) if index else ("0" if version == 2 else "")
        write(path + "/" + (key if version == 2 else "c" + ("" if not index else s + key)), b)


def document(path, version):
    """The document of an array or group, with its attributes."""
    if version == 3:
        return json.load(open(path + "/zarr.json"))
    for name in (".zarray", ".zgroup"):
        if os.path.exists(path + "/" + name):
            doc = json.load(open(path + "/" + name))
            doc["attributes"] = json.load(open(path + "/.zattrs")) if os.path.exists(path + "/.zattrs") else {}
            return doc


def same(a, b):
    return repr(a) == repr(b) or (isinstance(a, dict) and isinstance(b, dict) and set(a) == set(b) and all(same(a[k], b[k]) for k in a))


def copied(*args, status=0, said=()):
    """What is wrong with how a copy ended."""
    shutil.rmtree("copy", ignore_errors=True)
    r = run("nczcopy", *args, "copy")
    bad = ["exit %d: %s" % (r.returncode, r.stderr)] if r.returncode != status else []
    bad += ["no %r in %r" % (s, r.stderr) for s in said if s not in r.stderr]
    return bad + ([r.stderr] if not said and status == 0 and r.stderr else [])


def values(path):
    def all_of(g, path):
        out = {path + n: v.get("data", v.get("error")) for n, v in g["variables"].items()}
        for n, sub in g["groups"].items():
            out.update(all_of(sub, path + n + "/"))
        return out
    r = run("nczdump", "--json", path)
    return all_of(json.loads(r.stdout), "/") if r.stdout else r.stderr


def attributes():
    for version in (2, 3):
        shutil.rmtree("a", ignore_errors=True)
        group("a", version, ATTRIBUTES)
        array("a/v", version, "<i4" if version == 2 else "int32", [2], [2], {(0,): struct.pack("<2i", 1, 2)}, ATTRIBUTES, names=["x"])
        for other in (2, 3):
            for mode in ("zarr", "nczarr"):
                bad = copied("--verify", "--mode", mode, "--zarr-format", str(other), "a")
                for node in ("", "/v") if not bad else ():
                    got = document("copy" + node, other)["attributes"]
                    bad += ["%s%s: %r, not %r" % (node, n, got.get(n, "absent"), v) for n, v in ATTRIBUTES.items()
                            if not same(got.get(n, "absent"), v)]
                report("attributes of Zarr v%d to %s,v%d" % (version, mode, other), bad)
        bad = copied("--verify", "-d", "3", "a")
        got = document("copy/v", version)["attributes"] if not bad else {}
        report("attributes of Zarr v%d, encoded again" % version,
               bad or ["%s: %r, not %r" % (n, got.get(n), v) for n, v in ATTRIBUTES.items() if not same(got.get(n, "absent"), v)])


def names():
    for version in (2, 3):
        shutil.rmtree("n", ignore_errors=True)
        group("n", version)
        group("n/#refs#", version)
        for path in ("n/ x", "n/#refs#/-x", "n/#refs#/(a)"):
            array(path, version, "<i4" if version == 2 else "int32", [2], [2], {(0,): struct.pack("<2i", 1, 2)}, names=[" d"])
        for args in ((), ("--mode", "nczarr"), ("--zarr-format", "2"), ("--zarr-format", "3"), ("-V", " x")):
            bad = copied("--verify", *args, "n")
            report("names that netCDF forbids, v%d %s" % (version, " ".join(args)), bad or (values("copy") != {
                k: v for k, v in values("n").items() if "-V" not in args or k == "/ x"} and [values("copy")]))


def storage():
    """Scalars, texts, names of chunks, fill values as they are."""
    text = ("é" * 200).encode()
    shutil.rmtree("s", ignore_errors=True)
    group("s", 2)
    vlen = lambda *texts: struct.pack("<I", len(texts)) + b"".join(struct.pack("<I", len(t)) + t for t in texts)
    array("s/text", 2, "|O", [], [], {(): vlen(text)}, filters=[{"id": "vlen-utf8"}], fill_value="")
    array("s/texts", 2, "|O", [3], [2], {(0,): vlen(text, b"a\0b"), (1,): vlen(b"\0", b"")}, filters=[{"id": "vlen-utf8"}], fill_value="")
    array("s/scalar", 2, "<i8", [], [], {(): __import__("zlib").compress(struct.pack("<q", 7))}, compressor={"id": "zlib", "level": 1})
    array("s/nested", 2, "<i4", [2, 2], [1, 1], {(i, j): struct.pack("<i", i + 2 * j) for i in (0, 1) for j in (0, 1)}, separator="/")
    array("s/fill", 2, "<f4", [4], [2], {(0,): struct.pack("<2f", 1, 2)}, {"_FillValue": -999.0}, fill_value=0.0, names=["x"])
    array("s/nan", 2, "<f8", [2], [2], {}, {"_FillValue": 1e20}, fill_value="NaN", names=["y"])
    before = {n: document("s/" + n, 2) for n in os.listdir("s") if not n.startswith(".")}
    bad = copied("--verify", "s")
    for n, doc in before.items() if not bad else ():
        got = document("copy/" + n, 2)
        got["attributes"].pop("_ARRAY_DIMENSIONS", None) if "_ARRAY_DIMENSIONS" not in doc["attributes"] else None
        bad += ["%s: %r, not %r" % (n, got, doc)] if not same(got, doc) else []
    bad += [] if os.path.exists("copy/nested/1/0") else ["nested/1/0 is not there"]
    report("documents of Zarr v2", bad)
    want = values("s")
    for args in (("-F", "*,none"), ("-F", "*,zlib,2"), ("-F", '*,[{"id": "zlib", "level": 2}]'), ("-d", "2"), ("-M", "0", "-c", "texts:3"),
                 ("--mode", "nczarr"), ("--zarr-format", "3"), ("--zarr-format", "3", "--mode", "nczarr")):
        bad = copied("--verify", *args, "s")
        bad += ["%s: %s" % (n, values("copy")[n]) for n in want if values("copy").get(n) != want[n]] if not bad else []
        if "--zarr-format" not in args and not bad:
            bad += ["%s: %s" % (n, document("copy/" + n, 2)["dtype"]) for n in ("text", "texts") if document("copy/" + n, 2)["dtype"] != "|O"]
        report("texts stay texts: " + " ".join(args), bad)
    shutil.rmtree("dots", ignore_errors=True)
    r = run("nczcopy", "--verify", "s", "dots#dimension_separator=.")
    report("dimension_separator= of the target counts", [r.stderr] if r.returncode else [] if os.path.exists("dots/nested/1.0") else ["no nested/1.0"])


def records():
    """Records with text, two of the same fields: each has a type of its own."""
    row = lambda n, v: n.encode("utf-32-le").ljust(8, b"\0") + struct.pack("<i", v)
    shutil.rmtree("r", ignore_errors=True)
    group("r", 2)
    for name in ("first", "second"):
        array("r/" + name, 2, [["n", "<U2"], ["v", "<i4"]], [2], [1], {(0,): row("é", 1), (1,): row("ab", 2)})
    for args in ((), ("-d", "1"), ("-M", "0", "-c", "first:2"), ("-F", "*,zlib,1"), ("--skip-unreadable",)):
        bad = copied("--verify", *args, "r")
        report("records with text: " + " ".join(args), bad or (values("copy") != values("r") and [values("copy")]))
    bad = copied("--skip-unreadable", "--zarr-format", "3", "r", said=("first: left out", "second: left out"))
    report("--skip-unreadable leaves out what the target lacks", bad or (values("copy") != {} and [values("copy")]))
    cdl = ("netcdf e { types: compound one { int a ; } ; compound two { int a ; } ; dimensions: x = 2 ; variables: one v(x) ; two w(x) ; "
           "two w:_FillValue = {-1} ; one v:same = {1}, {2} ; two :t = {3} ; data: v = {1}, {2} ; w = {3}, _ ; }")
    with open("e.cdl", "w") as f:
        f.write(cdl)
    for version in ("2", "3"):
        shutil.rmtree("e", ignore_errors=True)
        run("nczgen", "-o", "e#mode=nczarr,v" + version, "e.cdl")
        bad = copied("--verify", "e")
        a, b = (run("nczdump", p, "-n", "e").stdout.replace("netcdf copy", "netcdf e") for p in ("e", "copy"))
        report("two equal types stay two, Zarr v" + version, bad or (a.split("{", 1)[1] != b.split("{", 1)[1] and [b]))


def unknown():
    """What this library cannot decode is copied as it is."""
    for version in (2, 3):
        shutil.rmtree("u", ignore_errors=True)
        group("u", version)
        kind = "<i4" if version == 2 else "int32"
        chunks = {(0,): b"any bytes", (2,): bytes(range(256))}
        if version == 2:
            array("u/codec", 2, kind, [6], [2], chunks, {"@id": 1}, filters=[{"id": "mystery", "level": 3}])
            array("u/type", 2, "|Q7", [6], [2], chunks, fill_value="zz")
        else:
            array("u/codec", 3, kind, [6], [2], chunks, {"@id": 1},
                  codecs=[{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "mystery", "configuration": {"level": 3}}])
            array("u/type", 3, {"name": "weird", "configuration": {"q": 1}}, [6], [2], chunks, fill_value="zz")
        for args in ((), ("--mode", "nczarr"), ("-d", "1"), ("-F", "*,none")):
            bad = copied("--verify", *args, "u")
            for n in ("codec", "type") if not bad else ():
                doc, got = document("u/" + n, version), document("copy/" + n, version)
                for d in (doc, got):  # the last codec may be in either place
                    d["chain"] = (d.get("filters") or []) + ([d["compressor"]] if d.get("compressor") else [])
                for key in ("chain", "dtype", "codecs", "data_type", "fill_value"):
                    bad += ["%s: %s: %r" % (n, key, got.get(key))] if got.get(key) != doc.get(key) else []
                for i in (0, 2):
                    at = "/%d" % i if version == 2 else "/c/%d" % i
                    bad += ["%s%s differs" % (n, at)] if open("copy/" + n + at, "rb").read() != chunks[(i,)] else []
            report("unknown codecs and types, v%d %s" % (version, " ".join(args)), bad)
        other = str(5 - version)
        bad = copied("--zarr-format", other, "u", status=1, said=("--skip-unreadable",))
        report("... v%d, not to the other version" % version, bad)
        bad = copied("--skip-unreadable", "--zarr-format", other, "u", said=("/codec: left out", "/type: left out"))
        report("... v%d, left out by name" % version, bad)
    shutil.rmtree("t", ignore_errors=True)
    group("t", 3)
    array("t/v", 3, "int32", [2], [2], {}, storage_transformers=[{"name": "other"}])
    report("storage transformers are refused by name", copied("t", status=1, said=("storage_transformers", "/v")))


def nuls():
    """Strings with NULs in them, binary in strings, whole after any copy."""
    shutil.rmtree("z", ignore_errors=True)
    group("z", 2)
    vlen = lambda *texts: struct.pack("<I", len(texts)) + b"".join(struct.pack("<I", len(t)) + t for t in texts)
    utf32 = lambda s: s.encode("utf-32-le").ljust(12, b"\0")
    array("z/fixed", 2, "|S4", [3], [2], {(0,): b"a\0bc\0x\0\0", (1,): b"abcd" + bytes(4)}, names=["x"])
    array("z/ucs4", 2, "<U3", [3], [2], {(0,): utf32("a\0b") + utf32("\0é"), (1,): utf32("abc") + bytes(12)}, names=["x"])
    array("z/any", 2, "|O", [3], [2], {(0,): vlen(b"a\0b", b"\0"), (1,): vlen(b"x\0", b"")}, names=["x"], filters=[{"id": "vlen-utf8"}], fill_value="")
    array("z/bytes", 2, "|O", [3], [2], {(0,): vlen(b"a\0\xff", b"\0"), (1,): vlen(b"x\0", b"")}, names=["x"], filters=[{"id": "vlen-bytes"}], fill_value="")
    want = {"/fixed": ["a\0bc", "\0x", "abcd"], "/ucs4": ["a\0b", "\0é", "abc"], "/any": ["a\0b", "\0", "x\0"],
            "/bytes": [[97, 0, 255], "\0", "x\0"]}
    report("--json has them", values("z") != want and [values("z")])
    for args in ((), ("-M", "0", "-c", "fixed:3", "-c", "ucs4:3", "-c", "any:3", "-c", "bytes:3"), ("-F", "*,zlib,1"), ("-d", "1"),
                 ("--mode", "nczarr"), ("--zarr-format", "3"), ("--zarr-format", "3", "--mode", "nczarr"), ("-d", "x,0,2,2"),
                 ("--damaged=fill", "-d", "1")):
        bad = copied("--verify", *args, "z")
        cut = want if "x,0,2,2" not in args else {k: [v[0], v[2]] for k, v in want.items()}
        report("strings with NULs: " + " ".join(args), bad or (values("copy") != cut and [values("copy")]))
    shutil.rmtree("z3", ignore_errors=True)
    run("nczcopy", "--zarr-format", "3", "z", "z3")
    bad = copied("--verify", "--zarr-format", "2", "z3")
    report("strings with NULs: back from Zarr v3", bad or (values("copy") != want and [values("copy")]))
    shutil.rmtree("w", ignore_errors=True)
    r = run("nczcopy", "--flatten", "-k", "nc5", "--verify", "-V", "fixed,ucs4,any", "z", "w.nc")
    report("strings with NULs: --flatten", r.stderr.count("differs") and [r.stderr])


at = tempfile.mkdtemp(prefix="nczarr-carried-")
try:
    os.chdir(at)
    attributes()
    names()
    storage()
    records()
    unknown()
    nuls()
finally:
    os.chdir("/")
    shutil.rmtree(at, ignore_errors=True)
sys.exit(cases.total())
