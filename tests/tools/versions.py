#!/usr/bin/env python3
"""The commands between the versions of Zarr, and shards: nczgen, nczdump, nczcopy.

usage: versions.py TOOLS     (the folder of the built commands)
"""
import json, os, re, sys, tempfile

sys.path[0] = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support")  # copy.py is not Python's
import programs

tools = os.path.abspath(sys.argv[1])
failures = 0

CDL = r"""netcdf t { dimensions: t = UNLIMITED ; x = 8 ; variables:
    int a(t, x) ; a:_ChunkSizes = 2, 2 ; a:_DeflateLevel = 3 ; a:_Shuffle = "true" ; a:units = "m" ;
    float big(x) ; big:_ChunkSizes = 4 ; big:_Endianness = "big" ;
    ubyte b(x) ; b:_DType = "|b1" ;
    float h(x) ; h:_DType = "<f2" ;
    int64 m(x) ; m:_DType = "<M8[ns]" ;
    string any(x) ; any:_Codecs = "[{\"id\": \"vlen-utf8\"},{\"id\": \"zstd\", \"level\": 1}]" ;
    string wide(x) ; char c(x) ; double d ; d:_FillValue = -9. ;
  data: a = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 ; big = 1, 2, 3, 4, 5, 6, 7, 8 ;
    b = 1, 0, 1, 0, 1, 0, 1, 0 ; h = 1, 2, 3, 4, 5, 6, 7, 8 ; m = 1, 2, 3, 4, 5, 6, 7, 8 ;
    any = "a", "bb", "ccc", "d", "e", "f", "g", "h" ; wide = "a", "bb", "ccc", "d", "e", "f", "g", "h" ;
    c = "abcdefgh" ; d = 3.5 ;
  group: g { variables: short v(x) ; data: v = 1, 2, 3, 4, 5, 6, 7, 8 ; } }
"""


def run(command, *args, **kw):
    return programs.run([os.path.join(tools, command), *args], capture_output=True, text=True, timeout=120, **kw)


class Case:
    def __init__(self, name, at):
        self.name, self.at, self.problems = name, at, []

    def same(self, what, a, b):
        if a != b:
            self.problems.append("%s: %r is not %r" % (what, a, b))

    def run(self, command, *args, code=0, stderr="", **kw):
        r = run(command, *args, **kw)
        self.same("exit of %s %s (%s)" % (command, " ".join(args), r.stderr.strip()), r.returncode, code)
        if stderr not in r.stderr:
            self.problems.append("%s: no %r in %r" % (command, stderr, r.stderr.strip()))
        return r.stdout

    def dump(self, name, *options):
        return self.run("nczdump", "-n", "t", *options, self.at(name))

    def bytes(self, name):
        return open(self.at(name), "rb").read()

    def end(self):
        global failures
        failures += bool(self.problems)
        print("[%s] %s" % ("  FAILED  " if self.problems else "       OK ", self.name))
        for line in self.problems[:20]:
            print("    " + line)


def characters(c):
    """Where zarr-python 3 would refuse what is written, for its characters, the commands say so, and only there."""
    text = "netcdf t { dimensions: x = 2 ; group: g { variables: char c(x) ; data: c = \"ab\" ; } }"
    says = "zarr-python 3 and xarray refuse it"
    for fragment, said in (("", False), ("#consolidated=no", True), ("#mode=nczarr&compat=4.9.2", True),
                           ("#mode=nczarr&compat=4.9.2&consolidated=yes", False), ("#mode=zarr", False)):
        url = "file://" + c.at("chars.zarr") + fragment
        for command, args in (("nczgen", ("-o", url)), ("nczcopy", (c.at("chars-from.zarr"), url))):
            if command == "nczcopy":
                run("nczgen", "-o", c.at("chars-from.zarr"), input=text)
            r = run(command, *args, **({"input": text} if command == "nczgen" else {}))
            c.same("%s to %s: exit" % (command, fragment), r.returncode, 0)
            c.same("%s to %s: %r: said" % (command, fragment, r.stderr), says in r.stderr, said)
            c.same("%s to %s: quiet" % (command, fragment), said or r.stderr == "", True)


def characters_as_numbers(c):
    """A copy into Zarr v3 names the characters that are no texts, once; its values are those of the source, a _FillValue included."""
    text = ("netcdf t { dimensions: t = UNLIMITED ; n = 3 ; m = 2 ; variables: char c(t, n) ; char f(n) ; f:_FillValue = \"x\" ; "
            "char flag(m) ; flag:_FillValue = \"-\" ; int i(m) ; data: c = \"abc\", \"d\" ; f = \"ef\" ; flag = \"1-\" ; i = 1, 2 ; "
            "group: g { variables: char k ; data: k = \"k\" ; } }")
    says = "other readers get these characters in Zarr v3 as numbers"
    rest = ": %s: they are text in chunks with whole rows of a dimension of their own, in Zarr v2, and as strings\n" % says
    line = "nczcopy: /flag, /g/k" + rest
    c.run("nczgen", "-o", c.at("v2.zarr"), input=text)
    for mode, want in (("nczarr,v3", line), ("zarr,v3", line), ("nczarr,v2", ""), ("zarr,v2", "")):
        r = run("nczcopy", "--verify", "--mode", mode, c.at("v2.zarr"), c.at(mode + ".zarr"))
        c.same(mode, (r.returncode, r.stderr), (0, want))
        if mode == "nczarr,v3":
            c.same("its dump", c.dump(mode + ".zarr"), c.dump("v2.zarr"))
    for mode, want in (("nczarr,v3", ""), ("zarr,v3", line), ("nczarr,v2", "")):
        r = run("nczcopy", "--verify", "--mode", mode, c.at("nczarr,v3.zarr"), c.at("again-%s.zarr" % mode))
        c.same("v3 to " + mode, (r.returncode, r.stderr), (0, want))
    c.run("nczcopy", "--dry-run", "--mode", "nczarr,v3", c.at("v2.zarr"), c.at("dry.zarr"), stderr=says)
    c.run("nczcopy", "--in-place", "--zarr-format", "3", c.at("v2.zarr"), stderr="nczcopy: /c, /f, /flag, /g/k" + rest)
    c.run("nczgen", "-k", "nc3", "-o", c.at("t.nc"), input=text[:text.index("group:")] + "}")
    c.run("nczcopy", "--verify", "--mode", "nczarr,v3", c.at("t.nc"), c.at("of-classic.zarr"), stderr="nczcopy: /flag" + rest)
    c.run("nczcopy", "--verify", "-k", "nc3", c.at("of-classic.zarr"), c.at("back.nc"))
    c.same("a classic file again", c.dump("back.nc"), c.dump("t.nc"))
    types = {v: json.load(open(c.at("of-classic.zarr/%s/zarr.json" % v)))["data_type"] for v in ("c", "f", "flag")}
    c.same("types", types, {"c": "string", "f": "string", "flag": "uint8"})
    c.run("nczgen", "-o", c.at("none.zarr"), input="netcdf t { dimensions: n = 2 ; variables: int i(n) ; string s(n) ; }")
    r = run("nczcopy", "--verify", "--mode", "nczarr,v3", c.at("none.zarr"), c.at("none3.zarr"))
    c.same("without characters", (r.returncode, r.stderr), (0, ""))


def unasked_copies(c):
    """Consolidated metadata that nobody asked for are not followed, but compared all the same."""
    text = "netcdf t { dimensions: x = 2 ; variables: char c(x) ; c:units = \"old\" ; data: c = \"ab\" ; }"
    c.run("nczgen", "-o", c.at("unasked.zarr"), input=text)
    c.same("--check", "sound" in c.run("nczdump", "--check", c.at("unasked.zarr")), True)
    name = c.at("unasked.zarr/c/.zattrs")
    document = open(name).read()
    open(name, "w").write(document.replace('"old"', '"new"'))
    c.same("--check", "/c: its attribute units differs" in c.run("nczdump", "--check", c.at("unasked.zarr"), code=3), True)
    c.run("nczcopy", "--verify", c.at("unasked.zarr"), c.at("of-unasked.zarr"), stderr="/c: its attribute units differs")
    for keys, units in (("", "new"), ("#consolidated=yes", "old"), ("#consolidated=no", "new")):
        c.same("units" + keys, '"%s"' % units in c.run("nczdump", "-h", c.at("unasked.zarr") + keys), True)
    c.same("units of the copy", '"new"' in c.run("nczdump", "-h", c.at("of-unasked.zarr#consolidated=yes")), True)


def between_versions(c):
    """Chunks move undecoded where both versions can say how they are encoded: not text, which each stores in its own form."""
    c.run("nczgen", "-o", c.at("v2.zarr"), input=CDL)
    c.run("nczcopy", "--verify", "--zarr-format", "3", c.at("v2.zarr"), c.at("v3.zarr"))
    c.run("nczcopy", "--verify", "--zarr-format", "2", c.at("v3.zarr"), c.at("back.zarr"))
    c.same("values in v3", c.dump("v3.zarr"), c.dump("v2.zarr"))
    c.same("values in v2 again", c.dump("back.zarr"), c.dump("v2.zarr"))
    for two, three in (("a/0.1", "a/c/0/1"), ("big/1", "big/c/1"), ("b/0", "b/c/0"), ("h/0", "h/c/0"), ("m/0", "m/c/0"),
                       ("any/0", "any/c/0"), ("c/0", "c/c/0"), ("d/0", "d/c"), ("g/v/0", "g/v/c/0")):
        c.same(two, c.bytes("v2.zarr/" + two), c.bytes("v3.zarr/" + three))
        c.same(two + " again", c.bytes("back.zarr/" + two), c.bytes("v3.zarr/" + three))
    codecs = json.load(open(c.at("v3.zarr/a/zarr.json")))["codecs"]
    c.same("codecs", [k["name"] for k in codecs], ["bytes", "numcodecs.shuffle", "numcodecs.zlib"])
    c.same("types", [json.load(open(c.at("v3.zarr/%s/zarr.json" % v)))["data_type"] for v in ("b", "h", "wide")],
           ["bool", "float16", "string"])
    out = c.run("nczcopy", "--dry-run", "--zarr-format", "3", c.at("v2.zarr"), c.at("none.zarr"))
    c.same("what is encoded again", re.findall(r"(/\S+): chunks encoded again", out), ["/wide"])
    c.run("nczcopy", "--verify", "--zarr-format", "3", "-d", "5", "--mode", "zarr", c.at("v2.zarr"), c.at("d5.zarr"))
    names = [k["name"] for k in json.load(open(c.at("d5.zarr/a/zarr.json")))["codecs"]]
    c.same("deflate for all readers", names, ["bytes", "numcodecs.shuffle", "gzip"])
    said = run("nczcopy", "--verify", "--zarr-format", "2", c.at("d5.zarr"), c.at("d5v2.zarr")).stderr
    c.same("gzip of v2 is deflate, which is not lost", [l for l in said.splitlines() if "without the filter" in l], [])
    c.same("its compressor", json.load(open(c.at("d5v2.zarr/a/.zarray")))["compressor"], {"id": "gzip", "level": 5})
    for name in ("v2.zarr", "v3.zarr"):
        c.run("nczcopy", "--zarr-format", "4", c.at(name), c.at("none.zarr"), code=2, stderr="neither 2 nor 3")


def order_f(c):
    """Order F of Zarr v2 is a transpose in v3."""
    c.run("nczgen", "-o", c.at("f.zarr"), "--mode", "zarr",
          input="netcdf t { dimensions: y = 2 ; x = 3 ; variables: int v(y, x) ; data: v = 1, 2, 3, 4, 5, 6 ; }")
    doc = json.load(open(c.at("f.zarr/v/.zarray")))
    doc["order"] = "F"
    json.dump(doc, open(c.at("f.zarr/v/.zarray"), "w"))
    c.run("nczcopy", "--verify", "--zarr-format", "3", c.at("f.zarr"), c.at("f3.zarr"))
    c.same("chunk", c.bytes("f.zarr/v/0.0"), c.bytes("f3.zarr/v/c/0/0"))
    c.same("order", json.load(open(c.at("f3.zarr/v/zarr.json")))["codecs"][0],
           {"name": "transpose", "configuration": {"order": [1, 0]}})
    c.run("nczcopy", "--verify", "--zarr-format", "2", c.at("f3.zarr"), c.at("f2.zarr"))
    c.same("order again", json.load(open(c.at("f2.zarr/v/.zarray")))["order"], "F")
    c.same("chunk again", c.bytes("f.zarr/v/0.0"), c.bytes("f2.zarr/v/0.0"))


def inner_shards(c):
    """Shards inside the codecs, which are not the whole object: copies of any other shape have their inner codecs."""
    bytes_, zstd = {"name": "bytes", "configuration": {"endian": "little"}}, {"name": "zstd", "configuration": {"level": 1}}
    crc, swap = {"name": "crc32c"}, {"name": "transpose", "configuration": {"order": [1, 0]}}
    shard = lambda shape, *codecs: {"name": "sharding_indexed", "configuration": {"chunk_shape": shape, "codecs": list(codecs)}}
    chains = {"checked": [shard([4, 2], bytes_, zstd), crc], "swapped": [swap, shard([2, 4], bytes_)],
              "twice": [shard([4, 4], shard([2, 2], swap, bytes_), zstd), crc]}
    cdl = "netcdf t { dimensions: y = 10 ; x = 7 ; variables:\n"
    for name, chain in chains.items():
        cdl += " int %s(y, x) ; %s:_ChunkSizes = 8, 4 ; %s:_Codecs = %s ;\n" % (name, name, name, json.dumps(json.dumps(chain)))
    cdl += " int inner(y, x) ; inner:_ChunkSizes = 4, 4 ; inner:_ShardSizes = 8, 8 ; inner:_Codecs = %s ;\n" % \
        json.dumps(json.dumps([shard([2, 2], bytes_), crc]))
    values = ", ".join(str(i) for i in range(70))
    cdl += "data: " + "".join("%s = %s ; " % (v, values) for v in [*chains, "inner"]) + "}"
    c.run("nczgen", "-o", c.at("s.zarr"), "--zarr-format", "3", input=cdl)
    for version in "2", "3":
        for options in ([], ["-c", "y/5,x/6"], ["-c", "y/5"], ["-c", "/"], ["--shards", "none"], ["-d", "3"], ["-F", "*,none"],
                        ["--shards", "y/10,x/12", "-c", "y/5,x/6"], ["--shards", "y/16,x/8"]):
            if version == "3" or "--shards" not in options or "none" in options:
                if version == "2" and "-F" not in options:  # no transpose but that of all dimensions
                    options = options + ["-V", "checked,swapped,inner"]
                c.run("nczcopy", "--verify", "-M", "1", "--zarr-format", version, *options, c.at("s.zarr"), c.at("o.zarr"))
    c.run("nczcopy", "--zarr-format", "3", "-M", "1", "-c", "y/5", c.at("s.zarr"), c.at("o.zarr"))
    codecs = {v: [k["name"] for k in json.load(open(c.at("o.zarr/%s/zarr.json" % v)))["codecs"]] for v in chains}
    c.same("their codecs", codecs, {"checked": ["bytes", "zstd", "crc32c"], "swapped": ["transpose", "bytes"],
                                    "twice": ["transpose", "bytes", "zstd", "crc32c"]})
    c.run("nczcopy", "--zarr-format", "3", c.at("s.zarr"), c.at("o.zarr"))
    for key in "checked/c/0/0", "swapped/c/1/1", "twice/c/0/1", "inner/c/1/0":
        c.same("as it was: " + key, c.bytes("o.zarr/" + key), c.bytes("s.zarr/" + key))


def shards(c):
    c.run("nczgen", "-o", c.at("v2.zarr"), input=CDL)
    copy = lambda a, b, *o, **kw: c.run("nczcopy", "--verify", "--zarr-format", "3", *o, c.at(a), c.at(b), **kw)
    copy("v2.zarr", "s.zarr", "--shards", "a:2,4", "--shards", "big:8")
    c.same("values", c.dump("s.zarr"), c.dump("v2.zarr"))
    c.same("objects", sorted(os.listdir(c.at("s.zarr/a/c/0"))), ["0", "1"])
    copy("s.zarr", "whole.zarr")
    c.same("a shard as it was", c.bytes("s.zarr/a/c/0/1"), c.bytes("whole.zarr/a/c/0/1"))
    copy("s.zarr", "none.zarr", "--shards", "none")
    c.same("a chunk out of a shard", c.bytes("none.zarr/a/c/0/1"), c.bytes("v2.zarr/a/0.1"))
    c.run("nczcopy", "--verify", "--zarr-format", "2", c.at("s.zarr"), c.at("two.zarr"))
    c.same("a chunk out of a shard, in v2", c.bytes("two.zarr/a/0.1"), c.bytes("v2.zarr/a/0.1"))
    copy("s.zarr", "wider.zarr", "-c", "a:2,3")  # the source's shards, enlarged to whole chunks
    c.same("enlarged", json.loads(c.dump("wider.zarr", "--json=header"))["variables"]["a"]["storage"]["shards"], [2, 6])
    copy("s.zarr", "dim.zarr", "-M", "1", "-c", "x/2", "--shards", "x/", "--shards", "a:none")
    shape = {v: d["storage"].get("shards") for v, d in json.loads(c.dump("dim.zarr", "--json=header"))["variables"].items()}
    c.same("by dimension", (shape["a"], shape["big"], shape["c"], shape["d"]), (None, [8], [8], None))
    c.same("values by dimension", c.dump("dim.zarr"), c.dump("v2.zarr"))
    copy("s.zarr", "s.zip")
    c.same("in an archive", c.dump("s.zip", "-s"), c.dump("s.zarr", "-s"))
    for spec, text in (("a:2,3", "/a: 3 is not a multiple of the chunk length 2 of dimension x"), ("q/4", "q: no such dimension"),
                       ("q:4", "q: no such variable"), ("a:4", "/a: 1 lengths, but it has 2 dimensions")):
        copy("s.zarr", "bad.zarr", "--shards", spec, code=1, stderr=text)
    for spec in ("a:0,4", "x", "", ":4"):
        copy("s.zarr", "bad.zarr", "--shards", spec, code=2, stderr="--shards: ")
    c.run("nczcopy", "--shards", "x/4", c.at("v2.zarr"), c.at("bad.zarr"), code=1, stderr="only Zarr v3 has shards")
    c.same("nothing is left", os.path.exists(c.at("bad.zarr")), False)


def rectilinear(c):
    """Chunks that differ in length are listed with their lengths; a copy has equal ones."""
    os.makedirs(c.at("r.zarr/v/c/0"))
    json.dump({"zarr_format": 3, "node_type": "group"}, open(c.at("r.zarr/zarr.json"), "w"))
    json.dump({"zarr_format": 3, "node_type": "array", "shape": [7, 5], "data_type": "int16", "chunk_key_encoding": "default",
               "chunk_grid": {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": [[2, 4, 3], [1, 3, 1]]}},
               "fill_value": 3, "codecs": ["bytes"], "dimension_names": ["y", "x"]}, open(c.at("r.zarr/v/zarr.json"), "w"))
    for key, n in ("0/0", 2), ("0/1", 6):
        open(c.at("r.zarr/v/c/" + key), "wb").write(bytes(2 * n))
    found = json.loads(c.dump("r.zarr", "--chunks=json"))["variables"][0]
    c.same("JSON", {k: found[k] for k in ("grid", "chunk_lengths", "total", "stored", "bytes", "decoded_bytes")},
           {"grid": [3, 3], "chunk_lengths": [[2, 4, 3], [1, 3, 1]], "total": 9, "stored": 2, "bytes": 16, "decoded_bytes": 16})
    c.same("chunks", sorted(found["present"]), [[0, 0, 4], [0, 1, 12]])
    c.same("lines", c.dump("r.zarr", "--chunks").splitlines()[0], "/v  short 7\u00d75, chunks 2,4,3\u00d71,3,1")
    for version in "2", "3":
        c.run("nczcopy", "--verify", "--zarr-format", version, c.at("r.zarr"), c.at("o.zarr"))
        c.same("values", c.dump("o.zarr", "-v", "v").split("data:")[1], c.dump("r.zarr", "-v", "v").split("data:")[1])


def shards_that_differ(c):
    """Shards that differ in length: their chunks, which do not, are listed."""
    os.makedirs(c.at("r.zarr/s/c/0"))
    json.dump({"zarr_format": 3, "node_type": "group"}, open(c.at("r.zarr/zarr.json"), "w"))
    plain = [{"name": "bytes", "configuration": {"endian": "little"}}]
    json.dump({"zarr_format": 3, "node_type": "array", "shape": [6, 4], "data_type": "int16", "chunk_key_encoding": "default",
               "chunk_grid": {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": [[2, 4], [1, 3]]}},
               "codecs": [{"name": "sharding_indexed", "configuration": {"chunk_shape": [2, 1], "codecs": plain,
                                                                         "index_codecs": plain, "index_location": "end"}}],
               "fill_value": 3, "dimension_names": ["y", "x"]}, open(c.at("r.zarr/s/zarr.json"), "w"))
    for key, there in ("0/0", [1]), ("0/1", [1, 0, 1]):
        index = b"".join((4 * sum(there[:i])).to_bytes(8, "little") + (4).to_bytes(8, "little") if t else b"\xff" * 16
                         for i, t in enumerate(there))
        open(c.at("r.zarr/s/c/" + key), "wb").write(bytes(4 * sum(there)) + index)
    found = json.loads(c.dump("r.zarr", "--chunks=json"))["variables"][0]
    c.same("JSON", {k: found[k] for k in ("grid", "total", "stored", "bytes", "shard_grid", "stored_shards", "shard_bytes")},
           {"grid": [3, 4], "total": 12, "stored": 3, "bytes": 12, "shard_grid": [2, 2], "stored_shards": 2, "shard_bytes": 76})
    c.same("chunks", sorted(found["present"]), [[0, 0, 4], [0, 1, 4], [0, 3, 4]])
    c.same("shards", sorted(found["present_shards"]), [[0, 0, 20], [0, 1, 56]])
    c.run("nczcopy", "--verify", "--zarr-format", "3", c.at("r.zarr"), c.at("o.zarr"))
    c.same("values", c.dump("o.zarr", "-v", "s").split("data:")[1], c.dump("r.zarr", "-v", "s").split("data:")[1])


def text(c):
    """CDL keeps version, shards and codecs; the other forms show them."""
    cdl = CDL.replace("a:_ChunkSizes = 2, 2 ;", "a:_ChunkSizes = 2, 2 ; a:_ShardSizes = 4, 4 ;")
    for mode in ("nczarr", "zarr"):
        c.run("nczgen", "-o", c.at("a.zarr"), "--mode", mode, "--zarr-format", "3", input=cdl)
        special = c.dump("a.zarr", "-s")
        for line in ("a:_ShardSizes = 4, 4 ;", ":_ZarrFormat = 3 ;", 'b:_DType = "|b1" ;'):
            c.same(line + " in " + mode, line in special, True)
        c.run("nczgen", "-o", c.at("b.zarr"), "--mode", mode, input=special)
        c.same("again, " + mode, c.dump("b.zarr", "-s"), special)
        c.same("document, " + mode, c.bytes("b.zarr/a/zarr.json"), c.bytes("a.zarr/a/zarr.json"))
        c.same("shard, " + mode, c.bytes("b.zarr/a/c/0/0"), c.bytes("a.zarr/a/c/0/0"))
    c.run("nczgen", "-o", c.at("c.zarr"), "--zarr-format", "2", input=special, code=1, stderr="only Zarr v3 has shards")
    c.same("nothing is left", os.path.exists(c.at("c.zarr")), False)
    c.run("nczgen", "-o", c.at("c.zarr"), "--zarr-format", "3", input=cdl.replace("4, 4", "4, 3"), code=1,
          stderr="shard length 3 is not a multiple of chunk length 2")
    tree = c.dump("a.zarr", "--tree").splitlines()
    c.same("tree", (tree[0].split("  ")[0], [l.split("chunks ")[1] for l in tree if " a " in l][0]),
           ("t (netCDF-4, Zarr v3)", "2\u00d72  shards 4\u00d74  numcodecs.shuffle gzip  1 attribute"))
    doc = json.loads(c.dump("a.zarr", "--json=header"))
    c.same("JSON", (doc["zarr_format"], doc["variables"]["a"]["storage"]["shards"],
                    doc["variables"]["a"]["storage"]["codecs"][0]["name"]), (3, [4, 4], "bytes"))
    sizes = [os.path.getsize(c.at("a.zarr/a/c/0/%d" % i)) for i in (0, 1)]
    v = json.loads(c.dump("a.zarr", "--chunks=json", "-v", "a"))["variables"][0]
    c.same("chunks", (v["total"], v["stored"], v["shards"], v["total_shards"], v["shard_bytes"], sorted(v["present_shards"])),
           (4, 4, [4, 4], 2, sum(sizes), [[0, 0, sizes[0]], [0, 1, sizes[1]]]))
    c.same("index and gaps", v["shard_bytes"] - v["bytes"], 2 * (4 * 16 + 4))
    c.same("text of chunks", "2 of 2 shards stored: %d bytes, 136 of them index and gaps" % sum(sizes)
           in c.dump("a.zarr", "--chunks", "-v", "a"), True)


for name, case in (("between the versions of Zarr", between_versions), ("order F", order_f), ("shards", shards),
                   ("shards inside the codecs", inner_shards), ("chunks of different lengths", rectilinear),
                   ("shards of different lengths", shards_that_differ), ("text", text),
                   ("characters", characters), ("characters as numbers", characters_as_numbers), ("copies that nobody asked for", unasked_copies)):
    with tempfile.TemporaryDirectory() as d:
        c = Case(name, lambda n: os.path.join(d, n))
        try:
            case(c)
        except (OSError, KeyError, IndexError, ValueError) as e:
            c.problems.append(repr(e))
        c.end()
sys.exit(failures > 0)
