#!/usr/bin/env python3
"""Damaged chunks: what nczdump and nczcopy do with --damaged=stop, fill and skip, in directories, archives and shards,
with and without decoding; nczdump --check; consolidated metadata that are stale.

usage: damage.py TOOLS     (the folder of the built commands)
"""
import os, sys

sys.path[0] = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support")  # copy.py is not Python's
import http.server, itertools, json, shutil, struct, tempfile, threading, zipfile
import cases, programs
from cases import report

tools = os.path.abspath(sys.argv[1])
tmp = tempfile.mkdtemp(prefix="nczarr-damage-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
os.chdir(tmp)

T, Y, X = 4, 4, 6
FILL = -9
CDL = """netcdf a { types: compound pair { int i ; float f ; } ;
dimensions: t = 4 ; y = 4 ; x = 6 ;
variables: float v(t, y, x) ; v:_ChunkSizes = 1, 2, 3 ; v:_DeflateLevel = 1 ; v:_FillValue = -9.f ;
 int lat(y) ; double s ; string name(x) ; name:_ChunkSizes = 2 ; pair p(x) ; p:_ChunkSizes = 2 ;
data: v = %s ; lat = 1, 2, 3, 4 ; s = 2.5 ; name = %s ; p = %s ; }
""" % (", ".join(map(str, range(T * Y * X))), ", ".join('"n%d"' % i for i in range(X)),
       ", ".join("{%d, %d}" % (i, i) for i in range(X)))


def run(tool, *args):
    return programs.run([os.path.join(tools, tool)] + list(args), capture_output=True, text=True, timeout=300)


def must(tool, *args):
    r = run(tool, *args)
    assert r.returncode == 0, (tool, args, r.stderr)
    return r.stdout


def values(path, *options):
    """The data of --json, by variable, and the exit status."""
    r = run("nczdump", "--json", *options, path)
    return {k: v.get("data") for k, v in json.loads(r.stdout)["variables"].items()}, r.returncode, r.stderr


def with_fill(chunks):
    """What v is with these chunks of its grid replaced by fill."""
    v = [[[(t * Y + y) * X + x for x in range(X)] for y in range(Y)] for t in range(T)]
    for c in chunks:
        for t, y, x in itertools.product(range(T), range(Y), range(X)):
            if (t, y // 2, x // 3) == c:
                v[t][y][x] = FILL
    return v


def cut(path, n):
    with open(path, "r+b") as f:
        f.truncate(n)


def flip(path, at):
    data = bytearray(open(path, "rb").read())
    data[at] ^= 0x55
    open(path, "wb").write(data)


def fresh(name, source="a.zarr"):
    remove(name)
    (shutil.copytree if os.path.isdir(source) else shutil.copy)(source, name)
    return name


def remove(*names):
    for n in names:
        for path in (n, n + ".nczcopy"):
            shutil.rmtree(path, ignore_errors=True)
            if os.path.exists(path):
                os.remove(path)


def expect(problems, what, got, wanted):
    if got != wanted:
        problems.append("%s: %r, not %r" % (what, got, wanted))


# ---- the datasets ----

open("a.cdl", "w").write(CDL)
must("nczgen", "-o", "a.zarr", "a.cdl")
must("nczcopy", "a.zarr", "a.zip")
must("nczcopy", "--zarr-format", "3", "a.zarr", "v3.zarr")
must("nczcopy", "--zarr-format", "3", "--shards", "v:2,4,6", "a.zarr", "sharded.zarr")

fresh("chunk.zarr")
cut("chunk.zarr/v/0.1.0", 10)
cut("chunk.zarr/v/3.1.1", 0)
fresh("archive.zip", "a.zip")
raw = open("archive.zip", "rb").read()
flip("archive.zip", raw.index(b"v/0.1.0") + len(b"v/0.1.0") + 8)
fresh("inner.zarr", "sharded.zarr")
for at in (3, 4, 5):
    flip("inner.zarr/v/c/0/0/0", at)
fresh("index.zarr", "sharded.zarr")
flip("index.zarr/v/c/1/0/0", -3)

SHARD = [(t, y, x) for t in (2, 3) for y in (0, 1) for x in (0, 1)]
BROKEN = {"chunk.zarr": [(0, 1, 0), (3, 1, 1)], "archive.zip": [(0, 1, 0)], "inner.zarr": [(0, 0, 0)],
          "index.zarr": SHARD}
KEYS = {"chunk.zarr": ["v/0.1.0", "v/3.1.1"], "archive.zip": ["v/0.1.0"], "inner.zarr": ["v/c/0/0/0: chunk 0,0,0"],
        "index.zarr": ["v/c/1/0/0: 8 chunks"]}

# ---- nczdump ----

for path, chunks in BROKEN.items():
    bad = []
    data, rc, err = values(path)
    expect(bad, "stop", (rc, data["lat"], "--damaged=fill" in err), (1, [1, 2, 3, 4], True))
    data, rc, err = values(path, "--damaged=fill")
    expect(bad, "fill", (data["v"], rc), (with_fill(chunks), 3))
    expect(bad, "other variables", (data["name"][5], data["s"], data["p"][5]), ("n5", 2.5, {"i": 5, "f": 5}))
    for key in KEYS[path]:
        if key not in err:
            bad.append("%s is not listed: %s" % (key, err))
    expect(bad, "count", "%d damaged chunk" % len(chunks) in err, True)
    expect(bad, "member", json.loads(run("nczdump", "--json", "--damaged=fill", path).stdout)["variables"]["v"]
           .get("damaged_chunks"), len(chunks))
    r = run("nczdump", "--damaged=fill", path)
    expect(bad, "CDL", (r.returncode, "// v: %d damaged chunk" % len(chunks) in r.stdout), (3, True))
    open("again.cdl", "w").write(run("nczdump", "--damaged=fill", path).stdout)
    remove("again.zarr")
    must("nczgen", "-o", "again.zarr", "again.cdl")
    expect(bad, "CDL again", values("again.zarr")[0]["v"], with_fill(chunks))
    r = run("nczdump", "--damaged=skip", path)
    expect(bad, "skip", (r.returncode, "left out: float v" in r.stdout, "\tfloat v(" in r.stdout, " v =" in r.stdout,
                         "lat = 1, 2, 3, 4" in r.stdout), (3, True, False, False, True))
    r = run("nczdump", "-v", "lat", "--damaged=fill", path)
    expect(bad, "a sound one", (r.returncode, r.stderr), (0, ""))
    r = run("nczdump", "-d", "t,1,1", "-v", "v", "--damaged=skip", path)
    expect(bad, "a sound part", (r.returncode, " v =" in r.stdout), (0, True))
    r = run("nczdump", "-d", "t,0,,3", "-d", "x,0,,2", "-v", "v", "--json", "--damaged=fill", path)
    expect(bad, "a strided part", json.loads(r.stdout)["variables"]["v"]["data"],
           [[row[::2] for row in plane] for plane in with_fill(chunks)[::3]])
    r = run("nczdump", "--check", path)
    expect(bad, "--check", (r.returncode, "%d damaged chunk" % len(chunks) in r.stdout, KEYS[path][0] in r.stdout),
           (3, True, True))
    r = run("nczdump", "--check", "-v", "lat,s,name,p", path)
    expect(bad, "--check of the others", (r.returncode, "sound" in r.stdout), (0, True))
    report("nczdump: " + path, bad)

bad = []
for of in (["--tree"], ["--chunks"], ["-x"], ["-k"], ["--html"], ["--list=vars"]):
    expect(bad, of[0], run("nczdump", "--damaged=fill", *of, "a.zarr").returncode, 2)
expect(bad, "a wrong word", run("nczdump", "--damaged=fil", "a.zarr").returncode, 2)
expect(bad, "a wrong word, nczcopy", run("nczcopy", "--damaged=fil", "a.zarr", "o.zarr").returncode, 2)
expect(bad, "in place", run("nczcopy", "--in-place", "--zarr-format", "3", "--damaged=fill", "a.zarr").returncode, 2)
expect(bad, "sound", run("nczdump", "--damaged=fill", "a.zarr").returncode, 0)
report("options", bad)

# Strings and records: the values own memory.
bad = []
for var, key, wanted in (("name", "name/1", ["n0", "n1", "", "", "n4", "n5"]),
                         ("p", "p/1", [{"i": i if i not in (2, 3) else 0, "f": i if i not in (2, 3) else 0}
                                       for i in range(X)])):
    fresh("own.zarr")
    cut("own.zarr/" + key, 3)
    data, rc, err = values("own.zarr", "--damaged=fill", "-v", var)
    got = [v if isinstance(v, dict) else v or "" for v in data[var]]
    expect(bad, var, (rc, len(got), got[:2] + got[4:]), (3, X, wanted[:2] + wanted[4:]))
    remove("o.zarr")
    r = run("nczcopy", "--damaged=fill", "--verify", "own.zarr", "o.zarr")
    expect(bad, var + " copied", (r.returncode, key in r.stderr), (3, True))
    expect(bad, var + " as dumped", values("o.zarr", "-v", var)[0][var], data[var])
fresh("own.zarr")
cut("own.zarr/s/0", 3)
data, rc, err = values("own.zarr", "--damaged=fill", "-v", "s")
expect(bad, "a scalar", (rc, data["s"] > 9e36), (3, True))
report("strings, records, scalars", bad)

# ---- nczcopy ----

HOW = {"as they are": lambda p: ["--zarr-format", "2" if p.startswith(("chunk", "archive")) else "3"],
       "encoded again": lambda p: ["-d", "5", "--zarr-format", "2"],
       "other chunks": lambda p: ["-c", "v:2,4,5", "-F", "v,none"],
       "into an archive": lambda p: ["--mode", "zip"],
       "into shards": lambda p: ["--zarr-format", "3", "--shards", "v:4,4,6"]}
for path, how in itertools.product(BROKEN, HOW):
    bad = []
    chunks, options = BROKEN[path], HOW[how](path)
    out = "o.zip" if how == "into an archive" else "o.zarr"
    remove(out)
    r = run("nczcopy", "--damaged=fill", "--verify", *options, path, out)
    expect(bad, "fill", (r.returncode, "%d damaged chunk" % len(chunks) in r.stderr), (3, True))
    for key in KEYS[path]:
        if key not in r.stderr:
            bad.append("%s is not listed: %s" % (key, r.stderr))
    if os.path.exists(out):
        data, rc, err = values(out)
        expect(bad, "filled", (data["v"], rc), (with_fill(chunks), 0))
        expect(bad, "others", data["name"], ["n%d" % i for i in range(X)])
    remove(out)
    r = run("nczcopy", "--damaged=skip", "--verify", *options, path, out)
    expect(bad, "skip", (r.returncode, "/v: left out" in r.stderr), (3, True))
    expect(bad, "what is left", sorted(values(out)[0]), ["lat", "name", "p", "s"])
    remove(out)
    r = run("nczcopy", "--damaged=fill", "--dry-run", *options, path, out)
    expect(bad, "dry run", (r.returncode, KEYS[path][0] in r.stderr, os.path.exists(out)), (3, True, False))
    report("nczcopy: %s, %s" % (path, how), bad)

# Stopped by damage, then continued in spite of it; --verify notices damage that was copied as it is.
for path in ("chunk.zarr", "inner.zarr", "index.zarr"):
    for options in (["-d", "4"], HOW["as they are"](path)):
        bad = []
        remove("o.zarr")
        r = run("nczcopy", "--verify", *options, path, "o.zarr")
        expect(bad, "stopped", (r.returncode, "--damaged=fill" in r.stderr, os.path.exists("o.zarr")), (1, True, False))
        r = run("nczcopy", "--verify", "--resume", "--damaged=fill", *options, path, "o.zarr")
        expect(bad, "continued", r.returncode, 3)
        expect(bad, "values", values("o.zarr")[0]["v"], with_fill(BROKEN[path]))
        report("resumed: %s, %s" % (path, " ".join(options)), bad)

bad = []
fresh("many.zarr")
for name in os.listdir("many.zarr/v"):
    if name[0].isdigit():
        cut("many.zarr/v/" + name, 5)
for name in ("lat/0", "name/0", "name/1", "p/0", "p/1", "p/2"):
    cut("many.zarr/" + name, 1) # not a multiple of its elements: strings may be narrower than their document says
r = run("nczdump", "--damaged=fill", "many.zarr")
expect(bad, "lines", (r.returncode, len(r.stderr.splitlines()), "22 damaged" in r.stderr, "and 2 more" in r.stderr),
       (3, 22, True, True))
report("the list has an end", bad)



# ---- a server: damage is damage there, too, a request that fails is none ----

class Server(http.server.SimpleHTTPRequestHandler):
    denied = None

    def send_head(self):
        if Server.denied is not None and self.path.endswith(Server.denied):
            self.send_error(403)
            return None
        return super().send_head()

    def log_message(self, *args):
        pass


if "http" in run("nczdump", "--version").stdout.split():
    bad = []
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for path in ("chunk.zarr", "index.zarr"):
        url = "http://127.0.0.1:%d/%s" % (server.server_port, path)
        data, rc, err = values(url, "--damaged=fill")
        expect(bad, path, (data["v"], rc), (with_fill(BROKEN[path]), 3))
        remove("o.zarr")
        r = run("nczcopy", "--damaged=fill", "--verify", "--zarr-format", "2" if path == "chunk.zarr" else "3", url,
                "o.zarr")
        expect(bad, path + " copied", (r.returncode, values("o.zarr")[0]["v"]), (3, with_fill(BROKEN[path])))
    Server.denied = "/v/2.0.0"
    url = "http://127.0.0.1:%d/chunk.zarr" % server.server_port
    data, rc, err = values(url, "--damaged=fill")
    expect(bad, "a request that fails", (rc, "2.0.0" in err), (1, True))
    remove("o.zarr")
    expect(bad, "... while copying", run("nczcopy", "--damaged=fill", url, "o.zarr").returncode, 1)
    server.shutdown()
    report("a web server", bad)

if os.geteuid() != 0:
    bad = []
    fresh("denied.zarr")
    os.chmod("denied.zarr/v/0.0.0", 0)
    data, rc, err = values("denied.zarr", "--damaged=fill")
    expect(bad, "fill", (data["v"], rc, "v/0.0.0" in err), (with_fill([(0, 0, 0)]), 3, True))
    report("a chunk without permission", bad)

# ---- chunks of different lengths ----

ROWS, COLUMNS = [2, 4, 3], [1, 3, 1]  # the last row of chunks ends beyond the array


def place_of(lengths, i):
    return sum(lengths[:i]), sum(lengths[:i + 1])


def make_rectilinear(path):
    """7 x 5 numbers, each 5 y + x."""
    remove(path)
    os.makedirs(path + "/v/c")
    json.dump({"zarr_format": 3, "node_type": "group"}, open(path + "/zarr.json", "w"))
    json.dump({"zarr_format": 3, "node_type": "array", "shape": [7, 5], "data_type": "int16", "chunk_key_encoding": "default",
               "chunk_grid": {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": [ROWS, COLUMNS]}},
               "fill_value": FILL, "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
               "dimension_names": ["y", "x"]}, open(path + "/v/zarr.json", "w"))
    for i, k in itertools.product(range(3), range(3)):
        os.makedirs("%s/v/c/%d" % (path, i), exist_ok=True)
        with open("%s/v/c/%d/%d" % (path, i, k), "wb") as f:
            for y in range(*place_of(ROWS, i)):
                f.write(b"".join((5 * y + x).to_bytes(2, "little") for x in range(*place_of(COLUMNS, k))))


bad = []
for i, k in itertools.product(range(3), range(3)):
    make_rectilinear("r.zarr")
    cut("r.zarr/v/c/%d/%d" % (i, k), 1)
    wanted = [[FILL if y in range(*place_of(ROWS, i)) and x in range(*place_of(COLUMNS, k)) else 5 * y + x for x in range(5)]
              for y in range(7)]
    data, rc, err = values("r.zarr", "--damaged=fill")
    expect(bad, "chunk %d/%d" % (i, k), (data["v"], rc, "v/c/%d/%d" % (i, k) in err), (wanted, 3, True))
    r = run("nczdump", "--check", "r.zarr")
    expect(bad, "--check of %d/%d" % (i, k), (r.returncode, "v/c/%d/%d" % (i, k) in r.stdout + r.stderr), (3, True))
    remove("o.zarr")
    r = run("nczcopy", "--damaged=fill", "r.zarr", "o.zarr")
    expect(bad, "copy of %d/%d" % (i, k), (r.returncode, values("o.zarr")[0]["v"]), (3, wanted))
report("chunks of different lengths", bad)

# ---- consolidated metadata ----


def edit(path, change):
    doc = json.load(open(path))
    change(doc)
    json.dump(doc, open(path, "w"))


for version, document in (("2", ".zarray"), ("3", "zarr.json")):
    bad = []
    remove("c.zarr")
    must("nczcopy", "--consolidate", "--verify", "--zarr-format", version, "a.zarr", "c.zarr")
    r = run("nczdump", "--check", "c.zarr")
    expect(bad, "sound", (r.returncode, "c.zarr: 5 variables, 24 chunks: sound" in r.stdout), (0, True))
    fresh("stale.zarr", "c.zarr")
    edit("stale.zarr/lat/" + document, lambda d: d.update({"shape": [2], "fill_value": 7}))
    r = run("nczdump", "--check", "stale.zarr")
    expect(bad, "shape", (r.returncode, "/lat: its shape is (4) in the consolidated metadata, (2) in the documents"
                          in r.stdout, "/lat: its chunks are" in r.stdout), (3, True, True))
    fresh("stale.zarr", "c.zarr")
    if version == "2":
        edit("stale.zarr/v/.zattrs", lambda d: d.update({"units": "K"}))
    else:
        edit("stale.zarr/v/zarr.json", lambda d: d["attributes"].update({"units": "K"}))
    r = run("nczdump", "--check", "stale.zarr")
    expect(bad, "attribute", (r.returncode, "/v: its attribute units is only in the documents" in r.stdout),
           (3, True))
    fresh("stale.zarr", "c.zarr")
    shutil.rmtree("stale.zarr/s")
    r = run("nczdump", "--check", "stale.zarr")
    expect(bad, "removed", (r.returncode, "/s: " in r.stdout), (3, True))
    r = run("nczdump", "stale.zarr")
    expect(bad, "said", (r.returncode, "/s: is in the consolidated metadata" in r.stderr), (0, True))
    expect(bad, "not asked for", run("nczdump", "-v", "lat", "stale.zarr").stderr, "")
    remove("o.zarr")
    r = run("nczcopy", "--verify", "stale.zarr", "o.zarr")
    expect(bad, "--verify", (r.returncode, "stale.zarr: /s: " in r.stderr), (0, True))
    expect(bad, "sound ones say nothing", run("nczdump", "c.zarr").stderr, "")
    report("stale consolidated metadata, Zarr v" + version, bad)

# What only one of the two has, and what differs.
open("s.cdl", "w").write("""netcdf s { dimensions: x = 3 ; variables: int v(x) ; v:note = "a" ; v:range = 1, 2 ; data: v = 1, 2, 3 ;
group: g { variables: int w(x) ; data: w = 4, 5, 6 ; } }""")
remove("s.zarr", "c.zarr")
must("nczgen", "-o", "s.zarr", "s.cdl")
must("nczcopy", "--mode", "zarr", "--zarr-format", "3", "--consolidate", "s.zarr", "c.zarr")
bad = []
for change, wanted in (
        (lambda m: [m.pop(k) for k in list(m) if k.startswith("g")], ["/g: this group is only in the documents"]),
        (lambda m: m.update(h={"zarr_format": 3, "node_type": "group"}), ["/h: this group is only in the consolidated metadata"]),
        (lambda m: m.pop("v"), ["/x: this dimension is only in the documents", "/v: this variable is only in the documents"]),
        (lambda m: m.update(u=dict(m["v"])), ["/u: 1 of 1 chunk is missing: it reads as the fill value", "/u: this variable is only in the consolidated metadata"]),
        (lambda m: m["v"]["attributes"].update(more=[1.5]), ["/v: its attribute more is only in the consolidated metadata"]),
        (lambda m: m["v"]["attributes"].update(note="b"), ["/v: its attribute note differs"]),
        (lambda m: m["v"]["attributes"].update(range=[1, 3]), ["/v: its attribute range differs"]),
        (lambda m: [m["v"].update(shape=[2]), m["g/w"].update(shape=[2])], [
            "/x: this dimension is 2 long in the consolidated metadata, 3 in the documents",
            "/v: its shape is (2) in the consolidated metadata, (3) in the documents",
            "/g/x: this dimension is 2 long in the consolidated metadata, 3 in the documents",
            "/g/w: its shape is (2) in the consolidated metadata, (3) in the documents"])):
    fresh("t.zarr", "c.zarr")
    edit("t.zarr/zarr.json", lambda d: change(d["consolidated_metadata"]["metadata"]))
    r = run("nczdump", "--check", "t.zarr")
    n = len([w for w in wanted if "missing" not in w])
    total = "%d difference%s between consolidated metadata and documents" % (n, "s" if n > 1 else "")
    expect(bad, wanted[0], (r.returncode, r.stdout.splitlines()[:-1], r.stdout.splitlines()[-1].endswith(total)), (3, wanted, True))
report("consolidated metadata and documents of one side alone", bad)

bad = []
must("nczcopy", "--consolidate", "a.zarr", "broken.zarr")
for name in (".zmetadata", ".zgroup"):
    fresh("broken2.zarr", "broken.zarr")
    open("broken2.zarr/" + name, "w").write('{"zarr_format"; 2')
    r = run("nczdump", "--check", "broken2.zarr")
    expect(bad, name, (r.returncode, name + ": is no JSON" in r.stdout), (3, True))
fresh("broken2.zarr", "a.zarr")
open("broken2.zarr/v/.zarray", "w").write('{"zarr_format"; 2')
r = run("nczdump", "--check", "broken2.zarr")
expect(bad, ".zarray", (r.returncode, "/v: v/.zarray: line 1" in r.stdout), (3, True))
fresh("broken2.zarr", "a.zarr")
os.remove("broken2.zarr/.zmetadata")  # it has the document as it was
edit("broken2.zarr/v/.zarray", lambda d: d.update({"compressor": {"id": "pcodec"}}))
r = run("nczdump", "--check", "broken2.zarr")
expect(bad, "a codec that is not known", (r.returncode, "not all could be checked" in r.stdout), (1, True))
with open("nan.cdl", "w") as f:
    f.write("netcdf n { dimensions: x = 1 ; variables: float v(x) ; v:a = NaNf, -Infinityf ; v:_FillValue = NaNf ; :b = Infinity ; data: v = 1 ; }")
for mode in ("nczarr", "zarr", "nczarr,v3", "zarr,v3"):
    must("nczgen", "-o", "nan.zarr#mode=" + mode, "nan.cdl")
    r = run("nczdump", "--check", "nan.zarr")
    expect(bad, "NaN in attributes, " + mode, (r.returncode, r.stdout.endswith(": sound\n")), (0, True))
report("broken documents", bad)

bad = []
TREE = """netcdf t { dimensions: x = 4 ; variables: int v(x) ; v:units = "m" ; :title = "t" ; data: v = 1, 2, 3, 4 ;
group: g { :note = "n" ; variables: int u(x) ; u:units = "m" ; data: u = 1, 2, 3, 4 ; } }
"""
with open("t.cdl", "w") as f:
    f.write(TREE)
for mode in ("nczarr", "zarr", "zarr,consolidated", "nczarr,v3", "zarr,v3", "zarr,v3,consolidated"):
    must("nczgen", "-o", "whole.zarr#mode=" + mode, "t.cdl")
    expect(bad, mode + ": sound", run("nczdump", "--check", "whole.zarr").returncode, 0)
    for at, _, names in os.walk("whole.zarr"):
        for name in [n for n in names if n.startswith(".z") or n == "zarr.json"]:
            path = os.path.join(at, name)
            with open(path, "rb") as f:
                whole = f.read()
            cut(path, len(whole) // 2)
            r = run("nczdump", "--check", "whole.zarr")
            expect(bad, "%s: %s cut" % (mode, path), (r.returncode, os.path.relpath(path, "whole.zarr") in r.stdout or "consolidated metadata" in r.stdout), (3, True))
            with open(path, "wb") as f:
                f.write(whole)
    remove("whole.zarr")
report("each document, cut", bad)

bad = []
fresh("gaps.zarr", "a.zarr")
for key in ("v/0.0.0", "v/3.1.1", "lat/0"):
    os.remove("gaps.zarr/" + key)
r = run("nczdump", "--check", "gaps.zarr")
expect(bad, "missing chunks", (r.returncode, r.stdout.splitlines()[:2], r.stdout.endswith(": sound\n")),
       (0, ["/v: 2 of 16 chunks are missing: they read as the fill value", "/lat: 1 of 1 chunk is missing: it reads as the fill value"], True))
r = run("nczdump", "--check", "-d", "t,1", "gaps.zarr")
expect(bad, "of a part nothing is said", "/v: " in r.stdout, False)
report("missing chunks are counted", bad)

bad = []
must("nczcopy", "a.zarr", "sum.zip")
with zipfile.ZipFile("sum.zip") as z:
    entry = [i for i in z.infolist() if i.filename.endswith("v/0.0.0")][0]
with open("sum.zip", "rb") as f:
    f.seek(entry.header_offset + 26)
    lengths = struct.unpack("<HH", f.read(4))
flip("sum.zip", entry.header_offset + 30 + sum(lengths) + entry.compress_size - 2)
for target in ("copy.zarr", "copy.zip"):
    for options in ((), ("-F", "*,zstd")):
        r = run("nczcopy", *options, "sum.zip", target)
        expect(bad, "%s %s" % (target, options), (r.returncode, "have the CRC" in r.stderr, "--damaged=fill copies the rest" in r.stderr), (1, True, True))
        remove(target + ".nczcopy")
report("a checksum of an archive: --damaged is named", bad)

shutil.rmtree(tmp)
sys.exit(cases.total())
