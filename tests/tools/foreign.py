#!/usr/bin/env python3
"""Datasets as other software leaves them, or as a disk does: objects beside prefixes of their name, names that begin with
a dot or cannot be shown, names of documents, members of codecs that matter for encoding alone, records with text, arrays
that disagree about a dimension, archives whose entries begin with "./" or stand beside others, objects of a wrong length.

usage: foreign.py TOOLS SOURCE     (the folder of the built commands, that of the project)
"""
import os, sys

tools, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
sys.path[0] = os.path.join(source, "tests", "support")  # copy.py beside this file is not Python's
sys.path.insert(1, os.path.join(source, "tests", "s3"))
import bz2, gzip, http.server, json, lzma, shutil, struct, tempfile, threading, zipfile, zlib
import cases, programs
from cases import report

tmp = tempfile.mkdtemp(prefix="nczarr-foreign-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
os.chdir(tmp)
env = {n: v for n, v in os.environ.items() if not n.lower().endswith("_proxy") and not n.startswith("AWS_")}


def run(tool, *args):
    return programs.run([os.path.join(tools, tool)] + list(args), capture_output=True, text=True, errors="replace",
                          timeout=300, env=env)


# ---- stores by hand ----

I4 = struct.Struct("<2i")


def put(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    open(path, "wb").write(data if isinstance(data, bytes) else json.dumps(data).encode())


def group(path, version, **members):
    put(path + ("/.zgroup" if version == 2 else "/zarr.json"),
        dict({"zarr_format": version}, **({} if version == 2 else {"node_type": "group", "attributes": {}}), **members))


def array(path, version, values=(1, 2, 3, 4), dims=None, encode=bytes, dtype=None, chunks=None, **members):
    """Values in chunks of two; `chunks`: their bytes instead."""
    doc = {"zarr_format": version, "shape": [len(values)], "fill_value": 0}
    if version == 2:
        doc.update(chunks=[2], dtype=dtype or "<i4", compressor=None, filters=None, order="C")
        if dims:
            put(path + "/.zattrs", {"_ARRAY_DIMENSIONS": dims})
    else:
        doc.update(node_type="array", data_type=dtype or "int32", attributes={}, dimension_names=dims,
                   chunk_grid={"name": "regular", "configuration": {"chunk_shape": [2]}},
                   chunk_key_encoding={"name": "default", "configuration": {"separator": "/"}},
                   codecs=[{"name": "bytes", "configuration": {"endian": "little"}}])
    doc.update(members)
    put(path + ("/.zarray" if version == 2 else "/zarr.json"), doc)
    if chunks is None:
        chunks = [I4.pack(*values[i:i + 2]) for i in range(0, len(values), 2)]
    for i, data in enumerate(chunks):
        put("%s/%s%d" % (path, "" if version == 2 else "c/", i), encode(data))


def objects(path):
    return {os.path.relpath(os.path.join(r, n), path): open(os.path.join(r, n), "rb").read()
            for r, _, names in os.walk(path) for n in names}


def archive(path, entries):
    with zipfile.ZipFile(path, "w") as z:
        for name, data in entries:
            z.writestr(name, data)
    return path


def consolidate(path, version):
    """Consolidated metadata, as zarr-python writes them."""
    docs = {k: json.loads(v) for k, v in objects(path).items()
            if os.path.basename(k) in (".zarray", ".zgroup", ".zattrs", "zarr.json")}
    if version == 2:
        put(path + "/.zmetadata", {"metadata": docs, "zarr_consolidated_format": 1})
    else:
        put(path + "/zarr.json", dict(docs["zarr.json"], consolidated_metadata={
            "kind": "inline", "must_understand": False,
            "metadata": {os.path.dirname(k): v for k, v in docs.items() if k != "zarr.json"}}))


def values(path, *options):
    """All values of a dataset, by full name; a text where it does not open."""
    r = run("nczdump", "--json", *options, path)
    if not r.stdout:
        return r.stderr
    found = {}

    def walk(g, prefix):
        for name, v in g["variables"].items():
            found[prefix + name] = v.get("data", v.get("error"))
        for name, below in g["groups"].items():
            walk(below, prefix + name + "/")

    walk(json.loads(r.stdout), "")
    return found


def expect(problems, what, got, wanted):
    if got != wanted:
        problems.append("%s: %r, not %r" % (what, got, wanted))


def says(problems, what, text, *parts):
    for p in parts:
        if p not in text:
            problems.append("%s: %r lacks %r" % (what, text.strip()[-300:], p))


def remove(*names):
    for n in names:
        shutil.rmtree(n, ignore_errors=True)
        if os.path.exists(n):
            os.remove(n)


# ---- objects beside prefixes ----

def trees():
    """Small datasets: array w, array v in group grp; name -> values."""
    all_of = {"w": [1, 2, 3, 4], "grp/v": [1, 2, 3, 4]}
    for version in (2, 3):
        for copies in (False, True):
            path = "t%d%s" % (version, "c" if copies else "")
            remove(path)
            group(path, version)
            group(path + "/grp", version)
            array(path + "/w", version)
            array(path + "/grp/v", version)
            if copies:
                consolidate(path, version)
            yield path, all_of
    open("n.cdl", "w").write("netcdf n { dimensions: x = 4 ; variables: int w(x) ; data: w = 1, 2, 3, 4 ; "
                             "group: grp { variables: int v(x) ; data: v = 1, 2, 3, 4 ; } }")
    for path, form in (("n2", ""), ("n3", "#mode=nczarr,v3")):
        remove(path)
        run("nczgen", "-o", path + form, "n.cdl")
        yield path, all_of


MARKS = ("w", "grp", "grp/v")


def beside(path, all_of, url, problems):
    expect(problems, url, values(url), all_of)
    r = run("nczdump", "--check", url)
    if r.returncode != 0 or "2 variables" not in r.stdout + r.stderr:
        problems.append("%s: --check: %d %s" % (url, r.returncode, r.stdout + r.stderr))
    remove("copy")
    r = run("nczcopy", "--verify", url, "copy")
    if r.returncode != 0 or r.stderr:
        problems.append("%s: nczcopy: %d %s" % (url, r.returncode, r.stderr))
    expect(problems, "the copy of " + url, values("copy"), all_of)


def test_beside_in_archives():
    for path, all_of in trees():
        problems = []
        for top in ("", "ds/"):
            for data in (b"", b"anything"):
                marks = [top + m for m in MARKS] + ([top[:-1]] if top else [])
                name = archive("m.zip", [(m, data) for m in marks] + [(top + k, v) for k, v in objects(path).items()])
                beside(path, all_of, name, problems)
        report("objects beside prefixes of their name: archive of " + path, problems)


def test_beside_in_buckets():
    try:
        import chaos
        server = chaos.Server()
    except (ImportError, OSError) as e:
        print("no bucket: %s" % e)
        return
    bucket = server.buckets["bkt"] = chaos.Bucket("bkt", public=True)
    env.update(AWS_ENDPOINT_URL=server.url, AWS_NO_SIGN_REQUEST="YES", AWS_EC2_METADATA_DISABLED="true", HOME=tmp)
    for path, all_of in trees():
        for m in MARKS:
            bucket.load(path + "/" + m, b"")
        bucket.load(path, b"")
        bucket.load(path + "/grp/", b"")
        for k, v in objects(path).items():
            bucket.load(path + "/" + k, v)
        problems = []
        beside(path, all_of, "s3://bkt/" + path, problems)
        report("objects beside prefixes of their name: bucket with " + path, problems)
    server.stop()


# ---- names ----

def test_dots():
    for version in (2, 3):
        path = "dots%d" % version
        group(path, version)
        array(path + "/.hidden", version)
        array(path + "/..x", version)
        array(path + "/seen", version)
        group(path + "/.grp", version)
        array(path + "/.grp/v", version)
        # A directory with a dot is no group because of what lies in it.
        array(path + "/.Trash/old/v", version)
        put(path + "/.git/HEAD", b"ref: refs/heads/main")
        os.makedirs(path + "/.nczarr-growing")
        all_of = {".hidden": [1, 2, 3, 4], "..x": [1, 2, 3, 4], "seen": [1, 2, 3, 4], ".grp/v": [1, 2, 3, 4]}
        problems = []
        expect(problems, path, values(path), all_of)
        name = archive(path + ".zip", objects(path).items())
        expect(problems, name, values(name), all_of)
        consolidate(path, version)
        expect(problems, "consolidated", values(path), all_of)
        r = run("nczdump", "--check", path)
        if r.returncode != 0:
            problems.append("--check: %d %s" % (r.returncode, r.stdout + r.stderr))
        remove("copy")
        r = run("nczcopy", path, "copy")
        if not os.path.exists("copy/.hidden") and not any('"%s"' % n in r.stderr for n in (".hidden", "..x", ".grp")):
            problems.append("nczcopy leaves names out: %d %s" % (r.returncode, r.stderr))
        report("names that begin with a dot, Zarr v%d" % version, problems)


def test_unusable_names():
    for version in (2, 3):
        path = "odd%d" % version
        group(path, version)
        array(path + "/seen", version)
        array(path + "/back\\slash", version)
        array(path + "/new\nline", version)
        name = archive(path + ".zip", objects(path).items())
        array(os.fsdecode(os.fsencode(path) + b"/\xe9t\xe9"), version)
        for url in (path, name):
            problems = []
            expect(problems, url, values(url), {"seen": [1, 2, 3, 4]})
            remove("copy")
            for cmd in (("nczdump", "-h", url), ("nczdump", "--check", url), ("nczcopy", url, "copy")):
                r = run(*cmd)
                if r.returncode != 0:
                    problems.append("%s: %d %s" % (cmd, r.returncode, r.stderr))
                says(problems, str(cmd), r.stderr, "'back\\slash'", "'new\\x0aline'",
                     *(["'\\xe9t\\xe9'"] if url == path else []))
            report("names that cannot be part of a key: " + url, problems)


def test_reserved_names():
    cdl = "netcdf t { dimensions: x = 2 ; variables: int %s(x) ; data: %s = 1, 2 ; }"
    below = "netcdf t { dimensions: x = 2 ; group: g { variables: int %s(x) ; data: %s = 1, 2 ; } }"
    grp = "netcdf t { dimensions: x = 2 ; group: %s { variables: int v(x) ; } }"
    problems = []
    for form in ("q.zarr", "q.zip", "q.zarr#mode=zarr", "q.zarr#mode=nczarr,v3", "q.zarr#mode=zarr,v3"):
        for text in (cdl % ("zarr.json", "zarr.json"), below % ("zarr.json", "zarr.json"), grp % "zarr.json"):
            remove("q.zarr", "q.zip")
            open("t.cdl", "w").write(text)
            r = run("nczgen", "-o", form, "t.cdl")
            if r.returncode == 0:
                problems.append("%s: %s was made" % (form, text))
            says(problems, form, r.stderr, "zarr.json")
    # A classic file may have it.
    remove("c.nc", "q.zarr")
    open("t.cdl", "w").write(cdl % ("zarr.json", "zarr.json"))
    r = run("nczgen", "-k", "nc3", "-o", "c.nc", "t.cdl")
    expect(problems, "classic", (r.returncode, values("c.nc")), (0, {"zarr.json": [1, 2]}))
    r = run("nczcopy", "c.nc", "q.zarr")
    if r.returncode == 0:
        expect(problems, "copy", values("q.zarr"), {})
    says(problems, "nczcopy", r.stderr, "zarr.json")
    report("a variable or group with the name of a document is refused", problems)


# ---- codecs ----

def zstd(b):
    """A frame with one raw block."""
    return bytes.fromhex("28b52ffd") + bytes([0x20, len(b)]) + struct.pack("<I", len(b) << 3 | 1)[:3] + b


def blosc(b):
    """A frame that is only stored."""
    return bytes([2, 1, 2, 4]) + struct.pack("<III", len(b), len(b), len(b) + 16) + b


def xz(b):
    """As GDAL does it: LZMA2 after a delta filter."""
    return lzma.compress(b, lzma.FORMAT_XZ, lzma.CHECK_NONE, None, [{"id": lzma.FILTER_DELTA, "dist": 4},
                                                                    {"id": lzma.FILTER_LZMA2, "preset": 6}])


def lz4(b):
    """The length, and a block of one literal run."""
    return struct.pack("<I", len(b)) + bytes([len(b) << 4]) + b


ENCODE_ALONE = [
    ("zstd", zstd, [{"level": 13, "checksum": c} for c in ("NO", "YES", True, False, 0, 1, "maybe")] + [{"level": "high"}]),
    ("blosc", blosc, [{"cname": "lz4", "clevel": 5, "shuffle": s, "blocksize": 0} for s in ("NONE", "BYTE", "BIT", "?")]
     + [{"nthreads": 4}]),
    ("lzma", xz, [{"preset": 6, "delta": 4}, {"preset": "6", "delta": "4"}]),
    ("zlib", zlib.compress, [{"level": 6, "strategy": "filtered"}]),
    ("gzip", gzip.compress, [{"level": "best"}]),
    ("bz2", bz2.compress, [{"level": 77}]),
    ("lz4", lz4, [{"acceleration": 1, "mode": "default"}]),
]


def test_codec_members():
    for id, encode, configs in ENCODE_ALONE:
        problems = []
        remove("k.zarr", "copy")
        group("k.zarr", 2)
        for i, config in enumerate(configs):
            array("k.zarr/v%d" % i, 2, encode=encode, compressor=dict({"id": id}, **config))
        got = values("k.zarr")
        if "is not built in" in str(got) or "no codec" in str(got):
            print("no %s: %s" % (id, got))
            continue
        all_of = {"v%d" % i: [1, 2, 3, 4] for i in range(len(configs))}
        expect(problems, "k.zarr", got, all_of)
        r = run("nczcopy", "k.zarr", "copy")
        expect(problems, "copy", (r.returncode, values("copy")), (0, all_of))
        report("members of %s that matter for encoding alone" % id, problems)
    # A caller's are checked in full, and so are those that matter.
    problems = []
    r = run("nczcopy", "-F", 'v0,{"id": "zlib", "lvl": 9}', "k.zarr", "copy2")
    if r.returncode == 0:
        problems.append("-F with an unknown member: %s" % r.stderr)
    group("k3.zarr", 2)
    array("k3.zarr/v", 2, encode=xz, compressor={"id": "lzma", "format": 3, "delta": 4})
    got = values("k3.zarr")
    if got == {"v": [1, 2, 3, 4]} or "delta" not in str(got):
        problems.append("a raw stream with an unknown member: %s" % got)
    report("other members are checked", problems)


# ---- values of documents ----

def test_text_in_records():
    def struct_of(*fields):
        return {"name": "struct", "configuration": {"fields": [{"name": n, "data_type": t} for n, t in fields]}}

    text = {"name": "fixed_length_utf32", "configuration": {"length_bytes": 8}}
    stored = "\u00e9".encode("utf-32-le") + bytes(4) + struct.pack("<i", 1)
    problems = []
    group("r.zarr", 3)

    def record(name, type, fill):
        array("r.zarr/" + name, 3, [0, 0], dtype=type, fill_value=fill, chunks=[stored],
              chunk_grid={"name": "regular", "configuration": {"chunk_shape": [1]}})

    record("empty", struct_of(("n", text), ("v", "int32")), {"n": "", "v": 0})
    record("text", struct_of(("n", text), ("v", "int32")), {"n": "ab", "v": 7})
    record("nested", struct_of(("p", struct_of(("n", text))), ("v", "int32")), {"p": {"n": "\u00e9"}, "v": 0})
    got = values("r.zarr")
    expect(problems, "empty", got.get("empty"), [{"n": "\u00e9", "v": 1}, {"n": "", "v": 0}])
    expect(problems, "text", got.get("text"), [{"n": "\u00e9", "v": 1}, {"n": "ab", "v": 7}])
    expect(problems, "nested", got.get("nested"), [{"p": {"n": "\u00e9"}, "v": 1}, {"p": {"n": "\u00e9"}, "v": 0}])
    report("fill values of records with text", problems)


def test_coordinates():
    for version in (2, 3):
        path = "x%d" % version
        group(path, version)
        array(path + "/area", version, (1, 2), dims=["x"])
        array(path + "/t", version, dims=["x"])
        array(path + "/x", version, (10, 20, 30, 40), dims=["x"])
        array(path + "/z", version, (1, 2, 3, 4, 5, 6), dims=["x"])
        # Without a coordinate the first length counts, as it did.
        group(path + "/levels", version)
        array(path + "/levels/0", version, (1, 2, 3, 4), dims=["y"])
        array(path + "/levels/1", version, (1, 2), dims=["y"])
        for copies in (False, True):
            problems = []
            if copies:
                consolidate(path, version)
            r = run("nczdump", "-h", path)
            says(problems, path, r.stdout, " x(x)", " t(x)", "x = 4", " area(_Anonymous_Dim_2)", " z(_Anonymous_Dim_6)",
                 " \\0(y)", " \\1(_Anonymous_Dim_2)")
            says(problems, path, r.stderr, "area: its dimension 'x' has the length 2, but 4 in the array x",
                 "z: its dimension 'x' has the length 6")
            if "'y'" in r.stderr:
                problems.append(r.stderr)
            report("a coordinate keeps its dimension, Zarr v%d%s" % (version, ", consolidated" if copies else ""), problems)


# ---- archives ----

def test_dot_slash():
    group("a", 2)
    array("a/w", 2)
    for prefix in ("./", "./a.zarr/", "././"):
        problems = []
        name = archive("d.zip", [(prefix + k, v) for k, v in objects("a").items()])
        expect(problems, name, values(name), {"w": [1, 2, 3, 4]})
        r = run("nczdump", "--check", name)
        if r.returncode != 0:
            problems.append("--check: %s" % (r.stdout + r.stderr))
        report("entries that begin with %s" % prefix, problems)


def test_neighbours():
    group("b", 3)
    array("b/w", 3)
    inside = [("b.zarr/" + k, v) for k, v in objects("b").items()]
    problems = []
    for others in ([("README", b"hello")], [(".DS_Store", b"x"), ("notes/a.txt", b"y")],
                   [("other.zarr/" + k, v) for k, v in objects("b").items()]):
        name = archive("two.zip", others[:1] + inside + others[1:])
        r = run("nczdump", name)
        if r.returncode != 1:
            problems.append("%s: status %d" % (others[0][0], r.returncode))
        says(problems, others[0][0], r.stderr, "two.zip#mode=zip&zip.prefix=b.zarr")
        if others[0][0].startswith("other"):
            says(problems, "both", r.stderr, "it has other.zarr, too")
        expect(problems, "named", values("file://%s/two.zip#mode=zip&zip.prefix=b.zarr" % tmp), {"w": [1, 2, 3, 4]})
        r = run("nczdump", "file://%s/two.zip#mode=zip&zip.prefix=c.zarr" % tmp)
        says(problems, "a wrong prefix", r.stderr, "zip.prefix=b.zarr")
    name = archive("ps.zip", [(k.replace("/", "\\"), v) for k, v in inside])
    data = open(name, "rb").read().replace(b"b.zarr/", b"b.zarr\\").replace(b"w/", b"w\\")  # zipfile may have mended them
    open(name, "wb").write(data)
    r = run("nczdump", name)
    says(problems, "backslashes", r.stderr, "'\\' for '/'")
    report("a dataset beside other entries is named", problems)


# ---- lengths of objects ----

class NoLength(http.server.SimpleHTTPRequestHandler):
    """Says no Content-Length: the connection's end is the object's."""

    def log_message(self, *unused):
        pass

    def send_header(self, name, value):
        if name.lower() != "content-length":
            super().send_header(name, value)


def test_lengths():
    web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
    web.RequestHandlerClass.log_message = lambda *unused: None
    bare = http.server.ThreadingHTTPServer(("127.0.0.1", 0), NoLength)
    for s in (web, bare):
        threading.Thread(target=s.serve_forever, daemon=True).start()
    open("l.cdl", "w").write(
        "netcdf l { dimensions: x = 64 ; variables: int w(x) ; string s(x) ; s:_ChunkSizes = 64 ; w:_ChunkSizes = 64 ; "
        "w:_Storage = \"chunked\" ; data: w = %s ; s = %s ; }"
        % (", ".join(map(str, range(64))), ", ".join('"s%d"' % i for i in range(64))))
    for form in ("", "#mode=zarr", "#mode=nczarr,v3"):
        problems = []
        remove("l.zarr")
        r = run("nczgen", "-o", "l.zarr" + form, "l.cdl")
        chunk = "c/0" if "v3" in form else "0"
        open("l.zarr/w/" + chunk, "ab").write(b"x" * 23)
        places = [("l.zarr", "279 bytes", "256 are expected"),
                  ("http://127.0.0.1:%d/l.zarr" % web.server_port, "279 bytes", "256 are expected"),
                  ("http://127.0.0.1:%d/l.zarr" % bare.server_port, "bytes or more", "256 are expected")]
        for url, *parts in places:
            if "mode=zarr" in form and "http" in url:
                continue  # it lists nothing
            r = run("nczdump", "-v", "w", url)
            expect(problems, url, r.returncode, 1)
            says(problems, url, r.stderr, "w/" + chunk, *parts)
            says(problems, "CDL of " + url, r.stdout, "w/" + chunk, *parts)
            r = run("nczdump", "--check", url)
            expect(problems, "--check " + url, r.returncode, 3)
        data = b"" if "v3" in form else open("l.zarr/s/0", "rb").read()
        for n in () if "v3" in form else (4096, 2048, 1024, 128, 64, 8191):
            open("l.zarr/s/0", "wb").write(data[:n])
            for url, *_ in places:
                if "mode=zarr" in form and "http" in url:
                    continue
                r = run("nczdump", "-v", "s", url)
                expect(problems, "strings cut to %d, %s" % (n, url), r.returncode, 1)
                says(problems, url, r.stderr, "s/0: %d bytes, but its chunk has %d" % (n, len(data)))
        report("objects of a wrong length%s" % form, problems)
    web.shutdown()
    bare.shutdown()


for case in [f for n, f in sorted(globals().items()) if n.startswith("test_")]:
    case()
shutil.rmtree(tmp)
sys.exit(cases.total())
